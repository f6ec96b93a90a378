/**
 * The share token (contract §4, layout in 36 bytes): version 1, key id 1, expiry 4, id 10, MAC 16, CRC-32 4,
 * written as `sh.` and 48 characters of base64url. A token is judged shape, then CRC, then MAC: damage in
 * transit reads as `token_corrupted`, never as a forgery. Whatever decodes must encode to itself.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { sha256Hex } from '../../kernel/hash.ts';
import { fault, type Fault } from '../../kernel/fault.ts';

const prefix = 'sh.';
const version = 1;
const domainTag = 'colophon/share/v1\0';
const shape = /^sh\.[A-Za-z0-9_-]{48}$/;

export interface MacKey {
  /** 0 to 255; the newest key signs, older ones still verify. */
  readonly id: number;
  /** 32 bytes. */
  readonly secret: Uint8Array;
}

export interface Share {
  readonly token: string;
  readonly fingerprint: string;
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

/** Makes a token. `id` is 10 random bytes, `expiresAt` whole seconds since 1970. */
export function encodeShare(key: MacKey, expiresAt: number, id: Uint8Array): Share {
  const bytes = Buffer.alloc(36);
  bytes[0] = version;
  bytes[1] = key.id;
  bytes.writeUInt32BE(expiresAt, 2);
  bytes.set(id.subarray(0, 10), 6);
  mac(key, bytes).copy(bytes, 16);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 32)), 32);
  const token = prefix + bytes.toString('base64url');
  return { token, fingerprint: fingerprintOf(token), expiresAt };
}

/** Reads a token that anyone may have written. Says nothing about expiry or revocation. */
export function decodeShare(token: string, keys: readonly MacKey[]): Share | Fault {
  if (!shape.test(token)) return malformed();
  const bytes = Buffer.from(token.slice(prefix.length), 'base64url');
  if (bytes.length !== 36 || prefix + bytes.toString('base64url') !== token || bytes[0] !== version)
    return malformed();
  if (crc32(bytes.subarray(0, 32)) !== bytes.readUInt32BE(32)) return corrupted();
  const key = keys.find((each) => each.id === bytes[1]);
  if (key === undefined || !timingSafeEqual(mac(key, bytes), bytes.subarray(16, 32))) return corrupted();
  return { token, fingerprint: fingerprintOf(token), expiresAt: bytes.readUInt32BE(2) };
}

/** `cap_` and 16 hex characters: the only form of a token that is stored or logged. */
export function fingerprintOf(token: string): string {
  return `cap_${sha256Hex(token).slice(0, 16)}`;
}

export function isFingerprint(text: string): boolean {
  return /^cap_[0-9a-f]{16}$/.test(text);
}

function mac(key: MacKey, bytes: Buffer): Buffer {
  return createHmac('sha256', key.secret)
    .update(domainTag)
    .update(bytes.subarray(0, 16))
    .digest()
    .subarray(0, 16);
}

function malformed(): Fault {
  return fault(
    'token_malformed',
    'What was sent as a share has not the shape of one.',
    'Send it whole: sh. followed by 48 characters. An API key begins with ck_; the owner key goes in the x-terminal-key header.',
  );
}

function corrupted(): Fault {
  return fault(
    'token_corrupted',
    'The share was damaged or is none of ours.',
    'Copy it again from where it was given to you.',
  );
}
