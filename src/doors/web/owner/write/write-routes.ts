/**
 * The pages on which articles are written (contract §8, the workbench): `/owner/articles`, `/owner/new` and below
 * `/owner/a/<slug>`. Each form dispatches a row under the credential of the session; previews and checks write nothing.
 */
import type { FastifyRequest } from 'fastify';
import { changesSince, likeClaims, loadRevision } from '../../../../app/reads/editing.ts';
import { readQuestions } from '../../../../app/reads/question-parts.ts';
import { deskArticles } from '../../../../app/reads/desk-articles.ts';
import { editableText, matchBlocks } from '../../../../domain/articles/match-blocks.ts';
import { claimsOf } from '../../../../domain/articles/state.ts';
import { traversalOf } from '../../../../domain/articles/traversal.ts';
import { slugPath, slugTable } from '../../../../domain/articles/tables.ts';
import { slugIn } from '../../../../domain/articles/slugs.ts';
import { violation } from '../../../../domain/violations.ts';
import { about, fault, isFault, type Fault } from '../../../../kernel/fault.ts';
import { sameJson, type JsonObject } from '../../../../kernel/json.ts';
import { articleStatuses, isOneOf } from '../../../../model/vocabulary.ts';
import type { Form } from '../../../http/browser-forms.ts';
import { stringParam } from '../../../http/parameters.ts';
import { pageReply, refusedPage, seeOther, type Reply } from '../../../http/replies.ts';
import { route, unreadable } from '../../../http/route.ts';
import type { RouteServer } from '../../../http/route-declaration.ts';
import { renderFragment } from '../../shell.tsx';
import { queryParameter } from '../../page-cache.ts';
import { RenderPool } from '../../render-pool.ts';
import type { Site } from '../../site.ts';
import { consoleContextOf, consoleQuery, deskDeclarations, formToken } from '../desk.ts';
import { signInFor } from '../kept-form.tsx';
import { deskArticlePage, metaOf, type MetaView } from './article-page.tsx';
import { articlesPage } from './articles-page.tsx';
import {
  callRow,
  type Desk,
  layoutOf,
  noticeOf,
  type OpenArticle,
  openArticle,
  rehearse,
  writePaths,
} from './desk.ts';
import { type EditFields, editPage, newArticlePage, type MergeView, type NewFields } from './editor-page.tsx';
import {
  claimFormPage,
  claimPage,
  type EvidenceView,
  FindingsText,
  sourceFormPage,
} from './evidence-forms.tsx';
import { Preview, previewOf, type PreviewView } from './preview.tsx';
import { revertPage } from './revert-page.tsx';
import { editOf, fieldsOf, save, sentFields } from './save.ts';

const version = stringParam('the version that the form was made from');
const onceField = stringParam('as the page has it');
const done = stringParam('the invocation that a form led to');

const revisionsShown = 20;
/** Characters of a selection. */
const selectedMax = 4000;

