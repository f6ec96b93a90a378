/** `/owner/images` (contract §8): an image is uploaded or fetched, and its Markdown is shown to paste. */
import type { ImageStored } from '../../../../model/outside.ts';
import { isFault } from '../../../../kernel/fault.ts';
import type { JsonObject } from '../../../../kernel/json.ts';
import type { Form } from '../../../http/browser-forms.ts';
import { stringParam } from '../../../http/parameters.ts';
import { pageReply, privateJson, seeOther, type Reply } from '../../../http/replies.ts';
import { route } from '../../../http/route.ts';
import type { RouteServer } from '../../../http/route-declaration.ts';
import { filesOf } from '../../../http/uploads.ts';
import type { Site } from '../../site.ts';
import { addressOf, type ConsoleContext } from '../console-page.tsx';
import { calledBefore, consoleContextOf, refuseWithout } from '../desk.ts';
import { callRow, type Caller } from './desk-target.ts';
import { imagesPage } from './images-page.tsx';
import type { Refusal } from './import-pages.tsx';
import { intakeDeclarations } from './declarations.ts';

export function imageRoutes(server: RouteServer, site: Site): void {
  const { page, upload, hidden, callerOf } = intakeDeclarations(server, site);

  route(
    server,
    { ...page, get: '/owner/images', id: 'imagesPage', summary: 'Stores an image for articles.' },
    async ({ query, session }) => {
      const { done, ...others } = query;
      const context = await consoleContextOf(site, session, others);
      if (isFault(context)) return context;
      const refusal = refuseWithout(context, 'IMAGE_STORE');
      if (refusal !== undefined) return refusal;
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
}

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
