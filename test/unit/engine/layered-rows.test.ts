/** Rows kept in layers, beside a Map that is changed in the same way. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RowChanges } from '../../../src/engine/row-changes.ts';
import { Journal } from '../../../src/engine/journal.ts';
import { frozenRows, LayeredRows, writableRows } from '../../../src/engine/layered-rows.ts';
import type { Sub } from '../../../src/engine/tables.ts';

/** What a batch does to one table: acts, each of changes to some rows, and whether the act fails and is undone. */
type Change = { readonly sub: number; readonly removed: boolean };
type Act = { readonly changes: readonly Change[]; readonly fails: boolean };

const rowsBefore = 300;
const change = fc.record({
  sub: fc.integer({ min: 0, max: rowsBefore + 20 }),
  removed: fc.boolean(),
});
const act = fc.record({ changes: fc.array(change, { maxLength: 12 }), fails: fc.boolean() });
const batches = fc.array(fc.array(act, { maxLength: 4 }), { maxLength: 12 });

function manyRows(count = rowsBefore): Map<Sub, string> {
  return new Map(Array.from({ length: count }, (_, n) => [n, `row ${n}`]));
}

/** The same acts on both; a row is a new one every time. */
let written = 0;
function perform(acts: readonly Act[], on: readonly Map<Sub, string>[]): void {
  for (const { changes, fails } of acts) {
    const journals = on.map(() => new Journal());
    for (const { sub, removed } of changes) {
      const row = `row ${sub} (${++written})`;
      on.forEach((rows, i) => (removed ? journals[i]?.delete(rows, sub) : journals[i]?.set(rows, sub, row)));
    }
    if (fails) for (const journal of journals) journal.undo(0);
  }
}

const asMap = <V>(rows: unknown): Map<Sub, V> => rows as Map<Sub, V>;

/** As text, which is compared faster. */
function everyWayToRead(rows: ReadonlyMap<Sub, string>): string {
  const visited: unknown[] = [];
  rows.forEach((row, sub) => visited.push([sub, row]));
  const subs = [-1, ...Array.from({ length: rowsBefore + 22 }, (_, n) => n)];
  return JSON.stringify({
    size: rows.size,
    all: [...rows],
    entries: [...rows.entries()],
    keys: [...rows.keys()],
    values: [...rows.values()],
    visited,
    got: subs.map((sub) => rows.get(sub)),
    had: subs.map((sub) => rows.has(sub)),
  });
}

test('layered rows read as a Map does, batch after batch, and what was kept before stays as it was', () => {
  fc.assert(
    fc.property(batches, (history) => {
      let model = manyRows();
      let rows = frozenRows(manyRows());
      const versions: { readonly rows: ReadonlyMap<Sub, string>; readonly read: string }[] = [];
      for (const acts of history) {
        versions.push({ rows, read: everyWayToRead(rows) });
        const copy = writableRows(rows);
        model = new Map(model);
        perform(acts, [asMap(copy), model]);
        expect(everyWayToRead(copy)).toEqual(everyWayToRead(model));
        rows = frozenRows(copy);
        expect(everyWayToRead(rows)).toEqual(everyWayToRead(model));
      }
      for (const version of versions) expect(everyWayToRead(version.rows)).toEqual(version.read);
    }),
    { numRuns: 150 },
  );
});

test('rows that are removed and put again come last, as in a Map', () => {
  const rows = writableRows(frozenRows(manyRows()));
  rows.delete(7);
  rows.set(7, 'again');
  rows.set(3, 'in its place');
  expect([[...rows].slice(2, 5), [...rows].at(-1), rows.size]).toEqual([
    [
      [2, 'row 2'],
      [3, 'in its place'],
      [4, 'row 4'],
    ],
    [7, 'again'],
    300,
  ]);
});

test('a thousand batches on many rows leave one small layer over a Map', () => {
  let rows = frozenRows(manyRows(10_000));
  const roots = new Set<unknown>();
  for (let n = 0; n < 1000; n++) {
    const copy = writableRows(rows);
    copy.set(`new ${n}`, 'row');
    rows = frozenRows(copy);
    const layered = rows as LayeredRows<string>;
    roots.add(layered.root);
    expect(layered.root).not.toBeInstanceOf(LayeredRows);
    expect([...layered.changedKeys()].length).toBeLessThan(150);
  }
  // Copied whole six times in a thousand.
  expect([rows.size, roots.size]).toEqual([11_000, 7]);
});

test('few rows are kept as a Map', () => {
  expect(frozenRows(manyRows(255))).toBeInstanceOf(Map);
  expect(frozenRows(manyRows(256))).toBeInstanceOf(LayeredRows);
  const emptied = writableRows(frozenRows(manyRows()));
  for (let n = 0; n < 100; n++) emptied.delete(n);
  expect(frozenRows(emptied)).toBeInstanceOf(Map);
});

test('whoever follows rows is told all that has changed, and nothing else', () => {
  fc.assert(
    fc.property(batches, fc.array(fc.nat()), (history, looks) => {
      let rows = frozenRows(manyRows());
      const versions = [rows];
      const followed = new RowChanges<string>();
      const mirror = new Map<Sub, string>();
      const follow = (now: ReadonlyMap<Sub, string>): void => {
        followed.update(now, (sub, row) => {
          expect(row).not.toBe(mirror.get(sub));
          if (row === undefined) mirror.delete(sub);
          else mirror.set(sub, row);
        });
        expect(mirror).toEqual(new Map(now));
      };
      follow(rows);
      for (const acts of history) {
        const copy = writableRows(rows);
        for (const each of acts) {
          perform([each], [asMap(copy)]);
          follow(copy);
        }
        // A batch may be given up after it was followed.
        if (acts.length !== 1) versions.push((rows = frozenRows(copy)));
        follow(rows);
      }
      for (const look of looks) follow(versions[look % versions.length] as ReadonlyMap<Sub, string>);
    }),
    { numRuns: 100 },
  );
});

test('following many rows looks at those alone that a layer names', () => {
  const rows = frozenRows(manyRows(10_000));
  const followed = new RowChanges<string>();
  followed.update(rows, () => undefined);
  const copy = writableRows(rows);
  copy.set(5, 'another');
  copy.set('new', 'row');
  copy.delete(6);
  const after = frozenRows(copy);
  const asked: Sub[] = [];
  const told: unknown[] = [];
  const { get } = after;
  Object.assign(after, { get: (sub: Sub) => (asked.push(sub), get.call(after, sub)) });
  followed.update(after, (...seen) => told.push(seen));
  expect(told).toEqual([
    [5, 'another'],
    [6, undefined],
    ['new', 'row'],
  ]);
  expect(asked).toEqual([5, 6, 'new']);
});
