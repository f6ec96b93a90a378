/** Interoperability with Tessera's test log: its checkpoints, partial tiles and entry bundles. */
import { describe, expect, test } from 'vitest';
import { openCheckpoint } from '../../../src/ledger/checkpoint.ts';
import { leafHash } from '../../../src/ledger/entry.ts';
import {
  consistencyProof,
  inclusionProof,
  MerkleLog,
  rootFromTiles,
  type TileSource,
} from '../../../src/ledger/log.ts';
import { rootOf, verifyConsistency, verifyInclusion } from '../../../src/ledger/merkle.ts';
import { parseVerifierKey } from '../../../src/ledger/note.ts';
import { isRefusal } from '../../../src/ledger/refusal.ts';
import { decodeBundle, encodeBundle, entriesPath, tilePath } from '../../../src/ledger/tiles.ts';
import {
  openCheckpoint as openCheckpointElsewhere,
  parseVerifierKey as parseVerifierKeyElsewhere,
} from '../../../verify/index.ts';
import { hex, vectorBytes, vectorText } from './support.ts';

const verifierKey = 'example.com/log/testdata+33d7b496+AeHTu4Q3hEIMHNqc6fASMsq3rKNx280NI+oO5xCFkkSx';
const entries = [
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eit',
  'nain',
  'ten',
  'ileven',
  'twelf',
  'threeten',
  'fourten',
  'fivten',
];
const sizes = Array.from({ length: 16 }, (_, size) => size);

const key = parseVerifierKey(verifierKey);
if (isRefusal(key)) throw new Error(key.refused);
const keys = [key];

function checkpoint(size: number) {
  const opened = openCheckpoint(vectorText(`tlog/log/checkpoint.${size}`), keys);
  if (isRefusal(opened)) throw new Error(opened.refused);
  return opened;
}

const tile: TileSource = (level, n, width) => vectorBytes(`tlog/log/${tilePath({ level, n, width })}`);

describe("Tessera's log", () => {
  test.each(sizes)('has a checkpoint of %i entries with a valid signature', async (size) => {
    expect(checkpoint(size)).toMatchObject({ origin: 'example.com/log/testdata', size });
    const elsewhere = await openCheckpointElsewhere(
      vectorText(`tlog/log/checkpoint.${size}`),
      await parseVerifierKeyElsewhere(verifierKey),
    );
    expect(hex(elsewhere.root)).toBe(hex(checkpoint(size).root));
  });

  test('has a checkpoint that is rejected if one character changes', () => {
    const note = vectorText('tlog/log/checkpoint').replace('\n15\n', '\n14\n');
    expect(openCheckpoint(note, keys)).toEqual({
      refused: 'the signature of example.com/log/testdata is wrong',
    });
  });

  test.each(sizes.slice(1))('has a bundle of %i entries whose hashes match its tile and root', (size) => {
    const bundle = vectorBytes(`tlog/log/${entriesPath(0, size)}`);
    const decoded = decodeBundle(bundle, size)?.map((entry) => Buffer.from(entry).toString('utf8'));
    expect(decoded).toEqual(entries.slice(0, size));
    expect(Buffer.from(encodeBundle(entries.slice(0, size))).equals(bundle)).toBe(true);
    const leaves = entries.slice(0, size).map(leafHash);
    expect(hex(Buffer.concat(leaves))).toBe(hex(tile(0, 0, size) as Uint8Array));
    expect(hex(rootOf(leaves))).toBe(hex(checkpoint(size).root));
    expect(hex(rootFromTiles(size, tile))).toBe(hex(checkpoint(size).root));
  });

  test('is reproduced in memory with the same tiles and roots', () => {
    const log = new MerkleLog();
    for (const [i, entry] of entries.entries()) {
      log.append(leafHash(entry));
      expect(hex(log.root())).toBe(hex(checkpoint(i + 1).root));
      expect(hex(log.tile(0, 0, i + 1) ?? new Uint8Array(0))).toBe(hex(tile(0, 0, i + 1) as Uint8Array));
    }
  });

  test('yields proofs from its tiles that verify against its checkpoints', () => {
    for (const size of sizes.slice(1)) {
      for (let index = 0; index < size; index++) {
        const leaf = leafHash(entries[index] as string);
        expect(
          verifyInclusion(index, size, leaf, inclusionProof(index, size, tile), checkpoint(size).root),
        ).toBe(true);
        const first = index + 1;
        expect(
          verifyConsistency(
            first,
            size,
            consistencyProof(first, size, tile),
            checkpoint(first).root,
            checkpoint(size).root,
          ),
        ).toBe(true);
      }
    }
  });
});
