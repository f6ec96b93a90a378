/**
 * Records the exchange with a provider: the exact payload and raw response. Pictures and films are replaced by length
 * and hash, and the key is removed. Large pictures in JSON are extracted as bytes first, so
 * that neither this code nor the SDK parses them.
 */
import { redactionMarker } from '../../guard/secrets.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { isFault } from '../../kernel/fault.ts';
import { type JsonObject, type JsonValue, parseJson } from '../../kernel/json.ts';

interface Exchange {
  readonly request: JsonValue;
  readonly response: JsonValue;
}

export interface Wire {
  readonly fetch: typeof globalThis.fetch;
  last(): Exchange;
  /** The bytes of a base64 text of the answer, as the SDK returns it. */
  bytesFrom(base64: string): Uint8Array;
  /** Whether the last answer exceeded the limit. */
  isCutOff(): boolean;
}

interface WireLimits {
  readonly bytesMax: number;
  /** Extracts long base64 before the SDK reads the answer; `bytesFrom` returns it. */
  readonly extractBase64?: boolean;
}

/** Longer strings without blanks are binary data. */
const encodedCharsMin = 512;
const textCharsMax = 20_000;
/** Room for the JSON around pictures. */
const textBytesMax = 4 * 1024 * 1024;

/** A `fetch` that records, and stops reading at `bytesMax`. */
export function recordingFetch(key: string, limits: WireLimits): Wire {
  const { bytesMax } = limits;
  const apart = new Map<string, Uint8Array>();
  let last: Exchange = { request: null, response: null };
  let isCutOff = false;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    const request: JsonObject = {
      method: init?.method ?? 'GET',
      url: plain(url.origin + url.pathname, key),
      body: await bodyOf(init?.body, key),
    };
    isCutOff = false;
    last = { request, response: null };
    const response = await globalThis.fetch(input, { ...init, redirect: 'error' });
    const head = { status: response.status, ...waitOf(response.headers, key) };
    const { bytes, broken } = await readWithin(response, bytesMax);
    if (broken !== undefined) {
      isCutOff = broken instanceof TooLarge;
      const begun = plain(bytes.subarray(0, textCharsMax).toString('utf8'), key);
      last = { request, response: { ...head, body: begun, broken_off_after: bytes.length } };
      throw broken;
    }
    const rest: ExtractedBase64 =
      limits.extractBase64 === true ? extractBase64(bytes) : { bytes, apart: new Map() };
    for (const [name, each] of rest.apart) apart.set(name, each);
    if (limits.extractBase64 === true && rest.bytes.length > textBytesMax) {
      isCutOff = true;
      last = { request, response: { ...head, body: null, broken_off_after: bytes.length } };
      throw new TooLarge(`the provider answered with more than ${textBytesMax} bytes beside pictures`);
    }
    last = { request, response: { ...head, body: bodyFrom(rest.bytes, key, rest.apart) } };
    const { status, statusText, headers } = response;
    const kept = new Headers(headers);
    // The body is decompressed by now.
    kept.delete('content-encoding');
    kept.delete('content-length');
    return new Response(status === 204 ? null : rest.bytes, { status, statusText, headers: kept });
  };
  return {
    fetch,
    last: () => last,
    bytesFrom: (base64) => apart.get(base64) ?? Buffer.from(base64, 'base64'),
    isCutOff: () => isCutOff,
  };
}

class TooLarge extends Error {}

/** The provider's `Retry-After`. */
function waitOf(headers: Headers, key: string): JsonObject {
  const wait = headers.get('retry-after');
  return wait === null ? {} : { retry_after: plain(wait.slice(0, 100), key) };
}

/** A body: whole, or what arrived before an error or the limit. */
async function readWithin(
  response: Response,
  bytesMax: number,
): Promise<{ readonly bytes: Buffer<ArrayBuffer>; readonly broken?: Error }> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const tooLarge = new TooLarge(`the provider answered with more than ${bytesMax} bytes`);
  if (Number(response.headers.get('content-length') ?? 0) > bytesMax) {
    await response.body?.cancel();
    return { bytes: Buffer.alloc(0), broken: tooLarge };
  }
  try {
    for await (const chunk of response.body ?? []) {
      length += chunk.length;
      if (length > bytesMax) throw tooLarge;
      chunks.push(chunk);
    }
  } catch (error) {
    const broken = error instanceof Error ? error : new Error(String(error));
    return { bytes: Buffer.concat(chunks), broken };
  }
  return { bytes: Buffer.concat(chunks) };
}

async function bodyOf(body: unknown, key: string): Promise<JsonValue> {
  if (typeof body === 'string') return bodyFrom(Buffer.from(body), key);
  if (!(body instanceof FormData)) return body == null ? null : `[${typeof body}]`;
  const parts: JsonObject[] = [];
  for (const [name, value] of body.entries()) {
    if (typeof value === 'string') parts.push({ name, value: plain(value, key) });
    else {
      const bytes = Buffer.from(await value.arrayBuffer());
      parts.push({ name, value: named(bytes, value.type) });
    }
  }
  return parts;
}

function bodyFrom(bytes: Buffer, key: string, apart: ExtractedBase64['apart'] = new Map()): JsonValue {
  const text = bytes.toString('utf8');
  const parsed = parseJson(text);
  return isFault(parsed) ? plain(text.slice(0, textCharsMax), key) : plain(parsed.value, key, apart);
}

function plain(value: JsonValue, key: string, apart: ExtractedBase64['apart'] = new Map()): JsonValue {
  if (typeof value === 'string') {
    const bytes = apart.get(value);
    if (bytes !== undefined) return label('base64', bytes.length, value);
    if (value.length >= encodedCharsMin && !/\s/.test(value))
      return named(Buffer.from(value, 'base64'), 'base64');
    return (key === '' ? value : value.replaceAll(key, redactionMarker)).toWellFormed().replaceAll('\0', '');
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map((item) => plain(item, key, apart));
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([name, member]) => [
      name,
      plain(member as JsonValue, key, apart),
    ]),
  );
}

function named(bytes: Buffer, what: string): string {
  return label(what, bytes.length, sha256Hex(bytes));
}

function label(what: string, length: number, sha256: string): string {
  return `[${what}, ${length} bytes, sha256 ${sha256}]`;
}

/*
 * Extracts long base64 strings from a JSON text before it is parsed, replacing each by the hex SHA-256 of its bytes.
 * Parsing and decoding 50 MB of base64 blocked the process for two seconds.
 */

interface ExtractedBase64 {
  /** The JSON text with hashes in place of the strings. */
  readonly bytes: Buffer<ArrayBuffer>;
  /** By hex SHA-256, which is valid base64, so it passes for a picture. */
  readonly apart: ReadonlyMap<string, Uint8Array>;
}

/** Shorter strings parse fast enough. */
const charsMin = 65_536;
const quote = 0x22;
const backslash = 0x5c;

function extractBase64(bytes: Buffer<ArrayBuffer>): ExtractedBase64 {
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
