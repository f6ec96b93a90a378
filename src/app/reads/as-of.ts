/**
 * The `?rev=` and `?at=` parameters: as of which revision, log index or time an article is read (contract §5). A time
 * means the newest entry made by then. Entries bear the times of the nodes that made them, in the order of the log
 * except for differences between clocks.
 */
import { fault, type Fault } from '../../kernel/fault.ts';
import type { ReadContext } from '../read-context.ts';

/** Query parameters; a request has at most one of them. */
export const asOfParameters = ['rev', 'at'] as const;

/** As the URL says it. */
export type AsOf = { readonly rev: string } | { readonly at: string };

/** Undefined: the article as it is now. */
export function parseAsOf(query: Readonly<Record<string, unknown>>): AsOf | Fault | undefined {
  const { rev, at } = query;
  if (typeof rev === 'string' && typeof at === 'string')
    return fault('invalid_request', 'rev and at both name a past.', 'Send one of the two.', {
      parameter: 'at',
    });
  if (typeof rev === 'string') return { rev };
  return typeof at === 'string' ? { at } : undefined;
}

/** The URL with the same parameter. */
export function withAsOf(url: string, asked: AsOf): string {
  return `${url}${url.includes('?') ? '&' : '?'}${new URLSearchParams({ ...asked }).toString()}`;
}

/** The log index that `at` names, a log index or an ISO 8601 time; -1 where the log was still empty. */
export async function logIndexAsOf(context: ReadContext, at: string): Promise<number | Fault> {
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
  return fault('invalid_request', message, fix, { parameter: 'at' });
}

/** Index of the newest entry made by `time`, by binary search. */
async function newestIndexBy(context: ReadContext, time: number, size: number): Promise<number> {
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
