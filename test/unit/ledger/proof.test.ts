import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  formatCheckpoint,
  openCheckpoint,
  parseCheckpoint,
  signCheckpoint,
} from '../../../src/ledger/checkpoint.ts';
import { leafHash } from '../../../src/ledger/entry.ts';
import { signerFromSeed } from '../../../src/ledger/note.ts';
import { formatProof, parseProof, verifyProof } from '../../../src/ledger/proof.ts';
import { isRefusal } from '../../../src/ledger/refusal.ts';
import { parseProof as parseProofElsewhere } from '../../../verify/index.ts';
import { flipBit, hex, unhex, vectorJson, vectorText } from './support.ts';

const golden = vectorJson<{
  seed: string;
  name: string;
  checkpoints: { size: number; root: string; signed: string }[];
  proofs: { index: number; size: number; text: string; leaf: string; proof: string }[];
  proof_with_extra: { index: number; leaf: string; extra: string; proof: string };
}>('ledger/notes.json');

const signer = signerFromSeed(golden.name, unhex(golden.seed));
const root = Buffer.alloc(32, 7);
const rootText = root.toString('base64');

describe('checkpoints', () => {
  test.each(golden.checkpoints)(
    'reproduce the golden checkpoint of $size leaves, and verify',
    ({ size, root: rootHex, signed }) => {
      expect(signCheckpoint(signer, size, unhex(rootHex))).toBe(signed);
      expect(openCheckpoint(signed, [signer.key])).toEqual({
        origin: golden.name,
        size,
        root: Buffer.from(rootHex, 'hex'),
        extensions: [],
      });
    },
  );

  test('keep extension lines', () => {
    expect(parseCheckpoint(`example.com/log\n7\n${rootText}\nmore\nlines\n`)).toEqual({
      origin: 'example.com/log',
      size: 7,
      root,
      extensions: ['more', 'lines'],
    });
  });

  test.each([
    ['without a last newline', `o\n7\n${rootText}`, 'the checkpoint does not end in a newline'],
    ['without an origin', `\n7\n${rootText}\n`, 'the checkpoint has no origin'],
    ['with a leading zero', `o\n07\n${rootText}\n`, 'the checkpoint has no size'],
    ['with a sign', `o\n+7\n${rootText}\n`, 'the checkpoint has no size'],
    ['with a size beyond 2^53', `o\n9007199254740992\n${rootText}\n`, 'the checkpoint has no size'],
    [
      'with a root of 31 bytes',
      `o\n7\n${Buffer.alloc(31).toString('base64')}\n`,
      'the checkpoint has no root',
    ],
    ['with a root in hex', `o\n7\n${root.toString('hex')}\n`, 'the checkpoint has no root'],
    ['with two lines only', `o\n7\n`, 'the checkpoint has no root'],
    ['with an empty extension line', `o\n7\n${rootText}\n\n`, 'the checkpoint has an empty line'],
  ])('are refused %s', (_title, text, why) => {
    expect(parseCheckpoint(text)).toEqual({ refused: why });
  });

  test('are rejected unless the log in their origin signed them', () => {
    const witness = signerFromSeed('witness.example', new Uint8Array(32));
    const note = witness.sign(formatCheckpoint('ledger.example/other', 7, root));
    expect(openCheckpoint(note, [witness.key, signer.key])).toEqual({
      refused: 'the checkpoint of ledger.example/other is not signed by that log',
    });
  });

  test.each<[string, () => unknown]>([
    ['an origin with a line break', () => formatCheckpoint('a\nb', 1, root)],
    ['an empty origin', () => formatCheckpoint('', 1, root)],
    ['a fractional size', () => formatCheckpoint('a', 1.5, root)],
    ['a root of 31 bytes', () => formatCheckpoint('a', 1, root.subarray(1))],
  ])('cannot be written with %s', (_title, write) => {
    expect(write).toThrow(TypeError);
  });
});

