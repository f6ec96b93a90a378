import { describe, expect, it } from 'vitest';
import Value from 'typebox/value';
import { readRollbacks } from '../../src/app/reads/earlier-logs.ts';
import { articleOf, type ArticleState } from '../../src/domain/articles/state.ts';
import { sourceTable } from '../../src/domain/articles/tables.ts';
import { shownProblems } from '../../src/domain/bundles/verify-shown.ts';
import { project } from '../../src/domain/schema.ts';
import { laterMembers, type LaterMembers } from '../../src/domain/upcast.ts';
import type { Event } from '../../src/engine/act.ts';
import { MemoryProjection } from '../../src/engine/memory-projection.ts';
import type { Reader } from '../../src/engine/store.ts';
import type { JsonObject, JsonValue } from '../../src/kernel/json.ts';
import { Claim } from '../../src/model/claim.ts';
import { ImportedSource } from '../../src/model/source.ts';

const aid = 'art_abcdefghijklmnop';

/** A claim and a source as 0.2.0 stored them. Not to be changed with the model: entries are not either. */
const storedClaim = {
  id: 'c1',
  text: 'The dike holds.',
  tier: 'human',
  source_ids: [],
  source_status: 'unsourced',
  why_material: 'Two villages lie below it.',
  evidence_basis: null,
  materiality: true,
  weight: 1,
  status: 'active',
  falsifier: null,
  who_claims: 'The harbour office',
  posted_by: {
    actor: 'owner',
    channel: 'api',
    ts: '2026-01-01T00:00:00.000Z',
    model: null,
    rationale: null,
  },
  slot: null,
  section: null,
  source_role: null,
  extra: {},
  hash: '52d55fe4273fe6804243b743c433feddc207345bba69079b79aebe7e39dfe87c',
  version: 1,
};
const storedSource = {
  id: 's1',
  type: 'report',
  url: 'https://example.org/dike',
  title: 'The dike',
  quote: 'It holds.',
  summary: '',
  quality_score: null,
  source_role: null,
  platform: null,
  software_class: null,
  found_by: 'owner',
  accessed_at: '2026-01-01T00:00:00.000Z',
};

function event(chain: string, n: number, action: string, content: JsonValue): Event {
  const entry = { v: 1, chain, n, prev: 'genesis', ts: '2026-01-01T00:00:00.000Z', actor: 'owner', action };
  return {
    seq: n,
    sealed: { entry, text: '', leaf: new Uint8Array(), hash: 'aa' },
    contents: { content_sha: content },
  };
}

const created = { created: { tenant: 'main', slug: 'dike', lead: '' }, title: 'Dike' };
const spent = { model: null, tokens_in: 0, tokens_out: 0, cost: 0 };

/** The claim that is projected from one entry of that action. */
function projectedClaim(action: string, claim: JsonObject, later?: LaterMembers): unknown {
  return articleWith(action, claim, later).claims.get('c1')?.claim;
}

function articleWith(action: string, claim: JsonObject, later?: LaterMembers): ArticleState {
  const projection = new MemoryProjection();
  const change = { ...created, claims: [{ n: 1, plain: 'the dike holds', claim }] };
  project(event(`${aid}.provenance`, 0, action, { ...spent, change }), projection, later);
  return articleOf(projection, aid) as ArticleState;
}

function projectedSource(source: JsonObject, later?: LaterMembers): unknown {
  const projection = new MemoryProjection();
  project(event(`${aid}.provenance`, 0, 'write', { ...spent, change: created }), projection);
  project(event(`${aid}.sources`, 0, 'append', source), projection, later);
  return projection.row(sourceTable, aid, 's1')?.source;
}

describe('an object stored by an earlier version', () => {
  const later = { ...laterMembers, claim: { doubt: null }, source: { pages: 0 } };

  it.each(['claim', 'claim_repair', 'claim_retract', 'mirror_accept', 'import'])(
    'gets the members that its version lacked when projected from an entry of action %s',
    (action) => {
      expect(projectedClaim(action, storedClaim, later)).toEqual({ ...storedClaim, doubt: null });
    },
  );

  it('keeps the values of members that it already has', () => {
    expect(projectedClaim('claim', { ...storedClaim, doubt: 'Nobody measured it.' }, later)).toMatchObject({
      doubt: 'Nobody measured it.',
    });
    expect(projectedSource({ ...storedSource, pages: 3 }, later)).toMatchObject({ pages: 3 });
  });

  it('is accepted without the added members in a bundle of that version', () => {
    const state = articleWith('claim', storedClaim, later);
    const problemsOf = (claim: JsonObject) =>
      shownProblems(state, {}, { claims: [claim] }, later)
        .map(({ at }) => at)
        .filter((at) => at.startsWith('/bundle/claims'));
    expect(problemsOf(storedClaim)).toEqual([]);
    expect(problemsOf({ ...storedClaim, doubt: 'Nobody measured it.' })).toEqual(['/bundle/claims/0/doubt']);
  });

  it('gets the added members on the source chain too', () => {
    expect(projectedSource(storedSource, later)).toEqual({ ...storedSource, pages: 0 });
  });
});

describe('an object stored by 0.2.0', () => {
  // Where one of these fails, a member was added without its line in `laterMembers`.
  it('is a valid claim of the current model after projection', () => {
    expect(Value.Errors(Claim, projectedClaim('claim', storedClaim))).toEqual([]);
  });

  it('is a valid source of the current model after projection', () => {
    expect(Value.Errors(ImportedSource, projectedSource(storedSource))).toEqual([]);
  });
});

describe('readRollbacks', () => {
  const rollback = { problem: 'The ledger is shorter.', checkpoint: null };
  const earlier = { origin: 'log.test', verifier_key: 'log.test+1+x', checkpoint: null };
  const reader = (content: JsonValue): Pick<Reader, 'entries'> => ({
    entries: async () => [
      {
        index: 0,
        act: 0,
        seq: 1,
        text: JSON.stringify({ chain: 'rollback_abcdefghijklmnop', action: 'accept_rollback' }),
        contents: [{ field: 'content_sha', salt: null, body: JSON.stringify(content) }],
      },
    ],
  });

  it('returns rollbacks whose entry began the log', async () => {
    await expect(readRollbacks(reader({ ...rollback, earlier }))).resolves.toEqual([
      { ...rollback, earlier },
    ]);
  });

  it('ignores rollbacks that 0.1.0 appended to the existing log', async () => {
    await expect(readRollbacks(reader(rollback))).resolves.toEqual([]);
  });

  it.each([['[redacted]'], [null], [[1]]])('returns nothing for the content %j', async (content) => {
    await expect(readRollbacks(reader(content))).resolves.toEqual([]);
  });
});
