/**
 * Projections, described once. A table here is a name, one or two key columns and typed columns; the two
 * store adapters make their DDL and statements from it, and `rebuild --check` compares tables row by row.
 * The first key column names the aggregate a row belongs to: an aggregate is loaded by it, whole.
 */
export type ColumnType = 'text' | 'integer' | 'real' | 'json';

export interface Column<V> {
  readonly type: ColumnType;
  readonly nullable: boolean;
  /** Carries the value's type; never present at run time. */
  readonly value?: V;
}

export const text = <T extends string = string>(): Column<T> => ({ type: 'text', nullable: false });
export const integer = (): Column<number> => ({ type: 'integer', nullable: false });
export const real = (): Column<number> => ({ type: 'real', nullable: false });
/** A JSON document; stored as canonical JSON text. */
export const json = <V>(): Column<V> => ({ type: 'json', nullable: false });
export const nullable = <V>(column: Column<V>): Column<V | null> => ({ type: column.type, nullable: true });

type Columns = Readonly<Record<string, Column<unknown>>>;
type ValuesOf<C extends Columns> = { readonly [N in keyof C]: C[N] extends Column<infer V> ? V : never };

export type Sub = string | number;

export interface Table<K extends Columns = Columns, C extends Columns = Columns> {
  readonly name: string;
  readonly key: K;
  readonly columns: C;
  readonly keyNames: readonly [string] | readonly [string, string];
  readonly names: readonly string[];
  /** The aggregate that loads this table's rows, or nothing for a table that decisions never read. */
  readonly aggregate: string | undefined;
  /** Small rows, clustered by their key. */
  readonly compact: boolean;
  /** Columns that `select` filters and orders by, each list an index of the store's. */
  readonly indexes: readonly (readonly string[])[];
}

export type RowOf<T> = T extends Table<infer K, infer C> ? ValuesOf<K> & ValuesOf<C> : never;
export type AnyRow = Readonly<Record<string, unknown>>;

export function table<K extends Columns, C extends Columns>(
  name: string,
  shape: {
    key: K;
    columns: C;
    aggregate?: string;
    compact?: boolean;
    indexes?: readonly (readonly string[])[];
  },
): Table<K, C> {
  const keyNames = Object.keys(shape.key);
  if (keyNames.length < 1 || keyNames.length > 2) throw new Error(`table ${name}: one or two key columns`);
  return {
    name,
    key: shape.key,
    columns: shape.columns,
    keyNames: keyNames as [string] | [string, string],
    names: [...keyNames, ...Object.keys(shape.columns)],
    aggregate: shape.aggregate,
    compact: shape.compact ?? false,
    indexes: shape.indexes ?? [],
  };
}

/** The column of a table by its name, key columns included. */
export function columnOf(of: Table, name: string): Column<unknown> {
  const column = of.key[name] ?? of.columns[name];
  if (column === undefined) throw new Error(`table ${of.name} has no column ${name}`);
  return column;
}

/** The part of a row's key behind the aggregate's id; '' where the table has one key column. */
export function subOf(of: Table, row: AnyRow): Sub {
  return of.keyNames.length === 2 ? (row[of.keyNames[1]] as Sub) : '';
}
