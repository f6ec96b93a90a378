/** Trust policies in the standalone verifier: the same files are read and refused, and the same quorums met. */
import { describe, expect, test, vi } from 'vitest';
import { formatCheckpoint } from '../../../src/ledger/checkpoint.ts';
import { cosignerFromSeed } from '../../../src/ledger/cosignature.ts';
import { leafHash } from '../../../src/ledger/entry.ts';
import { signerFromSeed } from '../../../src/ledger/note.ts';
import { formatProof } from '../../../src/ledger/proof.ts';
import {
  parsePolicy,
  verifyBundle,
  verifyCheckpoint,
  verifyProofText,
  verifyReceipt,
  type Check,
  type Trusted,
  type Witnessing,
} from '../../../verify/index.ts';
import { canonical, type Json } from '../../../verify/json.ts';
import { cosigner, log, malformed, note, quorums, specExample, text, vkey } from '../ledger/policy-cases.ts';
import { vectorBytes, vectorJson, vectorText } from '../ledger/support.ts';

const [w1, w2, w3] = vkey as [string, string, string];

const leafHex = (entry: object): string => Buffer.from(leafHash(canonical(entry as Json))).toString('hex');

/** A proof of an entry in a log that has nothing else, over a checkpoint with these cosignatures. */
const entry = '{"i":1}';
const own = formatCheckpoint('log.example', 1, leafHash(entry));

function proofOf(...witnesses: number[]): string {
  const lines = witnesses.map((n) => cosigner[n - 1]?.cosign(own, 1_790_000_000 + n) as string).join('');
  return formatProof({ index: 0, hashes: [], checkpoint: log.sign(own) + lines });
}

async function judged(proof: string, trusted: Trusted): Promise<readonly Check[]> {
  return (await verifyProofText(proof, trusted, entry)).checks;
}

/** The check without what it found of each witness. */
async function quorum(proof: string, trusted: Trusted): Promise<Check | undefined> {
  const check = (await judged(proof, trusted)).find(({ id }) => id === 'quorum');
  if (check === undefined) return undefined;
  const { witnessing: _each, ...said } = check;
  return said;
}

async function witnessing(proof: string, trusted: Trusted): Promise<Witnessing | undefined> {
  return (await judged(proof, trusted)).find(({ id }) => id === 'quorum')?.witnessing;
}

/** Runs `step` on a platform whose WebCrypto has no ML-DSA-44. */
async function withoutMlDsa(step: () => Promise<void>): Promise<void> {
  const { subtle } = globalThis.crypto;
  const importKey = vi.spyOn(subtle, 'importKey').mockImplementation(((
    format: string,
    ...more: unknown[]
  ) => {
    if (format === 'raw-public') return Promise.reject(new DOMException('unknown', 'NotSupportedError'));
    return SubtleCrypto.prototype.importKey.apply(subtle, [format, ...more] as never);
  }) as typeof subtle.importKey);
  try {
    await step();
  } finally {
    importKey.mockRestore();
  }
}

test('the example of the specification is read', async () => {
  const { logs, witnesses, groups, quorum: name } = await parsePolicy(specExample());
  expect([logs.length, witnesses.map((each) => each.name), groups.length, name]).toEqual([
    1,
    ['X1', 'X2', 'X3', 'Y1', 'Y2', 'Y3'],
    3,
    'X-and-Y',
  ]);
});

test.each(malformed)('a policy with a malformed line is refused with its number: %j', async (file, line) => {
  await expect(parsePolicy(file)).rejects.toThrow(`line ${line} of the policy: `);
  expect(await judged(proofOf(1), { policy: file })).toContainEqual({
    id: 'policy',
    ok: false,
    detail: expect.stringContaining(`line ${line} of the policy: `) as string,
  });
});

test('a policy without a quorum is refused', async () => {
  await expect(parsePolicy(`witness w1 ${w1}\n`)).rejects.toThrow('the policy has no quorum line');
});

