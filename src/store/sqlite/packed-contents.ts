/**
 * An entry's contents in the entry's own row: `fields` names them, `packed` holds their bytes, each salt before its
 * body, as hashed. This saves a row per content. If one of them is scrubbed or withheld, all contents of the entry are
 * rows of `content`, which record the state of each.
 */
import type { StoredContent } from '../../engine/act.ts';
import { saltBytes } from '../../ledger/entry.ts';

export interface Packed {
  /**
   * `name+LENGTH` for a salted content and `name=LENGTH` for a plain one, in bytes with the salt, one space between;
   * a plain text that stands alone is its name, and `packed` that text. Null where nothing is packed.
   */
  readonly fields: string | null;
  readonly packed: string | Uint8Array | null;
}

/** One content of a packed entry: where its bytes begin and end, and whether a salt comes first. */
export interface PackedPart {
  readonly field: string;
  readonly salted: boolean;
  readonly from: number;
  readonly to: number;
}

const nothing: Packed = { fields: null, packed: null };
const arenaBytes = 1 << 18;
/** No character takes more in UTF-8 for each of its UTF-16 code units. */
const bytesPerUnit = 3;

/** Packs the contents of one batch after the other, into memory that the next one uses again. */
export class Packer {
  #arena = Buffer.allocUnsafe(arenaBytes);
  #at = 0;

  /** What was packed before is written by now; memory that was made for a large batch is let go. */
  begin(): void {
    if (this.#arena.length > arenaBytes) this.#arena = Buffer.allocUnsafe(arenaBytes);
    this.#at = 0;
  }

  /** Undefined where one of them is gone, so that rows of their own have to tell of it. */
  pack(contents: readonly StoredContent[]): Packed | undefined {
    let most = 0;
    for (const { body } of contents) {
      if (body === null) return undefined;
      most += saltBytes + body.length * bytesPerUnit;
    }
    const [only] = contents;
    if (only === undefined) return nothing;
    if (contents.length === 1 && only.salt === null) return { fields: only.field, packed: only.body };
    if (this.#at + most > this.#arena.length) {
      this.#arena = Buffer.allocUnsafe(Math.max(arenaBytes, most));
      this.#at = 0;
    }
    const begin = this.#at;
    let fields = '';
    for (const { field, salt, body } of contents) {
      const from = this.#at;
      if (salt !== null) {
        this.#arena.set(salt, from);
        this.#at += saltBytes;
      }
      this.#at += this.#arena.write(body as string, this.#at, 'utf8');
      fields += `${fields === '' ? '' : ' '}${field}${salt === null ? '=' : '+'}${this.#at - from}`;
    }
    return { fields, packed: this.#arena.subarray(begin, this.#at) };
  }
}

/** Undefined where names and bytes do not fit each other: one of the two was altered. */
export function partsOf(fields: string, bytes: number): readonly PackedPart[] | undefined {
  const parts: PackedPart[] = [];
  let at = 0;
  for (const part of fields.split(' ')) {
    const [, field, mark, length] = /^([a-z_]+)([+=])(\d{1,9})$/.exec(part) ?? [];
    if (field === undefined) return undefined;
    const salted = mark === '+';
    const from = at;
    at += Number(length);
    if (salted && at - from < saltBytes) return undefined;
    parts.push({ field, salted, from, to: at });
  }
  return at === bytes ? parts : undefined;
}

/** The contents of an entry whose row has some; undefined as above. */
export function unpack(
  fields: string,
  packed: string | Uint8Array | null,
): readonly StoredContent[] | undefined {
  if (typeof packed === 'string')
    return /^[a-z_]+$/.test(fields) ? [{ field: fields, salt: null, body: packed }] : undefined;
  if (!(packed instanceof Uint8Array)) return undefined;
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  return partsOf(fields, bytes.length)?.map(({ field, salted, from, to }) => ({
    field,
    salt: salted ? Uint8Array.from(bytes.subarray(from, from + saltBytes)) : null,
    body: bytes.toString('utf8', salted ? from + saltBytes : from, to),
  }));
}
