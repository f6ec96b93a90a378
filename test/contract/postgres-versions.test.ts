/**
 * Nodes of two versions on one PostgreSQL database, whose projectors make other tables and rows (contract §6, ADR 49):
 * both decide by everything that was committed, both read what either acknowledged, and the set of projections that no
 * node uses any more is removed.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { writes, type Schema } from '../../src/engine/act.ts';
import { projectionStamp } from '../../src/engine/ledger-version.ts';
import type { Store } from '../../src/engine/store.ts';
import { integer, table, text } from '../../src/engine/tables.ts';
import { openPostgres, type PostgresOptions } from '../../src/store/postgres/store.ts';
import { hasPostgres, sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { logged, sign } from '../support/stores.ts';
import { act, append, committed, increment, say, spend, tallySchema, tallyTable } from './tally.ts';

/** What the next version projects in addition: how many entries a chain has. */
const lengthTable = table('length', {
  key: { id: text() },
  columns: { entries: integer() },
  aggregate: 'length',
});

const next: Schema = {
  ...tallySchema,
  version: 2,
  tables: [lengthTable, ...tallySchema.tables],
  project(event, to) {
    tallySchema.project(event, to);
    const id = event.sealed.entry.chain;
    to.put(lengthTable, { id, entries: (to.row(lengthTable, id)?.entries ?? 0) + 1 });
  },
};

const third: Schema = { ...tallySchema, version: 3 };

