/**
 * Bodies of fetched responses: of an expected type, decompressed and decoded, within a size limit; and pages as the
 * plain text that they show.
 */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { FetchRequest, Fetched, Fetch, FetchText, ReadPage } from '../../domain/outside/outside.ts';
import { fault, type Fault, isFault } from '../../kernel/fault.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { pageText, plainText, type PageText } from '../../represent/page-text.ts';

export const fetchDefaults = { redirectsMax: 5, bytesMax: 2 * 1024 * 1024, timeoutMs: 15_000 } as const;

/** `request` limits the type and the decompressed size; nothing beyond the limit is read. */
export async function readBody(
  finalUrl: string,
  method: string,
  answer: IncomingMessage,
  request: Pick<FetchRequest, 'bytesMax' | 'types' | 'statusOnly'>,
  signal: AbortSignal,
): Promise<Fetched | Fault> {
  const contentType = answer.headers['content-type'] ?? '';
  const type = (contentType.split(';')[0] as string).trim().toLowerCase();
  const charset = /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType)?.[1]?.toLowerCase();
  const head = { status: answer.statusCode ?? 0, finalUrl, headers: plain(answer), type, charset };
  if (method === 'HEAD' || request.statusOnly === true) {
    answer.destroy();
    return { ...head, bytes: new Uint8Array() };
  }
  const isEmpty = head.status === 204 || answer.headers['content-length'] === '0';
  if (!isEmpty && request.types !== undefined && !isWanted(type, request.types)) {
    answer.destroy();
    return fault(
      'runner_failed',
      `The URL answers with ${type === '' ? 'no media type' : type.slice(0, 80)}, which is not read here.`,
      `Use a URL that answers with one of ${request.types.join(', ')}.`,
      { reason: 'media_type', status: head.status },
    );
  }
  const bytesMax = request.bytesMax ?? fetchDefaults.bytesMax;
  const body = decoded(answer);
  if (body === undefined) {
    answer.destroy();
    return failed('its content encoding is unknown');
  }
  // An aborted stream or a decompression bomb ends both streams.
  signal.addEventListener('abort', () => body.destroy(signal.reason as Error), { once: true });
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) {
      answer.destroy();
      return fault('runner_failed', `The answer has more than ${bytesMax} bytes.`, 'Use a smaller page.', {
        reason: 'too_large',
        status: head.status,
      });
    }
    chunks.push(chunk);
  }
  return { ...head, bytes: Buffer.concat(chunks) };
}

/** `text/` stands for every text, and JSON for what is built on it (`+json`). */
function isWanted(type: string, types: readonly string[]): boolean {
  return (
    types.some((each) => type.startsWith(each)) ||
    (type.endsWith('+json') && types.includes('application/json'))
  );
}

function decoded(answer: IncomingMessage): Readable | undefined {
  const encoding = (answer.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '') return answer;
  const unpack =
    encoding === 'gzip' || encoding === 'x-gzip'
      ? createGunzip()
      : encoding === 'deflate'
        ? createInflate()
        : encoding === 'br'
          ? createBrotliDecompress()
          : undefined;
  if (unpack === undefined) return undefined;
  answer.on('error', (error) => unpack.destroy(error));
  return answer.pipe(unpack);
}

function plain(answer: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(answer.headers))
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  return headers;
}

/** The bytes as text in the declared charset, else as UTF-8. */
export function decodeText(fetched: Pick<Fetched, 'bytes' | 'charset' | 'type'>): string {
  const label = fetched.charset ?? metaCharset(fetched);
  try {
    return new TextDecoder(label ?? 'utf-8').decode(fetched.bytes);
  } catch {
    return new TextDecoder().decode(fetched.bytes);
  }
}

/** HTML may declare its charset within its first kilobyte. */
function metaCharset({ bytes, type }: Pick<Fetched, 'bytes' | 'type'>): string | undefined {
  if (!type.includes('html')) return undefined;
  const start = Buffer.from(bytes.subarray(0, 1024)).toString('latin1');
  return /<meta[^>]{0,200}charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(start)?.[1];
}

export function failed(why: string): Fault {
  return fault(
    'runner_failed',
    `The URL could not be fetched: ${why}.`,
    'Check the URL in a browser and try again, or use another one.',
    { reason: 'fetch_failed' },
  );
}

/** Media types whose bodies are text. */
export const textTypes: readonly string[] = [
  'text/',
  'application/xhtml+xml',
  'application/json',
  'application/ld+json',
  'application/xml',
  'application/rss+xml',
  'application/atom+xml',
];

export function readableText(fetched: Fetched, charsMax: number): PageText | Fault {
  const text = decodeText(fetched);
  if (!fetched.type.includes('html')) return { title: '', ...plainText(text, charsMax) };
  return pageText(text, charsMax) ?? failed('the page nests too deeply to be read');
}

/** For jobs that only need the text of a page. */
export function fetchTextWith(fetch: Fetch, charsMax = 500_000): FetchText {
  return async (url) => {
    const fetched = await fetch({ url, types: textTypes });
    if (isFault(fetched)) return fetched;
    const page = readableText(fetched, charsMax);
    if (isFault(page)) return page;
    return { status: fetched.status, finalUrl: fetched.finalUrl, text: page.text };
  };
}

/** Receipts stay readable. */
const pageCharsMax = 200_000;

export function readPageWith(fetch: Fetch): ReadPage {
  return async (method, url) => {
    const fetched = await fetch({ url, method, types: textTypes });
    if (isFault(fetched)) return fetched;
    const page = method === 'HEAD' ? undefined : readableText(fetched, pageCharsMax);
    if (isFault(page)) return page;
    return {
      final_url: fetched.finalUrl,
      status: fetched.status,
      content_type: fetched.type.slice(0, 200),
      last_modified: fetched.headers['last-modified']?.slice(0, 100) ?? null,
      bytes: fetched.bytes.length,
      sha256: sha256Hex(fetched.bytes),
      title: page?.title ?? '',
      text: page?.text ?? '',
      truncated: page?.truncated ?? false,
    };
  };
}
