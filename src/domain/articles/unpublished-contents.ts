/**
 * What of an article was never public (contract §5): the contents of entries from before its publication, as far
 * as they were replaced or taken out again before that day. They stay with the keys of their workspace, here and
 * wherever a bundle takes them.
 */
import type { Entry } from '../../ledger/entry.ts';
import { parseArticleChain } from './chains.ts';

export interface PlacedEntry {
  readonly entry: Entry;
  /** Its place among the entries of all chains. */
  readonly at: number;
  /** Whether anything opens its contents. */
  readonly opened: boolean;
}

/**
 * For each entry whether its contents are withheld from everybody else. `publicFrom` is the place of the entry
 * that published the article; chains are given whole, in order.
 */
export function unpublishedContents(publicFrom: number, entries: readonly PlacedEntry[]): boolean[] {
  const replaced = replacedBefore(publicFrom, entries);
  return entries.map(({ entry, at }) => {
    const of = parseArticleChain(entry.chain)?.of;
    return of === 'provenance' || of === 'questions'
      ? at < publicFrom
      : of === 'div' && entry.n < (replaced.get(entry.chain) ?? 0);
  });
}

/** Where, in each DIV's chain, the text begins that stood on the day of publication; behind its end where none did. */
function replacedBefore(publicFrom: number, entries: readonly PlacedEntry[]): Map<string, number> {
  const replaced = new Map<string, number>();
  for (const { entry, at, opened } of entries) {
    if (at >= publicFrom || parseArticleChain(entry.chain)?.of !== 'div') continue;
    if (entry['op'] === 'absorb' || entry['op'] === 'burn') replaced.set(entry.chain, entry.n + 1);
    else if (opened) replaced.set(entry.chain, entry.n);
  }
  return replaced;
}

/** Commits to what an imported article brought along that was not public where it came from. */
export const unpublishedField = 'held_sha';