test('a policy defines at most 1,024 logs, witnesses and groups, behind its quorum too', async () => {
  const logs = Array.from({ length: 1024 }, (_, i) => {
    const seed = Buffer.alloc(32);
    seed.writeUInt32BE(i);
    return `log ${signerFromSeed('many.example', seed).key.text}\n`;
  }).join('');
  expect((await parsePolicy(`quorum none\n${logs}`)).logs).toHaveLength(1024);
  expect((await parsePolicy(`${logs}quorum none\n`)).logs).toHaveLength(1024);
  await expect(parsePolicy(`quorum none\n${logs}log ${log.key.text}\n`)).rejects.toThrow(
    'line 1026 of the policy: a policy has at most 1024 logs, witnesses and groups',
  );
});

describe('a proof', () => {
  test.each(quorums)('with cosignatures of %j meets 2 of X and any of Y: %j', async (witnesses, met) => {
    const { ok, checks } = await verifyProofText(proofOf(...witnesses), { policy: specExample() }, entry);
    expect([ok, checks.filter((each) => !each.ok).map(({ id }) => id)]).toEqual([met, met ? [] : ['quorum']]);
  });

  const two = `witness w1 ${w1}\nwitness w2 ${w2}\nwitness w3 ${w3}\ngroup g 2 w1 w2 w3\nquorum g\n`;

  test('names the quorum, met or not, and when it was cosigned', async () => {
    const verifierKey = log.key.text;
    expect(await quorum(proofOf(1, 3), { verifierKey, policy: two })).toEqual({
      id: 'quorum',
      ok: true,
      detail:
        'cosigned by w1 at 2026-09-21T14:13:21Z, w3 at 2026-09-21T14:13:23Z: the quorum g (2 of w1, w2, w3) is met',
    });
    expect(await quorum(proofOf(4, 2, 2), { verifierKey, policy: two })).toEqual({
      id: 'quorum',
      ok: false,
      detail: 'cosigned by w2 at 2026-09-21T14:13:22Z: the quorum g (2 of w1, w2, w3) is not met',
    });
    expect((await quorum(proofOf(), { verifierKey, policy: two }))?.detail).toBe(
      'cosigned by no witness of the policy: the quorum g (2 of w1, w2, w3) is not met',
    );
  });

  test('tells of each witness whether and when it cosigned, and whether that is enough', async () => {
    const verifierKey = log.key.text;
    const [one, three] = [1_790_000_001, 1_790_000_003];
    const w2Absent = { name: 'w2', state: 'absent' };
    expect(await witnessing(proofOf(1, 3), { verifierKey, policy: two })).toEqual({
      witnesses: [
        { name: 'w1', state: 'cosigned', timeSeconds: one },
        w2Absent,
        { name: 'w3', state: 'cosigned', timeSeconds: three },
      ],
      quorum: 'g',
      needed: 2,
      state: 'met',
    });
    expect(await witnessing(proofOf(3, 4), { verifierKey, policy: two })).toEqual({
      witnesses: [
        { name: 'w1', state: 'absent' },
        w2Absent,
        { name: 'w3', state: 'cosigned', timeSeconds: three },
      ],
      quorum: 'g',
      needed: 2,
      state: 'unmet',
    });
    expect(await witnessing(proofOf(), { verifierKey, policy: `witness w2 ${w2}\nquorum none\n` })).toEqual({
      witnesses: [w2Absent],
      quorum: 'none',
      needed: 0,
      state: 'met',
    });
  });

  test('tells of no time where a cosignature states none', async () => {
    const checkpoint = log.sign(own) + (cosigner[0]?.cosign(own, 0) as string);
    const proof = formatProof({ index: 0, hashes: [], checkpoint });
    const policy = `witness w1 ${w1}\nquorum w1\n`;
    expect((await witnessing(proof, { verifierKey: log.key.text, policy }))?.witnesses).toEqual([
      { name: 'w1', state: 'cosigned' },
    ]);
  });

  test.each([
    ['w1', 1],
    ['one', 1],
    ['both', 3],
    ['nested', 1],
  ])('counts the fewest witnesses that make the quorum %s', async (name, needed) => {
    const policy = [
      ...[w1, w2, w3].map((key, i) => `witness w${i + 1} ${key}`),
      ...(name === 'both'
        ? ['group pair all w1 w2', 'group both all pair w3']
        : ['group pair all w1 w2', 'group one any w3', 'group nested any pair one']),
      `quorum ${name}\n`,
    ].join('\n');
    expect((await witnessing(proofOf(), { verifierKey: log.key.text, policy }))?.needed).toBe(needed);
  });

  test('tells nothing of witnesses where a cosignature is wrong or the log another', async () => {
    const wrong = proofOf(2) + (cosigner[0]?.cosign(text, 1) as string);
    const policy = `witness w1 ${w1}\nwitness w2 ${w2}\nquorum w2\n`;
    expect(await witnessing(wrong, { verifierKey: log.key.text, policy })).toBeUndefined();
    expect(await quorum(wrong, { verifierKey: log.key.text, policy })).toMatchObject({ ok: false });
    const other = signerFromSeed('log.example', Buffer.alloc(32, 8)).key.text;
    const trust = { verifierKey: log.key.text, policy: `log ${other}\n${policy}` };
    expect(await witnessing(proofOf(2), trust)).toBeUndefined();
  });

  test('is verified with the log of the policy alone, and with no policy as before', async () => {
    const policy = `log ${log.key.text}\nquorum none\n`;
    expect((await verifyProofText(proofOf(), { policy }, entry)).ok).toBe(true);
    expect((await verifyProofText(proofOf(1), log.key.text, entry)).ok).toBe(true);
    expect(await quorum(proofOf(1), log.key.text)).toBeUndefined();
  });

  test.each([
    [
      'a cosignature of another checkpoint',
      proofOf() + (cosigner[0]?.cosign(text, 1) as string),
      'the cosignature of w1 is wrong',
    ],
    ['another log than the policy trusts', proofOf(1), 'the policy does not trust this key of log.example'],
  ])('with %s is refused', async (what, proof, detail) => {
    const other = signerFromSeed('log.example', Buffer.alloc(32, 8)).key.text;
    const logs = what.startsWith('another') ? `log ${other}\n` : '';
    const policy = `${logs}witness w1 ${w1}\nquorum w1\n`;
    expect(await quorum(proof, { verifierKey: log.key.text, policy })).toEqual({
      id: 'quorum',
      ok: false,
      detail,
    });
  });

  test('is refused where another key of its log, or of another log, has signed it wrongly', async () => {
    for (const name of ['log.example', 'other.example']) {
      const other = signerFromSeed(name, Buffer.alloc(32, 8));
      const wrong = other.sign(text).slice(text.length + 1);
      const right = other.sign(own).slice(own.length + 1);
      const policy = `log ${log.key.text}\nlog ${other.key.text}\nwitness w1 ${w1}\nquorum w1\n`;
      expect(await quorum(proofOf(1) + right, { policy })).toMatchObject({ ok: true });
      expect(await quorum(proofOf(1) + wrong, { policy })).toEqual({
        id: 'quorum',
        ok: false,
        detail: `the signature of ${name} with another key of the policy is wrong`,
      });
    }
  });

  test('is refused where only a witness with the name of the log has signed it', async () => {
    const namesake = cosignerFromSeed('log.example', 'ed25519', Buffer.alloc(32, 1));
    const checkpoint = `${own}\n${namesake.cosign(own, 1) as string}`;
    const policy = `log ${log.key.text}\nwitness w1 ${namesake.key.text}\nquorum w1\n`;
    expect(await judged(formatProof({ index: 0, hashes: [], checkpoint }), { policy })).toContainEqual({
      id: 'signature',
      ok: false,
      detail: 'the note is not signed by log.example',
    });
  });

  test('is refused without a key of its log', async () => {
    const policy = `witness w1 ${w1}\nquorum w1\n`;
    expect(await judged(proofOf(1), { policy })).toContainEqual({
      id: 'signature',
      ok: false,
      detail: "the log's verifier key was not given",
    });
    expect(
      (await judged(proofOf(1), { policy: `log ${w2.replace('+BI', '+AI')}\nquorum none\n` })).at(-1)?.id,
    ).toBe('policy');
  });

  test('does not count what this platform cannot verify, and says so', async () => {
    const w6 = vkey[5] as string;
    const policy = `log ${log.key.text}\nwitness w1 ${w1}\nwitness w6 ${w6}\ngroup g any w1 w6\nquorum g\n`;
    await withoutMlDsa(async () => {
      expect((await quorum(proofOf(6), { policy }))?.detail).toBe(
        'cosigned by no witness of the policy: the quorum g (1 of w1, w6) is not met; not checked, as this platform has no ML-DSA-44: w6',
      );
      expect(await quorum(proofOf(6, 1), { policy })).toMatchObject({ ok: true });
      expect(await witnessing(proofOf(6), { policy })).toEqual({
        witnesses: [
          { name: 'w1', state: 'absent' },
          { name: 'w6', state: 'unchecked' },
        ],
        quorum: 'g',
        needed: 1,
        state: 'undecided',
      });
    });
    expect(await quorum(proofOf(6), { policy })).toMatchObject({ ok: true });
  });

  test('is verified on such a platform where the log has signed with Ed25519 as well', async () => {
    const pq = cosignerFromSeed('log.example', 'ml-dsa-44', Buffer.alloc(32, 20));
    const both = proofOf(1) + (pq.cosign(own, 1) as string);
    const policy = `log ${pq.key.text}\nlog ${log.key.text}\nwitness w1 ${w1}\nquorum w1\n`;
    await withoutMlDsa(async () => {
      expect(await quorum(both, { policy })).toMatchObject({ ok: true });
    });
    expect(await quorum(both, { policy })).toMatchObject({ ok: true });
  });
});

