/**
 * `/owner`, the owner's console (contract §4, §8): login by the owner key, pages of what waits and what was given out,
 * and forms that dispatch rows. Nothing here decides anything: a form is a call like any other, with its receipt.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { dispatch } from '../../../app/pipeline/dispatch.ts';
import type { Answer } from '../../../app/plans/call.ts';
import { closeSession, openSession, sessionOf } from '../../../app/credentials/sessions.ts';
import { explainNamed } from '../../../app/credentials/explain.ts';
import { withRows } from '../../../app/reads/current-rows.ts';
import { listCapabilities } from '../../../app/credentials/shares.ts';
import { listCohorts } from '../../../app/reads/landscape.ts';
import { readInvocation, type Invocation } from '../../../app/reads/invocation.ts';
import { spendingOf } from '../../../app/reads/spending.ts';
import { waitingCalls, waitingContributions, waitingVotes } from '../../../app/reads/waiting.ts';
import { isOpenTo, noWorkspace, tenantOf, workspacesOf } from '../../../app/reads/workspaces.ts';
import type { Service } from '../../../app/service.ts';
import { mainTenant } from '../../../domain/articles/slugs.ts';
import { fault, isFault, type Fault } from '../../../kernel/fault.ts';
import { sha256Hex } from '../../../kernel/hash.ts';
import type { JsonObject } from '../../../kernel/json.ts';
import { statusOf } from '../../http/statuses.ts';
import { declared, readable } from '../../http/route.ts';
import type { Intake } from '../../http/intake.ts';
import { sendErrorPage, sendFresh } from '../page-reply.ts';
import type { Site } from '../site.ts';
import { capabilityPage, type Explained } from '../capability-page.tsx';
import { accessPage, type Minted } from './access-page.tsx';
import { costsPage } from './costs-page.tsx';
import { consoleForms, consolePages } from './declared.ts';
import { formOf, isSameOrigin, readForms, seeOther, type Form } from '../form-body.ts';
import { callOf, type FormCall } from './forms.ts';
import { addressOf, sections, type Console, type Notice, type Section } from './frame.tsx';
import { ownerLandscapePage, type OwnedCohort } from './landscape-page.tsx';
import { loginPage } from './login-page.tsx';
import { scrubPage } from './scrub-page.tsx';
import { clearCookie, cookieOf, keepsCookie, setCookie } from './session-cookie.ts';
import { scrubbedText } from '../words.ts';
import { waitingPage } from './waiting-page.tsx';

type Params = Readonly<Record<string, string>>;
const owner = { kind: 'owner' } as const;

export function ownerRoutes(app: FastifyInstance, site: Site, intake: Intake): void {
  // In a scope of its own: a form is read only where a page has one.
  void app.register(async (scope) => {
    readForms(scope);
    // What a form leads to is nobody else's business.
    scope.addHook('onRequest', async (_request, reply) => {
      void reply.header('referrer-policy', 'same-origin');
    });

    for (const [section, [, path]] of Object.entries(sections) as [Section, readonly [string, string]][]) {
      scope.get(`/owner${path}`, readable(consolePages[section]), async (request, reply) => {
        const limited = intake.read(request);
        if (limited !== undefined) return sendErrorPage(reply, site, limited);
        const at = await consoleOf(site, request);
        if (at === undefined)
          return path === '' ? sendFresh(reply, loginPage(site)) : seeOther(reply, `${site.root}/owner`);
        if (isFault(at)) return sendErrorPage(reply, site, at);
        return sendFresh(reply, await render(at, section));
      });
    }

    scope.get('/owner/cap/:fingerprint', readable(consolePages.capability), async (request, reply) => {
      const limited = intake.read(request);
      if (limited !== undefined) return sendErrorPage(reply, site, limited);
      const at = await consoleOf(site, request);
      if (at === undefined) return seeOther(reply, `${site.root}/owner`);
      if (isFault(at)) return sendErrorPage(reply, site, at);
      const { fingerprint = '' } = request.params as Params;
      const told = await explainNamed(site.service, owner, fingerprint);
      if (isFault(told)) return sendErrorPage(reply, site, told);
      const isOpen = await isOpenTo(site.service, { kind: 'anonymous' }, String(told['tenant']));
      const { publicRows } = at;
      return sendFresh(reply, capabilityPage(at.site, told as unknown as Explained, { isOpen, publicRows }));
    });

    scope.post('/owner/login', declared(consoleForms.login), async (request, reply) => {
      const key = formOf(request)?.get('key') ?? '';
      if (!isSameOrigin(request, site.service.base)) return sendErrorPage(reply, site, foreignForm);
      if (!keepsCookie(site)) return sendFresh(reply.code(403), loginPage(site));
      const session = await openSession(site.service, key);
      // A right key is never locked out by others' failures.
      if (session === undefined) {
        const limited = intake.badCredential(request);
        if (limited !== undefined) return sendErrorPage(reply, site, limited);
        return sendFresh(reply.code(401), loginPage(site, 'That is not the owner key of this deployment.'));
      }
      setCookie(reply, site, session.token);
      return seeOther(reply, `${site.root}/owner`);
    });

    scope.post('/owner/logout', declared(consoleForms.logout), async (request, reply) => {
      const session = await sessionOf(site.service, cookieOf(request));
      if (session !== undefined && isOwnForm(site, request, session.formToken))
        await closeSession(site.service, session);
      clearCookie(reply, site);
      return seeOther(reply, `${site.root}/owner`);
    });

    scope.post('/owner/call', declared(consoleForms.call), async (request, reply) => {
      const at = await consoleOf(site, request);
      if (at === undefined) return sendFresh(reply.code(401), loginPage(site, 'The login has ended.'));
      if (isFault(at)) return sendErrorPage(reply, site, at);
      if (!isOwnForm(site, request, at.session.formToken)) return sendErrorPage(reply, site, foreignForm);
      return answerForm(at, reply, formOf(request) as Form, intake.address(request));
    });
  });
}

const foreignForm = fault(
  'scope_denied',
  'The form was not sent from a page of this console.',
  'Open the console again and use its own form.',
);

/** Whose console, and in which workspace; nothing without a login. */
async function consoleOf(site: Site, request: FastifyRequest): Promise<Console | Fault | undefined> {
  const { service } = site;
  const session = await sessionOf(service, cookieOf(request));
  if (session === undefined) return undefined;
  const { workspace: asked, done } = request.query as Readonly<Record<string, unknown>>;
  const workspace = formOf(request)?.get('workspace') ?? asked ?? mainTenant;
  if (typeof workspace !== 'string' || (await tenantOf(service, owner, { workspace })) === undefined)
    return noWorkspace(typeof workspace === 'string' ? workspace.slice(0, 80) : '');
  const called = typeof done === 'string' ? await readInvocation(service, done) : undefined;
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
    publicRows: new Set((await withRows(service, mainTenant)).rows.keys()),
    altered: service.integrity.findings,
    notice: called === undefined ? undefined : { done: await doneText(service, called), inv: called.id },
  };
}

