/**
 * Cosignatures of witnesses (C2SP tlog-cosignature): Ed25519 (signature type 0x04) over `cosignature/v1`, the time and the
 * note's text; ML-DSA-44 (0x06) over the `cosigned_message` structure. WebCrypto verifies both where it has ML-DSA-44.
 */
import { concat, fromBase64, hex, sha256, subtle, utf8, type Bytes } from './bytes.ts';
import { parseCheckpoint, type Checkpoint } from './checkpoint.ts';
import { InvalidEvidence } from './report.ts';

export interface VerifierKey {
  readonly name: string;
  /** 0x01: Ed25519 over notes; 0x04 and 0x06: cosignatures. */
  readonly type: number;
  readonly id: Bytes;
  readonly bytes: Bytes;
}

/** What a key of each signature type is: its algorithm's name in WebCrypto, and lengths in bytes. */
interface SignatureType {
  readonly algorithm: 'Ed25519' | 'ML-DSA-44';
  readonly keyBytes: number;
  readonly signatureBytes: number;
}

export const noteType = 0x01;
export const cosignatureType = 0x04;
export const mlDsaType = 0x06;

const signatureTypes: Readonly<Record<number, SignatureType>> = {
  [noteType]: { algorithm: 'Ed25519', keyBytes: 32, signatureBytes: 64 },
  [cosignatureType]: { algorithm: 'Ed25519', keyBytes: 32, signatureBytes: 64 },
  [mlDsaType]: { algorithm: 'ML-DSA-44', keyBytes: 1312, signatureBytes: 2420 },
};

/** Reads `name+hash+key` of one of these signature types. */
export async function parseKey(text: string, types: readonly number[]): Promise<VerifierKey> {
  const [name = '', id, encoded = '', ...more] = text.trim().split('+');
  // The encoded key may itself hold plus signs.
  const typed = fromBase64([encoded, ...more].join('+'));
  const type = typed?.[0] ?? 0;
  if (
    !isKeyName(name) ||
    typed === undefined ||
    !types.includes(type) ||
    typed.length !== 1 + (signatureTypes[type] as SignatureType).keyBytes
  ) {
    const kinds = types.map((each) => `0x0${each}`).join(' or ');
    const what = types.length === 1 ? 'an Ed25519 key' : `a key of signature type ${kinds}`;
    throw new InvalidEvidence('key', `the verifier key is not name+hash+key with ${what}`);
  }
  const idBytes = (await sha256(concat(utf8(`${name}\n`), typed))).slice(0, 4);
  if (hex(idBytes) !== id)
    throw new InvalidEvidence('key', "the verifier key's hash does not fit its name and key");
  return { name, type, id: idBytes, bytes: typed.slice(1) };
}

/** `\s` is Unicode's white space without U+0085 and with U+FEFF, which is not white space there. */
export function isKeyName(name: string): boolean {
  return name !== '' && !/[^\S\ufeff]|[\u0085+]/.test(name);
}

/** Whether `signature`, without its key id, is this key's over a note's text; `unsupported` where the platform cannot tell. */
export async function verifySignature(
  key: VerifierKey,
  text: string,
  signature: Bytes,
): Promise<'right' | 'wrong' | 'unsupported'> {
  const { algorithm, signatureBytes } = signatureTypes[key.type] as SignatureType;
  const isTimed = key.type !== noteType;
  if (signature.length !== signatureBytes + (isTimed ? 8 : 0)) return 'wrong';
  const message = isTimed ? cosigned(key, text, signature) : utf8(text);
  if (message === undefined) return 'wrong';
  const format = algorithm === 'Ed25519' ? 'raw' : 'raw-public';
  let imported;
  try {
    imported = await subtle().importKey(format as 'raw', key.bytes, { name: algorithm }, false, ['verify']);
  } catch {
    // Older platforms have WebCrypto without this algorithm.
    return 'unsupported';
  }
  const bytes = isTimed ? signature.slice(8) : signature;
  return (await subtle().verify({ name: algorithm }, imported, bytes, message)) ? 'right' : 'wrong';
}

/** When a cosignature was made, in seconds since 1970. */
export function timeOf(signature: Bytes): number {
  const view = new DataView(signature.buffer, signature.byteOffset, 8);
  return Number(view.getBigUint64(0));
}

/** What a cosignature signs; undefined where it cannot have signed this. */
function cosigned(key: VerifierKey, text: string, signature: Bytes): Bytes | undefined {
  if (!Number.isSafeInteger(timeOf(signature))) return undefined;
  if (key.type === cosignatureType) return utf8(`cosignature/v1\ntime ${timeOf(signature)}\n${text}`);
  const checkpoint = checkpointIn(text);
  const isExtended = text.split('\n').length !== 4;
  if (checkpoint === undefined || isExtended) return undefined;
  const { origin, size, root } = checkpoint;
  const names = [key.name, origin].map(utf8);
  if (names.some(({ length }) => length > 255)) return undefined;
  const [cosigner, log] = names.map((name) => concat(Uint8Array.of(name.length), name)) as [Bytes, Bytes];
  const range = new Uint8Array(16);
  new DataView(range.buffer).setBigUint64(8, BigInt(size));
  return concat(utf8('subtree/v1\n\0'), cosigner, signature.slice(0, 8), log, range, root);
}

function checkpointIn(text: string): Checkpoint | undefined {
  try {
    return parseCheckpoint(text);
  } catch (error) {
    if (error instanceof InvalidEvidence) return undefined;
    throw error;
  }
}
