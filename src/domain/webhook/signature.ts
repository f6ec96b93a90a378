/**
 * Standard Webhooks signatures (standardwebhooks.com, "Signature scheme"): HMAC-SHA256 over `id.timestamp.body`,
 * base64, in a list of `v1,…`. Every header comes from a stranger.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

export interface SignedRequest {
  readonly id: string;
  /** Seconds since 1970, as it was sent. */
  readonly timestamp: string;
  /** The list of signatures, separated by blanks. */
  readonly signatures: string;
  readonly body: Uint8Array;
}

/** How far a sender's clock may be off, in either direction. */
export const toleranceSeconds = 300;

const idShape = /^[\x21-\x7e]{1,200}$/;
const signaturesMax = 10;

/** Whether a signature of the list is by `key`, and the time within the tolerance; `nowMs` since 1970. */
export function isSignedBy(
  key: Uint8Array,
  { id, timestamp, signatures, body }: SignedRequest,
  nowMs: number,
): boolean {
  if (!idShape.test(id) || !/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(nowMs / 1000 - Number(timestamp)) > toleranceSeconds) return false;
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  return signatures
    .slice(0, 4000)
    .split(' ')
    .slice(0, signaturesMax)
    .some((each) => {
      const [version, signature = ''] = each.split(',', 2);
      const given = Buffer.from(signature, 'base64');
      return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
    });
}

/** The secret as senders keep it. */
export function secretText(key: Uint8Array): string {
  return `whsec_${Buffer.from(key).toString('base64')}`;
}

/** The `webhook-signature` of an outgoing message; `seconds` since 1970. */
export function signatureOf(key: Uint8Array, id: string, seconds: number, body: string): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
}

/** What opens a private feed: derived from its target's secret, and useless as a signing key. */
export function feedToken(secret: Uint8Array): string {
  return createHmac('sha256', secret).update('feed/1').digest('base64url');
}
