/** Reads the contents of stored entries, from the entry's own row or from rows of their own. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { StoredContent } from '../../engine/act.ts';
import { UnreplayableEntry } from '../../engine/store.ts';
import { contentColumnsOf, contentSlots, hasColumn } from './ddl.ts';
import { unpack, type Packed } from './packed-contents.ts';

/** What is selected of an entry beside its own columns; none of it in a file that an older version wrote. */
export function packedColumnsOf(db: DatabaseSync): string {
  return hasColumn(db, 'entry', 'packed') ? 'fields, packed' : 'NULL AS fields, NULL AS packed';
}

export class StoredContents {
  readonly #db: DatabaseSync;
  #rows: StatementSync | undefined;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Throws `Unreplayable` if an entry's row was altered so that its contents cannot be separated. */
  of({ seq, fields, packed }: Packed & { readonly seq: number }): readonly StoredContent[] {
    if (fields === null) return this.#rowsOf(seq);
    const contents = unpack(fields, packed);
    if (contents === undefined) throw new UnreplayableEntry(`the contents of entry ${seq} were altered`);
    return contents;
  }

  /** Prepared when first needed: an audit opens files that are damaged. */
  #rowsOf(seq: number): readonly StoredContent[] {
    this.#rows ??= this.#db.prepare(
      `SELECT ${contentColumnsOf(this.#db)} FROM content WHERE id >= ? AND id < ? ORDER BY id`,
    );
    return this.#rows.all(seq * contentSlots, (seq + 1) * contentSlots) as unknown as StoredContent[];
  }
}
