/**
 * `/owner/images` and `/owner/import` (contract §8). Uploads are held for the session until their import is confirmed;
 * what is written are calls of rows under the session's credential.
 */
import type { ImageStored } from '../../../../model/outside.ts';
import { fault, isFault, type Fault } from '../../../../kernel/fault.ts';
import type { JsonObject } from '../../../../kernel/json.ts';
import { planNotes, type ImportPlan } from '../../../../represent/intake/plan-notes.ts';
import {
  importLimits,
  isZip,
  readZip,
  safePath,
  type ImportFile,
} from '../../../../represent/intake/read-zip.ts';
import { compareImport, runImport, writes, type Compared } from '../../../intake/run-import.ts';
import type { Form } from '../../../http/browser-forms.ts';
import { stringParam } from '../../../http/parameters.ts';
import { pageReply, privateJson, seeOther, type Reply } from '../../../http/replies.ts';
import { route } from '../../../http/route.ts';
import type { RouteServer } from '../../../http/route-declaration.ts';
import { filesOf, uploadBytesMax } from '../../../http/uploads.ts';
import type { Site } from '../../site.ts';
import { addressOf, type ConsoleContext } from '../console-page.tsx';
import { calledBefore, consoleContextOf, deskDeclarations, formToken } from '../desk.ts';
import { callRow, currentArticle, deskTarget, type Caller } from './desk-target.ts';
import { matchedTo, uploadOf, writeAnnotations, writeBundle, writeSources } from './evidence-import.ts';
import { annotationsPage, bundlePage, placePage, sourcesPage } from './evidence-pages.tsx';
import { heldImport, holdImport, keepImport, type HeldImport, type ImportReport } from './held-imports.ts';
import { imagesPage } from './images-page.tsx';
import { importPage, notesPage, reportPage, type Refusal } from './import-pages.tsx';

/** Quotes of a whole bibliography. */
const formBytesMax = 1024 * 1024;

export function intakeRoutes(server: RouteServer, site: Site): void {
  const { service, requestLimits } = server;
  const { page, form } = deskDeclarations(site);
  const upload = { ...form, bodyLimit: uploadBytesMax, config: { isUpload: true } } as const;
  const hidden = { form_token: formToken, workspace: stringParam('the workspace that is meant') };
  const callerOf = (request: Parameters<typeof requestLimits.address>[0]): Caller => ({
    client: requestLimits.address(request),
    meter: requestLimits.meter(request),
  });

  route(
    server,
    { ...page, get: '/owner/images', id: 'imagesPage', summary: 'Stores an image for articles.' },
    async ({ query, session }) => {
      const { done, ...others } = query;
      const context = await consoleContextOf(site, session, others);
      if (isFault(context)) return context;
      return pageReply(imagesPage(context, { stored: await storedImage(context, done) }));
    },
  );

  route(
    server,
    {
      ...upload,
      post: '/owner/images',
      id: 'storeImageByForm',
      summary: 'Stores an uploaded image, or fetches one.',
      body: { ...hidden, alt: stringParam('what it shows'), url: stringParam('where it is fetched') },
      required: ['form_token'],
      open: true,
      types: ['text/html', 'application/json'],
    },
    async ({ request, query, session, form: sent }) => {
      const context = await consoleContextOf(site, session, query, sent);
      if (isFault(context)) return context;
      return storeByForm(context, callerOf(request), sent, request.headers.accept?.includes('json') === true);
    },
  );

  route(
    server,
    { ...page, get: '/owner/import', id: 'importPage', summary: 'Takes files and texts to import.' },
    async ({ query, session }) => {
      const context = await consoleContextOf(site, session, query);
      return isFault(context) ? context : pageReply(importPage(context));
    },
  );

  route(
    server,
    {
      ...upload,
      post: '/owner/import',
      id: 'uploadImport',
      summary: 'Holds files and texts for a preview; writes nothing.',
      body: {
        ...hidden,
        pasted: stringParam('a text in Markdown'),
        status: stringParam('draft or published'),
      },
      required: ['form_token'],
      open: true,
    },
    async ({ query, session, form: sent }) => {
      const context = await consoleContextOf(site, session, query, sent);
      if (isFault(context)) return context;
      const fields = { status: sent.get('status') === 'published' ? 'published' : 'draft' };
      const files = uploadedFiles(sent);
      if (isFault(files))
        return pageReply(
          importPage(context, { problem: files, fields: { ...fields, pasted: sent.get('pasted') ?? '' } }),
          422,
        );
      const id = await holdImport(service, session, { files, fields });
      return seeOther(addressOf(context, `/import/${id}`));
    },
  );

  route(
    server,
    {
      ...page,
      get: '/owner/import/:id',
      id: 'importPreviewPage',
      summary: 'What an upload would write, and afterwards what it wrote.',
    },
    async ({ request, query, session, params: { id = '' } }) => {
      const context = await consoleContextOf(site, session, query);
      if (isFault(context)) return context;
      const held = await heldImport(service, session, id);
      if (held === undefined) return notHeld;
      if (held.report !== undefined) return pageReply(reportPage(context, held.report));
      return preview(context, callerOf(request), id, held);
    },
  );

  route(
    server,
    {
      ...form,
      post: '/owner/import/:id',
      id: 'runImportByForm',
      summary: 'Writes what was chosen of an upload.',
      bodyLimit: formBytesMax,
      body: { ...hidden, article: stringParam('the article that sources or annotations belong to') },
      required: ['form_token'],
      open: true,
    },
    async ({ request, query, session, form: sent, params: { id = '' } }) => {
      const context = await consoleContextOf(site, session, query, sent);
      if (isFault(context)) return context;
      const held = await heldImport(service, session, id);
      if (held === undefined) return notHeld;
      // A form that is sent again finds the report of the first time.
      if (held.report === undefined) {
        const article = sent.get('article')?.trim();
        const kept =
          article === undefined
            ? {
                files: [],
                fields: held.fields,
                report: await writeUpload(context, callerOf(request), held, sent),
              }
            : { ...held, fields: { ...held.fields, article: article.slice(0, 120) } };
        await keepImport(service, session, id, kept);
      }
      return seeOther(addressOf(context, `/import/${id}`));
    },
  );
}

