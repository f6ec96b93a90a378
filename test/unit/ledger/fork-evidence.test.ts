/** Evidence of two histories (contract §6): what convicts a log and what does not, and that nothing in it can be changed. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatCheckpoint } from '../../../src/ledger/checkpoint.ts';
import { cosignerFromSeed } from '../../../src/ledger/cosignature.ts';
import {
  evidenceBytesMax,
  evidenceId,
  formatEvidence,
  judgeEvidence,
  makeEvidence,
  parseEvidence,
  type ForkEvidence,
} from '../../../src/ledger/fork-evidence.ts';
import { consistencyRoots, emptyRoot } from '../../../src/ledger/merkle.ts';
import { isRefusal } from '../../../src/ledger/refusal.ts';
import { history, WitnessedLog } from '../../support/witnessed-log.ts';
import { flipBit, leafOf, oracleConsistency, oracleRoot } from './support.ts';

const log = new WitnessedLog('log.example', 1);
const impostor = new WitnessedLog('log.example', 2);
const other = new WitnessedLog('other.example', 1);
const note = (size: number, fork = size): string => log.checkpoint(history(size, fork));
const noteOf = (size: number, root: Uint8Array): string =>
  log.signer.sign(formatCheckpoint('log.example', size, root));
const proof = (from: number, to: number, fork = to): Uint8Array[] =>
  oracleConsistency(from, history(to, fork).map(leafOf));
const rootOf = (size: number, fork = size): Uint8Array => oracleRoot(history(size, fork).map(leafOf));

/** What `verify` would say of evidence: null where it convicts. */
function verdict(evidence: Partial<ForkEvidence>): string | null {
  const given = { key: log.signer.key.text, checkpoints: [note(5), note(8, 3)], ...evidence } as ForkEvidence;
  const read = parseEvidence(formatEvidence(given));
  const fork = isRefusal(read) ? read : judgeEvidence(read);
  return isRefusal(fork) ? fork.refused : null;
}

test('a log that signs with ML-DSA-44 is convicted as well', () => {
  const pq = cosignerFromSeed('log.example', 'ml-dsa-44', Buffer.alloc(32, 5));
  const signed = (size: number, fork = size): string => {
    const text = formatCheckpoint('log.example', size, rootOf(size, fork));
    return `${text}\n${pq.cosign(text, 1) as string}`;
  };
  const checkpoints = [signed(5), signed(8, 3)] as const;
  const evidence = { key: pq.key.text, checkpoints, proof: proof(5, 8, 3) };
  expect(verdict(evidence)).toBeNull();
  expect(makeEvidence([pq.key], checkpoints, proof(5, 8, 3))).toEqual(evidence);
  expect(verdict({ ...evidence, checkpoints: [signed(5), signed(8)] })).not.toBeNull();
});

describe('the roots that a consistency proof leads to', () => {
  test('are those of both trees, where the old one stands in front for a power of two', () => {
    for (let second = 2; second <= 40; second++)
      for (let first = 1; first < second; first++) {
        const isPower = Number.isInteger(Math.log2(first));
        const given = [...(isPower ? [rootOf(first)] : []), ...proof(first, second)];
        const led = consistencyRoots(first, second, given);
        expect(led?.first).toEqual(rootOf(first));
        expect(led?.second).toEqual(rootOf(second));
        expect(consistencyRoots(first, second, given.slice(1))).toBeUndefined();
        expect(consistencyRoots(first, second, given.slice(0, -1))).toBeUndefined();
        expect(consistencyRoots(first, second, [...given, leafOf(1)])).toBeUndefined();
      }
  });

  test.each([
    ['the empty tree', 0, 8, [leafOf(1)]],
    ['one size', 8, 8, [rootOf(8)]],
    ['a larger old tree', 8, 5, proof(5, 8)],
    ['a size that is no count', 4.5, 8, proof(5, 8)],
    ['a size beyond 2^53', 5, 2 ** 53, proof(5, 8)],
    ['a hash of 31 bytes', 5, 8, [leafOf(1).subarray(1), ...proof(5, 8).slice(1)]],
    ['no hashes', 5, 8, []],
  ])('are none for %s', (_what, first, second, given) => {
    expect(consistencyRoots(first, second, given)).toBeUndefined();
  });
});

