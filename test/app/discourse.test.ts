import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorizeArticle } from '../../src/app/reads/article-access.ts';
import { partReaders } from '../../src/app/reads/article-parts.ts';
import { isFault, type Fault } from '../../src/kernel/fault.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { openDeployment, type TestDeployment } from '../support/deployment.ts';

let deployment: TestDeployment;
const anonymous = { presented: {} };

beforeAll(async () => {
  deployment = await openDeployment();
  await deployment.did('VOXEL_BATCH', { document: { slug: 'notes', markdown: '# Notes\n\nOne.\n\nTwo.\n' } });
});
afterAll(() => deployment.end());

async function part(name: string): Promise<JsonObject> {
  const access = await authorizeArticle(
    { ...deployment.service, tenant: 'main', viewer: { kind: 'anonymous' } },
    'notes',
  );
  if (isFault(access)) throw new Error('the article is gone');
  const read = await (partReaders[name] as NonNullable<(typeof partReaders)[string]>)({
    context: deployment.service,
    access,
    query: {},
  });
  return read as JsonObject;
}

async function hashOf(divId: string): Promise<string> {
  const { divs } = (await part('voxels')) as unknown as {
    readonly divs: readonly { readonly div_id: string; readonly vx_hash: string }[];
  };
  return divs.find((div) => div.div_id === divId)?.vx_hash ?? '';
}

async function refusal(key: string, body: object): Promise<Fault> {
  const answer = await deployment.call(key, body, anonymous);
  const found = isFault(answer) ? answer : answer.kind === 'called' ? answer.refusal : undefined;
  if (found === undefined) throw new Error(`${key} was not refused`);
  return found;
}

describe('a thread', () => {
  it('starts at genesis and accepts a challenge with its head and the hash of the target', async () => {
    const challenge = {
      slug: 'notes',
      expected_thread_head: 'genesis',
      target_div: 'd2',
      expected_hash: await hashOf('d2'),
      stance: 'challenge',
      body: 'One names no source.',
      actor: 'ada',
    };
    const said = await deployment.did('VOXEL_CHALLENGE', challenge, anonymous);
    expect(said['thread_head']).toMatch(/^[0-9a-f]{64}$/);
    expect((await part('discourse'))['thread_head']).toBe(said['thread_head']);
  });

  it('rejects a stale head with a summary of newer entries', async () => {
    const moved = await refusal('VOXEL_CHALLENGE', {
      slug: 'notes',
      expected_thread_head: 'genesis',
      target_div: 'd2',
      expected_hash: await hashOf('d2'),
      stance: 'support',
      body: 'It does.',
      actor: 'bo',
    });
    expect(moved.fault).toBe('thread_moved');
    expect(moved.details?.['thread_summary']).toMatchObject({
      posts: 1,
      newest: [{ stance: 'challenge', target: 'd2', body: 'One names no source.' }],
    });
  });

  it('points a repeated challenge to the first, and duplicate_of confirms it', async () => {
    const head = (await part('discourse'))['thread_head'];
    const again = {
      slug: 'notes',
      expected_thread_head: head,
      target_div: 'd2',
      expected_hash: await hashOf('d2'),
      stance: 'challenge',
      body: 'one names NO source',
      actor: 'cy',
    };
    const same = await refusal('VOXEL_CHALLENGE', again);
    expect(same.fault).toBe('near_duplicate');
    const canonical = same.details?.['canonical'] as { readonly id: string } | undefined;
    const id = canonical?.id ?? '';
    const confirmed = await deployment.did('VOXEL_CHALLENGE', { ...again, duplicate_of: id }, anonymous);
    expect(confirmed['entry']).toMatchObject({ stance: 'confirmation', confirms: id });
  });

  it('never loses or duplicates an entry under 64 concurrent challengers', async () => {
    const before = Number(((await part('discourse'))['counts'] as JsonObject)['total']);
    const hash = await hashOf('d3');
    const challenger = async (name: number): Promise<number> => {
      for (let tries = 1; ; tries++) {
        const head = (await part('claims'))['thread_head'];
        const answer = await deployment.call(
          'VOXEL_CHALLENGE',
          {
            slug: 'notes',
            expected_thread_head: head,
            target_div: 'd3',
            expected_hash: hash,
            stance: 'challenge',
            body: `Reason ${name} of many.`,
            actor: `c${name}`,
          },
          anonymous,
        );
        if (isFault(answer) || answer.kind !== 'called') throw new Error('it was not recorded');
        if (answer.refusal === undefined) return tries;
        expect(answer.refusal.fault).toBe('thread_moved');
      }
    };
    await Promise.all(Array.from({ length: 64 }, (_, name) => challenger(name)));
    const after = await part('discourse');
    const bodies = (after['entries'] as readonly JsonObject[])
      .map((entry) => entry['body'])
      .filter((said) => /^Reason \d+ of many\.$/.test(String(said)));
    expect(Number((after['counts'] as JsonObject)['total'])).toBe(before + 64);
    expect(new Set(bodies).size).toBe(64);
    expect(after['verification']).toMatchObject({ valid: true, entries: before + 64 });
  }, 60_000);

  it('keeps a challenge open when its target text has changed, and marks the change', async () => {
    const open = async () =>
      ((await part('discourse'))['entries'] as readonly JsonObject[])
        .filter((entry) => entry['target'] === 'd2' && entry['status'] === 'open')
        .map((entry) => entry['text_changed']);
    expect(await open()).toEqual([undefined]);
    await deployment.did('VOXEL_EDIT', {
      slug: 'notes',
      div_id: 'd2',
      expected_hash: await hashOf('d2'),
      text: 'One, says RFC 6962.',
    });
    expect(await open()).toEqual([true]);
  });

  it('requires the current hash in an attestation', async () => {
    const stale = await refusal('VOXEL_ATTEST', {
      slug: 'notes',
      outcome: 'nothing_to_add',
      content_hash: 'f'.repeat(64),
      actor: 'ada',
    });
    expect(stale.fault).toBe('hash_stale');
    const said = await deployment.did(
      'VOXEL_ATTEST',
      {
        slug: 'notes',
        outcome: 'nothing_to_add',
        content_hash: String(stale.details?.['current_hash']),
        actor: 'ada',
      },
      anonymous,
    );
    expect(said['outcome']).toBe('nothing_to_add');
  });
});

