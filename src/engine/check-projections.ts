/** Replays a ledger through the projectors and compares every row that stands with what the ledger gives. */
import type { Schema } from './act.ts';
import { differingColumns } from './row-difference.ts';
import { replayLog, type RowReplay } from './row-replay.ts';
import type { Reader } from './store.ts';
import type { AnyRow, Table } from './tables.ts';

export interface RowDifference {
  readonly table: string;
  readonly key: string;
  /** The replayed and the stored row; null for a missing row, both null if the table cannot be read. */
  readonly replayed: AnyRow | null;
  readonly live: AnyRow | null;
}

export interface ReplayReport {
  readonly entries: number;
  readonly tables: number;
  readonly rows: number;
  readonly differences: readonly RowDifference[];
}

const differencesMax = 200;

/** Changes nothing but `replay`, which must be empty and is closed at the end. */
export async function checkProjections(
  read: Pick<Reader, 'entries' | 'scan'>,
  schema: Schema,
  replay: RowReplay,
  progress: (done: number) => void,
): Promise<ReplayReport> {
  try {
    const entries = await replayLog(read, replay, progress);
    const differences: RowDifference[] = [];
    let rows = 0;
    for (const table of schema.tables)
      rows += await compare(table, replay.rows(table), read.scan(table), differences);
    return { entries, tables: schema.tables.length, rows, differences };
  } finally {
    replay.close();
  }
}

/** Walks both tables in key order. */
async function compare(
  table: Table,
  made: Iterable<AnyRow>,
  live: AsyncIterable<AnyRow>,
  differences: RowDifference[],
): Promise<number> {
  const wanted = new Map<string, AnyRow>();
  for (const row of made) wanted.set(keyOf(table, row), row);
  const count = wanted.size;
  const add = (key: string, replayed: AnyRow | null, row: AnyRow | null): void => {
    if (differences.length < differencesMax)
      differences.push({ table: table.name, key, replayed, live: row });
  };
  try {
    for await (const row of live) {
      const key = keyOf(table, row);
      const expected = wanted.get(key);
      wanted.delete(key);
      if (expected === undefined) add(key, null, row);
      else if (differingColumns(table, expected, row) !== undefined) add(key, expected, row);
    }
  } catch (error) {
    add(`its rows cannot be read: ${(error as Error).message}`, null, null);
    return count;
  }
  for (const [key, row] of wanted) add(key, row, null);
  return count;
}

function keyOf(table: Table, row: AnyRow): string {
  return table.keyNames.map((name) => String(row[name])).join(' / ');
}
