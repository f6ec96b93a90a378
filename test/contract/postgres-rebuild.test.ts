/** Projections on PostgreSQL made again from the ledger alone, whatever was left of them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writes } from '../../src/engine/act.ts';
import { replaceProjections } from '../../src/store/postgres/replace-projections.ts';
import { openPostgres } from '../../src/store/postgres/store.ts';
import { logOf, replay, rowsOf } from '../model/replay.ts';
import { hasPostgres, sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { logged, sign } from '../support/stores.ts';
import { committed, increment, nameTable, say, tallySchema, tallyTable, tickTable } from './tally.ts';

describe.skipIf(!hasPostgres)('a rebuild', () => {
  let server: TestDatabases;
  beforeAll(async () => {
    server = await sharedPostgres();
  });
  afterAll(() => server.stop());

  test('restores rows and their version stamps, so that running nodes read and write on', async () => {
    const url = await server.database();
    const open = () => openPostgres({ url, schema: tallySchema, sign });
    const before = await open();
    await committed(before, say('t1', { value: 7, note: 'x', tick: { n: 1, label: 'l', weight: 0.5 } }));
    await committed(
      before,
      say('t2', { name: 'two', journal: { object: 'o', word: 'w', value: 1 } }, [writes('name', 'two')]),
    );
    await logged(before, 2);
    const rows = await rowsOf(before, tallySchema);
    const replayed = replay(tallySchema, await logOf(before.read));
    await before.close();
    await server.query('TRUNCATE tally, tick, name, journal, aggregate_stamp', [], url);
    await server.query("INSERT INTO name (path, id, rank, _stamp) VALUES ('never', 'said', 1, 1)", [], url);

    const other = await open();
    await expect(replaceProjections(url, tallySchema, () => [])).rejects.toThrow(
      'stop them before a rebuild',
    );
    await other.close();
    expect(await replaceProjections(url, tallySchema, (table) => replayed[table.name] ?? [])).toBe(5);

    const after = await open();
    try {
      expect(await rowsOf(after, tallySchema)).toEqual(rows);
      expect(await after.read.row(tallyTable, 't1')).toMatchObject({ value: 7, note: 'x' });
      expect(await after.read.row(tickTable, 't1', 1)).toMatchObject({ label: 'l' });
      expect(await after.read.row(nameTable, 'two')).toEqual({ path: 'two', id: 't2', rank: null });
      expect(await after.read.row(nameTable, 'never')).toBeUndefined();
      expect((await committed(after, increment('t1'))).answer).toBe(7);
      expect((await after.read.row(tallyTable, 't1'))?.value).toBe(8);
    } finally {
      await after.close();
    }
  });
});
