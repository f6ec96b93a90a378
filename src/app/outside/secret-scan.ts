/**
 * Removes secrets from call input. Obfuscated tokens are expensive to find, so long texts that may hold one are
 * searched in a worker thread and do not block other requests.
 */
import { extname } from 'node:path';
import { fingerprintOf } from '../../domain/capabilities/share-codec.ts';
import { isSuspectJson, scrubJson, type Scrubbed } from '../../guard/secrets.ts';
import type { JsonValue } from '../../kernel/json.ts';
import { WorkerQueue } from './worker-queue.ts';

export interface SecretScan {
  readonly scrubbed: Scrubbed<JsonValue>;
  /** Fingerprints of this service's tokens that were found. */
  readonly tokens: readonly string[];
}

/** Texts up to this many characters in total are searched on the main thread. */
const longChars = 16_384;

const queue = new WorkerQueue<JsonValue, SecretScan>(
  new URL(`./secret-scan-worker${extname(import.meta.url)}`, import.meta.url),
);

/** `value` without the secrets in its strings and keys. */
export async function scanSecrets(value: JsonValue): Promise<SecretScan> {
  if (!isLong(value, { left: longChars })) return scanNow(value);
  if (!isSuspectJson(value)) return { scrubbed: { value, finds: [] }, tokens: [] };
  return queue.run(value);
}

export function scanNow(value: JsonValue): SecretScan {
  const tokens = new Set<string>();
  const scrubbed = scrubJson(value, (token) => {
    const fingerprint = fingerprintOf(token);
    tokens.add(fingerprint);
    return fingerprint;
  });
  return { scrubbed, tokens: [...tokens] };
}

/** Stops as soon as the limit is exceeded. */
function isLong(value: JsonValue, count: { left: number }): boolean {
  if (typeof value === 'string') return (count.left -= value.length) < 0;
  if (typeof value !== 'object' || value === null) return false;
  for (const member of Object.values(value)) if (member !== undefined && isLong(member, count)) return true;
  return false;
}
