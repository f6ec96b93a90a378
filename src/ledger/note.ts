/**
 * Signed notes (C2SP signed-note) with Ed25519 keys: a text, a blank line, and one or more signature lines.
 * A note is opened with the verifier keys one trusts; signatures of unknown keys are ignored, a wrong
 * signature of a known key spoils the note, and the text is handed out only when a known key has signed it.
 * Keys of other signature types (`cosignature.ts`) bring their own check.
 */
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { sha256 } from '../kernel/hash.ts';
import { fromBase64, isRefusal, refuse, type Refusal } from './refusal.ts';

export interface VerifierKey {
  readonly name: string;
  /** First four bytes of SHA-256(name ‖ 0x0A ‖ signature type ‖ public key), as a number. */
  readonly id: number;
  /** The written form, `name+hash+key`. */
  readonly text: string;
  /** The public key alone, without its signature type. */
  readonly publicBytes: Uint8Array;
  /** Whether `signature`, the bytes behind the key id, is this key's over a note's text. */
  verifies(text: string, signature: Uint8Array): boolean;
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
  /** What each of them has signed, in the same order. */
  readonly signatures: readonly NoteSignature[];
}

export interface NoteSignature {
  readonly key: VerifierKey;
  /** The bytes behind the key id. */
  readonly bytes: Uint8Array;
  /** The line as it stands in the note, with its newline. */
  readonly line: string;
}

const ed25519 = 0x01;
const signatureMark = '\u2014 ';
/** As in the reference implementation: beyond, a note only costs time. */
export const signaturesMax = 100;
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/** A signer from the 32-byte Ed25519 seed. The name has no spaces and no plus sign. */
export function signerFromSeed(name: string, seed: Uint8Array): NoteSigner {
  if (seed.length !== 32) throw new TypeError('an Ed25519 seed has 32 bytes');
  const secret = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' });
  const raw = createPublicKey(secret).export({ format: 'der', type: 'spki' }).subarray(spkiPrefix.length);
  const key = verifierKey(name, raw);
  return {
    key,
    sign(text) {
      if (!isNoteText(text))
        throw new TypeError('a note is UTF-8 text without control characters that ends in a newline');
      return `${text}\n${signatureLine(key, sign(null, Buffer.from(text, 'utf8'), secret))}`;
    },
  };
}

/** `— name base64(key id ‖ signature)` and a newline. */
export function signatureLine({ name, id }: VerifierKey, signature: Uint8Array): string {
  const idBytes = Buffer.alloc(4);
  idBytes.writeUInt32BE(id);
  return `${signatureMark}${name} ${Buffer.concat([idBytes, signature]).toString('base64')}\n`;
}

/** A verifier key from its name and the 32 bytes of the public key. */
export function verifierKey(name: string, raw: Uint8Array): VerifierKey {
  if (raw.length !== 32) throw new TypeError('an Ed25519 public key has 32 bytes');
  const publicKey = createPublicKey({ key: Buffer.concat([spkiPrefix, raw]), format: 'der', type: 'spki' });
  return {
    ...writtenKey(name, ed25519, raw),
    verifies: (text, signature) => verify(null, Buffer.from(text, 'utf8'), publicKey, signature),
  };
}

/** Name, id and written form of a key of any signature type. */
export function writtenKey(
  name: string,
  signatureType: number,
  publicBytes: Uint8Array,
): Omit<VerifierKey, 'verifies'> {
  if (!isKeyName(name)) throw new TypeError('a key name is not empty and has no spaces and no plus sign');
  const typed = Buffer.concat([Buffer.of(signatureType), publicBytes]);
  const idBytes = Buffer.from(
    sha256(Buffer.concat([Buffer.from(`${name}\n`, 'utf8'), typed])).subarray(0, 4),
  );
  return {
    name,
    id: idBytes.readUInt32BE(),
    text: `${name}+${idBytes.toString('hex')}+${typed.toString('base64')}`,
    publicBytes,
  };
}

/** Reads `name+hash+key` of an Ed25519 key that signs notes. */
export function parseVerifierKey(text: string): VerifierKey | Refusal {
  const parts = splitVerifierKey(text);
  if (isRefusal(parts)) return parts;
  if (parts.signatureType !== ed25519 || parts.publicBytes.length !== 32)
    return refuse('the verifier key is not an Ed25519 key');
  return checkKeyId(verifierKey(parts.name, parts.publicBytes), text);
}

/** The parts of `name+hash+key` of any signature type. */
export function splitVerifierKey(
  text: string,
): { readonly name: string; readonly signatureType: number; readonly publicBytes: Uint8Array } | Refusal {
  const match = /^([^+]+)\+[0-9a-f]{8}\+([A-Za-z0-9+/=]+)$/.exec(text);
  const [, name = '', encoded = ''] = match ?? [];
  const typed = fromBase64(encoded);
  if (match === null || typed === undefined || typed.length < 2 || !isKeyName(name))
    return refuse('the verifier key is not name+hash+key');
  return { name, signatureType: typed[0] as number, publicBytes: typed.subarray(1) };
}

/** The key, if `text` states the id that follows from it. */
export function checkKeyId<K extends VerifierKey>(key: K, text: string): K | Refusal {
  return key.text === text ? key : refuse(`the verifier key's hash is not ${text.split('+')[1] ?? ''}`);
}

/** A well-formed note whose signatures are not verified yet. */
interface ParsedNote {
  readonly text: string;
  readonly signatures: readonly { readonly name: string; readonly id: number; readonly bytes: Uint8Array }[];
  /** The signature lines, each without its newline. */
  readonly lines: readonly string[];
}

/** The parts of a note, of which nothing is verified. */
export function parseNote(note: string): ParsedNote | Refusal {
  const end = note.lastIndexOf('\n\n');
  if (end < 0 || !note.endsWith('\n') || !isNoteText(note)) return refuse('the note is malformed');
  const lines = note.slice(end + 2, -1).split('\n');
  if (lines.length > signaturesMax) return refuse(`the note has more than ${signaturesMax} signatures`);
  const signatures = lines.map(parseSignature);
  return signatures.includes(undefined)
    ? refuse('the note has a malformed signature line')
    : { text: note.slice(0, end + 1), signatures: signatures.filter((each) => each !== undefined), lines };
}

/** The text of a note that at least one of `keys` has signed. */
export function openNote(note: string, keys: readonly VerifierKey[]): OpenedNote | Refusal {
  const parsed = parseNote(note);
  if (isRefusal(parsed)) return parsed;
  const { text, lines } = parsed;
  const signatures: NoteSignature[] = [];
  for (const [i, { name, id, bytes }] of parsed.signatures.entries()) {
    const key = keys.find((known) => known.name === name && known.id === id);
    if (key === undefined || signatures.some((found) => found.key === key)) continue;
    if (!key.verifies(text, bytes)) return refuse(`the signature of ${key.name} is wrong`);
    signatures.push({ key, bytes, line: `${lines[i] as string}\n` });
  }
  if (signatures.length === 0) return refuse('no known key has signed the note');
  return { text, signedBy: signatures.map(({ key }) => key), signatures };
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

/** `\s` is Unicode's white space without U+0085 and with U+FEFF, which is not white space there. */
export function isKeyName(name: string): boolean {
  return name !== '' && name.isWellFormed() && !/[^\S\ufeff]|[\u0085+]/.test(name);
}
