/** Where refusals lead (contract §2): to what mends them, and only to what the caller may read. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storeEnvironments } from '../support/store-environments.ts';
import { openLocal, owner, type LocalServer, type Reply } from './local.ts';
import { expectProblem } from './problem.ts';

interface Led {
  readonly next: readonly string[];
  readonly near: readonly (string | undefined)[];
  readonly about: unknown;
}

const base = 'http://127.0.0.1:8787';
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe.each(storeEnvironments())('a refusal on $name', (store) => {
  let server: LocalServer;
  let closedKey: string;
  let wideShare: string;

  const owned = (key: string, body: string | object, more: object = {}): Promise<Reply> =>
    server.call(key, body, { ...more }, owner);
  const write = (slug: string, more: object = {}, place: object = {}): Promise<Reply> =>
    owned(
      'VOXEL_BATCH',
      { document: { slug, title: slug, markdown: `# ${slug}\n\nOne.\n\nTwo.\n`, ...more } },
      place,
    );

  /** What leads on; the addresses are opened with the same credential, as a client would. */
  async function led(refused: Reply, code: string, headers: Record<string, string> = {}): Promise<Led> {
    const problem = expectProblem(refused, code) as unknown as {
      next: string[];
      about?: unknown;
      did_you_mean?: { id?: string; key?: string; url: string }[];
    };
    const near = problem.did_you_mean ?? [];
    for (const url of [...problem.next, ...near.map((each) => each.url)]) {
      const { pathname, search } = new URL(url);
      const opened = await server.send({ path: `${pathname}${search}`, headers });
      expect(`${url} ${opened.status}`).toBe(`${url} 200`);
    }
    return { next: problem.next, near: near.map(({ id, key }) => id ?? key), about: problem.about };
  }
  const read = async (path: string, code: string, headers: Record<string, string> = {}): Promise<Led> =>
    led(await server.send({ path, headers }), code, headers);

  beforeAll(async () => {
    await store.start();
    server = await openLocal({ env: await store.env() });
    for (const name of ['open', 'closed'])
      await owned('WORKSPACE_CREATE', { name: `${name}-room`, title: name, purpose: 'Tests.', status: name });
    await write('tide-tables');
    await write('tide-drafts', { status: 'draft' });
    await write('closed-room--tide-notes', {}, { workspace: 'closed-room' });
    for (const text of ['Spring tides follow new moons.', 'Neap tides follow half moons.'])
      await owned('CLAIM_POST', {
        slug: 'tide-tables',
        text,
        tier: 'system',
        who_claims: 'ada',
        why_material: 'x',
      });
    const minted = await owned('KEY_MINT', 'read', { workspace: 'closed-room' });
    closedKey = String(minted.json['key']);
    ({ share: wideShare } = await server.mint({ scope: 'act', max_uses: 0 }));
  });
  afterAll(async () => {
    await server.end();
    await store.stop();
  });

  describe('of a misspelt slug', () => {
    it('leads to the same read of the nearest article, to a search and to the list', async () => {
      expect(await read('/api/articles/tide-tabels/claims', 'not_found')).toEqual({
        next: [
          `${base}/api/articles/tide-tables/claims`,
          `${base}/api/search?q=tide-tabels`,
          `${base}/api/articles`,
        ],
        near: ['tide-tables'],
        about: { kind: 'article', id: 'tide-tabels' },
      });
    });

    it.each(['Tide Tables', 'http://127.0.0.1:8787/a/tide-tables', 'tables-of-tide'])(
      'leads there from “%s”',
      async (named) => {
        const refused = await server.call('ARTICLE_INSPECT', { slug: named });
        if (refused.status === 422) return;
        expect((await led(refused, 'not_found')).near).toContain('tide-tables');
      },
    );

    it('names a draft to those who may read it only', async () => {
      const path = '/api/articles/tide-draft';
      expect((await read(path, 'not_found')).near).not.toContain('tide-drafts');
      expect((await read(path, 'not_found', owner)).near).toContain('tide-drafts');
      expect((await read(path, 'not_found', bearer(wideShare))).near).toContain('tide-drafts');
      const self = await server.get({ self_scope: '1' });
      const selfCut = bearer(String(self.json['share']));
      expect((await read(path, 'not_found', selfCut)).near).not.toContain('tide-drafts');
    });

    it('names articles of a closed workspace to its own credentials only', async () => {
      const path = '/api/articles/closed-room--tide-note';
      const strangers = await read(path, 'not_found');
      expect(JSON.stringify(strangers.near)).not.toContain('closed-room');
      expect(JSON.stringify((await read(path, 'not_found', bearer(wideShare))).near)).not.toContain(
        'closed-room',
      );
      expect((await read(path, 'not_found', bearer(closedKey))).near).toEqual(['closed-room--tide-notes']);
    });

    it('is compared beyond the first 200 articles', async () => {
      for (let i = 0; i < 8; i++)
        await Promise.all(
          Array.from({ length: 26 }, (_, n) => write(`filler-${String(i * 26 + n).padStart(3, '0')}`)),
        );
      expect((await read('/api/articles/tide-tabels', 'not_found')).near).toContain('tide-tables');
    });
  });

  describe('of a part of an article', () => {
    it('leads from a wrong claim to the claims of the article', async () => {
      const refused = await server.call(
        'MIRROR_APPEND',
        'tide-tables|c12|objection|ada|The moon is not named.',
      );
      expect(await led(refused, 'not_found')).toEqual({
        next: [
          `${base}/api/articles/tide-tables/claims`,
          `${base}/a/tide-tables/c1`,
          `${base}/a/tide-tables/c2`,
          `${base}/api/articles/tide-tables`,
        ],
        // A digit too many, then the newest.
        near: ['c1', 'c2'],
        about: { kind: 'claim', id: 'c12', slug: 'tide-tables' },
      });
    });

    it('leads from a wrong block to the blocks', async () => {
      const refused = await owned('VOXEL_EDIT', {
        slug: 'tide-tables',
        div_id: 'd99',
        expected_hash: 'f'.repeat(64),
        text: 'x',
      });
      expect(await led(refused, 'not_found', owner)).toMatchObject({
        next: [
          `${base}/api/articles/tide-tables/voxels`,
          `${base}/a/tide-tables/d3`,
          `${base}/a/tide-tables/d2`,
          `${base}/a/tide-tables/d1`,
          `${base}/api/articles/tide-tables`,
        ],
        near: ['d3', 'd2', 'd1'],
      });
    });

    it('leads from a misspelt part to the nearest', async () => {
      expect((await read('/api/articles/tide-tables/clams', 'not_found')).next[0]).toBe(
        `${base}/api/articles/tide-tables/claims`,
      );
    });

    it('leads from an unknown vote, contribution and revision to their lists', async () => {
      const vote = await owned('VOXEL_RATIFY', 'vote_aaaaaaaaaaaaaaaa|ratified');
      expect((await led(vote, 'not_found', owner)).next).toEqual([
        `${base}/api/dispatch?key=VOXEL_RATIFY`,
        `${base}/api/articles`,
        `${base}/llms.txt`,
      ]);
      const filed = await server.call('MIRROR_APPEND', 'tide-tables|c1|objection|ada|No source is named.');
      const { id } = (filed.json['result'] as { contribution: { id: string } }).contribution;
      const wrong = `${id.slice(0, -1)}${id.endsWith('a') ? 'b' : 'a'}`;
      const resolved = await owned('MIRROR_RESOLVE', `tide-tables|${wrong}|accepted`);
      const mirror = await led(resolved, 'not_found', owner);
      expect(mirror.near).toEqual([id]);
      expect(mirror.next[0]).toBe(`${base}/api/articles/tide-tables/mirror`);
      expect((await read('/api/articles/tide-tables/revisions?rev=99', 'not_found')).next[0]).toBe(
        `${base}/api/articles/tide-tables/revisions`,
      );
    });
  });

  describe('of authority', () => {
    it('leads a share in the address on by addresses that work as they stand', async () => {
      const { share, fingerprint } = await server.mint({
        scope: 'rows',
        keys: ['MIRROR_FEED', 'OBJECTION_LOG'],
      });
      const { next } = await led(
        await server.get({ invoke: 'CLAIM_POST', body: 'tide-tables', share }),
        'scope_denied',
      );
      expect(next).toEqual([
        `${base}/api/dispatch?explain=1&share=${share}`,
        `${base}/api/dispatch?key=OBJECTION_LOG`,
        `${base}/api/dispatch?key=MIRROR_FEED`,
        `${base}/api/workspace/main`,
        `${base}/api/dispatch?key=CLAIM_POST`,
      ]);
      const inHeader = await led(
        await server.call('CLAIM_POST', 'tide-tables', {}, bearer(share)),
        'scope_denied',
        bearer(share),
      );
      expect(inHeader.next[0]).toBe(`${base}/api/dispatch?explain=1&share=${fingerprint}`);
    });

    it('leads a share that is bound to an article to that article', async () => {
      const { share } = await server.mint({ scope: 'row', key: 'CLAIM_RETRACT', article: 'tide-tables' });
      const refused = await server.call('CLAIM_RETRACT', 'filler-001|c1|x', { share });
      const { next } = await led(refused, 'scope_denied', bearer(share));
      expect(next).toContain(`${base}/api/articles/tide-tables`);
      expect(next).toContain(`${base}/api/workspace/main`);
    });

    it('leads a closed workspace’s share in the address to reads that it opens', async () => {
      const minted = await owned(
        'CAP_MINT',
        { scope: 'row', key: 'ARTICLE_INSPECT' },
        { workspace: 'closed-room' },
      );
      const share = String(minted.json['share']);
      const refused = await server.get({ invoke: 'CLAIM_POST', body: 'closed-room--tide-notes', share });
      const { next } = await led(refused, 'scope_denied');
      expect(next).toContain(`${base}/api/workspace/closed-room?share=${share}`);
      const lost = await server.send({ path: `/api/articles/closed-room--tide-note?share=${share}` });
      expect((await led(lost, 'not_found')).next[0]).toBe(
        `${base}/api/articles/closed-room--tide-notes?share=${share}`,
      );
    });

    it('says in the record of the workspace who grants more', async () => {
      const { json } = await server.send({ path: '/api/workspace/main' });
      expect((json['workspace'] as { grants: unknown }).grants).toMatchObject({
        who: 'the owner of this deployment grants any row; everybody may cut a credential for the open roles; a holder cuts narrower ones',
        contracts: [`${base}/api/dispatch?key=CAP_MINT`, `${base}/api/dispatch?key=KEY_MINT`],
      });
    });

    it('lets a credential that is over explain itself, in a header too', async () => {
      const { share, fingerprint } = await server.mint({ scope: 'row', key: 'MIRROR_FEED', ttl: 1 });
      const { fingerprint: other } = await server.mint({
        scope: 'row',
        key: 'MIRROR_FEED',
        purpose: 'unseen',
      });
      server.advance(2000);
      const own = await server.send({
        path: `/api/dispatch?explain=1&share=${fingerprint}`,
        headers: bearer(share),
      });
      expect([own.status, own.json['state'], own.json['purpose']]).toEqual([200, 'expired', '']);
      const others = await server.send({
        path: `/api/dispatch?explain=1&share=${other}`,
        headers: bearer(share),
      });
      expect([others.status, others.json['purpose']]).toEqual([200, undefined]);
      const refused = await server.call('MIRROR_FEED', 'tide-tables', { share });
      const { next } = await led(refused, 'token_expired', bearer(share));
      expect(next[0]).toBe(`${base}/api/dispatch?explain=1&share=${fingerprint}`);
    });
  });

  it('of a name in a list leads to the nearest name that the caller may see', async () => {
    expect((await read('/api/workspace/open-rom', 'not_found')).near).toEqual(['open-room']);
    expect((await read('/api/workspace/closed-rom', 'not_found')).near).not.toContain('closed-room');
    expect((await read('/api/workspace/closed-rom', 'not_found', owner)).near).toContain('closed-room');
    expect((await read('/api/dispatch?map=discurse', 'not_found')).near).toEqual(['discourse']);
    expect((await read('/api/dispatch?key=OBJECT', 'unknown_key')).near).toEqual(['OBJECTION_LOG']);
    const bare = await server.send({ path: '/api/dispatch?invoke=OBJECTION_LOG&slug=tide-tables' });
    expect(bare.json['next']).toContain(`${base}/api/dispatch?key=OBJECTION_LOG`);
    const page = await server.send({ path: '/a/tide-table' });
    expect([page.status, page.body]).toEqual([
      404,
      expect.stringContaining(`Did you mean <a href="/a/tide-tables">tide-tables</a>`),
    ]);
    expect(bare.json['violations']).toContainEqual(
      expect.objectContaining({
        at: '?slug',
        fix: expect.stringMatching(
          /^Write an argument of the row as arg\.<name>: arg\.slug=…\. Else use only/,
        ),
      }),
    );
    expect((await read('/api/dispatch?key=MIROR_FEED', 'unknown_key')).next[0]).toBe(
      `${base}/api/dispatch?key=MIRROR_FEED`,
    );
    expect((await read('/api/dispatch?receipt=inv_aaaaaaaaaaaaaaaa', 'not_found')).next).toEqual([
      `${base}/api/proven-work`,
    ]);
  });

  it('of an assignment leads to those that the credential holds', async () => {
    await owned('LANDSCAPE_QUEUE', {
      cohort: 'tides',
      query: 'tides',
      captured_at: '2026-03-01T12:00:00Z',
      targets: [{ name: 'Severn', url: 'https://example.org/severn' }],
    });
    const { share } = await server.mint({ scope: 'rows', keys: ['LANDSCAPE_NEXT'] });
    const leased = await server.call('LANDSCAPE_NEXT', 'build|tides', { share });
    expect(`${leased.status} ${leased.body.slice(0, 300)}`).toMatch(/^200/);
    const { assignment_id: id } = leased.json['result'] as { assignment_id: string };
    const wrong = `${id.slice(0, -1)}${id.endsWith('a') ? 'b' : 'a'}`;
    const mine = await read(`/api/normandy?assignment=${wrong}`, 'not_found', bearer(share));
    expect(mine.near).toEqual([id]);
    expect((await read(`/api/normandy?assignment=${wrong}`, 'not_found')).near).toEqual([]);
    expect((await read('/api/build-landscape?cohort=tieds', 'not_found')).near).toEqual(['tides']);
  });

  it('of a parameter leads to the same read without it', async () => {
    const { next } = await read('/api/articles?limitt=5&tag=sea', 'invalid_request');
    expect(next[0]).toBe(`${base}/api/articles?tag=sea`);
  });

  it('of a repeated idempotency key leads to what the key was used for', async () => {
    const first = await owned('PAPER_STATE', '', { idem: 'twice' });
    const { id } = first.json['invocation'] as { id: string };
    const refused = await owned('MIRROR_FEED', 'tide-tables', { idem: 'twice' });
    expect((await led(refused, 'idempotency_conflict', owner)).next).toContain(
      `${base}/api/dispatch?confirm=${id}`,
    );
  });
});
