/** How large a cosigned proof is in a log of more than a million entries (contract §6: one text of at most 2 KB). */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { formatCheckpoint } from '../../src/ledger/checkpoint.ts';
import { cosignerFromSeed, type CosignatureAlgorithm } from '../../src/ledger/cosignature.ts';
import { leafHash } from '../../src/ledger/entry.ts';
import { inclusionProof, rootFromTiles, type TileSource } from '../../src/ledger/log.ts';
import { signerFromSeed } from '../../src/ledger/note.ts';
import { formatProof } from '../../src/ledger/proof.ts';
import { verifyProofText } from '../../verify/index.ts';
import { hex } from '../unit/ledger/support.ts';

const origin = 'articles.organisation.example/colophon';
const size = 1_234_567;
const index = 1_000_001;
const leaf = leafHash('{"i":1}');

/** Every leaf is the same one, so that all nodes of a level are. */
const nodes = [leaf];
for (let level = 1; level <= 24; level++) {
  const below = nodes[level - 1] as Uint8Array;
  nodes.push(createHash('sha256').update(Buffer.of(1)).update(below).update(below).digest());
}
const tile: TileSource = (level, _n, width) =>
  Buffer.concat(Array.from({ length: width }, () => nodes[8 * level] as Uint8Array));

const log = signerFromSeed(origin, Buffer.alloc(32, 9));
const text = formatCheckpoint(origin, size, rootFromTiles(size, tile));

/** The proof with this many cosignatures of each kind, and the policy that demands all of them. */
function cosigned(ed25519: number, mlDsa: number): { readonly proof: string; readonly policy: string } {
  const kinds = [
    ...Array<CosignatureAlgorithm>(ed25519).fill('ed25519'),
    ...Array<CosignatureAlgorithm>(mlDsa).fill('ml-dsa-44'),
  ];
  const witnesses = kinds.map((kind, i) =>
    cosignerFromSeed(`witness${i}.organisation.example/witness`, kind, Buffer.alloc(32, i + 1)),
  );
  const checkpoint =
    log.sign(text) + witnesses.map((each) => each.cosign(text, 1_790_000_000) as string).join('');
  const proof = formatProof({ index, hashes: inclusionProof(index, size, tile), checkpoint });
  const lines = witnesses.map(({ key }, i) => `witness w${i} ${key.text}\n`);
  const group = `group g all ${witnesses.map((_, i) => `w${i}`).join(' ')}\nquorum g\n`;
  return { proof, policy: `log ${log.key.text}\n${lines.join('')}${group}` };
}

describe(`the proof of entry ${index} of ${size}`, () => {
  const sizeOf = (proof: string): number => Buffer.byteLength(proof);

  it('is at most 2 KB with three Ed25519 cosignatures, and verifies', async () => {
    const { proof, policy } = cosigned(3, 0);
    expect(proof.slice(0, proof.indexOf('\n\n')).split('\n').length - 2).toBeGreaterThanOrEqual(20);
    expect((await verifyProofText(proof, { policy }, hex(leaf))).ok).toBe(true);
    expect(sizeOf(proof)).toBeLessThanOrEqual(2048);
  });

  it('grows by at most 3.3 KB with each ML-DSA-44 cosignature, and verifies', async () => {
    const sizes = [0, 1, 2].map((count) => sizeOf(cosigned(3, count).proof));
    expect(sizes).toEqual([1653, 4940, 8227]);
    for (const [i, whole] of sizes.entries())
      expect(whole - (sizes[i - 1] ?? whole)).toBeLessThanOrEqual(3300);
    const { proof, policy } = cosigned(3, 2);
    expect((await verifyProofText(proof, { policy }, hex(leaf))).ok).toBe(true);
    expect(sizeOf(proof)).toBeLessThanOrEqual(2048 + 2 * 3300);
  });
});
