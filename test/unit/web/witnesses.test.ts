/** What witnesses add to a verification on a page: sentences, and which failures only wait for witnesses. */
import { describe, expect, it } from 'vitest';
import type { Check, WitnessFinding, Witnessing } from '../../../verify/index.ts';
import { judgeWitnesses, type Witnessed } from '../../../web/verifying/witnesses.ts';

const ts = '2026-11-28T12:00:00.900Z';
const writtenSeconds = Date.parse('2026-11-28T12:00:00Z') / 1000;

const saw = (name: string, after?: number): WitnessFinding => ({
  name,
  state: 'cosigned',
  ...(after === undefined ? {} : { timeSeconds: writtenSeconds + after }),
});
const absent = (name: string): WitnessFinding => ({ name, state: 'absent' });
const unchecked = (name: string): WitnessFinding => ({ name, state: 'unchecked' });

const quorumCheck = (
  state: Witnessing['state'],
  witnesses: readonly WitnessFinding[],
  more: Partial<Witnessing> = {},
): Check => ({
  id: 'quorum',
  ok: state === 'met',
  detail: 'as the verifier says it',
  witnessing: { witnesses, quorum: 'g', needed: 2, state, ...more },
});

const judge = (...checks: readonly Check[]): Witnessed => judgeWitnesses(checks, () => ({ ts, what: 'it' }));

describe('the sentence about witnesses', () => {
  it.each([
    ['within a second after it was written', 0],
    ['2 s after it was written', 2],
    ['119 s after it was written', 119],
    ['3 min after it was written', 121],
    ['at most 60 min after it was written', 3600],
    ['at most 3 h after it was written', 7201],
    ['at most 3 days after it was written', 172_801],
    ['by clocks that run at least 3 s behind the one of this site', -3],
  ])('says that the last of them saw it %s', (when, after) => {
    const { verdict, sentence } = judge(quorumCheck('met', [saw('a', -10), saw('b', after), absent('c')]));
    expect([verdict, sentence]).toEqual(['sound', `Seen by 2 of 3 witnesses, ${when}.`]);
  });

  it('says of times that are not stated or not known what is known', () => {
    expect(judge(quorumCheck('met', [saw('a'), saw('b', 2)])).sentence).toBe(
      'Seen by 2 of 2 witnesses, some at times that they do not state.',
    );
    expect(judge(quorumCheck('met', [saw('a')])).sentence).toBe(
      'Seen by 1 of 1 witness, at times that they do not state.',
    );
    const check = quorumCheck('met', [saw('a', 1)]);
    expect(judgeWitnesses([check], () => ({ ts: undefined, what: 'it' })).sentence).toBe(
      'Seen by 1 of 1 witness.',
    );
    expect(judgeWitnesses([check], () => ({ ts: 'soon', what: 'it' })).sentence).toBe(
      'Seen by 1 of 1 witness.',
    );
  });

  it.each([
    ['Not yet seen by enough witnesses (1 of 3; 2 needed).', [saw('a', 1), absent('b'), absent('c')], {}],
    [
      'Not yet seen by enough witnesses (2 of 3, which do not make the quorum “g”).',
      [saw('a', 1), saw('b', 1), absent('c')],
      {},
    ],
  ])('awaits witnesses: %s', (said, witnesses, more) => {
    const { failures, verdict, sentence } = judge(quorumCheck('unmet', witnesses, more));
    expect([failures, verdict, sentence]).toEqual([[], 'awaiting', said]);
  });

  it('says that a policy may need none', () => {
    expect(judge(quorumCheck('met', [absent('a')], { quorum: 'none', needed: 0 })).sentence).toBe(
      'Seen by none of 1 witness; the policy needs none.',
    );
  });

  it('names cosignatures that the browser cannot check', () => {
    const { verdict, sentence, checks } = judge(quorumCheck('undecided', [saw('a', 1), unchecked('q')]));
    expect([verdict, sentence]).toEqual([
      'unchecked',
      'Seen by 1 of 2 witnesses as far as this browser can check (2 needed; it has no ML-DSA-44 for q).',
    ]);
    expect(checks.map(({ detail }) => detail)).toEqual([
      'a cosigned at 2026-11-28 12:00:01 UTC, 1 s after it was written',
      'not checked: this browser has no ML-DSA-44 for the cosignature of q',
      'this browser cannot tell whether the quorum “g” of the policy is met',
      'the policy is the one that this site publishes',
    ]);
  });

  it('is left out where no policy was judged', () => {
    const checks = [{ id: 'chain', ok: true, detail: 'whole' }];
    expect(judge(...checks)).toEqual({ failures: [], verdict: 'sound', sentence: '', checks });
  });
});

describe('a verification with witnesses', () => {
  it.each<readonly [string, Check]>([
    ['a wrong cosignature', { id: 'quorum', ok: false, detail: 'the cosignature of a is wrong' }],
    [
      'a key that the policy does not trust',
      { id: 'quorum', ok: false, detail: 'the policy does not trust it' },
    ],
    ['any other check', { id: 'chain', ok: false, detail: 'broken' }],
  ])('fails by %s, whatever the witnesses have seen', (_, check) => {
    expect(judge(quorumCheck('met', [saw('a', 1)]), check).failures).toEqual([check]);
    expect(judge(check, quorumCheck('unmet', [absent('a')])).failures).toEqual([check]);
  });

  it('tells the least that any of its proofs shows, with the entry of that proof', () => {
    const met = quorumCheck('met', [saw('a', 1), saw('b', 1)]);
    const latest = { ...quorumCheck('unmet', [saw('a', 5), absent('b')]), at: 'latest' };
    const asked: string[] = [];
    const { verdict, sentence } = judgeWitnesses([met, latest], (at) => {
      asked.push(at);
      return { ts, what: 'it' };
    });
    expect([verdict, sentence, ...new Set(asked)]).toEqual([
      'awaiting',
      'Not yet seen by enough witnesses (1 of 2; 2 needed).',
      'latest',
    ]);
  });
});
