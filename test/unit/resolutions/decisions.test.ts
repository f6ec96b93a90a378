/** The owner's decisions on mirror contributions (contract §5): the code of the refusal, or entries and effect. */
import { describe, expect, it } from 'vitest';
import type { ContributionRow } from '../../../src/domain/mirror/tables.ts';
import type { ResolutionRow } from '../../../src/domain/mirror/resolution.ts';
import { resolveContribution } from '../../../src/domain/resolutions/resolve.ts';
import { isFault } from '../../../src/kernel/fault.ts';
import { sha256Hex } from '../../../src/kernel/hash.ts';
import { article, context, head, source, stale, summarize, wording } from '../articles/sundial.ts';

const present = sha256Hex(wording);
const questions = { head: null, questions: new Map() };
const contribution = (given: object): ContributionRow => {
  const said = {
    id: 'mc_a',
    article: 'dials',
    claim_id: 'c1',
    kind: 'repair',
    actor: 'ada',
    body: 'A sundial shows the time of day.',
    ts: context.now,
    receipt: 'inv_b',
    claim_hash: present,
    claim_version: 1,
    rationale: 'Exact.',
    ...given,
  };
  return {
    aid: 'art_a',
    n: 0,
    id: 'mc_a',
    claim_id: said.claim_id,
    contribution: said,
    prev: 'genesis',
    hash: head.hash,
    seq: 2,
  } as ContributionRow;
};
const decided = {
  status: 'rejected',
  decided_at: '2026-01-01T12:00:00.000Z',
  receipt: 'inv_c',
} as ResolutionRow;

interface Given {
  readonly of?: object;
  readonly decision?: string;
  readonly expected_hash?: string;
  readonly text?: string;
  readonly decided?: ResolutionRow;
}
const resolve = (given: Given) =>
  resolveContribution(
    article,
    contribution(given.of ?? {}),
    given.decided,
    questions,
    {
      slug: 'dials',
      contribution_id: 'mc_a',
      decision: given.decision ?? 'accepted',
      ...(given.expected_hash === undefined ? {} : { expected_hash: given.expected_hash }),
      ...(given.text === undefined ? {} : { text: given.text }),
    },
    context,
  );
const mended = 'A sundial shows the solar time.';
const other = JSON.stringify({ ...source, quote: 'A gnomon casts the shadow.' });

describe('deciding a contribution', () => {
  it.each<[string, Given, string]>([
    ['accepts a repair of the wording it was written on', {}, 'provenance mirror_accept'],
    ['rejects a repair', { decision: 'rejected' }, 'provenance mirror_reject'],
    ['refuses a second decision', { decided }, 'already_decided'],
    ['refuses a rejection after a decision', { decided, decision: 'rejected' }, 'already_decided'],
    ['refuses a repair of an older wording', { of: { claim_hash: stale } }, 'hash_stale'],
    [
      'accepts a repair of an older wording with the present hash',
      { of: { claim_hash: stale }, expected_hash: present },
      'provenance mirror_accept',
    ],
    ['refuses a repair with another hash than the present one', { expected_hash: stale }, 'hash_stale'],
    [
      'rejects a repair of an older wording',
      { of: { claim_hash: stale }, decision: 'rejected' },
      'provenance mirror_reject',
    ],
    ['refuses a repair of a retracted claim', { of: { claim_id: 'c2' } }, 'conflict'],
    ['refuses a repair that changes nothing', { of: { body: wording } }, 'conflict'],
    [
      'accepts a question as a node',
      { of: { kind: 'question', body: 'At what latitude?' } },
      'provenance mirror_accept, questions accept',
    ],
    [
      'accepts a new source',
      { of: { kind: 'source', body: other } },
      'provenance mirror_accept, sources append',
    ],
    [
      'accepts a known source without a second entry',
      { of: { kind: 'source', body: JSON.stringify(source) } },
      'provenance mirror_accept',
    ],
    [
      'refuses a source without a quote',
      { of: { kind: 'source', body: JSON.stringify({ ...source, quote: '' }) } },
      'content_rule',
    ],
    ['accepts a repair in another wording', { text: mended }, 'provenance mirror_accept'],
    [
      'refuses another wording of an older wording',
      { of: { claim_hash: stale }, text: mended },
      'hash_stale',
    ],
    ['refuses another wording that breaks a content rule', { text: 'Is it so?' }, 'content_rule'],
    ['refuses another wording that is the present one', { text: wording }, 'conflict'],
    ['refuses another wording of a rejected repair', { decision: 'rejected', text: mended }, 'body_mismatch'],
    ['refuses a wording of an objection', { of: { kind: 'objection' }, text: mended }, 'body_mismatch'],
    ['refuses a wording of a source', { of: { kind: 'source', body: other }, text: mended }, 'body_mismatch'],
    ['accepts an objection as a mark', { of: { kind: 'objection' } }, 'provenance mirror_accept'],
  ])('%s', (_condition, given, outcome) => {
    expect(summarize(resolve(given))).toBe(outcome);
  });

  it.each<[string, Given, object]>([
    [
      'the new version of a repaired claim',
      {},
      { claim_id: 'c1', version: 2, hash: sha256Hex('A sundial shows the time of day.') },
    ],
    [
      'the version in another wording, marked as mended',
      { text: mended },
      { claim_id: 'c1', version: 2, hash: sha256Hex(mended), mended: true },
    ],
    [
      'the hash that an older wording was written on',
      { of: { claim_hash: stale }, expected_hash: present },
      { proposed_on: stale, proposed_on_version: 1 },
    ],
    [
      'the source and the claim that cites it',
      { of: { kind: 'source', body: other } },
      { source_id: 's2', claim_id: 'c1' },
    ],
    [
      'a known source',
      { of: { kind: 'source', body: JSON.stringify(source) } },
      { source_id: 's1', known_source: true },
    ],
    [
      'no claim for a source of a retracted one',
      { of: { kind: 'source', claim_id: 'c2', body: other } },
      { source_id: 's2' },
    ],
    ['nothing for a rejection', { decision: 'rejected' }, {}],
  ])('answers with %s', (_answer, given, effect) => {
    const outcome = resolve(given);
    if (isFault(outcome)) throw new Error(outcome.message);
    const [event] = outcome.events;
    const content = event?.contents?.[0]?.value as { change: { resolved: { effect: object } } };
    expect(content.change.resolved.effect).toMatchObject(effect);
    expect(Object.hasOwn(content.change.resolved.effect, 'claim_id')).toBe(
      Object.hasOwn(effect, 'claim_id') || 'proposed_on' in effect || 'known_source' in effect,
    );
  });
});