describe('cosignatures of public witnesses', () => {
  // The entries of those logs are not at hand, so that inclusion alone fails.
  const trusting = async (name: string, logKey: string): Promise<Check | undefined> =>
    quorum(formatProof({ index: 0, hashes: [], checkpoint: vectorText(`witness/${name}.checkpoint`) }), {
      policy: `${logKey}${vectorText(`witness/${name}.policy`)}`,
    });

  test('are verified: Ed25519', async () => {
    expect(await trusting('ed25519', '')).toEqual({
      id: 'quorum',
      ok: true,
      detail: 'cosigned by remora at 2026-05-23T21:50:24Z: the quorum remora is met',
    });
  });

  test('are verified: ML-DSA-44', async () => {
    const policy = vectorText('witness/ml-dsa-44.policy');
    const [checkpoint = ''] = vectorText('witness/ml-dsa-44.checkpoint').split('\n\n');
    const origin = checkpoint.split('\n')[0] as string;
    const stand = signerFromSeed(origin, Buffer.alloc(32, 30));
    // Its log's key is not at hand: another one signs in its place, which changes nothing for the witness.
    const lines =
      vectorText('witness/ml-dsa-44.checkpoint').split('\n\n')[1]?.split('\n').slice(1).join('\n') ?? '';
    const proof = formatProof({ index: 0, hashes: [], checkpoint: stand.sign(`${checkpoint}\n`) + lines });
    expect(await quorum(proof, { policy: `log ${stand.key.text}\n${policy}` })).toEqual({
      id: 'quorum',
      ok: true,
      detail: 'cosigned by navigli at 2026-08-02T21:04:51Z: the quorum navigli is met',
    });
  });

  test('are read as bytes of a file', async () => {
    expect((await parsePolicy(vectorBytes('witness/ed25519.policy'))).quorum).toBe('remora');
  });
});

