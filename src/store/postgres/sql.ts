/**
 * SQL text for PostgreSQL, made from the table descriptions. Only names from our own code end up in it; values
 * travel as one JSON text a table, which the server takes apart in one pass. Text keys compare by bytes, as
 * SQLite's do, and JSON columns keep the canonical text they were given.
 */
import { chainAggregate, type Schema } from '../../engine/act.ts';
import { columnOf, type AnyRow, type Column, type Table } from '../../engine/tables.ts';
import type { RowChange } from '../../engine/batch.ts';
import { canonicalJson, type JsonValue } from '../../kernel/json.ts';

const types = { text: 'text', integer: 'bigint', real: 'double precision', json: 'json' } as const;

export function quote(name: string): string {
  return `"${name}"`;
}

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
  const columns = table.names.map((name) => `${quote(name)} ${typeOf(table, name)}${columnOf(table, name).nullable ? '' : ' NOT NULL'}`);
  if (isSole(table, schema)) columns.push('_stamp bigint NOT NULL');
  return `CREATE TABLE IF NOT EXISTS ${quote(table.name)} (${columns.join(', ')}, PRIMARY KEY (${table.keyNames.map(quote).join(', ')}))`;
}

function typeOf(table: Table, name: string): string {
  const { type } = columnOf(table, name);
  const isKey = (table.keyNames as readonly string[]).includes(name);
  return isKey && type === 'text' ? 'text COLLATE "C"' : types[type];
}

/** `x(name type, …)`: how a JSON text of rows is read. */
function recordset(table: Table, names: readonly string[]): string {
  return `x(${names.map((name) => `${quote(name)} ${types[columnOf(table, name).type]}`).join(', ')})`;
}

// Writing

/** One statement that writes a whole batch; which tables it names is all that differs between batches. */
export function writeBatch(changes: readonly { readonly table: Table; readonly puts: boolean; readonly removes: boolean }[], schema: Schema): string {
  // $1 first seq, $2 count, $3 entries, $4 contents, $5 stamps; then the rows of each table.
  const steps = [
    `entries AS (INSERT INTO entry (seq, act, chain, n, text)
       SELECT seq, act, chain, n, text FROM json_to_recordset($3) AS x(seq bigint, act bigint, chain text, n integer, text text))`,
    `contents AS (INSERT INTO content (seq, slot, field, salt, body)
       SELECT seq, slot, field, decode(salt, 'hex'), body
       FROM json_to_recordset($4) AS x(seq bigint, slot integer, field text, salt text, body text))`,
    `waiting AS (INSERT INTO pending (first, count) VALUES ($1, $2))`,
    `stamps AS (INSERT INTO aggregate_stamp (aggregate, id, stamp)
       SELECT aggregate, id, $1::bigint FROM json_to_recordset($5) AS x(aggregate text, id text)
       ON CONFLICT (aggregate, id) DO UPDATE SET stamp = excluded.stamp)`,
  ];
  let parameter = 5;
  for (const [i, { table, puts, removes }] of changes.entries()) {
    if (puts) steps.push(`put${i} AS (${upsert(table, `$${++parameter}`, schema)})`);
    if (removes) steps.push(`remove${i} AS (${remove(table, `$${++parameter}`)})`);
  }
  return `WITH ${steps.join(',\n')}\nSELECT 1`;
}

function upsert(table: Table, rows: string, schema: Schema): string {
  const names = table.names.map(quote);
  const sole = isSole(table, schema);
  const into = sole ? [...names, '_stamp'] : names;
  const from = sole ? [...names, '$1::bigint'] : names;
  const rest = into.filter((name) => !table.keyNames.some((key) => quote(key) === name));
  const update = rest.length === 0 ? 'DO NOTHING' : `DO UPDATE SET ${rest.map((name) => `${name} = excluded.${name}`).join(', ')}`;
  return `INSERT INTO ${quote(table.name)} (${into.join(', ')})
    SELECT ${from.join(', ')} FROM json_to_recordset(${rows}) AS ${recordset(table, table.names)}
    ON CONFLICT (${table.keyNames.map(quote).join(', ')}) ${update}`;
}

function remove(table: Table, rows: string): string {
  const where = table.keyNames.map((name) => `t.${quote(name)} = x.${quote(name)}`).join(' AND ');
  return `DELETE FROM ${quote(table.name)} t USING json_to_recordset(${rows}) AS ${recordset(table, table.keyNames)} WHERE ${where}`;
}

interface Encoder {
  readonly name: string;
  /** What stands before the value: `"name":`, behind a comma where it is not the first. */
  readonly lead: string;
  readonly column: Column<unknown>;
}

const encoders = new WeakMap<Table, readonly Encoder[]>();