const notHeld = fault(
  'not_found',
  'This upload is not held any more: uploads are kept for two hours, for the session that sent them.',
  'Open /owner/import and send the files again.',
);

// Images

async function storedImage(context: ConsoleContext, inv: string | undefined) {
  const called = await calledBefore(context.site.service, context.session, inv);
  const image =
    called?.key === 'IMAGE_STORE' && called.status === 'success' ? called.response.value : undefined;
  return image == null || called === undefined
    ? undefined
    : { image: image as unknown as ImageStored, inv: called.id };
}

async function storeByForm(
  context: ConsoleContext,
  caller: Caller,
  form: Form,
  asJson: boolean,
): Promise<Reply> {
  const [file] = filesOf(form, 'image');
  const [url = '', alt = ''] = [form.get('url')?.trim(), form.get('alt')?.trim()];
  const isSent = file !== undefined && file.bytes.length > 0;
  const called = await callRow(context, caller, 'IMAGE_STORE', {
    ...(isSent ? { data: Buffer.from(file.bytes).toString('base64') } : url === '' ? {} : { url }),
    ...(alt === '' ? {} : { alt }),
  });
  if (asJson) {
    const { ok, inv } = called;
    const answer: JsonObject = called.ok
      ? { ok, receipt: inv, ...called.result }
      : { ok, detail: called.message, fix: called.fix };
    return privateJson(JSON.stringify(answer), called.ok ? 200 : 422);
  }
  if (called.ok) {
    const back = addressOf(context, '/images');
    return seeOther(`${back}${back.includes('?') ? '&' : '?'}done=${called.inv}`);
  }
  const problem: Refusal =
    isSent || url !== ''
      ? called
      : { message: 'No image was chosen.', fix: 'Choose a file, or give the address of one.' };
  return pageReply(imagesPage(context, { problem, fields: { url, alt } }), 422);
}

// Imports

/** The files of a form: those of an archive, or each as it is, or the pasted text. */
function uploadedFiles(form: Form): readonly ImportFile[] | Fault {
  const sent = filesOf(form, 'files').filter(({ bytes }) => bytes.length > 0);
  const pasted = form.get('pasted') ?? '';
  const files: ImportFile[] = [];
  for (const { name, bytes } of sent) {
    const path = safePath(name);
    if (path === undefined)
      return fault(
        'invalid_request',
        `The file name ${name.slice(0, 80)} cannot be read.`,
        'Rename the file.',
      );
    files.push({ path, bytes });
  }
  if (pasted.trim() !== '') files.push({ path: 'Pasted text.md', bytes: Buffer.from(pasted) });
  const [archive] = files.length === 1 && isZip(files[0]?.bytes ?? new Uint8Array()) ? files : [];
  const unpacked = archive === undefined ? undefined : readZip(archive.bytes);
  if (unpacked !== undefined && isFault(unpacked)) return unpacked;
  if (files.length === 0)
    return fault('invalid_request', 'Nothing was sent.', 'Choose a file, or paste a text.');
  if (files.length > importLimits.files)
    return fault('payload_ceiling', `At most ${importLimits.files} files are read.`, 'Send fewer at once.');
  return files;
}

