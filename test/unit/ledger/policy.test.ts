/** Trust policies (C2SP tlog-policy): what is read, what is refused with its line, and what meets a quorum. */
import { describe, expect, test } from 'vitest';
import { formatCheckpoint } from '../../../src/ledger/checkpoint.ts';
import { cosignerFromSeed } from '../../../src/ledger/cosignature.ts';
import { signerFromSeed } from '../../../src/ledger/note.ts';
import { demandsWitnesses, judgeNote, parsePolicy, type Policy } from '../../../src/ledger/policy.ts';
import { isRefusal } from '../../../src/ledger/refusal.ts';
import { cosigner, log, malformed, note, quorums, specExample, text, vkey } from './policy-cases.ts';
import { vectorBytes, vectorText } from './support.ts';

const [w1, w2, w3] = vkey as [string, string, string];

function policyOf(file: string | Uint8Array): Policy {
  const policy = parsePolicy(file);
  if (isRefusal(policy)) throw new Error(policy.refused);
  return policy;
}

describe('a policy is read', () => {
  test('as the example of the specification has it', () => {
    const policy = policyOf(specExample());
    expect(policy.logs.map(({ key }) => key.text)).toEqual([log.key.text]);
    expect(policy.witnesses.map(({ name, key }) => [name, key.text])).toEqual([
      ['X1', vkey[0]],
      ['X2', vkey[1]],
      ['X3', vkey[2]],
      ['Y1', vkey[3]],
      ['Y2', vkey[4]],
      ['Y3', vkey[5]],
    ]);
    expect(policy.groups).toEqual([
      { name: 'X-witnesses', threshold: 2, members: ['X1', 'X2', 'X3'] },
      { name: 'Y-witnesses', threshold: 1, members: ['Y1', 'Y2', 'Y3'] },
      { name: 'X-and-Y', threshold: 2, members: ['X-witnesses', 'Y-witnesses'] },
    ]);
    expect(policy.quorum).toBe('X-and-Y');
    expect(demandsWitnesses(policy)).toBe(true);
  });

  test.each([
    ['nothing but a quorum', 'quorum none\n', []],
    ['no newline at its end', 'quorum none', []],
    [
      'white space, comments and URLs',
      `\n# a\n\t # b\n\twitness \t w1  ${w1}   https://w1.example/  \n\n  quorum\tw1`,
      ['w1'],
    ],
    [
      'keywords as names',
      `witness all ${w1}\nwitness any ${w2}\ngroup group 2 all any\nquorum group\n`,
      ['all', 'any'],
    ],
    [
      'names that differ by a letter that looks the same',
      `witness K ${w1}\nwitness \u212a ${w2}\nquorum K\n`,
      ['K', '\u212a'],
    ],
    ['a comment sign within a line, which is a URL', `witness w1 ${w1} #1\nquorum w1\n`, ['w1']],
  ])('with %s', (_what, file, names) => {
    expect(policyOf(file).witnesses.map(({ name }) => name)).toEqual(names);
  });

  test('with names that are not UTF-8', () => {
    const file = Buffer.concat([
      Buffer.from('witness w'),
      Buffer.of(0x80),
      Buffer.from(` ${w1}\nquorum w`),
      Buffer.of(0x80),
    ]);
    expect(policyOf(file).quorum).toBe('w\x80');
    expect(parsePolicy(Buffer.from(file.toString('latin1').replace(/w\x80$/, 'w\x81'), 'latin1'))).toEqual({
      refused: 'line 2 of the policy: "w\x81" is not defined on a line above',
    });
  });

  test('with 32 logs, witnesses and groups', () => {
    const lines = Array.from({ length: 32 }, (_, i) => [
      `log ${signerFromSeed(`l${i}.example`, Buffer.alloc(32, 100 + i)).key.text}`,
      `witness w${i} ${cosignerFromSeed(`w${i}.example`, 'ed25519', Buffer.alloc(32, 50 + i)).key.text}`,
      `group g${i} all w${i}${i === 0 ? '' : ` g${i - 1}`}`,
    ]).flat();
    const policy = policyOf([...lines, 'quorum g31'].join('\n'));
    expect([policy.logs.length, policy.witnesses.length, policy.groups.length]).toEqual([32, 32, 32]);
  });
});

test.each(malformed)('a policy with a malformed line is refused with its number: %j', (file, line, why) => {
  expect(parsePolicy(file)).toEqual({ refused: `line ${line} of the policy: ${why}` });
});

test('a policy without a quorum, and one that is too large, are refused', () => {
  expect(parsePolicy(`witness w1 ${w1}\n`)).toEqual({ refused: 'the policy has no quorum line' });
  expect(parsePolicy('')).toEqual({ refused: 'the policy has no quorum line' });
  expect(parsePolicy('#'.repeat(1024 * 1024 + 1))).toEqual({
    refused: 'the policy is larger than 1048576 bytes',
  });
});