function encodersOf(table: Table): readonly Encoder[] {
  let known = encoders.get(table);
  if (known === undefined) {
    known = table.names.map((name, i) => ({ name, lead: `${i === 0 ? '' : ','}${JSON.stringify(name)}:`, column: columnOf(table, name) }));
    encoders.set(table, known);
  }
  return known;
}

/** The rows as one JSON text; columns of type json are in it as their canonical text, and stay that on the server. */
export function encodePuts(table: Table, changes: readonly RowChange[]): string {
  const columns = encodersOf(table);
  let text = '';
  for (const { row } of changes) {
    text += text === '' ? '[{' : ',{';
    for (const { name, lead, column } of columns) text += lead + encodeValue(column, (row as AnyRow)[name]);
    text += '}';
  }
  return `${text}]`;
}

export function encodeRemoves(table: Table, changes: readonly RowChange[]): string {
  const [first, second] = table.keyNames;
  return JSON.stringify(changes.map(({ id, sub }) => (second === undefined ? { [first]: id } : { [first]: id, [second]: sub })));
}

function encodeValue(column: Column<unknown>, value: unknown): string {
  if (value === null || value === undefined) {
    if (!column.nullable) throw new TypeError('a column that must hold a value has none');
    return 'null';
  }
  return column.type === 'json' ? canonicalJson(value as JsonValue) : JSON.stringify(value);
}

// Loading

/**
 * Reads aggregates in one statement, and so in one snapshot. $1 holds `[{i, aggregate, id, known}]`; a row
 * comes back for each: `[stamp]` where it still is the one known, `[stamp, rows of each table …]` where it is
 * not, null where there is nothing. With `numbered`, $2 units of entry numbers are drawn: after the snapshot.
 */
export function loadStates(schema: Schema, numbered: boolean): string {
  const aggregates = new Map<string, Table[]>();
  for (const table of schema.tables) {
    if (table.aggregate !== undefined) aggregates.set(table.aggregate, [...(aggregates.get(table.aggregate) ?? []), table]);
  }
  const cases = [...aggregates].map(([aggregate, tables]) => `WHEN '${aggregate}' THEN (${selectState(tables, schema)})`);
  const state = `CASE k.aggregate WHEN '${chainAggregate}' THEN (${selectChain}) ${cases.join('\n')} END AS state`;
  const keys = 'json_to_recordset($1) AS k(i integer, aggregate text, id text, known bigint)';
  if (!numbered) return `SELECT k.i, ${state} FROM ${keys}`;
  return `WITH u AS MATERIALIZED (${drawUnits('$2')})
    SELECT u.first, u.last, k.i, ${state} FROM u LEFT JOIN ${keys} ON true`;
}

/** Draws units of entry numbers; they are adjacent unless another session drew one in between. */
export function drawUnits(count: string): string {
  return `SELECT min(v) AS first, max(v) AS last FROM (SELECT nextval('entry_unit') AS v FROM generate_series(1, ${count}::int)) drawn`;
}

function selectState(tables: readonly Table[], schema: Schema): string {
  const [first] = tables as [Table];
  const values = (table: Table): string => `json_build_array(${table.names.map((name) => `t.${quote(name)}`).join(', ')})`;
  if (isSole(first, schema)) {
    return `SELECT CASE WHEN t._stamp = k.known THEN json_build_array(t._stamp)
      ELSE json_build_array(t._stamp, json_build_array(${values(first)})) END
      FROM ${quote(first.name)} t WHERE t.${quote(first.keyNames[0])} = k.id`;
  }
  const rows = tables.map((table) => {
    const [id, sub = id] = table.keyNames;
    return `(SELECT json_agg(${values(table)} ORDER BY t.${quote(sub)}) FROM ${quote(table.name)} t WHERE t.${quote(id)} = k.id)`;
  });
  return `SELECT CASE WHEN s.stamp = k.known THEN json_build_array(s.stamp) ELSE json_build_array(s.stamp, ${rows.join(', ')}) END
    FROM aggregate_stamp s WHERE s.aggregate = k.aggregate AND s.id = k.id`;
}

/** What makes a stored event of row `e`, for every place that reads one. */
export const eventValues = `e.seq, e.text, (
  SELECT json_agg(json_build_array(c.field, encode(c.salt, 'hex'), c.body) ORDER BY c.slot) FROM content c WHERE c.seq = e.seq)`;

const selectChain = `SELECT json_build_array(0, json_agg(json_build_array(${eventValues}) ORDER BY e.n)) FROM entry e WHERE e.chain = k.id`;

/** The leaf hashes of entries `e` as one text of bytes (RFC 6962: SHA-256 of 0x00 and the entry), in order of `by`. */
export function leaves(by: string): string {
  return `string_agg(sha256('\\x00'::bytea || convert_to(e.text, 'UTF8')), ''::bytea ORDER BY ${by})`;
}
