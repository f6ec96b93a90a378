/**
 * In which members a stored row of a projection differs from the row that a replay of the ledger gives (contract
 * §1.8). The rows may hold anything, because the store may have been altered.
 */
import { canonicalJson, type JsonValue } from '../kernel/json.ts';
import type { AnyRow, Table } from './tables.ts';
import { isObject } from '../kernel/json-value.ts';

/** One phrase that names the members; undefined where the two rows are the same. */
export function differingColumns(
  table: Table,
  replayed: AnyRow | undefined,
  live: AnyRow | undefined,
): string | undefined {
  if (replayed === undefined) return live === undefined ? undefined : 'not in the ledger';
  if (live === undefined) return 'missing';
  const names = table.names.filter((name) => columnText(replayed[name]) !== columnText(live[name]));
  if (names.length === 0) return undefined;
  const members = names.flatMap((name) => membersOf(name, replayed[name], live[name]));
  return `${members.join(', ')} ${members.length === 1 ? 'differs' : 'differ'} from what the ledger gives`;
}

/** Of a JSON column the members that differ, where both sides are objects. */
function membersOf(column: string, replayed: unknown, live: unknown): string[] {
  if (!isObject(replayed) || !isObject(live)) return [column];
  return [...new Set([...Object.keys(replayed), ...Object.keys(live)])]
    .filter((name) => columnText(replayed[name]) !== columnText(live[name]))
    .map((name) => `${column}.${name}`);
}

/** A value as it is compared. A damaged row may hold what no projector writes, such as bytes in place of text. */
export function columnText(value: unknown): string {
  if (value === undefined || value === null || typeof value === 'number') return String(value);
  if (typeof value === 'string') return `"${value}`;
  try {
    return canonicalJson(value as JsonValue);
  } catch (error) {
    return (error as Error).message;
  }
}
