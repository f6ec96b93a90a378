/**
 * What the routes of the desk share (contract §4, §8): pages and forms that need a session, and the context in which
 * they are rendered. The credential that acts is the session's, never one of the request.
 */
import type { FastifyRequest } from 'fastify';
import { mayCall } from '../../../app/credentials/authority.ts';
import type { Session } from '../../../app/credentials/sessions.ts';
import { readInvocation, type Invocation } from '../../../app/reads/invocation.ts';
import { mayReadReceipt } from '../../../app/reads/receipts.ts';
import { nameOfTenant, noWorkspace, tenantOf, workspacesOf } from '../../../app/reads/workspaces.ts';
import type { Service } from '../../../app/service.ts';
import { withWorkspaceRows } from '../../../app/workspace-rows.ts';
import { mainTenant } from '../../../domain/articles/slugs.ts';
import { fault, type Fault } from '../../../kernel/fault.ts';
import type { JsonObject } from '../../../kernel/json.ts';
import type { Form } from '../../http/browser-forms.ts';
import { stringParam } from '../../http/parameters.ts';
import { pageReply, seeOther } from '../../http/replies.ts';
import type { Query } from '../../http/requests.ts';
import { unreadable } from '../../http/route.ts';
import { pageFace } from '../error-page.tsx';
import type { Site } from '../site.ts';
import { loginPage, type ConsoleContext } from './console-page.tsx';
import { keptForm } from './kept-form.tsx';

/** Parameters of every page of the desk. */
export const consoleQuery = {
  workspace: stringParam('the workspace that is looked at; main without it'),
  done: stringParam('the invocation that a form led to'),
};
export const formToken = stringParam('as the page has it');

const foreignForm = fault(
  'scope_denied',
  'The form was not sent from a page of this desk.',
  'Open the desk again and use its own form.',
);

/** The declarations that pages and forms of the desk begin with. Without a session both lead to the login. */
export function deskDeclarations(site: Site) {
  const html = {
    tag: 'pages',
    lenient: true,
    json: false,
    types: ['text/html'],
    face: pageFace(site),
    // Other sites do not learn the URLs that forms lead to.
    referrer: 'same-origin',
    caller: 'console',
  } as const;
  const page = {
    ...html,
    query: consoleQuery,
    limit: 'read',
    noSession: () => seeOther(`${site.root}/owner`),
  } as const;
  const form = {
    ...html,
    query: undefined,
    form: true,
    foreignForm: () => foreignForm,
    noSession: (request: FastifyRequest) =>
      pageReply(loginPage(site, 'The login has ended.', keptForm(site, request)), 401),
  } as const;
  return { page, form } as const;
}

/** A page that shows what only the owner may see. */
export function refuseOthers({ credential }: Session): Fault | undefined {
  if (credential.kind === 'owner') return undefined;
  return fault(
    'owner_only',
    'This page of the desk is the owner’s alone.',
    'Open /owner/waiting, which shows what your key may do.',
  );
}

/** A page that is of use only to those whose key permits one of these rows. */
export function refuseWithout({ may }: ConsoleContext, ...rows: readonly string[]): Fault | undefined {
  if (rows.some((key) => may(key))) return undefined;
  return fault(
    'scope_denied',
    'Your key does not permit what this page is for.',
    'Open /owner/waiting, which shows what your key may do.',
  );
}

/** The desk as a session sees it, in the workspace that the form or the query names; a share has one workspace. */
export async function consoleContextOf(
  site: Site,
  session: Session,
  { workspace: requested, done }: Query,
  form?: Form,
): Promise<ConsoleContext | Fault> {
  const { service } = site;
  const { credential } = session;
  const named = form?.get('workspace') ?? requested ?? (credential.kind === 'owner' ? mainTenant : undefined);
  const tenant = await tenantOf(service, credential, { workspace: named });
  if (tenant === undefined) return noWorkspace((named ?? 'of this share').slice(0, 80));
  const workspace = await nameOfTenant(service, tenant);
  const called = await calledBefore(service, session, done);
  const workspaces = await workspacesOf(service);
  const { rows } = await withWorkspaceRows(service, tenant);
  const caller = { credential, tenant, now: new Date(service.now()).toISOString() };
  return {
    site: {
      ...site,
      to: { ...site.to, capability: (fingerprint) => `${site.root}/owner/cap/${fingerprint}` },
    },
    session,
    workspace,
    tenant,
    workspaces: credential.kind === 'owner' ? [...workspaces.keys()] : [workspace],
    isOpen: workspaces.get(workspace)?.state.status === 'open',
    publicRows: new Set((await withWorkspaceRows(service, mainTenant)).rows.keys()),
    altered: service.integrity.findings,
    logAlarms: await service.logAlarms.all(),
    notice: called === undefined ? undefined : { done: await doneText(service, called), inv: called.id },
    may: (key, slug) => mayCall({ rows }, caller, key, slug),
  };
}

/** The call that a page was led to by; undefined where the session may not read its receipt. */
export async function calledBefore(
  service: Service,
  { credential }: Session,
  inv: string | undefined,
): Promise<Invocation | undefined> {
  const called = inv === undefined || inv === unreadable ? undefined : await readInvocation(service, inv);
  return called !== undefined && mayReadReceipt(credential, called) ? called : undefined;
}

/**
 * What a form led to, in words. The outcome of an approved call is in the record of the approval, or in that of the call
 * while it runs.
 */
async function doneText(service: Service, { key, status, response }: Invocation): Promise<string> {
  const result = (response.value ?? {}) as JsonObject;
  if (status === 'proposed') return `${key} waits for the owner’s approval.`;
  if (status !== 'success') return `${key} is on the ledger as ${status}.`;
  const { decision, id, status: led, slug } = result;
  const of = typeof slug === 'string' ? ` of ${slug}` : '';
  switch (key) {
    case 'OIP_APPROVE': {
      const now = led === 'running' ? (await readInvocation(service, String(id)))?.status : led;
      return decision === 'approved'
        ? `Approved, and the call is ${String(now ?? led)}.`
        : 'Declined. The call does not run.';
    }
    case 'MIRROR_RESOLVE': {
      const { kind, claim_id: claim } = (result['contribution'] ?? {}) as JsonObject;
      const { mended } = (result['effect'] ?? {}) as JsonObject;
      const about = typeof claim === 'string' && claim !== '' ? ` to ${claim}` : '';
      const how = decision === 'accepted' ? 'Accepted' : 'Rejected';
      return `${how} the ${String(kind)}${about}${of}${mended === true ? ', in your wording' : ''}.`;
    }
    case 'VOXEL_RATIFY':
      return decision === 'deferred'
        ? `Deferred the vote${of}; it stays open.`
        : `The vote${of} is ${String(decision)}.`;
    case 'THREAD_SETTLE':
      return `Settled an entry of the discussion${of}.`;
    case 'SECRET_SCRUB':
      return `Scrubbed ${String(result['occurrences'])} occurrences in ${String(result['contents'])} stored contents.`;
    case 'CAP_REVOKE':
    case 'KEY_REVOKE':
      return 'Revoked. Later calls with it, and with what was cut from it, are denied.';
    default:
      return `${key} is on the ledger as ${status}.`;
  }
}
