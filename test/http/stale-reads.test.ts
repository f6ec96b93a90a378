/** A refused write lists every stale hash, version and head in it (contract §2, spec §4.5), on both stores. */
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { onBothStores } from '../support/both-stores.ts';
import { terminalKey } from '../support/server.ts';
import { send } from './client.ts';
import { expectProblem, type Problem } from './problem.ts';

const owner = { 'x-terminal-key': terminalKey };
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const body = '# Told\n\nOne.\n\nTwo.\n';
const slug = 'read-early';

onBothStores('a refused write', (server) => {
  const post = (path: string, given: object, headers: Record<string, string> = owner) =>
    send(server().base, { path: `/api/${path}`, headers, body: given });
  const refused = async (path: string, given: object, code: string): Promise<Problem> =>
    expectProblem(await post(`protocol/${path}`, { slug, ...given }), code);

  it('is tested on an article with a claim', async () => {
    expect((await post('protocol/voxel-batch', { document: { slug, markdown: body } })).status).toBe(200);
    const claim = { tier: 'system', who_claims: 'ada', why_material: 'A test.' };
    const text = 'Every entry is hashed with its salt.';
    expect((await post('protocol/claim', { slug, text, ...claim })).status).toBe(200);
  });

  it('lists current hashes and versions together with violations', async () => {
    const edit = { div_id: 'd2', expected_hash: 'stale' };
    const current = [{ at: '/expected_hash', div_id: 'd2', current_hash: hashOf('One.') }];
    expect((await refused('voxel-edit', { ...edit, text: '' }, 'body_mismatch'))['stale']).toEqual(current);
    const mistyped = await refused('voxel-edit', { ...edit, text: 7, size: 3 }, 'body_mismatch');
    expect(mistyped['stale']).toEqual(current);
    expect(mistyped.detail).toContain('Read too early: expected_hash.');
    expect(mistyped.fix).toBe(
      'Correct the body as inputs and example show, and send it as a repair of this invocation, with what stale names.',
    );
    const repair = { claim_id: 'c1', text: 'Why?', rationale: 'x', expected_hash: 'stale' };
    expect((await refused('repair', repair, 'content_rule'))['stale']).toEqual([
      {
        at: '/expected_hash',
        claim_id: 'c1',
        current_hash: hashOf('Every entry is hashed with its salt.'),
      },
    ]);
    const meta = { expected_version: 1, status: 'secret' };
    expect((await refused('article', meta, 'content_rule'))['stale']).toEqual([
      { at: '/expected_version', current_version: 2 },
    ]);
    const move = { div_id: 'd3', expected_order: 1, direction: 'sideways' };
    expect((await refused('voxel-move', move, 'body_mismatch'))['stale']).toEqual([
      { at: '/expected_order', div_id: 'd3', current_order: 3 },
    ]);
    const attested = { outcome: 'maybe', content_hash: 'stale', actor: 'ada' };
    expect((await refused('voxel-attest', attested, 'body_mismatch'))['stale']).toEqual([
      { at: '/content_hash', current_hash: hashOf(body) },
    ]);
  });

  it('lists unknown DIVs and claims with violations, and returns not_found for them alone', async () => {
    const places = ({ violations }: Problem): unknown =>
      (violations as { code: string; at: string }[]).map(({ code, at }) => [code, at]);
    const edit = { div_id: 'd99', expected_hash: 'x', text: '' };
    expect(places(await refused('voxel-edit', edit, 'body_mismatch'))).toEqual([
      ['blank', '/text'],
      ['unknown_div', '/div_id'],
    ]);
    await refused('voxel-edit', { ...edit, text: 'New.' }, 'not_found');
    const burn = { ids: ['d2', 'd98', 'd99'], reason: '', size: 3 };
    expect(places(await refused('voxel-burn', burn, 'body_mismatch'))).toEqual([
      ['unknown_argument', '/size'],
      ['blank', '/reason'],
      ['unknown_div', '/ids/1'],
      ['unknown_div', '/ids/2'],
    ]);
    const repair = { claim_id: 'c9', text: 'Why?', rationale: ' ', expected_hash: 'x' };
    expect(places(await refused('repair', repair, 'body_mismatch'))).toEqual([
      ['blank', '/rationale'],
      ['question', '/text'],
      ['unknown_claim', '/claim_id'],
    ]);
    const retract = { claim_id: 'c9', reason: '' };
    expect(places(await refused('retract', retract, 'body_mismatch'))).toEqual([
      ['blank', '/reason'],
      ['unknown_claim', '/claim_id'],
    ]);
    await refused('retract', { ...retract, reason: 'Wrong.' }, 'not_found');
    const vote = { target: 'd99', proposal: 'should_burn', rationale: '', actor: 'ada' };
    expect(places(await refused('voxel-vote', vote, 'body_mismatch'))).toEqual([
      ['blank', '/rationale'],
      ['unknown_div', '/target'],
    ]);
  });

  it('lists every stale value when several conflict', async () => {
    const challenge = {
      expected_thread_head: 'stale',
      target_div: 'd2',
      expected_hash: 'stale',
      stance: 'challenge',
      body: 'The passage names no source.',
      actor: 'ada',
    };
    const moved = await refused('voxel-challenge', challenge, 'thread_moved');
    expect(moved['current_thread_head']).toBe('genesis');
    expect(moved['stale']).toEqual([
      { at: '/expected_hash', div_id: 'd2', current_hash: hashOf('One.') },
      { at: '/expected_thread_head', current_thread_head: 'genesis' },
    ]);
    const together = { div_ids: ['d1', 'd2', 'd3'], expected_hashes: ['x', hashOf('One.'), 'y'] };
    expect((await refused('voxel-consolidate', together, 'hash_stale'))['stale']).toEqual([
      { at: '/expected_hashes/0', div_id: 'd1', current_hash: hashOf('# Told') },
      { at: '/expected_hashes/2', div_id: 'd3', current_hash: hashOf('Two.') },
    ]);
  });

  it('reports a single conflict once', async () => {
    const edit = { div_id: 'd2', expected_hash: 'stale', text: 'New.' };
    const stale = await refused('voxel-edit', edit, 'hash_stale');
    expect(stale).toMatchObject({ current_hash: hashOf('One.'), current_text: 'One.' });
    expect(stale).not.toHaveProperty('stale');
  });

  it('reveals no current hash to a caller without authority', async () => {
    const edit = { slug, div_id: 'd2', expected_hash: 'stale', text: '' };
    const nobody = expectProblem(await post('protocol/voxel-edit', edit, {}), 'credential_required');
    expect(JSON.stringify(nobody)).not.toContain(hashOf('One.'));
    await post('protocol/voxel-batch', { document: { slug: 'unseen', markdown: body, status: 'draft' } });
    const said = { slug: 'unseen', outcome: 'maybe', content_hash: 'stale', actor: 'ada' };
    const draft = expectProblem(await post('protocol/voxel-attest', said, {}), 'body_mismatch');
    expect(draft).not.toHaveProperty('stale');
  });
});
