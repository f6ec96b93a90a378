/**
 * All writes of a batch as one statement. Values travel as one JSON text for each table, which the server unpacks in
 * one pass. Statements differ only in the tables they name, so there are few of them and each is planned once.
 */
import type pg from 'pg';
import type { Schema } from '../../engine/act.ts';
import type { Puts, Writes } from '../../engine/batch-io.ts';
import type { AnyRow, Sub, Table } from '../../engine/tables.ts';
import { lockId } from './connection.ts';
import { isSole, recordset, rowsJson } from './sql.ts';
import { quote } from '../sql.ts';

interface Changes {
  readonly table: Table;
  readonly puts: readonly AnyRow[];
  /** By both keys. */
  readonly removes: readonly (readonly [string, Sub])[];
}

export class BatchStatements {
  readonly #schema: Schema;
  /** Aggregates whose stamps are columns of their own tables. */
  readonly #sole: ReadonlySet<string | undefined>;
  readonly #texts = new Map<string, string>();

  constructor(schema: Schema) {
    this.#schema = schema;
    this.#sole = new Set(
      schema.tables.filter((table) => isSole(table, schema)).map((table) => table.aggregate),
    );
  }

  /** `first` is the number of the first entry, and the stamp of all that changes. */
  of(first: number, { entries, puts, scrubs, touched }: Writes): pg.QueryConfig {
    const contents = entries.flatMap(({ seq, contents: list }) =>
      list.map(({ field, salt, body, replacement, scrubbedBy }, slot) => ({
        seq,
        slot,
        field,
        salt: salt === null ? null : Buffer.from(salt).toString('hex'),
        body,
        replacement,
        scrubbedBy,
      })),
    );
    const stamped = touched.filter((key) => !this.#sole.has(key.aggregate));
    const values: unknown[] = [
      first,
      entries.length,
      JSON.stringify(entries.map(({ seq, act, chain, n, text }) => ({ seq, act, chain, n, text }))),
      JSON.stringify(contents),
      JSON.stringify(stamped.map(({ aggregate, id }) => ({ aggregate, id }))),
    ];
    const changed = [...puts]
      .map(([table, changes]) => split(table, changes))
      .filter((each) => each.puts.length + each.removes.length > 0);
    for (const { table, puts: put, removes } of changed) {
      if (put.length > 0) values.push(rowsJson(table, put));
      if (removes.length > 0) values.push(encodeRemoves(table, removes));
    }
    // Rare, and last: what it names is the highest parameter.
    if (scrubs.length > 0)
      values.push(
        JSON.stringify(
          scrubs.map(({ seq, slot, replacement, scrubbedBy }) => ({ seq, slot, replacement, scrubbedBy })),
        ),
      );
    const signature = changed
      .map(
        (each) => `${each.table.name}${each.puts.length > 0 ? '+' : ''}${each.removes.length > 0 ? '-' : ''}`,
      )
      .join(' ');
    const named = scrubs.length > 0 ? `scrub ${signature}` : signature;
    let text = this.#texts.get(named);
    if (text === undefined)
      this.#texts.set(named, (text = writeBatch(changed, this.#schema, scrubs.length > 0)));
    return { name: `write_${lockId(named)}`, text, values };
  }
}

function split(table: Table, changes: NonNullable<ReturnType<Puts['get']>>): Changes {
  const puts: AnyRow[] = [];
  const removes: (readonly [string, Sub])[] = [];
  for (const [id, rows] of changes)
    for (const [sub, row] of rows) {
      if (row === null) removes.push([id, sub]);
      else puts.push(row);
    }
  return { table, puts, removes };
}

function writeBatch(changes: readonly Changes[], schema: Schema, scrubs: boolean): string {
  // $1 first seq, $2 count, $3 entries, $4 contents, $5 stamps; then the rows of each table.
  const steps = [
    `entries AS (INSERT INTO entry (seq, act, chain, n, text)
       SELECT seq, act, chain, n, text FROM json_to_recordset($3) AS x(seq bigint, act bigint, chain text, n integer, text text))`,
    `contents AS (INSERT INTO content (seq, slot, field, salt, body, replacement, scrubbed_by)
       SELECT seq, slot, field, decode(salt, 'hex'), body, replacement, "scrubbedBy"
       FROM json_to_recordset($4) AS x(
         seq bigint, slot integer, field text, salt text, body text, replacement text, "scrubbedBy" text))`,
    `waiting AS (INSERT INTO pending (first, count) SELECT $1::bigint, $2::integer WHERE $2 > 0)`,
    `stamps AS (INSERT INTO aggregate_stamp (aggregate, id, stamp)
       SELECT aggregate, id, $1::bigint FROM json_to_recordset($5) AS x(aggregate text, id text)
       ON CONFLICT (aggregate, id) DO UPDATE SET stamp = excluded.stamp)`,
  ];
  let parameter = 5;
  for (const [i, { table, puts, removes }] of changes.entries()) {
    if (puts.length > 0) steps.push(`put${i} AS (${upsert(table, `$${++parameter}`, schema)})`);
    if (removes.length > 0) steps.push(`remove${i} AS (${remove(table, `$${++parameter}`)})`);
  }
  if (scrubs)
    steps.push(`scrubbed AS (UPDATE content c SET salt = NULL, body = NULL, replacement = x.replacement, scrubbed_by = x."scrubbedBy"
       FROM json_to_recordset($${++parameter}) AS x(seq bigint, slot integer, replacement text, "scrubbedBy" text)
       WHERE c.seq = x.seq AND c.slot = x.slot)`);
  return `WITH ${steps.join(',\n')}\nSELECT 1`;
}

function upsert(table: Table, rows: string, schema: Schema): string {
  const names = table.names.map(quote);
  const sole = isSole(table, schema);
  const into = sole ? [...names, '_stamp'] : names;
  const from = sole ? [...names, '$1::bigint'] : names;
  const rest = into.filter((name) => !table.keyNames.some((key) => quote(key) === name));
  const update =
    rest.length === 0
      ? 'DO NOTHING'
      : `DO UPDATE SET ${rest.map((name) => `${name} = excluded.${name}`).join(', ')}`;
  return `INSERT INTO ${quote(table.name)} (${into.join(', ')})
    SELECT ${from.join(', ')} FROM json_to_recordset(${rows}) AS ${recordset(table, table.names)}
    ON CONFLICT (${table.keyNames.map(quote).join(', ')}) ${update}`;
}

function remove(table: Table, rows: string): string {
  const where = table.keyNames.map((name) => `t.${quote(name)} = x.${quote(name)}`).join(' AND ');
  return `DELETE FROM ${quote(table.name)} t USING json_to_recordset(${rows}) AS ${recordset(table, table.keyNames)} WHERE ${where}`;
}

function encodeRemoves(table: Table, removes: Changes['removes']): string {
  const [first, second] = table.keyNames;
  return JSON.stringify(
    removes.map(([id, sub]) => (second === undefined ? { [first]: id } : { [first]: id, [second]: sub })),
  );
}
