/**
 * Randomness for one act: each draw comes from the operating system once and is remembered, so that an act
 * that is decided twice draws the same ids twice.
 */
import { opaqueId, randomBytes } from '../kernel/ids.ts';
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
