import { expect, it } from 'vitest';
import { leaseEvent } from '../../src/domain/landscape/lease.ts';
import { assignmentTable } from '../../src/domain/landscape/tables.ts';
import { mintEvent } from '../../src/domain/capabilities/life-cycle.ts';
import { encodeShare } from '../../src/domain/capabilities/share-codec.ts';
import { capabilityTable, type CapabilityRecord } from '../../src/domain/capabilities/tables.ts';
import { writes } from '../../src/engine/act.ts';
import { expectRebuilds, onBothStores } from '../support/both-stores.ts';
import { terminalKey, type Answer, type TestServer } from '../support/server.ts';

const asOwner = { headers: { 'x-terminal-key': terminalKey } };
const json = { 'content-type': 'application/json' };

interface Lease {
  readonly id: string;
  readonly share: string;
  readonly slug: string;
  readonly answer: Answer;
}

/** What anybody can list, by which a draft could be found. */
const publicLists = [
  '/',
  '/recent',
  '/log',
  '/api/articles?limit=500',
  '/api/invocations?limit=500',
  '/api/invocations?article=fresh-one',
  '/api/graph',
  '/api/graph?layer=yield',
  '/api/graph?layer=reflex',
  '/api/v1/query?kind=article&limit=500',
  '/api/v1/query?kind=claim&limit=500',
  '/api/v1/query?kind=source&limit=500',
  '/api/v1/query?kind=div&limit=500',
  '/api/v1/query?kind=invocation&limit=500',
  '/api/workspace',
  '/api/workspace/main',
  '/workspace/main',
  '/api/proven-work',
  '/api/protocol/grow',
  '/api/build-landscape',
  '/api/articles/obsidian-vault',
  '/api/articles/system-map',
  '/api/articles/llm-manifest',
  '/sitemap.xml',
  '/feed.xml',
  '/llms.txt',
  '/metrics',
];

