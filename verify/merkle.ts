/**
 * Merkle trees of RFC 6962, with the arithmetic of transparency-dev/merkle: a proof has an inner part, up to
 * where the paths of the leaf and of the last leaf meet, and a border part with left siblings only. The two
 * lengths follow from index and size, so a proof of any other length is refused before anything is hashed.
 */
import { concat, equal, sha256, utf8, type Bytes } from './bytes.ts';

export const hashBytes = 32;

export async function leafHash(text: string | Bytes): Promise<Bytes> {
  return sha256(concat(Uint8Array.of(0), typeof text === 'string' ? utf8(text) : text));
}

export async function nodeHash(left: Uint8Array, right: Uint8Array): Promise<Bytes> {
  return sha256(concat(Uint8Array.of(1), left, right));
}

/** The root over leaf hashes: pairs level by level, where an odd last one moves up as it is. */
export async function rootOf(leaves: readonly Bytes[]): Promise<Bytes> {
  let row = leaves;
  if (row.length === 0) return sha256(new Uint8Array(0));
  while (row.length > 1) {
    const below = row;
    row = await Promise.all(
      Array.from({ length: Math.ceil(below.length / 2) }, async (_, i) => {
        const left = below[2 * i] as Bytes;
        const right = below[2 * i + 1];
        return right === undefined ? left : nodeHash(left, right);
      }),
    );
  }
  return row[0] as Bytes;
}

export async function verifyInclusion(
  index: number,
  size: number,
  leaf: Uint8Array,
  proof: readonly Uint8Array[],
  root: Uint8Array,
): Promise<boolean> {
  if (!isCount(index) || !isCount(size) || index >= size || leaf.length !== hashBytes) return false;
  const inner = innerLength(index, size);
  if (proof.length !== inner + onesIn(BigInt(index) >> BigInt(inner)) || !proof.every(isHash)) return false;
  const below = await chainInner(leaf, proof.slice(0, inner), BigInt(index), false);
  return equal(await chainBorder(below, proof.slice(inner)), root);
}

/** That the tree of `first` ≥ 1 leaves is the beginning of the tree of `second`. */
export async function verifyConsistency(
  first: number,
  second: number,
  proof: readonly Uint8Array[],
  firstRoot: Uint8Array,
  secondRoot: Uint8Array,
): Promise<boolean> {
  if (!isCount(first) || !isCount(second) || first < 1 || first > second || !proof.every(isHash))
    return false;
  if (first === second) return proof.length === 0 && equal(firstRoot, secondRoot);
  // A first tree that is one whole node is its own seed.
  const led = await consistencyRoots(first, second, isPowerOfTwo(first) ? [firstRoot, ...proof] : proof);
  return led !== undefined && equal(led.first, firstRoot) && equal(led.second, secondRoot);
}

/**
 * The two roots that a consistency proof leads to, for 1 ≤ `first` < `second`; nothing where it has one hash too many or too
 * few. Unlike RFC 6962, the proof begins with the old root also where `first` is a power of two, so that both roots follow
 * from the proof alone.
 */
export async function consistencyRoots(
  first: number,
  second: number,
  proof: readonly Uint8Array[],
): Promise<{ readonly first: Uint8Array; readonly second: Uint8Array } | undefined> {
  if (!isCount(first) || !isCount(second) || first < 1 || first >= second) return undefined;
  let shift = 0;
  for (let rest = BigInt(first); (rest & 1n) === 0n; rest >>= 1n) shift++;
  const path = BigInt(first - 1);
  const inner = innerLength(first - 1, second) - shift;
  const border = onesIn(path >> BigInt(inner + shift));
  const [seed, ...siblings] = proof;
  if (seed === undefined || siblings.length !== inner + border || !proof.every(isHash)) return undefined;
  const above = path >> BigInt(shift);
  const older = await chainInner(seed, siblings.slice(0, inner), above, true);
  const newer = await chainInner(seed, siblings.slice(0, inner), above, false);
  const rest = siblings.slice(inner);
  return { first: await chainBorder(older, rest), second: await chainBorder(newer, rest) };
}

/** Below the meeting point: siblings on either side, or for the older tree those on the left alone. */
async function chainInner(
  seed: Uint8Array,
  siblings: readonly Uint8Array[],
  path: bigint,
  leftOnly: boolean,
): Promise<Uint8Array> {
  let hashed = seed;
  for (const [i, sibling] of siblings.entries()) {
    if (((path >> BigInt(i)) & 1n) === 1n) hashed = await nodeHash(sibling, hashed);
    else if (!leftOnly) hashed = await nodeHash(hashed, sibling);
  }
  return hashed;
}

async function chainBorder(seed: Uint8Array, siblings: readonly Uint8Array[]): Promise<Uint8Array> {
  let hashed = seed;
  for (const sibling of siblings) hashed = await nodeHash(sibling, hashed);
  return hashed;
}

function innerLength(index: number, size: number): number {
  const apart = BigInt(index) ^ BigInt(size - 1);
  return apart === 0n ? 0 : apart.toString(2).length;
}

function onesIn(value: bigint): number {
  return value.toString(2).split('1').length - 1;
}

function isPowerOfTwo(value: number): boolean {
  return Number.isInteger(Math.log2(value)) && 2 ** Math.log2(value) === value;
}

function isHash(value: Uint8Array): boolean {
  return value.length === hashBytes;
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
