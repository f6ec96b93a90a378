/** Fetching for readers: a page as the plain text that it shows, whatever it is written in. */
import type { Fetch, Fetched, FetchText, ReadPage } from '../../domain/outside/fetch.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { pageText, plainText, type PageText } from '../../represent/page-text.ts';
import { failed, textOf } from './fetch-body.ts';

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
  const text = textOf(fetched);
  if (!fetched.type.includes('html')) return { title: '', ...plainText(text, charsMax) };
  return pageText(text, charsMax) ?? failed('the page nests too deeply to be read');
}

/** A narrow fetcher for jobs that only want to know what a page says. */
export function fetchTextWith(fetch: Fetch, charsMax = 500_000): FetchText {
  return async (url) => {
    const fetched = await fetch({ url, types: textTypes });
    if (isFault(fetched)) return fetched;
    const page = readableText(fetched, charsMax);
    if (isFault(page)) return page;
    return { status: fetched.status, finalUrl: fetched.finalUrl, text: page.text };
  };
}

/** More would make receipts that nobody can read. */
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
