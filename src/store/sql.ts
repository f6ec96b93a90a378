/**
 * SQL that is the same on every store: the tables beside the ledger, and selections of projections. Parameters are `$1`,
 * `$2` and so on. The texts contain only names from our own code; values are bound.
 */
import type {
  Condition,
  EphemeralStore,
  Group,
  Grouping,
  Keyring,
  Range,
  Selection,
} from '../engine/store.ts';
import { type AnyRow, columnOf, type Sub, type Table } from '../engine/tables.ts';

export interface SqlQuery {
  readonly text: string;
  readonly values: unknown[];
}

/** Runs one statement; answers with its rows. */
export interface SqlRows {
  rows<R extends object>(query: SqlQuery): Promise<R[]>;
}

interface Named {
  readonly name: string;
  readonly value: string;
}

/** Settings that no rebuild recreates (docs/ARCHITECTURE.md "What is stored where"), with a checksum where `sumOf` makes one. */
export class SqlKeyring implements Keyring {
  readonly #source: SqlRows;
  readonly #table: string;
  readonly #sumOf: ((name: string, value: string) => string) | undefined;

  constructor(source: SqlRows, table = 'keyring', sumOf?: (name: string, value: string) => string) {
    this.#source = source;
    this.#table = table;
    this.#sumOf = sumOf;
  }

  async get(name: string): Promise<string | undefined> {
    const text = `SELECT value FROM ${this.#table} WHERE name = $1`;
    return (await this.#source.rows<Named>({ text, values: [name] }))[0]?.value;
  }

  under(prefix: string): Promise<readonly Named[]> {
    const text = `SELECT name, value FROM ${this.#table} WHERE substr(name, 1, $2) = $1 ORDER BY name`;
    return this.#source.rows<Named>({ text, values: [prefix, prefix.length] });
  }

  async claim(name: string, value: string): Promise<string> {
    await this.#insert(name, value, 'NOTHING');
    return (await this.get(name)) ?? value;
  }

  async set(name: string, value: string): Promise<void> {
    const sum = this.#sumOf === undefined ? '' : ', sum = excluded.sum';
    await this.#insert(name, value, `UPDATE SET value = excluded.value${sum}`);
  }

  async compareAndSet(name: string, expected: string | undefined, value: string): Promise<boolean> {
    if (expected === undefined) return this.#insert(name, value, 'NOTHING');
    const sum = this.#sumOf?.(name, value);
    const set = sum === undefined ? '' : ', sum = $4';
    // One statement: of two at once, the second finds the row changed.
    const text = `UPDATE ${this.#table} SET value = $3${set} WHERE name = $1 AND value = $2 RETURNING name`;
    const values = [name, expected, value, ...(sum === undefined ? [] : [sum])];
    return (await this.#source.rows({ text, values })).length === 1;
  }

  /** Whether a row was written. */
  async #insert(name: string, value: string, onConflict: string): Promise<boolean> {
    const [into, places] = this.#sumOf === undefined ? ['', ''] : [', sum', ', $3'];
    const text = `INSERT INTO ${this.#table} (name, value${into}) VALUES ($1, $2${places}) ON CONFLICT (name) DO ${onConflict} RETURNING name`;
    const sum = this.#sumOf?.(name, value);
    const rows = await this.#source.rows({
      text,
      values: [name, value, ...(sum === undefined ? [] : [sum])],
    });
    return rows.length === 1;
  }
}

/** Operational records until they expire, beside the ledger (docs/ARCHITECTURE.md "What is stored where"). */
export class SqlEphemeralStore implements EphemeralStore {
  readonly #source: SqlRows;

  constructor(source: SqlRows) {
    this.#source = source;
  }

  async put(name: string, value: string, expiresMs: number): Promise<void> {
    const text =
      'INSERT INTO held (name, value, expires) VALUES ($1, $2, $3) ON CONFLICT (name) DO UPDATE SET value = excluded.value, expires = excluded.expires';
    await this.#source.rows({ text, values: [name, value, expiresMs] });
  }

