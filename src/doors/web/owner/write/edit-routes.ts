/** The editor of an article (contract §8): its page, its preview, and what a save came to. */
import { claimsOf } from '../../../../domain/articles/state.ts';
import { about, fault, isFault, type Fault } from '../../../../kernel/fault.ts';
import { stringParam } from '../../../http/parameters.ts';
import { pageReply, refusedPage, seeOther, type Reply } from '../../../http/replies.ts';
import { route } from '../../../http/route.ts';
import { queryParameter } from '../../page-cache.ts';
import { type OpenArticle, openArticle } from './desk.ts';
import { type EditFields, editPage } from './editor-page.tsx';
import type { MergeView } from './merge-view.tsx';
import { previewOf, type PreviewView } from './preview.tsx';
import { editOf, fieldsOf, rightsOf, save, sentFields } from './save.ts';
import {
  fetchingPictures,
  findPictures,
  type FoundPictures,
  pictureFieldsIn,
  type PictureFailure,
  type PictureFields,
} from './save-images.ts';
import { type WriteDeclarations, version } from './declarations.ts';
import { previewText, previewFragment } from './preview.tsx';

export function editRoutes(write: WriteDeclarations): void {
  const { server, site, pool, paths, page, textForm, textBody, previewBody } = write;

  route(
    server,
    {
      ...textForm,
      post: '/owner/a/:slug/preview',
      id: 'previewEdit',
      summary: 'Renders an edited text block by block, with what changed; nothing is written.',
      body: previewBody,
      required: ['form_token'],
      open: true,
    },
    async ({ request, session, form: sent, params: { slug = '' } }) => {
      const article = await openArticle(server, site, request, session, slug);
      if (isFault(article)) return article;
      const shown = await previewEdit(article, sentFields(sent, article.state));
      if (isFault(shown)) return shown;
      const mayClaim = article.context.may('CLAIM_REPAIR', slug);
      const pictures = article.context.may('IMAGE_STORE')
        ? { ...shown.found, ...pictureFieldsIn(sent), failures: [] }
        : undefined;
      return pageReply(previewFragment({ view: shown.preview, paths, mayClaim, pictures }));
    },
  );

  route(
    server,
    {
      ...page,
      get: '/owner/a/:slug/edit',
      id: 'editPage',
      summary: 'The editor of an article, or of one block.',
      query: { block: stringParam('the id of a block') },
    },
    async ({ request, query, session, params: { slug = '' } }) => {
      const article = await openArticle(server, site, request, session, slug);
      if (isFault(article)) return article;
      const block = queryParameter(query, 'block');
      if (block !== undefined && article.state.divs.get(block)?.status !== 'current')
        return about(
          fault('not_found', `${slug} has no block ${block.slice(0, 20)} now.`, 'Edit the whole text.'),
          { kind: 'div', id: block, slug },
        );
      return mayNot(article, block) ?? showEditor(article, fieldsOf(article.state, block), { isSent: false });
    },
  );

  route(
    server,
    {
      ...textForm,
      post: '/owner/a/:slug/edit',
      id: 'saveByForm',
      summary: 'Saves an edited text, as ARTICLE_REWRITE does; shows the merge where the article has moved.',
      body: {
        ...textBody,
        version,
        blocks: stringParam('ids and hashes of the blocks that the text was made from'),
        block: stringParam('the only block that the text is'),
        parts: stringParam('the text of a merge in parts, null for each conflict'),
        note: stringParam('why'),
      },
      required: ['form_token', 'version'],
      open: true,
    },
    async ({ request, session, form: sent, params: { slug = '' } }) => {
      const article = await openArticle(server, site, request, session, slug);
      if (isFault(article)) return article;
      const fields = sentFields(sent, article.state);
      const act = sent.get('act');
      const pictures = pictureFieldsIn(sent);
      if (act === 'preview') return showEditor(article, fields, { isSent: true, pictures });
      const publishes = act === 'publish';
      const saved = await save(article, fields, { publishes, once: sent.get('once'), pictures });
      switch (saved.kind) {
        case 'merge':
          return showEditor(article, saved.fields, { isSent: true, merge: saved.merge, pictures });
        case 'refused': {
          const { refusal, failures } = saved;
          // Another save may have come between: then the merge of what it wrote is shown.
          const now = await openArticle(server, site, request, session, slug);
          if (
            failures === undefined &&
            !isFault(now) &&
            now.state.row.version !== article.state.row.version
          ) {
            const again = await save(now, saved.fields, { publishes, once: undefined, pictures });
            if (again.kind === 'merge')
              return showEditor(now, again.fields, { isSent: true, merge: again.merge, pictures });
            if (again.kind === 'saved') return seeOther(savedAt(slug, again.inv));
          }
          return showEditor(article, saved.fields, { isSent: true, refusal, failures, pictures });
        }
        case 'saved':
          return seeOther(savedAt(slug, saved.inv));
      }
    },
  );

  function savedAt(slug: string, inv: string | undefined): string {
    return `${paths.article(slug)}${inv === undefined ? '?unchanged=1' : `?done=${inv}`}`;
  }

  async function previewEdit(
    article: OpenArticle,
    fields: EditFields,
  ): Promise<{ readonly preview: PreviewView; readonly found: FoundPictures } | Fault> {
    const edit = await editOf(article, fields);
    if (isFault(edit)) return edit;
    const preview = await previewOf(site, pool, {
      slug: article.access.slug,
      lead: article.state.row.lead,
      ...edit.matched,
      claims: claimsOf(article.state),
    });
    return { preview, found: findPictures(article, edit.matched.blocks) };
  }

  async function showEditor(
    article: OpenArticle,
    fields: EditFields,
    { pictures = fetchingPictures, failures = [], ...more }: Shown,
  ): Promise<Reply | Fault> {
    const { row } = article.state;
    const shown = await previewEdit(article, fields);
    const { preview, found } = isFault(shown)
      ? { preview: await previewText(site, pool, '', row.slug), found: { changed: [], kept: [] } }
      : shown;
    const html = editPage(article.context, {
      article: row,
      rights: rightsOf(article) ?? 'block',
      fields,
      preview,
      pictures: article.context.may('IMAGE_STORE') ? { ...found, ...pictures, failures } : undefined,
      ...more,
    });
    if (more.refusal !== undefined) return refusedPage(html, more.refusal);
    return more.merge === undefined ? pageReply(html) : refusedPage(html, moved(row.slug));
  }
}

interface Shown {
  readonly isSent: boolean;
  readonly merge?: MergeView;
  readonly refusal?: Fault;
  readonly pictures?: PictureFields;
  readonly failures?: readonly PictureFailure[] | undefined;
}

/** Why a session cannot edit the whole text, or nothing of it. */
function mayNot(article: OpenArticle, block: string | undefined): Fault | undefined {
  const rights = rightsOf(article);
  if (rights === 'text' || (rights === 'block' && block !== undefined)) return undefined;
  return rights === 'block'
    ? fault(
        'scope_denied',
        'Your key edits one block at a time.',
        'Open the article at the desk and choose “Edit” beside the block.',
      )
    : fault(
        'scope_denied',
        'Your key reads this text and does not edit it.',
        'Propose another wording on its public page.',
      );
}

function moved(slug: string): Fault {
  return fault('conflict', `${slug} changed meanwhile.`, 'Read the merge and save again.');
}
