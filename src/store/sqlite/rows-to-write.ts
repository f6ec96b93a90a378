/** What a batch writes, as the rows of SQLite's tables: ledger, projections, full tiles, the signed checkpoint. */
import type { Writes } from '../../engine/batch-io.ts';
import type { StoredContent } from '../../engine/act.ts';
import type { Table } from '../../engine/tables.ts';
import type { CompletedTile } from '../../ledger/log.ts';
import type { RowGroup } from './batch-writer.ts';
import { bindInto, contentSlots, insertInto, quote, type Insert, type SqlValue } from './ddl.ts';
import { Packer } from './packed-contents.ts';

const entryInsert: Insert = {
  head: 'INSERT INTO entry (seq, act, chain, n, text, leaf, fields, packed) VALUES ',
  row: '(?, ?, ?, ?, ?, ?, ?, ?)',
  tail: '',
};
const contentInsert: Insert = {
  head: 'INSERT INTO content (id, field, salt, body, replacement, scrubbed_by) VALUES ',
  row: '(?, ?, ?, ?, ?, ?)',
  tail: ' ON CONFLICT (id) DO UPDATE SET salt = excluded.salt, body = excluded.body, replacement = excluded.replacement, scrubbed_by = excluded.scrubbed_by',
};
/** Of what was stored before, and one of it is taken away: it goes on as rows. */
const unpacking: Insert = {
  head: 'UPDATE entry SET fields = NULL, packed = NULL WHERE packed IS NOT NULL AND seq IN (VALUES ',
  row: '(?)',
  tail: ')',
};
const tileInsert: Insert = { head: 'INSERT INTO tile (level, n, bytes) VALUES ', row: '(?, ?, ?)', tail: '' };
const metaInsert: Insert = {
  head: 'INSERT INTO meta (name, value) VALUES ',
  row: '(?, ?)',
  tail: ' ON CONFLICT (name) DO UPDATE SET value = excluded.value',
};

/** A batch's rows are written before those of the next are made. */
const packer = new Packer();

/** Throws where a row lacks a value that its table must hold. */
export function rowsToWrite(writes: Writes, tiles: readonly CompletedTile[], note: string): RowGroup[] {
  const { entries, puts, scrubbed } = writes;
  const entryValues: SqlValue[] = [];
  const contentValues: SqlValue[] = [];
  const addRows = (seq: number, contents: readonly StoredContent[]): void => {
    let id = seq * contentSlots;
    for (const { field, salt, body, replacement = null, scrubbedBy = null } of contents)
      contentValues.push(id++, field, salt, body, replacement, scrubbedBy);
  };
  packer.begin();
  for (const { seq, act, chain, n, text, leaf, contents } of entries) {
    const { fields, packed } = packer.pack(contents) ?? { fields: null, packed: null };
    entryValues.push(seq, act, chain, n, text, leaf, fields, packed);
    if (fields === null) addRows(seq, contents);
  }
  for (const { seq, contents } of scrubbed) addRows(seq, contents);
  const groups: RowGroup[] = [
    { ...entryInsert, width: 8, values: entryValues },
    { ...contentInsert, width: 6, values: contentValues },
    { ...unpacking, width: 1, values: scrubbed.map(({ seq }) => seq) },
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
