/** The labelled pairs of `vectors/similarity`, and SciFact's claims. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compare, type Verdict } from '../../../src/domain/similarity/compare.ts';
import { sha256Hex } from '../../../src/kernel/hash.ts';

export interface Pair {
  readonly label: 'opposite' | 'same' | 'different' | 'trivial';
  readonly a: string;
  readonly b: string;
}

const folder = join(import.meta.dirname, '../../../vectors/similarity');

export function vectorText(name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}

function cellsOf(name: string): string[][] {
  const lines = vectorText(name).trimEnd().split('\n').slice(1);
  return lines.map((line) => line.split('\t').map((cell) => cell.replaceAll('\\n', '\n')));
}

export function ownPairs(name: 'heldout.tsv' | 'late.tsv'): Pair[] {
  return cellsOf(name).map(([label, , a, b]) => ({ label, a, b }) as Pair);
}

/** Split by a fixed hash of the pair, before any rule was written. */
export function scifactPairs(part: 'tuning' | 'held out'): Pair[] {
  return cellsOf('scifact-near-pairs.tsv')
    .map(([label, , a, b]) => ({ label: label === 'opposite' ? label : 'same', a, b }) as Pair)
    .filter(
      ({ a, b }) =>
        (Number.parseInt(sha256Hex(`${a}\t${b}`).slice(0, 2), 16) % 2 === 0 ? 'tuning' : 'held out') === part,
    );
}

export function scifactClaims(): string[] {
  return vectorText('scifact-claims.txt').trimEnd().split('\n');
}

/** As many texts as asked, made of the first half of one claim and the second half of another. */
export function manyClaims(count: number): string[] {
  const claims = scifactClaims().map((claim) => claim.split(' '));
  return Array.from({ length: count }, (_, i) => {
    const first = claims[i % claims.length] as string[];
    const second = claims[(i * 7 + 3 + Math.floor(i / claims.length)) % claims.length] as string[];
    return [...first.slice(0, Math.ceil(first.length / 2)), ...second.slice(second.length >> 1)].join(' ');
  });
}

/** How many pairs of a label got which verdict; opposites also for those that are very much alike. */
export interface Tally {
  readonly pairs: number;
  readonly kinds: Readonly<Record<Verdict['kind'], number>>;
  readonly alike: { readonly pairs: number; readonly contrary: number };
}

export function tally(pairs: readonly Pair[], label: Pair['label']): Tally {
  const verdicts = pairs.filter((pair) => pair.label === label).map(({ a, b }) => compare(a, b));
  const count = (kind: Verdict['kind'], of = verdicts): number =>
    of.filter((each) => each.kind === kind).length;
  const alike = verdicts.filter((each) => each.similarity >= 0.6);
  return {
    pairs: verdicts.length,
    kinds: {
      duplicate: count('duplicate'),
      contrary: count('contrary'),
      similar: count('similar'),
      different: count('different'),
    },
    alike: { pairs: alike.length, contrary: count('contrary', alike) },
  };
}
