/** What the monitor reports: one object for each event, printed as a line of words or of JSON. */
import type { EntryNews } from '../../../../verify/monitor-watch.ts';

/** `log` is the origin that the log's key names. */
export type MonitorEvent =
  | { readonly event: 'key'; readonly url: string; readonly log: string; readonly key: string }
  | { readonly event: 'resolved'; readonly url: string; readonly slug: string; readonly id: string }
  | {
      readonly event: 'grown';
      readonly url: string;
      readonly log: string;
      readonly from: number;
      readonly size: number;
      readonly root: string;
    }
  | { readonly event: 'unchanged'; readonly url: string; readonly log: string; readonly size: number }
  | {
      readonly event: 'behind';
      readonly url: string;
      readonly log: string;
      readonly size: number;
      readonly seen: number;
    }
  | { readonly event: 'cosigned'; readonly url: string; readonly log: string; readonly detail: string }
  | ({ readonly event: 'entry'; readonly url: string; readonly log: string } & EntryNews)
  | { readonly event: 'more_entries'; readonly url: string; readonly log: string; readonly count: number }
  | {
      readonly event: 'problem';
      readonly url: string;
      readonly log: string | undefined;
      readonly check: string;
      readonly detail: string;
    }
  | {
      /** A problem of this check is over. */
      readonly event: 'ended';
      readonly url: string;
      readonly log: string | undefined;
      readonly check: string;
    }
  | {
      readonly event: 'fork';
      readonly url: string;
      readonly log: string;
      readonly sizes: readonly [number, number];
      readonly file: string;
    }
  | { readonly event: 'unreadable'; readonly url: string; readonly detail: string };

/** 1: a log is not consistent; 2: something could not be read. */
export function statusOf(events: readonly MonitorEvent[]): 0 | 1 | 2 {
  if (events.some(({ event }) => event === 'problem' || event === 'fork')) return 1;
  return events.some(({ event }) => event === 'unreadable') ? 2 : 0;
}

export function toLine(event: MonitorEvent, isJson: boolean): string {
  if (isJson)
    return JSON.stringify(event, (_, value: unknown) => (typeof value === 'string' ? plain(value) : value));
  return plain(wordsOf(event));
}

function wordsOf(event: MonitorEvent): string {
  switch (event.event) {
    case 'key':
      return `key      ${event.log}: ${event.url} itself names its key, which is pinned from now on: ${event.key}`;
    case 'resolved':
      return `watch    ${event.slug} is ${event.id}, by the word of ${event.url}`;
    case 'grown':
      return event.from === 0
        ? `grown    ${event.log}: ${event.size} entries from the first on, consistent with root ${event.root} (${event.url})`
        : `grown    ${event.log}: from ${event.from} to ${event.size} entries, consistent with root ${event.root} (${event.url})`;
    case 'unchanged':
      return `same     ${event.log}: ${event.size} entries as before (${event.url})`;
    case 'behind':
      return `behind   ${event.log}: ${event.url} serves ${event.size} entries, the beginning of the ${event.seen} seen before`;
    case 'cosigned':
      return `quorum   ${event.log}: ${event.detail} (${event.url})`;
    case 'entry':
      return `entry    ${event.ts} ${event.log} entry ${event.index}: ${event.verb} by ${event.actor}, entry ${event.n} of chain ${event.chain}`;
    case 'more_entries':
      return `entry    ${event.log}: ${event.count} further watched entries are not listed`;
    case 'problem':
      return `PROBLEM  ${event.log ?? event.url}: ${event.check}: ${event.detail}${event.log === undefined ? '' : ` (${event.url})`}`;
    case 'ended':
      return `ended    ${event.log ?? event.url}: ${event.check}: the problem is over${event.log === undefined ? '' : ` (${event.url})`}`;
    case 'fork':
      return `ALARM    ${event.log} signed two histories, of ${event.sizes[0]} and ${event.sizes[1]} entries (${event.url}). Evidence: ${event.file}; judge it with colophon verify.`;
    case 'unreadable':
      return `unread   ${event.url}: ${event.detail}`;
  }
}

const charsMax = 1000;

/** What logs and servers say may hold escapes of terminals. */
export function plain(text: string): string {
  const shown = text.length > charsMax ? `${text.slice(0, charsMax)} …` : text;
  return shown.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\uFFFD');
}
