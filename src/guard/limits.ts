/**
 * The default limits of contract §4, in one typed table: how many calls a minute, counted by what, and how
 * large an input may be. Every figure can be configured; what a deployment sets replaces it here.
 */
import type { SeatLimits } from './seats.ts';

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
  read: { callsMax: 1_200, windowSeconds: 60, by: 'client', keysMax: 40_000 },
} as const satisfies Readonly<Record<string, RateLimit>>;

export type RateLimitName = keyof typeof rateLimits;

/** Streams of log entries that are open at once; a browser holds at most six to one host. */
export const streamLimits: SeatLimits = { perKeyMax: 12, totalMax: 1_000 };

/** Assignments that are open at once by credentials that nobody had to ask for; one such credential holds three. */
export const leaseLimits = { openPerClientMax: 12 } as const;

export const sizeLimits = {
  dispatchBodyBytesMax: 262_144,
  requestBytesMax: 1_048_576,
  batchBytesMax: 8_388_608,
  importBytesMax: 8_388_608,
  articleBytesMax: 2_097_152,
  divTextBytesMax: 65_536,
  intakeTextCharactersMax: 8_000,
} as const;
