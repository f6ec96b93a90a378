/** Evidence files: which of them prove a fork, and that nothing else does. */
import { describe, expect, test } from 'vitest';
import { formatCheckpoint, signCheckpoint } from '../../../src/ledger/checkpoint.ts';
import { cosignerFromSeed } from '../../../src/ledger/cosignature.ts';
import { signerFromSeed } from '../../../src/ledger/note.ts';
import { verifyBundle, verifyEvidence } from '../../../verify/index.ts';
import { history } from '../../support/witnessed-log.ts';
import { flipBit, leafOf, oracleConsistency, oracleRoot } from '../ledger/support.ts';
import { failuresOf } from './support.ts';

const signer = signerFromSeed('log.example', Buffer.alloc(32, 1));
const other = signerFromSeed('log.example', Buffer.alloc(32, 2));
const key = signer.key.text;

interface Evidence {
  readonly evidence: number;
  readonly key: string;
  readonly checkpoints: readonly string[];
  readonly proof?: readonly string[];
}

const rootOf = (leaves: readonly number[]): Uint8Array => oracleRoot(leaves.map(leafOf));
const sign = (leaves: readonly number[], by = signer): string =>
  signCheckpoint(by, leaves.length, rootOf(leaves));

/** The proof of a tree's beginning, with the old root in front where RFC 6962 leaves it out. */
function proofOf(first: number, leaves: readonly number[]): string[] {
  const proof = oracleConsistency(first, leaves.map(leafOf));
  const isWhole = Number.isInteger(Math.log2(first));
  const seeded = isWhole ? [rootOf(leaves.slice(0, first)), ...proof] : proof;
  return seeded.map((hash) => Buffer.from(hash).toString('base64'));
}

function evidenceOf(first: readonly number[], second: readonly number[]): Evidence {
  const checkpoints = [sign(first), sign(second)];
  const needsProof = first.length > 0 && first.length < second.length;
  return {
    evidence: 1,
    key,
    checkpoints,
    ...(needsProof ? { proof: proofOf(first.length, second) } : {}),
  };
}

const text = (evidence: unknown): string => `${JSON.stringify(evidence, null, 2)}\n`;
const failures = async (evidence: unknown): Promise<string[]> =>
  failuresOf(await verifyEvidence(text(evidence)));

describe('evidence that proves a fork', () => {
  test('two trees of a log that signs with ML-DSA-44', async () => {
    const pq = cosignerFromSeed('log.example', 'ml-dsa-44', Buffer.alloc(32, 5));
    const signed = (leaves: readonly number[]): string => {
      const body = formatCheckpoint('log.example', leaves.length, rootOf(leaves));
      return `${body}\n${pq.cosign(body, 1) as string}`;
    };
    const evidence = {
      evidence: 1,
      key: pq.key.text,
      checkpoints: [signed(history(7)), signed(history(7, 3))],
    };
    expect(await failures(evidence)).toEqual([]);
    expect((await verifyEvidence(text(evidence), pq.key.text)).ok).toBe(true);
    expect(
      await failures({ ...evidence, checkpoints: [signed(history(7)), signed(history(7))] }),
    ).not.toEqual([]);
  });

  test('two roots of one size', async () => {
    const report = await verifyEvidence(text(evidenceOf(history(7), history(7, 3))));
    expect(report.ok).toBe(true);
    const hex = (leaves: readonly number[]): string => Buffer.from(rootOf(leaves)).toString('hex');
    expect(report.checks).toEqual([
      { id: 'key', ok: true, detail: 'the file itself names the key of log.example' },
      { id: 'signature', ok: true, detail: 'the key of log.example signed both checkpoints' },
      {
        id: 'fork',
        ok: true,
        detail: `the key of log.example signed two histories: 7 entries with root ${hex(history(7))}, and 7 entries with root ${hex(history(7, 3))}`,
      },
    ]);
  });

  test('every pair of sizes up to 20, whatever the place of the fork', async () => {
    for (let second = 2; second <= 20; second++)
      for (let first = 1; first < second; first++)
        for (const fork of new Set([0, first - 1]))
          expect([first, second, await failures(evidenceOf(history(first), history(second, fork)))]).toEqual([
            first,
            second,
            [],
          ]);
  });

  test('an empty log that was signed with another root', async () => {
    const checkpoint = signCheckpoint(signer, 0, leafOf(1));
    expect(
      await failures({ ...evidenceOf([], history(3)), checkpoints: [checkpoint, sign(history(3))] }),
    ).toEqual([]);
    expect(await failures({ ...evidenceOf([], []), checkpoints: [checkpoint, sign([])] })).toEqual([]);
  });

  test('a key whose name has characters that cannot be seen, which are spelled out', async () => {
    const hidden = signerFromSeed('log\u202e.exa\u{e0041}mple', Buffer.alloc(32, 1));
    const checkpoints = [sign(history(5), hidden), sign(history(5, 2), hidden)];
    const { ok, checks } = await verifyEvidence(text({ evidence: 1, key: hidden.key.text, checkpoints }));
    expect([ok, checks.map(({ detail }) => detail.split(' histories')[0])]).toEqual([
      true,
      [
        'the file itself names the key of log<U+202E>.exa<U+E0041>mple',
        'the key of log<U+202E>.exa<U+E0041>mple signed both checkpoints',
        'the key of log<U+202E>.exa<U+E0041>mple signed two',
      ],
    ]);
    const bent = { evidence: 1, key: hidden.key.text, checkpoints: checkpoints.map(changedRoot) };
    expect(await failures(bent)).toEqual([
      'signature: the first checkpoint: the signature of log<U+202E>.exa<U+E0041>mple is wrong',
    ]);
    const long = signerFromSeed('x'.repeat(5000), Buffer.alloc(32, 1));
    const { checks: bounded } = await verifyEvidence(text({ ...bent, key: long.key.text }));
    expect(bounded[0]?.detail).toBe(`the file itself names the key of ${'x'.repeat(120)}…`);
  });

  test('with a key or policy that is the right one', async () => {
    const evidence = text(evidenceOf(history(3), history(6, 1)));
    const key1 = await verifyEvidence(evidence, key);
    expect([key1.ok, key1.checks[0]?.detail]).toEqual([true, 'the key of log.example was given']);
    const policy = await verifyEvidence(evidence, { policy: `log ${key}\nquorum none\n` });
    expect([policy.ok, policy.checks[0]?.detail]).toEqual([
      true,
      'the key of log.example is that of the policy',
    ]);
  });

  test('found by verifyBundle, as text and as parsed JSON', async () => {
    const evidence = evidenceOf(history(3), history(6, 1));
    for (const given of [text(evidence), JSON.parse(text(evidence)) as never])
      expect((await verifyBundle(given)).checks.at(-1)?.id).toBe('fork');
  });
});

