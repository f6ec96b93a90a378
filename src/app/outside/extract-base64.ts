/**
 * Long base64 in a JSON text, taken out as the bytes that it is before anybody parses the text: each such string is
 * replaced by the hex SHA-256 of its bytes, by which they are found again. Parsing and decoding 50 MB of it in the
 * ordinary way held the process up for two seconds.
 */
import { sha256Hex } from '../../kernel/hash.ts';

export interface ExtractedBase64 {
  /** The JSON text without them. */
  readonly bytes: Buffer<ArrayBuffer>;
  /** By hex SHA-256, which is base64 too, and so passes wherever a picture would. */
  readonly apart: ReadonlyMap<string, Uint8Array>;
}

/** Shorter strings are parsed as fast as they are taken out. */
const charsMin = 65_536;
const quote = 0x22;
const backslash = 0x5c;

export function extractBase64(bytes: Buffer<ArrayBuffer>): ExtractedBase64 {
  const apart = new Map<string, Uint8Array>();
  if (bytes.length < charsMin) return { bytes, apart };
  const kept: Buffer[] = [];
  let at = 0;
  let start = bytes.indexOf(quote);
  while (start !== -1) {
    const end = endOfString(bytes, start);
    if (end === -1) break;
    const held = end - start - 1 < charsMin ? undefined : decoded(bytes.subarray(start + 1, end));
    if (held !== undefined) {
      const name = sha256Hex(held);
      apart.set(name, held);
      kept.push(bytes.subarray(at, start + 1), Buffer.from(name));
      at = end;
    }
    start = bytes.indexOf(quote, end + 1);
  }
  return apart.size === 0 ? { bytes, apart } : { bytes: Buffer.concat([...kept, bytes.subarray(at)]), apart };
}

/** The quote that ends the string which begins at `start`; -1 where the text breaks off. */
function endOfString(bytes: Buffer, start: number): number {
  let end = bytes.indexOf(quote, start + 1);
  while (end !== -1 && isEscaped(bytes, end)) end = bytes.indexOf(quote, end + 1);
  return end;
}

function isEscaped(bytes: Buffer, at: number): boolean {
  let before = at;
  while (bytes[before - 1] === backslash) before--;
  return (at - before) % 2 === 1;
}

/** The bytes of a text that is base64 from end to end; undefined for any other. */
function decoded(text: Buffer): Buffer | undefined {
  const held = Buffer.from(text.toString('latin1'), 'base64');
  const padding = text[text.length - 2] === 0x3d ? 2 : text[text.length - 1] === 0x3d ? 1 : 0;
  return held.length === Math.floor(((text.length - padding) * 3) / 4) ? held : undefined;
}
