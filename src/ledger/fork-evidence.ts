/**
 * Evidence that a log showed two histories (contract §6): two checkpoints under one key, and where their sizes differ a
 * consistency proof that leads to the newer root from an old root that the older checkpoint does not have. The key
 * convicts itself; whoever keeps or sends the evidence need not be trusted. Everything in it is an attacker's until
 * `judgeEvidence` has accepted it.
 */
import { parseJson } from '../kernel/json.ts';
import { isObject } from '../kernel/json-value.ts';
import { isFault } from '../kernel/fault.ts';
import { sha256Hex } from '../kernel/hash.ts';
import { openCheckpoint, type Checkpoint } from './checkpoint.ts';
import { consistencyRoots, emptyRoot, hashBytes } from './merkle.ts';
import { parseLogKey } from './cosignature.ts';
import { openNote, type VerifierKey } from './note.ts';
import { fromBase64, isRefusal, refuse, type Refusal } from './refusal.ts';

export interface ForkEvidence {
  /** `name+hash+key` of the log. */
  readonly key: string;
  /** Signed notes, the smaller tree first, or of two trees of one size the one that was seen first. */
  readonly checkpoints: readonly [string, string];
  /** From the first size to the second; undefined where the checkpoints contradict each other without a proof. */
  readonly proof?: readonly Uint8Array[] | undefined;
}

/** What accepted evidence shows. */
export interface Fork {
  readonly origin: string;
  readonly key: VerifierKey;
  readonly checkpoints: readonly [Checkpoint, Checkpoint];
}

export const evidenceBytesMax = 64 * 1024;

/** 63 hashes, and an old root in front. */
const proofHashesMax = 64;

/** Names the evidence against a log: 16 hex digits. One piece for each log is enough. */
export function evidenceId(origin: string): string {
  return sha256Hex(origin).slice(0, 16);
}

/**
 * The evidence that two checkpoints of one log make, `proof` being from the smaller to the larger one; undefined where
 * they convict none of the keys. Of the signatures in the notes, it holds those of the convicted key.
 */
export function makeEvidence(
  keys: readonly VerifierKey[],
  notes: readonly [seenFirst: string, seenThen: string],
  proof: readonly Uint8Array[],
): ForkEvidence | undefined {
  for (const key of keys) {
    const [a, b] = [signedBy(key, notes[0]), signedBy(key, notes[1])];
    if (a === undefined || b === undefined) continue;
    const [first, second] = a.size > b.size ? [b, a] : [a, b];
    const needsProof = first.size > 0 && first.size < second.size;
    const evidence: ForkEvidence = {
      key: key.text,
      checkpoints: [first.note, second.note],
      ...(needsProof ? { proof } : {}),
    };
    if (
      !isRefusal(judgeEvidence(evidence)) &&
      Buffer.byteLength(formatEvidence(evidence)) <= evidenceBytesMax
    )
      return evidence;
  }
  return undefined;
}

/** A note with the signature of this key alone, and the size that it states. */
function signedBy(
  key: VerifierKey,
  note: string,
): { readonly note: string; readonly size: number } | undefined {
  const checkpoint = openCheckpoint(note, [key]);
  const opened = openNote(note, [key]);
  if (isRefusal(checkpoint) || isRefusal(opened)) return undefined;
  const lines = opened.signatures.map(({ line }) => line).join('');
  return { note: `${opened.text}\n${lines}`, size: checkpoint.size };
}

/** The text of the file, ending in a newline. */
export function formatEvidence({ key, checkpoints, proof }: ForkEvidence): string {
  const hashes = proof?.map((hash) => Buffer.from(hash).toString('base64'));
  return `${JSON.stringify({ evidence: 1, key, checkpoints, ...(hashes && { proof: hashes }) }, null, 1)}\n`;
}

/** Reads the text of a file; nothing of what it says is verified yet. */
export function parseEvidence(text: string): ForkEvidence | Refusal {
  if (Buffer.byteLength(text) > evidenceBytesMax)
    return refuse(`the evidence has more than ${evidenceBytesMax} bytes`);
  const parsed = parseJson(text);
  if (isFault(parsed) || !isObject(parsed.value)) return refuse('the evidence is not a JSON object');
  const { evidence, key, checkpoints, proof, ...others } = parsed.value;
  const [other] = Object.keys(others);
  if (other !== undefined) return refuse(`the evidence has a member ${JSON.stringify(other.slice(0, 40))}`);
  if (evidence !== 1) return refuse('"evidence" is not 1');
  if (typeof key !== 'string') return refuse('"key" is not a text');
  if (!Array.isArray(checkpoints) || checkpoints.length !== 2)
    return refuse('"checkpoints" is not a list of two notes');
  const [first, second] = checkpoints as readonly unknown[];
  if (typeof first !== 'string' || typeof second !== 'string')
    return refuse('"checkpoints" is not a list of two notes');
  const hashes = proof === undefined ? undefined : hashesOf(proof);
  if (hashes !== undefined && isRefusal(hashes)) return hashes;
  return { key, checkpoints: [first, second], proof: hashes };
}

function hashesOf(proof: unknown): readonly Uint8Array[] | Refusal {
  if (!Array.isArray(proof) || proof.length > proofHashesMax)
    return refuse(`"proof" is not a list of at most ${proofHashesMax} hashes`);
  const hashes: Uint8Array[] = [];
  for (const line of proof as readonly unknown[]) {
    const hash = typeof line === 'string' ? fromBase64(line) : undefined;
    if (hash?.length !== hashBytes)
      return refuse(`"proof" has a hash that is not ${hashBytes} bytes in base64`);
    hashes.push(hash);
  }
  return hashes;
}

/** Whether the evidence convicts its key. */
export function judgeEvidence({ key: written, checkpoints, proof }: ForkEvidence): Fork | Refusal {
  const key = parseLogKey(written);
  if (isRefusal(key)) return key;
  const first = openCheckpoint(checkpoints[0], [key]);
  if (isRefusal(first)) return refuse(`the first checkpoint: ${first.refused}`);
  const second = openCheckpoint(checkpoints[1], [key]);
  if (isRefusal(second)) return refuse(`the second checkpoint: ${second.refused}`);
  const consistent = whyConsistent(first, second, proof);
  return consistent === undefined
    ? { origin: key.name, key, checkpoints: [first, second] }
    : refuse(consistent);
}

/** Why nothing shows that two signed checkpoints contradict each other; undefined where they do. */
function whyConsistent(
  first: Checkpoint,
  second: Checkpoint,
  proof: readonly Uint8Array[] | undefined,
): string | undefined {
  if (first.size > second.size) return 'the first checkpoint is of the larger tree';
  const needsProof = first.size > 0 && first.size < second.size;
  if (!needsProof) {
    if (proof !== undefined)
      return `the sizes ${first.size} and ${second.size} need no proof, and there is one`;
    if (first.size === second.size)
      return equal(first.root, second.root) ? 'both checkpoints have the same size and root' : undefined;
    return equal(first.root, emptyRoot) ? 'every tree begins with the empty one' : undefined;
  }
  const led = consistencyRoots(first.size, second.size, proof ?? []);
  if (led === undefined)
    return `the proof is not one from ${first.size} to ${second.size} entries that leads to both roots`;
  if (!equal(led.second, second.root)) return 'the proof does not lead to the root of the second checkpoint';
  return equal(led.first, first.root) ? 'the second tree begins with the first one' : undefined;
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
