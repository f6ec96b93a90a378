/**
 * Merkle trees of RFC 6962 and RFC 9162: hashing, the root by its definition, and the verification of
 * inclusion and consistency proofs. Everything a proof says is taken to be an attacker's: indexes, sizes
 * and hash lengths are checked first, and a proof with one hash too many or too few is refused.
 *
 * Both proofs are the case `start = 0` of their subtree forms (Merkle Tree Certificates draft, §4), which
 * are exported because the public test vectors cover them.
 */
import { hash } from 'node:crypto';

export const hashBytes = 32;

type Hashes = readonly Uint8Array[];

/** The root of an empty tree: SHA-256 of nothing. */
export const emptyRoot: Uint8Array = Buffer.from(hash('sha256', '', 'binary'), 'latin1');

/** Scratch for 0x01 ‖ left ‖ right. Hashing is synchronous, so one is enough. */
const pair = Buffer.alloc(1 + 2 * hashBytes);
pair[0] = 1;

/** SHA-256(0x01 ‖ left ‖ right), 32 fresh bytes. */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  pair.set(left, 1);
  pair.set(right, 1 + hashBytes);
  return Buffer.from(hash('sha256', pair, 'binary'), 'latin1');
}

/** The root of a list of leaf hashes, by the definition in RFC 6962 §2.1. */
export function rootOf(leaves: Hashes): Uint8Array {
  return leaves.length === 0 ? emptyRoot : rootOfRange(leaves, 0, leaves.length);
}

function rootOfRange(leaves: Hashes, from: number, to: number): Uint8Array {
  if (to - from === 1) return leaves[from] as Uint8Array;
  let left = 1;
  while (left * 2 < to - from) left *= 2;
  return nodeHash(rootOfRange(leaves, from, from + left), rootOfRange(leaves, from + left, to));
}

/** Whether `proof` shows that `leaf` is at `index` in the tree of `size` leaves with this root. */
export function verifyInclusion(
  index: number,
  size: number,
  leaf: Uint8Array,
  proof: Hashes,
  root: Uint8Array,
): boolean {
  return verifySubtreeInclusion(index, 0, size, leaf, proof, root);
}

/**
 * Whether `proof` shows that the tree of `second` leaves begins with the tree of `first` leaves. `first` is
 * at least 1: every tree begins with the empty one, so a proof of that says nothing and is refused.
 */
export function verifyConsistency(
  first: number,
  second: number,
  proof: Hashes,
  firstRoot: Uint8Array,
  secondRoot: Uint8Array,
): boolean {
  return first !== 0 && verifySubtreeConsistency(0, first, second, proof, firstRoot, secondRoot);
}

/** Whether `leaf` is at `index` in the subtree over the leaves [start, end) whose root is `node`. */
export function verifySubtreeInclusion(
  index: number,
  start: number,
  end: number,
  leaf: Uint8Array,
  proof: Hashes,
  node: Uint8Array,
): boolean {
  if (!isSubtree(start, end) || !isCount(index) || index < start || index >= end) return false;
  if (!isHash(leaf) || !proof.every(isHash)) return false;
  let at = index - start;
  let last = end - start - 1;
  let hashed = leaf;
  for (const sibling of proof) {
    if (last === 0) return false;
    if (odd(at) || at === last) {
      hashed = nodeHash(sibling, hashed);
      // On the right edge a node without a sibling is its own parent.
      while (!odd(at) && at !== 0) [at, last] = [half(at), half(last)];
    } else {
      hashed = nodeHash(hashed, sibling);
    }
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && equalBytes(hashed, node);
}

/** Whether the subtree over [start, end) with root `node` is part of the tree of `size` leaves. */
export function verifySubtreeConsistency(
  start: number,
  end: number,
  size: number,
  proof: Hashes,
  node: Uint8Array,
  root: Uint8Array,
): boolean {
  if (!isSubtree(start, end) || !isCount(size) || end > size) return false;
  if (start === end) return proof.length === 0 && equalBytes(node, emptyRoot);
  if (!proof.every(isHash) || (proof.length > 0 && !isHash(node))) return false;
  const from = sharedSubtree(start, end, size);
  let rest = proof;
  let seed = node;
  if (from.first !== from.last) {
    if (proof[0] === undefined) return false;
    seed = proof[0];
    rest = proof.slice(1);
  }
  const led = hashUp(from, seed, rest);
  return led !== undefined && equalBytes(led.node, node) && equalBytes(led.root, root);
}

/**
 * The roots of the first `first` and of all `second` leaves that a consistency proof leads to, whatever roots were signed;
 * undefined where it has another number of hashes. The new root fixes the old one: no tree with this new root begins with
 * another old root. Where `first` is a power of two, a proof of RFC 6962 leaves the old root out and leads to no root by
 * itself; here the old root stands in front of such a proof.
 */
export function consistencyRoots(
  first: number,
  second: number,
  proof: Hashes,
): { readonly first: Uint8Array; readonly second: Uint8Array } | undefined {
  if (!isCount(first) || !isCount(second) || first === 0 || first >= second) return undefined;
  const [seed, ...rest] = proof;
  if (seed === undefined || !proof.every(isHash)) return undefined;
  const led = hashUp(sharedSubtree(0, first, second), seed, rest);
  return led && { first: led.node, second: led.root };
}

/** A node of a tree, by the range of its nodes' indexes on its level, and the last index of that level. */
interface Place {
  readonly first: number;
  readonly last: number;
  readonly edge: number;
}

/** Climbs to the largest subtree that [start, end) and the tree of `size` leaves share whole: a proof begins there. */
function sharedSubtree(start: number, end: number, size: number): Place {
  let first = start;
  let last = end - 1;
  let edge = size - 1;
  while (first !== last && (last === edge || odd(last))) {
    [first, last, edge] = [half(first), half(last), half(edge)];
  }
  return { first, last, edge };
}

/** The roots of the subtree and of the tree that the hashes lead to; undefined for one hash too many or too few. */
function hashUp(
  from: Place,
  seed: Uint8Array,
  siblings: Hashes,
): { readonly node: Uint8Array; readonly root: Uint8Array } | undefined {
  let { first, last, edge } = from;
  let node = seed;
  let root = seed;
  for (const sibling of siblings) {
    if (edge === 0) return undefined;
    if (odd(last) || last === edge) {
      if (first < last) node = nodeHash(sibling, node);
      root = nodeHash(sibling, root);
      while (!odd(last)) [first, last, edge] = [half(first), half(last), half(edge)];
    } else {
      root = nodeHash(root, sibling);
    }
    [first, last, edge] = [half(first), half(last), half(edge)];
  }
  return edge === 0 ? { node, root } : undefined;
}

/** The ranges that are nodes of a tree: `start` is a multiple of the power of two that spans the range. */
function isSubtree(start: number, end: number): boolean {
  if (!isCount(start) || !isCount(end) || start > end) return false;
  let span = 1;
  while (span < end - start) span *= 2;
  return start % span === 0;
}

/** Sizes and indexes stay within 2^53; beyond, arithmetic would be wrong without saying so. */
function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function isHash(value: Uint8Array): boolean {
  return value.length === hashBytes;
}

function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

function odd(value: number): boolean {
  return value % 2 === 1;
}

function half(value: number): number {
  return Math.floor(value / 2);
}
