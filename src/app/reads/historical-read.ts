/**
 * Reads of an article as of a revision or an index of the log (spec §2.1 `?rev=n`, contract §5 `?at=`), rounded down to
 * the last whole act. The result is a context for any read of an article. Contents that were scrubbed since are
 * scrubbed in history too; redaction of what was never public applies.
 */
import { articlePrefix } from '../../domain/articles/chains.ts';
import type { ArticleAccess } from './article-access.ts';
import { articleTable, revisionTable } from '../../domain/articles/tables.ts';
import type { PlacedEntry } from '../../engine/store.ts';
import { about, fault, type Fault, invalidParameter, isFault } from '../../kernel/fault.ts';
import type { Entry } from '../../ledger/entry.ts';
import type { ReadContext } from '../read-context.ts';
import { articleStamp } from './articles.ts';
import {
  callOf,
  endOfAct,
  readingFrom,
  replayArticle,
  replayCacheOf,
  type ReplayEnd,
} from './article-replay.ts';

interface HistoricalRead {
  /** Reads the article as of that time. */
  readonly context: ReadContext;
  readonly access: ArticleAccess;
  /** Time of its newest entry. */
  readonly ts: string;
}

export async function readAsOf(
  context: ReadContext,
  access: ArticleAccess,
  asOf: AsOf,
): Promise<HistoricalRead | Fault> {
  const end = 'rev' in asOf ? await endOfRevision(context, access, asOf.rev) : await endAt(context, asOf.at);
  if (isFault(end)) return end;
  const { read } = context;
  // Taken before anything is read: a concurrent change makes another stamp.
  const stamp = await articleStamp(context, access.aid, true);
  const name = [access.aid, ...Object.entries(end).flat()].join(' ');
  const found = await replayCacheOf(read).get(name, stamp, () => replayArticle(read, access.aid, end));
  const row = found.projection.row(articleTable, access.aid);
  const last = found.events.at(-1);
  if (row === undefined || last === undefined || (row.published_rev === null && !access.seesDrafts))
    return notYetReadable(context, access);
  return {
    context: readingFrom(context, found),
    access: { ...access, status: row.status, version: row.version },
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
  access: ArticleAccess,
  asOf: string,
): Promise<ReplayEnd | Fault> {
  const rev = /^\d{1,9}$/.test(asOf) ? Number(asOf) : 0;
  const entry = rev === 0 ? undefined : await entryOfRevision(context, access, rev);
  if (entry === undefined)
    return about(
      fault('not_found', `${access.slug} has no such revision.`, 'List the revisions under /revisions.'),
      { kind: 'revision', id: String(rev), slug: access.slug },
    );
  return { seq: entry.seq, inv: callOf(entry) };
}

/** The entry that made a revision, if the caller may see it. */
async function entryOfRevision(
  context: ReadContext,
  access: ArticleAccess,
  rev: number,
): Promise<PlacedEntry | undefined> {
  const { read } = context;
  const [row] = await read.list(revisionTable, access.aid, { after: rev - 1, limit: 1 });
  if (row === undefined || row.rev !== rev || (row.public === 0 && !access.seesDrafts)) return undefined;
  const [entry] = await read.history(articlePrefix(access.aid), row.seq - 1, 1);
  return entry;
}

/** The refusal names the first index that the caller may read at, and nothing about earlier ones. */
async function notYetReadable(context: ReadContext, access: ArticleAccess): Promise<Fault> {
  const { read } = context;
  const row = await read.row(articleTable, access.aid);
  const first = await entryOfRevision(context, access, access.seesDrafts ? 1 : (row?.published_rev ?? 0));
  if (first === undefined)
    return about(fault('not_found', `${access.slug} could not be read then.`, 'Ask for now.'), {
      kind: 'revision',
      id: '',
      slug: access.slug,
    });
  const { ts } = JSON.parse(first.text) as Entry;
  const { index } = await endOfAct(read, first);
  return fault(
    'not_found',
    `${access.slug} could not be read then.`,
    `It begins ${index === null ? '' : `at log index ${index}, `}${ts}: ask for that moment or a later one.`,
    { since: { log_index: index, ts } },
  );
}

/*
 * The `?rev=` and `?at=` parameters: as of which revision, log index or time an article is read (contract §5). A time
 * means the newest entry made by then. Entries bear the times of the nodes that made them, in the order of the log
 * except for differences between clocks.
 */

/** Query parameters; a request has at most one of them. */
export const asOfParameters = ['rev', 'at'] as const;

/** As the URL says it. */
export type AsOf = { readonly rev: string } | { readonly at: string };

/** Undefined: the article as it is now. */
export function parseAsOf(query: Readonly<Record<string, unknown>>): AsOf | Fault | undefined {
  const { rev, at } = query;
  if (typeof rev === 'string' && typeof at === 'string')
    return invalidParameter('at', 'rev and at both name a past.', 'Send one of the two.');
  if (typeof rev === 'string') return { rev };
  return typeof at === 'string' ? { at } : undefined;
}

/** The URL with the same parameter. */
export function withAsOf(url: string, asked: AsOf): string {
  return `${url}${url.includes('?') ? '&' : '?'}${new URLSearchParams({ ...asked }).toString()}`;
}

/** The log index that `at` names, a log index or an ISO 8601 time; -1 where the log was still empty. */
async function logIndexAsOf(context: ReadContext, at: string): Promise<number | Fault> {
  const size = (await context.read.checkpoint())?.size ?? 0;
  if (/^\d{1,15}$/.test(at)) {
    const index = Number(at);
    if (index < size) return index;
    return invalidAt(
      `The log has no entry ${index} yet.`,
      size === 0
        ? 'Leave at out: nothing was written so far.'
        : `Send an index up to ${size - 1}, or leave at out for the article as it is.`,
    );
  }
  const time = parseTime(at);
  if (time === undefined)
    return invalidAt(
      `at is "${at.slice(0, 40)}".`,
      'Send a log index such as 41 or an ISO 8601 time such as 2026-02-28T12:00:00Z.',
    );
  if (time > context.now())
    return invalidAt(
      `${new Date(time).toISOString()} is still to come.`,
      `It is ${new Date(context.now()).toISOString()} here; leave at out for the article as it is.`,
    );
  return newestIndexBy(context, time, size);
}

const timeShape = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** Milliseconds of a day, which begins in UTC, or of a time with a zone; undefined for anything else. */
function parseTime(at: string): number | undefined {
  // An unescaped plus sign arrives as a space.
  const time = at.replace(/ (\d\d:\d\d)$/, '+$1');
  const day = timeShape.exec(time)?.[1];
  const begins = Date.parse(`${day}T00:00:00Z`);
  // `Date` accepts the 30th of February as the 1st or 2nd of March.
  if (day === undefined || Number.isNaN(begins) || !new Date(begins).toISOString().startsWith(day))
    return undefined;
  const parsed = Date.parse(time);
  return Number.isNaN(parsed) ? undefined : parsed;
}

function invalidAt(message: string, fix: string): Fault {
  return invalidParameter('at', message, fix);
}

/** Index of the newest entry made by `time`, by binary search. */
export async function newestIndexBy(
  context: Pick<ReadContext, 'read'>,
  time: number,
  size: number,
): Promise<number> {
  let [low, high] = [0, size];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const [entry] = await context.read.texts(middle, 1);
    const made = entry === undefined ? Infinity : Date.parse((JSON.parse(entry.text) as { ts: string }).ts);
    if (made <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
