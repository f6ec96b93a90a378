/**
 * Cosignatures of witnesses on checkpoints (C2SP tlog-cosignature, contract §6): Ed25519 (signature type 0x04) over
 * `cosignature/v1`, the time and the whole note text; ML-DSA-44 (0x06) over the `cosigned_message` structure, which
 * names cosigner and log and leaves extension lines out. Both carry the time at which they were made. A key of either
 * type is a `VerifierKey` that `openNote` takes.
 */
import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { parseCheckpoint, type Checkpoint } from './checkpoint.ts';
import {
  checkKeyId,
  openNote,
  parseVerifierKey,
  signatureLine,
  splitVerifierKey,
  writtenKey,
  type NoteSignature,
  type VerifierKey,
} from './note.ts';
import { isRefusal, refuse, type Refusal } from './refusal.ts';

export type CosignatureAlgorithm = 'ed25519' | 'ml-dsa-44';

export interface CosignerKey extends VerifierKey {
  readonly algorithm: CosignatureAlgorithm;
}

export interface Cosigner {
  readonly key: CosignerKey;
  /**
   * The signature line, with its newline, of this cosigner on a checkpoint's text at a time in seconds since 1970; a
   * refusal where the format has no room for it (ML-DSA-44: extension lines, a name or origin of more than 255 bytes).
   */
  cosign(text: string, timeSeconds: number): string | Refusal;
}

/** One verified cosignature. */
export interface Cosignature {
  readonly key: CosignerKey;
  /** Seconds since 1970; 0 where the cosigner states no time. */
  readonly timeSeconds: number;
  /** As it stands in a note, with its newline. */
  readonly line: string;
}

interface Algorithm {
  readonly signatureType: number;
  readonly publicKeyBytes: number;
  readonly signatureBytes: number;
  /** DER before the raw public key and before the 32-byte seed. */
  readonly spkiPrefix: Buffer;
  readonly pkcs8Prefix: Buffer;
  /** What is signed; undefined where the format has no room for it. */
  message(text: string, checkpoint: Checkpoint, name: string, time: Buffer): Buffer | undefined;
}

const algorithms: Readonly<Record<CosignatureAlgorithm, Algorithm>> = {
  ed25519: {
    signatureType: 0x04,
    publicKeyBytes: 32,
    signatureBytes: 64,
    spkiPrefix: Buffer.from('302a300506032b6570032100', 'hex'),
    pkcs8Prefix: Buffer.from('302e020100300506032b657004220420', 'hex'),
    message: (text, _checkpoint, _name, time) =>
      Buffer.from(`cosignature/v1\ntime ${time.readBigUInt64BE()}\n${text}`, 'utf8'),
  },
  'ml-dsa-44': {
    signatureType: 0x06,
    publicKeyBytes: 1312,
    signatureBytes: 2420,
    spkiPrefix: Buffer.from('30820532300b06096086480165030403110382052100', 'hex'),
    pkcs8Prefix: Buffer.from('3034020100300b060960864801650304031104228020', 'hex'),
    message(_text, { origin, size, root, extensions }, name, time) {
      const names = [name, origin].map((of) => Buffer.from(of, 'utf8'));
      if (extensions.length > 0 || names.some(({ length }) => length > 255)) return undefined;
      const [cosigner, log] = names.map((of) => Buffer.concat([Buffer.of(of.length), of])) as [
        Buffer,
        Buffer,
      ];
      return Buffer.concat([
        Buffer.from('subtree/v1\n\0'),
        cosigner,
        time,
        log,
        uint64(0),
        uint64(size),
        root,
      ]);
    },
  },
};

const timeBytes = 8;

/** A cosigner from a 32-byte seed (of an Ed25519 key, or ξ of FIPS 204). The name has no spaces and no plus sign. */
export function cosignerFromSeed(name: string, algorithm: CosignatureAlgorithm, seed: Uint8Array): Cosigner {
  const { pkcs8Prefix, spkiPrefix, message } = algorithms[algorithm];
  if (seed.length !== 32) throw new TypeError('the seed of a cosigner has 32 bytes');
  const secret = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(secret).export({ format: 'der', type: 'spki' });
  const key = cosignerKey(name, algorithm, spki.subarray(spkiPrefix.length));
  return {
    key,
    cosign(text, timeSeconds) {
      const checkpoint = parseCheckpoint(text);
      if (isRefusal(checkpoint)) return checkpoint;
      const time = uint64(timeSeconds);
      const signed = message(text, checkpoint, name, time);
      if (signed === undefined) return refuse(`the checkpoint does not fit an ${algorithm} cosignature`);
      return signatureLine(key, Buffer.concat([time, sign(null, signed, secret)]));
    },
  };
}

