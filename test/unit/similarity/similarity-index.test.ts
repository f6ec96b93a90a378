import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compare } from '../../../src/domain/similarity/compare.ts';
import { plainWording } from '../../../src/domain/similarity/normalise.ts';
import { SimilarityIndex, type Found } from '../../../src/domain/similarity/similarity-index.ts';
import { labelledPairs } from './neighbours.ts';
import { manyClaims, scifactClaims } from './pairs.ts';

type Rows = ReadonlyMap<string, string>;

/** What the index must answer, by comparing with every text. */
function byBruteForce(rows: Rows, text: string, limit = 16): Found<string>[] {
  const wording = plainWording(text);
  const isEqual = (id: string): boolean => plainWording(rows.get(id) as string) === wording;
  return [...rows]
    .map(([id, row]) => ({ id, verdict: compare(text, row) }))
    .filter(({ verdict }) => verdict.kind !== 'different')
    .sort(
      (a, b) =>
        Number(isEqual(b.id)) - Number(isEqual(a.id)) ||
        b.verdict.similarity - a.verdict.similarity ||
        (a.id < b.id ? -1 : 1),
    )
    .slice(0, limit)
    .sort((a, b) => b.verdict.similarity - a.verdict.similarity || (a.id < b.id ? -1 : 1));
}

const words = [
  'cells',
  'cell',
  'growth',
  'not',
  'increases',
  'decreases',
  'the',
  'of',
  '5',
  '7',
  'tumour',
  'mice',
  '不',
  '水',
];
const text = fc.array(fc.constantFrom(...words), { maxLength: 7 }).map((each) => each.join(' '));
const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');

describe('SimilarityIndex', () => {
  test('returns the duplicate, the contrary and the similar texts, the most similar first', () => {
    const index = new SimilarityIndex([
      ['c1', 'Tea reduces the risk of stroke in adults.'],
      ['c2', 'Tea increases the risk of stroke in adults.'],
      ['c3', 'Tea reduces the risk of asthma in adults.'],
      ['c4', 'Rome conquered Carthage in the Third Punic War.'],
    ]);
    expect(index.size).toBe(4);
    expect(index.find('tea reduces the risk of stroke in adults')).toEqual([
      { id: 'c1', verdict: { kind: 'duplicate', similarity: 1, differs: [] } },
      { id: 'c2', verdict: { kind: 'contrary', similarity: 0.717, differs: ['antonym: increases/reduces'] } },
      { id: 'c3', verdict: { kind: 'similar', similarity: 0.711, differs: ['word: asthma/stroke'] } },
    ]);
  });

  test('agrees with a comparison with every text', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(id, text), { maxLength: 12 }),
        text,
        fc.integer({ min: 1, max: 6 }),
        (entries, asked, limit) => {
          const index = new SimilarityIndex(entries);
          expect(index.find(asked, limit)).toEqual(byBruteForce(new Map(entries), asked, limit));
        },
      ),
    );
  });

  test('agrees with a comparison with every text on real claims', () => {
    const rows = new Map(manyClaims(1500).map((claim, n) => [`c${n}`, claim]));
    const index = new SimilarityIndex(rows);
    for (const claim of scifactClaims().slice(0, 25))
      expect(index.find(claim)).toEqual(byBruteForce(rows, claim));
  });

  test('agrees with a comparison with every text on the labelled pairs, in both directions', () => {
    const pairs = labelledPairs();
    const rows = new Map(pairs.map(([, b], n) => [`p${n}`, b]));
    const index = new SimilarityIndex(rows);
    const asked = pairs.filter((_, n) => n % 6 === 0).map(([a]) => a);
    expect([rows.size, asked.length]).toEqual([463, 78]);
    for (const each of asked) expect(index.find(each)).toEqual(byBruteForce(rows, each));
  });

  test('returns the same result in any order of the rows', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(id, text), { selector: ([each]) => each }),
        text,
        (entries, asked) => {
          expect(new SimilarityIndex(entries.toReversed()).find(asked, 2)).toEqual(
            new SimilarityIndex(entries).find(asked, 2),
          );
        },
      ),
    );
  });

  test('agrees with a comparison with every text after rows were added, replaced and removed', () => {
    const step = fc.record({ id, text: fc.option(text, { nil: undefined }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), text, (steps, asked) => {
        const index = new SimilarityIndex<string>();
        const rows = new Map<string, string>();
        for (const { id: at, text: put } of steps) {
          if (put === undefined) {
            index.delete(at);
            rows.delete(at);
          } else {
            index.set(at, put);
            rows.set(at, put);
          }
        }
        expect(index.size).toBe(rows.size);
        expect(index.find(asked)).toEqual(byBruteForce(rows, asked));
        expect([...index.equal(asked)].sort()).toEqual(
          [...rows]
            .filter(([, row]) => plainWording(row) === plainWording(asked))
            .map(([at]) => at)
            .sort(),
        );
      }),
    );
  });

  test('finds the remaining texts after most were deleted', () => {
    const claims = manyClaims(400);
    const index = new SimilarityIndex(claims.map((claim, n) => [n, claim] as const));
    for (let n = 0; n < 390; n++) index.delete(n);
    expect(index.size).toBe(10);
    expect(index.find(claims[389] as string).map((each) => each.id)).not.toContain(389);
    expect(index.find(claims[395] as string)[0]).toEqual({
      id: 395,
      verdict: { kind: 'duplicate', similarity: 1, differs: [] },
    });
  });

  test('returns the duplicate even if more texts than the limit have the same similarity', () => {
    const turned = Array.from(
      { length: 40 },
      (_, n) => [`c${n}`, n === 39 ? 'men fear women' : 'women fear men'] as const,
    );
    const found = new SimilarityIndex(turned).find('Men fear women.', 3);
    expect(found).toHaveLength(3);
    expect(found.filter(({ verdict }) => verdict.kind === 'duplicate').map((each) => each.id)).toEqual([
      'c39',
    ]);
  });

  test('agrees with a comparison with every text for texts too long to align', () => {
    const long = 'The valve is open. '.repeat(600);
    const rows = new Map([
      ['a', long],
      ['b', `${long} The valve is not closed.`],
      ['c', 'The valve is open.'],
    ]);
    const index = new SimilarityIndex(rows);
    for (const asked of [...rows.values(), long.toLowerCase()])
      expect(index.find(asked)).toEqual(byBruteForce(rows, asked));
  });

  test('finds texts that consist of signs only', () => {
    const index = new SimilarityIndex([
      ['c1', '≤ ≥'],
      ['c2', ':-)'],
    ]);
    expect(index.find('≤ ≥').map((each) => each.id)).toEqual(['c1']);
    expect(index.find(':-)').map((each) => each.id)).toEqual(['c2']);
    expect(index.find(':-(')).toEqual([]);
  });
});

describe('SimilarityIndex.find', () => {
  const claims = manyClaims(10_000);
  const index = new SimilarityIndex(claims.map((claim, n) => [n, claim] as const));

  test('returns at most 16 texts, even if 500 are similar', () => {
    const reply = (n: number): string => `Server ${n} answers within ${n % 97} milliseconds on average.`;
    const alike = new SimilarityIndex(Array.from({ length: 500 }, (_, n) => [n, reply(n)] as const));
    expect(alike.find(reply(700))).toHaveLength(16);
    expect(alike.find(reply(123))[0]?.verdict.kind).toBe('duplicate');
  });

  test('returns nothing for an unrelated text among 10,000 claims', () => {
    expect(index.find('Basmati absorbs water while arborio thickens soup.')).toEqual([]);
  });
});
