/** Objections, reviews and votes compare the text that they speak of, where it is sent (contract §5), on both stores. */
import { createHash } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { onBothStores } from '../support/both-stores.ts';
import type { Answer } from '../support/server.ts';
import { send } from './client.ts';

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const slug = 'compared';
const body = '# Compared\n\nOne line.\n';
const claim = 'Every entry is hashed with its salt.';
const stale = hashOf('what stood before');

onBothStores('what is said about a text', (server) => {
  beforeAll(async () => {
    await server().article(body, { slug });
    await server().owner('/api/protocol/claim', {
      slug,
      text: claim,
      tier: 'system',
      who_claims: 'ada',
      why_material: 'A test.',
    });
  });
  const call = async (key: string, args: object) => {
    const { status, body: text } = await send(server().base, {
      path: '/api/dispatch',
      body: { key, body: JSON.stringify(args) },
    });
    return { status, json: JSON.parse(text) as Answer };
  };
  const object = (part: string, more: object) =>
    call('OBJECTION_LOG', { slug: part === '' ? slug : `${slug}/${part}`, actor: 'ada', ...more });
  const voted = (target: string, more: object) =>
    call('VOXEL_VOTE', { slug, target, proposal: 'should_burn', rationale: 'Why.', actor: 'ada', ...more });
  const review = (more: object) =>
    call('OIP_ARTICLE_REVIEW', { slug, verdict: 'sound', body: 'It is sound.', actor: 'ada', ...more });
  const said = async (): Promise<number> =>
    Number((await server().read(`/api/articles/${slug}/discourse`))['count']) +
    Number((await server().read(`/api/articles/${slug}/votes`))['count']);

  it.each([
    ['a block', 'd2', { div_id: 'd2', current_text: 'One line.', current_hash: hashOf('One line.') }],
    ['a claim', 'c1', { claim_id: 'c1', current_text: claim, current_hash: hashOf(claim) }],
    ['the article', '', { current_text: null, current_hash: hashOf(body) }],
  ])(
    'about %s is refused for a hash that is not its own, and taken for its own',
    async (_what, on, current) => {
      const before = await said();
      const expected = { error: 'hash_stale', expected_hash: stale, ...current };
      for (const refused of [
        await object(on, { objection: `Not so, says ${on}.`, expected_hash: stale }),
        await voted(on === '' ? slug : on, { expected_hash: stale }),
      ])
        expect([refused.status, refused.json]).toEqual([409, expect.objectContaining(expected)]);
      expect(await said()).toBe(before);
      const hash = current.current_hash;
      const taken = [
        await object(on, { objection: `Not so, says ${on}.`, expected_hash: hash }),
        await object(on, { objection: `Nor so, says ${on}.`, expected_hash: hash.slice(0, 12) }),
        await object(on, { objection: `No hash, says ${on}.` }),
        await voted(on === '' ? slug : on, { expected_hash: hash }),
      ];
      expect(taken.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect(await said()).toBe(before + 4);
    },
  );

  it('as a review names the text of the article, or none', async () => {
    const refused = await review({ content_hash: stale });
    expect([refused.status, refused.json['error'], refused.json['current_hash']]).toEqual([
      409,
      'hash_stale',
      hashOf(body),
    ]);
    expect((await review({ content_hash: hashOf(body) })).status).toBe(200);
    expect((await review({})).status).toBe(200);
  });

  it('lists the stale hash beside other faults', async () => {
    const { status, json } = await object('d2', { objection: '', expected_hash: stale });
    expect([status, json['stale']]).toEqual([
      422,
      [{ at: '/expected_hash', div_id: 'd2', current_hash: hashOf('One line.') }],
    ]);
    const vote = await voted('c1', { proposal: 'should_dance', expected_hash: stale });
    expect(vote.json['stale']).toEqual([
      { at: '/expected_hash', claim_id: 'c1', current_hash: hashOf(claim) },
    ]);
  });

  it('confirms an objection that says the same, and no entry about something else', async () => {
    const first = await object('d2', { objection: 'Nobody has seen it.' });
    const { id } = first.json['result'].entry as { id: string };
    const again = await object('d2', { objection: 'Nobody has seen it.', actor: 'noor' });
    expect([again.status, again.json['error'], again.json['canonical'].id]).toEqual([
      409,
      'near_duplicate',
      id,
    ]);
    expect(again.json['fix']).toBe('Confirm it by sending duplicate_of, or say what differs.');
    const confirmed = await object('d2', {
      objection: 'Nobody has seen it.',
      actor: 'noor',
      duplicate_of: id,
    });
    expect([confirmed.status, confirmed.json['result'].entry]).toEqual([
      200,
      expect.objectContaining({ stance: 'confirmation', confirms: id, target: 'd2', actor: 'noor' }),
    ]);
    const elsewhere = await object('c1', { objection: 'Nobody has seen it.', duplicate_of: id });
    expect([elsewhere.status, elsewhere.json['error']]).toEqual([422, 'body_mismatch']);
  });
});
