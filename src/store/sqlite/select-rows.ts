/** `select` on SQLite: conditions on columns as one statement. Values are bound; names come from the table's description. */
import type { Selection } from '../../engine/store.ts';
import { columnOf, type Sub, type Table } from '../../engine/tables.ts';
import { quote } from './ddl.ts';

export interface Select {
  readonly sql: string;
  readonly values: readonly Sub[];
}

export function selectRows(
  table: Table,
  { ids, where, order, reverse = false, after, limit }: Selection,
): Select {
  const [first, second = first] = table.keyNames;
  // One value in place of a list of unknown length: the statement stays the same, and is prepared once.
  const values: Sub[] = [ids.length === 1 ? (ids[0] as string) : JSON.stringify(ids)];
  const conditions = [
    ids.length === 1 ? `${quote(first)} = ?` : `${quote(first)} IN (SELECT value FROM json_each(?))`,
  ];
  for (const { column, op, value } of where) {
    columnOf(table, column);
    conditions.push(op === 'contains' ? `instr(${quote(column)}, ?) > 0` : `${quote(column)} ${op} ?`);
    values.push(value);
  }
  const by = [...new Set([order, first, second])];
  // A search for a part of a text reads most rows. In the order of an index it would look each of them up on its own;
  // the plus keeps to the order in which they lie, and sorts what is found.
  const isScan = where.some(({ op }) => op === 'contains') && order !== first && order !== second;
  const term = (name: string): string => (isScan && name === order ? `+${quote(name)}` : quote(name));
  if (after !== undefined) {
    const bounds = new Map<string, Sub>([
      [first, after[1]],
      [second, after[2]],
      [order, after[0]],
    ]);
    conditions.push(`(${by.map(term).join(', ')}) ${reverse ? '<' : '>'} (${by.map(() => '?').join(', ')})`);
    values.push(...by.map((name) => bounds.get(name) as Sub));
  }
  const direction = reverse ? ' DESC' : '';
  const sql = `SELECT * FROM ${quote(table.name)} WHERE ${conditions.join(' AND ')} ORDER BY ${by.map((name) => term(name) + direction).join(', ')} LIMIT ?`;
  values.push(limit);
  return { sql, values };
}
