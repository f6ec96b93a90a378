/**
 * What the pages that write articles share (contract §8, the workbench): the article as the session may see it, calls of
 * rows under the session's credential, and what a call came to, in words.
 */
import type { FastifyRequest } from 'fastify';
import { dispatch } from '../../../../app/pipeline/dispatch.ts';
import type { Session } from '../../../../app/credentials/sessions.ts';
import { findArticle, type ArticleAccess } from '../../../../app/reads/article-access.ts';
import { loadArticle } from '../../../../app/reads/articles.ts';
import { nameOfTenant } from '../../../../app/reads/workspaces.ts';
import type { Service } from '../../../../app/service.ts';
import { activeDivs, type ArticleState } from '../../../../domain/articles/state.ts';
import type { Layout } from '../../../../domain/articles/blocks-change.ts';
import type { Violation } from '../../../../domain/violations.ts';
import { isFault, type Fault } from '../../../../kernel/fault.ts';
import { sha256Hex } from '../../../../kernel/hash.ts';
import type { JsonObject } from '../../../../kernel/json.ts';
import type { BlockChange } from '../../../../model/article-writes.ts';
import type { InvocationStatus } from '../../../../model/vocabulary.ts';
import type { Form } from '../../../http/browser-forms.ts';
import { withoutSecrets } from '../../../http/envelope.ts';
import type { RouteServer } from '../../../http/route-declaration.ts';
import { countText } from '../../format-text.ts';
import type { Site } from '../../site.ts';
import type { ConsoleContext, Notice } from '../console-page.tsx';
import { calledBefore, consoleContextOf } from '../desk.ts';

/** Addresses of the pages that write, below `/owner`. */
export function writePaths(root: string) {
  const article = (slug: string): string => `${root}/owner/a/${slug}`;
  return {
    articles: `${root}/owner/articles`,
    create: `${root}/owner/new`,
    article,
    /** With `block`, the editor of that block alone. */
    edit: (slug: string, block?: string): string =>
      `${article(slug)}/edit${block === undefined ? '' : `?block=${block}`}`,
    preview: (slug?: string): string =>
      slug === undefined ? `${root}/owner/preview` : `${article(slug)}/preview`,
    meta: (slug: string): string => `${article(slug)}/meta`,
    claim: (slug: string, claim?: string): string =>
      `${article(slug)}/claim${claim === undefined ? '' : `?claim=${claim}`}`,
    source: (slug: string): string => `${article(slug)}/source`,
    revert: (slug: string, rev?: number): string =>
      `${article(slug)}/revert${rev === undefined ? '' : `?rev=${rev}`}`,
  };
}

/** The desk, and where a call of its page comes from. */
export interface Desk {
  readonly context: ConsoleContext;
  readonly server: RouteServer;
  readonly request: FastifyRequest;
}

export interface OpenArticle extends Desk {
  readonly access: ArticleAccess;
  readonly state: ArticleState;
}

/** The article as the session's credential may see it, drafts and closed workspaces included. */
export async function openArticle(
  server: RouteServer,
  site: Site,
  request: FastifyRequest,
  session: Session,
  slug: string,
): Promise<OpenArticle | Fault> {
  const { service } = server;
  const access = await findArticle(service, slug, session.credential);
  if (isFault(access)) return access;
  const workspace = await nameOfTenant(service, access.tenant);
  const context = await consoleContextOf(site, session, { workspace });
  if (isFault(context)) return context;
  return { server, request, context, access, state: await loadArticle(service, access.aid) };
}

export function layoutOf(state: ArticleState): Layout {
  return { lead: state.row.lead, pieces: activeDivs(state) };
}

export interface CalledRow {
  readonly inv: string;
  readonly status: InvocationStatus;
  readonly result: JsonObject;
}

/** Calls a row as the session. `once` makes the same form with the same fields the same request. */
export async function callRow(
  { context, server, request }: Desk,
  key: string,
  args: JsonObject,
  once: string | undefined,
): Promise<CalledRow | Fault> {
  const body = JSON.stringify(args);
  const answer = await dispatch(server.service, {
    ...callFrom(context, server, request),
    key,
    body,
    idempotencyKey:
      once === undefined ? undefined : `console ${sha256Hex(JSON.stringify([once, key, body]))}`,
  });
  if (isFault(answer)) return withoutSecrets(answer);
  if (answer.kind === 'shape') throw new Error('a call is no dry run');
  if (answer.refusal !== undefined) return withoutSecrets(answer.refusal);
  const { inv, status, result } = answer;
  return {
    inv,
    status,
    result: result?.result ?? {},
  };
}

export interface Rehearsal {
  readonly problem: string | null;
  readonly fix: string | null;
  readonly violations: readonly Violation[];
  /** What stands already, where the call would repeat it. */
  readonly canonical: string | undefined;
}

