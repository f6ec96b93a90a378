/**
 * SQL text for PostgreSQL, generated from the table descriptions. It contains only names from our own code. Text keys
 * compare by bytes, as in SQLite, and JSON columns keep their canonical text.
 */
import { chainAggregate, chainsAggregate, type Schema } from '../../engine/act.ts';
import { columnOf, type AnyRow, type Column, type Table } from '../../engine/tables.ts';
import { canonicalJson, type JsonValue } from '../../kernel/json.ts';
import { quote, type Dialect } from '../sql.ts';
import { evidence } from './rollback-guard.ts';
import { drawUnits } from './entry-numbers.ts';

const types = { text: 'text', integer: 'bigint', real: 'double precision', json: 'json' } as const;

/**
 * Whether a table is all there is of its aggregate, one row each. Such a row carries its own stamp; other
 * aggregates have theirs in `aggregate_stamp`. It spares a second random-keyed row for every idempotency key.
 */
export function isSole(table: Table, schema: Schema): boolean {
  return (
    table.aggregate !== undefined &&
    table.keyNames.length === 1 &&
    schema.tables.every((other) => other === table || other.aggregate !== table.aggregate)
  );
}

export function createTable(table: Table, schema: Schema): string {
  const columns = table.names.map(
    (name) => `${quote(name)} ${typeOf(table, name)}${columnOf(table, name).nullable ? '' : ' NOT NULL'}`,
  );
  if (isSole(table, schema)) columns.push('_stamp bigint NOT NULL');
  const indexes = table.indexes.map(
    (names) =>
      `; CREATE INDEX IF NOT EXISTS ${quote(`${table.name}_by_${names.join('_')}`)} ON ${quote(table.name)} (${names.map(quote).join(', ')})`,
  );
  return `CREATE TABLE IF NOT EXISTS ${quote(table.name)} (${columns.join(', ')}, PRIMARY KEY (${table.keyNames.map(quote).join(', ')}))${indexes.join('')}`;
}

function typeOf(table: Table, name: string): string {
  const { type } = columnOf(table, name);
  const isKey =
    (table.keyNames as readonly string[]).includes(name) ||
    table.indexes.some((names) => names.includes(name));
  return isKey && type === 'text' ? 'text COLLATE "C"' : types[type];
}

/** Rows as one JSON text; columns of type json are in it as their canonical text, and stay that on the server. */
export function rowsJson(table: Table, rows: readonly AnyRow[]): string {
  const columns = table.names.map((name) => ({
    name,
    lead: `${JSON.stringify(name)}:`,
    ...columnOf(table, name),
  }));
  const text = ({ type, nullable }: Pick<Column<unknown>, 'type' | 'nullable'>, value: unknown): string => {
    if (value !== null && value !== undefined)
      return type === 'json' ? canonicalJson(value as JsonValue) : JSON.stringify(value);
    if (!nullable) throw new TypeError('a column that must hold a value has none');
    return 'null';
  };
  const row = (each: AnyRow): string =>
    `{${columns.map((column) => column.lead + text(column, each[column.name])).join(',')}}`;
  return `[${rows.map(row).join(',')}]`;
}

/** `x(name type, …)`: how a JSON text of rows is read. */
export function recordset(table: Table, names: readonly string[]): string {
  return `x(${names.map((name) => `${quote(name)} ${types[columnOf(table, name).type]}`).join(', ')})`;
}

export const dialect: Dialect = {
  anyOf: (place) => `= ANY(${place})`,
  list: (ids) => ids,
  contains: (column, place) => `strpos(${column}, ${place}) > 0`,
  term: (table, name) => quote(name) + collation(table, name),
  // An index of the bare column gives no order to this expression.
  unindexed: (term, name) => term.replace(quote(name), `coalesce(${quote(name)}, ${quote(name)})`),
  // A fraction is no bigint, and may well be compared with one.
  bound: (table, name, place, value) => {
    const { type } = columnOf(table, name);
    return `${place}::${type === 'integer' && !Number.isInteger(value) ? types.real : types[type]}`;
  },
};

function collation(table: Table, name: string): string {
  return columnOf(table, name).type === 'text' ? ' COLLATE "C"' : '';
}

// Loading

