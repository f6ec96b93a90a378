import { describe, expect, test } from 'vitest';
import { signCheckpoint } from '../../../src/ledger/checkpoint.ts';
import { leafHash, seal } from '../../../src/ledger/entry.ts';
import { multiproof } from '../../../src/ledger/multiproof.ts';
import { MerkleLog } from '../../../src/ledger/log.ts';
import { verifyBundle, type Json } from '../../../verify/index.ts';
import { failuresOf, signer } from './support.ts';

const key = signer.key.text;

function entryOf(i: number) {
  return seal({ chain: `art_a.d${i}`, ts: '2026-01-31T09:00:00.000Z', actor: 'owner', op: 'divide' }, null);
}

interface Made {
  bundle_version: number;
  chains: Record<string, Record<string, Json>[]>;
  origin: {
    checkpoint: string;
    verifier_key: string;
    inclusion: string[];
  };
}

/** A bundle of the entries at `indexes` of a log of `size`. */
async function bundleOf(indexes: readonly number[], size: number): Promise<Made> {
  const log = new MerkleLog();
  for (let i = 0; i < size; i++) log.append(leafHash(entryOf(i).text));
  const inclusion = await multiproof(indexes, size, async (index) => log.inclusionLines(index, size));
  return {
    bundle_version: 1,
    chains: Object.fromEntries(
      indexes.map((i) => {
        const { entry, hash } = entryOf(i);
        return [entry.chain, [{ at: i, entry: entry as unknown as Json, hash, contents: {} }]];
      }),
    ),
    origin: {
      checkpoint: signCheckpoint(signer, size, log.root()),
      verifier_key: key,
      inclusion,
    },
  };
}

/** What the proof shows; that a bundle has more than chains and their proof is another matter. */
async function failures(made: Made, verifierKey: string | undefined = key): Promise<string[]> {
  const report = await verifyBundle(made as unknown as Json, verifierKey);
  return failuresOf(report).filter((failure) => !failure.startsWith('document: '));
}

describe('the proof that all entries of a bundle are in the log', () => {
  test('verifies for every subset of leaves of every log of up to seven entries', async () => {
    const wrong: string[] = [];
    for (let size = 1; size <= 7; size++)
      for (let choice = 1; choice < 2 ** size; choice++) {
        const indexes = Array.from({ length: size }, (_, i) => i).filter((i) => (choice >> i) % 2 === 1);
        if ((await failures(await bundleOf(indexes, size))).length > 0)
          wrong.push(`${indexes.join(',')} of ${size}`);
      }
    expect(wrong).toEqual([]);
  });

  test('is short if the entries are adjacent', async () => {
    const side = Array.from({ length: 200 }, (_, i) => 100 + i);
    const { inclusion } = (await bundleOf(side, 700)).origin;
    expect(inclusion.length).toBe(8);
    expect(await failures(await bundleOf([3, 4, 5, 300, 699], 700))).toEqual([]);
  });

  test.each<[string, (made: Made) => void, string]>([
    [
      'a forged entry with a matching hash',
      (made) => {
        const forged = seal(
          { chain: 'art_a.d4', ts: '2026-01-31T09:00:00.000Z', actor: 'ada', op: 'divide' },
          null,
        );
        made.chains['art_a.d4'] = [
          { at: 4, entry: forged.entry as unknown as Json, hash: forged.hash, contents: {} },
        ];
      },
      'inclusion: the entries do not lead to the signed root',
    ],
    [
      'entries in another order than in the log',
      (made) => {
        (made.chains['art_a.d4'] as [Record<string, Json>])[0]['at'] = 3;
        (made.chains['art_a.d3'] as [Record<string, Json>])[0]['at'] = 4;
      },
      'inclusion: the entries do not lead to the signed root',
    ],
    [
      'a removed entry',
      (made) => Reflect.deleteProperty(made.chains, 'art_a.d4'),
      'inclusion: the proof has hashes too many',
    ],
    [
      'an index beyond the end of the log',
      (made) => ((made.chains['art_a.d4'] as [Record<string, Json>])[0]['at'] = 100),
      'inclusion: the entries say places that the log does not have, or one twice',
    ],
    [
      'two entries with the same index',
      (made) => ((made.chains['art_a.d4'] as [Record<string, Json>])[0]['at'] = 3),
      'inclusion: the entries say places that the log does not have, or one twice',
    ],
    [
      'an entry without an index',
      (made) => Reflect.deleteProperty((made.chains['art_a.d4'] as [Record<string, Json>])[0], 'at'),
      'inclusion: the entries say places that the log does not have, or one twice',
    ],
    [
      'an additional hash',
      (made) => made.origin.inclusion.push(made.origin.inclusion[0] as string),
      'inclusion: the proof has hashes too many',
    ],
    ['a missing hash', (made) => made.origin.inclusion.pop(), 'inclusion: the proof has too few hashes'],
    [
      'a truncated hash',
      (made) => (made.origin.inclusion[0] = 'AAAA'),
      'inclusion: hash 0 of the proof is not 32 bytes of base64',
    ],
    [
      'no proof',
      (made) => Reflect.deleteProperty(made.origin, 'inclusion'),
      'inclusion: nothing shows that the entries are in the log; fetch the bundle again with its proof',
    ],
    [
      'a chain listed under the name of another',
      (made) => (made.chains['art_a.d5'] = made.chains['art_a.d4'] as Record<string, Json>[]),
      'chain: chains.art_a.d5[0] is not entry 0 of chain art_a.d5',
    ],
    [
      'an object that is not an entry',
      (made) => made.chains['art_a.d4']?.push({ at: 5, entry: 'x', hash: 'y' }),
      'chain: chains.art_a.d4[1] is not entry 1 of chain art_a.d4',
    ],
    [
      'another checkpoint',
      (made) => (made.origin.checkpoint = made.origin.checkpoint.replace('\n100\n', '\n101\n')),
      'signature: the signature of ledger.example/colophon is wrong',
    ],
  ])('refuses %s', async (_title, change, why) => {
    const made = await bundleOf([2, 3, 4], 100);
    change(made);
    expect(await failures(made)).toContain(why);
  });

  test('is verified with the given key, and with the key in the bundle only if none was given', async () => {
    const made = await bundleOf([2, 3], 5);
    const other = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
    expect(await failures(made, other)).toEqual(['signature: the note is not signed by PeterNeumann']);
    const { checks } = await verifyBundle(made as unknown as Json);
    expect(checks.find(({ id }) => id === 'inclusion')?.ok).toBe(true);
    expect(checks.find(({ id }) => id === 'key')?.detail).toBe(
      'the bundle itself names the key of ledger.example/colophon',
    );
  });
});
