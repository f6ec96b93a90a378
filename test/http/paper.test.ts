import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storeKinds } from '../support/stores.ts';
import { sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { openLocal, owner, type LocalServer, type Reply } from './local.ts';
import { expectProblem } from './problem.ts';
import { expectReplays } from './replays.ts';

describe.each(storeKinds().map(({ name }) => name))('the paper on %s', (name) => {
  let server: LocalServer;
  let database: TestDatabases | undefined;

  beforeAll(async () => {
    if (name === 'postgres') database = await sharedPostgres();
    server = await openLocal(database === undefined ? {} : { databaseUrl: await database.database() });
    await server.deployment.did('VOXEL_BATCH', {
      document: { slug: 'alpha', title: 'alpha', markdown: '# alpha\n\nOne.\n\nTwo.\n' },
    });
  });

  afterAll(async () => {
    await server.end();
    await database?.stop();
  });

  const state = async () =>
    (await server.call('PAPER_STATE', '')).json['result'] as {
      slug: string;
      rings: number;
      drifted: boolean;
      drift: Record<string, number>;
      latest_ring: { ring: number; counts: Record<string, number> };
      live: Record<string, number>;
    };
  const grow = (): Promise<Reply> => server.call('PAPER_GROW', '', {}, owner);

  it('has no ring before it grows', async () => {
    expect(await state()).toMatchObject({
      rings: 0,
      slug: null,
      latest_ring: null,
      drift: null,
      live: { articles: 1, divs: 3 },
    });
  });

  it('grows into an article about the ledger, and then reports the drift since that article', async () => {
    const first = await grow();
    expect(first.json['result']).toMatchObject({
      slug: 'growth-of-this-ledger',
      version: 1,
      ring: { ring: 1, counts: { articles: 1, divs: 3, claims: 0, contributions: 0 } },
    });
    expect(await state()).toMatchObject({ rings: 1, drifted: false });
    await server.call('MIRROR_APPEND', 'alpha||question|ada|Is this counted?');
    await server.call('OBJECTION_LOG', 'alpha|Nothing is cited.');
    await server.deployment.did('VOXEL_BATCH', { document: { slug: 'beta', markdown: '# beta\n' } });
    expect(await state()).toMatchObject({
      rings: 1,
      drifted: true,
      drift: { articles: 1, divs: 1, contributions: 1, discourse: 1, claims: 0 },
    });
    const second = await grow();
    expect(second.json['result']).toMatchObject({
      slug: 'growth-of-this-ledger',
      // Both generated blocks are rewritten by one call, which makes one revision.
      version: 2,
      ring: { ring: 2, counts: { articles: 2, divs: 4 }, gained: { articles: 1, divs: 1, contributions: 1 } },
    });
    expect(await state()).toMatchObject({ rings: 2, drifted: false });
    const { body } = (await server.send({ path: '/api/articles/growth-of-this-ledger' })).json as {
      body: string;
    };
    expect(body).toContain('| published articles | 2 | +1 |');
    expect(body).toMatch(/\| 2 \| .*\n\| 1 \| /);
    for (const [rev, rings] of [
      [1, 1],
      [2, 2],
    ]) {
      const then = await server.send({ path: `/api/articles/growth-of-this-ledger/revisions?rev=${rev}` });
      expect(String(then.json['body']).match(/^\| \d+ \| 20/gm)).toHaveLength(rings as number);
    }
    const { json } = await server.send({ path: '/api/articles/growth-of-this-ledger/provenance' });
    const acts = json['provenance'] as { action: string }[];
    expect(acts.map(({ action }) => action)).toEqual(['write', 'voxel_edit']);
    const { divs } = (await server.send({ path: '/api/articles/growth-of-this-ledger/voxels' })).json as {
      divs: { div_id: string; chain: { op: string }[] }[];
    };
    expect(divs.filter(({ chain }) => chain.at(-1)?.op === 'edit').map((div) => div.div_id)).toEqual([
      'd4',
      'd6',
    ]);
  });

  it('adds one ring per call when three calls run concurrently', async () => {
    const before = (await state()).rings;
    const replies = await Promise.all([grow(), grow(), grow()]);
    const rings = replies.map(({ json }) => (json['result'] as { ring: { ring: number } }).ring.ring);
    expect(rings.sort((a, b) => a - b)).toEqual([before + 1, before + 2, before + 3]);
  });

  it('grows again after a DIV of its article was burned', async () => {
    await server.deployment.did('VOXEL_BURN', { slug: 'growth-of-this-ledger', ids: ['d4'], reason: 'test' });
    const before = (await state()).rings;
    expect((await grow()).json['result']).toMatchObject({ ring: { ring: before + 1 } });
  });

  it('grows only for a caller with a credential', async () => {
    expectProblem(await server.call('PAPER_GROW', ''), 'credential_required');
    const { share } = await server.mint({ scope: 'act' });
    expect((await server.call('PAPER_GROW', '', { share })).status).toBe(200);
  });

  it('rebuilds identically from the ledger', () => expectReplays(server));
});