describe.skipIf(!hasPostgres)('nodes of two versions', { timeout: 60_000 }, () => {
  let postgres: TestDatabases;
  let url: string;
  let open: Store[] = [];

  beforeAll(async () => {
    postgres = await sharedPostgres();
  });
  afterAll(() => postgres.stop());
  beforeEach(async () => {
    url = await postgres.database();
  });
  afterEach(async () => {
    await Promise.all(open.map((store) => store.close()));
    open = [];
  });

  const node = async (schema: Schema, options: Partial<PostgresOptions> = {}): Promise<Store> => {
    const store = await openPostgres({ url, schema, sign, upgrades: true, ...options });
    open.push(store);
    return store;
  };
  const close = async (...stores: readonly Store[]): Promise<void> => {
    open = open.filter((store) => !stores.includes(store));
    await Promise.all(stores.map((store) => store.close()));
  };
  const sets = () =>
    postgres.query<{ stamp: string; place: string; ready: boolean }>(
      "SELECT stamp, CASE place WHEN '' THEN 'ledger' ELSE 'own' END AS place, ready FROM projection_set ORDER BY stamp",
      [],
      url,
    );
  const schemas = () =>
    postgres.query("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'colophon%'", [], url);
  const untilOne = (schema: Schema): Promise<void> =>
    vi.waitFor(
      async () =>
        expect(await sets()).toEqual([{ stamp: projectionStamp(schema), place: 'ledger', ready: true }]),
      { timeout: 15_000, interval: 100 },
    );
  const value = async (store: Store, id = 'shared') => (await store.read.row(tallyTable, id))?.value;
  const length = async (store: Store, id = 'shared') => (await store.read.row(lengthTable, id))?.entries ?? 0;

  it('decide and read by what either of them committed, before, during and after the change', async () => {
    const olds = [await node(tallySchema), await node(tallySchema)] as const;
    for (let i = 0; i < 10; i++) await committed(olds[i % 2] as Store, increment('shared'));
    const acknowledged: number[] = [];
    const wrong: string[] = [];
    let running = [...olds] as Store[];
    const load = new AbortController();
    const writer = async (n: number): Promise<void> => {
      for (let i = 0; !load.signal.aborted; i++) {
        const [by, reader] = [running[(n + i) % running.length], running[(n + i + 1) % running.length]];
        const { answer } = await committed(by as Store, increment('shared'));
        acknowledged.push(answer);
        // A node that is asked after the answer shows the write, whichever version it is of.
        const seen = (await value(reader as Store)) ?? 0;
        if (seen <= answer) wrong.push(`${answer} was acknowledged and ${seen} read`);
      }
    };
    const writers = [writer(0), writer(1), writer(2)];
    const news = [await node(next)];
    expect(await sets()).toEqual([
      { stamp: projectionStamp(tallySchema), place: 'ledger', ready: true },
      { stamp: projectionStamp(next), place: 'own', ready: true },
    ]);
    running = [...olds, ...news];
    const beside = acknowledged.length;
    await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(beside + 40), 20_000);
    news.push(await node(next));
    running = [olds[1], ...news];
    await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(beside + 60), 20_000);
    running = news;
    await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(beside + 80), 20_000);
    await close(...olds);
    await untilOne(next);
    const alone = acknowledged.length;
    await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(alone + 20), 20_000);
    load.abort();
    await Promise.all(writers);
    expect(wrong).toEqual([]);
    const entries = acknowledged.length + 10;
    expect(acknowledged.sort((a, b) => a - b)).toEqual(
      Array.from({ length: entries - 10 }, (_, i) => i + 10),
    );
    for (const store of news) {
      expect([await value(store), await length(store)]).toEqual([entries, entries]);
      await logged(store, entries);
    }
    expect(await schemas()).toEqual([]);
    expect(await postgres.query('SELECT count(*)::int AS due FROM projection_due', [], url)).toEqual([
      { due: 0 },
    ]);
  });

  it('spend no budget twice', async () => {
    const old = await node(tallySchema);
    const fresh = await node(next);
    const spent = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        committed(i % 2 === 0 ? old : fresh, spend('budget', 7, `chain-${i}`)),
      ),
    );
    expect(spent.filter(({ answer }) => answer)).toHaveLength(7);
  });

  it('take scrubbed contents out of the rows of both', async () => {
    const old = await node(tallySchema);
    await committed(old, say('t1', { note: 'secret' }));
    await committed(old, say('t1', { value: 2 }));
    const fresh = await node(next);
    const scrub = (store: Store, id: string) =>
      committed(
        store,
        act([writes('tally', id), writes('chain', id)], (tx) => {
          const [first] = tx.chain(id);
          tx.scrub(id, [
            { seq: first?.seq as number, slot: 0, replacement: '{"note":"gone"}', scrubbedBy: id },
          ]);
          append(tx, id, { value: 3 });
        }),
      );
    await scrub(old, 't1');
    await committed(fresh, say('t2', { note: 'secret' }));
    await scrub(fresh, 't2');
    for (const store of [old, fresh])
      for (const id of ['t1', 't2'])
        expect(await store.read.row(tallyTable, id)).toMatchObject({ note: 'gone', value: 3 });
    expect([await length(fresh, 't1'), await length(fresh, 't2')]).toEqual([3, 2]);
    const left = await postgres.query(
      "SELECT FROM projection_due WHERE scrubs IS NOT NULL UNION ALL SELECT FROM content WHERE body LIKE '%secret%'",
      [],
      url,
    );
    expect(left).toEqual([]);
  });

  it('go back: the older version returns while the newer runs, and remains when that stops', async () => {
    const fresh = await node(next);
    await committed(fresh, increment('shared'));
    const old = await node(tallySchema);
    await committed(old, increment('shared'));
    expect([await value(fresh), await length(fresh), await value(old)]).toEqual([2, 2, 2]);
    await close(fresh);
    await untilOne(tallySchema);
    await committed(old, increment('shared'));
    expect(await value(old)).toBe(3);
    expect(await postgres.query("SELECT to_regclass('length') AS gone", [], url)).toEqual([{ gone: null }]);
  });

  it('continue after all of them ended at once, whichever starts first', async () => {
    for (const [first, second] of [
      [tallySchema, next],
      [next, tallySchema],
    ] as const) {
      url = await postgres.database();
      const nodes = [await node(tallySchema), await node(next)];
      for (const store of nodes) await committed(store, increment('shared'));
      await close(...nodes);
      const one = await node(first);
      const other = await node(second);
      expect([await value(one), await value(other)]).toEqual([2, 2]);
      await committed(one, increment('shared'));
      expect([await value(one), await value(other)]).toEqual([3, 3]);
    }
  });

  it('make a set again whose making was interrupted', async () => {
    const old = await node(tallySchema);
    await committed(old, increment('shared'));
    const failing = { ...next, project: () => expect.fail('interrupted') };
    await expect(node(failing)).rejects.toThrow('interrupted');
    await committed(old, increment('shared'));
    const fresh = await node(next);
    expect([await value(fresh), await length(fresh)]).toEqual([2, 2]);
  });

  it('refuse a third version, and a command that would make projections beside a node', async () => {
    await node(tallySchema);
    await expect(node(next, { upgrades: false })).rejects.toThrow(
      'The projections of the database are of another version, and nodes of that version use it: run the command of that version, or start a node of this one first.',
    );
    await node(next);
    await expect(node(third)).rejects.toThrow(
      'Nodes of two other versions use the database: stop those of one of them, then start this one.',
    );
  });
});
