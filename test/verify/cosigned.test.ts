/**
 * Mutations of cosigned proofs, checkpoints and policies: the product and the standalone verifier accept none that changes
 * what is proven, and agree on all. `COLOPHON_MUTATIONS=all` changes every bit; otherwise every 29th one is changed.
 */
import { describe, expect, it } from 'vitest';
import { judgeNote, parsePolicy } from '../../src/ledger/policy.ts';
import { parseProof, verifyProof } from '../../src/ledger/proof.ts';
import { isRefusal } from '../../src/ledger/refusal.ts';
import { verifyCheckpoint, verifyProofText } from '../../verify/index.ts';
import { flipBit, hex } from '../unit/ledger/support.ts';
import { index, leaf, log, policy, policyOf, size, sound, text, type Verdict } from './cosigned-evidence.ts';
import { policies } from './cosigned-policies.ts';
import { proofs } from './cosigned-proofs.ts';

const all = process.env['COLOPHON_MUTATIONS'] === 'all';

/** What the product makes of a checkpoint under a policy: the witnesses that count, or nothing. */
function judged(checkpoint: string, file: string | Uint8Array): readonly string[] | undefined {
  const read = parsePolicy(file);
  if (isRefusal(read)) return undefined;
  const found = judgeNote(checkpoint, read);
  return isRefusal(found) || !found.hasQuorum ? undefined : found.cosigned.map(({ witness }) => witness);
}

/** What the product makes of a proof under a policy. */
function accepts(proof: string, file: string | Uint8Array): readonly string[] | undefined {
  const parsed = parseProof(proof);
  const read = parsePolicy(file);
  if (isRefusal(parsed) || isRefusal(read)) return undefined;
  const cosigned = judged(parsed.checkpoint, file);
  const keys = read.logs.map(({ key }) => key);
  const proven = verifyProof(proof, keys, leaf);
  if (cosigned === undefined || isRefusal(proven)) return undefined;
  expect([proven.index, proven.size, proven.origin]).toEqual([index, size, 'log.example']);
  return cosigned;
}

async function acceptsElsewhere(proof: string, file: string | Uint8Array): Promise<boolean> {
  return (await verifyProofText(proof, { policy: file }, hex(leaf))).ok;
}

/** How both judge a proof, and its checkpoint alone. */
async function verdicts(proof: string, file: string | Uint8Array): Promise<boolean[]> {
  return [accepts(proof, file) !== undefined, await acceptsElsewhere(proof, file)];
}

const isAccepted = (verdict: Verdict): boolean => verdict !== 'refused';