export function writeRoutes(
  server: RouteServer,
  site: Site,
  { batchBytesMax }: { readonly batchBytesMax: number },
): void {
  const { service } = server;
  const pool = new RenderPool();
  server.app.addHook('onClose', () => pool.close());
  const paths = writePaths(site.root);
  const { page: deskPage, form } = deskDeclarations(site);
  const page = {
    ...deskPage,
    noSession: (request: FastifyRequest) => seeOther(signInFor(site, request)),
  } as const;
  // A text of 2 MB takes up to three times as much in a form.
  const textForm = { ...form, bodyLimit: batchBytesMax, config: { isBatch: true } } as const;
  const textBody = {
    form_token: formToken,
    once: onceField,
    workspace: stringParam('the workspace that is meant'),
    title: stringParam('the title'),
    text: stringParam('the text, in Markdown'),
    act: stringParam('save, publish or preview'),
  };

  route(
    server,
    {
      ...page,
      get: '/owner/articles',
      id: 'deskArticlesPage',
      summary: 'Every article of the workspace, drafts first.',
      query: {
        ...consoleQuery,
        q: stringParam('words of the title, address, tags or category'),
        status: stringParam('draft, published or archived'),
      },
    },
    async ({ query, session }) => {
      const context = await consoleContextOf(site, session, query);
      if (isFault(context)) return context;
      const named = queryParameter(query, 'status') ?? '';
      const asked = {
        q: queryParameter(query, 'q') ?? '',
        status: isOneOf(articleStatuses, named) ? named : undefined,
      };
      const reading = { ...service, tenant: context.tenant, viewer: session.credential };
      return pageReply(articlesPage(context, await deskArticles(reading, asked), asked));
    },
  );

  route(
    server,
    {
      ...page,
      get: '/owner/new',
      id: 'newArticlePage',
      summary: 'A form to write or paste a new article.',
    },
    async ({ query, session }) => {
      const context = await consoleContextOf(site, session, query);
      if (isFault(context)) return context;
      return pageReply(
        newArticlePage(context, { fields: noFields, preview: await preview(undefined), isSent: false }),
      );
    },
  );

  route(
    server,
    {
      ...textForm,
      post: '/owner/new',
      id: 'createByForm',
      summary: 'Makes an article of a text, as VOXEL_BATCH does with a document.',
      body: {
        ...textBody,
        slug: stringParam('the address'),
        status: stringParam('draft or published'),
        tags: stringParam('separated by commas'),
        category: stringParam('one category'),
        series: stringParam('the name of a series'),
        position: stringParam('the place in it'),
      },
      required: ['form_token', 'text'],
    },
    async ({ request, session, form: sent }) => {
      const context = await consoleContextOf(site, session, {}, sent);
      if (isFault(context)) return context;
      const desk = { server, request, context };
      const fields = newFieldsOf(sent);
      const show = async (refusal?: Fault): Promise<Reply> => {
        const view = { fields, preview: await preview(undefined, fields.text), refusal, isSent: true };
        const html = newArticlePage(context, view);
        return refusal === undefined ? pageReply(html) : refusedPage(html, refusal);
      };
      if (sent.get('act') === 'preview') return show();
      const created = await create(desk, fields, sent.get('once'));
      return isFault(created)
        ? show(created)
        : seeOther(`${paths.article(created.slug)}?done=${created.inv}`);
    },
  );

  const previewBody = {
    ...textBody,
    version,
    blocks: stringParam('ids and hashes'),
    block: stringParam('one id'),
  };
  route(
    server,
    {
      ...textForm,
      post: '/owner/preview',
      id: 'previewNew',
      summary: 'Renders a text as readers will see it; nothing is written.',
      body: previewBody,
      required: ['form_token', 'text'],
      open: true,
    },
    async ({ form: sent }) => fragment(await preview(undefined, sent.get('text') ?? '')),
  );

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
      return isFault(shown) ? shown : fragment(shown, article);
    },
  );

  route(
    server,
    {
      ...page,
      get: '/owner/a/:slug',
      id: 'deskArticlePage',
      summary: 'An article as its writers see it, drafts included, with what can be done with it.',
      query: { done, unchanged: stringParam('1 after a form that changed nothing') },
    },
    async ({ request, query, session, params: { slug = '' } }) => {
      const article = await openArticle(server, site, request, session, slug);
      if (isFault(article)) return article;
      const notice =
        queryParameter(query, 'unchanged') === undefined
          ? await noticeOf(service, session, queryParameter(query, 'done'))
          : { done: 'Nothing had changed, so nothing was written.' };
      return pageReply(await articleAt({ ...article, context: { ...article.context, notice } }));
    },
  );

  route(
    server,
    {
      ...form,
      post: '/owner/a/:slug/meta',
      id: 'metaByForm',
      summary: 'Changes title, status, tags, series, category or image, as ARTICLE_META does.',
      body: {
        form_token: formToken,
        once: onceField,
        version,
        title: stringParam('the title'),
        tags: stringParam('separated by commas'),
        category: stringParam('one category'),
        series: stringParam('the name of a series'),
        position: stringParam('the place in it'),
        hero: stringParam('the address of an image'),
        status: stringParam('published or archived'),
      },
      required: ['form_token', 'version'],
    },
    async ({ request, session, form: sent, params: { slug = '' } }) => {
      const article = await openArticle(server, site, request, session, slug);
      if (isFault(article)) return article;
      const called = await saveMeta(article, sent);
      if (!isFault(called)) return seeOther(`${paths.article(slug)}?done=${called.inv}`);
      const meta = { ...metaOf(article), ...metaFieldsOf(sent), version: article.state.row.version };
      return refusedPage(await articleAt(article, meta, called), called);
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
      return showEditor(article, fieldsOf(article.state, block), { isSent: false });
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
      if (act === 'preview') return showEditor(article, fields, { isSent: true });
      const saved = await save(article, fields, { publishes: act === 'publish', once: sent.get('once') });
      switch (saved.kind) {
        case 'merge':
          return showEditor(article, saved.fields, { isSent: true, merge: saved.merge });
        case 'refused': {
          // Another save may have come between: then the merge of what it wrote is shown.
          const now = await openArticle(server, site, request, session, slug);
          if (!isFault(now) && now.state.row.version !== article.state.row.version) {
            const again = await save(now, fields, { publishes: act === 'publish', once: undefined });
            if (again.kind === 'merge')
              return showEditor(now, again.fields, { isSent: true, merge: again.merge });
            if (again.kind === 'saved') return seeOther(savedAt(slug, again.inv));
          }
          return showEditor(article, fields, { isSent: true, refusal: saved.refusal });
        }
        case 'saved':
          return seeOther(savedAt(slug, saved.inv));
      }
    },
  );

  const evidence = [
    ['claim', 'CLAIM_POST', claimArgs, claimFormPage, 'ClaimForm', 'a claim'],
    ['source', 'SOURCE_POST', sourceArgs, sourceFormPage, 'SourceForm', 'a source'],
  ] as const;
  const evidenceBody = {
    form_token: formToken,
    once: onceField,
    version,
    act: stringParam('repair, retract or check'),
  };
  for (const [kind, row, argsOf, render, name, what] of evidence) {
    route(
      server,
      {
        ...page,
        get: `/owner/a/:slug/${kind}`,
        id: `desk${name}Page`,
        summary: `A form for ${what} of an article.`,
        query: {
          claim: stringParam('a claim to reword or retract'),
          text: stringParam('the selected words'),
          quote: stringParam('the selected words'),
          section: stringParam('the heading that they stand under'),
        },
      },
      async ({ request, query, session, params: { slug = '' } }) => {
        const article = await openArticle(server, site, request, session, slug);
        if (isFault(article)) return article;
        const given = ['text', 'quote', 'section'].flatMap((each) => {
          const value = query[each];
          return value === undefined || value === unreadable
            ? []
            : [[each, value.slice(0, selectedMax)] as const];
        });
        const id = kind === 'claim' ? queryParameter(query, 'claim') : undefined;
        const view = { article, values: new Map(given) };
        if (id === undefined) return pageReply(render(view));
        const claim = article.state.claims.get(id)?.claim;
        return claim === undefined ? noClaim(slug, id) : pageReply(claimPage({ ...view, claim }));
      },
    );

    route(
      server,
      {
        ...form,
        post: `/owner/a/:slug/${kind}`,
        id: `desk${name}`,
        summary: `Writes ${what}, or changes one; with act=check only says which rules it breaks.`,
        body: evidenceBody,
        required: ['form_token'],
        open: true,
      },
      async ({ request, session, form: sent, params: { slug = '' } }) => {
        const article = await openArticle(server, site, request, session, slug);
        if (isFault(article)) return article;
        const id = kind === 'claim' ? sent.get('claim_id') : undefined;
        const claim = id === undefined ? undefined : article.state.claims.get(id)?.claim;
        if (id !== undefined && claim === undefined) return noClaim(slug, id);
        const act = sent.get('act');
        const [key, args] =
          claim === undefined
            ? ([row, argsOf(slug, sent)] as const)
            : act === 'retract'
              ? (['CLAIM_RETRACT', textArgs(sent, ['claim_id', 'reason'], { slug })] as const)
              : (['CLAIM_REPAIR', textArgs(sent, repairFields, { slug })] as const);
        if (act === 'check') {
          const rehearsal = await rehearse(article, key, args);
          if (isFault(rehearsal)) return rehearsal;
          const text = sent.get('text') ?? '';
          const like = kind === 'claim' && text !== '' ? likeClaims(article.state, text, claim?.id) : [];
          return pageReply(renderFragment(FindingsText({ findings: { rehearsal, like } })));
        }
        const called = await callRow(article, key, args, sent.get('once'));
        if (!isFault(called)) return seeOther(`${paths.article(slug)}?done=${called.inv}`);
        const view: EvidenceView = { article, values: sent, refusal: called };
        return refusedPage(claim === undefined ? render(view) : claimPage({ ...view, claim }), called);
      },
    );
  }

  route(
    server,
    {
      ...page,
      get: '/owner/a/:slug/revert',
      id: 'revertPage',
      summary: 'What restoring an old revision would change.',
      query: { rev: stringParam('the revision') },
    },
    async ({ request, query, session, params: { slug = '' } }) => {
      const article = await openArticle(server, site, request, session, slug);
      return isFault(article) ? article : showRevert(article, queryParameter(query, 'rev') ?? '', '');
    },
  );

  route(
    server,
    {
      ...form,
      post: '/owner/a/:slug/revert',
      id: 'revertByForm',
      summary: 'Restores an old revision, as ARTICLE_REVERT does.',
      body: {
        form_token: formToken,
        once: onceField,
        version,
        rev: stringParam('the revision'),
        note: stringParam('why'),
      },
      required: ['form_token', 'version', 'rev', 'note'],
    },
    async ({ request, session, form: sent, params: { slug = '' } }) => {
      const article = await openArticle(server, site, request, session, slug);
      if (isFault(article)) return article;
      const [rev = '', note = ''] = [sent.get('rev'), sent.get('note')];
      const called = await callRow(
        article,
        'ARTICLE_REVERT',
        { slug, rev: Number(rev), expected_version: Number(sent.get('version')), note },
        sent.get('once'),
      );
      return isFault(called)
        ? showRevert(article, rev, note, called)
        : seeOther(`${paths.article(slug)}?done=${called.inv}`);
    },
  );

  function savedAt(slug: string, inv: string | undefined): string {
    return `${paths.article(slug)}${inv === undefined ? '?unchanged=1' : `?done=${inv}`}`;
  }

  /** A text that is no article yet. */
  async function preview(slug: string | undefined, text = ''): Promise<PreviewView> {
    const matched = matchBlocks({ lead: '', pieces: [] }, text);
    const none = { slug, lead: '', blocks: [], removed: [], claims: [] };
    return previewOf(
      site,
      pool,
      isFault(matched)
        ? none
        : { ...none, blocks: matched.blocks.map((each) => ({ ...each, change: 'kept' })) },
    );
  }

  async function previewEdit(article: OpenArticle, fields: EditFields): Promise<PreviewView | Fault> {
    const edit = await editOf(article, fields);
    if (isFault(edit)) return edit;
    return previewOf(site, pool, {
      slug: article.access.slug,
      lead: article.state.row.lead,
      ...edit.matched,
      claims: claimsOf(article.state),
    });
  }

  function fragment(view: PreviewView, article?: OpenArticle): Reply {
    const mayClaim = article?.context.may('CLAIM_REPAIR', article.access.slug) ?? false;
    return pageReply(renderFragment(Preview({ view, paths, mayClaim })));
  }

  async function showEditor(
    article: OpenArticle,
    fields: EditFields,
    more: { readonly isSent: boolean; readonly merge?: MergeView; readonly refusal?: Fault },
  ): Promise<Reply | Fault> {
    const { row } = article.state;
    const shown = await previewEdit(article, fields);
    const view = {
      article: row,
      fields,
      preview: isFault(shown) ? await preview(row.slug) : shown,
      ...more,
    };
    const html = editPage(article.context, view);
    if (more.refusal !== undefined) return refusedPage(html, more.refusal);
    return more.merge === undefined ? pageReply(html) : refusedPage(html, moved(row.slug));
  }

  async function articleAt(
    article: OpenArticle,
    meta: MetaView = metaOf(article),
    refusal?: Fault,
  ): Promise<string> {
    const { access, state } = article;
    const newest = Math.max(0, state.row.version - revisionsShown);
    return deskArticlePage({
      article,
      meta,
      refusal,
      questions: (await readQuestions(service, access)).map(({ node }) => node).reverse(),
      revisions: await changesSince(service, access, newest),
      preview: await previewOf(site, pool, {
        slug: access.slug,
        lead: state.row.lead,
        blocks: layoutOf(state).pieces.map((piece) => ({ ...piece, change: 'kept', line: 0 })),
        removed: [],
        claims: claimsOf(state),
      }),
    });
  }

  async function showRevert(
    article: OpenArticle,
    rev: string,
    note: string,
    refusal?: Fault,
  ): Promise<Reply | Fault> {
    const past = await loadRevision(service, article.access, Number(rev));
    if (isFault(past)) return past;
    const after = matchBlocks(layoutOf(article.state), editableText(layoutOf(past)));
    if (isFault(after)) return after;
    const html = revertPage({ article, rev: Number(rev), after, note, refusal });
    return refusal === undefined ? pageReply(html) : refusedPage(html, refusal);
  }
}

