/**
 * `/owner`, the desk (contract §4, §8): login with the owner key or an invitation, pages of pending decisions and issued
 * credentials, and forms that dispatch rows. The desk decides nothing: a form is a call with a receipt, under the
 * credential of the session.
 */
import type { FastifyRequest } from 'fastify';
import { dispatch } from '../../../app/pipeline/dispatch.ts';
import type { Answer, Call } from '../../../app/plans/call.ts';
import { closeSession, openSession, sessionOf } from '../../../app/credentials/sessions.ts';
import { callsBy, explainNamed, listCapabilities } from '../../../app/credentials/explain.ts';
import { listCohorts } from '../../../app/reads/landscape.ts';
import { scrubPlaces } from '../../../app/reads/scrub-places.ts';
import { readWaiting } from '../../../app/reads/waiting.ts';
import { isOpenTo } from '../../../app/reads/workspaces.ts';
import { withWorkspaceRows } from '../../../app/workspace-rows.ts';
import { type Fault, isFault } from '../../../kernel/fault.ts';
import { sha256Hex } from '../../../kernel/hash.ts';
import type { JsonObject } from '../../../kernel/json.ts';
import type { Scrubbed } from '../../../model/directory.ts';
import { keepsCookie, sessionCookie, sessionTokenOf, type Form } from '../../http/browser-forms.ts';
import { stringParam } from '../../http/parameters.ts';
import { htmlType, mediaReply, pageReply, seeOther, type Reply } from '../../http/replies.ts';
import type { Query } from '../../http/requests.ts';
import { route } from '../../http/route.ts';
import type { RouteServer } from '../../http/route-declaration.ts';
import { statusOf } from '../../http/statuses.ts';
import { capabilityPage } from '../capability-page.tsx';
import { anonymous } from '../page-cache.ts';
import type { Site } from '../site.ts';
import { scrubbedText } from '../format-text.ts';
import { accessPage, type AccessView, type Minted } from './access-page.tsx';
import { consoleContextOf, consoleQuery, deskDeclarations, formToken, refuseOthers } from './desk.ts';
import { callOf, type FormCall } from './forms.ts';
import { carriedForm, nextPage, resumePage } from './kept-form.tsx';
import {
  addressOf,
  type ConsoleContext,
  loginPage,
  type Notice,
  type Section,
  sections,
} from './console-page.tsx';
import { ownerLandscapePage } from './landscape-page.tsx';
import { scrubPage } from './scrub-page.tsx';
import { startPage } from './start-page.tsx';
import { placeOfForm, waitingAddress } from './waiting/place.tsx';
import { queueRoute } from './waiting/queue-route.ts';
import { itemOfForm, renderWaiting, waitingRoutes } from './waiting/waiting-routes.ts';

/** Plots have no forms, and a route of their own. */
type FormSection = Exclude<Section, 'costs'>;
/** The queue has routes of its own. */
type PlainSection = Exclude<FormSection, 'waiting'>;

const summaries: Readonly<Record<PlainSection, string>> = {
  start: 'What waits and what happened last; the sign-in page without a session.',
  access: 'Shares and keys.',
  landscape: 'Every cohort and how far it is.',
  scrub: 'Looking for a secret, and taking it out.',
};
/** Operation ids; the public pages have `landscapePage`. */
const sectionIds: Readonly<Record<PlainSection, string>> = {
  start: 'deskPage',
  access: 'accessPage',
  landscape: 'ownerLandscapePage',
  scrub: 'scrubPage',
};