describe('evidence that proves no fork, because of', () => {
  const fork = evidenceOf(history(5), history(9, 2));

  test.each<readonly [string, unknown, string]>([
    [
      'the same checkpoint twice',
      evidenceOf(history(5), history(5)),
      'both checkpoints have the same size and root',
    ],
    ['honest growth', evidenceOf(history(5), history(9)), 'the second history begins with the first one'],
    [
      'honest growth from a power of two',
      evidenceOf(history(4), history(9)),
      'the second history begins with the first one',
    ],
    ['growth from nothing', evidenceOf([], history(9)), 'every history begins with no entries'],
    [
      'a proof where none is needed',
      { ...evidenceOf(history(5), history(5, 2)), proof: [] },
      'the sizes 5 and 5 need no proof, and there is one',
    ],
    ['no proof', { ...fork, proof: undefined }, 'checkpoints of two sizes need a proof, and there is none'],
    [
      'the larger tree first',
      { ...fork, checkpoints: fork.checkpoints.toReversed() },
      'the first checkpoint is of the larger tree; swap the two',
    ],
    [
      'a proof of the first history',
      { ...fork, proof: proofOf(5, history(9)) },
      'the proof does not lead to the root of the second checkpoint',
    ],
    [
      'a proof from another size',
      { ...fork, proof: proofOf(7, history(9, 2)) },
      'the proof does not lead to the root of the second checkpoint',
    ],
    [
      'a proof with a hash too few',
      { ...fork, proof: fork.proof?.slice(1) },
      'the proof is not as long as one from 5 to 9 entries',
    ],
    [
      'a proof with a hash too many',
      { ...fork, proof: [...(fork.proof ?? []), fork.proof?.[0]] },
      'the proof is not as long as one from 5 to 9 entries',
    ],
    ['an empty proof', { ...fork, proof: [] }, 'the proof is not as long as one from 5 to 9 entries'],
  ])('%s', async (_, evidence, reason) => {
    expect(await failures(evidence)).toEqual([`fork: it proves no fork: ${reason}`]);
  });

  test('an RFC 6962 proof from a power of two, which leaves the old root out', async () => {
    const evidence = evidenceOf(history(4), history(9, 2));
    expect(await failures(evidence)).toEqual([]);
    expect(await failures({ ...evidence, proof: evidence.proof?.slice(1) })).toEqual([
      'fork: it proves no fork: the proof is not as long as one from 4 to 9 entries',
    ]);
  });

  const notes = fork.checkpoints;
  test.each<readonly [string, unknown, string]>([
    ['an unknown member', { ...fork, note: 'x' }, 'evidence: the member "note" is unknown'],
    ['another version', { ...fork, evidence: 2 }, 'evidence: the document has no "evidence": 1'],
    ['a list', [fork], 'evidence: the document has no "evidence": 1'],
    ['a key that is no text', { ...fork, key: 1 }, 'evidence: "key" is not a text'],
    [
      'one checkpoint',
      { ...fork, checkpoints: notes.slice(1) },
      'evidence: "checkpoints" is not a list of two signed notes',
    ],
    [
      'three checkpoints',
      { ...fork, checkpoints: [...notes, notes[0]] },
      'evidence: "checkpoints" is not a list of two signed notes',
    ],
    [
      'checkpoints that are no texts',
      { ...fork, checkpoints: [1, 2] },
      'evidence: "checkpoints" is not a list of two signed notes',
    ],
    [
      'a proof that is no list',
      { ...fork, proof: 'x' },
      'evidence: "proof" is not a list of at most 64 hashes',
    ],
    [
      'a proof that is null',
      { ...fork, proof: null },
      'evidence: "proof" is not a list of at most 64 hashes',
    ],
    [
      'a proof of 65 hashes',
      { ...fork, proof: Array.from({ length: 65 }, () => fork.proof?.[0]) },
      'evidence: "proof" is not a list of at most 64 hashes',
    ],
    [
      'a hash of 31 bytes',
      { ...fork, proof: [Buffer.alloc(31).toString('base64')] },
      'evidence: hash 0 of "proof" is not 32 bytes of base64',
    ],
    [
      'a hash with line ends in it',
      { ...fork, proof: [`${fork.proof?.[0]}\n`] },
      'evidence: hash 0 of "proof" is not 32 bytes of base64',
    ],
    [
      'a malformed key',
      { ...fork, key: `${key}x` },
      'key: the verifier key is not name+hash+key with a key of signature type 0x01 or 0x06',
    ],
    [
      'a key with an escape in its name',
      { ...fork, key: signerFromSeed('log\u001b[2J', Buffer.alloc(32, 1)).key.text },
      'signature: the first checkpoint: the note is not signed by log<U+001B>[2J',
    ],
    [
      'another key',
      { ...fork, key: other.key.text },
      'signature: the first checkpoint: the note is not signed by log.example',
    ],
    [
      'one checkpoint of another key',
      { ...fork, checkpoints: [notes[0], sign(history(9, 2), other)] },
      'signature: the second checkpoint: the note is not signed by log.example',
    ],
    [
      'a changed root',
      { ...fork, checkpoints: [changedRoot(notes[0] as string), notes[1]] },
      'signature: the first checkpoint: the signature of log.example is wrong',
    ],
    [
      'a checkpoint of another origin',
      { ...fork, checkpoints: [notes[0], foreignOrigin()] },
      'signature: the second checkpoint: the checkpoint is of other.example, the key is of log.example',
    ],
  ])('%s', async (_, evidence, failure) => {
    expect(await failures(evidence)).toEqual([failure]);
  });

  test('more than 64 KiB, as text and as parsed JSON', async () => {
    const large = `${text(fork)}${' '.repeat(65 * 1024)}`;
    const failure = ['evidence: the evidence is larger than 65536 bytes'];
    expect(failuresOf(await verifyEvidence(large))).toEqual(failure);
    expect(failuresOf(await verifyEvidence({ ...fork, key: 'x'.repeat(70_000) }))).toEqual(failure);
  });

  test('a member that stands twice', async () => {
    const doubled = text(fork).replace('{', '{"evidence": 1,');
    expect(failuresOf(await verifyEvidence(doubled))[0]).toMatch(
      /^evidence: the evidence is not JSON: the key "evidence" stands twice/,
    );
  });

  test('another key than the given one, or than those of the policy', async () => {
    const evidence = text(fork);
    expect(failuresOf(await verifyEvidence(evidence, other.key.text))).toEqual([
      'key: the evidence is about another key of log.example than the given one',
    ]);
    expect(
      failuresOf(await verifyEvidence(evidence, { policy: `log ${other.key.text}\nquorum none\n` })),
    ).toEqual(['key: the policy does not name this key of log.example']);
  });

  test('any flipped bit of notes and proof', async () => {
    const proof = (fork.proof ?? []).map((hash) => Buffer.from(hash, 'base64'));
    for (const [i, hash] of proof.entries()) {
      const flipped = Buffer.from(flipBit(hash, 8 * i)).toString('base64');
      expect((await failures({ ...fork, proof: fork.proof?.with(i, flipped) })).length).toBe(1);
    }
    for (const [i, note] of fork.checkpoints.entries())
      for (let at = 0; at < note.length; at += 3) {
        const bent = `${note.slice(0, at)}${String.fromCodePoint((note.codePointAt(at) ?? 0) ^ 1)}${note.slice(at + 1)}`;
        expect([
          at,
          (await failures({ ...fork, checkpoints: fork.checkpoints.with(i, bent) })).length,
        ]).toEqual([at, 1]);
      }
  });
});

function changedRoot(note: string): string {
  const [origin, size, , ...rest] = note.split('\n');
  return [origin, size, Buffer.alloc(32, 7).toString('base64'), ...rest].join('\n');
}

/** Signed by the key of log.example, about another log. */
function foreignOrigin(): string {
  return signer.sign(formatCheckpoint('other.example', 9, rootOf(history(9, 2))));
}
