/**
 * `/owner`, the owner's console (contract §4, §8): login with the owner key, pages of pending decisions and issued
 * credentials, and forms that dispatch rows. The console decides nothing: a form is a call with a receipt.
 */
import { dispatch } from '../../../app/pipeline/dispatch.ts';
import type { Answer } from '../../../app/plans/call.ts';
import { closeSession, openSession, type Session } from '../../../app/credentials/sessions.ts';
import { explainNamed, listCapabilities } from '../../../app/credentials/explain.ts';
import { withWorkspaceRows } from '../../../app/workspace-rows.ts';
import { listCohorts } from '../../../app/reads/landscape.ts';
import { readInvocation, type Invocation } from '../../../app/reads/invocation.ts';
import {
  spendingOf,
  waitingCalls,
  waitingContributions,
  waitingVotes,
} from '../../../app/reads/owner-console.ts';
import { isOpenTo, noWorkspace, tenantOf, workspacesOf } from '../../../app/reads/workspaces.ts';
import type { Service } from '../../../app/service.ts';
import { mainTenant } from '../../../domain/articles/slugs.ts';
import { fault, isFault, type Fault } from '../../../kernel/fault.ts';
import { sha256Hex } from '../../../kernel/hash.ts';
import type { JsonObject } from '../../../kernel/json.ts';
import { keepsCookie, sessionCookie, type Form } from '../../http/browser-forms.ts';
import { stringParam } from '../../http/parameters.ts';
import { pageReply, seeOther, type Reply } from '../../http/replies.ts';
import type { Query } from '../../http/requests.ts';
import { route, unreadable } from '../../http/route.ts';
import type { RouteServer } from '../../http/route-declaration.ts';
import { statusOf } from '../../http/statuses.ts';
import { capabilityPage } from '../capability-page.tsx';
import { pageFace } from '../error-page.tsx';
import { anonymous } from '../page-cache.ts';
import type { Site } from '../site.ts';
import { scrubbedText } from '../format-text.ts';
import { accessPage, type Minted } from './access-page.tsx';
import { costsPage } from './costs-page.tsx';
import { callOf, type FormCall } from './forms.ts';
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
import { waitingPage } from './waiting-page.tsx';

const owner = { kind: 'owner' } as const;

const consoleQuery = {
  workspace: stringParam('the workspace that is looked at; main without it'),
  done: stringParam('the invocation that a form led to'),
};
const formToken = stringParam('as the page has it');

const summaries: Readonly<Record<Section, string>> = {
  waiting: 'What waits for the owner; the sign-in page for all others.',
  access: 'Shares and keys.',
  landscape: 'Every cohort and how far it is.',
  costs: 'Calls and what they cost.',
  scrub: 'Looking for a secret, and taking it out.',
};
/** Operation ids; the public pages have `landscapePage`. */
const sectionIds: Readonly<Record<Section, string>> = {
  waiting: 'waitingPage',
  access: 'accessPage',
  landscape: 'ownerLandscapePage',
  costs: 'costsPage',
  scrub: 'scrubPage',
};

