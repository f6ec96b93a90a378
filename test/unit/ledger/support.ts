/** What the ledger's tests share: golden files, hex, and trees computed straight from RFC 6962's definition. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const vectors = new URL('../../../vectors/', import.meta.url);

export function vectorBytes(path: string): Buffer {
  return readFileSync(new URL(path, vectors));
}

export function vectorText(path: string): string {
  return vectorBytes(path).toString('utf8');
}

export function vectorJson<T>(path: string): T {
  return JSON.parse(vectorText(path)) as T;
}

export function hex(of: Uint8Array): string {
  return Buffer.from(of).toString('hex');
}

/** A fresh Uint8Array of its own, as WebCrypto code expects it. */
export function bytes(of: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(of);
}

export function unhex(text: string): Uint8Array<ArrayBuffer> {
  return bytes(Buffer.from(text, 'hex'));
}

export function flipBit(of: Uint8Array, bit: number): Uint8Array<ArrayBuffer> {
  const flipped = bytes(of);
  flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
  return flipped;
}

function sha(...parts: Uint8Array[]): Uint8Array {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** The leaf hash of `{"i":<i>}`, as in vectors/ledger/log.json. */
export function leafOf(i: number): Uint8Array {
  return sha(Buffer.from([0]), Buffer.from(`{"i":${i}}`));
}

type Leaves = readonly Uint8Array[];

function half(n: number): number {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
}

/** MTH(D[n]) of RFC 6962 §2.1. */
export function oracleRoot(d: Leaves): Uint8Array {
  if (d.length === 0) return sha();
  if (d.length === 1) return d[0] as Uint8Array;
  const k = half(d.length);
  return sha(Buffer.from([1]), oracleRoot(d.slice(0, k)), oracleRoot(d.slice(k)));
}

/** PATH(m, D[n]) of RFC 6962 §2.1.1. */
export function oraclePath(m: number, d: Leaves): Uint8Array[] {
  if (d.length === 1) return [];
  const k = half(d.length);
  return m < k
    ? [...oraclePath(m, d.slice(0, k)), oracleRoot(d.slice(k))]
    : [...oraclePath(m - k, d.slice(k)), oracleRoot(d.slice(0, k))];
}

/** PROOF(m, D[n]) of RFC 6962 §2.1.2. */
export function oracleConsistency(m: number, d: Leaves): Uint8Array[] {
  return subproof(m, d, true);
}

function subproof(m: number, d: Leaves, whole: boolean): Uint8Array[] {
  if (m === d.length) return whole ? [] : [oracleRoot(d)];
  const k = half(d.length);
  return m <= k
    ? [...subproof(m, d.slice(0, k), whole), oracleRoot(d.slice(k))]
    : [...subproof(m - k, d.slice(k), false), oracleRoot(d.slice(0, k))];
}
