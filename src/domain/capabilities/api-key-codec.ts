/**
 * API keys (contract §4): `ck_` and 48 characters of base64url, which are 32 random bytes and their CRC-32.
 * The checksum distinguishes a truncated key from a foreign one before any lookup. Only
 * hashes of it are stored; a key is accepted on a constant-time match of the whole SHA-256.
 */
import { timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { fault, type Fault } from '../../kernel/fault.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { fingerprintOf } from './share-codec.ts';

const prefix = 'ck_';
const shape = /^ck_[A-Za-z0-9_-]{48}$/;
const randomLength = 32;

export interface ApiKey {
  readonly token: string;
  /** `cap_` and 16 hex characters: all that lists and entries show. */
  readonly fingerprint: string;
  /** SHA-256 of the token, lowercase hex. */
  readonly digest: string;
}

export function isApiKeyLike(token: string): boolean {
  return token.startsWith(prefix);
}

/** Makes a key of 32 random bytes. */
export function encodeApiKey(random: Uint8Array): ApiKey {
  const bytes = Buffer.alloc(randomLength + 4);
  bytes.set(random.subarray(0, randomLength));
  bytes.writeUInt32BE(crc32(bytes.subarray(0, randomLength)), randomLength);
  return keyOf(prefix + bytes.toString('base64url'));
}

/** Reads a key that anyone may have written; whether it was ever minted is the ledger's to say. */
export function decodeApiKey(token: string): ApiKey | Fault {
  if (!shape.test(token)) {
    return fault(
      'token_malformed',
      'The API key has not the shape of one.',
      'Send it whole: ck_ followed by 48 characters.',
    );
  }
  const bytes = Buffer.from(token.slice(prefix.length), 'base64url');
  if (crc32(bytes.subarray(0, randomLength)) !== bytes.readUInt32BE(randomLength)) return notOurs();
  return keyOf(token);
}

export function notOurs(): Fault {
  return fault(
    'token_corrupted',
    'The API key was damaged or is none of ours.',
    'Copy it again from where it was given to you.',
  );
}

/** Constant-time: says nothing about how much of a wrong key was right. */
export function isSameKey(key: ApiKey, digest: string): boolean {
  return digest.length === 64 && timingSafeEqual(Buffer.from(key.digest, 'hex'), Buffer.from(digest, 'hex'));
}

function keyOf(token: string): ApiKey {
  return { token, fingerprint: fingerprintOf(token), digest: sha256Hex(token) };
}
