/** What `/log` says of each witness: a time stands only beside the size of the checkpoint that states it. */
import { describe, expect, it } from 'vitest';
import { viewWitnesses } from '../../../src/app/reads/witness-view.ts';
import type { Cosigning, WitnessStatus } from '../../../src/app/read-context.ts';
import { cosignerFromSeed } from '../../../src/ledger/cosignature.ts';
import { parsePolicy } from '../../../src/ledger/policy.ts';
import { isRefusal } from '../../../src/ledger/refusal.ts';

const { key } = cosignerFromSeed('b.example', 'ed25519', Buffer.alloc(32, 3));
const policyText = `witness b ${key.text} https://b.example/witness\nquorum b\n`;
const timeSeconds = Date.parse('2026-11-28T16:17:19Z') / 1000;

/** The line of a witness of that status, where its quorum has cosigned 443 of 450 entries. */
function lineOf(status: Partial<WitnessStatus>, statedSeconds = timeSeconds) {
  const policy = parsePolicy(policyText);
  if (isRefusal(policy)) throw new Error(policy.refused);
  const about = { url: undefined, problem: undefined, failures: 0, state: 'cosigned' } as const;
  const cosigning: Cosigning = {
    policy,
    newest: {
      size: 443,
      root: Buffer.alloc(32),
      note: '',
      cosigned: [{ witness: 'b', key, timeSeconds: statedSeconds, line: '' }],
    },
    waitMs: 0,
    status: () => [{ name: 'b', size: 0, ...about, ...status }],
  };
  const view = viewWitnesses({ cosigning, policyFile: Buffer.from(policyText) }, 450);
  return view?.witnesses.map(({ size, cosignedAt }) => [size, cosignedAt])[0];
}

describe('the line of a witness', () => {
  it('tells the time of the cosignature with the size that it is about', () => {
    expect(lineOf({ size: 443 })).toEqual([443, '2026-11-28T16:17:19.000Z']);
  });

  it('tells no time of a larger size than that of the checkpoint with a quorum', () => {
    expect(lineOf({ size: 447 })).toEqual([447, undefined]);
  });

  it('counts what stands in that checkpoint, whatever the witness answers by now', () => {
    expect(lineOf({ size: 0, state: 'ahead' })).toEqual([443, '2026-11-28T16:17:19.000Z']);
    expect(lineOf({ name: 'c', size: 12 })).toEqual([12, undefined]);
  });

  it.each([0, -1, 8.64e12])('takes %d seconds for no time', (seconds) => {
    expect(lineOf({ size: 443 }, seconds)).toEqual([443, undefined]);
  });
});
