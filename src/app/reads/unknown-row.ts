/** The answer for an unknown row key (spec §7): similar keys, by edit distance and shared words. None is called in its place. */
import { links } from '../../domain/links.ts';
import { fault, type Fault } from '../../kernel/fault.ts';
import type { DirectoryContext } from '../read-context.ts';

/** Levenshtein distance, up to `max`. */
export function editDistance(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) > max) return max + 1;
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      row[j] = Math.min(
        (previous[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (previous[j - 1] as number) + change,
      );
    }
    if (Math.min(...row) > max) return max + 1;
    previous = row;
  }
  return previous[b.length] as number;
}

/** Up to three keys, nearest first. */
export function nearestKeys(key: string, keys: readonly string[]): string[] {
  const wanted = key
    .slice(0, 80)
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_');
  const words = new Set(wanted.split('_').filter((word) => word.length > 2));
  const isBegun = (word: string): boolean =>
    [...words].some((begun) => begun.length > 3 && word.startsWith(begun));
  return keys
    .map((each) => {
      const shared = each.split('_').filter((word) => words.has(word) || isBegun(word)).length;
      return { each, score: editDistance(wanted, each, 6) - 3 * shared, isAkin: shared > 0 };
    })
    .filter(({ score, isAkin }) => score <= (isAkin ? 4 : 3))
    .sort((a, b) => a.score - b.score || (a.each < b.each ? -1 : 1))
    .slice(0, 3)
    .map(({ each }) => each);
}

export function unknownRow(context: DirectoryContext, key: string): Fault {
  const shown = key.slice(0, 80).toWellFormed();
  return fault(
    'unknown_key',
    `There is no row ${shown}.`,
    'Use one of did_you_mean, or ask in plain words.',
    {
      did_you_mean: nearestKeys(key, [...context.rows.keys()]).map((near) => ({
        key: near,
        url: links.contract(context.base, near),
      })),
      ask: links.ask(context.base, shown),
    },
  );
}
