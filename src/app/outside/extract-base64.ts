/**
 * Extracts long base64 strings from a JSON text before it is parsed, replacing each by the hex SHA-256 of its bytes.
 * Parsing and decoding 50 MB of base64 blocked the process for two seconds.
 */
import { sha256Hex } from '../../kernel/hash.ts';

export interface ExtractedBase64 {
  /** The JSON text with hashes in place of the strings. */
  readonly bytes: Buffer<ArrayBuffer>;
  /** By hex SHA-256, which is valid base64, so it passes for a picture. */
  readonly apart: ReadonlyMap<string, Uint8Array>;
}

/** Shorter strings parse fast enough. */
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

/** Index of the closing quote; -1 if the text ends early. */
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

/** Decoded bytes; undefined if the text is not base64. */
function decoded(text: Buffer): Buffer | undefined {
  const held = Buffer.from(text.toString('latin1'), 'base64');
  const padding = text[text.length - 2] === 0x3d ? 2 : text[text.length - 1] === 0x3d ? 1 : 0;
  return held.length === Math.floor(((text.length - padding) * 3) / 4) ? held : undefined;
}
