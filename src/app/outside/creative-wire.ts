/**
 * What went over the wire between us and a provider: the exact payload and the raw response of the last exchange, fit
 * to be recorded. Pictures and films inside are named by length and hash, and the key is taken out wherever it stands.
 */
import { redactionMarker } from '../../guard/secrets.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { isFault } from '../../kernel/fault.ts';
import { parseJson, type JsonObject, type JsonValue } from '../../kernel/json.ts';

export interface Exchange {
  readonly request: JsonValue;
  readonly response: JsonValue;
}

export interface Wire {
  readonly fetch: typeof globalThis.fetch;
  last(): Exchange;
}

/** Longer strings without a blank are bytes in disguise. */
const encodedCharsMin = 512;
const textCharsMax = 20_000;

export function recordingFetch(key: string): Wire {
  let last: Exchange = { request: null, response: null };
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    const request: JsonObject = {
      method: init?.method ?? 'GET',
      url: plain(url.origin + url.pathname, key),
      body: await bodyOf(init?.body, key),
    };
    last = { request, response: null };
    const response = await globalThis.fetch(input, { ...init, redirect: 'error' });
    const bytes = Buffer.from(await response.arrayBuffer());
    const answer: JsonObject = { status: response.status, body: bodyFrom(bytes, key) };
    last = { request, response: answer };
    const { status, statusText, headers } = response;
    const kept = new Headers(headers);
    // The body is unpacked by now.
    kept.delete('content-encoding');
    kept.delete('content-length');
    return new Response(status === 204 ? null : bytes, { status, statusText, headers: kept });
  };
  return { fetch, last: () => last };
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

function bodyFrom(bytes: Buffer, key: string): JsonValue {
  const text = bytes.toString('utf8');
  const parsed = parseJson(text);
  return isFault(parsed) ? plain(text.slice(0, textCharsMax), key) : plain(parsed.value, key);
}

function plain(value: JsonValue, key: string): JsonValue {
  if (typeof value === 'string') {
    if (value.length >= encodedCharsMin && !/\s/.test(value))
      return named(Buffer.from(value, 'base64'), 'base64');
    return (key === '' ? value : value.replaceAll(key, redactionMarker)).toWellFormed().replaceAll('\0', '');
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map((item) => plain(item, key));
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([name, member]) => [name, plain(member as JsonValue, key)]),
  );
}

function named(bytes: Buffer, what: string): string {
  return `[${what}, ${bytes.length} bytes, sha256 ${sha256Hex(bytes)}]`;
}