function planOf(context: ConsoleContext, { files, fields }: HeldImport): ImportPlan | Fault {
  const [only] = files;
  const archive =
    files.length === 1 && only !== undefined && isZip(only.bytes) ? readZip(only.bytes) : undefined;
  if (archive !== undefined && isFault(archive)) return archive;
  return planNotes(archive ?? { files, skipped: [] }, {
    base: context.site.service.base,
    status: fields['status'] === 'published' ? 'published' : 'draft',
    slugOf: archive === undefined ? 'title' : 'file',
  });
}

async function preview(
  context: ConsoleContext,
  caller: Caller,
  id: string,
  held: HeldImport,
): Promise<Reply> {
  const { article: wanted = '', status = 'draft' } = held.fields;
  const upload = await uploadOf(held);
  if (upload.kind === 'bundle') return pageReply(bundlePage(context, id, upload.bundle, status));
  if (upload.kind !== 'notes') {
    const article = wanted === '' ? undefined : await currentArticle(context, wanted);
    const what = upload.kind === 'sources' ? 'a bibliography' : 'annotations';
    if (article === undefined) return pageReply(placePage(context, id, what, wanted));
    return pageReply(
      upload.kind === 'sources'
        ? sourcesPage(context, id, upload.citations, article)
        : annotationsPage(context, id, matchedTo(upload.annotations, article), article),
    );
  }
  const plan = planOf(context, held);
  if (isFault(plan)) return pageReply(importPage(context, { problem: plan, fields: held.fields }));
  const compared = await compareImport(deskTarget(context, caller), plan);
  return pageReply(notesPage(context, id, plan, compared));
}

async function writeUpload(
  context: ConsoleContext,
  caller: Caller,
  held: HeldImport,
  form: Form,
): Promise<ImportReport> {
  const upload = await uploadOf(held);
  if (upload.kind === 'notes') return writeNotes(context, caller, held, form);
  if (upload.kind === 'bundle') return writeBundle(context, caller, upload.bundle, held, form);
  const article = await currentArticle(context, held.fields['article'] ?? '');
  if (article === undefined) return { lines: [], skipped: [] };
  return upload.kind === 'sources'
    ? writeSources(context, caller, upload.citations, article, form)
    : writeAnnotations(context, caller, matchedTo(upload.annotations, article), article, form);
}

async function writeNotes(
  context: ConsoleContext,
  caller: Caller,
  held: HeldImport,
  form: Form,
): Promise<ImportReport> {
  const plan = planOf(context, held);
  if (isFault(plan)) return { lines: [], skipped: [] };
  const target = deskTarget(context, caller);
  const compared = await compareImport(target, plan);
  const chosen: Compared[] = [];
  const left: Compared[] = [];
  for (const [i, each] of compared.entries()) {
    const choice = form.get(`do_${i}`);
    const taken = choice === undefined ? undefined : await chosenOf(target, each, choice);
    if (taken === undefined) left.push(each);
    else chosen.push(taken);
  }
  const written = await runImport(target, chosen, plan.images, {
    fetchImages: form.get('fetch_images') === '1',
    marks: true,
  });
  return {
    lines: [
      ...written.map(({ title, slug, done, receipts, problems, mark }) => ({
        what: title,
        href: done === undefined || done.includes('draft') ? undefined : `/a/${slug}`,
        done: done ?? 'not written',
        isWritten: done !== undefined && mark !== undefined,
        receipts,
        problems,
      })),
      ...left.map(({ article, standing, refused }) => ({
        what: article.title,
        done: standing === 'unchanged' ? 'unchanged' : 'left out',
        isWritten: false,
        receipts: [],
        problems: refused === undefined ? [] : [`${refused.message} ${refused.fix}`],
      })),
    ],
    skipped: plan.skipped,
  };
}

const addressesTried = 50;

/** The import as it was chosen; undefined where the article is left out. */
async function chosenOf(
  target: ReturnType<typeof deskTarget>,
  each: Compared,
  choice: string,
): Promise<Compared | undefined> {
  if (choice === 'write') return writes(each.standing) && each.refused === undefined ? each : undefined;
  if (
    choice === 'replace' &&
    (each.standing === 'conflict' || each.standing === 'kept' || each.standing === 'taken')
  )
    return { ...each, standing: 'update' };
  if (choice !== 'rename' || each.standing !== 'taken') return undefined;
  for (let n = 2; n <= addressesTried; n++) {
    const slug = `${each.article.slug.slice(0, 70)}-${n}`;
    if ((await target.article(slug)) === undefined)
      return { article: { ...each.article, slug }, current: undefined, standing: 'new', blocks: undefined };
  }
  return undefined;
}
