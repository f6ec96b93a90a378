import { beforeAll, describe, expect, it } from 'vitest';
import { expectRebuilds, onBothStores } from '../support/both-stores.ts';
import type { Answer } from '../support/server.ts';
import { send, type HttpRequest } from './client.ts';
import { requestsById, unlisted } from './tenants-ids.ts';
import { requestsFor, saidBy, walkOf, type Walk } from './tenants-walk.ts';
import { absent, buildWorld, type Names, type World } from './tenants-world.ts';

type Headers = Readonly<Record<string, string>>;
const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });

onBothStores('a workspace', (server) => {
  /** Closed: nobody but its own sees anything of it. */
  let alpha: World;
  let gamma: World;
  let main: World;
  let walk: Walk;

  beforeAll(async () => {
    alpha = await buildWorld(server(), 'alpha', 'closed');
    gamma = await buildWorld(server(), 'gamma', 'open');
    main = await buildWorld(server(), 'main', 'open');
    walk = await walkOf(server(), alpha.names);
    // The first refusals of a credential have receipts of their own; these are behind us (contract §3).
    for (const { key, share } of [alpha, gamma, main])
      for (const token of [key, share])
        for (let i = 0; i < 26; i++)
          await send(server().base, {
            path: '/api/dispatch',
            headers: bearer(token),
            body: { key: 'WORKSPACE_SET', body: 'ghost' },
          });
  }, 120_000);

  const ask = async (request: HttpRequest, headers: Headers, names: Names): Promise<object> =>
    saidBy(await send(server().base, { ...request, headers: { ...headers, ...request.headers } }), names);

  /** Asks for both and says where the answers differ. */
  async function differences(
    headers: Headers,
    here: Names,
    there: Names,
    wanted: (request: HttpRequest) => boolean = () => true,
    requests = (names: Names): HttpRequest[] => requestsFor(walk, names),
  ): Promise<[string, object, object][]> {
    const [asked, twins] = [requests(here), requests(there)];
    const found: [string, object, object][] = [];
    for (const [i, request] of asked.entries()) {
      // What names nothing of either says nothing of them.
      if (JSON.stringify(request) === JSON.stringify(twins[i]) || !wanted(request)) continue;
      const [told, twin] = await Promise.all([
        ask(request, headers, here),
        ask(twins[i] as HttpRequest, headers, there),
      ]);
      if (JSON.stringify(told) !== JSON.stringify(twin))
        found.push([
          `${request.method ?? ''} ${request.path} ${JSON.stringify(request.body ?? '')}`,
          told,
          twin,
        ]);
    }
    return found;
  }

  it('differs from an absent workspace for its own key, on every kind of route', async () => {
    const own = await differences(bearer(alpha.key), alpha.names, absent);
    const paths = own.map(([what]) => what);
    expect(paths.length).toBeGreaterThan(120);
    for (const path of [
      '/api/articles/',
      '/api/graph?',
      '/api/v1/query?',
      '/api/search?',
      '/api/dispatch?receipt=',
      '/api/directory/',
      '/api/protocol/',
      '/api/workspace/',
      '/api/invocations?',
      '/mcp',
    ])
      expect([path, paths.some((each) => each.includes(path))]).toEqual([path, true]);
  }, 120_000);

  describe('under foreign credentials', () => {
    const whole = async (): Promise<unknown> => {
      const read = async (path: string): Promise<Answer> =>
        JSON.parse((await send(server().base, { path, headers: bearer(alpha.key) })).body) as Answer;
      // The checkpoint is the whole log's, and refusals are on the log too.
      const bundle = await read(`/api/articles/${alpha.names.slug}/bundle`);
      return [
        { ...bundle, origin: { ...(bundle['origin'] as Answer), checkpoint: 'of its moment' } },
        await read(`/api/articles/${alpha.names.draft}`),
        await read(`/api/directory/${alpha.names.row}`),
        await read('/api/invocations?object_id=CLAIM_POST'),
      ];
    };
    let before: unknown;
    beforeAll(async () => {
      before = await whole();
    });

    const foreign: [string, () => Headers][] = [
      ['the key of another workspace', () => bearer(gamma.key)],
      ['a share of another workspace', () => bearer(gamma.share)],
      ['the key of main', () => bearer(main.key)],
      ['no credential', () => ({})],
    ];

    it.each(foreign)(
      'is indistinguishable from an absent workspace for %s, on every route',
      async (_who, headers) => {
        expect(await differences(headers(), alpha.names, absent)).toEqual([]);
      },
      120_000,
    );

    it('is unchanged by all these calls, and by those that name nothing of it', async () => {
      const asked = requestsFor(walk, alpha.names);
      const twins = requestsFor(walk, absent).map((request) => JSON.stringify(request));
      for (const [, headers] of foreign)
        for (const [i, request] of asked.entries())
          if ((request.method ?? 'POST') !== 'GET' && JSON.stringify(request) === twins[i])
            await send(server().base, { ...request, headers: { ...headers(), ...request.headers } });
      expect(await whole()).toEqual(before);
    }, 120_000);
  });

  it('is tested in every argument of every row that can name it', () => {
    expect(unlisted(walk.rows.values())).toEqual([]);
  });

  it.each([
    ['the key of main', () => bearer(main.key)],
    ['no credential', (): Headers => ({})],
  ])(
    'is indistinguishable from an absent workspace for %s, in each argument of a call in main',
    async (_who, headers) => {
      const requests = (names: Names): HttpRequest[] => requestsById(walk.rows.values(), main.names, names);
      expect(await differences(headers(), alpha.names, absent, () => true, requests)).toEqual([]);
    },
    120_000,
  );

  it('answers a foreign key the same for existing and for absent objects', async () => {
    const lacking: Names = {
      ...absent,
      workspace: alpha.names.workspace,
      slug: 'alpha--nones',
      draft: 'alpha--drawn',
    };
    expect(await differences(bearer(gamma.key), alpha.names, lacking)).toEqual([]);
  }, 120_000);

  it('is indistinguishable from an absent workspace for a share of main, even while open', async () => {
    // Pages take no credential (ADR 10): they show of an open workspace what anybody may see.
    const isApi = ({ path }: HttpRequest): boolean => path.startsWith('/api/');
    expect(await differences(bearer(main.share), gamma.names, absent, isApi)).toEqual([]);
  }, 120_000);

  it('leaves projections that rebuild identically from the ledger', async () => {
    await expectRebuilds(server());
  });
});
