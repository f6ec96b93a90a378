import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IndexedDocument, SearchIndex } from '../../src/engine/search-index.ts';
import { seededRandom } from '../fault/random.ts';
import { hasPostgres } from '../support/postgres.ts';
import { ask, document, searchIndexKinds, write } from '../support/search-indexes.ts';

const kinds = searchIndexKinds();

beforeAll(async () => {
  for (const kind of kinds) await kind.start();
}, 60_000);

afterAll(async () => {
  for (const kind of kinds) await kind.stop();
});

describe.each(kinds)('the search index on $name', (kind) => {
  const withIndex = async (use: (index: SearchIndex) => Promise<void>): Promise<void> => {
    const index = await kind.open();
    try {
      await use(index);
    } finally {
      await index.close();
    }
  };

  it('starts empty with its cursor at 0', () =>
    withIndex(async (index) => {
      expect(await index.cursor()).toEqual({ size: 0, head: '', scrubsApplied: 0 });
      expect(await ask(index, 'anything at all')).toEqual({
        documents: 0,
        length: 0,
        frequencies: [0, 0, 0],
        found: [],
      });
    }));

  it('counts terms, documents and lengths, and proposes the newest document first', () =>
    withIndex(async (index) => {
      await write(index, 7, document('x', 1, 'a a b'), document('y', 2, 'b c c c c'), document('z', 3, 'd'));
      expect(await ask(index, 'a c nothing')).toEqual({
        documents: 3,
        length: 9,
        frequencies: [1, 1, 0],
        found: [
          { key: 'y', length: 5, counts: [0, 4, 0] },
          { key: 'x', length: 3, counts: [2, 0, 0] },
        ],
      });
      expect(await index.cursor()).toEqual({ size: 7, head: 'head of 7', scrubsApplied: 0 });
    }));

  it('names the terms of a workspace that begin so, in order, without those that no document has any more', () =>
    withIndex(async (index) => {
      const begins = (beginning: string, tenant = 'main') => index.termsBeginning({ tenant, beginning });
      expect(await begins('a')).toEqual([]);
      await write(index, 3, document('x', 1, 'abc ab b 日本'), document('y', 2, 'abd gone'));
      await write(index, 4, document('z', 4, 'abz', { tenant: 'other' }));
      await write(index, 5, document('y', 5, 'abe'));
      expect(await begins('ab')).toEqual(['ab', 'abc', 'abe']);
      expect(await begins('日')).toEqual(['日本']);
      expect(await begins('go')).toEqual([]);
      expect(await begins('ab', 'other')).toEqual(['abz']);
      expect(await begins("a'%_*")).toEqual([]);
    }));

  it('finds a changed document by its new terms only, and a removed document by none', () =>
    withIndex(async (index) => {
      await write(index, 1, document('x', 1, 'old old both'), document('y', 2, 'both'));
      await write(index, 2, document('x', 3, 'new both'));
      expect(await ask(index, 'old new both')).toEqual({
        documents: 2,
        length: 3,
        frequencies: [0, 1, 2],
        found: [
          { key: 'x', length: 2, counts: [0, 1, 1] },
          { key: 'y', length: 1, counts: [0, 0, 1] },
        ],
      });
      await write(index, 3, document('x', 4, ''));
      expect(await ask(index, 'new both')).toMatchObject({
        documents: 1,
        length: 1,
        frequencies: [0, 1],
        found: [{ key: 'y' }],
      });
    }));

  it('answers the same whatever the order of additions, changes and removals', () =>
    withIndex((straight) =>
      withIndex(async (roundabout) => {
        await write(straight, 1, document('x', 5, 'a a'), document('y', 4, 'b'));
        await write(roundabout, 1, document('z', 1, 'a b'), document('y', 2, 'a'));
        await write(roundabout, 2, document('y', 4, 'b'), document('z', 3, ''), document('x', 2, 'b'));
        await write(roundabout, 3, document('x', 5, 'a a'));
        expect(await ask(roundabout, 'a b')).toEqual(await ask(straight, 'a b'));
      }),
    ));

  it('filters by workspace and kind', () =>
    withIndex(async (index) => {
      await write(
        index,
        1,
        document('x', 1, 'a'),
        document('y', 2, 'a', { tenant: 'lab' }),
        document('z', 3, 'a', { kind: 'claim' }),
      );
      const keys = async (...rest: [string, string[]?]): Promise<string[]> =>
        (await ask(index, 'a', ...rest)).found.map(({ key }) => key);
      expect(await keys('lab')).toEqual(['y']);
      expect(await keys('main')).toEqual(['z', 'x']);
      expect(await keys('main', ['div', 'source'])).toEqual(['x']);
      expect(await keys('main', ['source'])).toEqual([]);
      expect(await keys('elsewhere')).toEqual([]);
    }));

  it('counts documents and terms per workspace, unaffected by other workspaces', () =>
    withIndex(async (index) => {
      const lab = { tenant: 'lab' };
      await write(index, 1, document('x', 1, 'ore tin'), document('y', 2, 'ore ore zinc', lab));
      const other = await ask(index, 'ore tin zinc', 'lab');
      expect(other).toEqual({
        documents: 1,
        length: 3,
        frequencies: [1, 0, 1],
        found: [{ key: 'y', length: 3, counts: [2, 0, 1] }],
      });
      await write(index, 2, document('x', 3, 'ore zinc lead'), document('z', 4, 'zinc zinc'));
      expect(await ask(index, 'ore tin zinc', 'lab')).toEqual(other);
      expect(await ask(index, 'ore zinc 1·zinc')).toMatchObject({
        documents: 2,
        length: 5,
        frequencies: [1, 2, 0],
      });
      await write(index, 3, document('y', 5, '', lab));
      expect(await ask(index, 'ore', 'lab')).toEqual({
        documents: 0,
        length: 0,
        frequencies: [0],
        found: [],
      });
      expect(await ask(index, 'ore zinc')).toMatchObject({ documents: 2, length: 5, frequencies: [1, 2] });
    }));

  it('keeps terms of any script and length unchanged', () =>
    withIndex(async (index) => {
      const long = '長'.repeat(128);
      await write(index, 1, document('x', 1, `naïve 公开 公开 ไทย ${long} Ǆ`), document('y', 2, 'naive 公'));
      expect(await ask(index, `公开 naïve ไทย ${long} Ǆ 公`)).toMatchObject({
        frequencies: [1, 1, 1, 1, 1, 1],
        found: [{ key: 'y' }, { key: 'x', counts: [2, 1, 1, 1, 1, 0] }],
      });
    }));

  it('stores a document with half a megabyte of distinct terms', () =>
    withIndex(async (index) => {
      const terms = Array.from({ length: 8000 }, (_, i) => `${'w'.repeat(60)}${i}`).join(' ');
      await write(index, 1, document('x', 1, terms));
      expect(await ask(index, `${'w'.repeat(60)}7999`)).toMatchObject({
        length: 8000,
        found: [{ key: 'x', counts: [1] }],
      });
    }));

  it('ranks documents that contain all words first when every word is common', () =>
    withIndex(async (index) => {
      const documents = Array.from({ length: 5000 }, (_, i) =>
        document(`k${i}`, i, i === 7 ? 'a b' : i % 2 === 0 ? 'a' : 'b'),
      );
      await write(index, 1, ...documents);
      const { found, frequencies } = await ask(index, 'a b');
      expect(frequencies).toEqual([2501, 2500]);
      expect(found).toHaveLength(2000);
      expect(found.slice(0, 3).map(({ key }) => key)).toEqual(['k7', 'k4999', 'k4997']);
      expect(new Set(found.map(({ key }) => key)).size).toBe(2000);
      expect(found.at(-1)?.key).toBe('k1003');
    }));

  it('ranks only documents with the rarest words when the others are common', () =>
    withIndex(async (index) => {
      const documents = Array.from({ length: 4000 }, (_, i) =>
        document(`k${i}`, i, i % 1000 === 1 ? 'a rare' : 'a'),
      );
      await write(index, 1, ...documents);
      const { found } = await ask(index, 'a rare');
      expect(found.map(({ key }) => key)).toEqual(['k3001', 'k2001', 'k1001', 'k1']);
    }));

  it('removes every document on reset and records which scrubs are applied', () =>
    withIndex(async (index) => {
      await write(index, 9, document('x', 1, 'a'));
      expect(await index.follow(async () => ({ reset: true, scrubsApplied: 9 }))).toEqual({
        size: 0,
        head: '',
        scrubsApplied: 9,
      });
      expect(await index.cursor()).toEqual({ size: 0, head: '', scrubsApplied: 9 });
      expect(await ask(index, 'a')).toEqual({ documents: 0, length: 0, frequencies: [0], found: [] });
    }));

  it('changes nothing when a step fails, and continues with the next', () =>
    withIndex(async (index) => {
      await write(index, 3, document('x', 1, 'a'));
      const failed = index.follow(() => Promise.reject(new Error('the reader is gone')));
      await expect(failed).rejects.toThrow('the reader is gone');
      const clash = index.follow(async () => ({
        documents: [document('y', 2, 'b'), document('z', 2, 'c')],
        cursor: { size: 4, head: 'four', scrubsApplied: 0 },
      }));
      await expect(clash).rejects.toThrow(/unique/i);
      expect(await index.cursor()).toEqual({ size: 3, head: 'head of 3', scrubsApplied: 0 });
      expect((await ask(index, 'a b c')).frequencies).toEqual([1, 0, 0]);
      await write(index, 4, document('y', 2, 'b'));
      expect((await ask(index, 'a b c')).frequencies).toEqual([1, 1, 0]);
    }));
});

