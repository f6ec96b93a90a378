/**
 * Randomness for one act, drawn before it queues: a seed from the operating system, stretched by SHA-256 in
 * counter mode. An act that is decided twice draws the same ids twice.
 */
import { sha256 } from '../kernel/hash.ts';
import { opaqueId, randomBytes } from '../kernel/ids.ts';
import type { Draw } from './call.ts';

export function newDraw(seed: Uint8Array = randomBytes(32)): Draw {
  const block = new Uint8Array(36);
  block.set(seed, 0);
  const counter = new DataView(block.buffer);
  let next = 0;
  const bytes = (length: number): Uint8Array => {
    if (length > 32) throw new RangeError('at most 32 bytes at a time');
    counter.setUint32(32, next++);
    return sha256(block).subarray(0, length);
  };
  return {
    restart() {
      next = 0;
    },
    bytes,
    id: (prefix) => opaqueId(prefix, bytes(10)),
  };
}