/** A cosigner's key from its name and the raw public key (32 bytes for Ed25519, 1,312 for ML-DSA-44). */
export function cosignerKey(name: string, algorithm: CosignatureAlgorithm, raw: Uint8Array): CosignerKey {
  const { signatureType, publicKeyBytes, signatureBytes, spkiPrefix, message } = algorithms[algorithm];
  if (raw.length !== publicKeyBytes) throw new TypeError(`a key of ${algorithm} has ${publicKeyBytes} bytes`);
  const der = Buffer.concat([spkiPrefix, raw]);
  const publicKey: KeyObject = createPublicKey({ key: der, format: 'der', type: 'spki' });
  return {
    ...writtenKey(name, signatureType, raw),
    algorithm,
    verifies(text, signature) {
      const checkpoint = parseCheckpoint(text);
      if (isRefusal(checkpoint) || signature.length !== timeBytes + signatureBytes) return false;
      const bytes = Buffer.from(signature);
      const time = bytes.subarray(0, timeBytes);
      if (time.readBigUInt64BE() > BigInt(Number.MAX_SAFE_INTEGER)) return false;
      const signed = message(text, checkpoint, name, time);
      return signed !== undefined && verify(null, signed, publicKey, bytes.subarray(timeBytes));
    },
  };
}

/** Reads `name+hash+key` of a witness: signature type 0x04 or 0x06. */
export function parseCosignerKey(text: string): CosignerKey | Refusal {
  const parts = splitVerifierKey(text);
  if (isRefusal(parts)) return parts;
  const { name, signatureType, publicBytes } = parts;
  for (const algorithm of Object.keys(algorithms) as CosignatureAlgorithm[])
    if (algorithms[algorithm].signatureType === signatureType)
      return publicBytes.length === algorithms[algorithm].publicKeyBytes
        ? checkKeyId(cosignerKey(name, algorithm, publicBytes), text)
        : refuse(`the key is not as long as a key of ${algorithm}`);
  return refuse(
    `signature type 0x${signatureType.toString(16).padStart(2, '0')} is not one of cosignatures (0x04, 0x06)`,
  );
}

/** Reads `name+hash+key` of a log that signs its checkpoints with Ed25519 (0x01) or ML-DSA-44 (0x06). */
export function parseLogKey(text: string): VerifierKey | Refusal {
  const parts = splitVerifierKey(text);
  if (isRefusal(parts)) return parts;
  return parts.signatureType === algorithms['ml-dsa-44'].signatureType
    ? parseCosignerKey(text)
    : parseVerifierKey(text);
}

/**
 * What a witness answered for a checkpoint's text: signature lines, of which those of `keys` are verified and the
 * others ignored. A wrong signature of a known key, or no known key at all, is a refusal.
 */
export function verifyCosignatures(
  text: string,
  lines: string,
  keys: readonly CosignerKey[],
): readonly Cosignature[] | Refusal {
  const opened = openNote(`${text}\n${lines}`, keys);
  if (isRefusal(opened)) return opened;
  // A response with an empty line in it would be a note of another text.
  if (opened.text !== text) return refuse('the response is not a list of signature lines');
  return cosignaturesIn(opened.signatures, keys);
}

/** Those of an opened note that are of `keys`. */
export function cosignaturesIn(
  signatures: readonly NoteSignature[],
  keys: readonly CosignerKey[],
): readonly Cosignature[] {
  return signatures.flatMap(({ key: by, bytes, line }) => {
    // A policy may name one ML-DSA-44 key as that of a log and of a witness.
    const key = keys.find((each) => each.text === by.text);
    return key === undefined
      ? []
      : [{ key, timeSeconds: Number(Buffer.from(bytes).readBigUInt64BE()), line }];
  });
}

function uint64(value: number): Buffer {
  if (!Number.isSafeInteger(value) || value < 0) throw new TypeError('a time or size is a count');
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}
