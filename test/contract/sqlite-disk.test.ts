/**
 * The embedded store before a slow and before a failing disk (ADR 38): nobody is told of what may still be lost, and
 * what was lost is never built upon. The disk is the tests' own; everything else is real.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writes, type Key } from '../../src/engine/act.ts';
import { Disk } from '../../src/store/sqlite/disk.ts';
import { openSqlite, type SqliteStore } from '../../src/store/sqlite/store.ts';
import { sign } from '../support/stores.ts';
import { act, committed, increment, nameTable, say, tallySchema, tallyTable, tickTable } from './tally.ts';

/** Calls back when it is told to. */
class SlowDisk {
  readonly #waiting: ((error: Error | null) => void)[] = [];
  slow = false;
  calls = 0;

  sync = (_descriptor: number, done: (error: Error | null) => void): void => {
    this.calls++;
    if (this.slow) this.#waiting.push(done);
    else setImmediate(done, null);
  };

  end(error: Error | null = null): void {
    for (const done of this.#waiting.splice(0)) done(error);
  }
}

let folder = '';
let disk = new SlowDisk();
let store: SqliteStore;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'colophon-disk-'));
  disk = new SlowDisk();
  store = openSqlite({ folder, schema: tallySchema, sign, syncFile: disk.sync });
});

afterEach(async () => {
  disk.slow = false;
  disk.end();
  await store.close();
  rmSync(folder, { recursive: true });
});

/** Everything that is ready to happen has happened. */
async function settled(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((turn) => setImmediate(turn));
}

/** Whether a promise has come to an end by now. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let ended = false;
  const end = (): void => void (ended = true);
  promise.then(end, end);
  await settled();
  return ended;
}

/** What another connection finds committed. */
function entriesOnFile(): number {
  const db = new DatabaseSync(join(folder, 'colophon.db'), { readOnly: true });
  const { n } = db.prepare('SELECT count(*) AS n FROM entry').get() as { n: number };
  db.close();
  return n;
}

test('answers writers and shows changes to readers only once they are on disk', async () => {
  await committed(store, say('a', { value: 1 }));
  await committed(store, say('b', { value: 1 }));
  expect((await store.read.row(tallyTable, 'b'))?.value).toBe(1);
  const before = await store.read.stamp('tally', 'a');
  disk.slow = true;
  const write = store.run(say('a', { value: 2, tick: { n: 1, label: 'one', weight: 1 } }));
  await settled();
  expect(entriesOnFile()).toBe(3);
  expect(await isSettled(write)).toBe(false);
  expect((await store.read.checkpoint())?.size).toBe(2);
  expect(await store.read.texts(0, 10)).toHaveLength(2);
  expect(store.read.stampNow('tally', 'a')).toBeUndefined();
  const changed = store.read.row(tallyTable, 'a');
  const listed = store.read.list(tickTable, 'a', { limit: 10 });
  const stamped = store.read.stamp('tally', 'a');
  expect(await isSettled(changed)).toBe(false);
  expect(await isSettled(stamped)).toBe(false);
  expect(await isSettled(listed)).toBe(false);
  // What nobody changed is told at once.
  expect((await store.read.row(tallyTable, 'b'))?.value).toBe(1);
  disk.end();
  await write;
  expect((await changed)?.value).toBe(2);
  expect(await listed).toHaveLength(1);
  expect(await stamped).not.toBe(before);
  expect((await store.read.checkpoint())?.size).toBe(3);
});