  async get(name: string, nowMs: number): Promise<string | undefined> {
    const text = 'SELECT value FROM held WHERE name = $1 AND expires > $2';
    return (await this.#source.rows<Named>({ text, values: [name, nowMs] }))[0]?.value;
  }

  async sweep(nowMs: number): Promise<void> {
    await this.#source.rows({ text: 'DELETE FROM held WHERE expires <= $1', values: [nowMs] });
  }

  all(): Promise<readonly Named[]> {
    return this.#source.rows<Named>({ text: 'SELECT name, value FROM held', values: [] });
  }

  async remove(name: string): Promise<void> {
    await this.#source.rows({ text: 'DELETE FROM held WHERE name = $1', values: [name] });
  }
}

/** Where the stores' languages differ. */
export interface Dialect {
  /** What `IN` or `=` compares a key with, where any of several values will do. */
  readonly anyOf: (place: string) => string;
  /** The value that is bound for several keys. */
  readonly list: (ids: readonly string[]) => unknown;
  readonly contains: (column: string, place: string) => string;
  /** A column as it is compared: texts by their bytes. */
  readonly term: (table: Table, name: string) => string;
  /** The same so that no index gives the order. */
  readonly unindexed: (term: string, name: string) => string;
  readonly bound: (table: Table, name: string, place: string, value: Sub) => string;
}

export function quote(name: string): string {
  return `"${name}"`;
}

/** Rows by conditions on columns, in one total order. */
export function selectRows(
  table: Table,
  { ids, where, order, reverse = false, after, limit }: Selection,
  dialect: Dialect,
): SqlQuery {
  const [first, second = first] = table.keyNames;
  const { values, conditions } = conditionsOf(table, ids, where, dialect);
  const by = [...new Set([order, first, second])];
  // A search for a part of a text reads most rows. In the order of an index it would look each of them up on its own;
  // without one the rows are read as they lie, and what is found is sorted.
  const isScan = where.some(({ op }) => op === 'contains') && order !== first && order !== second;
  const term = (name: string): string => {
    const plain = dialect.term(table, name);
    return isScan && name === order ? dialect.unindexed(plain, name) : plain;
  };
  if (after !== undefined) {
    const bounds = new Map<string, Sub>([
      [first, after[1]],
      [second, after[2]],
      [order, after[0]],
    ]);
    const places = by.map((name) => {
      const value = bounds.get(name) as Sub;
      return dialect.bound(table, name, `$${values.push(value)}`, value);
    });
    conditions.push(`(${by.map(term).join(', ')}) ${reverse ? '<' : '>'} (${places.join(', ')})`);
  }
  const direction = reverse ? ' DESC' : '';
  const columns = table.names.map(quote).join(', ');
  const text = `SELECT ${columns} FROM ${quote(table.name)} WHERE ${conditions.join(' AND ')}
    ORDER BY ${by.map((name) => term(name) + direction).join(', ')} LIMIT $${values.push(limit)}`;
  return { text, values };
}

/** Groups: their values as `of0`, `of1` and so on, and `n`. */
export function countRows(table: Table, { ids, where, by }: Grouping, dialect: Dialect): SqlQuery {
  const { values, conditions } = conditionsOf(table, ids, where, dialect);
  const names = by.map(({ column, chars }, i) => {
    columnOf(table, column);
    const name = chars === undefined ? quote(column) : `substr(${quote(column)}, 1, $${values.push(chars)})`;
    return `${name} AS of${i}`;
  });
  const text = `SELECT ${names.join(', ')}, count(*) AS n FROM ${quote(table.name)}
    WHERE ${conditions.join(' AND ')} GROUP BY ${by.map((_, i) => i + 1).join(', ')}`;
  return { text, values };
}

export function groupOf(row: AnyRow, { by }: Grouping): Group {
  return { of: by.map((_, i) => String(row[`of${i}`])), n: Number(row['n']) };
}

function conditionsOf(
  table: Table,
  ids: readonly string[],
  where: readonly Condition[],
  dialect: Dialect,
): { readonly values: unknown[]; readonly conditions: string[] } {
  const one = ids.length === 1;
  const values: unknown[] = [one ? ids[0] : dialect.list(ids)];
  const conditions = [`${quote(table.keyNames[0])} ${one ? '= $1' : dialect.anyOf('$1')}`];
  for (const { column, op, value } of where) {
    columnOf(table, column);
    const place = `$${values.push(value)}`;
    conditions.push(
      op === 'contains'
        ? dialect.contains(quote(column), place)
        : `${dialect.term(table, column)} ${op} ${dialect.bound(table, column, place, value)}`,
    );
  }
  return { values, conditions };
}

/** Rows of one aggregate in the order of their second key. */
export function rangeOf(table: Table, id: string, { after, before, reverse, limit }: Range): Selection {
  const [first, second = first] = table.keyNames;
  return {
    ids: [id],
    where: [
      ...(after === undefined ? [] : [{ column: second, op: '>' as const, value: after }]),
      ...(before === undefined ? [] : [{ column: second, op: '<' as const, value: before }]),
    ],
    order: second,
    reverse: reverse === true,
    limit,
  };
}
