/**
 * Signed notes and checkpoints (C2SP signed-note and tlog-checkpoint) with Ed25519 keys. Only the log's key matters, given as
 * `name+hash+key`; signatures of other keys are ignored.
 */
import { concat, equal, fromBase64, hex, sha256, subtle, utf8, type Bytes } from './bytes.ts';
import { hashBytes } from './merkle.ts';
import { InvalidEvidence } from './report.ts';

export interface VerifierKey {
  readonly name: string;
  readonly id: Bytes;
  readonly bytes: Bytes;
}

export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Bytes;
}

const ed25519 = 0x01;
const signaturesMax = 100;

export async function parseVerifierKey(text: string): Promise<VerifierKey> {
  const [name = '', id, encoded = '', ...more] = text.trim().split('+');
  // The encoded key may itself hold plus signs.
  const typed = fromBase64([encoded, ...more].join('+'));
  if (!isName(name) || typed?.length !== 33 || typed[0] !== ed25519) {
    throw new InvalidEvidence('key', 'the verifier key is not name+hash+key with an Ed25519 key');
  }
  const idBytes = (await sha256(concat(utf8(`${name}\n`), typed))).slice(0, 4);
  if (hex(idBytes) !== id)
    throw new InvalidEvidence('key', "the verifier key's hash does not fit its name and key");
  return { name, id: idBytes, bytes: typed.slice(1) };
}

/** The checkpoint in a note that the log of this key has signed. */
export async function openCheckpoint(note: string, key: VerifierKey): Promise<Checkpoint> {
  const checkpoint = parseCheckpoint(await openNote(note, key));
  if (checkpoint.origin !== key.name) {
    throw new InvalidEvidence(
      'signature',
      `the checkpoint is of ${checkpoint.origin}, the key is of ${key.name}`,
    );
  }
  return checkpoint;
}

/** The text of a note, once the key's signature over it has been found right. */
export async function openNote(note: string, key: VerifierKey): Promise<string> {
  const end = note.lastIndexOf('\n\n');
  // eslint-disable-next-line no-control-regex
  if (end < 0 || !note.endsWith('\n') || !note.isWellFormed() || /[\0-\x09\x0b-\x1f]/.test(note)) {
    throw new InvalidEvidence('signature', 'the signed note is malformed');
  }
  const text = note.slice(0, end + 1);
  const lines = note.slice(end + 2, -1).split('\n');
  if (lines.length > signaturesMax)
    throw new InvalidEvidence('signature', 'the signed note has too many signatures');
  const signatures = lines.map(parseSignature);
  const ours = signatures.find(({ name, bytes }) => name === key.name && equal(bytes.subarray(0, 4), key.id));
  if (ours === undefined) throw new InvalidEvidence('signature', `the note is not signed by ${key.name}`);
  if (!(await signed(key.bytes, ours.bytes.slice(4), utf8(text)))) {
    throw new InvalidEvidence('signature', `the signature of ${key.name} is wrong`);
  }
  return text;
}

async function signed(key: Bytes, signature: Bytes, data: Bytes): Promise<boolean> {
  try {
    const imported = await subtle().importKey('raw', key, { name: 'Ed25519' }, false, ['verify']);
    return await subtle().verify({ name: 'Ed25519' }, imported, signature, data);
  } catch (error) {
    // Older browsers have WebCrypto without this algorithm.
    throw new InvalidEvidence('signature', `Ed25519 cannot be verified here: ${(error as Error).message}`);
  }
}

function parseSignature(line: string): { name: string; bytes: Bytes } {
  const [mark, name = '', encoded = '', more] = line.split(' ');
  const bytes = fromBase64(encoded);
  if (mark !== '\u2014' || more !== undefined || !isName(name) || bytes === undefined || bytes.length < 5) {
    throw new InvalidEvidence('signature', 'the signed note has a malformed signature line');
  }
  return { name, bytes };
}

export function parseCheckpoint(text: string): Checkpoint {
  const [origin = '', size = '', root = '', ...rest] = text.split('\n');
  const bytes = fromBase64(root);
  const wellFormed =
    origin !== '' &&
    isDecimal(size) &&
    bytes?.length === hashBytes &&
    rest.length > 0 &&
    rest.indexOf('') === rest.length - 1;
  if (!wellFormed) throw new InvalidEvidence('checkpoint', 'the checkpoint is malformed');
  return { origin, size: Number(size), root: bytes };
}

export function isDecimal(text: string): boolean {
  return /^(?:0|[1-9]\d{0,15})$/.test(text) && Number.isSafeInteger(Number(text));
}

function isName(name: string): boolean {
  return name !== '' && !/[\s\u0085+]/.test(name);
}
