/**
 * Reads of an article as of a revision or an index of the log (spec §2.1 `?rev=n`, contract §5 `?at=`), rounded down to
 * the last whole act. The result is a context for any read of an article. Contents that were scrubbed since are
 * scrubbed in history too; redaction of what was never public applies.
 */
import { articlePrefix } from '../../domain/articles/chains.ts';
import type { ArticleAccess } from './article-access.ts';
import { articleTable, revisionTable } from '../../domain/articles/tables.ts';
import type { PlacedEntry } from '../../engine/store.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { Entry } from '../../ledger/entry.ts';
import type { ReadContext } from '../read-context.ts';
import { articleStamp } from './articles.ts';
import { replayCacheOf } from './replay-cache.ts';
import { logIndexAsOf, type AsOf } from './as-of.ts';
import { readingFrom } from './historical-reader.ts';
import { callOf, endOfAct, replay, type ReplayEnd } from './article-replay.ts';

export interface HistoricalRead {
  /** Reads the article as of that time. */
  readonly context: ReadContext;
  readonly seen: ArticleAccess;
  /** Time of its newest entry. */
  readonly ts: string;
}

export async function readAsOf(
  context: ReadContext,
  seen: ArticleAccess,
  asOf: AsOf,
): Promise<HistoricalRead | Fault> {
  const end = 'rev' in asOf ? await endOfRevision(context, seen, asOf.rev) : await endAt(context, asOf.at);
  if (isFault(end)) return end;
  const { read } = context;
  // Taken before anything is read: a concurrent change makes another stamp.
  const stamp = await articleStamp(context, seen.aid, true);
  const name = [seen.aid, ...Object.entries(end).flat()].join(' ');
  const found = await replayCacheOf(read).get(name, stamp, () => replay(read, seen.aid, end));
  const row = found.projection.row(articleTable, seen.aid);
  const last = found.events.at(-1);
  if (row === undefined || last === undefined || (row.published_rev === null && !seen.seesDrafts))
    return notYetReadable(context, seen);
  return {
    context: readingFrom(context, found),
    seen: { ...seen, status: row.status, version: row.version },
    ts: (JSON.parse(last.text) as Entry).ts,
  };
}

async function endAt(context: ReadContext, at: string): Promise<ReplayEnd | Fault> {
  const index = await logIndexAsOf(context, at);
  return isFault(index) ? index : { index };
}

/** A revision ends with the call that made it. */
async function endOfRevision(
  context: ReadContext,
  seen: ArticleAccess,
  asOf: string,
): Promise<ReplayEnd | Fault> {
  const rev = /^\d{1,9}$/.test(asOf) ? Number(asOf) : 0;
  const entry = rev === 0 ? undefined : await entryOfRevision(context, seen, rev);
  if (entry === undefined)
    return fault('not_found', `${seen.slug} has no such revision.`, 'List the revisions under /revisions.');
  return { seq: entry.seq, inv: callOf(entry) };
}

/** The entry that made a revision, if the caller may see it. */
async function entryOfRevision(
  context: ReadContext,
  seen: ArticleAccess,
  rev: number,
): Promise<PlacedEntry | undefined> {
  const { read } = context;
  const [row] = await read.list(revisionTable, seen.aid, { after: rev - 1, limit: 1 });
  if (row === undefined || row.rev !== rev || (row.public === 0 && !seen.seesDrafts)) return undefined;
  const [entry] = await read.history(articlePrefix(seen.aid), row.seq - 1, 1);
  return entry;
}

/** The refusal names the first index that the caller may read at, and nothing about earlier ones. */
async function notYetReadable(context: ReadContext, seen: ArticleAccess): Promise<Fault> {
  const { read } = context;
  const row = await read.row(articleTable, seen.aid);
  const first = await entryOfRevision(context, seen, seen.seesDrafts ? 1 : (row?.published_rev ?? 0));
  if (first === undefined) return fault('not_found', `${seen.slug} could not be read then.`, 'Ask for now.');
  const { ts } = JSON.parse(first.text) as Entry;
  const { index } = await endOfAct(read, first);
  return fault(
    'not_found',
    `${seen.slug} could not be read then.`,
    `It begins ${index === null ? '' : `at log index ${index}, `}${ts}: ask for that moment or a later one.`,
    { since: { log_index: index, ts } },
  );
}