export function ownerRoutes(
  server: RouteServer,
  site: Site,
  { batchBytesMax }: { readonly batchBytesMax: number },
): void {
  const { service, requestLimits } = server;
  const { base } = service;
  const home = `${site.root}/owner`;
  const { page, form } = deskDeclarations(site);
  const { noSession: _login, ...openForm } = form;

  waitingRoutes(server, site);
  queueRoute(server);
  for (const section of Object.keys(summaries) as PlainSection[]) {
    const { path, owner } = sections[section];
    route(
      server,
      {
        ...page,
        get: `/owner${path}`,
        id: sectionIds[section],
        summary: summaries[section],
        query: {
          ...consoleQuery,
          preset: stringParam('a preset of the form for shares'),
          article: stringParam('the article that a share begins with'),
        },
        // Without a session, the first page of the desk is the login.
        caller: section === 'start' ? 'none' : 'console',
        noSession:
          section === 'start'
            ? (request: FastifyRequest) => pageReply(loginPage(site, undefined, nextPage(request)))
            : page.noSession,
      },
      async ({ query, session }) => {
        const closed = owner ? refuseOthers(session) : undefined;
        if (closed !== undefined) return closed;
        const context = await consoleContextOf(site, session, query);
        return isFault(context)
          ? context
          : pageReply(await render(context, section, { preset: query['preset'], article: query['article'] }));
      },
    );
  }

  route(
    server,
    {
      ...page,
      get: '/owner/cap/:fingerprint',
      id: 'ownerCapabilityPage',
      summary: 'What a share may do, in whatever workspace it is.',
    },
    async ({ query, session, params: { fingerprint = '' } }) => {
      const context = await consoleContextOf(site, session, query);
      if (isFault(context)) return context;
      const explained = await explainNamed(service, session.credential, fingerprint);
      if (isFault(explained)) return explained;
      const isOpen = await isOpenTo(service, anonymous, explained.tenant);
      const { publicRows } = context;
      const isOwner = session.credential.kind === 'owner';
      const calls = isOwner ? await callsBy(service, explained) : undefined;
      return pageReply(capabilityPage(context.site, explained, { isOpen, publicRows, calls }));
    },
  );

  route(
    server,
    {
      ...openForm,
      post: '/owner/login',
      id: 'login',
      summary: 'Opens the desk.',
      caller: 'none',
      body: {
        key: stringParam('the owner key, or the share or API key of an editor or reviewer'),
        kept_path: stringParam('where a form was sent whose session had ended'),
        kept_fields: stringParam('its fields'),
      },
      required: ['key'],
      // With the form that a session's end interrupted.
      bodyLimit: batchBytesMax,
    },
    async ({ request, form: sent }) => {
      if (!keepsCookie(base)) return pageReply(loginPage(site), 403);
      const session = await openSession(service, (sent.get('key') ?? '').trim());
      const kept = carriedForm(sent);
      if (!isFault(session)) {
        // A browser has one session: a second sign-in ends the first.
        const former = await sessionOf(service, sessionTokenOf(request));
        if (former !== undefined) await closeSession(service, former);
        const cookie = sessionCookie(base, session.token);
        const isPage = kept !== undefined && Object.keys(kept.fields).length === 0;
        if (kept === undefined || isPage) return seeOther(isPage ? site.root + kept.path : home, cookie);
        return mediaReply(htmlType, resumePage(site, session, kept), {
          ...cookie,
          'cache-control': 'private, no-store',
        });
      }
      // Failed logins never lock out the right key.
      return (
        requestLimits.badCredential(request) ??
        pageReply(loginPage(site, `${session.message} ${session.fix}`, kept), 401)
      );
    },
  );

  const loggedOut = (): Reply => seeOther(home, sessionCookie(base));
  route(
    server,
    {
      ...form,
      post: '/owner/logout',
      id: 'logout',
      summary: 'Ends the login.',
      body: { form_token: formToken },
      required: ['form_token'],
      noSession: loggedOut,
      // A foreign form clears the cookie only; the session stays open.
      foreignForm: loggedOut,
    },
    async ({ session }) => {
      await closeSession(service, session);
      return loggedOut();
    },
  );

  const callBody = {
    form_token: formToken,
    row: stringParam('the key of the row'),
    section: stringParam('the page to come back to'),
    workspace: stringParam('the workspace that is meant'),
  };
  route(
    server,
    {
      ...form,
      post: '/owner/call',
      id: 'callByForm',
      summary: 'Calls one of the rows that the desk has forms for.',
      body: callBody,
      required: Object.keys(callBody),
      open: true,
      validate: () => ({ query: consoleQuery }),
    },
    async ({ request, query, session, form: sent }) => {
      const context = await consoleContextOf(site, session, query, sent);
      return isFault(context)
        ? context
        : answerForm(context, sent, {
            client: requestLimits.address(request),
            meter: requestLimits.meter(request),
          });
    },
  );
}

async function render(
  context: ConsoleContext,
  section: FormSection,
  access: Pick<AccessView, 'minted' | 'sent' | 'preview' | 'preset' | 'article' | 'refusal'> = {},
): Promise<string> {
  const { service } = context.site;
  const { tenant } = context;
  const reading = { ...service, tenant, viewer: context.session.credential };
  switch (section) {
    case 'start':
      return startPage(context, await readWaiting(reading, { limit: 5 }));
    case 'waiting':
      return renderWaiting(context, {});
    case 'access':
      return accessPage(context, {
        ...(await listCapabilities(service, tenant)),
        rows: [...(await withWorkspaceRows(service, tenant)).rows.values()].filter(
          ({ auth, selfLimiting }) => auth !== 'owner' || selfLimiting,
        ),
        ...access,
      });
    case 'landscape': {
      const { cohorts } = await listCohorts(reading);
      return ownerLandscapePage(context, cohorts);
    }
    case 'scrub':
      return scrubPage(context);
  }
}

