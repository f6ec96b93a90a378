/** Whoever has the receipt of what he said learns what became of it: on its page and in a feed (contract §3, §8). */
import { expect, it } from 'vitest';
import { onBothStores } from '../support/both-stores.ts';
import type { Answer, TestServer } from '../support/server.ts';

async function made(server: TestServer, slug: string): Promise<string> {
  await server.article('# On bees\n\nBees dance in the dark.\n', { slug });
  await server.owner('/api/protocol/claim', {
    slug,
    text: 'Honey bees dance in the dark.',
    tier: 'human',
    who_claims: 'a keeper',
    why_material: 'It is what the article is about.',
  });
  return slug;
}

const call = (server: TestServer, key: string, body: object): Promise<Answer> =>
  server.anybody('/api/dispatch', { key, body: JSON.stringify(body) });
const ownerCall = (server: TestServer, key: string, body: object): Promise<Answer> =>
  server.owner('/api/dispatch', { key, body: JSON.stringify(body) });

/** The section about what became of it, as words; empty without one. */
async function toldOf(server: TestServer, inv: string): Promise<string> {
  const page = await (await server.fetch(`/receipt/${inv}`)).text();
  return (/<section class="outcome"[^]*?<\/section>/.exec(page)?.[0] ?? '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');
}

async function titlesOf(server: TestServer, inv: string): Promise<readonly string[]> {
  const response = await server.fetch(`/receipt/${inv}/feed.xml`);
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'application/atom+xml; charset=utf-8',
  ]);
  const entries = (await response.text()).split('<entry>').slice(1);
  return entries.map((entry) => /<title>([^<]*)<\/title>/.exec(entry)?.[1] ?? '');
}

onBothStores('a receipt', (server) => {
  it('tells that an objection is open, then how the owner settled it', async () => {
    const slug = await made(server(), 'settled');
    const { invocation, result } = await call(server(), 'OBJECTION_LOG', {
      slug: `${slug}/c1`,
      objection: 'Nobody has seen it.',
      actor: 'Ada',
    });
    expect(await toldOf(server(), invocation.id)).toContain('open The owner has not answered it yet.');
    expect(await titlesOf(server(), invocation.id)).toEqual(['“Ada” objected to c1 of On bees']);
    await ownerCall(server(), 'THREAD_SETTLE', {
      slug,
      entry: result.entry.id,
      note: 'It was filmed in red light.',
    });
    const told = await toldOf(server(), invocation.id);
    expect(told).toContain('settled Settled by the owner.');
    expect(told).toContain('It was filmed in red light.');
    expect(await titlesOf(server(), invocation.id)).toEqual([
      'Settled by the owner.',
      '“Ada” objected to c1 of On bees',
    ]);
  });

  it('tells that a wording was accepted, and as which version', async () => {
    const slug = await made(server(), 'accepted');
    const { invocation, result } = await call(server(), 'MIRROR_APPEND', {
      slug,
      claim_id: 'c1',
      kind: 'repair',
      actor: 'Zed',
      body: 'Honey bees dance on dark combs.',
    });
    expect(await toldOf(server(), invocation.id)).toContain(
      'proposed It waits for the decision of the owner.',
    );
    await ownerCall(server(), 'MIRROR_RESOLVE', {
      slug,
      contribution_id: result.contribution.id,
      decision: 'accepted',
      note: 'More exact.',
    });
    expect(await toldOf(server(), invocation.id)).toContain(
      'accepted Accepted by the owner. It became version 2 of c1.',
    );
    expect(await titlesOf(server(), invocation.id)).toEqual([
      'Accepted by the owner. It became version 2 of c1.',
      '“Zed” proposed another wording of c1 of On bees',
    ]);
  });

  it('tells that the text has changed since, and who answered', async () => {
    const slug = await made(server(), 'changed');
    const { divs } = await server().read(`/api/articles/${slug}/voxels`);
    const challenge = (actor: string, head: string, more: object = {}) =>
      call(server(), 'VOXEL_CHALLENGE', {
        slug,
        expected_thread_head: head,
        target_div: 'd2',
        expected_hash: divs[1].vx_hash,
        stance: 'challenge',
        body: 'Who saw it?',
        actor,
        ...more,
      });
    const first = await challenge('Ada', 'genesis');
    await challenge('Noor', first['result'].thread_head, { duplicate_of: first['result'].entry.id });
    await server().owner('/api/protocol/voxel-edit', {
      slug,
      div_id: 'd2',
      expected_hash: divs[1].vx_hash,
      text: 'Bees dance in the light.',
    });
    const inv = String(first['invocation'].id);
    expect(await toldOf(server(), inv)).toContain(
      'open stale The owner has not answered it yet. The text that it is about has changed since.',
    );
    expect(await titlesOf(server(), inv)).toEqual([
      'd2 was changed: what was said is about an earlier text.',
      'An answer: “Noor” confirmed an earlier objection to block d2 of On bees',
      '“Ada” challenged block d2 of On bees',
    ]);
  });

  it('tells nothing, and has no feed, where nothing was said or what was said is not public', async () => {
    const slug = await made(server(), 'hidden');
    const { invocation } = await call(server(), 'OBJECTION_LOG', {
      slug,
      objection: 'It hides.',
      actor: 'Ada',
    });
    const inspected = await call(server(), 'ARTICLE_INSPECT', { slug });
    expect(await toldOf(server(), inspected['invocation'].id)).toBe('');
    expect((await server().fetch(`/receipt/${String(inspected['invocation'].id)}/feed.xml`)).status).toBe(
      404,
    );
    expect((await server().fetch('/receipt/inv_aaaaaaaaaaaaaaaa/feed.xml')).status).toBe(404);
    expect((await server().fetch(`/receipt/${String(invocation.id)}/feed.xml`)).status).toBe(200);
    await server().owner('/api/workspace', {
      name: 'closed-house',
      title: 'Closed',
      status: 'closed',
    });
    await server().article('# Within\n\nA secret.\n', { slug: 'closed-house--within' });
    const within = await ownerCall(server(), 'OBJECTION_LOG', {
      slug: 'closed-house--within',
      objection: 'A secret objection.',
    });
    const inv = String(within['invocation'].id);
    expect(await toldOf(server(), inv)).toBe('');
    const feed = await server().fetch(`/receipt/${inv}/feed.xml`);
    expect([feed.status, (await feed.text()).includes('secret')]).toEqual([404, false]);
  });

  it('keeps markup and tokens out of its feed', async () => {
    const slug = await made(server(), 'marked-up');
    const minted = await server().owner('/api/dispatch', {
      key: 'CAP_MINT',
      body: JSON.stringify({ scope: 'row', keys: ['ARTICLE_INSPECT'], ttl: 600, purpose: 'x', actor: 'a' }),
    });
    const token = String(minted['share']);
    const { invocation } = await call(server(), 'OBJECTION_LOG', {
      slug,
      objection: `<script>alert(1)</script> & ${token}`,
      actor: 'Ada',
    });
    const feed = await (await server().fetch(`/receipt/${String(invocation.id)}/feed.xml`)).text();
    expect(feed).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; ');
    expect(feed).not.toContain(token);
  });
});