function moved(slug: string): Fault {
  return fault('conflict', `${slug} changed meanwhile.`, 'Read the merge and save again.');
}

function noClaim(slug: string, id: string): Fault {
  return about(
    fault('not_found', `${slug} has no claim ${id.slice(0, 20)}.`, 'Open the article for its claims.'),
    {
      kind: 'claim',
      id,
      slug,
    },
  );
}

const noFields: NewFields = {
  title: '',
  text: '',
  slug: '',
  tags: '',
  category: '',
  series: '',
  position: '',
  status: 'draft',
};

function newFieldsOf(form: Form): NewFields {
  const given = (name: keyof NewFields): string => form.get(name) ?? noFields[name];
  return {
    title: given('title'),
    text: given('text'),
    slug: given('slug'),
    tags: given('tags'),
    category: given('category'),
    series: given('series'),
    position: given('position'),
    status: given('status'),
  };
}

/** Members of a form with a text in them. */
function textArgs(form: Form, names: readonly string[], first: JsonObject = {}): JsonObject {
  const args: Record<string, string> = {};
  for (const name of names) {
    const value = form.get(name)?.trim() ?? '';
    if (value !== '') args[name] = value;
  }
  return { ...first, ...args };
}

const repairFields = ['claim_id', 'text', 'tier', 'rationale', 'expected_hash'];

