/**
 * Signed notes (C2SP signed-note) with Ed25519 keys: a text, a blank line, and one or more signature lines.
 * A note is opened with the verifier keys one trusts; signatures of unknown keys are ignored, a wrong
 * signature of a known key spoils the note, and the text is handed out only when a known key has signed it.
 */
import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { sha256 } from '../kernel/hash.ts';
import { fromBase64, refuse, type Refusal } from './refusal.ts';

export interface VerifierKey {
  readonly name: string;
  /** First four bytes of SHA-256(name ‖ 0x0A ‖ 0x01 ‖ public key), as a number. */
  readonly id: number;
  /** The written form, `name+hash+key`. */
  readonly text: string;
  readonly publicKey: KeyObject;
}

export interface NoteSigner {
  readonly key: VerifierKey;
  /** Text ending in a newline → the whole note with this one signature. */
  sign(text: string): string;
}

export interface OpenedNote {
  readonly text: string;
  /** The known keys that have signed, in the order of their signatures. */
  readonly signedBy: readonly VerifierKey[];
}

const ed25519 = 0x01;
const signatureMark = '\u2014 ';
/** As in the reference implementation: beyond, a note only costs time. */
const signaturesMax = 100;
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/** A signer from the 32-byte Ed25519 seed. The name has no spaces and no plus sign. */
export function signerFromSeed(name: string, seed: Uint8Array): NoteSigner {
  if (seed.length !== 32) throw new TypeError('an Ed25519 seed has 32 bytes');
  const secret = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' });
  const raw = createPublicKey(secret).export({ format: 'der', type: 'spki' }).subarray(spkiPrefix.length);
  const key = verifierKey(name, raw);
  const id = Buffer.alloc(4);
  id.writeUInt32BE(key.id);
  return {
    key,
    sign(text) {
      if (!isNoteText(text))
        throw new TypeError('a note is UTF-8 text without control characters that ends in a newline');
      const signature = Buffer.concat([id, sign(null, Buffer.from(text, 'utf8'), secret)]);
      return `${text}\n${signatureMark}${name} ${signature.toString('base64')}\n`;
    },
  };
}

/** A verifier key from its name and the 32 bytes of the public key. */
export function verifierKey(name: string, raw: Uint8Array): VerifierKey {
  if (!isKeyName(name)) throw new TypeError('a key name is not empty and has no spaces and no plus sign');
  if (raw.length !== 32) throw new TypeError('an Ed25519 public key has 32 bytes');
  const typed = Buffer.concat([Buffer.of(ed25519), raw]);
  const idBytes = Buffer.from(
    sha256(Buffer.concat([Buffer.from(`${name}\n`, 'utf8'), typed])).subarray(0, 4),
  );
  return {
    name,
    id: idBytes.readUInt32BE(),
    text: `${name}+${idBytes.toString('hex')}+${typed.toString('base64')}`,
    publicKey: createPublicKey({ key: Buffer.concat([spkiPrefix, raw]), format: 'der', type: 'spki' }),
  };
}

/** Reads `name+hash+key`. */
export function parseVerifierKey(text: string): VerifierKey | Refusal {
  const match = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(text);
  const [, name = '', id = '', encoded = ''] = match ?? [];
  const typed = fromBase64(encoded);
  if (match === null || typed === undefined || !isKeyName(name))
    return refuse('the verifier key is not name+hash+key');
  if (typed[0] !== ed25519 || typed.length !== 33) return refuse('the verifier key is not an Ed25519 key');
  const key = verifierKey(name, typed.subarray(1));
  return key.text === text ? key : refuse(`the verifier key's hash is not ${id}`);
}

/** The text of a note that at least one of `keys` has signed. */
export function openNote(note: string, keys: readonly VerifierKey[]): OpenedNote | Refusal {
  const end = note.lastIndexOf('\n\n');
  if (end < 0 || !note.endsWith('\n') || !isNoteText(note)) return refuse('the note is malformed');
  const text = note.slice(0, end + 1);
  const lines = note.slice(end + 2, -1).split('\n');
  if (lines.length > signaturesMax) return refuse(`the note has more than ${signaturesMax} signatures`);
  const signedBy = new Set<VerifierKey>();
  for (const line of lines) {
    const signature = parseSignature(line);
    if (signature === undefined) return refuse('the note has a malformed signature line');
    const key = keys.find(({ name, id }) => name === signature.name && id === signature.id);
    if (key === undefined || signedBy.has(key)) continue;
    if (!verify(null, Buffer.from(text, 'utf8'), key.publicKey, signature.bytes)) {
      return refuse(`the signature of ${key.name} is wrong`);
    }
    signedBy.add(key);
  }
  return signedBy.size === 0 ? refuse('no known key has signed the note') : { text, signedBy: [...signedBy] };
}

function parseSignature(line: string): { name: string; id: number; bytes: Uint8Array } | undefined {
  if (!line.startsWith(signatureMark)) return undefined;
  const [name = '', encoded = '', more] = line.slice(signatureMark.length).split(' ');
  const bytes = fromBase64(encoded);
  if (more !== undefined || !isKeyName(name) || bytes === undefined || bytes.length < 5) return undefined;
  return { name, id: bytes.readUInt32BE(), bytes: bytes.subarray(4) };
}

function isNoteText(text: string): boolean {
  // eslint-disable-next-line no-control-regex
  return text.endsWith('\n') && text.isWellFormed() && !/[\0-\x09\x0b-\x1f]/.test(text);
}

/** `\s` is Unicode's white space but for U+0085. */
export function isKeyName(name: string): boolean {
  return name !== '' && name.isWellFormed() && !/[\s\u0085+]/.test(name);
}