describe('tlog-proofs', () => {
  test.each(golden.proofs)(
    'verify offline for golden entry $index of $size',
    ({ index, size, text, leaf, proof }) => {
      expect(hex(leafHash(text))).toBe(leaf);
      expect(verifyProof(proof, [signer.key], leafHash(text))).toMatchObject({
        index,
        size,
        origin: golden.name,
      });
      const parsed = parseProof(proof);
      if (isRefusal(parsed)) throw new Error(parsed.refused);
      expect(formatProof(parsed)).toBe(proof);
    },
  );

  test('verify with extra data, which does not affect the proof', () => {
    const { index, leaf, extra, proof } = golden.proof_with_extra;
    const parsed = parseProof(proof);
    if (isRefusal(parsed)) throw new Error(parsed.refused);
    expect(hex(parsed.extra ?? new Uint8Array(0))).toBe(extra);
    expect(formatProof(parsed)).toBe(proof);
    expect(verifyProof(proof, [signer.key], unhex(leaf))).toMatchObject({ index, size: 600 });
  });

  test('read and write the example of the specification byte for byte', () => {
    const example = vectorText('witness/proof.example');
    const parsed = parseProof(example);
    if (isRefusal(parsed)) throw new Error(parsed.refused);
    expect([parsed.index, parsed.hashes.length, parsed.extra?.length]).toEqual([73894, 5, 39]);
    expect(formatProof(parsed)).toBe(example);
    const elsewhere = parseProofElsewhere(example);
    expect([elsewhere.index, elsewhere.checkpoint]).toEqual([73894, parsed.checkpoint]);
    expect(elsewhere.hashes.map(hex)).toEqual(parsed.hashes.map(hex));
    const checkpoint = parseCheckpoint(parsed.checkpoint.slice(0, parsed.checkpoint.indexOf('\n\n') + 1));
    expect(checkpoint).toMatchObject({ origin: 'example.com/fancylog', size: 109482, extensions: [] });
    // The specification elides the signatures.
    expect(verifyProof(example, [signer.key], root)).toEqual({
      refused: 'the note has a malformed signature line',
    });
  });

  const good = golden.proofs[1]?.proof as string;
  const hash = `${'A'.repeat(43)}=`;
  test.each([
    [
      'with another header',
      good.replace('@v1', '@v2'),
      'the proof does not begin with c2sp.org/tlog-proof@v1',
    ],
    [
      'with a space after the header',
      good.replace('@v1', '@v1 '),
      'the proof does not begin with c2sp.org/tlog-proof@v1',
    ],
    ['without an index', good.replace('index 300\n', ''), 'the proof has no index'],
    ['with a leading zero', good.replace('index 300', 'index 0300'), 'the proof has no index'],
    ['with a negative index', good.replace('index 300', 'index -300'), 'the proof has no index'],
    [
      'with an index that is not a number',
      good.replace('index 300', 'index three'),
      'the proof has no index',
    ],
    ['with two spaces before the index', good.replace('index 300', 'index  300'), 'the proof has no index'],
    [
      'with extra data after the index',
      good.replace('index 300\n', 'index 300\nextra AA==\n'),
      'hash 0 of the proof is not 32 bytes of base64',
    ],
    [
      'with extra data that is not base64',
      good.replace('index', 'extra !\nindex'),
      "the proof's extra data is not base64",
    ],
    [
      'with a short hash',
      good.replace('index 300\n', 'index 300\nAAAA\n'),
      'hash 0 of the proof is not 32 bytes of base64',
    ],
    [
      'with a hash that has stray bits',
      good.replace('index 300\n', `index 300\n${hash.replace('A=', 'B=')}\n`),
      'hash 0 of the proof is not 32 bytes of base64',
    ],
    ['with a carriage return', good.replace('index 300\n', 'index 300\r\n'), 'the proof has no index'],
    ['without a checkpoint', good.slice(0, good.indexOf('\n\n')), 'the proof has no checkpoint'],
    ['with an empty checkpoint', good.slice(0, good.indexOf('\n\n') + 2), 'the note is malformed'],
    [
      'with an additional hash',
      good.replace('index 300\n', `index 300\n${hash}\n`),
      `the hashes do not lead from entry 300 to the root of the 600 entries of ${golden.name}`,
    ],
    [
      'with another index',
      good.replace('index 300', 'index 301'),
      `the hashes do not lead from entry 301 to the root of the 600 entries of ${golden.name}`,
    ],
    [
      'with an index beyond the log',
      good.replace('index 300', 'index 600'),
      `the hashes do not lead from entry 600 to the root of the 600 entries of ${golden.name}`,
    ],
  ])('are refused %s', (_title, proof, why) => {
    expect(verifyProof(proof, [signer.key], unhex(golden.proofs[1]?.leaf as string))).toEqual({
      refused: why,
    });
  });

  test('fail with any flipped bit, of the proof or of the entry', () => {
    const { proof, text } = golden.proofs[1] as { proof: string; text: string };
    const [proofBytes, entryBytes] = [Buffer.from(proof), Buffer.from(text)];
    fc.assert(
      fc.property(fc.nat(proofBytes.length * 8 - 1), fc.nat(entryBytes.length * 8 - 1), (a, b) => {
        expect(isRefusal(verifyProof(textWith(proofBytes, a), [signer.key], leafHash(text)))).toBe(true);
        expect(isRefusal(verifyProof(proof, [signer.key], leafHash(textWith(entryBytes, b))))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

function textWith(bytes: Uint8Array, flipped: number): string {
  return Buffer.from(flipBit(bytes, flipped)).toString('utf8');
}
