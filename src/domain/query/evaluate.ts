/**
 * A query over rows that are in memory: everything of an article but its claims, which the store selects by
 * index. Filter, order and page mean the same in both places.
 */
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import type { Filter, Order } from './grammar.ts';

export interface Row {
  /** Orders rows that are otherwise equal. */
  readonly key: readonly [string, number];
  readonly value: JsonObject;
}

export type Cursor = readonly [string | number, string, number];

export function matches(value: JsonObject, filters: readonly Filter[]): boolean {
  return filters.every(({ field, op, value: wanted }) => {
    const found = comparable(value[field], typeof wanted);
    if (op === '~') return String(found).toLowerCase().includes(String(wanted).toLowerCase());
    const order = compare(found, wanted);
    switch (op) {
      case '=':
        return order === 0;
      case '!=':
        return order !== 0;
      case '>':
        return order > 0;
      case '>=':
        return order >= 0;
      case '<':
        return order < 0;
      case '<=':
        return order <= 0;
    }
  });
}

/** Rows that meet all filters, in order, those behind the cursor, at most `limit`. */
export function evaluate(
  rows: readonly Row[],
  filters: readonly Filter[],
  order: Order | undefined,
  after: Cursor | undefined,
  limit: number,
): readonly Row[] {
  const sign = order?.reverse === true ? -1 : 1;
  const place = (row: Row): Cursor => cursorOf(row, order);
  return rows
    .filter((row) => matches(row.value, filters))
    .sort((a, b) => sign * comparePlaces(place(a), place(b)))
    .filter((row) => after === undefined || sign * comparePlaces(place(row), after) > 0)
    .slice(0, limit);
}

/** Where a row stands in its order: what a cursor holds. */
export function cursorOf(row: Row, order: Order | undefined): Cursor {
  const found = order === undefined ? '' : row.value[order.field];
  return [comparable(found, typeof found === 'number' ? 'number' : 'string'), ...row.key];
}

function comparePlaces(a: Cursor, b: Cursor): number {
  return compare(a[0], b[0]) || compare(a[1], b[1]) || compare(a[2], b[2]);
}

function comparable(value: JsonValue | undefined, type: string): string | number {
  if (type === 'number') return typeof value === 'number' ? value : Number.NEGATIVE_INFINITY;
  return value == null ? '' : String(value);
}

function compare(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b || 0;
  const [left, right] = [String(a), String(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}