onBothStores('a lease share', (server) => {
  const s = (): TestServer => server();

  async function answered(response: Response): Promise<Answer> {
    return { ...((await response.json()) as Answer), http: response.status };
  }
  const get = async (path: string, init?: RequestInit): Promise<Answer> =>
    answered(await s().fetch(path, init));
  const post = async (path: string, body: object): Promise<Answer> =>
    answered(await s().fetch(path, { method: 'POST', headers: json, body: JSON.stringify(body) }));
  const call = (share: string, key: string, body: unknown, more: object = {}): Promise<Answer> =>
    post('/api/dispatch', { key, body, share, ...more });
  const queue = (cohort: string, more: object = { open: true }): Promise<Answer> =>
    s().owner('/api/build-landscape', {
      action: 'queue_targets',
      cohort,
      query: 'Servers',
      captured_at: '2026-03-01T12:00:00Z',
      targets: [{ id: 'one', name: 'One server' }],
      ...more,
    });
  const contributor = async (): Promise<string> =>
    String((await s().read('/api/workspace/main/enter?role=contributor'))['credential'].token);
  const minted = async (grant: object): Promise<string> =>
    String((await s().owner('/api/dispatch', { key: 'CAP_MINT', body: grant }))['share']);
  const leaser = (): Promise<string> =>
    minted({ scope: 'row', key: 'LANDSCAPE_NEXT', ttl: 600, max_uses: 0 });

  async function lease(cohort: string, lane: string, token: string): Promise<Lease> {
    const answer = await get(`/api/build-landscape?next=1&lane=${lane}&cohort=${cohort}&share=${token}`);
    if (answer['http'] !== 200) throw new Error(JSON.stringify(answer));
    const { assignment_id: id, share } = answer as { assignment_id: string; share: string };
    return { id, share, slug: `${cohort}-one`, answer };
  }
  async function leasedFrom(cohort: string, lane: string, by?: string): Promise<Lease> {
    await queue(cohort);
    return lease(cohort, lane, by ?? (await contributor()));
  }
  const source = (quote: string): object => ({
    type: 'review',
    url: 'https://example.org/one',
    title: 'One',
    quote,
  });
  const claim = (text: string): object => ({
    text,
    tier: 'system',
    who_claims: 'The project',
    why_material: 'It decides the choice.',
  });
  const version = async (slug: string): Promise<Answer> => get(`/api/articles/${slug}`, asOwner);
  async function publish(slug: string): Promise<void> {
    const { version: at } = await version(slug);
    await s().owner('/api/protocol/article', { slug, expected_version: at, status: 'published' });
  }

  it('of a contributor cannot change text, claims or metadata of a published article on any endpoint', async () => {
    await s().article('# One\n\nText of the owner.\n', { slug: 'taken-one' });
    const { id, share, slug } = await leasedFrom('taken', 'build');
    const { version: before } = await version(slug);
    const document = { slug, markdown: 'Buy cheap pills.\n' };
    const divs = (await version(slug))['voxels']?.divs ?? (await get(`/api/articles/${slug}/voxels`))['divs'];
    const [{ vx_hash: hash }] = divs as Answer[] as [Answer];
    const filed = { slug, ...claim('One is a server.') };
    const sourced = { slug, sources: [source('x')] };
    const edit = { slug, div_id: 'd1', expected_hash: hash, text: '# Pills' };
    const refused: readonly (readonly [string, Answer])[] = [
      ['batch, named', await post('/api/protocol/voxel-batch', { assignment_id: id, key: share, document })],
      ['batch, unnamed', await post('/api/protocol/voxel-batch', { key: share, document })],
      [
        'batch, titled',
        await post('/api/protocol/voxel-batch', { key: share, document: { ...document, title: 'X' } }),
      ],
      [
        'another article',
        await post('/api/protocol/voxel-batch', { key: share, document: { slug: 'pills', markdown: 'x' } }),
      ],
      [
        'a derived slug',
        await call(share, 'VOXEL_BATCH', { document: { title: 'Pills', markdown: 'x' }, slug: 'pills' }),
      ],
      ['claim', await post('/api/protocol/claim', { ...filed, key: share })],
      ['sources', await post('/api/protocol/sources', { ...sourced, key: share })],
      ['claim by dispatch', await call(share, 'CLAIM_POST', filed)],
      [
        'claim by GET',
        await get(
          `/api/dispatch?invoke=CLAIM_POST&body=${encodeURIComponent(JSON.stringify(filed))}&share=${share}`,
        ),
      ],
      ['edit', await call(share, 'VOXEL_EDIT', edit)],
      ['divide', await call(share, 'VOXEL_DIVIDE', slug)],
      ['metadata', await call(share, 'ARTICLE_META', { slug, expected_version: before, title: 'Pills' })],
      ['attestation', await call(share, 'VOXEL_ATTEST', `${slug}|nothing_to_add|${hash}|ada`)],
      ['another lease', await call(share, 'LANDSCAPE_NEXT', 'field')],
    ];
    expect(refused.map(([what, { http, gate }]) => [what, http, gate])).toEqual(
      refused.map(([what]) => [what, 403, 'scope']),
    );
    const batch = await post('/api/protocol/voxel-batch', {
      key: share,
      operations: [
        { op: 'claim', ...claim('One is a server.') },
        { op: 'source', sources: [source('x')] },
        { op: 'edit', div_id: 'd1', expected_hash: hash, text: '# Pills' },
        { op: 'claim', ...claim('One is a server.'), slug: 'what-the-ledger-is' },
      ],
    });
    expect((batch['results'] as Answer[]).map(({ ok, gate }) => [ok, gate])).toEqual(
      Array.from({ length: 4 }, () => [false, 'scope']),
    );
    const mcp = await s().fetch('/mcp', {
      method: 'POST',
      headers: { ...json, accept: 'application/json, text/event-stream', authorization: `Bearer ${share}` },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'CLAIM_POST', arguments: filed },
      }),
    });
    expect(await mcp.text()).not.toContain('"ok":true');
    expect(await version(slug)).toMatchObject({ version: before, title: 'One', claims: [] });
  });

  it('gains no authority by replay, by repair or by a cut', async () => {
    await s().article('# One\n\nText.\n', { slug: 'again-one' });
    const { share, slug, id } = await leasedFrom('again', 'field');
    const filed = { slug, ...claim('One is a server.') };
    const { invocation } = await call(share, 'CLAIM_POST', filed);
    expect(await post('/api/dispatch', { replay: invocation.id, share })).toMatchObject({
      http: 403,
      gate: 'scope',
    });
    expect(await post('/api/dispatch', { repairs: invocation.id, body: filed, share })).toMatchObject({
      http: 403,
      gate: 'scope',
    });
    const cut = await get(`/api/dispatch?self_scope=1&narrow=1&keys=CLAIM_POST,MIRROR_APPEND&share=${share}`);
    const narrowed = String(cut['share']);
    expect(await get(`/api/dispatch?explain=1&share=${narrowed}`)).toMatchObject({
      assignment: id,
      article: slug,
    });
    expect(await call(narrowed, 'CLAIM_POST', filed)).toMatchObject({ http: 403, gate: 'scope' });
    expect(await call(narrowed, 'MIRROR_APPEND', `${slug}||question|ada|Which server?`)).toMatchObject({
      http: 200,
    });
    for (const keys of ['CLAIM_REPAIR', 'VOXEL_EDIT', 'LANDSCAPE_NEXT'])
      expect((await get(`/api/dispatch?self_scope=1&narrow=1&keys=${keys}&share=${share}`))['http']).toBe(
        403,
      );
  });

  it('may challenge, vote and contribute to the mirror of a published article, which counts as its work', async () => {
    await s().article('# One\n\nText.\n', { slug: 'spoken-one' });
    const { share, slug, id, answer } = await leasedFrom('spoken', 'field');
    // The ready body is what the binding lets through.
    expect(answer['batch']).toMatchObject({
      url: `${s().base}/api/dispatch`,
      body: { key: 'MIRROR_APPEND', share, body: { slug, kind: 'source' } },
    });
    const { divs } = await s().read(`/api/articles/${slug}/voxels`);
    const [, div] = divs as Answer[];
    expect(
      await call(share, 'VOXEL_CHALLENGE', {
        slug,
        expected_thread_head: 'genesis',
        target_div: 'd2',
        expected_hash: div?.['vx_hash'],
        stance: 'challenge',
        body: 'It names no source.',
        actor: 'ada',
      }),
    ).toMatchObject({ http: 200 });
    expect(await call(share, 'VOXEL_VOTE', `${slug}|d2|should_burn|It says nothing.|ada`)).toMatchObject({
      http: 200,
    });
    const shown = async (): Promise<Answer> =>
      (await s().read(`/api/normandy?assignment=${id}`))['assignment'] as Answer;
    expect(await shown()).toMatchObject({
      status: 'open',
      result: [{ kind: 'discourse' }, { kind: 'vote' }],
    });
    const said = 'https://example.org/one says "It is a server."';
    expect(await call(share, 'MIRROR_APPEND', `${slug}||source|ada|${said}`)).toMatchObject({ http: 200 });
    expect(await shown()).toMatchObject({
      status: 'completed',
      result: [{ kind: 'discourse' }, { kind: 'vote' }, { kind: 'contribution' }],
    });
    expect(JSON.stringify(await s().read(`/api/normandy?assignment=${id}`))).not.toContain('sh.');
  });

  it('creates a draft that only leases of the same target and the owner can read until it is published', async () => {
    const { share, slug, id } = await leasedFrom('fresh', 'build');
    for (const metadata of [
      { title: 'Pills' },
      { tags: ['pills'] },
      { category: 'x' },
      { status: 'published' },
    ])
      expect(
        await post('/api/protocol/voxel-batch', {
          key: share,
          document: { slug, markdown: 'A.\n', ...metadata },
        }),
      ).toMatchObject({ http: 403, error: 'scope_denied', gate: 'scope' });
    expect((await version(slug))['http']).toBe(404);
    const built = await post('/api/protocol/voxel-batch', {
      assignment_id: id,
      key: share,
      document: { slug, markdown: 'It serves.\n' },
    });
    expect(built).toMatchObject({
      http: 200,
      status: 'draft',
      assignment: { status: 'completed', opened_article: true },
    });
    const read = (token: string): Promise<Answer> => get(`/api/articles/${slug}?share=${token}`);
    const other = await contributor();
    expect(await read(share)).toMatchObject({ http: 200, title: 'One server', status: 'draft' });
    expect(await call(share, 'ARTICLE_INSPECT', `${slug}|voxels`)).toMatchObject({ http: 200 });
    expect((await read(other))['http']).toBe(404);
    for (const path of [`/api/articles/${slug}`, `/a/${slug}`])
      expect((await s().fetch(path)).status).toBe(404);
    for (const path of ['/sitemap.xml', '/feed.xml', '/api/articles', '/api/search?q=serves'])
      expect(await (await s().fetch(path)).text()).not.toContain(slug);
    // Work in another lane of the same target goes to the same draft.
    const field = await lease('fresh', 'field', other);
    expect(field.answer).toMatchObject({
      assignment: { snapshot: { article: { exists: false } } },
      batch: { body: { operations: [{ op: 'source' }, { op: 'claim', source_ids: ['s1'] }] } },
    });
    expect((await read(field.share))['http']).toBe(200);
    const filed = { slug, sources: [source('It is a server.')] };
    const fieldWork = await post('/api/protocol/sources', { ...filed, key: field.share });
    expect(fieldWork).toMatchObject({ http: 200 });
    const said = { slug, key: field.share, ...claim('The server is named quibblefish.') };
    expect(await post('/api/protocol/claim', said)).toMatchObject({ http: 200 });
    // What the draft has is shown to who may read it alone.
    const late = await lease('fresh', 'synthesis', await contributor());
    const body = async (query: string, init?: RequestInit): Promise<unknown> =>
      (await get(`/api/normandy?assignment=${late.id}${query}`, init))['batch'];
    expect(await body('')).toBeNull();
    expect(await body(`&share=${other}`)).toBeNull();
    expect(await body(`&share=${late.share}`)).toMatchObject({
      body: { operations: [{ source_ids: ['s1'] }] },
    });
    expect(await body('', asOwner)).not.toBeNull();
    const landed = async (query: string, init?: RequestInit): Promise<unknown> =>
      ((await get(`/api/normandy?assignment=${field.id}${query}`, init))['assignment'] as Answer)['result'];
    expect(await landed('')).toEqual([]);
    expect(await landed(`&share=${await contributor()}`)).toEqual([]);
    for (const told of [await landed(`&share=${field.share}`), await landed('', asOwner)])
      expect(told).toMatchObject([{ id: `${slug}/s1` }, { id: `${slug}/c1` }]);
    const { id: call_id } = fieldWork['receipt'] as Answer;
    for (const path of [
      ...publicLists,
      `/api/build-landscape?cohort=fresh`,
      `/api/build-landscape?cohort=fresh&table=1`,
      `/landscape/fresh`,
      `/api/dispatch?confirm=${String(call_id)}`,
      `/receipt/${String(call_id)}`,
      `/api/search?q=quibblefish`,
      `/search?q=quibblefish`,
    ]) {
      const text = await (await s().fetch(path)).text();
      const told = ['/s1', '#s1', '/c1', '/d1', '/d2'].filter((part) => text.includes(slug + part));
      expect([path, told, /named quibblefish/.test(text)]).toEqual([path, [], false]);
    }

    await publish(slug);
    expect(await landed('')).toMatchObject([{ kind: 'source' }, { kind: 'claim' }]);
    expect((await s().fetch(`/a/${slug}`)).status).toBe(200);
    for (const token of [share, field.share])
      expect(
        await post('/api/protocol/sources', { slug, key: token, sources: [source('Later.')] }),
      ).toMatchObject({
        http: 403,
        gate: 'scope',
      });
    expect(
      await post('/api/protocol/voxel-batch', { key: share, document: { slug, markdown: 'More.\n' } }),
    ).toMatchObject({ http: 403, gate: 'scope' });
  });

  it('cannot append DIVs outside the build lane', async () => {
    for (const lane of ['field', 'opposition', 'synthesis']) {
      const { share, slug } = await leasedFrom(`lane-${lane}`, lane);
      expect(
        await post('/api/protocol/voxel-batch', { key: share, document: { slug, markdown: 'A.\n' } }),
      ).toMatchObject({ http: 403, error: 'scope_denied', gate: 'scope' });
      expect((await version(slug))['http']).toBe(404);
    }
  });

  it('gets 404 for a draft that its assignment did not create', async () => {
    await s().article('# Kept back\n\nA secret plan.\n', { slug: 'kept-one', status: 'draft' });
    await queue('kept');
    for (const [lane, by] of [
      ['build', await contributor()],
      ['field', await leaser()],
    ] as const) {
      const { share, slug } = await lease('kept', lane, by);
      expect((await get(`/api/articles/${slug}?share=${share}`))['http']).toBe(404);
      const filed = { slug, ...claim('A secret plan is kept.') };
      expect(await call(share, 'CLAIM_POST', filed)).toMatchObject({ http: 404, error: 'not_found' });
      const dry = await call(share, 'CLAIM_POST', filed, { shape: true });
      expect(dry).toMatchObject({ would_run: false, refusal: { error: 'not_found' } });
    }
  });

  it('completes its assignment with a single call, and adds the results of later calls', async () => {
    const { share, slug, id } = await leasedFrom('single', 'field');
    const by = (key: string, body: object): Promise<Answer> =>
      get(`/api/dispatch?invoke=${key}&body=${encodeURIComponent(JSON.stringify(body))}&share=${share}`);
    expect(await by('SOURCE_POST', { slug, sources: [source('It serves.')] })).toMatchObject({ http: 200 });
    const filed = { slug, ...claim('One server answers HTTP.'), source_ids: ['s1'] };
    expect(await by('CLAIM_POST', filed)).toMatchObject({ http: 200 });
    expect((await get(`/api/normandy?assignment=${id}`, asOwner))['assignment']).toMatchObject({
      status: 'completed',
      result: [
        { kind: 'source', id: `${slug}/s1` },
        { kind: 'claim', id: `${slug}/c1` },
      ],
    });
  });

  it('may add claims and sources but no text to a published article if the owner minted the leasing credential', async () => {
    await s().article('# One\n\nText.\n', { slug: 'trusted-one' });
    await queue('trusted', {});
    const { share, slug } = await lease('trusted', 'build', await leaser());
    const filed = { slug, sources: [source('It serves.')], key: share };
    expect(await post('/api/protocol/sources', filed)).toMatchObject({ http: 200 });
    expect(await call(share, 'CLAIM_POST', { slug, ...claim('One serves.') })).toMatchObject({ http: 200 });
    for (const document of [
      { slug, markdown: 'More.\n' },
      { slug, markdown: 'More.\n', title: 'T' },
    ])
      expect(await post('/api/protocol/voxel-batch', { key: share, document })).toMatchObject({
        http: 403,
        gate: 'scope',
      });
    const fresh = await leasedFrom('trusted-fresh', 'build', await leaser());
    expect(
      await post('/api/protocol/voxel-batch', {
        key: fresh.share,
        document: { slug: fresh.slug, markdown: 'A.\n' },
      }),
    ).toMatchObject({ http: 200, status: 'published' });
  });

  it('is denied at approval if its article was published after the proposal', async () => {
    const { share, slug } = await leasedFrom('gated', 'field');
    await post('/api/protocol/sources', { slug, key: share, sources: [source('It serves.')] });
    const cut = await post('/api/dispatch', { key: 'CAP_MINT', body: { owner_gate: true }, share });
    const proposed = await call(String(cut['share']), 'CLAIM_POST', { slug, ...claim('One serves.') });
    expect(proposed).toMatchObject({ http: 202 });
    await publish(slug);
    const decided = await s().owner('/api/dispatch', {
      key: 'OIP_APPROVE',
      body: `${proposed['invocation'].id}|approved`,
    });
    expect(decided['result']).toMatchObject({ status: 'denied', error: 'scope_denied' });
    expect((await version(slug))['claims']).toEqual([]);
  });

  it('of an earlier version is bound by its recorded assignment, while a purpose text binds no share', async () => {
    await s().article('# One\n\nText.\n', { slug: 'older-one' });
    const { id, share } = await leasedFrom('older', 'build');
    const { service } = s().deployment;
    const { read } = service.store;
    const row = await read.row(assignmentTable, id);
    if (row === undefined) throw new Error('the lease is recorded');
    const capability = await read.row(capabilityTable, row.record.capability_fingerprint);
    const { assignment: _named, ...before } = (capability as { record: CapabilityRecord }).record;
    const expires = Math.floor(Date.parse(before.expires_at) / 1000);
    const old = encodeShare(service.secrets.macKeys[0], expires, Buffer.from('0123456789'));
    const purpose = 'assignment norm_aaaaaaaaaaaaaaaa';
    const at = { now: row.record.leased_at, actor: 'owner', inv: row.record.receipt };
    const oldKeys = ['VOXEL_BATCH', 'SOURCE_POST', 'CLAIM_POST'];
    const record = {
      ...row.record,
      id: 'norm_aaaaaaaaaaaaaaaa',
      capability_fingerprint: old.fingerprint,
      holder: 'cap_0000000000000000',
      replaces: null,
    };
    await service.store.run({
      name: 'an earlier version leases',
      keys: [
        writes('capability', old.fingerprint),
        writes('assignment', record.id),
        writes('assignment_held', record.holder),
        writes('cohort', `${record.tenant}/${record.cohort}`),
        writes('landscape', record.tenant),
      ],
      decide(tx) {
        tx.append(mintEvent({ ...before, keys: oldKeys, purpose, fingerprint: old.fingerprint }, at));
        tx.append(leaseEvent(record, { ...at } as Parameters<typeof leaseEvent>[1]));
        return undefined;
      },
    });
    const slug = 'older-one';
    const document = { slug, markdown: 'More.\n' };
    for (const key of [old.token, share])
      expect(await post('/api/protocol/voxel-batch', { key, document })).toMatchObject({
        http: 403,
        gate: 'scope',
      });
    expect(await call(old.token, 'CLAIM_POST', { slug, ...claim('One serves.') })).toMatchObject({
      http: 403,
    });
    const typed = await minted({
      scope: 'row',
      key: 'CLAIM_POST',
      ttl: 600,
      max_uses: 0,
      purpose: `assignment ${id}`,
    });
    expect(await call(typed, 'CLAIM_POST', { slug, ...claim('One serves.') })).toMatchObject({ http: 200 });
  });

  it('is issued to contributors only from cohorts that the owner opened, one item at a time, for one hour', async () => {
    await queue('shut', {});
    const token = await contributor();
    const next = (cohort: string, n: number, by = token): Promise<Answer> =>
      get(`/api/build-landscape?next=1&lane=field&cohort=${cohort}&n=${n}&share=${by}`);
    expect(await next('shut', 1)).toMatchObject({ http: 403, error: 'scope_denied' });
    const queueing = await minted({
      scope: 'row',
      key: 'LANDSCAPE_QUEUE',
      risk_ceiling: 'high',
      ttl: 600,
      max_uses: 0,
    });
    const opening = {
      action: 'queue_targets',
      cohort: 'shut',
      query: 'Servers',
      captured_at: '2026-03-01T12:00:00Z',
    };
    expect(
      await post('/api/build-landscape', { ...opening, targets: [], open: true, key: queueing }),
    ).toMatchObject({ http: 403, error: 'owner_only' });
    expect(await next('shut', 2)).toMatchObject({ http: 403 });
    expect(await queue('shut', { targets: [], open: true })).toMatchObject({ queued: 0, open: true });
    expect(await s().read('/api/build-landscape?cohort=shut')).toMatchObject({ open: true });
    // Where none is named, a cohort that is not open has nothing for a contributor.
    await s().owner('/api/dispatch', { key: 'WORKSPACE_CREATE', body: 'census|The census|A test|open' });
    await s().owner('/api/build-landscape?workspace=census', { ...opening, targets: [{ name: 'One' }] });
    const entered = await s().read('/api/workspace/census/enter?role=contributor');
    const there = `/api/build-landscape?next=1&lane=field&share=${String(entered['credential'].token)}`;
    expect(await get(there)).toMatchObject({ http: 404, error: 'not_found' });
    const given = await next('shut', 3);
    expect(given).toMatchObject({ http: 200 });
    const { leased_at: from, expires_at: until } = given['assignment'] as Answer;
    expect(Math.abs(Date.parse(String(until)) - Date.parse(String(from)) - 3_600_000)).toBeLessThan(1000);
    await queue('wide');
    expect(await next('wide', 4)).toMatchObject({ http: 409, error: 'conflict', max: 1 });
    await queue('wide', { targets: [], open: false });
    expect(await next('wide', 5, await contributor())).toMatchObject({ http: 403 });
  });

  it('leaves projections that a ledger replay reproduces', () => expectRebuilds(s()));
});
