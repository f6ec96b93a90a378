/**
 * Randomness for one act: each draw comes from the operating system once and is remembered, so that an act
 * that is decided twice draws the same ids twice.
 */
import { opaqueId, randomBytes } from '../../kernel/ids.ts';
import type { Draw } from './call.ts';

const drawBytesMax = 32;

export function newDraw(): Draw {
  const drawn: Uint8Array[] = [];
  let next = 0;
  const bytes = (length: number): Uint8Array => {
    if (length > drawBytesMax) throw new RangeError(`at most ${drawBytesMax} bytes at a time`);
    const known = (drawn[next] ??= randomBytes(drawBytesMax));
    next++;
    return known.subarray(0, length);
  };
  return {
    restart() {
      next = 0;
    },
    bytes,
    id: (prefix) => opaqueId(prefix, bytes(10)),
  };
}

/**
 * An invocation's id, 16 base32 characters: its time in tenths of a second (35 bits), then 45 random bits. Every
 * invocation is a chain, and ids that are made together lie together in the index over chains: entries that
 * would each write a page of their own, at a random place, share one (ADR 44 says why that is safe).
 */
export function invocationId(nowMs: number, random: Uint8Array = randomBytes(10)): string {
  const tenths = Math.floor(nowMs / 100);
  const upper = Math.floor(tenths / 8);
  const bytes = random.slice();
  for (let i = 0; i < 4; i++) bytes[i] = upper >>> (24 - 8 * i);
  bytes[4] = ((tenths % 8) << 5) | ((bytes[4] as number) & 31);
  return opaqueId('inv_', bytes);
}