describe.skipIf(!hasPostgres)('all search indexes', () => {
  it('propose the same documents with the same counts after any writes', async () => {
    const indexes = await Promise.all(kinds.map((kind) => kind.open()));
    const [first, ...others] = indexes as [SearchIndex, ...SearchIndex[]];
    const random = seededRandom(20_261_121);
    const below = (n: number): number => Math.floor(random() * n);
    /** Few words are everywhere, and many nearly nowhere. */
    const word = (): string => `w${Math.floor(random() ** 4 * 400)}`;
    let size = 0;
    for (const count of [3500, 200, 0, 3000, 200]) {
      const documents = new Map<string, IndexedDocument>();
      for (let i = 0; i < count; i++) {
        const key = `k${below(6000)}`;
        const terms = Array.from({ length: below(12) === 0 ? 0 : 1 + below(9) }, word);
        const [tenant, kind] = [below(5) === 0 ? 'lab' : 'main', below(3) === 0 ? 'claim' : 'div'];
        documents.set(key, { key, at: size + i, tenant, kind, terms });
      }
      size += count;
      for (const index of indexes)
        if (count === 0) await index.follow(async () => ({ reset: true, scrubsApplied: size }));
        else await write(index, size, ...documents.values());
      for (let asked = 0; asked < 20; asked++) {
        const terms = [...new Set(Array.from({ length: 1 + below(5) }, word))].join(' ');
        const tenant = below(4) === 0 ? 'lab' : 'main';
        const only = below(3) === 0 ? ['claim'] : undefined;
        const answer = [terms, await ask(first, terms, tenant, only)];
        for (const other of others) expect([terms, await ask(other, terms, tenant, only)]).toEqual(answer);
      }
      const followed = await first.cursor();
      for (const other of others) expect(await other.cursor()).toEqual(followed);
    }
    for (const index of indexes) await index.close();
  });
});
