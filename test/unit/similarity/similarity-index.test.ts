import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compare, similarityMin } from '../../../src/domain/similarity/compare.ts';
import { plainWording } from '../../../src/domain/similarity/normalise.ts';
import { Postings } from '../../../src/domain/similarity/postings.ts';
import {
  similarityIndex,
  type Found,
  type SimilarityIndex,
} from '../../../src/domain/similarity/similarity-index.ts';
import { trigramsOf } from '../../../src/domain/similarity/trigrams.ts';
import { labelledPairs } from './neighbours.ts';
import { manyClaims, scifactClaims } from './pairs.ts';

type Rows = ReadonlyMap<string, string>;

const everything = (): boolean => true;
const ignored = (): void => undefined;

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

describe('an index', () => {
  test('names the duplicate, the contraries and the similar texts, the most alike first', () => {
    const index = similarityIndex([
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

  test('answers as comparing with every text does', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(id, text), { maxLength: 12 }),
        text,
        fc.integer({ min: 1, max: 6 }),
        (entries, asked, limit) => {
          const index = similarityIndex(entries);
          expect(index.find(asked, { limit })).toEqual(byBruteForce(new Map(entries), asked, limit));
        },
      ),
    );
  });

  test('answers as comparing with every text does over real claims', () => {
    const rows = new Map(manyClaims(1500).map((claim, n) => [`c${n}`, claim]));
    const index = similarityIndex(rows);
    for (const claim of scifactClaims().slice(0, 25))
      expect(index.find(claim)).toEqual(byBruteForce(rows, claim));
  });

  test('answers as comparing with every text does over the labelled pairs, each side asked for the other', () => {
    const pairs = labelledPairs();
    const rows = new Map(pairs.map(([, b], n) => [`p${n}`, b]));
    const index = similarityIndex(rows);
    const asked = pairs.filter((_, n) => n % 6 === 0).map(([a]) => a);
    expect([rows.size, asked.length]).toEqual([463, 78]);
    for (const each of asked) expect(index.find(each)).toEqual(byBruteForce(rows, each));
  });

  test('gives the same answer whatever the order of the rows', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(id, text), { selector: ([each]) => each }),
        text,
        (entries, asked) => {
          expect(similarityIndex(entries.toReversed()).find(asked, { limit: 2 })).toEqual(
            similarityIndex(entries).find(asked, { limit: 2 }),
          );
        },
      ),
    );
  });

  test('stays as it is when others are made of it, however they branch', () => {
    const step = fc.record({ from: fc.nat(), id, text: fc.option(text, { nil: undefined }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), text, (steps, asked) => {
        const versions: { index: SimilarityIndex<string>; rows: Rows }[] = [
          { index: similarityIndex(), rows: new Map() },
        ];
        for (const { from, id: at, text: put } of steps) {
          const base = versions[from % versions.length] as (typeof versions)[number];
          const rows = new Map(base.rows);
          if (put === undefined) rows.delete(at);
          else rows.set(at, put);
          versions.push({ index: put === undefined ? base.index.remove(at) : base.index.add(at, put), rows });
        }
        for (const { index, rows } of versions) {
          expect(index.size).toBe(rows.size);
          expect(index.find(asked)).toEqual(byBruteForce(rows, asked));
        }
      }),
    );
  });

  test('answers alike after most of its texts have gone', () => {
    const claims = manyClaims(400);
    let index = similarityIndex(claims.map((claim, n) => [n, claim] as const));
    for (let n = 0; n < 390; n++) index = index.remove(n);
    expect(index.size).toBe(10);
    expect(index.find(claims[389] as string).map((each) => each.id)).not.toContain(389);
    expect(index.find(claims[395] as string)[0]).toEqual({
      id: 395,
      verdict: { kind: 'duplicate', similarity: 1, differs: [] },
    });
  });

  test('is itself when nothing is changed', () => {
    const index = similarityIndex<string>([['c1', 'Tea cools.']]);
    expect(index.add('c1', 'Tea cools.')).toBe(index);
    expect(index.remove('c2')).toBe(index);
  });

  test('finds an equal wording among more texts that are as alike than it may answer with', () => {
    const turned = Array.from(
      { length: 40 },
      (_, n) => [`c${n}`, n === 39 ? 'men fear women' : 'women fear men'] as const,
    );
    const found = similarityIndex(turned).find('Men fear women.', { limit: 3 });
    expect(found).toHaveLength(3);
    expect(found.filter(({ verdict }) => verdict.kind === 'duplicate').map((each) => each.id)).toEqual([
      'c39',
    ]);
  });

  test('answers as comparing does for texts too long to be laid side by side', () => {
    const long = 'The valve is open. '.repeat(600);
    const rows = new Map([
      ['a', long],
      ['b', `${long} The valve is not closed.`],
      ['c', 'The valve is open.'],
    ]);
    const index = similarityIndex(rows);
    for (const asked of [...rows.values(), long.toLowerCase()])
      expect(index.find(asked)).toEqual(byBruteForce(rows, asked));
  });

  test('finds texts of signs and of no words at all', () => {
    const index = similarityIndex([
      ['c1', '≤ ≥'],
      ['c2', ':-)'],
    ]);
    expect(index.find('≤ ≥').map((each) => each.id)).toEqual(['c1']);
    expect(index.find(':-)').map((each) => each.id)).toEqual(['c2']);
    expect(index.find(':-(')).toEqual([]);
  });
});

describe('among 10,000 claims', () => {
  const claims = manyClaims(10_000);
  const index = similarityIndex(claims.map((claim, n) => [n, claim] as const));
  const postings = new Postings();
  for (const claim of claims) postings.add(trigramsOf(plainWording(claim)));

  test('a check looks at a fiftieth of them on average, and at a quarter at most', () => {
    const looked = scifactClaims().map((claim) => {
      const trigrams = trigramsOf(plainWording(claim));
      return postings.alike(trigrams, similarityMin, everything, ignored);
    });
    expect(looked.reduce((sum, each) => sum + each, 0) / looked.length).toBeLessThanOrEqual(200);
    expect(Math.max(...looked)).toBeLessThanOrEqual(2500);
  });

  test('a check judges sixteen at most, however many are alike', () => {
    const reply = (n: number): string => `Server ${n} answers within ${n % 97} milliseconds on average.`;
    const alike = similarityIndex(Array.from({ length: 500 }, (_, n) => [n, reply(n)] as const));
    expect(alike.find(reply(700))).toHaveLength(16);
    expect(alike.find(reply(123))[0]?.verdict.kind).toBe('duplicate');
  });

  test('an unrelated text is compared with none', () => {
    expect(index.find('Basmati absorbs water while arborio thickens soup.')).toEqual([]);
  });

  test('adding to the index leaves the table that others see in place', () => {
    const more = index.add(10_000, 'Zebras graze at dawn.');
    expect(index.find('Zebras graze at dawn.')).toEqual([]);
    expect(more.find('zebras graze at dawn').map((each) => each.id)).toEqual([10_000]);
  });
});