describe('evidence convicts', () => {
  test.each<[string, Partial<ForkEvidence>]>([
    ['two roots of one size', { checkpoints: [note(5), note(5, 3)] }],
    ['a newer tree that does not begin with the older', { proof: proof(5, 8, 3) }],
    [
      'the same at a power of two, with the old root in front of the proof',
      { checkpoints: [note(4), note(8, 3)], proof: [rootOf(4, 3), ...proof(4, 8, 3)] },
    ],
    ['a tree of one entry', { checkpoints: [note(1), note(2, 0)], proof: [leafOf(1000), ...proof(1, 2, 0)] }],
    ['an empty tree with a root of its own', { checkpoints: [noteOf(0, rootOf(1)), note(8)] }],
    ['two roots of an empty tree', { checkpoints: [noteOf(0, rootOf(1)), noteOf(0, emptyRoot)] }],
    [
      'notes with signatures of others beside',
      {
        checkpoints: [
          note(5) + (impostor.checkpoint(history(5)).split('\n\n')[1] as string),
          note(5, 3) + (other.checkpoint(history(5)).split('\n\n')[1] as string),
        ],
      },
    ],
  ])('%s', (_what, evidence) => {
    expect(verdict(evidence)).toBeNull();
  });
});

describe('evidence convicts nobody with', () => {
  test.each<[string, Partial<ForkEvidence>, string]>([
    [
      'one checkpoint twice',
      { checkpoints: [note(5), note(5)] },
      'both checkpoints have the same size and root',
    ],
    [
      'one tree under two notes',
      {
        checkpoints: [note(5), log.signer.sign(`${formatCheckpoint('log.example', 5, rootOf(5))}more\n`)],
      },
      'both checkpoints have the same size and root',
    ],
    [
      'a tree that grew',
      { checkpoints: [note(5), note(8)], proof: proof(5, 8) },
      'the second tree begins with the first one',
    ],
    [
      'a tree that grew from a power of two',
      { checkpoints: [note(4), note(8)], proof: [rootOf(4), ...proof(4, 8)] },
      'the second tree begins with the first one',
    ],
    [
      'a fork at a power of two and a proof that leaves the old root out',
      { checkpoints: [note(4), note(8, 3)], proof: proof(4, 8, 3) },
      'the proof is not one from 4 to 8 entries that leads to both roots',
    ],
    [
      'any old root in front of a proof',
      { checkpoints: [note(4), note(8)], proof: [leafOf(1), ...proof(4, 8)] },
      'the proof does not lead to the root of the second checkpoint',
    ],
    ['no proof', {}, 'the proof is not one from 5 to 8 entries that leads to both roots'],
    ['an empty proof', { proof: [] }, 'the proof is not one from 5 to 8 entries that leads to both roots'],
    [
      'a hash too many',
      { proof: [...proof(5, 8, 3), leafOf(1)] },
      'the proof is not one from 5 to 8 entries that leads to both roots',
    ],
    [
      'the proof of the other tree',
      { proof: proof(5, 8) },
      'the proof does not lead to the root of the second checkpoint',
    ],
    [
      'the larger tree first',
      { checkpoints: [note(8, 3), note(5)], proof: proof(5, 8, 3) },
      'the first checkpoint is of the larger tree',
    ],
    [
      'a proof between two trees of one size',
      { checkpoints: [note(5), note(5, 3)], proof: [] },
      'the sizes 5 and 5 need no proof, and there is one',
    ],
    [
      'an empty tree',
      { checkpoints: [noteOf(0, emptyRoot), note(8)] },
      'every tree begins with the empty one',
    ],
    [
      'an empty tree and a proof',
      { checkpoints: [noteOf(0, rootOf(1)), note(8)], proof: [leafOf(1)] },
      'the sizes 0 and 8 need no proof, and there is one',
    ],
    [
      'the key of a stranger',
      { key: impostor.signer.key.text },
      'the first checkpoint: no known key has signed the note',
    ],
    [
      'a second note of a stranger',
      { checkpoints: [note(5), impostor.checkpoint(history(5, 3))] },
      'the second checkpoint: no known key has signed the note',
    ],
    [
      'a checkpoint of another log',
      { checkpoints: [note(5), log.signer.sign(formatCheckpoint('other.example', 5, rootOf(5, 3)))] },
      'the second checkpoint: the checkpoint of other.example is not signed by that log',
    ],
    ['no key', { key: '' }, 'the verifier key is not name+hash+key'],
  ])('%s', (_what, evidence, reason) => {
    expect(verdict(evidence)).toBe(reason);
  });
});

