/**
 * The log as an event stream (contract §7): public entries and those of the caller's workspace, in log order, from
 * any index. An event adds to the public entry only where its object can be read, for callers that may read it.
 */
import { mainTenant } from '../../domain/articles/slugs.ts';
import { maySeeDraft } from './article-access.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import { links } from '../../domain/links.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Entry } from '../../ledger/entry.ts';
import type { ReadContext } from '../read-context.ts';
import type { LiveLog, LoggedEntry } from './live-log.ts';
import { kindOf, verbOf, type EntryKind, type Subject } from './log-subject.ts';
import { workspacesOf } from './workspaces.ts';

/** Interval of checks for expired credentials; revocations are seen in the log. */
const reauthenticateEveryMs = 1000;

export interface EventFilter {
  /** Undefined: every kind. */
  readonly kinds: ReadonlySet<EntryKind> | undefined;
  /** Opaque id of the only wanted article. */
  readonly aid: string | undefined;
}

export interface LogEvent {
  readonly index: number;
  readonly kind: EntryKind;
  readonly verb: string;
  readonly data: JsonObject;
}

/** A range of the log: its visible events and last index. */
export interface EventBatch {
  readonly events: readonly LogEvent[];
  readonly last: number;
}

/** Who follows the log. */
export interface Follower {
  readonly credential: Credential;
  /** Authenticates the presented credential again, as it may be revoked or expire meanwhile. */
  reauthenticate(): Promise<Credential | Fault>;
}

/**
 * Events after index `after`, then new ones, until `signal` aborts or the credential is invalid, which yields the
 * Fault. Throws if the store does not answer.
 */
export async function* eventsAfter(
  context: ReadContext,
  live: LiveLog,
  { credential: viewer, reauthenticate }: Follower,
  filter: EventFilter,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<EventBatch | Fault> {
  let authenticatedAt = performance.now();
  for (let next = after + 1; !signal.aborted;) {
    const page = await live.page(next);
    const last = page.at(-1)?.index;
    if (last === undefined) {
      await live.reaches(next, signal);
      continue;
    }
    next = last + 1;
    if (
      performance.now() - authenticatedAt > reauthenticateEveryMs ||
      page.some(({ entry }) => isOf(viewer, entry?.chain))
    ) {
      const authenticated = await reauthenticate();
      if (isFault(authenticated)) {
        yield authenticated;
        return;
      }
      authenticatedAt = performance.now();
    }
    yield { events: await eventsOf(context, viewer, filter, page), last };
  }
}

/** The log has a revocation before later entries. */
function isOf(viewer: Credential, chain: string | undefined): boolean {
  return viewer.kind === 'share' && viewer.chain.some(({ record }) => record.fingerprint === chain);
}

async function eventsOf(
  context: ReadContext,
  viewer: Credential,
  filter: EventFilter,
  page: readonly LoggedEntry[],
): Promise<LogEvent[]> {
  const open = await openTenants(context);
  const events: LogEvent[] = [];
  for (const logged of page) {
    const { entry } = logged;
    if (entry === undefined) continue;
    const kind = kindOf(entry.chain) ?? 'system';
    if (filter.kinds?.has(kind) === false) continue;
    // Chains and calls of an article contain its id.
    if (filter.aid !== undefined && !logged.text.includes(filter.aid)) continue;
    const subject = await logged.subject();
    if (subject === undefined ? viewer.kind !== 'owner' : !mayFollow(viewer, open, subject)) continue;
    const isPublic = subject !== undefined && open.has(subject.tenant) && subject.article?.isDraft !== true;
    events.push({
      index: logged.index,
      kind,
      verb: verbOf(entry),
      data: dataOf(context.base, kind, logged, entry, subject, isPublic),
    });
  }
  return events;
}

/** Workspaces that are readable without a credential. */
export async function openTenants(context: ReadContext): Promise<ReadonlySet<string>> {
  const all = [...(await workspacesOf(context)).values()];
  return new Set([
    mainTenant,
    ...all.filter(({ state }) => state.status === 'open').map(({ tenant }) => tenant),
  ]);
}

function mayFollow(viewer: Credential, open: ReadonlySet<string>, { tenant, article }: Subject): boolean {
  if (viewer.kind === 'owner') return true;
  const record = viewer.kind === 'share' ? viewer.chain[0]?.record : undefined;
  // Self-cut shares see open workspaces only.
  const isOwn = record?.tenant === tenant && record.origin === 'owner';
  if (!isOwn && !open.has(tenant)) return false;
  return article?.isDraft !== true || maySeeDraft(viewer, tenant, article.slug);
}

function dataOf(
  base: string,
  kind: EntryKind,
  { index, hash }: LoggedEntry,
  entry: Entry,
  subject: Subject | undefined,
  isPublic: boolean,
): JsonObject {
  const { chain } = entry;
  const inv = kind === 'invocation' ? chain : entry['inv'];
  const confirm = typeof inv === 'string' ? links.confirm(base, inv) : null;
  return {
    index,
    hash,
    kind,
    verb: verbOf(entry),
    slug: subject?.article?.slug ?? null,
    url: urlOf(base, kind, chain, subject, isPublic) ?? confirm,
    confirm,
    entry,
  };
}

/** Links to the object of the entry: its page if public, else an API address. */
function urlOf(
  base: string,
  kind: EntryKind,
  chain: string,
  subject: Subject | undefined,
  isPublic: boolean,
): string | undefined {
  if (subject?.article !== undefined) {
    const { slug, div } = subject.article;
    if (!isPublic) return links.articleJson(base, slug);
    return div === '' ? links.article(base, slug) : links.div(base, slug, div);
  }
  if (kind === 'assignment') return links.assignment(base, chain);
  if (kind !== 'capability') return undefined;
  return isPublic ? links.capability(base, chain) : links.explain(base, chain);
}
