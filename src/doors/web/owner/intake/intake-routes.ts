/**
 * `/owner/import` (contract §8). Uploads are held for the session until their import is confirmed; what is written are
 * calls of rows under the session's credential.
 */
import { fault, isFault, type Fault } from '../../../../kernel/fault.ts';
import { looksLikeHtml } from '../../../../represent/intake/html-to-markdown.ts';
import {
  importLimits,
  isZip,
  readZip,
  safePath,
  type ImportFile,
} from '../../../../represent/intake/read-zip.ts';
import type { Form } from '../../../http/browser-forms.ts';
import { stringParam } from '../../../http/parameters.ts';
import { pageReply, seeOther } from '../../../http/replies.ts';
import { route } from '../../../http/route.ts';
import type { RouteServer } from '../../../http/route-declaration.ts';
import { filesOf } from '../../../http/uploads.ts';
import type { Site } from '../../site.ts';
import { addressOf } from '../console-page.tsx';
import { consoleContextOf, refuseWithout } from '../desk.ts';
import { intakeDeclarations } from './declarations.ts';
import { heldImport, holdImport, keepImport } from './held-imports.ts';
import { imageRoutes } from './image-routes.ts';
import { importPage, reportPage, type UploadProblem } from './import-pages.tsx';
import { chooseArticle, previewUpload, writeUpload } from './run-upload.ts';

/** Quotes of a whole bibliography. */
const formBytesMax = 1024 * 1024;

export function intakeRoutes(server: RouteServer, site: Site): void {
  const { service } = server;
  const { page, form, upload, hidden, callerOf } = intakeDeclarations(server, site);
  imageRoutes(server, site);

  route(
    server,
    { ...page, get: '/owner/import', id: 'importPage', summary: 'Takes files and texts to import.' },
    async ({ query, session }) => {
      const context = await consoleContextOf(site, session, query);
      if (isFault(context)) return context;
      return refuseWithout(context, 'VOXEL_BATCH', 'SOURCE_POST') ?? pageReply(importPage(context));
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
        title: stringParam('the title of the text'),
        pasted: stringParam('a text in Markdown or HTML'),
        pasted_html: stringParam('the same text with its formatting, as HTML'),
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
      if ('field' in files) {
        const [title = '', pasted = ''] = [sent.get('title'), sent.get('pasted')];
        return pageReply(importPage(context, { problem: files, fields: { ...fields, title, pasted } }), 422);
      }
      const id = await holdImport(service, session, { files: files.files, fields });
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
      return previewUpload(context, callerOf(request), id, held);
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
      const there = seeOther(addressOf(context, `/import/${id}`));
      // A form that is sent again finds the report of the first time.
      if (held.report !== undefined) return there;
      const article = sent.get('article');
      if (article !== undefined) {
        const chosen = await chooseArticle(context, id, held, article);
        if (typeof chosen !== 'string') return chosen;
        await keepImport(service, session, id, { ...held, fields: { ...held.fields, article: chosen } });
        return there;
      }
      const report = await writeUpload(context, { ...callerOf(request), run: id }, id, held, sent);
      if ('reply' in report) return report.reply;
      await keepImport(service, session, id, { files: [], fields: held.fields, report });
      return there;
    },
  );
}

const notHeld = fault(
  'not_found',
  'This upload is not held any more: uploads are kept for two hours, for the session that sent them.',
  'Open /owner/import and send the files again.',
);

/** The files of a form: those of an archive, or each as it is, and the pasted text. */
function uploadedFiles(form: Form): { readonly files: readonly ImportFile[] } | UploadProblem {
  const sent = filesOf(form, 'files').filter(({ bytes }) => bytes.length > 0);
  const files: ImportFile[] = [];
  for (const { name, bytes } of sent) {
    const path = safePath(name);
    if (path === undefined)
      return {
        field: 'files',
        message: `The file name ${name.slice(0, 80)} cannot be read.`,
        fix: 'Rename the file and choose it again.',
      };
    files.push({ path, bytes });
  }
  const pasted = pastedFile(form);
  if (pasted !== undefined) files.push(pasted);
  const [only] = files;
  if (only === undefined)
    return { field: 'files', message: 'Nothing was sent.', fix: 'Choose a file, or paste a text below.' };
  const archives = files.filter(({ bytes }) => isZip(bytes));
  if (archives.length > 0 && files.length > 1)
    return {
      field: 'files',
      message: 'An archive is imported by itself.',
      fix: 'Send the .zip alone, and the other files or the text afterwards.',
    };
  const unpacked = archives.length === 0 ? undefined : readZip(only.bytes);
  if (unpacked !== undefined && isFault(unpacked)) return problemOf(unpacked);
  if (files.length > importLimits.files)
    return {
      field: 'files',
      message: `At most ${importLimits.files} files are read.`,
      fix: 'Send fewer at once.',
    };
  return { files };
}

function problemOf({ message, fix }: Fault): UploadProblem {
  return { field: 'files', message, fix };
}

/** The browser's module sends what was pasted with its formatting too, unless the text was changed afterwards. */
function pastedFile(form: Form): ImportFile | undefined {
  const [text = '', html = '', typed = ''] = [form.get('pasted'), form.get('pasted_html'), form.get('title')];
  if (text.trim() === '') return undefined;
  const isHtml = html.trim() !== '' || looksLikeHtml(text);
  const title = typed.trim().slice(0, 300);
  return {
    path: isHtml ? 'Pasted text.html' : 'Pasted text.md',
    bytes: Buffer.from(html.trim() === '' ? text : html),
    ...(title === '' ? {} : { title }),
  };
}