describe('a quorum', () => {
  test.each(quorums)('of 2 of X and any of Y is judged for cosignatures of %j: %j', (witnesses, met) => {
    const judged = judgeNote(note(...witnesses), policyOf(specExample()));
    if (isRefusal(judged)) throw new Error(judged.refused);
    expect(judged.hasQuorum).toBe(met);
    expect(judged.cosigned.map(({ witness, timeSeconds }) => [witness, timeSeconds])).toEqual(
      witnesses.map((n) => [n > 3 ? `Y${n - 3}` : `X${n}`, 1_790_000_000 + n]),
    );
  });

  test('of one witness is met by a public witness over a public log', () => {
    const judged = judgeNote(
      vectorText('witness/ed25519.checkpoint'),
      policyOf(vectorBytes('witness/ed25519.policy')),
    );
    expect(judged).toMatchObject({
      hasQuorum: true,
      summary: 'cosigned by remora: the quorum remora is met',
      checkpoint: { origin: 'arche2025h1.staging.ct.transparency.dev', size: 1432088532 },
    });
  });

  test('is named where it is missing', () => {
    const policy = policyOf(
      `witness w1 ${w1}\nwitness w2 ${w2}\nwitness w3 ${w3}\ngroup g 2 w1 w2 w3\nquorum g\n`,
    );
    expect(judgeNote(note(3, 4), policy, [log.key])).toMatchObject({
      hasQuorum: false,
      summary: 'cosigned by w3: the quorum g (2 of w1, w2, w3) is not met',
    });
    expect(judgeNote(note(), policy, [log.key])).toMatchObject({
      summary: 'cosigned by no witness of the policy: the quorum g (2 of w1, w2, w3) is not met',
    });
  });

  test('counts one witness once, however often it has cosigned', () => {
    const policy = policyOf(
      `log ${log.key.text}\nwitness w1 ${w1}\nwitness w2 ${w2}\ngroup g all w1 w2\nquorum g\n`,
    );
    expect(judgeNote(note(1, 1), policy)).toMatchObject({ hasQuorum: false, cosigned: [{ witness: 'w1' }] });
  });

  test('is met by an ML-DSA-44 key that the policy names as that of the log and of a witness', () => {
    const both = cosignerFromSeed('log.example', 'ml-dsa-44', Buffer.alloc(32, 20));
    const policy = policyOf(`log ${both.key.text}\nwitness l ${both.key.text}\nquorum l\n`);
    expect(judgeNote(`${text}\n${both.cosign(text, 1) as string}`, policy)).toMatchObject({
      hasQuorum: true,
      cosigned: [{ witness: 'l' }],
    });
  });

  test('of none is met by the log alone', () => {
    const policy = policyOf(`log ${log.key.text}\nquorum none\n`);
    expect(judgeNote(note(), policy)).toMatchObject({ hasQuorum: true });
    expect(demandsWitnesses(policy)).toBe(false);
  });
});

describe('a checkpoint is refused by a policy', () => {
  const policy = policyOf(`log ${log.key.text}\nwitness w1 ${w1}\nquorum w1\n`);
  const stranger = signerFromSeed('log.example', Buffer.alloc(32, 8));

  test('whose log has not signed it, although the witness has', () => {
    const unsigned = `${text}\n${cosigner[0]?.cosign(text, 1) as string}`;
    const refused = 'no trusted key of the log log.example has signed the checkpoint';
    expect(judgeNote(unsigned, policy)).toEqual({ refused });
    expect(judgeNote(stranger.sign(text) + (cosigner[0]?.cosign(text, 1) as string), policy)).toEqual({
      refused,
    });
  });

  test('that is signed only by a witness which bears the name of the log', () => {
    const namesake = cosignerFromSeed('log.example', 'ed25519', Buffer.alloc(32, 1));
    const fooled = policyOf(`log ${log.key.text}\nwitness w1 ${namesake.key.text}\nquorum w1\n`);
    expect(judgeNote(`${text}\n${namesake.cosign(text, 1) as string}`, fooled)).toEqual({
      refused: 'no trusted key of the log log.example has signed the checkpoint',
    });
  });

  test('of another origin than the key that signed it', () => {
    const other = log.sign(formatCheckpoint('other.example', 42, Buffer.alloc(32, 7)));
    expect(judgeNote(other, policy)).toEqual({
      refused: 'no trusted key of the log other.example has signed the checkpoint',
    });
  });

  test('with a wrong signature of a witness', () => {
    const wrong = cosigner[0]?.cosign(text.replace('42', '43'), 1) as string;
    expect(judgeNote(log.sign(text) + wrong, policy)).toEqual({
      refused: 'the signature of w1.example is wrong',
    });
  });

  test('that names no log, where no key is given', () => {
    expect(judgeNote(note(1), policyOf(`witness w1 ${w1}\nquorum w1\n`))).toEqual({
      refused: 'the policy names no log, and no key of a log is given',
    });
  });

  test('of a known log that the policy does not name', () => {
    const own = policyOf(`log ${stranger.key.text}\nquorum none\n`);
    expect(judgeNote(note(1), own, [log.key])).toEqual({ refused: 'no known key has signed the note' });
  });

  test('that is signed by the ML-DSA-44 key of another log', () => {
    const pq = cosignerFromSeed('log.example', 'ml-dsa-44', Buffer.alloc(32, 20));
    const trusting = policyOf(`log ${pq.key.text}\nquorum none\n`);
    expect(judgeNote(`${text}\n${pq.cosign(text, 0) as string}`, trusting)).toMatchObject({
      hasQuorum: true,
    });
    expect(isRefusal(judgeNote(log.sign(text), trusting))).toBe(true);
  });
});