function claimArgs(slug: string, form: Form): JsonObject {
  const cited = [...form.keys()].flatMap((name) => (name.startsWith('source.') ? [name.slice(7)] : []));
  return {
    ...textArgs(form, ['text', 'tier', 'who_claims', 'why_material', 'falsifier', 'section', 'rationale'], {
      slug,
    }),
    ...(cited.length === 0 ? {} : { source_ids: cited }),
    ...(form.get('distinct') === '1' ? { distinct: true } : {}),
  };
}

function sourceArgs(slug: string, form: Form): JsonObject {
  return { slug, sources: [textArgs(form, ['type', 'url', 'title', 'quote', 'summary'])] };
}

function tagsIn(text: string): readonly string[] {
  return [...new Set(text.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== '');
}

/** A document whose address is taken would be appended to that article: it is refused before. */
async function create(
  desk: Desk,
  fields: NewFields,
  once: string | undefined,
): Promise<{ readonly slug: string; readonly inv: string } | Fault> {
  const { context, server } = desk;
  const own = fields.slug.trim();
  const path = slugPath(context.tenant, slugIn(context.workspace, own));
  if (own !== '' && (await server.service.store.read.row(slugTable, path)) !== undefined) {
    const message = `An article has the address ${own} already.`;
    const fix = 'Choose another address, or edit that article.';
    return fault('conflict', message, fix, { violations: [violation('taken', '/slug', message, fix)] });
  }
  const place = placeOf(fields);
  if (isFault(place)) return place;
  const tags = tagsIn(fields.tags);
  const document = {
    markdown: fields.text,
    status: fields.status,
    ...textArgs(new Map(Object.entries({ title: fields.title, slug: own, category: fields.category })), [
      'title',
      'slug',
      'category',
    ]),
    ...(tags.length === 0 ? {} : { tags }),
  };
  const made = await callRow(desk, 'VOXEL_BATCH', { document }, once);
  if (isFault(made)) return made;
  const slug = String(made.result['slug']);
  if (place === undefined || made.status !== 'success') return { slug, inv: made.inv };
  const placed = await callRow(
    desk,
    'ARTICLE_META',
    { slug, expected_version: Number(made.result['revision']), traversal: place },
    once,
  );
  return isFault(placed) ? placed : { slug, inv: made.inv };
}

function placeOf({
  series,
  position,
}: Pick<NewFields, 'series' | 'position'>): JsonObject | Fault | undefined {
  if (series.trim() === '') return undefined;
  const at = position.trim();
  if (at !== '' && !/^[1-9]\d{0,5}$/.test(at)) {
    const message = 'The place in the series is no whole number from 1.';
    return fault('content_rule', message, 'Count from 1, or leave it empty.', {
      violations: [violation('traversal', '/position', message, 'Count from 1, or leave it empty.')],
    });
  }
  return { series: series.trim(), ...(at === '' ? {} : { position: Number(at) }) };
}

/** The members of the metadata that a form names. */
function metaFieldsOf(form: Form): Partial<MetaView> {
  const named = (['title', 'tags', 'category', 'series', 'position', 'hero'] as const).flatMap((name) => {
    const value = form.get(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(named);
}

/**
 * ARTICLE_META with what the form changes. Compare-and-set is on the metadata that the form was made from: a claim or a
 * text that was saved meanwhile is no reason to refuse it.
 */
async function saveMeta(article: OpenArticle, form: Form): Promise<{ readonly inv: string } | Fault> {
  const { state, access, server } = article;
  const { row } = state;
  const from = Number(form.get('version'));
  if (from !== row.version) {
    const base = await loadRevision(server.service, access, from);
    if (isFault(base)) return base;
    const metaAt = ({ title, status, meta }: typeof row): JsonObject => ({
      title,
      status,
      meta: { ...meta },
    });
    if (!sameJson(metaAt(base.row), metaAt(row)))
      return fault(
        'conflict',
        `The metadata changed since version ${from}: it is now “${row.title}”, ${row.status}, ${row.meta.tags.length === 0 ? 'no tags' : `tagged ${row.meta.tags.join(', ')}`}.`,
        'Your fields are kept below; send them again to replace it.',
      );
  }
  const given = metaFieldsOf(form);
  const was = metaOf(article);
  const changed = <N extends keyof MetaView>(name: N): boolean =>
    given[name] !== undefined && String(given[name]).trim() !== was[name];
  const place = changed('series') || changed('position') ? placeIn(article, { ...was, ...given }) : {};
  if (isFault(place)) return place;
  const status = form.get('status');
  return callRow(
    article,
    'ARTICLE_META',
    {
      slug: row.slug,
      expected_version: row.version,
      ...(status === undefined ? {} : { status }),
      // The title is sent in any case: a form that changes nothing is answered with that.
      ...(given.title === undefined ? {} : { title: given.title }),
      ...(changed('tags') ? { tags: tagsIn(given.tags ?? '') } : {}),
      ...(changed('category')
        ? { category: given.category?.trim() === '' ? null : (given.category ?? null) }
        : {}),
      ...(changed('hero') ? { hero: given.hero?.trim() === '' ? null : (given.hero ?? null) } : {}),
      ...place,
    },
    form.get('once'),
  );
}

/** The article's place with another series or position; its neighbours stay. */
function placeIn({ state: { row } }: OpenArticle, meta: MetaView): JsonObject | Fault {
  const place = placeOf(meta);
  if (isFault(place)) return place;
  const { prev = null, next = null, hub = null } = traversalOf(row.meta) ?? {};
  const neighbours = Object.fromEntries(
    Object.entries({ prev, next, hub }).filter(([, slug]) => slug !== null),
  ) as JsonObject;
  if (place === undefined && Object.keys(neighbours).length === 0) return { extra: { normandy_v1: null } };
  return { traversal: { ...neighbours, ...place } };
}
