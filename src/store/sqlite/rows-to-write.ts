/** The rows of SQLite's tables that a batch writes: ledger, projections, full tiles, signed checkpoint. */
import type { Writes } from '../../engine/batch-io.ts';
import type { StoredContent } from '../../engine/act.ts';
import type { CompletedTile } from '../../ledger/log.ts';
import type { RowGroup } from './batch-writer.ts';
import { bindInto, contentSlots, insertInto, removalFrom, type RowsStatement, type SqlValue } from './ddl.ts';
import { Packer } from './packed-contents.ts';

const entryInsert: RowsStatement = {
  head: 'INSERT INTO entry (seq, act, chain, n, text, leaf, fields, packed) VALUES ',
  row: '(?, ?, ?, ?, ?, ?, ?, ?)',
  tail: '',
  width: 8,
};
const contentInsert: RowsStatement = {
  head: 'INSERT INTO content (id, field, salt, body, replacement, scrubbed_by) VALUES ',
  row: '(?, ?, ?, ?, ?, ?)',
  tail: ' ON CONFLICT (id) DO UPDATE SET salt = excluded.salt, body = excluded.body, replacement = excluded.replacement, scrubbed_by = excluded.scrubbed_by',
  width: 6,
};
/** Of what was stored before, and one of it is taken away: it goes on as rows. */
const unpacking: RowsStatement = {
  head: 'UPDATE entry SET fields = NULL, packed = NULL WHERE packed IS NOT NULL AND seq IN (VALUES ',
  row: '(?)',
  tail: ')',
  width: 1,
};
const tileInsert: RowsStatement = {
  head: 'INSERT INTO tile (level, n, bytes) VALUES ',
  row: '(?, ?, ?)',
  tail: '',
  width: 3,
};
const metaInsert: RowsStatement = {
  head: 'INSERT INTO meta (name, value) VALUES ',
  row: '(?, ?)',
  tail: ' ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  width: 2,
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
    { statement: entryInsert, values: entryValues },
    { statement: contentInsert, values: contentValues },
    { statement: unpacking, values: scrubbed.map(({ seq }) => seq) },
  ];
  for (const [table, changes] of puts) {
    const values: SqlValue[] = [];
    for (const [id, rows] of changes)
      for (const [sub, row] of rows) {
        if (row === null)
          groups.push({
            statement: removalFrom(table),
            values: table.keyNames.length === 1 ? [id] : [id, sub],
          });
        else bindInto(values, table, row);
      }
    groups.push({ statement: insertInto(table), values });
  }
  groups.push({
    statement: tileInsert,
    values: tiles.flatMap(({ level, n, bytes }): SqlValue[] => [level, n, bytes]),
  });
  groups.push({ statement: metaInsert, values: ['checkpoint', note] });
  return groups;
}