export function ownerRoutes(server: RouteServer, site: Site): void {
  const { service, requestLimits } = server;
  const { base } = service;
  const home = `${site.root}/owner`;
  const html = {
    tag: 'pages',
    lenient: true,
    json: false,
    types: ['text/html'],
    face: pageFace(site),
    // Other sites do not learn the URLs that forms lead to.
    referrer: 'same-origin',
  } as const;
  const page = {
    ...html,
    query: consoleQuery,
    limit: 'read',
    noSession: () => seeOther(home),
  } as const;
  const form = { ...html, query: undefined, form: true, foreignForm: () => foreignForm } as const;

  for (const [section, [, path]] of Object.entries(sections) as [Section, readonly [string, string]][])
    route(
      server,
      {
        ...page,
        get: `/owner${path}`,
        id: sectionIds[section],
        summary: summaries[section],
        // Without a session, the first page of the console is the login.
        caller: section === 'waiting' ? 'none' : 'console',
        noSession: section === 'waiting' ? () => pageReply(loginPage(site)) : page.noSession,
      },
      async ({ query, session }) => {
        const context = await consoleContextOf(site, session, query);
        return isFault(context) ? context : pageReply(await render(context, section));
      },
    );

  route(
    server,
    {
      ...page,
      get: '/owner/cap/:fingerprint',
      id: 'ownerCapabilityPage',
      summary: 'What a share may do, in whatever workspace it is.',
      caller: 'console',
    },
    async ({ query, session, params: { fingerprint = '' } }) => {
      const context = await consoleContextOf(site, session, query);
      if (isFault(context)) return context;
      const explained = await explainNamed(service, owner, fingerprint);
      if (isFault(explained)) return explained;
      const isOpen = await isOpenTo(service, anonymous, explained.tenant);
      const { publicRows } = context;
      return pageReply(capabilityPage(context.site, explained, { isOpen, publicRows }));
    },
  );

  route(
    server,
    {
      ...form,
      post: '/owner/login',
      id: 'login',
      summary: 'Opens the console.',
      caller: 'none',
      body: { key: stringParam('the owner key') },
      required: ['key'],
    },
    async ({ request, form: sent }) => {
      if (!keepsCookie(base)) return pageReply(loginPage(site), 403);
      const session = await openSession(service, sent.get('key') ?? '');
      if (session !== undefined) return seeOther(home, sessionCookie(base, session.token));
      // Failed logins never lock out the right key.
      return (
        requestLimits.badCredential(request) ??
        pageReply(loginPage(site, 'That is not the owner key of this deployment.'), 401)
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
      caller: 'console',
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
      summary: 'Calls one of the rows that the console has forms for.',
      caller: 'console',
      body: callBody,
      required: Object.keys(callBody),
      open: true,
      validate: () => ({ query: consoleQuery }),
      noSession: () => pageReply(loginPage(site, 'The login has ended.'), 401),
    },
    async ({ request, query, session, form: sent }) => {
      const context = await consoleContextOf(site, session, query, sent);
      return isFault(context) ? context : answerForm(context, sent, requestLimits.address(request));
    },
  );
}

const foreignForm = fault(
  'scope_denied',
  'The form was not sent from a page of this console.',
  'Open the console again and use its own form.',
);

/** The console as a session sees it, in the workspace that the form or the query names. */
async function consoleContextOf(
  site: Site,
  session: Session,
  { workspace: requestedWorkspace = mainTenant, done }: Query,
  form?: Form,
): Promise<ConsoleContext | Fault> {
  const { service } = site;
  const workspace = form?.get('workspace') ?? requestedWorkspace;
  if ((await tenantOf(service, owner, { workspace })) === undefined)
    return noWorkspace(workspace.slice(0, 80));
  const called = done === undefined || done === unreadable ? undefined : await readInvocation(service, done);
  const workspaces = await workspacesOf(service);
  return {
    site: {
      ...site,
      to: { ...site.to, capability: (fingerprint) => `${site.root}/owner/cap/${fingerprint}` },
    },
    session,
    workspace,
    workspaces: [...workspaces.keys()],
    isOpen: workspaces.get(workspace)?.state.status === 'open',
    publicRows: new Set((await withWorkspaceRows(service, mainTenant)).rows.keys()),
    altered: service.integrity.findings,
    notice: called === undefined ? undefined : { done: await doneText(service, called), inv: called.id },
  };
}

/** The outcome of an approved call is in the record of the approval, or in that of the call while it runs. */
async function doneText(service: Service, { key, status, response }: Invocation): Promise<string> {
  const { decision, id, status: led } = (response.value ?? {}) as JsonObject;
  if (key === 'OIP_APPROVE' && typeof led === 'string') {
    const now = led === 'running' ? (await readInvocation(service, String(id)))?.status : led;
    return `${key}: ${String(decision)}, and the call is ${now ?? led}.`;
  }
  return `${key} is on the ledger as ${status}.`;
}

async function render(context: ConsoleContext, section: Section, minted?: Minted): Promise<string> {
  const { service } = context.site;
  const tenant = (await tenantOf(service, owner, { workspace: context.workspace })) ?? mainTenant;
  const reading = { ...service, tenant, viewer: owner };
  switch (section) {
    case 'waiting': {
      const [calls, contributions, votes] = await Promise.all([
        waitingCalls(reading),
        waitingContributions(reading),
        waitingVotes(reading),
      ]);
      return waitingPage(context, { calls, contributions, votes });
    }
    case 'access':
      return accessPage(context, { ...(await listCapabilities(service, tenant)), minted });
    case 'landscape': {
      const { cohorts } = await listCohorts(reading);
      return ownerLandscapePage(context, cohorts);
    }
    case 'costs':
      return costsPage(context, await spendingOf(reading));
    case 'scrub':
      return scrubPage(context);
  }
}

async function answerForm(context: ConsoleContext, form: Form, client: string): Promise<Reply> {
  const named = form.get('section') ?? '';
  const section: Section = Object.hasOwn(sections, named) ? (named as Section) : 'waiting';
  const show = async (notice: Notice, status: number, minted?: Minted): Promise<Reply> =>
    pageReply(await render({ ...context, notice }, section, minted), status);
  const call = callOf(form);
  const answer = isFault(call)
    ? call
    : await dispatch(context.site.service, {
        ...call,
        presented: { local: true },
        workspace: context.workspace,
        method: 'POST',
        channel: 'console',
        idempotencyKey: idempotencyKeyOf(form, call),
        shape: form.get('shape') === '1',
        client,
        meter: undefined,
      });
  if (!isFault(answer) && answer.kind === 'shape') {
    const { would_scrub: found, problem } = answer.shape;
    if (found !== undefined) return pageReply(scrubPage(context, found));
    const failed = String(problem ?? 'It would not run.');
    return show({ failed, fix: 'Correct it and send the form again.' }, 422);
  }
  const refusal = isFault(answer) ? answer : answer.kind === 'called' ? answer.refusal : undefined;
  if (refusal !== undefined) {
    const inv = isFault(answer) || answer.kind !== 'called' ? undefined : answer.inv;
    return show({ failed: refusal.message, fix: refusal.fix, inv }, statusOf[refusal.fault]);
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
  const back = addressOf(context, sections[section][1]);
  return seeOther(`${back}${back.includes('?') ? '&' : '?'}done=${inv}`);
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