/** What a call would come to; nothing is written. */
export async function rehearse(
  { context, server, request }: Desk,
  key: string,
  args: JsonObject,
): Promise<Rehearsal | Fault> {
  const answer = await dispatch(server.service, {
    ...callFrom(context, server, request),
    key,
    body: JSON.stringify(args),
    shape: true,
  });
  if (isFault(answer)) return answer;
  if (answer.kind !== 'shape') throw new Error('a dry run answers with a shape');
  const { problem, refusal, warnings } = answer.shape as {
    readonly problem?: string | null;
    readonly refusal?: JsonObject;
    readonly warnings?: readonly Violation[];
  };
  const { fix, violations, canonical } = (refusal ?? {}) as {
    readonly fix?: string;
    readonly violations?: readonly Violation[];
    readonly canonical?: { readonly id: string };
  };
  return {
    problem: problem ?? null,
    fix: fix ?? null,
    violations: [...(violations ?? []), ...(warnings ?? [])],
    canonical: canonical?.id,
  };
}

function callFrom(
  { session, workspace }: ConsoleContext,
  { requestLimits }: RouteServer,
  request: FastifyRequest,
) {
  return {
    presented: session.presented,
    workspace,
    method: 'POST',
    channel: 'console',
    client: requestLimits.address(request),
    meter: requestLimits.meter(request),
  } as const;
}

/** Members of a form with a text in them. */
export function textArgs(form: Form, names: readonly string[], first: JsonObject = {}): JsonObject {
  const args: Record<string, string> = {};
  for (const name of names) {
    const value = form.get(name)?.trim() ?? '';
    if (value !== '') args[name] = value;
  }
  return { ...first, ...args };
}

/** What the call that led to a page came to. */
export async function noticeOf(
  service: Service,
  session: Session,
  inv: string | undefined,
): Promise<Notice | undefined> {
  const called = await calledBefore(service, session, inv);
  if (called === undefined) return undefined;
  const { key, status, id } = called;
  if (status === 'proposed') return { done: 'Sent to the owner, who decides on it.', inv: id };
  if (status !== 'success') return undefined;
  return { done: doneText(key, (called.response.value ?? {}) as JsonObject), inv: id };
}

function doneText(key: string, value: JsonObject): string {
  const revision = String(value['revision']);
  const ids = (name: string): readonly unknown[] => (value[name] ?? []) as readonly unknown[];
  switch (key) {
    case 'ARTICLE_REWRITE':
      return value['unchanged'] === true
        ? 'Nothing had changed, so no revision was made.'
        : `Saved as revision ${revision}: ${rewriteText(value)}.`;
    case 'VOXEL_EDIT':
      return `Saved as revision ${revision}: 1 block changed.`;
    case 'ARTICLE_REVERT':
      return value['unchanged'] === true
        ? 'The article reads so already.'
        : `Revision ${String(value['restores'])} is restored, as revision ${revision}.`;
    case 'ARTICLE_META':
      return metaText(value);
    case 'VOXEL_BATCH':
      return `Created with ${countText(ids('divs').length, 'block')}.`;
    case 'CLAIM_POST':
      return `The claim is made: ${String(value['claim_id'])}.`;
    case 'CLAIM_REPAIR':
      return 'The claim is reworded. Its earlier wording stays readable.';
    case 'CLAIM_RETRACT':
      return 'The claim is retracted. It stays listed, with the reason.';
    case 'SOURCE_POST':
      return `The source is added: ${ids('source_ids').join(', ')}.`;
    default:
      return 'Done.';
  }
}

function rewriteText(value: JsonObject): string {
  const blocks = (value['divs'] ?? []) as readonly { readonly change: BlockChange }[];
  return changeSummary({ blocks, removed: (value['burned'] ?? []) as readonly string[] });
}

const memberNames: Readonly<Record<string, string>> = { extra: 'series', traversal: 'series', hero: 'image' };

function metaText(value: JsonObject): string {
  const changed = (value['changed'] ?? []) as readonly string[];
  if (changed.length === 0) return 'Nothing had changed, so no revision was made.';
  const others = changed.filter((name) => name !== 'status').map((name) => memberNames[name] ?? name);
  const isPublished = value['status'] === 'published';
  return [
    ...(changed.includes('status')
      ? [isPublished ? 'Published: everybody can read it.' : 'Archived: it stays readable.']
      : []),
    ...(others.length === 0 ? [] : [`Changed: ${[...new Set(others)].join(', ')}.`]),
  ].join(' ');
}

/** The member that a violation is about: `text` of `/text#0-5`, `url` of `/sources/0/url`. */
export function memberOf({ at }: Violation): string {
  const [path = ''] = at.split('#');
  return path.split('/').findLast((part) => part !== '' && !/^\d+$/.test(part)) ?? '';
}

/** The violations that a refusal lists. */
export function violationsOf(refusal: Fault | undefined): readonly Violation[] {
  return (refusal?.details?.['violations'] ?? []) as readonly Violation[];
}

/** `2 blocks changed, 1 new`; `No changes`. */
export function changeSummary({
  blocks,
  removed,
}: {
  readonly blocks: readonly { readonly change: BlockChange }[];
  readonly removed: readonly string[];
}): string {
  const count = (change: BlockChange): number => blocks.filter((each) => each.change === change).length;
  const parts = [
    [count('edited'), 'changed'],
    [count('made'), 'new'],
    [count('moved'), 'moved'],
    [removed.length, 'removed'],
  ] as const;
  const said = parts.filter(([n]) => n > 0);
  if (said.length === 0) return 'No changes';
  return said.map(([n, what], i) => `${i === 0 ? countText(n, 'block') : n} ${what}`).join(', ');
}