describe('a document that shows no checkpoint', () => {
  const policy = `log ${log.key.text}\nwitness w1 ${w1}\nquorum w1\n`;
  const lacking = {
    id: 'quorum',
    ok: false,
    detail: 'it shows no checkpoint that the quorum w1 could have cosigned',
  };

  test('is refused by a policy: a receipt, an article, a list', async () => {
    const { receipt } = vectorJson<{ receipt: { proof: object } }>('ledger/receipt.json');
    const { proof: _proof, ...unproven } = receipt;
    expect((await verifyReceipt({ ...unproven, proof: {} }, { policy })).checks).toContainEqual(lacking);
    expect((await verifyBundle({ slug: 'a', body: '', provenance: [] }, { policy })).checks).toContainEqual(
      lacking,
    );
    expect((await verifyBundle([], { policy })).checks).toContainEqual(lacking);
  });

  test('is refused where only another entry in it has a proof, or an earlier one of its chain', async () => {
    const entries = ['a.rows', 'b.rows'].flatMap((chain) => {
      const first = {
        chain,
        n: 0,
        prev: 'genesis',
        ts: '2026-11-20T00:00:00.000Z',
        actor: 'ada',
        action: 'add',
      };
      const second = { ...first, n: 1, prev: leafHex(first), ts: '2026-11-20T00:00:01.000Z' };
      return [first, second].map((each) => ({ entry: each, hash: leafHex(each) }));
    });
    const listed = async (shown: readonly number[], proven: readonly number[]): Promise<string[]> => {
      const items = shown.map((i) => {
        const item = entries[i] as (typeof entries)[number];
        if (!proven.includes(i)) return item;
        const leaf = leafHash(canonical(item.entry));
        const checkpoint = formatCheckpoint('log.example', 1, leaf);
        const cosigned = log.sign(checkpoint) + (cosigner[0]?.cosign(checkpoint, 1) as string);
        const tlogProof = formatProof({ index: 0, hashes: [], checkpoint: cosigned });
        return {
          ...item,
          proof: { entry: item.entry, entry_hash: item.hash, log_index: 0, tlog_proof: tlogProof },
        };
      });
      const { checks } = await verifyBundle(items, { policy });
      return checks.filter(({ ok }) => !ok).map(({ detail }) => detail);
    };
    expect(await listed([0, 1], [1])).toEqual([]);
    expect(await listed([0, 1], [0])).toEqual(['no proof shows that entry 1 of chain a.rows was cosigned']);
    expect(await listed([0, 1, 2], [1])).toEqual([
      'no proof shows that entry 0 of chain b.rows was cosigned',
    ]);
  });

  test('is judged as before without one', async () => {
    expect((await verifyBundle([])).checks.some(({ id }) => id === 'quorum')).toBe(false);
  });
});

describe('a checkpoint by itself', () => {
  const policy = specExample();

  test('is judged by a policy, or by a key alone', async () => {
    expect(await verifyCheckpoint(note(1, 2, 4), { policy })).toMatchObject({
      ok: true,
      checks: [
        { id: 'signature', detail: 'log.example signed the log of 42 entries' },
        { id: 'quorum', ok: true },
      ],
    });
    expect((await verifyCheckpoint(note(1, 2), { policy })).ok).toBe(false);
    expect((await verifyCheckpoint(note(), log.key.text)).checks).toHaveLength(1);
  });

  test('is refused where anything in it was changed', async () => {
    const whole = note(1, 2, 4);
    // Every character of the text and of the shorter signatures.
    for (let at = 0; at < whole.length; at++) {
      const changed = `${whole.slice(0, at)}${whole[at] === 'A' ? 'B' : 'A'}${whole.slice(at + 1)}`;
      expect((await verifyCheckpoint(changed, { policy })).ok).toBe(false);
    }
  });
});
