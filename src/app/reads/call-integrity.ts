/**
 * Lists of invocations held against the ledger when they are answered (contract §1.8): each row that is shown must be
 * what the invocation's own chain gives, or the list says so and names the row.
 */
import { schema } from '../../domain/schema.ts';
import { eventFrom, MemoryProjection } from '../../engine/memory-projection.ts';
import { differingColumns } from '../../engine/row-difference.ts';
import type { Reader } from '../../engine/store.ts';
import type { AnyRow, Sub, Table } from '../../engine/tables.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { verificationOver, type Altered } from './article-integrity.ts';

/** A row of a table with two keys that names its invocation. */
type CallRow = AnyRow & { readonly inv: string; readonly seq: number };

/** `verification` as a member of the list; none where every row is what its chain gives. */
export async function alteredCalls(
  read: Reader,
  table: Table,
  rows: readonly CallRow[],
): Promise<{ readonly verification?: JsonObject }> {
  const altered: Altered[] = [];
  for (const row of rows) {
    const [id, sub] = table.keyNames.map((name) => row[name]) as [string, Sub];
    let difference = await differenceOf(read, table, row, id, sub);
    // The call may have ended between the two reads.
    if (difference !== undefined) {
      const [again] = await read.list(table, id, { after: row.seq - 1, limit: 1 });
      difference = await differenceOf(read, table, (again as CallRow | undefined) ?? row, id, sub);
    }
    if (difference !== undefined)
      altered.push({ n: null, reason: `projection ${table.name}, row ${id} / ${sub}: ${difference}` });
  }
  return altered.length === 0 ? {} : { verification: verificationOver(altered, {}) };
}

async function differenceOf(
  read: Reader,
  table: Table,
  row: CallRow,
  id: string,
  sub: Sub,
): Promise<string | undefined> {
  const replayed = new MemoryProjection();
  for (const event of await read.chain(row.inv)) schema.project(eventFrom(event), replayed);
  return differingColumns(table, replayed.own(table, id, sub), row);
}
