/** What a batch writes, as the rows of SQLite's tables: ledger, projections, full tiles, the signed checkpoint. */
import type { Writes } from '../../engine/batch-io.ts';
import type { Table } from '../../engine/tables.ts';
import type { CompletedTile } from '../../ledger/log.ts';
import type { RowGroup } from './batch-writer.ts';
import { bindInto, contentSlots, insertInto, quote, type Insert, type SqlValue } from './ddl.ts';

const entryInsert: Insert = {
  head: 'INSERT INTO entry (seq, act, chain, n, text, leaf) VALUES ',
  row: '(?, ?, ?, ?, ?, ?)',
  tail: '',
};
const contentInsert: Insert = {
  head: 'INSERT INTO content (id, field, salt, body) VALUES ',
  row: '(?, ?, ?, ?)',
  tail: '',
};
/** What was stored before stays as a row that says what replaced it. */
const contentScrub: Insert = {
  head: 'INSERT INTO content (id, field, replacement, scrubbed_by) VALUES ',
  row: "(?, '', ?, ?)",
  tail: ' ON CONFLICT (id) DO UPDATE SET salt = NULL, body = NULL, replacement = excluded.replacement, scrubbed_by = excluded.scrubbed_by',
};
const tileInsert: Insert = { head: 'INSERT INTO tile (level, n, bytes) VALUES ', row: '(?, ?, ?)', tail: '' };
const metaInsert: Insert = {
  head: 'INSERT INTO meta (name, value) VALUES ',
  row: '(?, ?)',
  tail: ' ON CONFLICT (name) DO UPDATE SET value = excluded.value',
};

/** Throws where a row lacks a value that its table must hold. */
export function rowsToWrite(writes: Writes, tiles: readonly CompletedTile[], note: string): RowGroup[] {
  const { entries, puts, scrubs } = writes;
  const entryValues: SqlValue[] = [];
  const contentValues: SqlValue[] = [];
  for (const { seq, act, chain, n, text, leaf, contents } of entries) {
    entryValues.push(seq, act, chain, n, text, leaf);
    let id = seq * contentSlots;
    for (const { field, salt, body } of contents) contentValues.push(id++, field, salt, body);
  }
  const groups: RowGroup[] = [
    { ...entryInsert, width: 6, values: entryValues },
    { ...contentInsert, width: 4, values: contentValues },
    {
      ...contentScrub,
      width: 3,
      values: scrubs.flatMap(({ seq, slot, replacement, scrubbedBy }): SqlValue[] => [
        seq * contentSlots + slot,
        replacement,
        scrubbedBy,
      ]),
    },
  ];
  for (const [table, changes] of puts) {
    const values: SqlValue[] = [];
    for (const [id, rows] of changes)
      for (const [sub, row] of rows) {
        if (row === null)
          groups.push({ ...removal(table), values: table.keyNames.length === 1 ? [id] : [id, sub] });
        else bindInto(values, table, row);
      }
    groups.push({ ...insertInto(table), width: table.names.length, values });
  }
  groups.push({
    ...tileInsert,
    width: 3,
    values: tiles.flatMap(({ level, n, bytes }): SqlValue[] => [level, n, bytes]),
  });
  groups.push({ ...metaInsert, width: 2, values: ['checkpoint', note] });
  return groups;
}

/** Two keys are removed by their pair, and `(VALUES …)` takes any number of pairs. */
function removal(table: Table): Omit<RowGroup, 'values'> {
  const keys = table.keyNames.map(quote).join(', ');
  const width = table.keyNames.length;
  return {
    head: `DELETE FROM ${quote(table.name)} WHERE (${keys}) IN (VALUES `,
    row: width === 1 ? '(?)' : '(?, ?)',
    tail: ')',
    width,
  };
}
