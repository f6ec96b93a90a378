/** `/owner/new` (contract §8): a text becomes an article, as VOXEL_BATCH makes it of a document. */
import { localSlug, slugFrom, slugIn } from '../../../../domain/articles/slugs.ts';
import { slugPath, slugTable } from '../../../../domain/articles/tables.ts';
import { titleIn } from '../../../../domain/articles/write-document.ts';
import { violation } from '../../../../domain/violations.ts';
import { fault, isFault, type Fault } from '../../../../kernel/fault.ts';
import type { JsonObject } from '../../../../kernel/json.ts';
import type { Form } from '../../../http/browser-forms.ts';
import { stringParam } from '../../../http/parameters.ts';
import { pageReply, refusedPage, seeOther } from '../../../http/replies.ts';
import { route } from '../../../http/route.ts';
import { consoleContextOf, refuseWithout } from '../desk.ts';
import type { ConsoleContext } from '../console-page.tsx';
import { callRow, type Desk, rehearse, textArgs } from './desk.ts';
import type { PicturesView } from './pictures.tsx';
import {
  fetchingPictures,
  fetchPictures,
  findPictures,
  pictureFieldsIn,
  type PictureFailure,
  type PictureFields,
  unfetched,
  wantedPictures,
  withChoices,
} from './save-images.ts';
import { newArticlePage, type NewFields } from './new-page.tsx';
import { type WriteDeclarations } from './declarations.ts';
import { knownLabels } from './meta-form.tsx';
import { placeOf, tagsIn } from './metadata.ts';
import { previewText, previewFragment, type Suggested } from './preview.tsx';

