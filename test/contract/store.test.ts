/** What every store promises, asked of each in turn (src/engine/store.ts). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { chainAggregate, reads, writes, type StoredEvent } from '../../src/engine/act.ts';
import type { LogEntry, Store, StoreLimits } from '../../src/engine/store.ts';
import type { AnyRow } from '../../src/engine/tables.ts';
import { fault, isFault } from '../../src/kernel/fault.ts';
import { openCheckpoint } from '../../src/ledger/checkpoint.ts';
import { verifyChain } from '../../src/ledger/chain.ts';
import { commitment, leafHash } from '../../src/ledger/entry.ts';
import { verifyInclusion } from '../../src/ledger/merkle.ts';
import { isRefusal } from '../../src/ledger/refusal.ts';
import { oraclePath, oracleRoot } from '../unit/ledger/support.ts';
import { logged, signer, storeKinds, type Place } from '../support/stores.ts';
import {
  act,
  append,
  committed,
  increment,
  journalTable,
  nameTable,
  noon,
  say,
  spend,
  tallySchema,
  tallyTable,
  tickTable,
} from './tally.ts';

describe.each(storeKinds())('the $name store', (kind) => {
  let place: Place;
  let store: Store;

  beforeAll(() => kind.start());
  afterAll(() => kind.stop());
  beforeEach(async () => {
    place = await kind.place();
    store = await place.open(tallySchema);
  });
  afterEach(() => place.remove());

  const reopen = async (limits?: Partial<StoreLimits>): Promise<Store> => {
    await store.close();
    return (store = await place.open(tallySchema, limits));
  };

  describe('an act', () => {
    test('returns its entries, and its rows can be read at once', async () => {
      const { answer, entries } = await committed(
        store,
        say('t1', { value: 7, tick: { n: 3, label: 'x', weight: 0.5 } }),
      );
      expect(entries.map((entry) => entry.seq)).toEqual([answer]);
      expect(entries[0]?.sealed.entry).toMatchObject({ chain: 't1', n: 0, prev: 'genesis', action: 'say' });
      expect(await store.read.row(tallyTable, 't1')).toEqual({
        id: 't1',
        value: 7,
        note: null,
        data: null,
        head: { n: 0, hash: entries[0]?.sealed.hash, ts: noon },
      });
      expect([...(await store.read.rows(tickTable, 't1'))]).toEqual([
        [3, { id: 't1', n: 3, label: 'x', weight: 0.5 }],
      ]);
    });

    test('returns its place in the log as soon as it is integrated', async () => {
      const first = await committed(store, say('t1', { value: 1 }));
      const second = await committed(store, say('t1', { value: 2 }));
      if (kind.integratesAtOnce) {
        expect([first.logIndex, second.logIndex]).toEqual([0, 1]);
        expect([first.checkpoint?.size, second.checkpoint?.size]).toEqual([1, 2]);
      } else {
        expect([first.logIndex, first.checkpoint, second.logIndex, second.checkpoint]).toEqual([
          null,
          null,
          null,
          null,
        ]);
      }
      await logged(store, 2);
      expect(await store.read.indexOf(first.answer)).toBe(0);
      expect(await store.read.indexOf(second.answer)).toBe(1);
    });

    test('keeps its recorded entries when it returns a fault', async () => {
      const refusal = fault('conflict', 'No.', 'Do not.');
      const outcome = await committed(
        store,
        act([writes('tally', 't1')], (tx) => {
          append(tx, 't1', { note: 'refused' });
          return refusal;
        }),
      );
      expect(outcome.answer).toEqual(refusal);
      expect(outcome.entries).toHaveLength(1);
      expect(await store.read.row(tallyTable, 't1')).toMatchObject({ note: 'refused' });
    });

    test('leaves no trace when it records nothing', async () => {
      const outcome = await committed(
        store,
        act([reads('tally', 't1')], (tx) => tx.row(tallyTable, 't1') ?? 'none'),
      );
      expect(outcome).toEqual({ answer: 'none', entries: [], logIndex: null, checkpoint: null });
      await committed(store, say('t2', {}));
      await logged(store, 1);
      expect((await store.read.checkpoint())?.size).toBe(1);
    });

    test('leaves nothing when it throws, and the other acts of the batch are applied', async () => {
      const thrown = act([writes('tally', 'b')], (tx): number => {
        append(tx, 'b', { value: 9, name: 'taken', journal: { object: 'o', word: 'w', value: 1 } });
        throw new Error('a broken invariant');
      });
      const [a, b, c] = await Promise.allSettled([
        store.run(say('a', { value: 1 })),
        store.run(thrown),
        store.run(say('c', { value: 3 })),
      ]);
      expect([a.status, b.status, c.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect((b as PromiseRejectedResult).reason).toMatchObject({ message: 'a broken invariant' });
      expect(await store.read.row(tallyTable, 'b')).toBeUndefined();
      expect(await store.read.row(nameTable, 'taken')).toBeUndefined();
      expect(await store.read.chain('b')).toEqual([]);
      expect(await store.read.count(journalTable, 'o')).toBe(0);
      await logged(store, 2);
      expect((await store.read.entries(0, 10)).map((entry) => JSON.parse(entry.text).chain)).toEqual([
        'a',
        'c',
      ]);
    });

    test('is refused alone when the database rejects it, and the other acts of the batch are applied', async () => {
      const impossible = say('b', { value: 'no number' as unknown as number });
      const [a, b, c] = await Promise.allSettled([
        store.run(increment('a')),
        store.run(impossible),
        store.run(increment('a')),
      ]);
      expect([a.status, b.status, c.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(await store.read.row(tallyTable, 'a')).toMatchObject({ value: 2 });
      expect(await store.read.chain('b')).toEqual([]);
      expect((await committed(store, increment('b'))).answer).toBe(0);
    });

    test('is refused when it lacks a required column, and the next one is applied', async () => {
      const without = act([writes('tally', 't1')], (tx) =>
        append(tx, 't1', { tick: { n: 1, label: null as unknown as string, weight: 1 } }),
      );
      await expect(store.run(without)).rejects.toThrow('must hold a value');
      expect(await store.read.chain('t1')).toEqual([]);
      expect((await committed(store, increment('t1'))).answer).toBe(0);
    });

    test('undoes what it appended after a mark, and keeps what came before', async () => {
      const outcome = await committed(
        store,
        act([writes('tally', 't1')], (tx) => {
          append(tx, 't1', { value: 1, name: 'kept' }, noon);
          const mark = tx.mark();
          append(
            tx,
            't1',
            { value: 2, tick: { n: 1, label: 'gone', weight: 1 }, name: 'gone', unname: 'kept' },
            noon,
          );
          append(tx, 't1', { drop: true }, noon);
          const dropped = tx.row(tallyTable, 't1');
          tx.rollback(mark);
          append(tx, 't1', { note: 'after' }, noon);
          return [dropped, tx.row(tallyTable, 't1')?.value, tx.rows(tickTable, 't1').size];
        }),
      );
      expect(outcome.answer).toEqual([undefined, 1, 0]);
      expect(outcome.entries.map(({ sealed }) => sealed.entry.n)).toEqual([0, 1]);
      expect(await store.read.row(tallyTable, 't1')).toMatchObject({ value: 1, note: 'after' });
      expect(await store.read.row(nameTable, 'kept')).toEqual({ path: 'kept', id: 't1', rank: null });
      expect(await store.read.row(nameTable, 'gone')).toBeUndefined();
      expect(await store.read.count(tickTable, 't1')).toBe(0);
      expect(await store.read.chain('t1')).toHaveLength(2);
    });

    test('runs again once a key that it did not declare is loaded', async () => {
      await committed(store, say('t1', { value: 5, name: 'five' }, [writes('name', 'five')]));
      await reopen();
      let decided = 0;
      const outcome = await committed(
        store,
        act([], (tx) => {
          decided++;
          const id = tx.row(nameTable, 'five')?.id as string;
          const value = (tx.row(tallyTable, id)?.value as number) + 1;
          append(tx, id, { value });
          return value;
        }),
      );
      expect(outcome.answer).toBe(6);
      // Without anything, with the name, with the tally; where keys are locked, once more with the tally to write.
      expect(decided).toBe(kind.name === 'sqlite' ? 3 : 4);
      expect(await store.read.row(tallyTable, 't1')).toMatchObject({ value: 6 });
    });

    test('may load very many keys that it did not declare', async () => {
      const outcome = await committed(
        store,
        act([], (tx) => {
          for (let i = 0; i < 50; i++) append(tx, `many-${i}`, { value: i });
          return 'done';
        }),
      );
      expect(outcome.answer).toBe('done');
      expect(outcome.entries).toHaveLength(50);
      expect(await store.read.row(tallyTable, 'many-49')).toMatchObject({ value: 49 });
    });

    test('may append thousands of entries, which stand in sequence in the log', async () => {
      const outcome = await committed(
        store,
        act([writes('tally', 'big')], (tx) => {
          for (let i = 0; i < 5000; i++) append(tx, 'big', { value: i });
        }),
      );
      expect(outcome.entries).toHaveLength(5000);
      const seqs = outcome.entries.map((entry) => entry.seq);
      expect(seqs.every((seq, i) => seq === (seqs[0] as number) + i)).toBe(true);
      expect(seqs.every(Number.isSafeInteger)).toBe(true);
      await logged(store, 5000);
      expect(await store.read.indexOf(seqs[4999] as number)).toBe(4999);
      expect(await store.read.row(tallyTable, 'big')).toMatchObject({ value: 4999 });
    });

    test('reads a chain including its own new entries', async () => {
      await committed(store, say('t1', { value: 1 }));
      const outcome = await committed(
        store,
        act([writes('tally', 't1'), writes(chainAggregate, 't1')], (tx) => {
          append(tx, 't1', { value: 2 });
          return tx.chain('t1').map((event) => JSON.parse(event.contents[0]?.body ?? '') as unknown);
        }),
      );
      expect(outcome.answer).toEqual([{ value: 1 }, { value: 2 }]);
    });

    test('cannot read a table that is write-only', async () => {
      await expect(store.run(act([], (tx) => tx.rows(journalTable, 'o')))).rejects.toThrow(
        'never decided upon',
      );
    });
  });

  describe('concurrent acts', () => {
    test('lose no update when 64 of them add to one tally', async () => {
      const outcomes = await Promise.all(Array.from({ length: 64 }, () => committed(store, increment('t1'))));
      expect(outcomes.map((outcome) => outcome.answer).sort((a, b) => a - b)).toEqual(
        Array.from({ length: 64 }, (_, i) => i),
      );
      expect(await store.read.row(tallyTable, 't1')).toMatchObject({ value: 64 });
      const chain = await store.read.chain('t1');
      expect(chain.map((event) => (JSON.parse(event.text) as { n: number }).n)).toEqual(
        Array.from({ length: 64 }, (_, i) => i),
      );
    });

    test('see the changes of earlier acts in the same batch', async () => {
      const [, found] = await Promise.all([
        committed(store, say('t1', { value: 3, name: 'three' }, [writes('name', 'three')])),
        committed(
          store,
          act([reads('tally', 't1'), reads('name', 'three')], (tx) => [
            tx.row(tallyTable, 't1')?.value,
            tx.row(nameTable, 'three')?.id,
          ]),
        ),
      ]);
      expect(found.answer).toEqual([3, 't1']);
    });

    test('see the changes of earlier acts in the same batch for undeclared keys too', async () => {
      await committed(store, say('t1', { value: 1 }));
      await reopen();
      const adding = (): Promise<{ readonly answer: unknown }> =>
        committed(
          store,
          act([], (tx) => {
            const value = (tx.row(tallyTable, 't1')?.value as number) + 1;
            append(tx, 't1', { value });
            return [value, tx.chain('t1').length];
          }),
        );
      const outcomes = await Promise.all([
        committed(store, say('t1', { value: 10 })),
        adding(),
        committed(store, say('t2', { value: 5 })),
        adding(),
      ]);
      expect([outcomes[1].answer, outcomes[3].answer]).toEqual([
        [11, 3],
        [12, 4],
      ]);
      expect(await store.read.row(tallyTable, 't1')).toMatchObject({ value: 12 });
      expect(await store.read.chain('t1')).toHaveLength(4);
      expect(await store.read.row(tallyTable, 't2')).toMatchObject({ value: 5 });
    });

    test('are all applied when batches overlap and the database rejects some of them', async () => {
      const poison = (id: string) => say(id, { value: 'no number' as unknown as number });
      const growth = (id: string) =>
        act([], (tx) => {
          append(tx, id, {});
          return tx.chain(id).length;
        });
      const tasks: Promise<unknown>[] = [];
      const counts: number[][] = [[], [], [], []];
      const lengths: number[] = [];
      const checkpoints = new Set<number>();
      let given = 0;
      let refused = 0;
      const count = async (tally: number): Promise<void> => {
        const { answer, logIndex, checkpoint, entries } = await committed(store, increment(`t${tally}`));
        counts[tally]?.push(answer);
        if (checkpoint === null) return;
        checkpoints.add(checkpoint.size);
        const leaf = leafHash(entries[0]?.sealed.text as string);
        const path = await store.read.inclusion(logIndex as number, checkpoint.size);
        expect(verifyInclusion(logIndex as number, checkpoint.size, leaf, path, checkpoint.root)).toBe(true);
      };
      for (let i = 0; i < 1200; i++) {
        tasks.push(count(i % 4));
        if (i % 5 === 0)
          tasks.push(
            committed(store, spend('budget', 100, `s${i}`)).then(({ answer }) => void (answer && given++)),
          );
        if (i % 97 === 40) tasks.push(store.run(poison(`p${i}`)).catch(() => void refused++));
        if (i % 31 === 7)
          tasks.push(committed(store, growth('grown')).then(({ answer }) => void lengths.push(answer)));
        if (i % 11 === 0) await new Promise(setImmediate);
      }
      await Promise.all(tasks);
      const until = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
      expect(counts.map((answers) => answers.sort((a, b) => a - b))).toEqual(Array(4).fill(until(300)));
      expect([given, refused]).toEqual([100, 12]);
      expect(lengths.sort((a, b) => a - b)).toEqual(until(39).map((n) => n + 1));
      if (kind.integratesAtOnce) expect(checkpoints.size).toBeGreaterThan(20);
      await logged(store, 1200 + 100 + 39);
      const entries = await store.read.entries(0, 2000);
      expect(entries).toHaveLength(1200 + 100 + 39);
      const head = await store.read.checkpoint();
      const root = oracleRoot(entries.map(({ text }) => leafHash(text)));
      expect(Buffer.from(head?.root as Uint8Array).equals(root)).toBe(true);
      for (const id of ['t0', 't3', 'grown']) {
        const links = (await store.read.chain(id)).map(linkOf);
        expect(verifyChain(links, { chain: id })).toMatchObject({ valid: true });
      }
    });

    test('never overdraw a budget that only its own row counts when batches overlap', async () => {
      // The embedded store's worker comes up while the first large batch is written here.
      await Promise.all(Array.from({ length: 16 }, () => committed(store, increment('t0'))));
      await new Promise((up) => setTimeout(up, 300));
      const spent: Promise<boolean>[] = [];
      for (let i = 0; i < 600; i++) {
        spent.push(committed(store, spend('budget', 250, `s${i}`)).then(({ answer }) => answer));
        if (i % 11 === 0) await new Promise(setImmediate);
      }
      expect((await Promise.all(spent)).filter(Boolean)).toHaveLength(250);
      expect(await store.read.row(nameTable, 'budget')).toMatchObject({ rank: 250 });
    });

    test('never append twice at the same place of a chain', async () => {
      // Nothing in these acts' keys keeps them apart but the chain itself.
      const outcomes = await Promise.allSettled(Array.from({ length: 8 }, (_, i) => store.run(beginning(i))));
      expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
      expect(await store.read.chain('lonely')).toHaveLength(1);
    });

    test('are refused as overloaded when the queue is full', async () => {
      await reopen({ queueMax: 3, batchMax: 2 });
      const outcomes = await Promise.all(Array.from({ length: 5 }, () => store.run(increment('t1'))));
      expect(outcomes.filter(isFault).map((refusal) => refusal.fault)).toEqual(['overloaded', 'overloaded']);
      expect(await store.read.row(tallyTable, 't1')).toMatchObject({ value: 3 });
    });

    test('that wait when the store closes are applied, and later ones are refused', async () => {
      const waiting = Array.from({ length: 10 }, () => store.run(increment('t1')));
      const closing = store.close();
      const late = await store.run(increment('t1'));
      await closing;
      expect((await Promise.all(waiting)).filter(isFault)).toEqual([]);
      expect(late).toMatchObject({ fault: 'shutting_down' });
      store = await place.open(tallySchema);
      expect(await store.read.row(tallyTable, 't1')).toMatchObject({ value: 10 });
    });
  });

  describe('a chain', () => {
    test('links its entries, and dates none before its predecessor', async () => {
      await committed(
        store,
        act([writes('tally', 't1')], (tx) => append(tx, 't1', { value: 1 }, '2026-03-01T12:00:00.500Z')),
      );
      await committed(
        store,
        act([writes('tally', 't1')], (tx) => append(tx, 't1', { value: 2 }, '2026-03-01T11:00:00.000Z')),
      );
      await reopen();
      await committed(
        store,
        act([writes('tally', 't1')], (tx) => append(tx, 't1', { value: 3 }, '2026-03-01T13:00:00.000Z')),
      );
      const chain = await store.read.chain('t1');
      expect(chain.map((event) => (JSON.parse(event.text) as { ts: string }).ts)).toEqual([
        '2026-03-01T12:00:00.500Z',
        '2026-03-01T12:00:00.500Z',
        '2026-03-01T13:00:00.000Z',
      ]);
      expect(verifyChain(chain.map(linkOf), { chain: 't1' })).toMatchObject({ valid: true, entries: 3 });
    });

    test('keeps its contents with the salts of their commitments', async () => {
      const { entries } = await committed(
        store,
        act([writes('tally', 't1')], (tx) =>
          tx.append({
            draft: { chain: 't1', ts: noon, actor: 'system', action: 'say' },
            head: null,
            contents: [
              { field: 'content_sha', value: { note: 'ünï "quoted" \\ \n\u0001 🜚', value: 3 } },
              { field: 'text_sha', value: 'plain\ttext\r\n', plain: true },
              { field: 'empty_sha', value: '' },
            ],
          }),
        ),
      );
      await reopen();
      const [event] = (await store.read.chain('t1')) as [StoredEvent];
      expect(event.text).toBe(entries[0]?.sealed.text);
      expect(event.contents.map(({ field, body }) => [field, body])).toEqual([
        ['content_sha', '{"note":"ünï \\"quoted\\" \\\\ \\n\\u0001 🜚","value":3}'],
        ['text_sha', 'plain\ttext\r\n'],
        ['empty_sha', '""'],
      ]);
      const entry = JSON.parse(event.text) as Record<string, string>;
      expect(event.contents[1]?.salt).toBeNull();
      for (const { field, salt, body } of event.contents) {
        if (salt !== null) expect(commitment(salt, body as string)).toBe(entry[field]);
      }
    });

    test('is found by the prefix of its name, in commit order', async () => {
      for (const id of ['art_b.x', 'art_a.y', 'art_b.d10', 'art_b', 'art_c.x', 'art_b.x'])
        await committed(store, say(id, {}));
      const found = await store.read.chains('art_b.');
      expect(found.map((event) => (JSON.parse(event.text) as { chain: string }).chain)).toEqual([
        'art_b.x',
        'art_b.d10',
        'art_b.x',
      ]);
    });

    test('is paged, with the act and log place of each entry', async () => {
      for (const id of ['art_b.x', 'art_a.y', 'art_b.d10', 'art_b', 'art_c.x', 'art_b.x'])
        await committed(store, say(id, {}));
      const whole = await store.read.chains('art_b.');
      const [first, ...rest] = await store.read.history('art_b.', -1, 1);
      expect([first?.seq, first?.act, rest]).toEqual([whole[0]?.seq, whole[0]?.seq, []]);
      const others = await store.read.history('art_b.', first?.seq ?? 0, 10);
      expect(others.map(({ seq, text, contents }) => ({ seq, text, contents }))).toEqual(whole.slice(1));
      for (const { seq, index } of others) expect([null, await store.read.indexOf(seq)]).toContain(index);
    });

    test('includes entries that were appended between two pages', async () => {
      const add = (): Promise<unknown> => committed(store, say('art_p.x', {}));
      for (let i = 0; i < 4; i++) await add();
      const [first] = await store.read.history('art_p.', -1, 1);
      await add();
      const second = await store.read.history('art_p.', first?.seq ?? 0, 2);
      const third = await store.read.history('art_p.', second.at(-1)?.seq ?? 0, 2);
      const numbers = [first, ...second, ...third].map((event) => event?.seq);
      expect(numbers).toEqual((await store.read.chains('art_p.')).map(({ seq }) => seq));
      expect(numbers).toHaveLength(5);
    });
  });

  describe('rows', () => {
    const odd = 'tab\t quote" back\\ line\n \u0001 ünï 🜚 \u2028 {"a":1} \\u0041 $1 %s \'';

    test('are read back exactly as written', async () => {
      const data = {
        __proto__x: 1,
        '2': [1, -0.5, 1e-7, 1e300, 5e-324],
        '10': null,
        '': [true, false, {}],
        [odd]: odd,
        nested: { z: 1, a: 2 },
      };
      await committed(
        store,
        say(odd, {
          value: Number.MAX_SAFE_INTEGER,
          note: odd,
          data,
          tick: { n: Number.MIN_SAFE_INTEGER, label: odd, weight: 0.1 },
        }),
      );
      await reopen();
      expect(await store.read.row(tallyTable, odd)).toMatchObject({
        id: odd,
        value: 9007199254740991,
        note: odd,
        data,
      });
      expect(await store.read.row(tickTable, odd, -9007199254740991)).toEqual({
        id: odd,
        n: -9007199254740991,
        label: odd,
        weight: 0.1,
      });
    });

    test('keep only their last values, and removed rows are gone', async () => {
      await committed(
        store,
        say('t1', { value: 1, note: 'x', data: [1], tick: { n: 1, label: 'a', weight: 1 }, name: 'n' }, [
          writes('name', 'n'),
        ]),
      );
      await committed(
        store,
        say('t1', { value: 2, note: null, data: { a: 1 }, tick: { n: 1, label: 'b', weight: 2 } }),
      );
      expect(await store.read.row(tallyTable, 't1')).toMatchObject({ value: 2, note: null, data: { a: 1 } });
      await committed(store, say('t1', { untick: 1, unname: 'n' }, [writes('name', 'n')]));
      for (let i = 0; i < 2; i++) {
        expect(await store.read.row(tickTable, 't1', 1)).toBeUndefined();
        expect(await store.read.row(nameTable, 'n')).toBeUndefined();
        expect(await store.read.row(tallyTable, 't1')).toMatchObject({ value: 2 });
        await reopen();
      }
      await committed(store, say('t1', { name: 'n', drop: true }, [writes('name', 'n')]));
      expect(await store.read.row(nameTable, 'n')).toEqual({ path: 'n', id: 't1', rank: null });
      expect(await store.read.row(tallyTable, 't1')).toBeUndefined();
    });

    test('are listed in order of their second key, within bounds, in both directions', async () => {
      for (const n of [30, -2, 4, 100, 5])
        await committed(store, say('t1', { tick: { n, label: `${n}`, weight: n } }));
      await committed(store, say('t2', { tick: { n: 6, label: 'other', weight: 6 } }));
      const list = async (range: Parameters<Store['read']['list']>[2]) =>
        (await store.read.list(tickTable, 't1', range)).map((row) => row.n);
      expect(await list({ limit: 10 })).toEqual([-2, 4, 5, 30, 100]);
      expect(await list({ limit: 2, reverse: true })).toEqual([100, 30]);
      expect(await list({ limit: 10, after: 4 })).toEqual([5, 30, 100]);
      expect(await list({ limit: 10, after: 4, before: 100 })).toEqual([5, 30]);
      expect(await list({ limit: 1, before: 100, reverse: true })).toEqual([30]);
      expect(await list({ limit: 0 })).toEqual([]);
      expect(await store.read.count(tickTable, 't1')).toBe(5);
      expect(await store.read.count(tickTable, 'nobody')).toBe(0);
    });

    test('are counted by the values of columns and by what these begin with', async () => {
      const ticks = [
        ['t1', 1, '2026-01-01T08'],
        ['t1', 2, '2026-01-01T09'],
        ['t1', 3, '2026-01-02T08'],
        ['t2', 1, '2026-01-02T08'],
        ['t3', 1, '2026-01-02T08'],
      ] as const;
      for (const [id, n, label] of ticks) await committed(store, say(id, { tick: { n, label, weight: n } }));
      const count = async (grouping: Parameters<Store['read']['countBy']>[1]) =>
        (await store.read.countBy(tickTable, grouping)).map(({ of, n }) => `${of.join(' ')} ${n}`).sort();
      const ids = ['t1', 't2'];
      expect(await count({ ids, where: [], by: [{ column: 'label', chars: 10 }] })).toEqual([
        '2026-01-01 2',
        '2026-01-02 2',
      ]);
      expect(
        await count({
          ids,
          where: [{ column: 'label', op: '>=', value: '2026-01-01T09' }],
          by: [{ column: 'id' }, { column: 'label', chars: 10 }],
        }),
      ).toEqual(['t1 2026-01-01 1', 't1 2026-01-02 1', 't2 2026-01-02 1']);
      expect(await count({ ids: ['nobody'], where: [], by: [{ column: 'label' }] })).toEqual([]);
      expect(await count({ ids: [], where: [], by: [{ column: 'label' }] })).toEqual([]);
    });

    test('are ordered by the bytes of their keys, whatever the locale', async () => {
      // By bytes: A-Z, a-z, é, a letter at the end of the first plane, and only then one beyond it.
      const words = ['z', 'Z', 'é', 'a', '10', '9', '\uFFFD', '𝒜', '_', 'ä', 'A', '-'];
      for (const word of words)
        await committed(store, say('t1', { journal: { object: 'o', word, value: null } }));
      const sorted = ['-', '10', '9', 'A', 'Z', '_', 'a', 'z', 'ä', 'é', '\uFFFD', '𝒜'];
      expect((await store.read.list(journalTable, 'o', { limit: 50 })).map((row) => row.word)).toEqual(
        sorted,
      );
      expect(
        (await store.read.list(journalTable, 'o', { limit: 3, after: 'a' })).map((row) => row.word),
      ).toEqual(['z', 'ä', 'é']);
      expect((await collect(store.read.scan(journalTable))).map((row) => row['word'])).toEqual(sorted);
    });

    test('are scanned completely, in key order, with only the columns of the table', async () => {
      for (const id of ['b', 'a', 'B'])
        await committed(
          store,
          say(id, { name: `${id}/x`, tick: { n: 2, label: 'l', weight: 1 } }, [writes('name', `${id}/x`)]),
        );
      await committed(store, say('a', { tick: { n: 1, label: 'l', weight: 1.5 } }));
      expect(await collect(store.read.scan(nameTable))).toEqual([
        { path: 'B/x', id: 'B', rank: null },
        { path: 'a/x', id: 'a', rank: null },
        { path: 'b/x', id: 'b', rank: null },
      ]);
      expect(
        (await collect(store.read.scan(tickTable))).map((row) => [row['id'], row['n'], row['weight']]),
      ).toEqual([
        ['B', 2, 1],
        ['a', 1, 1.5],
        ['a', 2, 1],
        ['b', 2, 1],
      ]);
    });

    test('are scanned past one thousand, and a scan may stop early', async () => {
      await committed(
        store,
        act([writes('tally', 't1')], (tx) => {
          for (let n = 0; n < 2500; n++) append(tx, 't1', { tick: { n, label: 'x', weight: 1 } });
        }),
      );
      for await (const row of store.read.scan(tickTable)) if (row['n'] === 3) break;
      expect((await collect(store.read.scan(tickTable))).map((row) => row['n'])).toEqual(
        Array.from({ length: 2500 }, (_, i) => i),
      );
    });

    test('are empty for a table that was never written', async () => {
      expect(await store.read.row(tallyTable, 'nobody')).toBeUndefined();
      expect(await store.read.rows(tickTable, 'nobody')).toEqual(new Map());
      expect(await store.read.list(tickTable, 'nobody', { limit: 5 })).toEqual([]);
      expect(await store.read.chain('nobody')).toEqual([]);
      expect(await store.read.chains('nobody')).toEqual([]);
      expect(await store.read.indexOf(123456789)).toBeNull();
    });
  });

  describe('a stamp', () => {
    test('changes with its own aggregate only', async () => {
      await committed(store, say('t1', { value: 1, name: 'one' }, [writes('name', 'one')]));
      await committed(store, say('t2', { value: 1 }));
      const before = await stamps();
      expect(await stamps()).toEqual(before);
      await committed(store, say('t1', { tick: { n: 1, label: 'l', weight: 1 } }));
      const after = await stamps();
      expect(after.t1).not.toBe(before.t1);
      expect([after.t2, after.one]).toEqual([before.t2, before.one]);
      await committed(store, say('t2', { name: 'one' }, [writes('name', 'one')]));
      const taken = await stamps();
      expect(taken.one).not.toBe(after.one);
      await committed(store, say('t2', { unname: 'one' }, [writes('name', 'one')]));
      const last = await stamps();
      expect(last.one).not.toBe(taken.one);
      expect(last.t1).toBe(after.t1);

      async function stamps() {
        return {
          t1: await store.read.stamp('tally', 't1'),
          t2: await store.read.stamp('tally', 't2'),
          one: await store.read.stamp('name', 'one'),
        };
      }
    });
  });

  describe('with a nearly empty cache', () => {
    test('reads the same as with a full cache', async () => {
      await reopen({ cacheBytesMax: 600 });
      const ids = Array.from({ length: 20 }, (_, i) => `t${i}`);
      for (let round = 0; round < 3; round++)
        await Promise.all(ids.map((id) => committed(store, increment(id))));
      for (const id of ids) expect(await store.read.row(tallyTable, id)).toMatchObject({ value: 3 });
    });
  });

  describe('after a restart', () => {
    test('reads the same as before', async () => {
      for (let i = 0; i < 5; i++) {
        await Promise.all([
          committed(
            store,
            say(`t${i % 3}`, {
              value: i,
              data: { i },
              name: `n${i}`,
              tick: { n: i, label: 'l', weight: i / 3 },
            }),
          ),
          committed(
            store,
            say('other', { note: `${i}`, journal: { object: 'o', word: `w${i}`, value: i / 7 } }),
          ),
        ]);
      }
      await logged(store, 10);
      const before = await everything(store);
      await reopen();
      expect(await everything(store)).toEqual(before);
      expect(before.entries).toHaveLength(10);
    });

    test('continues chains and log where they ended', async () => {
      await committed(store, say('t1', { value: 1 }));
      await reopen();
      await committed(store, say('t1', { value: 2 }));
      await logged(store, 2);
      const entries = await store.read.entries(0, 10);
      expect(entries.map(({ index, text }) => [index, (JSON.parse(text) as { n: number }).n])).toEqual([
        [0, 0],
        [1, 1],
      ]);
      await expectProven(store, entries);
    });
  });

  describe('the log', () => {
    test('starts empty', async () => {
      expect(await store.read.checkpoint()).toBeNull();
      expect(await store.read.entries(0, 10)).toEqual([]);
      expect(await store.read.tile(0, 0, 1)).toBeUndefined();
    });

    test('holds each entry once, with the entries of one act adjacent, in order of act numbers', async () => {
      const outcomes = await Promise.all(Array.from({ length: 40 }, (_, i) => committed(store, pair(i))));
      await logged(store, 80);
      const entries = await store.read.entries(0, 1000);
      expect(entries.map((entry) => entry.index)).toEqual(Array.from({ length: 80 }, (_, i) => i));
      expect(new Set(entries.map((entry) => entry.seq))).toEqual(
        new Set(outcomes.flatMap(({ entries: made }) => made.map((entry) => entry.seq))),
      );
      for (let i = 0; i < 80; i += 2) {
        const [first, second] = entries.slice(i, i + 2) as [LogEntry, LogEntry];
        expect([first.act, second.act, second.seq]).toEqual([first.seq, first.seq, first.seq + 1]);
      }
      expect((await store.read.entries(78, 10)).map((entry) => entry.index)).toEqual([78, 79]);
      expect((await store.read.entries(3, 2)).map((entry) => entry.index)).toEqual([3, 4]);
      expect((await store.read.texts(3, 2)).map(({ ...text }) => text)).toEqual(
        (await store.read.entries(3, 2)).map(({ index, text }) => ({ index, text })),
      );
    });

    test('serves tiles and inclusion paths that lead to its signed root, before and after a restart', async () => {
      await committed(store, fill(0, 256));
      await committed(store, fill(256, 300));
      await committed(store, fill(300, 601));
      await logged(store, 601);
      for (let round = 0; round < 2; round++) {
        const entries = await store.read.entries(0, 1000);
        const leaves = entries.map((entry) => Buffer.from(leafHash(entry.text)));
        const checkpoint = await expectProven(
          store,
          entries.filter((entry) => entry.index % 97 === 0),
        );
        expect(Buffer.from(checkpoint.root).equals(oracleRoot(leaves))).toBe(true);
        const path = await store.read.inclusion(300, 300 + 1);
        expect(path.map(hexOf)).toEqual(oraclePath(300, leaves.slice(0, 301)).map(hexOf));
        for (const [index, size] of [
          [300, 301],
          [0, 601],
          [299, 601],
          [300, 601],
          [600, 601],
          [0, 1],
        ] as const)
          expect(await store.read.inclusionLines(index, size)).toBe(
            oraclePath(index, leaves.slice(0, size))
              .map((hash) => `${Buffer.from(hash).toString('base64')}\n`)
              .join(''),
          );
        await expect(Promise.resolve().then(() => store.read.inclusionLines(0, 602))).rejects.toThrow(
          RangeError,
        );
        await expect(Promise.resolve().then(() => store.read.inclusion(0, 602))).rejects.toThrow(RangeError);
        const tiles = [
          [0, 0, 256],
          [0, 1, 256],
          [0, 0, 7],
          [0, 2, 89],
          [0, 2, 1],
        ] as const;
        for (const [level, n, width] of tiles) {
          expect(hexOf(await store.read.tile(level, n, width))).toBe(
            hexOf(Buffer.concat(leaves.slice(n * 256, n * 256 + width))),
          );
        }
        const upper = [oracleRoot(leaves.slice(0, 256)), oracleRoot(leaves.slice(256, 512))];
        expect(hexOf(await store.read.tile(1, 0, 2))).toBe(hexOf(Buffer.concat(upper)));
        expect(hexOf(await store.read.tile(1, 0, 1))).toBe(hexOf(upper[0]));
        for (const [level, n, width] of [
          [0, 2, 90],
          [0, 3, 1],
          [1, 0, 3],
          [2, 0, 1],
          [0, 0, 0],
          [0, 0, 257],
        ] as const) {
          expect(await store.read.tile(level, n, width)).toBeUndefined();
        }
        await reopen();
      }
    });

    test('can be followed from any index while it grows', async () => {
      for (let i = 0; i < 3; i++) await committed(store, say('t1', { value: i }));
      await logged(store, 3);
      const stop = new AbortController();
      const seen: number[] = [];
      const following = (async () => {
        for await (const entry of store.follow(1, stop.signal)) {
          seen.push(entry.index);
          if (entry.index === 7) stop.abort();
        }
      })();
      for (let i = 3; i < 10; i++) await committed(store, say('t1', { value: i }));
      await following;
      expect(seen.slice(0, 7)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    });

    test('ends its followers when the store closes', async () => {
      await committed(store, say('t1', { value: 1 }));
      const seen: number[] = [];
      const following = (async () => {
        for await (const entry of store.follow(0, new AbortController().signal)) seen.push(entry.index);
      })();
      await logged(store, 1);
      await expect.poll(() => seen).toEqual([0]);
      await store.close();
      await following;
      store = await place.open(tallySchema);
    });
  });

  describe('the keyring', () => {
    test('gives a name to the first claimant and keeps it', async () => {
      expect(await store.keyring.get('origin')).toBeUndefined();
      expect(await store.keyring.claim('origin', 'first')).toBe('first');
      expect(await store.keyring.claim('origin', 'second')).toBe('first');
      await store.keyring.set('owner', 'a');
      await store.keyring.set('owner', 'b');
      await reopen();
      expect([await store.keyring.get('origin'), await store.keyring.get('owner')]).toEqual(['first', 'b']);
      const { keyring } = store;
      expect(await keyring.compareAndSet('owner', undefined, 'c')).toBe(false);
      expect(await keyring.compareAndSet('owner', 'a', 'c')).toBe(false);
      expect(await keyring.compareAndSet('absent', 'a', 'c')).toBe(false);
      expect(await keyring.compareAndSet('witness', undefined, '0')).toBe(true);
      const raced = await Promise.all(
        ['1', '2', '3'].map((value) => keyring.compareAndSet('witness', '0', value)),
      );
      expect(raced.filter(Boolean)).toHaveLength(1);
      expect(await keyring.get('witness')).toBe(['1', '2', '3'][raced.indexOf(true)]);
      expect([await keyring.get('owner'), await keyring.get('absent')]).toEqual(['b', undefined]);
      for (const name of ['own', 'own%', 'own/b', 'own/a', 'own0']) await store.keyring.set(name, name);
      expect(await store.keyring.under('own/')).toEqual([
        { name: 'own/a', value: 'own/a' },
        { name: 'own/b', value: 'own/b' },
      ]);
    });
  });
});

/** Begins a chain, whoever began it before. */
function beginning(i: number) {
  return act([], (tx) =>
    tx.append({ draft: { chain: 'lonely', ts: noon, actor: 'system', action: 'say', i }, head: null }),
  );
}

