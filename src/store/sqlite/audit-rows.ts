/**
 * Reads the rows of a ledger file for an audit: a page of entries and of contents in one call each, and the stored
 * hashes of a page as one value. A content is read as the bytes that were hashed, its salt before its body.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { ContentForAudit } from '../../ledger/audit.ts';
import { saltBytes as bytesOfSalt } from '../../ledger/entry.ts';
import { contentSlots, hasColumn } from './ddl.ts';
import { partsOf } from './packed-contents.ts';

export type EntryRow = readonly [
  seq: number,
  act: number,
  chain: string,
  n: number,
  text: string,
  fields: string | null,
  packed: string | Uint8Array | null,
];
export type ContentRow = readonly [
  id: number,
  field: string,
  saltBytes: number | null,
  hashed: string | Uint8Array | null,
];

/** A row whose text is read as text costs less than one of bytes, until the text is long. */
const textBytesMax = 1024;

/** What an entry's names say of its contents. */
const areBytes = "instr(fields, '+') OR instr(fields, '=')";

/**
 * For a file that an older version wrote, too. Bytes where one text is said to stand are none, nor is a text where bytes
 * are said to: they would hash alike, and be read as something else.
 */
export function entriesSqlOf(db: DatabaseSync): string {
  const packed = hasColumn(db, 'entry', 'packed')
    ? `fields, CASE WHEN typeof(packed) = 'text'
          THEN iif(octet_length(packed) <= ${textBytesMax} OR ${areBytes}, packed, CAST(packed AS BLOB))
        WHEN ${areBytes} THEN packed END`
    : 'NULL, NULL';
  return `SELECT seq, act, chain, n, text, ${packed} FROM entry WHERE seq >= ? AND seq < ? ORDER BY seq`;
}

export const contentsSql = `SELECT id, field, octet_length(salt),
    iif(salt IS NULL AND octet_length(body) <= ${textBytesMax}, body, CAST(coalesce(salt, x'') || body AS BLOB))
  FROM content WHERE id >= ? AND id < ? ORDER BY id`;

/** Entries whose rows are read in one call: fetched one by one, a row costs three times as much. */
export const pageEntries = 256;

/** The hashes stored beside entries: many in one value are read at a tenth of the cost of each by itself. */
export interface LeafColumn {
  joined(from: number, to: number): Uint8Array | null;
  each(
    from: number,
    to: number,
  ): readonly {
    readonly seq: number;
    readonly chain: string;
    readonly n: number;
    readonly leaf: Uint8Array | null;
  }[];
}

export function leavesOf(db: DatabaseSync): LeafColumn {
  const range = 'FROM entry WHERE seq >= ? AND seq < ? ORDER BY seq';
  const joined = db.prepare(
    `SELECT CAST(group_concat(leaf, '') AS BLOB) AS bytes FROM (SELECT leaf ${range})`,
  );
  const each = db.prepare(`SELECT seq, chain, n, leaf ${range}`);
  return {
    joined: (from, to) => joined.get(from, to)?.['bytes'] as Uint8Array | null,
    each: (from, to) => each.all(from, to) as unknown as ReturnType<LeafColumn['each']>,
  };
}

/** Reads the rows of a range of keys as arrays of their columns. */
export function pagesOf<R>(db: DatabaseSync, sql: string): (from: number, to: number) => readonly R[] {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return (from, to) => statement.all(from, to) as unknown as readonly R[];
}

/** Contents that stand in their entry's row; undefined where names and bytes do not fit each other. */
export function packedForAudit(
  fields: string,
  packed: string | Uint8Array | null,
): readonly ContentForAudit[] | undefined {
  if (packed === null) return undefined;
  const alone = /^[a-z_]+$/.test(fields);
  if (alone || typeof packed === 'string')
    return alone ? [{ field: fields, saltBytes: null, hashed: packed }] : undefined;
  return partsOf(fields, packed.length)?.map(({ field, salted, from, to }) => ({
    field,
    saltBytes: salted ? bytesOfSalt : null,
    hashed: packed.subarray(from, to),
  }));
}

/** Returns the content rows of a page, entry by entry, and reports rows in between that belong to no entry. */
export class ContentsInTurn {
  /** Whether the contents last given out have the row ids that they should. */
  inPlace = true;
  readonly #rows: readonly ContentRow[];
  readonly #stray: (seq: number) => void;
  #at = 0;

  constructor(rows: readonly ContentRow[], stray: (seq: number) => void) {
    this.#rows = rows;
    this.#stray = stray;
  }

  of(seq: number): readonly ContentForAudit[] {
    this.skipTo(seq);
    const own: ContentForAudit[] = [];
    this.inPlace = true;
    for (let row = this.#rows[this.#at]; row !== undefined; row = this.#rows[++this.#at]) {
      const [id, field, saltBytes, hashed] = row;
      if (id >= (seq + 1) * contentSlots) break;
      if (id !== seq * contentSlots + own.length) this.inPlace = false;
      own.push({ field, saltBytes, hashed });
    }
    return own;
  }

  skipTo(seq: number): void {
    for (let row = this.#rows[this.#at]; row !== undefined; row = this.#rows[++this.#at]) {
      if (row[0] >= seq * contentSlots) return;
      this.#stray(Math.floor(row[0] / contentSlots));
    }
  }
}