async function answerForm(
  context: ConsoleContext,
  form: Form,
  caller: Pick<Call, 'client' | 'meter'>,
): Promise<Reply> {
  const section = sectionOf(context, form);
  const [, item = ''] = (form.get('item') ?? '').split(' ');
  const show = async (notice: Notice, status: number, minted?: Minted, refusal?: Fault): Promise<Reply> =>
    pageReply(
      section === 'waiting'
        ? await renderWaiting({ ...context, notice }, placeOfForm(form))
        : await render(
            { ...context, notice },
            section,
            minted === undefined ? { sent: form, refusal } : { minted },
          ),
      status,
    );
  const call = callOf(await withoutUnchangedText(context, form));
  const answer = isFault(call)
    ? call
    : await dispatch(context.site.service, {
        ...call,
        ...caller,
        presented: context.session.presented,
        workspace: context.workspace,
        method: 'POST',
        channel: 'console',
        idempotencyKey: idempotencyKeyOf(form, call),
        shape: form.get('shape') === '1',
      });
  if (!isFault(answer) && answer.kind === 'shape') {
    const { would_scrub: found, problem } = answer.shape;
    if (found !== undefined) {
      // The member of a dry run of SECRET_SCRUB.
      const scrubbed = found as Scrubbed;
      const places = await scrubPlaces(context.site.service, scrubbed);
      const slug = form.get('slug')?.trim();
      return pageReply(scrubPage(context, { found: scrubbed, places, slug }));
    }
    const { would_mint: permits } = answer.shape;
    if (permits !== undefined)
      return pageReply(await render(context, section, { sent: form, preview: permits as JsonObject }));
    const failed = String(problem ?? 'It would not run.');
    return show({ failed, fix: 'Correct it and send the form again.' }, 422);
  }
  const refusal = isFault(answer) ? answer : answer.kind === 'called' ? answer.refusal : undefined;
  if (refusal !== undefined) {
    const inv = isFault(answer) || answer.kind !== 'called' ? undefined : answer.inv;
    if (section === 'waiting' && item !== '') {
      // The item keeps what was typed, and lists what its decision broke.
      const refused = new Map([[item, { refusal, sent: form }]]);
      return pageReply(await renderWaiting(context, placeOfForm(form), { refused }), statusOf[refusal.fault]);
    }
    const notice = { failed: refusal.message, fix: refusal.fix, inv };
    return show(notice, statusOf[refusal.fault], undefined, refusal);
  }
  const { inv, key, result, scrubbed } = answer as Extract<Answer, { kind: 'called' }>;
  const minted = mintedBy(result?.reveal, result?.result);
  if (minted !== undefined || scrubbed.length > 0) {
    const done = minted === undefined ? `${key} is on the ledger.` : 'Minted, and on the ledger.';
    return show(
      { done: scrubbed.length === 0 ? done : `${done} ${scrubbedText(scrubbed)}`, inv },
      200,
      minted,
    );
  }
  const back =
    section === 'waiting'
      ? waitingAddress(context, placeOfForm(form))
      : addressOf(context, sections[section].path);
  return seeOther(`${back}${back.includes('?') ? '&' : '?'}done=${inv}`);
}

/** The page that a form comes back to: one that the session may see. */
function sectionOf({ session }: ConsoleContext, form: Form): FormSection {
  const named = form.get('section') ?? '';
  if (named === 'costs' || !Object.hasOwn(sections, named)) return 'waiting';
  const section = named as FormSection;
  return sections[section].owner && session.credential.kind !== 'owner' ? 'waiting' : section;
}

/** The form of a wording holds the proposed text, to be mended: sent as it was, or with a rejection, it is no wording. */
async function withoutUnchangedText(context: ConsoleContext, form: Form): Promise<Form> {
  const text = form.get('text')?.trim();
  if (text === undefined) return form;
  const item = await itemOfForm(context, form);
  const proposed = item?.kind === 'contribution' ? item.contribution.body.trim() : undefined;
  if (text !== proposed && form.get('decision') !== 'rejected') return form;
  return new Map([...form].filter(([name]) => name !== 'text'));
}

/** The same form with the same fields is the same request: reloading the answer sends it again. */
function idempotencyKeyOf(form: Form, { key, body }: FormCall): string | undefined {
  const once = form.get('once');
  return once === undefined ? undefined : `console ${sha256Hex(JSON.stringify([once, key, body]))}`;
}

function mintedBy(
  reveal: Readonly<Record<string, unknown>> | undefined,
  result: Readonly<Record<string, unknown>> | undefined,
): Minted | undefined {
  const token = reveal?.['share'] ?? reveal?.['key'];
  if (typeof token !== 'string') return undefined;
  const { drop, invoke_url: invokeUrl } = reveal as Query;
  return {
    token,
    isKey: reveal?.['key'] !== undefined,
    fingerprint: String(result?.['fingerprint']),
    drop,
    invokeUrl,
  };
}
