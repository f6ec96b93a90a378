import { encodeApiKey, isSameKey } from '../../../src/domain/capabilities/api-key-codec.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeShare,
  encodeShare,
  fingerprintOf,
  type MacKey,
} from '../../../src/domain/capabilities/share-codec.ts';
import { isFault } from '../../../src/kernel/fault.ts';

const key: MacKey = { id: 7, secret: new Uint8Array(32).fill(1) };
const other: MacKey = { id: 8, secret: new Uint8Array(32).fill(2) };
const id = new Uint8Array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
/** Made from the layout by another program in another language. */
const known = 'sh.AQdpVbkAAAECAwQFBgcICWzkvuybkyoIU6zhoiWJmKsdPO_J';

const codeOf = (token: string, keys: readonly MacKey[] = [key]): string => {
  const share = decodeShare(token, keys);
  return isFault(share) ? share.fault : 'authentic';
};

describe('a share token', () => {
  it('is 51 characters: sh. and 36 bytes in base64url', () => {
    const { token } = encodeShare(key, 1_767_225_600, id);
    expect(token).toMatch(/^sh\.[A-Za-z0-9_-]{48}$/);
    expect(token).toBe(known);
  });

  it('decodes to what it was made from', () => {
    const share = encodeShare(key, 1_767_225_600, id);
    expect(decodeShare(share.token, [other, key])).toEqual(share);
    expect(share.fingerprint).toBe(fingerprintOf(share.token));
    expect(share.fingerprint).toMatch(/^cap_[0-9a-f]{16}$/);
  });

  it('is never authentic with any one character damaged', () => {
    const { token } = encodeShare(key, 1_767_225_600, id);
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: token.length - 1 }),
        fc.constantFrom(...'ABCxyz019-_. '),
        (at, letter) => {
          fc.pre(token[at] !== letter);
          expect(codeOf(token.slice(0, at) + letter + token.slice(at + 1))).not.toBe('authentic');
        },
      ),
    );
  });

  it('is judged by shape before CRC, and by CRC before MAC', () => {
    const { token } = encodeShare(key, 1_767_225_600, id);
    const bytes = Buffer.from(token.slice(3), 'base64url');
    expect(codeOf(token.slice(0, -1))).toBe('token_malformed');
    expect(codeOf(`${token}A`)).toBe('token_malformed');
    expect(codeOf(token.replace('sh.', 'sx.'))).toBe('token_malformed');
    const flipped = Buffer.from(bytes);
    flipped[20] = (flipped[20] as number) ^ 1;
    expect(codeOf(`sh.${flipped.toString('base64url')}`)).toBe('token_corrupted');
    expect(codeOf(token, [other])).toBe('token_corrupted');
    expect(codeOf(token, [{ id: 7, secret: new Uint8Array(32).fill(9) }])).toBe('token_corrupted');
    const versioned = Buffer.from(bytes);
    versioned[0] = 2;
    expect(codeOf(`sh.${versioned.toString('base64url')}`)).toBe('token_malformed');
  });

  it('is never decoded from random text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.base64String({ maxLength: 64 }),
          fc
            .uint8Array({ minLength: 36, maxLength: 36 })
            .map((raw) => `sh.${Buffer.from(raw).toString('base64url')}`),
        ),
        (text) => {
          expect(['token_malformed', 'token_corrupted']).toContain(codeOf(text));
        },
      ),
    );
  });
});

describe('an API key', () => {
  it('matches only the whole hash of the minted key', () => {
    const own = encodeApiKey(new Uint8Array(32).fill(1));
    const foreign = encodeApiKey(new Uint8Array(32).fill(2));
    expect([isSameKey(own, own.digest), isSameKey(own, foreign.digest), isSameKey(own, '')]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
