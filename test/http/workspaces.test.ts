import { expect, it } from 'vitest';
import { expectRebuilds, onBothStores } from '../support/both-stores.ts';
import { startServer, terminalKey, type Answer, type TestServer } from '../support/server.ts';
import { send } from './client.ts';

interface Told {
  readonly status: number;
  readonly json: Answer;
}

const owner = { 'x-terminal-key': terminalKey };
const bearer = (token: unknown) => ({ authorization: `Bearer ${String(token)}` });

function client(server: TestServer) {
  const ask = async (
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Told> => {
    const answer = await send(server.base, {
      method,
      path,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    const isJson = /json/.test(String(answer.headers['content-type']));
    return {
      status: answer.status,
      json: isJson ? (JSON.parse(answer.body) as Answer) : { page: answer.body },
    };
  };
  return {
    get: (path: string, headers = {}) => ask('GET', path, undefined, headers),
    post: (path: string, body: object, headers = {}) => ask('POST', path, body, headers),
    patch: (path: string, body: object, headers = {}) => ask('PATCH', path, body, headers),
    put: (path: string, body: object, headers = {}) => ask('PUT', path, body, headers),
    /** The owner's workspace with one published article, `<name>--notes`. */
    async make(name: string, status = 'open'): Promise<void> {
      const made = await ask('POST', '/api/workspace', { name, title: `Survey ${name}`, status }, owner);
      expect(made.status).toBe(200);
      const document = { title: 'Notes', markdown: '# Notes\n\nAmber floats.\n', slug: `${name}--notes` };
      expect((await ask('POST', '/api/protocol/voxel-batch', { document }, owner)).status).toBe(200);
    },
    call: (key: string, body: object, headers: Readonly<Record<string, string>>, more: object = {}) =>
      ask('POST', '/api/dispatch', { key, body, ...more }, headers),
  };
}

const claim = {
  text: 'Jet sinks in brine.',
  tier: 'system',
  who_claims: 'x',
  rationale: 'x',
  why_material: 'x',
};

onBothStores('a workspace', (server) => {
  it('is created by the owner alone, once, and is listed while it is open', async () => {
    const { get, post, make } = client(server());
    expect((await post('/api/workspace', { name: 'mine', title: 'Mine' })).json['error']).toBe('owner_only');
    await make('first');
    expect((await get('/api/workspace')).json['workspaces'].map((each: Answer) => each['id'])).toEqual([
      'main',
      'first',
    ]);
    const record = (await get('/api/workspace/first')).json['workspace'];
    expect(record).toMatchObject({ id: 'first', title: 'Survey first', purpose: '', status: 'open' });
    expect(Object.keys(record['roles'])).toEqual(['contributor', 'editor', 'observer', 'owner', 'reviewer']);
    expect(record['objects'][0]).toBe(`${server().base}/api/articles?workspace=first`);
    const again = await post('/api/workspace', { name: 'first', title: 'Again' }, owner);
    expect(again).toMatchObject({ status: 409, json: { error: 'conflict' } });
    const bad = await post('/api/workspace', { name: 'no--name', title: ' ', status: 'ajar' }, owner);
    expect(bad).toMatchObject({ status: 422, json: { error: 'body_mismatch' } });
    expect(bad.json['problems']).toHaveLength(3);
  });

  it('hides everything when it closes, and shows it again when it reopens', async () => {
    const { get, patch, make } = client(server());
    await make('doors');
    const paths = [
      '/a/doors--notes',
      '/api/articles/doors--notes',
      '/workspace/doors',
      '/api/workspace/doors',
      '/api/articles?workspace=doors',
      '/api/search?workspace=doors&q=amber',
      '/api/workspace/doors/enter?role=observer',
    ];
    const statuses = async (): Promise<number[]> =>
      Promise.all(paths.map(async (path) => (await get(path)).status));
    expect(await statuses()).toEqual([200, 200, 200, 200, 200, 200, 200]);
    const observer = (await get('/api/workspace/doors/enter?role=observer')).json['credential']
      .token as string;
    expect((await get(`/api/articles/doors--notes?share=${observer}`)).status).toBe(200);
    expect((await patch('/api/workspace/doors', { status: 'closed' }, owner)).status).toBe(200);
    expect(await statuses()).toEqual([404, 404, 404, 404, 404, 404, 404]);
    expect((await get(`/api/articles/doors--notes?share=${observer}`)).status).toBe(404);
    expect((await get('/api/articles/doors--notes', owner)).status).toBe(200);
    expect((await patch('/api/workspace/doors', { status: 'open' }, owner)).status).toBe(200);
    expect(await statuses()).toEqual([200, 200, 200, 200, 200, 200, 200]);
    expect((await patch('/api/workspace/main', { status: 'closed' }, owner)).json['error']).toBe(
      'body_mismatch',
    );
  });

  it('prefixes the slugs of its articles with its name, and accepts no others', async () => {
    const { get, post, make } = client(server());
    await make('slugs');
    const document = { title: 'Amber and jet', markdown: '# Amber and jet\n\nText.\n' };
    const named = await post('/api/protocol/voxel-batch?workspace=slugs', { document }, owner);
    expect(named.json['slug']).toBe('slugs--amber-and-jet');
    const bare = await post(
      '/api/protocol/voxel-batch?workspace=slugs',
      { document: { ...document, slug: 'amber-and-jet' } },
      owner,
    );
    expect(bare).toMatchObject({ status: 404, json: { error: 'not_found' } });
    expect(bare.json['fix']).toContain('begins with slugs--');
    const stray = await post(
      '/api/protocol/voxel-batch',
      { document: { ...document, slug: 'nowhere--amber' } },
      owner,
    );
    expect(stray).toMatchObject({ status: 404, json: { error: 'not_found' } });
    expect((await get('/api/articles')).json['articles'].map((each: Answer) => each['slug'])).not.toContain(
      'slugs--amber-and-jet',
    );
    const list = (await get('/api/articles?workspace=slugs&limit=1')).json;
    expect(list['articles'][0]['slug']).toBe('slugs--amber-and-jet');
    expect((await get(String(list['next']).replace(server().base, ''))).json['articles'][0]['slug']).toBe(
      'slugs--notes',
    );
    expect((await get('/api/search?workspace=slugs&q=jet')).json['results'][0]['article']).toBe(
      'slugs--amber-and-jet',
    );
    expect((await get('/api/search?q=jet&kind=article')).json['results']).toEqual([]);
  });

  it('gives an outsider the same error for an existing and for an absent slug', async () => {
    const { post, call, make } = client(server());
    await make('locked', 'closed');
    const minted = await call('CAP_MINT', { scope: 'act', max_uses: 0, ttl: 3600 }, owner);
    const share = bearer(minted.json['share']);
    const asked = async (slug: string): Promise<unknown> => {
      const document = { slug, markdown: '# Taken\n' };
      const { status, json } = await post('/api/protocol/voxel-batch', { document }, share);
      return { status, error: json['error'], detail: json['detail'], fix: json['fix'] };
    };
    const nobodys = {
      status: 404,
      error: 'not_found',
      detail: 'There is no workspace locked that you could write to.',
      fix: 'Leave out what stands before the double hyphen and the hyphens, or send a credential of that workspace.',
    };
    expect(await asked('locked--notes')).toEqual(nobodys);
    expect(await asked('locked--nothing')).toEqual(nobodys);
    expect(await asked('absent--notes')).toEqual({
      ...nobodys,
      detail: 'There is no workspace absent that you could write to.',
    });
  });

  it('confines a share to the workspace where it was minted, for every kind of call', async () => {
    const { post, call, make } = client(server());
    await make('here');
    await make('there');
    const minted = await call('CAP_MINT', { scope: 'act', max_uses: 0, ttl: 3600, workspace: 'here' }, owner);
    const share = bearer(minted.json['share']);
    expect((await post('/api/protocol/claim', { slug: 'here--notes', ...claim }, share)).status).toBe(200);
    expect((await post('/api/protocol/claim', { slug: 'there--notes', ...claim }, share)).json['error']).toBe(
      'not_found',
    );
    const batch = await post(
      '/api/protocol/voxel-batch',
      {
        slug: 'here--notes',
        operations: [
          { op: 'claim', ...claim, text: 'Jet is light.' },
          { op: 'claim', ...claim, slug: 'there--notes' },
        ],
      },
      share,
    );
    expect(batch.json['results'].map((each: Answer) => each['error'] ?? 'landed')).toEqual([
      'landed',
      'not_found',
    ]);
    const update = await post(
      '/api/protocol/thread-update',
      {
        actor: 'x',
        target: 'here--notes',
        raw_text: '[OBJECTION_LOG]there--notes|Reached.[/OBJECTION_LOG]',
      },
      share,
    );
    expect(JSON.stringify(update.json)).toContain('There is no article there--notes.');
    const elsewhere = await call('MIRROR_FEED', { slug: 'there--notes' }, share, { workspace: 'there' });
    expect(elsewhere).toMatchObject({ status: 404, json: { error: 'not_found' } });
    const cut = await call('CAP_MINT', { key: 'MIRROR_APPEND', workspace: 'there' }, share);
    expect(cut).toMatchObject({ status: 404, json: { error: 'not_found' } });
    const stranger = await call('CAP_MINT', { scope: 'read', ttl: 3600, workspace: 'there' }, owner);
    const { fingerprint } = minted.json['result'];
    const explained = await call('CAP_EXPLAIN', { token: fingerprint }, bearer(stranger.json['share']));
    expect(explained).toMatchObject({ status: 404, json: { error: 'not_found' } });
    const revoked = await call('CAP_REVOKE', { fingerprint }, bearer(stranger.json['share']));
    expect(revoked).toMatchObject({ status: 404, json: { error: 'not_found' } });
    expect((await call('CAP_EXPLAIN', { token: fingerprint }, share)).json['result']['state']).toBe('valid');
  });

  it('has rows of its own', async () => {
    const { get, put, call, make } = client(server());
    await make('rowed');
    const row = {
      type: 'http',
      url: 'https://api.example.org/$1',
      args: [{ name: 'city' }],
      what: 'Tells.',
      when: 'Before.',
      example: 'Bern',
    };
    expect((await put('/api/directory/ROWED_TELLS?workspace=rowed', row, owner)).status).toBe(200);
    expect((await get('/api/directory/ROWED_TELLS?workspace=rowed')).json['key']).toBe('ROWED_TELLS');
    expect((await get('/api/directory/ROWED_TELLS')).json['error']).toBe('unknown_key');
    expect((await call('ROWED_TELLS', {}, owner)).json['error']).toBe('unknown_key');
    const tried = await call('ROWED_TELLS', { city: 'Bern' }, owner, { workspace: 'rowed', shape: true });
    expect(tried.json).toMatchObject({ key: 'ROWED_TELLS', would_run: true });
  });

  it('grants an invited member no more than the role and the invitation', async () => {
    const { get, post, call, make } = client(server());
    await make('guild', 'closed');
    const minted = await call('CAP_MINT', { role: 'editor', workspace: 'guild', max_uses: 2 }, owner);
    const invitation = String(minted.json['share']);
    const path = `/api/workspace/guild/enter?role=editor&actor=ada&share=${invitation}`;
    const entered = (await get(path)).json;
    expect(entered).toMatchObject({ workspace: 'guild', role: 'editor', credential: { uses: 2 } });
    const share = bearer(entered['credential'].token);
    expect((await get('/api/articles/guild--notes', share)).status).toBe(200);
    const landed = await post('/api/protocol/claim', { slug: 'guild--notes', ...claim }, share);
    expect(landed.status).toBe(200);
    const burnt = await call('VOXEL_BURN', { slug: 'guild--notes', ids: ['d2'], reason: 'x' }, share);
    expect(burnt.json['error']).toBe('scope_denied');
    const again = (await get(path)).json;
    expect(again).toMatchObject({
      idempotent_replay: true,
      credential: { token: null, fingerprint: entered['credential'].fingerprint },
    });
    for (const refused of [`role=owner&share=${invitation}`, `role=editor`, `role=observer`]) {
      const answer = await get(`/api/workspace/guild/enter?${refused}`);
      expect([refused, answer.status]).toEqual([refused, refused.includes('share') ? 403 : 404]);
    }
    const cut = await call('CAP_MINT', { role: 'owner' }, bearer(invitation));
    expect(cut.json['error']).toBe('scope_denied');
    const self = await get(`/api/dispatch?self_scope=1&share=${invitation}`);
    expect(self.json['error']).toBe('scope_denied');
    await call('CAP_REVOKE', { fingerprint: minted.json['result'].fingerprint }, owner);
    const after = await post('/api/protocol/claim', { slug: 'guild--notes', ...claim }, share);
    expect(after.json['error']).toBe('ancestor_revoked');
  });

  it('lets reviewers certify what they inspected, also in a closed workspace', async () => {
    const { get, post, call, make } = client(server());
    await make('inspected', 'closed');
    const minted = await call('CAP_MINT', { role: 'reviewer', workspace: 'inspected', ttl: 3600 }, owner);
    const entered = await get(
      `/api/workspace/inspected/enter?role=reviewer&share=${String(minted.json['share'])}`,
    );
    const reviewer = bearer(entered.json['credential'].token);
    const work = { target: 'inspected--notes', outcome: 'verified' };
    const certified = await post('/api/proven-work', work, reviewer);
    expect(certified).toMatchObject({ status: 200, json: { certificate: { outcome: 'verified' } } });
    const { fingerprint } = entered.json['credential'];
    const listed = await get('/api/proven-work?target=inspected--notes', reviewer);
    expect(listed.json['certificates']).toMatchObject([{ actor: fingerprint }]);
    expect((await post('/api/proven-work', work)).status).toBe(404);
  });

  it('lets the owner approve, replay and revoke its calls', async () => {
    const { post, get, call, make } = client(server());
    await make('gated');
    const gated = await call(
      'CAP_MINT',
      { key: 'CLAIM_POST', owner_gate: true, max_uses: 3, ttl: 3600, workspace: 'gated' },
      owner,
    );
    const asked = await post(
      '/api/protocol/claim',
      { slug: 'gated--notes', ...claim },
      bearer(gated.json['share']),
    );
    expect(asked.status).toBe(202);
    const approved = await call('OIP_APPROVE', { id: asked.json['receipt'].id, decision: 'approved' }, owner);
    expect(approved.json['result']).toMatchObject({ decision: 'approved', status: 'success' });
    expect((await get('/api/articles/gated--notes/claims')).json['count']).toBe(1);
    const fed = await call('MIRROR_FEED', { slug: 'gated--notes' }, owner);
    const replayed = await post('/api/dispatch', { replay: fed.json['receipt'].id }, owner);
    expect(replayed.json).toMatchObject({ ran: true, kind: 'MIRROR_FEED' });
  });

  it('imports an article of another workspace with its provenance', async () => {
    const { get, post, make } = client(server());
    await make('source');
    await post('/api/protocol/claim', { slug: 'source--notes', ...claim }, owner);
    const { _self, ok, ...bundle } = (await get('/api/articles/source--notes/bundle')).json;
    expect([ok, typeof _self]).toEqual([true, 'object']);
    await post('/api/workspace', { name: 'other', title: 'Other' }, owner);
    const imported = await post('/api/protocol/import?workspace=other', { bundle }, owner);
    expect(imported).toMatchObject({ status: 200, json: { slug: 'other--notes' } });
    expect(imported.json['imported_from']).toMatchObject({ slug: 'source--notes' });
    const { provenance, verification } = (await get('/api/articles/other--notes/provenance')).json;
    expect(verification['valid']).toBe(true);
    expect(provenance[0]['action']).toBe('import');
    expect((await get('/api/articles/other--notes/claims')).json['claims'][0]['text']).toBe(claim.text);
  });

  it('has cohorts with public addresses for pages, tables, assignments and further targets', async () => {
    const { get, post, make } = client(server());
    await make('census');
    const queued = await post(
      '/api/build-landscape?workspace=census',
      {
        action: 'queue_targets',
        cohort: 'servers',
        query: 'HTTP servers',
        captured_at: '2026-03-01T12:00:00Z',
        open: true,
        targets: [{ name: 'Fastify', axis: 'licence' }, { name: 'Koa' }],
      },
      owner,
    );
    const below = (url: unknown): string => String(url).slice(server().base.length);
    expect(below(queued.json['permalink'])).toBe('/landscape/census--servers');
    const page = await get('/landscape/census--servers');
    expect([page.status, String(page.json['page'])]).toEqual([200, expect.stringContaining('Fastify')]);
    expect(String(page.json['page'])).toContain('/api/build-landscape?cohort=census--servers&amp;table=1');
    expect(String((await get('/workspace/census')).json['page'])).toContain(
      'href="/landscape/census--servers"',
    );

    for (const path of ['articles', 'graph', 'proven-work', 'search?q=amber', 'build-landscape']) {
      const told = await get(`/api/${path}${path.includes('?') ? '&' : '?'}workspace=census`);
      // What was searched for belongs to the address of the answer.
      const where = `/api/${path}${path.includes('?') ? '&' : '?'}workspace=census`;
      expect(below(told.json['_self'].read)).toBe(where);
    }
    const list = await get('/api/build-landscape?workspace=census');
    const [summary] = list.json['cohorts'];
    const cohort = await get(`${below(summary.read)}&limit=1`);
    const table = await get(`${below(summary.table)}&limit=1`);
    expect([cohort.json['queue'][0].target.id, table.json['rows'][0].target.id]).toEqual([
      'fastify',
      'fastify',
    ]);
    expect((await get(below(cohort.json['next']))).json['queue'][0].target.id).toBe('koa');
    expect((await get(below(table.json['next']))).json['rows'][0].target.id).toBe('koa');

    const { templates } = (await get('/api/workspace/census/enter?role=contributor')).json;
    const lease = (templates as string[]).find((url) => url.includes('next=1')) ?? '';
    const leased = await get(below(lease.replace('{lane}', 'field').replace('{n}', '1')));
    expect(leased.json['assignment']).toMatchObject({ cohort: 'servers', target: { id: 'fastify' } });
    const mirror = (templates as string[]).find((url) => url.includes('arg.kind={kind}')) ?? '';
    const said = ['census--notes', '', 'question', 'ada', 'Why?'];
    const asked = await get(below(mirror.replace(/\{\w+\}/g, () => String(said.shift()))));
    expect(asked.json['result'].contribution).toMatchObject({ kind: 'question', status: 'proposed' });
    const shown = await get(below(leased.json['assignment'].read));
    expect(shown.json['assignment']).toMatchObject({ id: leased.json['assignment_id'], status: 'open' });
    const { token } = (await get('/api/workspace/census/enter?role=contributor')).json['credential'];
    const other = await get(
      `/api/build-landscape?next=1&lane=build&cohort=census--servers&share=${String(token)}`,
    );
    expect(other.status).toBe(200);

    for (const away of ['servers', 'main--servers', 'guild--servers', 'nowhere--servers'])
      expect([away, (await get(`/api/build-landscape?cohort=${away}`)).status]).toEqual([away, 404]);
    const foreign = (await get('/api/workspace/main/enter?role=contributor')).json['credential'].token;
    for (const path of [below(summary.read), below(leased.json['assignment'].read)])
      expect([path, (await get(`${path}&share=${String(foreign)}`)).status]).toEqual([path, 404]);
  });

  it('is paginated for a reader with a share in the URL, through every page', async () => {
    const { get, post, call, make } = client(server());
    await make('paged', 'closed');
    await post('/api/protocol/claim', { slug: 'paged--notes', ...claim }, owner);
    const document = { title: 'More', markdown: '# More\n\nAmber.\n', slug: 'paged--more' };
    await post('/api/protocol/voxel-batch', { document }, owner);
    const minted = await call(
      'CAP_MINT',
      { scope: 'read', max_uses: 0, ttl: 3600, workspace: 'paged' },
      owner,
    );
    const share = String(minted.json['share']);
    for (const path of [
      '/api/articles?',
      '/api/graph?',
      '/api/invocations?object_id=VOXEL_BATCH&',
      '/api/articles/paged--notes/ledger?',
      '/api/proven-work?',
    ]) {
      const first = await get(`${path}limit=1&share=${share}`);
      const next = String(first.json['next']);
      expect([path, next.endsWith(`&share=${share}`)]).toEqual([path, true]);
      const second = await get(next.slice(server().base.length));
      expect([path, second.status]).toEqual([path, 200]);
      if (path === '/api/proven-work?')
        expect([first, second].map(({ json }) => json['objects'][0].id)).toEqual([
          'paged--more',
          'paged--notes',
        ]);
      if (path === '/api/articles?')
        expect([first, second].map(({ json }) => json['articles'][0].slug)).toEqual([
          'paged--more',
          'paged--notes',
        ]);
    }
    const bare = await get('/api/articles?limit=1', bearer(share));
    expect(String(bare.json['next'])).not.toContain('share');
  });

  it('never appears by name in the public log', async () => {
    const { make } = client(server());
    await make('unspoken', 'closed');
    const { store } = server().deployment.service;
    const size = (await store.read.checkpoint())?.size ?? 0;
    const entries: string[] = [];
    for (let tile = 0; tile * 256 < size; tile++) {
      const width = size - tile * 256 < 256 ? `.p/${size - tile * 256}` : '';
      const path = `/tile/entries/${String(tile).padStart(3, '0')}${width}`;
      entries.push((await send(server().base, { path })).body);
    }
    const log = entries.join('');
    expect(log).toContain('"chain":"ws_');
    expect(log).not.toContain('unspoken');
  });

  it('leaves projections that rebuild identically from the ledger', async () => {
    await expectRebuilds(server());
  });
});

it('has an open-intake budget of its own', async () => {
  const server = await startServer({ COLOPHON_RATE_LIMIT: 'on' });
  try {
    const { post, make } = client(server);
    await make('flood');
    await server.article('# Calm\n\nText.\n', { slug: 'calm' });
    const object = (slug: string) => post(`/api/articles/${slug}/objections`, { objection: 'No.' });
    const flooded: number[] = [];
    for (let i = 0; i < 32; i++) flooded.push((await object('flood--notes')).status);
    expect(flooded.indexOf(429)).toBe(30);
    expect((await object('calm')).status).toBe(200);
    expect((await object('nobody--notes')).status).toBe(404);
  } finally {
    await server.stop();
  }
});
