/**
 * The limits of contract §4, in one typed table: how many calls a minute, counted by what, and how large an input
 * may be. `parseLimits` reads what a deployment sets instead of a default.
 */
import { fault, type Fault } from '../kernel/fault.ts';
import { sizeLimits, type SizeLimits } from '../kernel/size-limits.ts';
import type { ConcurrencyLimits } from './concurrency-limiter.ts';

/** What a rate limit counts by. */
export type CountedBy = 'client' | 'article' | 'credential';

export interface RateLimit {
  /** Calls in any window of `windowSeconds`. */
  readonly callsMax: number;
  readonly windowSeconds: number;
  readonly by: CountedBy;
  /** Keys kept at once; the tables below sum to 100,000. */
  readonly keysMax: number;
}

export const rateLimits = {
  /** Writes without a credential, anonymous dispatch included. */
  intakeByClient: { callsMax: 30, windowSeconds: 60, by: 'client', keysMax: 20_000 },
  intakeByArticle: { callsMax: 200, windowSeconds: 60, by: 'article', keysMax: 10_000 },
  /** `/start` and self-cut shares. */
  start: { callsMax: 20, windowSeconds: 60, by: 'client', keysMax: 10_000 },
  /** Counted on failure only, so that a right key is never locked out by others' failures. */
  failedCredential: { callsMax: 10, windowSeconds: 60, by: 'client', keysMax: 20_000 },
  /** MiB begun of bodies that are large and come without a credential in a header. */
  upload: { callsMax: 60, windowSeconds: 60, by: 'client', keysMax: 10_000 },
  read: { callsMax: 1_200, windowSeconds: 60, by: 'client', keysMax: 30_000 },
} as const satisfies Readonly<Record<string, RateLimit>>;

export type RateLimitName = keyof typeof rateLimits;

/** Large bodies without a credential in a header that are read at once. */
export const uploadConcurrency: ConcurrencyLimits = { perKeyMax: 4, totalMax: 16 };

/** Bytes of those bodies together. */
export const uploadBytesInFlightMax = 64 * 1024 * 1024;

/** Streams of log entries that are open at once; a browser holds at most six to one host. */
export const streamLimits: ConcurrencyLimits = { perKeyMax: 12, totalMax: 1_000 };

/** Assignments that free credentials may have open at once; one such credential may hold three. */
export const leaseLimits = { openPerClientMax: 12 } as const;

export interface Limits {
  readonly sizes: SizeLimits;
  readonly rates: Readonly<Record<RateLimitName, RateLimit>>;
}

/** By the name under which a deployment sets it: the figure it replaces, and the largest that is taken. */
const sizeNames: Readonly<Record<string, readonly [keyof SizeLimits, max: number]>> = {
  dispatch_bytes: ['dispatchBytesMax', 67_108_864],
  request_bytes: ['requestBytesMax', 67_108_864],
  batch_bytes: ['batchBytesMax', 268_435_456],
  import_bytes: ['importBytesMax', 268_435_456],
  article_bytes: ['articleBytesMax', 67_108_864],
  article_divs: ['articleDivsMax', 1_000_000],
  // The rows' schemas take no more of these two.
  div_bytes: ['divBytesMax', 131_072],
  intake_characters: ['intakeCharsMax', 32_000],
  provider_bytes: ['providerBytesMax', 100_663_296],
};
const rateNames: Readonly<Record<string, RateLimitName>> = {
  intake_per_client: 'intakeByClient',
  intake_per_article: 'intakeByArticle',
  starts_per_client: 'start',
  failed_credentials: 'failedCredential',
  uploads_per_client: 'upload',
  reads_per_client: 'read',
};
const callsLargest = 1_000_000;

/** `name=figure`, separated by commas; calls are counted a minute. Answers with the defaults where nothing is given. */
export function parseLimits(given: string): Limits | Fault {
  const sizes: Record<keyof SizeLimits, number> = { ...sizeLimits };
  const rates: Record<RateLimitName, RateLimit> = { ...rateLimits };
  const set = new Set<string>();
  for (const item of given.split(',').filter((each) => each.trim() !== '')) {
    const [, name = '', digits = ''] = /^([a-z_]+)=([1-9][0-9]{0,9})$/.exec(item.trim()) ?? [];
    const size = sizeOf(name);
    const rate = Object.hasOwn(rateNames, name) ? rateNames[name] : undefined;
    const figure = Number(digits);
    if (set.has(name) || (size === undefined && rate === undefined) || figure > (size?.[1] ?? callsLargest))
      return misread(item.trim());
    set.add(name);
    if (size !== undefined) sizes[size[0]] = figure;
    else if (rate !== undefined) rates[rate] = { ...rates[rate], callsMax: figure };
  }
  return { sizes, rates };
}

function sizeOf(name: string): readonly [keyof SizeLimits, max: number] | undefined {
  return Object.hasOwn(sizeNames, name) ? sizeNames[name] : undefined;
}

function misread(item: string): Fault {
  const largest = sizeOf((item.split('=')[0] ?? '').trim())?.[1] ?? callsLargest;
  return fault(
    'invalid_request',
    `COLOPHON_LIMITS cannot be read at "${item.slice(0, 80)}".`,
    `It accepts name=figure, each name once, separated by commas, with figures from 1 to ${largest}; the names are ${[...Object.keys(sizeNames), ...Object.keys(rateNames)].join(', ')}.`,
  );
}