test('reads rows that no pending batch touched at once, cached or not', async () => {
  await committed(store, say('b', { value: 1, tick: { n: 1, label: 'one', weight: 1 } }));
  disk.slow = true;
  const write = store.run(
    say('a', { value: 2, tick: { n: 1, label: 'one', weight: 1 }, name: 'first' }, [writes('name', 'first')]),
  );
  await settled();
  const answers = await Promise.all([
    store.read.row(tallyTable, 'nobody'),
    store.read.row(nameTable, 'second'),
    store.read.list(tickTable, 'b', { limit: 10 }).then((rows) => rows.map(({ label }) => label)),
    store.read.count(tickTable, 'b'),
    store.read.count(tickTable, 'nobody'),
  ]);
  expect(answers).toEqual([undefined, undefined, ['one'], 1, 0]);
  const chosen = { where: [], order: 'n', limit: 10 };
  expect(await store.read.select(tickTable, { ids: ['b'], ...chosen })).toHaveLength(1);
  const touched = [
    store.read.row(nameTable, 'first'),
    store.read.count(tickTable, 'a'),
    store.read.countBy(tickTable, { ids: ['b', 'a'], where: [], by: [{ column: 'label' }] }),
    store.read.select(tickTable, { ids: ['b', 'a'], ...chosen }),
  ];
  for (const each of touched) expect(await isSettled(each)).toBe(false);
  disk.end();
  await write;
  expect(await Promise.all(touched)).toMatchObject([
    { id: 'a' },
    1,
    [{ of: ['one'], n: 2 }],
    [{ id: 'a' }, { id: 'b' }],
  ]);
});

test('shows a scan in progress nothing of a batch that is not yet on disk', async () => {
  const ids = Array.from({ length: 600 }, (_, i) => `t${String(i).padStart(4, '0')}`);
  await Promise.all(ids.map((id) => committed(store, say(id, { value: 1 }))));
  const seen: unknown[] = [];
  const scan = store.read.scan(tallyTable)[Symbol.asyncIterator]();
  seen.push((await scan.next()).value);
  disk.slow = true;
  const write = store.run(say('z', { value: 7 }));
  await settled();
  expect(entriesOnFile()).toBe(601);
  const rest = (async () => {
    for (let each = await scan.next(); each.done !== true; each = await scan.next()) seen.push(each.value);
  })();
  expect(await isSettled(rest)).toBe(false);
  expect(seen.length).toBeLessThan(600);
  disk.slow = false;
  disk.end();
  await Promise.all([write, rest]);
  expect(seen).toHaveLength(601);
  expect(seen.at(-1)).toMatchObject({ id: 'z', value: 7 });
});

test('commits a few acts with many keys while the disk is slow', async () => {
  disk.slow = true;
  const first = store.run(increment('a'));
  await settled();
  const names = (count: number): Key[] => Array.from({ length: count }, (_, i) => writes('name', `n${i}`));
  const small = store.run(say('b', { value: 1 }, names(62)));
  await settled();
  expect(entriesOnFile()).toBe(1);
  const large = store.run(say('c', { value: 1 }));
  await settled();
  expect(entriesOnFile()).toBe(3);
  disk.end();
  await first;
  expect(await isSettled(large)).toBe(false);
  disk.end();
  await Promise.all([small, large]);
});

test('commits the next batch while the disk is slow once 24 acts wait, on top of the pending one', async () => {
  disk.slow = true;
  const first = store.run(increment('a'));
  await settled();
  const few = Array.from({ length: 23 }, () => store.run(increment('a')));
  await settled();
  expect(entriesOnFile()).toBe(1);
  const last = store.run(increment('a'));
  await settled();
  expect(entriesOnFile()).toBe(25);
  expect(await isSettled(first)).toBe(false);
  disk.end();
  await first;
  expect(await isSettled(last)).toBe(false);
  disk.end();
  const answers = await Promise.all([...few, last]);
  expect(answers.map((answer) => ('answer' in answer ? answer.answer : answer))).toEqual(
    Array.from({ length: 24 }, (_, i) => i + 1),
  );
  expect(disk.calls).toBe(2);
});

test('delays the answer of a read-only act until the rows it read are on disk', async () => {
  disk.slow = true;
  const first = store.run(increment('a'));
  await settled();
  const found = Array.from({ length: 24 }, () =>
    store.run(act([writes('tally', 'a')], (tx) => tx.row(tallyTable, 'a')?.value)),
  );
  expect(await isSettled(Promise.race(found))).toBe(false);
  disk.end();
  await first;
  expect((await Promise.all(found)).map((answer) => ('answer' in answer ? answer.answer : answer))).toEqual(
    Array.from({ length: 24 }, () => 1),
  );
});