/** What a decision led to stands in what was recorded of it, or with the call where that reached outside. */
async function doneText(service: Service, { key, status, response }: Invocation): Promise<string> {
  const { decision, id, status: led } = (response.value ?? {}) as JsonObject;
  if (key === 'OIP_APPROVE' && typeof led === 'string') {
    const now = led === 'running' ? (await readInvocation(service, String(id)))?.status : led;
    return `${key}: ${String(decision)}, and the call is ${now ?? led}.`;
  }
  return `${key} is on the ledger as ${status}.`;
}

async function render(at: Console, section: Section, minted?: Minted): Promise<string> {
  const { service } = at.site;
  const tenant = (await tenantOf(service, owner, { workspace: at.workspace })) ?? mainTenant;
  switch (section) {
    case 'waiting': {
      const [calls, contributions, votes] = await Promise.all([
        waitingCalls(service, tenant),
        waitingContributions(service, tenant),
        waitingVotes(service, tenant),
      ]);
      return waitingPage(at, { calls, contributions, votes });
    }
    case 'access':
      return accessPage(at, { ...(await listCapabilities(service, tenant)), minted });
    case 'landscape': {
      const { cohorts } = (await listCohorts(service, tenant)) as unknown as { cohorts: OwnedCohort[] };
      return ownerLandscapePage(at, cohorts);
    }
    case 'costs':
      return costsPage(at, await spendingOf(service, tenant));
    case 'scrub':
      return scrubPage(at);
  }
}