describe('a vote', () => {
  it('is open to anybody, is decided once by the owner, and returns the call that executes it', async () => {
    const { vote_id: id } = await deployment.did(
      'VOXEL_VOTE',
      { slug: 'notes', target: 'd3', proposal: 'should_burn', rationale: 'It repeats d2.', actor: 'ada' },
      anonymous,
    );
    expect((await refusal('VOXEL_RATIFY', { vote_id: id, decision: 'ratified' })).fault).toBe(
      'credential_required',
    );
    expect(await deployment.did('VOXEL_RATIFY', { vote_id: id, decision: 'deferred' })).toMatchObject({
      status: 'open',
      execute: null,
    });
    expect(await deployment.did('VOXEL_RATIFY', { vote_id: id, decision: 'ratified' })).toMatchObject({
      status: 'decided',
      execute: { key: 'VOXEL_BURN', body: { slug: 'notes', ids: ['d3'] } },
    });
    const again = await deployment.call('VOXEL_RATIFY', { vote_id: id, decision: 'rejected' });
    expect(isFault(again) || again.kind !== 'called' ? undefined : again.refusal?.fault).toBe(
      'already_decided',
    );
  });

  it('returns an executable call whenever a single call suffices', async () => {
    await deployment.did('VOXEL_BATCH', {
      document: { slug: 'votes', markdown: '# Votes\n\nA first thought.\n\nA second one.\n\nA third.\n' },
    });
    await deployment.did('CLAIM_POST', {
      slug: 'votes',
      text: 'The log grows with every call.',
      tier: 'system',
      who_claims: 'ada',
      why_material: 'It is what is voted on.',
    });
    const ratified = async (target: string, proposal: string): Promise<JsonObject | null> => {
      const vote = { slug: 'votes', target, proposal, rationale: 'Because.', actor: 'ada' };
      const { vote_id: id } = await deployment.did('VOXEL_VOTE', vote, anonymous);
      const decided = await deployment.did('VOXEL_RATIFY', { vote_id: id, decision: 'ratified' });
      return decided['execute'] as JsonObject | null;
    };
    const keys: unknown[] = [];
    for (const [target, proposal] of [
      ['d2', 'should_merge'],
      ['d4', 'should_be_article'],
      ['c1', 'should_be_div'],
      ['c1', 'should_burn'],
      ['d4', 'should_burn'],
      ['votes', 'should_be_div'],
    ] as const) {
      const ready = await ratified(target, proposal);
      keys.push(ready?.['key']);
      const done = await deployment.call(String(ready?.['key']), ready?.['body'] as JsonObject);
      expect([target, proposal, isFault(done) || done.kind !== 'called' ? done : done.status]).toEqual([
        target,
        proposal,
        'success',
      ]);
    }
    expect(keys).toEqual([
      'VOXEL_CONSOLIDATE',
      'VOXEL_BATCH',
      'VOXEL_BATCH',
      'CLAIM_RETRACT',
      'VOXEL_BURN',
      'VOXEL_DIVIDE',
    ]);
    expect(await ratified('d2', 'should_split')).toBeNull();
    expect(await ratified('c1', 'should_burn')).toBeNull();
  });

  it.each([
    [
      'VOXEL_VOTE',
      { slug: 'notes', target: 'd9', proposal: 'should_burn', rationale: 'x', actor: 'a' },
      'not_found',
    ],
    [
      'VOXEL_VOTE',
      { slug: 'notes', target: 'd1', proposal: 'should_vanish', rationale: 'x', actor: 'a' },
      'body_mismatch',
    ],
    ['OBJECTION_LOG', { slug: 'notes', objection: 'x', surface: 'S9' }, 'body_mismatch'],
    ['OIP_ARTICLE_REVIEW', { slug: 'notes', verdict: 'fine', body: 'x', actor: 'a' }, 'body_mismatch'],
    [
      'VOXEL_ATTEST',
      { slug: 'nowhere', outcome: 'nothing_to_add', content_hash: 'x', actor: 'a' },
      'not_found',
    ],
  ])('%s %j is refused as %s', async (key, body, code) => {
    expect((await refusal(key, body)).fault).toBe(code);
  });
});