test('commits nothing more while a reader waits for the disk', async () => {
  disk.slow = true;
  const first = store.run(increment('a'));
  await settled();
  const reader = store.read.row(tallyTable, 'a');
  const many = Array.from({ length: 40 }, () => store.run(increment('a')));
  await settled();
  expect(entriesOnFile()).toBe(1);
  disk.end();
  expect((await reader)?.value).toBe(1);
  await first;
  await settled();
  expect(entriesOnFile()).toBe(41);
  disk.end();
  await Promise.all(many);
});

test('refuses all possibly lost and later writes when the disk fails, and a restart reads what is stored', async () => {
  await committed(store, increment('a'));
  await committed(store, say('b', { value: 1 }));
  await store.read.row(tallyTable, 'b');
  disk.slow = true;
  const lost = store.run(increment('a'));
  await settled();
  const found = Array.from({ length: 24 }, () =>
    store.run(act([writes('tally', 'a')], (tx) => tx.row(tallyTable, 'a')?.value)),
  );
  await settled();
  const reader = store.read.row(tallyTable, 'a');
  disk.end(new Error('EIO: i/o error, fdatasync'));
  const told = 'the disk did not keep a batch: EIO';
  await expect(lost).rejects.toThrow(told);
  for (const each of await Promise.allSettled([...found, reader]))
    expect(each).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining(told) } });
  await expect(store.run(increment('a'))).rejects.toThrow('the disk did not keep a batch');
  await expect(store.probe(1000)).rejects.toThrow('the disk did not keep a batch');
  // Nor is it shown; what was on disk before still is.
  await expect(store.read.row(tallyTable, 'a')).rejects.toThrow(told);
  await expect(store.read.entries(0, 10)).rejects.toThrow(told);
  expect((await store.read.row(tallyTable, 'b'))?.value).toBe(1);
  expect(await store.read.texts(0, 10)).toHaveLength(2);
  expect((await store.read.checkpoint())?.size).toBe(2);
  await store.close();
  disk = new SlowDisk();
  store = openSqlite({ folder, schema: tallySchema, sign, syncFile: disk.sync });
  // This disk kept it after all; which of the two it is nobody could say before.
  expect((await store.read.row(tallyTable, 'a'))?.value).toBe(2);
  expect((await committed(store, increment('a'))).answer).toBe(2);
});

test('refuses and discards writes after the write-ahead log was deleted', async () => {
  rmSync(join(folder, 'colophon.db-wal'));
  await expect(store.run(increment('a'))).rejects.toThrow('colophon.db-wal was deleted behind this server');
  expect(await store.read.row(tallyTable, 'a')).toBeUndefined();
  await expect(store.probe(1000)).rejects.toThrow('colophon.db-wal was deleted behind this server');
});

test('a probe waits for the disk like a write, for as long as it was told', async () => {
  disk.slow = true;
  await expect(store.probe(20)).rejects.toThrow('its disk does not answer writes');
  expect(disk.calls).toBe(1);
  await expect(store.probe(20)).rejects.toThrow('its disk does not answer writes');
  expect(disk.calls).toBe(1);
  disk.slow = false;
  disk.end();
  await settled();
  expect(await store.probe(1000)).toBe(0);
});

test('rejects every waiting caller when the write-ahead log cannot be opened', async () => {
  const absent = new Disk(join(folder, 'absent.db'), () => undefined);
  const waiting = absent.durable(absent.committed());
  await expect(waiting).rejects.toThrow('the disk did not keep a batch: ENOENT');
  await expect(absent.caughtUp()).rejects.toThrow('the disk did not keep a batch');
  expect(absent.lost?.message).toContain('the disk did not keep a batch');
});