async function answerForm(
  at: Console,
  reply: FastifyReply,
  form: Form,
  client: string,
): Promise<FastifyReply> {
  const named = form.get('section') ?? '';
  const section: Section = Object.hasOwn(sections, named) ? (named as Section) : 'waiting';
  const call = callOf(form);
  const answer = isFault(call)
    ? call
    : await dispatch(at.site.service, {
        ...call,
        presented: { local: true },
        workspace: at.workspace,
        method: 'POST',
        channel: 'console',
        idempotencyKey: sendingOf(form, call),
        shape: form.get('shape') === '1',
        client,
        meter: undefined,
      });
  if (!isFault(answer) && answer.kind === 'shape') {
    const found = answer.shape['would_scrub'];
    if (found !== undefined) return sendFresh(reply, scrubPage(at, found));
    return sendRefused(at, reply, section, String(answer.shape['problem'] ?? 'It would not run.'));
  }
  const refusal = isFault(answer) ? answer : answer.kind === 'called' ? answer.refusal : undefined;
  if (refusal !== undefined) {
    const inv = isFault(answer) || answer.kind !== 'called' ? undefined : answer.inv;
    const notice: Notice = { failed: refusal.message, fix: refusal.fix, inv };
    return sendFresh(reply.code(statusOf[refusal.fault]), await render({ ...at, notice }, section));
  }
  const { inv, key, result, scrubbed } = answer as Extract<Answer, { kind: 'called' }>;
  const minted = mintedBy(result?.reveal, result?.result);
  const said = scrubbed.length === 0 ? '' : ` ${scrubbedText(scrubbed)}`;
  if (minted !== undefined || said !== '') {
    const what = minted === undefined ? `${key} is on the ledger.` : 'Minted, and on the ledger.';
    const done: Notice = { done: what + said, inv };
    return sendFresh(reply, await render({ ...at, notice: done }, section, minted));
  }
  const back = addressOf(at, sections[section][1]);
  return seeOther(reply, `${back}${back.includes('?') ? '&' : '?'}done=${inv}`);
}

/** A page that is loaded again sends its form again; the same form with the same fields is the same request. */
function sendingOf(form: Form, { key, body }: FormCall): string | undefined {
  const once = form.get('once');
  return once === undefined ? undefined : `console ${sha256Hex(JSON.stringify([once, key, body]))}`;
}

async function sendRefused(
  at: Console,
  reply: FastifyReply,
  section: Section,
  failed: string,
): Promise<FastifyReply> {
  const notice = { failed, fix: 'Correct it and send the form again.' };
  return sendFresh(reply.code(422), await render({ ...at, notice }, section));
}

function mintedBy(
  reveal: Readonly<Record<string, unknown>> | undefined,
  result: Readonly<Record<string, unknown>> | undefined,
): Minted | undefined {
  const token = reveal?.['share'] ?? reveal?.['key'];
  if (typeof token !== 'string') return undefined;
  const { drop, invoke_url: invokeUrl } = reveal as Params;
  return {
    token,
    isKey: reveal?.['key'] !== undefined,
    fingerprint: String(result?.['fingerprint']),
    drop,
    invokeUrl,
  };
}

function isOwnForm(site: Site, request: FastifyRequest, formToken: string): boolean {
  return isSameOrigin(request, site.service.base) && formOf(request)?.get('form_token') === formToken;
}