describe('a proof cosigned by two Ed25519 witnesses and one ML-DSA-44 witness, under a policy of 2 of 3', () => {
  it.each(proofs)('with %s is judged alike by both verifiers', async (_what, proof, verdict) => {
    const expected = isAccepted(verdict);
    expect(await verdicts(proof, policy)).toEqual([expected, expected]);
    const head = sound.slice(0, sound.indexOf('\n\n') + 2);
    if (!proof.startsWith(head)) return;
    const checkpoint = proof.slice(head.length);
    expect([
      judged(checkpoint, policy) !== undefined,
      (await verifyCheckpoint(checkpoint, { policy })).ok,
    ]).toEqual([expected, expected]);
  });

  it.each(policies.map(([what, file, verdict, proof = sound]) => [what, file, verdict, proof] as const))(
    'under a policy with %s is judged alike by both verifiers',
    async (_what, file, verdict, proof) => {
      const expected = isAccepted(verdict);
      expect(await verdicts(proof, file)).toEqual([expected, expected]);
    },
  );

  it(
    'is refused with any bit changed, where all three must have cosigned',
    { timeout: 600_000 },
    async () => {
      const bytes = Buffer.from(sound);
      const file = policyOf('all');
      expect(await verdicts(sound, file)).toEqual([true, true]);
      const found: number[] = [];
      for (let bit = 0; bit < bytes.length * 8; bit += all ? 1 : 29) {
        const changed = Buffer.from(flipBit(bytes, bit)).toString('utf8');
        if ((await verdicts(changed, file)).includes(true)) found.push(bit);
      }
      expect(found).toEqual([]);
    },
  );

  it(
    'is refused with any character changed, but for the name or id of one witness, which then counts no more',
    { timeout: 600_000 },
    async () => {
      const accepted = new Set<string>();
      for (let at = 0; at < sound.length; at += all ? 1 : at < 1400 ? 7 : 197)
        for (const instead of [
          '',
          sound[at] === 'A' ? 'B' : 'A',
          '\n',
          `${sound[at] as string}${sound[at] as string}`,
        ]) {
          const changed = sound.slice(0, at) + instead + sound.slice(at + 1);
          if (changed === sound) continue;
          const by = accepts(changed, policy);
          expect([changed, await acceptsElsewhere(changed, policy)]).toEqual([changed, by !== undefined]);
          if (by === undefined) continue;
          // The change lies in a line of a witness, which has become that of an unknown key.
          const line = sound.slice(0, at).split('\n').at(-1) as string;
          const name = /^— (w\d)/.exec(sound.slice(at - line.length))?.[1] as string;
          expect(by).toEqual(['w1', 'w2', 'w3'].filter((each) => each !== name));
          expect(line.length).toBeLessThan('— w1.example 12345678'.length);
          accepted.add(name);
        }
      expect([...accepted].sort()).toEqual(['w1', 'w2', 'w3']);
    },
  );

  it('is refused with lines dropped, doubled or exchanged, but for those of the signatures', async () => {
    const lines = sound.trimEnd().split('\n');
    const first = lines.findIndex((line) => line.startsWith('—'));
    const written = (changed: readonly string[]): string => `${changed.join('\n')}\n`;
    const found: string[] = [];
    for (const at of lines.keys())
      for (const [what, changed] of [
        ['dropped', lines.toSpliced(at, 1)],
        ['doubled', lines.toSpliced(at, 0, lines[at] as string)],
        ['first', [lines[at] as string, ...lines.toSpliced(at, 1)]],
        ['last', [...lines.toSpliced(at, 1), lines[at] as string]],
        ['exchanged', lines.toSpliced(at, 2, lines[at + 1] ?? '', lines[at] as string)],
      ] as const) {
        if (written(changed) === sound) continue;
        const both = await verdicts(written(changed), policy);
        expect([at, what, both[0]]).toEqual([at, what, both[1]]);
        if (both[0] === true) found.push(`${at - first} ${what}`);
      }
    // Of the log's line and those of the witnesses the order means nothing, no key counts twice, and two of three suffice.
    const harmless = ['0 doubled', '1 doubled', '2 doubled', '3 doubled', '0 last', '1 last', '2 last'];
    harmless.push('0 exchanged', '1 exchanged', '2 exchanged', '1 dropped', '2 dropped', '3 dropped');
    expect(found.sort()).toEqual(harmless.sort());
  });

  it(
    'is refused where it was cut off anywhere, but behind the second cosignature',
    { timeout: 600_000 },
    async () => {
      const found: number[] = [];
      for (let length = 0; length < sound.length; length++) {
        const isLineEnd = sound[length - 1] === '\n';
        if (!all && !isLineEnd && length % (length < 1400 ? 5 : 97) !== 0) continue;
        const both = await verdicts(sound.slice(0, length), policy);
        expect([length, both[0]]).toEqual([length, both[1]]);
        if (both[0] === true) found.push(length);
      }
      expect(found).toEqual([sound.indexOf('\n', sound.indexOf('— w2')) + 1]);
    },
  );

  it(
    'is judged alike under a policy with any character changed, dropped or doubled',
    { timeout: 600_000 },
    async () => {
      let refusals = 0;
      for (let at = 0; at < policy.length; at += all || at < 400 || at > policy.length - 60 ? 1 : 53)
        for (const instead of ['', policy[at] === '1' ? '2' : '1', '\n', ' ', 'w']) {
          const changed = policy.slice(0, at) + instead + policy.slice(at + 1);
          const both = await verdicts(sound, changed);
          expect([changed, both[0]]).toEqual([changed, both[1]]);
          if (both[0] === false) refusals++;
        }
      expect(refusals).toBeGreaterThan(1000);
    },
  );

  it('is refused for another entry', async () => {
    for (let bit = 0; bit < 256; bit += all ? 1 : 17) {
      const other = flipBit(leaf, bit);
      expect(isRefusal(verifyProof(sound, [log.key], other))).toBe(true);
      expect((await verifyProofText(sound, { policy }, hex(other))).ok).toBe(false);
    }
    expect(text.split('\n')[0]).toBe('log.example');
  });
});
