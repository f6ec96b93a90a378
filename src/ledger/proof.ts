/**
 * Proofs that travel alone (C2SP tlog-proof, contract §6): an index, the hashes from the leaf's sibling up,
 * and the signed checkpoint they lead to, in one text that verifies offline against a verifier key.
 */
import { openCheckpoint } from './checkpoint.ts';
import { hashBytes, verifyInclusion } from './merkle.ts';
import type { VerifierKey } from './note.ts';
import { fromBase64, fromDecimal, isRefusal, refuse, type Refusal } from './refusal.ts';

export interface TlogProof {
  readonly index: number;
  readonly hashes: readonly Uint8Array[];
  /** The signed note, verbatim. */
  readonly checkpoint: string;
  /** Opaque and not authenticated; ours have none. */
  readonly extra?: Uint8Array;
}

/** What a verified proof shows: the leaf is at `index` in the log of `origin` at `size`. */
export interface Proven {
  readonly index: number;
  readonly size: number;
  readonly origin: string;
  readonly root: Uint8Array;
}

const header = 'c2sp.org/tlog-proof@v1';

export function formatProof({ index, hashes, checkpoint, extra }: TlogProof): string {
  return proofHead(index, linesOf(hashes), extra) + checkpoint;
}

/** All of a proof before its checkpoint; `lines` are what `linesOf` gives for its hashes. */
export function proofHead(index: number, lines: string, extra?: Uint8Array): string {
  const opaque = extra === undefined ? '' : `extra ${toBase64(extra)}\n`;
  return `${header}\n${opaque}index ${index}\n${lines}\n`;
}

/** A line of base64 for each hash. */
export function linesOf(hashes: readonly Uint8Array[]): string {
  return hashes.map((hash) => `${toBase64(hash)}\n`).join('');
}

export function parseProof(text: string): TlogProof | Refusal {
  const end = text.indexOf('\n\n');
  if (end < 0) return refuse('the proof has no checkpoint');
  const lines = text.slice(0, end).split('\n');
  if (lines.shift() !== header) return refuse(`the proof does not begin with ${header}`);
  let extra: Uint8Array | undefined;
  if (lines[0]?.startsWith('extra ') === true) {
    extra = fromBase64((lines.shift() as string).slice('extra '.length));
    if (extra === undefined) return refuse("the proof's extra data is not base64");
  }
  const indexLine = lines.shift() ?? '';
  const index = indexLine.startsWith('index ') ? fromDecimal(indexLine.slice('index '.length)) : undefined;
  if (index === undefined) return refuse('the proof has no index');
  const hashes: Uint8Array[] = [];
  for (const line of lines) {
    const hash = fromBase64(line);
    if (hash?.length !== hashBytes)
      return refuse(`hash ${hashes.length} of the proof is not ${hashBytes} bytes of base64`);
    hashes.push(hash);
  }
  const checkpoint = text.slice(end + 2);
  return extra === undefined ? { index, hashes, checkpoint } : { index, hashes, checkpoint, extra };
}

/** Verifies offline that `leaf` (an entry's 32-byte hash) is in the log whose verifier key is among `keys`. */
export function verifyProof(text: string, keys: readonly VerifierKey[], leaf: Uint8Array): Proven | Refusal {
  const proof = parseProof(text);
  if (isRefusal(proof)) return proof;
  const checkpoint = openCheckpoint(proof.checkpoint, keys);
  if (isRefusal(checkpoint)) return checkpoint;
  const { origin, size, root } = checkpoint;
  if (!verifyInclusion(proof.index, size, leaf, proof.hashes, root)) {
    return refuse(
      `the hashes do not lead from entry ${proof.index} to the root of the ${size} entries of ${origin}`,
    );
  }
  return { index: proof.index, size, origin, root };
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
