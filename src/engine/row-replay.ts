/**
 * The port through which a running server makes its projections again, beside those that stand (contract §1.8): an
 * embedded database that is gone when it is closed. The store folder implements it.
 */
import type { StoredEvent } from './act.ts';
import type { AnyRow, Sub, Table } from './tables.ts';

export interface RowReplay {
  /** Takes the next entry of the log. Throws `Unreplayable` where the projectors cannot take it. */
  take(entry: StoredEvent): void;
  row(table: Table, id: string, sub: Sub): AnyRow | undefined;
  rows(table: Table): Iterable<AnyRow>;
  count(table: Table): number;
  close(): void;
}
