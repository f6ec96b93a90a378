/** The independent verifier @sigstore/verify checks our proofs, checkpoints and signatures. */
import { createPublicKey } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifyCheckpoint } from '@sigstore/verify/dist/tlog/checkpoint.js';
import { verifyTLogInclusion } from '@sigstore/verify/dist/tlog/index.js';
import { signCheckpoint } from '../../../src/ledger/checkpoint.ts';
import { leafHash, seal } from '../../../src/ledger/entry.ts';
import { MerkleLog } from '../../../src/ledger/log.ts';
import { signerFromSeed } from '../../../src/ledger/note.ts';
import { formatProof, verifyProof } from '../../../src/ledger/proof.ts';
import { isRefusal } from '../../../src/ledger/refusal.ts';
import { flipBit } from './support.ts';

const signer = signerFromSeed('ledger.example/colophon', Buffer.alloc(32, 9));
const logId = Buffer.alloc(32);
logId.writeUInt32BE(signer.key.id);

const size = 777;
const texts = Array.from(
  { length: size },
  (_, i) =>
    seal(
      { chain: `inv_${i}`, ts: '2026-01-31T09:00:00.000Z', actor: 'owner', action: 'outcome', at: i },
      null,
    ).text,
);
const log = new MerkleLog();
for (const text of texts) log.append(leafHash(text));
const checkpoint = signCheckpoint(signer, size, log.root());

interface Claim {
  index: number;
  text: string;
  hashes: readonly Uint8Array[];
  note: string;
}

function claim(index: number): Claim {
  return { index, text: texts[index] as string, hashes: log.inclusionProof(index), note: checkpoint };
}

type Entry = Parameters<typeof verifyTLogInclusion>[0];
type Authorities = Parameters<typeof verifyTLogInclusion>[1];

const authorities = [
  {
    logID: logId,
    publicKey: createPublicKey({
      key: Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), signer.key.publicBytes]),
      format: 'der',
      type: 'spki',
    }),
    baseURL: 'https://ledger.example/colophon',
    validFor: { start: new Date(0), end: new Date(8.64e15) },
  },
] as unknown as Authorities;

/** Our proof in Sigstore's words; throws unless it verifies. */
function sigstore({ index, text, hashes, note }: Claim): void {
  verifyTLogInclusion(
    {
      logId: { keyId: logId },
      canonicalizedBody: Buffer.from(text),
      inclusionProof: {
        logIndex: String(index),
        treeSize: String(size),
        rootHash: Buffer.alloc(0),
        hashes: hashes.map((hash) => Buffer.from(hash)),
        checkpoint: { envelope: note },
      },
    } as unknown as Entry,
    authorities,
  );
}

function ours({ index, text, hashes, note }: Claim): boolean {
  return !isRefusal(
    verifyProof(formatProof({ index, hashes, checkpoint: note }), [signer.key], leafHash(text)),
  );
}

function theirs(of: Claim): boolean {
  try {
    sigstore(of);
    return true;
  } catch (error) {
    // Anything but a verdict would be a defect of this test.
    expect((error as Error).constructor.name).toBe('VerificationError');
    return false;
  }
}

describe('@sigstore/verify', () => {
  test('accepts our proof of every entry of a log', () => {
    for (let index = 0; index < size; index++) {
      expect([index, theirs(claim(index)), ours(claim(index))]).toEqual([index, true, true]);
    }
  });

  test('reads the signed size and root from our checkpoint', () => {
    const entry = { inclusionProof: { checkpoint: { envelope: checkpoint } } } as unknown as Parameters<
      typeof verifyCheckpoint
    >[0];
    const read = verifyCheckpoint(entry, authorities);
    expect({ origin: read.origin, size: read.logSize, root: read.logHash.toString('hex') }).toEqual({
      origin: 'ledger.example/colophon',
      size: 777n,
      root: Buffer.from(log.root()).toString('hex'),
    });
  });

  test('rejects, as we do, a proof with any flipped bit', () => {
    fc.assert(
      fc.property(fc.nat(size - 1), fc.nat(), fc.nat(255), (index, pick, bit) => {
        const good = claim(index);
        const i = pick % good.hashes.length;
        const bent = { ...good, hashes: good.hashes.with(i, flipBit(good.hashes[i] as Uint8Array, bit)) };
        expect([theirs(bent), ours(bent)]).toEqual([false, false]);
        const altered = { ...good, text: good.text.replace('owner', 'Owner') };
        expect([theirs(altered), ours(altered)]).toEqual([false, false]);
        const moved = { ...good, index: (index + 1 + (pick % (size - 1))) % size };
        expect([theirs(moved), ours(moved)]).toEqual([false, false]);
      }),
    );
  });

  test.each<[string, (note: string) => string]>([
    ['another size', (note) => note.replace('\n777\n', '\n776\n')],
    ['another root', (note) => note.replace(/\n777\n./, '\n777\n/')],
    ['another signature', (note) => note.replace(/(.{20})....=\n$/, '$1AAAA=\n')],
    [
      'the signature of another key',
      () => signCheckpoint(signerFromSeed('ledger.example/colophon', Buffer.alloc(32, 8)), size, log.root()),
    ],
  ])('rejects, as we do, a checkpoint with %s', (_title, bend) => {
    const note = bend(checkpoint);
    expect(note).not.toBe(checkpoint);
    expect([theirs({ ...claim(5), note }), ours({ ...claim(5), note })]).toEqual([false, false]);
  });
});