function pair(i: number) {
  return act([writes('tally', `a${i % 7}`), writes('tally', `b${i}`)], (tx) => {
    append(tx, `a${i % 7}`, { value: i });
    append(tx, `b${i}`, { value: i });
  });
}

function fill(from: number, to: number) {
  return act([writes('tally', 't1')], (tx) => {
    for (let i = from; i < to; i++) append(tx, 't1', { value: i });
  });
}

function linkOf(event: StoredEvent) {
  return { entry: event.text, hash: Buffer.from(leafHash(event.text)).toString('hex') };
}

function hexOf(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? 'none' : Buffer.from(bytes).toString('hex');
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** The newest checkpoint, whose signature stands and whose root every given entry leads to. */
async function expectProven(store: Store, entries: readonly LogEntry[]) {
  const checkpoint = await store.read.checkpoint();
  if (checkpoint === null) throw new Error('there is no checkpoint');
  const opened = openCheckpoint(checkpoint.note, [signer.key]);
  if (isRefusal(opened)) throw new Error(opened.refused);
  expect([opened.size, hexOf(opened.root)]).toEqual([checkpoint.size, hexOf(checkpoint.root)]);
  for (const { index, text } of entries) {
    const path = await store.read.inclusion(index, checkpoint.size);
    expect(verifyInclusion(index, checkpoint.size, leafHash(text), path, checkpoint.root)).toBe(true);
  }
  return checkpoint;
}

async function everything(store: Store) {
  const tables: Record<string, AnyRow[]> = {};
  for (const table of tallySchema.tables) tables[table.name] = await collect(store.read.scan(table));
  const entries = (await store.read.entries(0, 1000)).map(({ contents, ...entry }) => ({
    ...entry,
    contents: contents.map(({ salt, ...content }) => ({ ...content, salt: hexOf(salt ?? undefined) })),
  }));
  const checkpoint = await store.read.checkpoint();
  return { tables, entries, size: checkpoint?.size, note: checkpoint?.note, root: hexOf(checkpoint?.root) };
}
