/**
 * Articles as they stood (spec §2.1 `?rev=n`, contract §5 `?at=`): the article's own chains replayed through
 * the projectors up to a revision or a place of the log, rounded down to the last whole act.
 */
import { articlePrefix } from '../../domain/articles/chains.ts';
import { linkTable, projectLinkChecks, type LinkRow } from '../../domain/articles/link-checks.ts';
import { projectArticle } from '../../domain/articles/project-article.ts';
import { articleOf, type ArticleState } from '../../domain/articles/state.ts';
import { revisionTable, type RevisionRow } from '../../domain/articles/tables.ts';
import type { StoredEvent } from '../../engine/act.ts';
import { eventFrom, MemoryProjection } from '../../engine/memory-projection.ts';
import type { Sub } from '../../engine/tables.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { Entry } from '../../ledger/entry.ts';
import type { Seen } from '../seen.ts';
import type { Service } from '../service.ts';

export interface Past {
  readonly state: ArticleState;
  /** The article's entries up to that moment. */
  readonly events: readonly StoredEvent[];
  /** What looks at its sources had found by then. */
  readonly links: ReadonlyMap<Sub, LinkRow>;
}

/** The revision's row, where the caller may see it: what was never public stays with the workspace's keys. */
export async function revisionOf(
  service: Service,
  seen: Seen,
  rev: number,
  seesDrafts: boolean,
): Promise<RevisionRow | Fault> {
  const [row] = Number.isSafeInteger(rev)
    ? await service.store.read.list(revisionTable, seen.aid, { after: rev - 1, limit: 1 })
    : [];
  if (row === undefined || row.rev !== rev || (row.public === 0 && !seesDrafts)) {
    return fault('not_found', `${seen.slug} has no such revision.`, 'List the revisions under /revisions.');
  }
  return row;
}

export async function articleAtRevision(
  service: Service,
  seen: Seen,
  rev: number,
  seesDrafts: boolean,
): Promise<Past | Fault> {
  const row = await revisionOf(service, seen, rev, seesDrafts);
  if (isFault(row)) return row;
  const events = await service.store.read.chains(articlePrefix(seen.aid));
  const act = events.find((event) => event.seq === row.seq);
  const inv = act === undefined ? undefined : invOf(act);
  return replay(
    seen,
    events.filter((event) => event.seq <= row.seq || invOf(event) === inv),
  );
}

/** `at` is a log index or an ISO time; later acts are left out whole. */
export async function articleAtMoment(
  service: Service,
  seen: Seen,
  at: string,
  seesDrafts: boolean,
): Promise<Past | Fault> {
  const index = /^\d{1,15}$/.test(at) ? Number(at) : undefined;
  const time = index === undefined ? Date.parse(at) : undefined;
  if (time !== undefined && Number.isNaN(time))
    return fault('invalid_request', `at is "${at.slice(0, 40)}".`, 'Send a log index or an ISO 8601 time.', {
      parameter: 'at',
    });
  const events = await service.store.read.chains(articlePrefix(seen.aid));
  const late = new Set<string>();
  const kept: StoredEvent[] = [];
  for (const event of events) {
    const isLate =
      time === undefined
        ? ((await service.store.read.indexOf(event.seq)) ?? Infinity) > (index as number)
        : Date.parse(entryOf(event).ts) > time;
    if (isLate) late.add(invOf(event));
    else kept.push(event);
  }
  const past = replay(
    seen,
    kept.filter((event) => !late.has(invOf(event))),
  );
  if (isFault(past) || past.state.row.published_rev !== null || seesDrafts) return past;
  return fault('not_found', `${seen.slug} was not public then.`, 'Ask for a later moment.');
}

function replay(seen: Seen, events: readonly StoredEvent[]): Past | Fault {
  const projection = new MemoryProjection();
  for (const stored of events) {
    const event = eventFrom(stored);
    projectArticle(event, projection);
    projectLinkChecks(event, projection);
  }
  const state = articleOf(projection, seen.aid);
  return state === undefined
    ? fault('not_found', `${seen.slug} did not exist then.`, 'Ask for a later moment.')
    : { state, events, links: projection.rows(linkTable, seen.aid) };
}

function entryOf(event: StoredEvent): Entry {
  return JSON.parse(event.text) as Entry;
}

function invOf(event: StoredEvent): string {
  // What no invocation made is an act by itself.
  return String(entryOf(event)['inv'] ?? `entry ${event.seq}`);
}
