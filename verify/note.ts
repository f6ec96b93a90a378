/**
 * Signed notes and checkpoints (C2SP signed-note and tlog-checkpoint). Only the log's key matters here, given as
 * `name+hash+key`; signatures of other keys are ignored (`policy.ts` judges those of witnesses).
 */
import { equal, fromBase64, type Bytes } from './bytes.ts';
import { parseCheckpoint, type Checkpoint } from './checkpoint.ts';
import { isKeyName, noteType, parseKey, verifySignature, type VerifierKey } from './cosignature.ts';
import { InvalidEvidence } from './report.ts';
import { shownName } from './shown-name.ts';

const signaturesMax = 100;

/** Reads the key of a log that signs its notes with Ed25519. */
export async function parseVerifierKey(text: string): Promise<VerifierKey> {
  return parseKey(text, [noteType]);
}

/** The checkpoint in a note that the log of this key has signed. */
export async function openCheckpoint(note: string, key: VerifierKey): Promise<Checkpoint> {
  const checkpoint = parseCheckpoint(await openNote(note, key));
  if (checkpoint.origin !== key.name) {
    throw new InvalidEvidence(
      'signature',
      `the checkpoint is of ${shownName(checkpoint.origin)}, the key is of ${shownName(key.name)}`,
    );
  }
  return checkpoint;
}

/** The text of a note, once the key's signature over it has been found right. */
export async function openNote(note: string, key: VerifierKey): Promise<string> {
  const { text, signatures } = splitNote(note);
  const name = shownName(key.name);
  const ours = signatures.find((each) => isOf(each, key));
  if (ours === undefined) throw new InvalidEvidence('signature', `the note is not signed by ${name}`);
  const found = await verifySignature(key, text, ours.bytes.slice(4));
  if (found === 'wrong') throw new InvalidEvidence('signature', `the signature of ${name} is wrong`);
  if (found === 'unsupported')
    throw new InvalidEvidence('signature', `the signature of ${name} cannot be verified on this platform`);
  return text;
}

interface NoteSignature {
  readonly name: string;
  /** Key id and signature. */
  readonly bytes: Bytes;
}

/** The parts of a note, of which nothing is verified. */
export function splitNote(note: string): {
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
} {
  const end = note.lastIndexOf('\n\n');
  // eslint-disable-next-line no-control-regex
  if (end < 0 || !note.endsWith('\n') || !note.isWellFormed() || /[\0-\x09\x0b-\x1f]/.test(note)) {
    throw new InvalidEvidence('signature', 'the signed note is malformed');
  }
  const lines = note.slice(end + 2, -1).split('\n');
  if (lines.length > signaturesMax)
    throw new InvalidEvidence('signature', 'the signed note has too many signatures');
  return { text: note.slice(0, end + 1), signatures: lines.map(parseSignature) };
}

/** Whether a signature says that it is of this key. */
export function isOf({ name, bytes }: NoteSignature, key: VerifierKey): boolean {
  return name === key.name && equal(bytes.subarray(0, 4), key.id);
}

export function isSameKey(a: VerifierKey, b: VerifierKey): boolean {
  return a.name === b.name && equal(a.bytes, b.bytes);
}

function parseSignature(line: string): NoteSignature {
  const [mark, name = '', encoded = '', more] = line.split(' ');
  const bytes = fromBase64(encoded);
  if (
    mark !== '\u2014' ||
    more !== undefined ||
    !isKeyName(name) ||
    bytes === undefined ||
    bytes.length < 5
  ) {
    throw new InvalidEvidence('signature', 'the signed note has a malformed signature line');
  }
  return { name, bytes };
}
