/** ML-DSA-44 cosignatures against an implementation of FIPS 204 that shares nothing with OpenSSL: @noble/post-quantum. */
import { ml_dsa44 } from '@noble/post-quantum/ml-dsa.js';
import { describe, expect, it } from 'vitest';
import { formatCheckpoint } from '../../src/ledger/checkpoint.ts';
import { cosignerFromSeed, cosignerKey, verifyCosignatures } from '../../src/ledger/cosignature.ts';
import { signatureLine, signerFromSeed } from '../../src/ledger/note.ts';
import { isRefusal } from '../../src/ledger/refusal.ts';
import { verifyCheckpoint } from '../../verify/index.ts';
import { bytes, flipBit } from '../unit/ledger/support.ts';

const seed = Buffer.alloc(32, 2);
const name = 'witness.example/w1';
const root = Buffer.alloc(32, 7);
const size = 20_852_163;
const timeSeconds = 1_790_000_000;
const text = formatCheckpoint('log.example/é', size, root);
const own = cosignerFromSeed(name, 'ml-dsa-44', seed);
const foreign = ml_dsa44.keygen(bytes(seed));
const log = signerFromSeed('log.example/é', Buffer.alloc(32, 9));
const policy = `log ${log.key.text}\nwitness w1 ${own.key.text}\nquorum w1\n`;

/** `cosigned_message` as C2SP tlog-cosignature has it, written from the document alone. */
function cosignedMessage(time: number, end: number, hash: Uint8Array): Uint8Array {
  const vector = (of: string): Buffer => {
    const utf8 = Buffer.from(of, 'utf8');
    return Buffer.concat([Buffer.of(utf8.length), utf8]);
  };
  const uint64 = (value: number): Buffer => {
    const eight = Buffer.alloc(8);
    eight.writeBigUInt64BE(BigInt(value));
    return eight;
  };
  const label = Buffer.from([...'subtree/v1\n\0'].map((char) => char.codePointAt(0) as number));
  expect(label).toHaveLength(12);
  return bytes(
    Buffer.concat([label, vector(name), uint64(time), vector('log.example/é'), uint64(0), uint64(end), hash]),
  );
}

/** The time and the signature in the line of a cosigner. */
function partsOf(line: string): { readonly time: number; readonly signature: Uint8Array } {
  const signed = Buffer.from(line.split(' ')[2] as string, 'base64');
  return { time: Number(signed.readBigUInt64BE(4)), signature: bytes(signed.subarray(12)) };
}

describe('another implementation of ML-DSA-44', () => {
  it('derives the same public key from the same seed', () => {
    expect(Buffer.from(foreign.publicKey).equals(own.key.publicBytes)).toBe(true);
  });

  it('verifies our cosignature over the message of the document, and over no other', () => {
    const { time, signature } = partsOf(own.cosign(text, timeSeconds) as string);
    const verifies = (message: Uint8Array, signed = signature): boolean =>
      ml_dsa44.verify(signed, message, foreign.publicKey);
    expect([time, signature.length]).toEqual([timeSeconds, 2420]);
    expect(verifies(cosignedMessage(time, size, root))).toBe(true);
    expect(verifies(cosignedMessage(time + 1, size, root))).toBe(false);
    expect(verifies(cosignedMessage(time, size + 1, root))).toBe(false);
    expect(verifies(cosignedMessage(time, size, flipBit(root, 0)))).toBe(false);
    expect(verifies(cosignedMessage(time, size, root), flipBit(signature, 1000))).toBe(false);
  });

  it.each([
    ['deterministic', false],
    ['hedged', undefined],
  ] as const)('makes %s cosignatures that both of our verifiers take', async (_kind, extraEntropy) => {
    const message = cosignedMessage(timeSeconds, size, root);
    const signature = ml_dsa44.sign(
      message,
      foreign.secretKey,
      extraEntropy === false ? { extraEntropy } : {},
    );
    const time = Buffer.alloc(8);
    time.writeBigUInt64BE(BigInt(timeSeconds));
    const key = cosignerKey(name, 'ml-dsa-44', foreign.publicKey);
    const line = signatureLine(key, Buffer.concat([time, signature]));
    const found = verifyCosignatures(text, line, [key]);
    if (isRefusal(found)) throw new Error(found.refused);
    expect(found).toEqual([{ key, timeSeconds, line }]);
    expect(await verifyCheckpoint(log.sign(text) + line, { policy })).toMatchObject({ ok: true });
    // Every byte of the time, and one in 61 of the signature.
    const signed = Buffer.concat([time, signature]);
    for (let at = 0; at < signed.length; at += at < 8 ? 1 : 61) {
      const bent = signatureLine(key, flipBit(signed, 8 * at + (at % 8)));
      expect(isRefusal(verifyCosignatures(text, bent, [key]))).toBe(true);
      expect((await verifyCheckpoint(log.sign(text) + bent, { policy })).ok).toBe(false);
    }
  });

  it('makes no cosignature that is taken with another context, or without the label', async () => {
    const key = cosignerKey(name, 'ml-dsa-44', foreign.publicKey);
    const time = Buffer.alloc(8);
    time.writeBigUInt64BE(BigInt(timeSeconds));
    const message = cosignedMessage(timeSeconds, size, root);
    const others = [
      ml_dsa44.sign(message, foreign.secretKey, { context: bytes(Buffer.from('colophon')) }),
      ml_dsa44.sign(message.slice(12), foreign.secretKey),
      ml_dsa44.sign(bytes(Buffer.from(text)), foreign.secretKey),
      ml_dsa44.sign(bytes(Buffer.from(`cosignature/v1\ntime ${timeSeconds}\n${text}`)), foreign.secretKey),
    ];
    for (const signature of others) {
      const line = signatureLine(key, Buffer.concat([time, signature]));
      expect(verifyCosignatures(text, line, [key])).toEqual({ refused: `the signature of ${name} is wrong` });
      expect((await verifyCheckpoint(log.sign(text) + line, { policy })).ok).toBe(false);
    }
  });
});
