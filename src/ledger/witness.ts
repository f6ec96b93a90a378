/**
 * What a witness is asked and how it decides (C2SP tlog-witness `add-checkpoint`, contract §6): the request's text, and
 * the answer that follows from the newest checkpoint that was cosigned for the same log. Pure: whoever calls it
 * compares and sets the record atomically, makes it durable, and cosigns only then.
 */
import { parseCheckpoint, type Checkpoint } from './checkpoint.ts';
import { consistencyRoots, emptyRoot, hashBytes, verifyConsistency } from './merkle.ts';
import { openNote, parseNote, type VerifierKey } from './note.ts';
import { fromBase64, fromDecimal, isRefusal, refuse, type Refusal } from './refusal.ts';

/** The body of an `add-checkpoint` request. */
export interface AddCheckpoint {
  /** Size of the newest checkpoint that the witness has cosigned, as far as the log knows. */
  readonly oldSize: number;
  readonly proof: readonly Uint8Array[];
  /** The signed note, verbatim. */
  readonly note: string;
}

/** A checkpoint of a log that is witnessed, under a signature of the log that was verified. */
export interface WitnessedCheckpoint {
  readonly checkpoint: Checkpoint;
  /** What is cosigned: the note's text. */
  readonly text: string;
  /** The note with the verified signatures of the log alone. */
  readonly note: string;
}

/** The newest checkpoint that was cosigned for a log. */
export interface WitnessRecord {
  readonly size: number;
  readonly root: Uint8Array;
  /** As it was signed by the log. */
  readonly note: string;
}

export type WitnessDecision =
  | { readonly status: 200 }
  | {
      readonly status: 400 | 409 | 422;
      /** One sentence. */
      readonly reason: string;
      /** Whether this checkpoint and the recorded one, or the request's proof between them, show two histories. */
      readonly isFork: boolean;
    };

const proofLinesMax = 63;

/** Of a checkpoint's text: two of them fit into evidence, however they are escaped. */
const checkpointBytesMax = 12 * 1024;

/** Writes a request. */
export function formatAddCheckpoint({ oldSize, proof, note }: AddCheckpoint): string {
  const lines = proof.map((hash) => `${Buffer.from(hash).toString('base64')}\n`);
  return `old ${oldSize}\n${lines.join('')}\n${note}`;
}

/** Reads a request; every deviation from the format is refused. */
export function parseAddCheckpoint(body: Uint8Array): AddCheckpoint | Refusal {
  const text = Buffer.from(body).toString('utf8');
  if (!Buffer.from(text, 'utf8').equals(body)) return refuse('the request is not UTF-8');
  const end = text.indexOf('\n\n');
  if (end < 0) return refuse('the request has no empty line before its checkpoint');
  const [first = '', ...lines] = text.slice(0, end).split('\n');
  const oldSize = first.startsWith('old ') ? fromDecimal(first.slice('old '.length)) : undefined;
  if (oldSize === undefined) return refuse('the first line is not "old" and a size');
  if (lines.length > proofLinesMax) return refuse(`the proof has more than ${proofLinesMax} lines`);
  const proof: Uint8Array[] = [];
  for (const line of lines) {
    const hash = fromBase64(line);
    if (hash?.length !== hashBytes)
      return refuse(`line ${proof.length + 2} is not a hash of ${hashBytes} bytes in base64`);
    proof.push(hash);
  }
  return { oldSize, proof, note: text.slice(end + 2) };
}

/**
 * Opens the note of a request with the keys of the logs that are witnessed, whose names are their origins. 400: not a
 * checkpoint; 404: of an unknown log; 403: not signed by a key of that log.
 */
export function openWitnessed(
  note: string,
  logs: readonly VerifierKey[],
): WitnessedCheckpoint | { readonly status: 400 | 403 | 404; readonly reason: string } {
  const parsed = parseNote(note);
  if (isRefusal(parsed)) return { status: 400, reason: parsed.refused };
  if (Buffer.byteLength(parsed.text) > checkpointBytesMax)
    return { status: 400, reason: `the checkpoint has more than ${checkpointBytesMax} bytes` };
  const checkpoint = parseCheckpoint(parsed.text);
  if (isRefusal(checkpoint)) return { status: 400, reason: checkpoint.refused };
  const keys = logs.filter(({ name }) => name === checkpoint.origin);
  if (keys.length === 0) return { status: 404, reason: `the log ${checkpoint.origin} is not witnessed here` };
  const opened = openNote(note, keys);
  if (isRefusal(opened)) return { status: 403, reason: opened.refused };
  const lines = opened.signatures.map(({ line }) => line).join('');
  return { checkpoint, text: opened.text, note: `${opened.text}\n${lines}` };
}

/** Whether a checkpoint may be cosigned after `record`, the newest one of its log; undefined for none. */
export function decideAddCheckpoint(
  { oldSize, proof }: Pick<AddCheckpoint, 'oldSize' | 'proof'>,
  { size, root }: Pick<Checkpoint, 'size' | 'root'>,
  record: Pick<WitnessRecord, 'size' | 'root'> | undefined,
): WitnessDecision {
  const recorded = record?.size ?? 0;
  const isFork = record !== undefined && contradicts(record, { size, root });
  const no = (status: 400 | 409 | 422, reason: string, forked = isFork): WitnessDecision => ({
    status,
    reason,
    isFork: forked,
  });
  if (oldSize > size) return no(400, `the old size ${oldSize} is larger than the checkpoint's ${size}`);
  if (oldSize !== recorded)
    return no(409, `the newest cosigned checkpoint has ${recorded} entries, not ${oldSize}`);
  if (isFork) return no(409, `the log has signed another tree of ${size} entries before`);
  if (size === 0 && !isSame(root, emptyRoot))
    return no(422, 'the root of a tree without entries is another one');
  if (oldSize === 0 || oldSize === size)
    return proof.length === 0 ? { status: 200 } : no(422, 'nothing is to be proven, and there is a proof');
  if (record !== undefined && verifyConsistency(oldSize, size, proof, record.root, root))
    return { status: 200 };
  // Anybody can send a published checkpoint with any proof: only one that leads to the signed root convicts.
  const led = consistencyRoots(oldSize, size, proof);
  const convicts = led !== undefined && record !== undefined && isSame(led.second, root);
  return no(
    422,
    `the proof does not lead from the ${oldSize} entries cosigned before to the ${size}`,
    convicts && !isSame(led.first, record.root),
  );
}

/** Whether no log has both trees, of one size or one of them without entries. */
function contradicts(
  a: Pick<WitnessRecord, 'size' | 'root'>,
  b: Pick<WitnessRecord, 'size' | 'root'>,
): boolean {
  if (a.size === b.size) return !isSame(a.root, b.root);
  return [a, b].some(({ size, root }) => size === 0 && !isSame(root, emptyRoot));
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