describe('the text of evidence', () => {
  const sound = { evidence: 1, key: 'k', checkpoints: ['a', 'b'] };
  test.each([
    ['another version', { ...sound, evidence: 2 }, '"evidence" is not 1'],
    ['a version in quotes', { ...sound, evidence: '1' }, '"evidence" is not 1'],
    ['no key', { ...sound, key: 1 }, '"key" is not a text'],
    ['one note', { ...sound, checkpoints: ['a'] }, '"checkpoints" is not a list of two notes'],
    ['three notes', { ...sound, checkpoints: ['a', 'b', 'c'] }, '"checkpoints" is not a list of two notes'],
    [
      'a note that is no text',
      { ...sound, checkpoints: ['a', 1] },
      '"checkpoints" is not a list of two notes',
    ],
    ['a proof that is no list', { ...sound, proof: 'x' }, '"proof" is not a list of at most 64 hashes'],
    ['a proof that is null', { ...sound, proof: null }, '"proof" is not a list of at most 64 hashes'],
    [
      'too long a proof',
      { ...sound, proof: Array(65).fill(Buffer.alloc(32).toString('base64')) },
      '"proof" is not a list of at most 64 hashes',
    ],
    [
      'a hash of 31 bytes',
      { ...sound, proof: [Buffer.alloc(31).toString('base64')] },
      '"proof" has a hash that is not 32 bytes in base64',
    ],
    [
      'a hash that is no base64',
      { ...sound, proof: ['*'] },
      '"proof" has a hash that is not 32 bytes in base64',
    ],
    ['another member', { ...sound, origin: 'log.example' }, 'the evidence has a member "origin"'],
    ['a list', [], 'the evidence is not a JSON object'],
  ])('with %s is refused', (_what, value, refused) => {
    expect(parseEvidence(JSON.stringify(value))).toEqual({ refused });
  });

  test.each([
    ['a member twice', '{"evidence":1,"key":"k","key":"l","checkpoints":["a","b"]}'],
    ['no JSON', 'evidence'],
    ['nothing', ''],
  ])('with %s is refused', (_what, text) => {
    expect(parseEvidence(text)).toEqual({ refused: 'the evidence is not a JSON object' });
  });

  test('is refused when it is too large', () => {
    const text = formatEvidence(log.evidence(history(5), history(5, 3)));
    expect(isRefusal(parseEvidence(text + ' '.repeat(evidenceBytesMax - Buffer.byteLength(text))))).toBe(
      false,
    );
    expect(parseEvidence(text + ' '.repeat(evidenceBytesMax - Buffer.byteLength(text) + 1))).toEqual({
      refused: 'the evidence has more than 65536 bytes',
    });
  });

  test('is as it was agreed, and is read back', () => {
    const evidence = log.evidence(history(5), history(8, 3));
    const text = formatEvidence(evidence);
    expect(text).toBe(
      `${JSON.stringify(
        {
          evidence: 1,
          key: log.signer.key.text,
          checkpoints: [note(5), note(8, 3)],
          proof: proof(5, 8, 3).map((hash) => Buffer.from(hash).toString('base64')),
        },
        null,
        1,
      )}\n`,
    );
    const read = parseEvidence(text);
    if (isRefusal(read)) throw new Error(read.refused);
    expect(formatEvidence(read)).toBe(text);
    expect(judgeEvidence(read)).toMatchObject({
      origin: 'log.example',
      checkpoints: [{ size: 5 }, { size: 8 }],
    });
    expect(evidenceId('log.example')).toBe('d7612c54297eaa3e');
  });

  test('with any character changed, dropped or doubled convicts nobody, or the same key of the same', () => {
    const text = formatEvidence(log.evidence(history(5), history(8, 3)));
    const { key, checkpoints } = log.evidence(history(5), history(8, 3));
    const others: string[] = [];
    for (let at = 0; at < text.length; at++)
      for (const instead of [
        '',
        text[at] === 'A' ? 'B' : 'A',
        `${text[at] as string}${text[at] as string}`,
      ]) {
        const read = parseEvidence(text.slice(0, at) + instead + text.slice(at + 1));
        if (isRefusal(read) || isRefusal(judgeEvidence(read))) continue;
        if (read.key !== key || JSON.stringify(read.checkpoints) !== JSON.stringify(checkpoints))
          others.push(`${at}: ${instead}`);
      }
    expect(others).toEqual([]);
  });
});