export function newRoutes(write: WriteDeclarations): void {
  const { server, site, pool, paths, page, textForm, textBody, previewBody } = write;
  const preview = (text: string) => previewText(site, pool, text);

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
      const refusal = refuseWithout(context, 'VOXEL_BATCH');
      if (refusal !== undefined) return refusal;
      return pageReply(
        newArticlePage(context, {
          fields: noFields,
          preview: await preview(''),
          known: await knownLabels(server.service, context.tenant),
          pictures: picturesOf(context, '', fetchingPictures),
          isSent: false,
        }),
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
        free_slug: stringParam('a free address, in place of the one that is taken'),
      },
      required: ['form_token', 'text'],
    },
    async ({ request, session, form: sent }) => {
      const context = await consoleContextOf(site, session, {}, sent);
      if (isFault(context)) return context;
      const desk = { server, request, context };
      const given = newFieldsOf(sent);
      // The button beside a taken address names a free one.
      const fields = { ...given, slug: sent.get('free_slug') ?? given.slug };
      const pictures = pictureFieldsIn(sent);
      const show = async (text: string, refusal?: Fault, failures?: readonly PictureFailure[]) => {
        const html = newArticlePage(context, {
          fields: { ...fields, text },
          preview: await preview(text),
          known: await knownLabels(server.service, context.tenant),
          pictures: picturesOf(context, text, pictures, failures),
          refusal,
          isSent: true,
        });
        return refusal === undefined ? pageReply(html) : refusedPage(html, refusal);
      };
      if (sent.get('act') === 'preview') return show(fields.text);
      const created = await create(desk, fields, pictures, sent.get('once'));
      return 'refusal' in created
        ? show(created.text, created.refusal, created.failures)
        : seeOther(`${paths.article(created.slug)}?done=${created.inv}`);
    },
  );

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
    async ({ session, form: sent }) => {
      const context = await consoleContextOf(site, session, {}, sent);
      if (isFault(context)) return context;
      const text = sent.get('text') ?? '';
      const pictures = picturesOf(context, text, pictureFieldsIn(sent));
      const suggested = await suggestedFor(context, newFieldsOf(sent));
      return pageReply(previewFragment({ view: await preview(text), paths, pictures, suggested }));
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

function picturesOf(
  context: ConsoleContext,
  text: string,
  fields: PictureFields,
  failures: readonly PictureFailure[] = [],
): PicturesView | undefined {
  if (!context.may('IMAGE_STORE')) return undefined;
  return { ...findPictures({ context }, [{ text, change: 'made' }]), ...fields, failures };
}

/** Title and address as they will be, told while one types. */
async function suggestedFor(context: ConsoleContext, fields: NewFields): Promise<Suggested> {
  const { tenant, workspace, site } = context;
  const title = fields.title.trim() === '' ? titleIn(fields.text) : fields.title.trim();
  const own = fields.slug.trim();
  const path = slugPath(tenant, slugIn(workspace, own));
  const isTaken = own !== '' && (await site.service.store.read.row(slugTable, path)) !== undefined;
  return {
    title: titleIn(fields.text),
    slug: slugFrom(title, ''),
    taken: isTaken ? `An article has the address ${own} already.` : '',
  };
}

interface NotCreated {
  readonly refusal: Fault;
  /** With what was fetched for it already. */
  readonly text: string;
  readonly failures?: readonly PictureFailure[];
}

/** Makes the article; a document whose address is taken is refused and never appended. */
async function create(
  desk: Desk,
  fields: NewFields,
  pictures: PictureFields,
  once: string | undefined,
): Promise<{ readonly slug: string; readonly inv: string } | NotCreated> {
  const { workspace } = desk.context;
  const own = fields.slug.trim();
  let text = withChoices(fields.text, pictures);
  const place = placeOf(fields);
  if (isFault(place)) return { refusal: place, text };
  if (fields.title.trim() === '' && own === '' && titleIn(text) === '')
    return { refusal: withoutTitle(), text };
  const tags = tagsIn(fields.tags);
  const documentOf = (markdown: string): JsonObject => ({
    markdown,
    status: fields.status,
    ...textArgs(new Map(Object.entries({ title: fields.title, category: fields.category })), [
      'title',
      'category',
    ]),
    ...(own === '' ? {} : { slug: slugIn(workspace, own), expected_version: 0 }),
    ...(tags.length === 0 ? {} : { tags }),
  });
  const wanted = wantedPictures(findPictures(desk, [{ text, change: 'made' }]), pictures);
  if (wanted.length > 0) {
    const tried = await rehearse(desk, 'VOXEL_BATCH', { document: documentOf(text) });
    // Nothing is fetched for a text that would be refused.
    if (!isFault(tried) && tried.problem === null) {
      const { text: fetched, failures } = await fetchPictures(desk, text, wanted, once);
      text = fetched;
      if (failures.length > 0) return { refusal: unfetched(failures), text, failures };
    }
  }
  const made = await callRow(desk, 'VOXEL_BATCH', { document: documentOf(text) }, once);
  if (isFault(made)) return { refusal: inWords(made, own), text };
  const slug = String(made.result['slug']);
  if (place === undefined || made.status !== 'success') return { slug, inv: made.inv };
  const placed = await callRow(
    desk,
    'ARTICLE_META',
    { slug, expected_version: Number(made.result['revision']), traversal: place },
    once,
  );
  return isFault(placed) ? { refusal: placed, text } : { slug, inv: made.inv };
}

/** A row may leave the title out; a person who forgot it would find the article under a made-up address for good. */
function withoutTitle(): Fault {
  const message = 'The article has no title, and its text does not begin with a heading.';
  const fix = 'Type a title, or begin the text with a line such as "# Title".';
  return fault('content_rule', message, fix, { violations: [violation('untitled', '/title', message, fix)] });
}

/** The form calls a slug an address. */
function inWords(refusal: Fault, own: string): Fault {
  const free = refusal.details?.['free_slug'];
  if (typeof free !== 'string') return refusal;
  const message = `An article has the address ${own} already.`;
  const fix = `Choose another, for example ${localSlug(free)}, or edit that article.`;
  return fault('conflict', message, fix, {
    free_slug: localSlug(free),
    violations: [violation('taken', '/slug', message, fix)],
  });
}
