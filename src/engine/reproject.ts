/**
 * Projections made again after contents were scrubbed (contract §1.4): the chains that held them are replayed as
 * they were and as they are, and what differs is written. So live state equals what a rebuild gives, without
 * replaying the whole ledger.
 */
import type { Projection, Schema, StoredEvent } from './act.ts';
import { eventFrom, MemoryProjection } from './memory-projection.ts';
import { columnText } from './row-difference.ts';
import type { AnyRow, Table } from './tables.ts';

/** `chains` names a chain, or with a dot at its end all chains below that name: those of one thing. */
export function reproject(
  schema: Schema,
  to: Projection,
  chains: string,
  before: readonly StoredEvent[],
  after: readonly StoredEvent[],
): void {
  const standsAlone = replays(schema, before);
  const was = replayed(schema, before, standsAlone ? undefined : to);
  const is = replayed(schema, after, standsAlone ? undefined : to);
  for (const { table, id, sub } of was.all())
    if (is.own(table, id, sub) === undefined) to.remove(table, id, sub);
  const touched = new Set<string>();
  for (const { table, id, sub, row } of is.all()) {
    const old = was.own(table, id, sub);
    const changed = old === undefined ? row : changes(table, old, row);
    if (changed !== undefined) to.put(table, { ...existingRow(to, table, id, sub, row), ...changed });
    // What is read from the chains themselves, such as an earlier revision, is kept by the state's stamp.
    else if (table.aggregate !== undefined && `${id}.` === chains && !touched.has(table.aggregate))
      to.put(table, existingRow(to, table, id, sub, row));
    if (table.aggregate !== undefined) touched.add(table.aggregate);
  }
}

/** Whether the chains need nothing of others. An assignment, for one, stands in the rows of its cohort. */
function replays(schema: Schema, events: readonly StoredEvent[]): boolean {
  try {
    replayed(schema, events, undefined);
    return true;
  } catch {
    return false;
  }
}

function replayed(
  schema: Schema,
  events: readonly StoredEvent[],
  below: Projection | undefined,
): MemoryProjection {
  const projection = new MemoryProjection(below);
  for (const event of events) schema.project(eventFrom(event), projection);
  return projection;
}

/** Entries of other chains may have written to the row too, such as the uses of a capability: that stays. */
function existingRow(to: Projection, table: Table, id: string, sub: string | number, row: AnyRow): AnyRow {
  return table.aggregate === undefined ? row : (to.row(table, id, sub) ?? row);
}

function changes(table: Table, before: AnyRow, after: AnyRow): AnyRow | undefined {
  const changed = table.names.filter((name) => columnText(before[name]) !== columnText(after[name]));
  return changed.length === 0 ? undefined : Object.fromEntries(changed.map((name) => [name, after[name]]));
}