describe('making evidence', () => {
  const keys = [other.signer.key, log.signer.key];

  test('orders two checkpoints by size, and leaves out signatures of others', () => {
    const beside = impostor.checkpoint(history(5)).split('\n\n')[1] as string;
    const made = makeEvidence(keys, [note(8, 3), note(5) + beside], proof(5, 8, 3));
    expect(made).toEqual({
      key: log.signer.key.text,
      checkpoints: [note(5), note(8, 3)],
      proof: proof(5, 8, 3),
    });
  });

  test('keeps the order of two trees of one size, without the proof that came with them', () => {
    expect(makeEvidence(keys, [note(5, 3), note(5)], proof(5, 8))).toEqual({
      key: log.signer.key.text,
      checkpoints: [note(5, 3), note(5)],
    });
  });

  test.each([
    ['a tree that grew', [note(5), note(8)], proof(5, 8)],
    ['any proof of a tree that grew', [note(5), note(8)], proof(5, 8, 3)],
    ['a garbage proof of a fork', [note(5), note(8, 3)], [leafOf(1), ...proof(5, 8, 3).slice(1)]],
    ['no proof of a fork', [note(5), note(8, 3)], []],
    ['another key than the first', [note(5), impostor.checkpoint(history(5, 3))], []],
    ['one checkpoint', [note(5), note(5)], []],
  ] as const)('makes none of %s', (_what, notes, given) => {
    expect(makeEvidence([...keys, impostor.signer.key], notes, given)).toBeUndefined();
  });

  test('makes none that no file can hold', () => {
    const large = (root: Uint8Array): string =>
      log.signer.sign(`${formatCheckpoint('log.example', 5, root)}${'"'.repeat(20_000)}\n`);
    expect(makeEvidence(keys, [large(rootOf(5)), large(rootOf(5, 3))], [])).toBeUndefined();
  });

  test('makes what convicts of any fork, and nothing of any honest growth, whatever the proof', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 0, max: 40 }),
        fc.nat(),
        fc.nat({ max: 255 }),
        (first, more, at, bit) => {
          const second = first + more;
          const forkedAt = at % first;
          const isPower = Number.isInteger(Math.log2(first));
          const front = isPower && more > 0 ? [rootOf(first, forkedAt)] : [];
          const right = more === 0 ? [] : [...front, ...proof(first, second, forkedAt)];
          const notes = [note(first), note(second, forkedAt)] as const;
          expect(makeEvidence(keys, notes, right)).toBeDefined();
          if (more === 0) return;
          const flipped = right.map((hash, i) => (i === at % right.length ? flipBit(hash, bit) : hash));
          expect(makeEvidence(keys, notes, flipped)).toBeUndefined();
          const honest = [note(first), note(second)] as const;
          for (const given of [
            right,
            flipped,
            [...(isPower ? [rootOf(first)] : []), ...proof(first, second)],
          ])
            expect(makeEvidence(keys, honest, given)).toBeUndefined();
        },
      ),
      { numRuns: 200 },
    );
  });
});
