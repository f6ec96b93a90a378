/**
 * Bytes, their written forms, and SHA-256 through WebCrypto, which Node and browsers share (browsers offer
 * it to pages served over https or from localhost only).
 */

export type Bytes = Uint8Array<ArrayBuffer>;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function utf8(text: string): Bytes {
  return encoder.encode(text);
}

/** The text, or nothing where the bytes are not UTF-8. */
export function fromUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

export function concat(...parts: readonly Uint8Array[]): Bytes {
  return concatAll(parts);
}

/** As `concat`, of as many parts as there are: a server chooses in how many it answers. */
export function concatAll(parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The bytes of lowercase hex, or nothing. */
export function fromHex(text: string): Bytes | undefined {
  if (!/^(?:[0-9a-f]{2})*$/.test(text)) return undefined;
  return Uint8Array.from({ length: text.length / 2 }, (_, i) =>
    Number.parseInt(text.slice(2 * i, 2 * i + 2), 16),
  );
}

/** The bytes of strict base64 (RFC 4648 §4), or nothing: one text for one value. */
export function fromBase64(text: string): Bytes | undefined {
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    return undefined;
  }
  return btoa(binary) === text ? Uint8Array.from(binary, (char) => char.charCodeAt(0)) : undefined;
}

export async function sha256(bytes: Bytes): Promise<Bytes> {
  return new Uint8Array(await subtle().digest('SHA-256', bytes));
}

/** WebCrypto, or a reason that a person can act on. */
export function subtle(): SubtleCrypto {
  const found = globalThis.crypto?.subtle as SubtleCrypto | undefined;
  if (found === undefined)
    throw new Error('WebCrypto is missing: browsers offer it over https or on localhost only');
  return found;
}

type SubtleCrypto = typeof globalThis.crypto.subtle;