/** The place of the row that holds evidence instead of a state. */
export const evidenceAt = -1;

/**
 * Reads aggregates in one statement, and so in one snapshot. $1 holds `[{i, aggregate, id, known}]`; a row
 * comes back for each: `[stamp]` where it still is the one known, `[stamp, rows of each table …]` where it is
 * not, null where there is nothing. With `numbered`, $2 units of entry numbers are drawn: after the snapshot. The row
 * whose `i` is -1 holds the evidence of `rollback-guard.ts`; the last two parameters are its. Only the aggregates that
 * are named can be asked for: the server prepares every branch of a statement each time it runs, so one for all
 * aggregates takes 0.5 ms where one for a single aggregate takes 0.1.
 */
export function loadStates(schema: Schema, numbered: boolean, aggregates: readonly string[]): string {
  const cases = aggregates.map(
    (aggregate) => `WHEN '${aggregate}' THEN (${selectAggregate(aggregate, schema)})`,
  );
  const state = `${cases.length === 0 ? 'NULL::json' : `CASE k.aggregate ${cases.join('\n')} END`} AS state`;
  const keys = 'json_to_recordset($1) AS k(i integer, aggregate text, id text, known bigint)';
  if (!numbered)
    return `SELECT ${evidenceAt} AS i, ${evidence('$2', '$3')} AS state UNION ALL SELECT k.i, ${state} FROM ${keys}`;
  return `WITH u AS MATERIALIZED (${drawUnits('$2')})
    SELECT u.first, u.last, ${evidenceAt} AS i, ${evidence('$3', '$4')} AS state FROM u
    UNION ALL SELECT NULL, NULL, k.i, ${state} FROM ${keys}`;
}

function selectAggregate(aggregate: string, schema: Schema): string {
  if (aggregate === chainAggregate) return selectChain;
  if (aggregate === chainsAggregate) return selectChains;
  const tables = schema.tables.filter((table) => table.aggregate === aggregate);
  return tables.length === 0 ? 'NULL::json' : selectState(tables, schema);
}

function selectState(tables: readonly Table[], schema: Schema): string {
  const [first] = tables as [Table];
  if (isSole(first, schema)) {
    return `SELECT CASE WHEN t._stamp = k.known THEN json_build_array(t._stamp)
      ELSE json_build_array(t._stamp, json_build_array(${rowValues(first)})) END
      FROM ${quote(first.name)} t WHERE t.${quote(first.keyNames[0])} = k.id`;
  }
  const rows = tables.map((table) => {
    const [id, sub = id] = table.keyNames;
    return `(SELECT json_agg(${rowValues(table)} ORDER BY t.${quote(sub)}) FROM ${quote(table.name)} t WHERE t.${quote(id)} = k.id)`;
  });
  return `SELECT CASE WHEN s.stamp = k.known THEN json_build_array(s.stamp) ELSE json_build_array(s.stamp, ${rows.join(', ')}) END
    FROM aggregate_stamp s WHERE s.aggregate = k.aggregate AND s.id = k.id`;
}

function rowValues(table: Table): string {
  return `json_build_array(${table.names.map((name) => `t.${quote(name)}`).join(', ')})`;
}

/** What makes a stored event of row `e`, for every place that reads one. */
export const eventValues = `e.seq, e.text, (
  SELECT json_agg(json_build_array(c.field, encode(c.salt, 'hex'), c.body, c.replacement, c.scrubbed_by) ORDER BY c.slot) FROM content c WHERE c.seq = e.seq)`;

const selectChains = `SELECT json_build_array(0, json_agg(json_build_array(${eventValues}) ORDER BY e.seq)) FROM entry e
  WHERE e.chain > k.id AND e.chain < left(k.id, -1) || '/'`;

const selectChain = `SELECT json_build_array(0, json_agg(json_build_array(${eventValues}) ORDER BY e.n)) FROM entry e WHERE e.chain = k.id`;

/** The leaf hashes of entries `e` as one text of bytes (RFC 6962: SHA-256 of 0x00 and the entry), in order of `by`. */
export function leaves(by: string): string {
  return `string_agg(sha256('\\x00'::bytea || convert_to(e.text, 'UTF8')), ''::bytea ORDER BY ${by})`;
}
