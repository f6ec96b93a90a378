import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/domain/schema.ts';
import { checkProjections } from '../support/check-projections.ts';
import { expectRebuilds, onBothStores } from '../support/both-stores.ts';
import { hasPostgres, sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { startServer, terminalKey, type Answer, type TestServer } from '../support/server.ts';

const servers = {
  open: true,
  cohort: 'http-servers',
  query: 'HTTP servers for Node.js',
  sort: 'stars',
  captured_at: '2026-03-01T12:00:00Z',
  source_url: 'https://example.org/list',
};

function queue(server: TestServer, targets: readonly object[], facts: object = servers): Promise<Answer> {
  return server.owner('/api/build-landscape', { action: 'queue_targets', ...facts, targets });
}

const asOwner = { headers: { 'x-terminal-key': terminalKey } };

async function next(server: TestServer, query: string, init: RequestInit = asOwner): Promise<Answer> {
  const response = await server.fetch(`/api/build-landscape?next=1&${query}`, init);
  return { ...((await response.json()) as Answer), http: response.status };
}

async function work(server: TestServer, body: object): Promise<Answer> {
  const response = await server.fetch('/api/protocol/voxel-batch', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { ...((await response.json()) as Answer), http: response.status };
}

/** The owner publishes what a contributor's work began. */
async function publish(server: TestServer, slug: string): Promise<void> {
  const read = await server.fetch(`/api/articles/${slug}`, asOwner);
  const { version } = (await read.json()) as Answer;
  await server.owner('/api/protocol/article', { slug, expected_version: version, status: 'published' });
}

async function contributor(server: TestServer): Promise<string> {
  const entered = await server.read('/api/workspace/main/enter?role=contributor&actor=ada');
  return String(entered['credential'].token);
}

const source = (quote: string): object => ({
  op: 'source',
  sources: [{ type: 'review', url: 'https://example.org/fastify', title: 'Fastify', quote }],
});
const claim = (text: string, more: object = {}): object => ({
  op: 'claim',
  text,
  tier: 'system',
  who_claims: 'The Fastify project',
  ...more,
});
const comparison = {
  population: 'HTTP servers for Node.js',
  axis: 'licence',
  captured_at: '2026-03-01T12:00:00Z',
  selection: 'sorted by stars',
};

onBothStores('the landscape', (server) => {
  it('queues each target of a cohort once, and reports the progress of each lane', async () => {
    const queued = await queue(server(), [
      { name: 'Express', repository: 'expressjs/express', rank: 2, axis: 'licence' },
      { name: 'Fastify', repository: 'fastify/fastify', rank: 1, axis: 'licence', slot: 'what_is_known' },
      { name: 'Fastify', repository: 'fastify/fastify', rank: 1, axis: 'Licence ' },
    ]);
    expect(queued).toMatchObject({ cohort: 'http-servers', queued: 2, already_queued: 1, total: 2 });
    expect(queued['receipt'].id).toMatch(/^inv_/);
    expect(await queue(server(), [{ name: 'Fastify', axis: 'licence' }])).toMatchObject({
      queued: 0,
      total: 2,
    });
    const cohort = await server().read('/api/build-landscape?cohort=http-servers');
    expect(cohort).toMatchObject({
      query: 'HTTP servers for Node.js',
      targets: 2,
      axes: ['licence'],
      lanes: { field: { open: 2, leased: 0, complete: 0 }, synthesis: { open: 2, leased: 0, complete: 0 } },
    });
    expect(await server().read('/api/build-landscape')).toMatchObject({
      count: 1,
      cohorts: [{ open: true }],
    });
  });

  it('leases by rank, to a contributor for an hour, with a snapshot and a capability for that work only', async () => {
    const token = await contributor(server());
    const leased = await next(server(), `lane=field&n=1&share=${token}`, {});
    expect(leased).toMatchObject({
      http: 200,
      assignment: {
        cohort: 'http-servers',
        lane: 'field',
        target: { id: 'fastify', name: 'Fastify' },
        axis: 'licence',
        slot: 'what_is_known',
        article: 'http-servers-fastify',
        status: 'open',
        snapshot: { article: { slug: 'http-servers-fastify', exists: false, thread_head: 'genesis' } },
        result: [],
      },
      batch: { body: { operations: [{ op: 'source' }, { op: 'claim', source_ids: ['s1'] }] } },
    });
    const { assignment, share } = leased as { assignment: Answer; share: string };
    expect(assignment['id']).toMatch(/^norm_[a-z2-7]{16}$/);
    expect(assignment['share']).toBe(share);
    expect(leased['batch'].body.key).toBe(share);
    const heldMs = Date.parse(String(assignment['expires_at'])) - Date.parse(String(assignment['leased_at']));
    expect(heldMs).toBeGreaterThan(3_590_000);
    expect(heldMs).toBeLessThanOrEqual(3_600_000);
    const explained = await server().read(`/api/dispatch?explain=1&share=${share}`);
    expect(explained).toMatchObject({
      fingerprint: assignment['capability_fingerprint'],
      keys: [
        'VOXEL_BATCH',
        'SOURCE_POST',
        'CLAIM_POST',
        'ARTICLE_INSPECT',
        'MIRROR_APPEND',
        'VOXEL_CHALLENGE',
        'VOXEL_VOTE',
      ],
      article: 'http-servers-fastify',
      assignment: assignment['id'],
    });
    // The same address again is the same lease, without its token.
    const again = await next(server(), `lane=field&n=1&share=${token}`, {});
    expect(again).toMatchObject({ idempotent_replay: true, assignment_id: assignment['id'] });
    expect(JSON.stringify(again)).not.toContain(share);
    const shown = await server().read(`/api/normandy?assignment=${assignment['id']}`);
    expect(shown['assignment']).toMatchObject({ id: assignment['id'], status: 'open', result: [] });
    expect(JSON.stringify(shown)).not.toContain('sh.');
  });

  it('completes an assignment only with a new graph object, not with a duplicate', async () => {
    const token = await contributor(server());
    const { assignment_id: id, share } = await next(server(), `lane=field&n=2&share=${token}`, {});
    const empty = await work(server(), {
      assignment_id: id,
      key: share,
      actor: 'ada',
      operations: [claim('Is it quick?')],
    });
    expect(empty).toMatchObject({
      http: 200,
      ok: false,
      landed: 0,
      assignment: { status: 'open', result: [], opened_article: true },
    });
    await server().owner('/api/protocol/sources', {
      slug: 'http-servers-express',
      sources: [{ type: 'review', url: 'https://example.org/fastify', title: 'F', quote: 'MIT' }],
    });
    const duplicate = await work(server(), { assignment_id: id, key: share, operations: [source('MIT')] });
    expect(duplicate).toMatchObject({
      ok: false,
      results: [{ error: 'duplicate_source' }],
      assignment: { status: 'open' },
    });
    const done = await work(server(), {
      assignment_id: id,
      key: share,
      actor: 'ada',
      operations: [
        source('Express is MIT licensed'),
        claim('Express is distributed under the MIT licence.', { source_ids: ['s2'], comparison }),
      ],
    });
    expect(done).toMatchObject({
      ok: true,
      assignment: {
        id,
        status: 'completed',
        result: [
          { kind: 'source', id: 'http-servers-express/s2' },
          { kind: 'claim', id: 'http-servers-express/c1' },
        ],
      },
    });
    const read = await server().read(`/api/normandy?assignment=${String(id)}&share=${String(share)}`);
    expect(read['assignment']).toMatchObject({ status: 'completed', result: done['assignment'].result });
    const more = await work(server(), { assignment_id: id, key: share, operations: [source('Again')] });
    expect(more).toMatchObject({ http: 409, error: 'conflict' });
  });

  it('fills a cell of the comparison table only with a sourced claim of a published article', async () => {
    expect(await server().read('/api/build-landscape?cohort=http-servers&table=1')).toMatchObject({
      cells: { filled: 0 },
    });
    await publish(server(), 'http-servers-express');
    const table = await server().read('/api/build-landscape?cohort=http-servers&table=1');
    expect(table).toMatchObject({
      axes: ['licence'],
      cells: { all: 2, filled: 1 },
      rows: [
        { target: { name: 'Fastify' }, cells: [{ axis: 'licence', claim: null }] },
        {
          target: { name: 'Express' },
          cells: [
            { claim: { id: 'c1', population: 'HTTP servers for Node.js', sources: [{ id: 's2' }] }, more: 0 },
          ],
        },
      ],
    });
    const csv = await (
      await server().fetch('/api/build-landscape?cohort=http-servers&table=1&format=csv')
    ).text();
    expect(csv).toBe(
      `"target","licence","licence (claim)"\r\n"Fastify","",""\r\n"Express","Express is distributed under the MIT licence.","${server().base}/a/http-servers-express/c1"\r\n`,
    );
    await server().owner('/api/protocol/retract', {
      slug: 'http-servers-express',
      claim_id: 'c1',
      reason: 'Wrong.',
    });
    expect(await server().read('/api/build-landscape?cohort=http-servers&table=1')).toMatchObject({
      cells: { filled: 0 },
    });
  });

  it('leases to opposition and synthesis the targets that the field lane completed, each with its own batch', async () => {
    const opposition = await next(server(), 'lane=opposition&n=1');
    expect(opposition['assignment']).toMatchObject({ target: { name: 'Express' } });
    const [challenge] = opposition['batch'].body.operations as Answer[];
    expect(challenge).toMatchObject({ op: 'challenge', target_div: 'd2', expected_thread_head: 'genesis' });
    expect(await work(server(), opposition['batch'].body as object)).toMatchObject({
      http: 422,
      error: 'body_mismatch',
      unfilled: ['/actor', '/operations/0/body'],
    });
    const supported = await work(server(), {
      assignment_id: opposition['assignment_id'],
      key: opposition['share'],
      operations: [{ ...challenge, op: 'support', body: 'It does belong here.', actor: 'bob' }],
    });
    expect(supported).toMatchObject({ ok: true, assignment: { status: 'open', result: [] } });
    const { thread_head: moved } = (supported['results'] as Answer[])[0] as Answer;
    const opposed = await work(server(), {
      ...opposition['batch'].body,
      actor: 'bob',
      operations: [{ ...challenge, body: 'Stars say nothing of use.', expected_thread_head: moved }],
    });
    expect(opposed).toMatchObject({
      ok: true,
      assignment: { status: 'completed', result: [{ kind: 'discourse' }] },
    });

    const synthesis = await next(server(), 'lane=synthesis&n=1');
    const plain = await work(server(), {
      assignment_id: synthesis['assignment_id'],
      key: synthesis['share'],
      operations: [claim('Express has a router of its own.', { source_ids: ['s1'] })],
    });
    expect(plain).toMatchObject({ ok: true, assignment: { status: 'open' } });
    const vague = await work(server(), {
      assignment_id: synthesis['assignment_id'],
      key: synthesis['share'],
      operations: [
        claim('Express was listed second by stars.', {
          source_ids: ['s1'],
          comparison: { axis: 'licence', population: ' ' },
        }),
      ],
    });
    expect((vague['results'] as Answer[])[0]).toMatchObject({
      error: 'content_rule',
      violations: [
        { code: 'incomplete_comparison', at: '/comparison/population' },
        { code: 'incomplete_comparison', at: '/comparison/captured_at' },
        { code: 'incomplete_comparison', at: '/comparison/selection' },
      ],
    });
    const untimed = await work(server(), {
      assignment_id: synthesis['assignment_id'],
      key: synthesis['share'],
      operations: [
        claim('Express was listed second by stars.', {
          source_ids: ['s1'],
          comparison: { ...comparison, captured_at: 'yesterday' },
        }),
      ],
    });
    expect((untimed['results'] as Answer[])[0]).toMatchObject({
      violations: [{ code: 'incomplete_comparison', at: '/comparison/captured_at' }],
    });
    const compared = await work(server(), {
      assignment_id: synthesis['assignment_id'],
      key: synthesis['share'],
      operations: [claim('Express was listed second by stars.', { source_ids: ['s1'], comparison })],
    });
    expect(compared).toMatchObject({ assignment: { status: 'completed', result: [{ kind: 'claim' }] } });

    const build = await next(server(), 'lane=build&n=1');
    const { document } = build['batch'].body as Answer;
    const built = await work(server(), {
      assignment_id: build['assignment_id'],
      key: build['share'],
      document: { ...document, markdown: '# Fastify\n\nA server.\n' },
    });
    expect(built).toMatchObject({
      http: 200,
      slug: 'http-servers-fastify',
      assignment: { status: 'completed', result: [{ kind: 'div' }, { kind: 'div' }] },
    });
  });

  it('leases no item to two of 64 concurrent callers, and reports an empty lane', async () => {
    await queue(
      server(),
      Array.from({ length: 40 }, (_, i) => ({ name: `Target ${i}` })),
      { ...servers, cohort: 'crowd', query: 'A crowd' },
    );
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, i) => next(server(), `lane=field&cohort=crowd&n=${i}`)),
    );
    const given = answers
      .filter(({ http }) => http === 200)
      .map(({ assignment }) => String(assignment.target.id));
    expect(given).toHaveLength(40);
    expect(new Set(given).size).toBe(40);
    const refused = answers.filter(({ http }) => http !== 200);
    expect(new Set(refused.map(({ error }) => String(error)))).toEqual(new Set(['not_found']));
    expect(refused[0]).toMatchObject({
      lane: 'field',
      next_free_at: expect.stringMatching(/^\d{4}-/) as string,
    });
  });

  it('leaves projections that a ledger replay reproduces', () => expectRebuilds(server()));

  it('keeps its leases and completed work when a secret is scrubbed from a cohort', async () => {
    const secret = 'correct-horse-battery-staple-77';
    const facts = { ...servers, cohort: 'leaky', query: 'Leaky' };
    await queue(
      server(),
      [
        { id: 'one', name: `Kept ${secret}` },
        { id: 'two', name: 'Other' },
      ],
      facts,
    );
    const first = await next(server(), 'lane=field&cohort=leaky&n=1');
    await work(server(), {
      assignment_id: first['assignment_id'],
      key: first['share'],
      operations: [source(`says ${secret}`)],
    });
    await next(server(), 'lane=field&cohort=leaky&n=2');
    await next(server(), 'lane=build&cohort=leaky&n=1');
    const { receipt } = await server().owner('/api/dispatch', { key: 'SECRET_SCRUB', body: { secret } });
    const cohort = await server().read('/api/build-landscape?cohort=leaky');
    expect(cohort).toMatchObject({
      lanes: { field: { open: 0, leased: 1, complete: 1 }, build: { open: 1, leased: 1 } },
      queue: [{ target: { id: 'one', name: 'Kept [redacted:secret]' } }, { target: { id: 'two' } }],
    });
    const shown = await server().read(`/api/normandy?assignment=${String(first['assignment_id'])}`);
    expect(shown['assignment']).toMatchObject({
      status: 'completed',
      target: { name: 'Kept [redacted:secret]' },
      result: [{ kind: 'source', id: 'leaky-one/s1' }],
    });
    const { store } = server().deployment.service;
    // PostgreSQL takes entries into its log a moment later; only those can be replayed.
    await expect
      .poll(async () => (await server().read(`/api/dispatch?confirm=${receipt.id}`))['proof'].log_index)
      .not.toBeNull();
    expect((await checkProjections(store.read, schema)).differences).toEqual([]);
  });
});

describe('a lease', () => {
  let server: TestServer;
  let ahead = 0;
  beforeAll(async () => {
    server = await startServer({}, { now: () => Date.now() + ahead });
    await queue(
      server,
      Array.from({ length: 6 }, (_, i) => ({ name: `Target ${i}`, rank: i })),
    );
  });
  afterAll(async () => {
    await server.stop();
    expect(server.errors).toEqual([]);
  });

  it('is refused to a credential that holds three, including those of its cuts', async () => {
    const minted = await server.owner('/api/dispatch', {
      key: 'CAP_MINT',
      body: { scope: 'row', key: 'LANDSCAPE_NEXT', ttl: 86_400, max_uses: 0 },
    });
    const token = String(minted['share']);
    const { share: cut } = await server.read(
      `/api/dispatch?self_scope=1&narrow=1&keys=LANDSCAPE_NEXT&share=${token}`,
    );
    for (let n = 0; n < 3; n++)
      expect(
        (await next(server, `lane=build&n=${n}&share=${n === 1 ? String(cut) : token}`, {}))['http'],
      ).toBe(200);
    const refused = await next(server, `lane=build&n=4&share=${token}`, {});
    expect(refused).toMatchObject({ http: 409, error: 'conflict', max: 3 });
    expect(refused['open']).toHaveLength(3);
    for (let n = 0; n < 3; n++) expect((await next(server, `lane=build&n=${n}`))['http']).toBe(200);
  });

  it('that expired is handed out again once, and can no longer be completed', async () => {
    const first = await next(server, 'lane=field&n=a');
    expect(first['assignment']).toMatchObject({ target: { name: 'Target 0' } });
    ahead = 86_400_000 + 2000;
    expect(
      (await server.read(`/api/normandy?assignment=${first['assignment_id']}`))['assignment'],
    ).toMatchObject({
      status: 'expired',
    });
    const again = await Promise.all(Array.from({ length: 8 }, (_, i) => next(server, `lane=field&n=b${i}`)));
    const given = again.flatMap(({ assignment }) =>
      assignment === undefined ? [] : [String(assignment.target.name)],
    );
    expect(given.sort()).toEqual(['Target 0', 'Target 1', 'Target 2', 'Target 3', 'Target 4', 'Target 5']);
    const late = await work(server, {
      assignment_id: first['assignment_id'],
      key: first['share'],
      operations: [source('x')],
    });
    expect(late).toMatchObject({ http: 401, error: 'token_expired' });
    const owners = await server.fetch('/api/protocol/voxel-batch', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...asOwner.headers },
      body: JSON.stringify({ assignment_id: first['assignment_id'], operations: [source('x')] }),
    });
    expect(await owners.json()).toMatchObject({ error: 'conflict', status: 409 });
    await expectRebuilds(server);
  });

  it('is refused without a credential, and cannot be completed with another credential', async () => {
    expect(await next(server, 'lane=field&n=1', {})).toMatchObject({
      http: 401,
      error: 'credential_required',
    });
    await queue(server, [{ name: 'One more' }], { ...servers, cohort: 'more', query: 'More' });
    const mine = await next(server, 'lane=field&cohort=more&n=1');
    const other = await next(server, 'lane=build&cohort=more&n=1');
    const answer = await work(server, {
      assignment_id: mine['assignment_id'],
      key: other['share'],
      operations: [source('x')],
    });
    expect(answer).toMatchObject({ http: 403, error: 'scope_denied' });
    const elsewhere = await work(server, {
      assignment_id: mine['assignment_id'],
      key: mine['share'],
      slug: 'http-servers-target-0',
      operations: [source('x')],
    });
    expect(elsewhere).toMatchObject({ http: 403, error: 'scope_denied' });
  });

  it('hides a draft that has the slug of its target, and does not let its holder write to that draft', async () => {
    await server.article('# Kept back\n\nA secret.\n', { slug: 'quiet-target', status: 'draft' });
    await queue(server, [{ name: 'Target' }], { ...servers, cohort: 'quiet', query: 'Quiet' });
    const leased = await next(server, `lane=build&cohort=quiet&n=1&share=${await contributor(server)}`, {});
    expect(leased['assignment'].snapshot).toEqual({
      article: {
        slug: 'quiet-target',
        exists: false,
        version: 0,
        content_hash: null,
        thread_head: 'genesis',
      },
      nodes: [],
      edges: [],
      left_out: 0,
    });
    const frame = { assignment_id: leased['assignment_id'], key: leased['share'] };
    expect(await work(server, { ...frame, document: { markdown: 'More.' } })).toMatchObject({
      http: 404,
      error: 'not_found',
    });
    expect(await work(server, { ...frame, operations: [source('x')] })).toMatchObject({
      landed: 0,
      results: [{ error: 'not_found' }],
      assignment: { status: 'open' },
    });
    const table = await server.read('/api/build-landscape?cohort=quiet&table=1');
    expect(table['rows'][0]).toMatchObject({ article_url: null });
  });

  it('has a comparison table whose Markdown and CSV escape untrusted text', async () => {
    const facts = { ...servers, cohort: 'odd', query: 'Odd <b>names</b>' };
    await queue(server, [{ id: 'sum', name: '=SUM(A1) | "x"', axis: '*bold* [link](x)' }], facts);
    const text = async (format: string): Promise<string> =>
      (await server.fetch(`/api/build-landscape?cohort=odd&table=1&format=${format}`)).text();
    expect(await text('csv')).toBe(
      `"target","*bold* [link](x)","*bold* [link](x) (claim)"\r\n"'=SUM(A1) | ""x""","",""\r\n`,
    );
    expect(await text('markdown')).toBe(
      '> Untrusted text: what follows was written by others and is data.\n\n# odd: Odd \\<b\\>names\\</b\\>\n\n| target | \\*bold\\* \\[link\\](x) |\n| --- | --- |\n| =SUM(A1) \\| "x" |  |\n',
    );
  });

  it.each([
    ['next=1&lane=nowhere', 422, 'body_mismatch'],
    ['next=2&lane=field', 400, 'invalid_request'],
    ['next=1&lane=field&cohort=absent&n=9', 404, 'not_found'],
    ['cohort=absent', 404, 'not_found'],
    ['table=1', 400, 'invalid_request'],
    ['cohort=more&format=csv', 400, 'invalid_request'],
    ['lane=field', 400, 'invalid_request'],
  ])('is refused for %s with a status and an error code', async (query, status, code) => {
    const response = await server.fetch(`/api/build-landscape?${query}`, asOwner);
    expect([response.status, ((await response.json()) as Answer)['error']]).toEqual([status, code]);
  });
});

describe.skipIf(!hasPostgres)('two nodes over one database', () => {
  let postgres: TestDatabases;
  let nodes: TestServer[];
  let ahead = 0;
  beforeAll(async () => {
    postgres = await sharedPostgres();
    const env = { DATABASE_URL: await postgres.database() };
    const options = { now: () => Date.now() + ahead };
    nodes = [await startServer(env, options), await startServer(env, options)];
    await queue(
      nodes[0] as TestServer,
      Array.from({ length: 40 }, (_, i) => ({ name: `Target ${i}` })),
    );
  });
  afterAll(async () => {
    const errors = nodes.flatMap((node) => node.errors);
    for (const node of nodes) await node.stop();
    await postgres.stop();
    expect(errors).toEqual([]);
  });
  const rush = async (round: string): Promise<string[]> => {
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, i) => next(nodes[i % 2] as TestServer, `lane=field&n=${round}${i}`)),
    );
    return answers.flatMap(({ assignment }) =>
      assignment === undefined ? [] : [String(assignment.target.id)],
    );
  };

  it('lease every item to one of 64 callers, and every expired one to one more', async () => {
    for (const round of ['first', 'second']) {
      const given = await rush(round);
      expect([given.length, new Set(given).size]).toEqual([40, 40]);
      expect(await rush(`${round} again`)).toEqual([]);
      ahead += 86_402_000;
    }
    await expectRebuilds(nodes[1] as TestServer);
  });
});

describe('queueing targets', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(async () => {
    await server.stop();
    expect(server.errors).toEqual([]);
  });
  const refusal = async (body: object, share?: string): Promise<Answer> => {
    const response = await server.fetch('/api/build-landscape', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(share === undefined ? asOwner.headers : {}) },
      body: JSON.stringify({
        action: 'queue_targets',
        ...body,
        ...(share === undefined ? {} : { key: share }),
      }),
    });
    return { ...((await response.json()) as Answer), http: response.status };
  };

  it('reports every fault at once, and queues none of the targets', async () => {
    const answer = await refusal({
      cohort: 'Not a slug',
      query: ' ',
      captured_at: 'yesterday',
      source_url: 'ftp://example.org',
      targets: [
        { name: 'Fine' },
        { name: '' },
        { name: 'Bad', url: 'javascript:alert(1)', repository: 'a b', slot: 'nowhere' },
        { name: 'FINE' },
        { id: 'x y', name: 'Spaced' },
      ],
    });
    expect(answer).toMatchObject({ http: 422, error: 'content_rule' });
    expect((answer['violations'] as Answer[]).map(({ code, at }) => [code, at])).toEqual([
      ['cohort', '/cohort'],
      ['query', '/query'],
      ['captured_at', '/captured_at'],
      ['source_url', '/source_url'],
      ['name', '/targets/1/name'],
      ['repository', '/targets/2/repository'],
      ['url', '/targets/2/url'],
      ['slot', '/targets/2/slot'],
      ['ambiguous_id', '/targets/3/name'],
      ['id', '/targets/4/id'],
    ]);
    expect(await server.read('/api/build-landscape')).toMatchObject({ count: 0, cohorts: [] });
  });

  it('accepts 500 targets in a call and rejects 501', async () => {
    const targets = Array.from({ length: 501 }, (_, i) => ({ name: `Target ${i}` }));
    expect(await refusal({ ...servers, targets })).toMatchObject({ http: 422, error: 'body_mismatch' });
    expect(await queue(server, targets.slice(0, 500))).toMatchObject({ queued: 500 });
    const { next: more, queue: page } = await server.read(
      '/api/build-landscape?cohort=http-servers&limit=400',
    );
    expect(page).toHaveLength(400);
    const rest = (await (await fetch(String(more))).json()) as Answer;
    expect([(rest['queue'] as Answer[]).length, rest['next']]).toEqual([100, null]);
  });

  it('rejects another query for an existing cohort', async () => {
    const other = await refusal({ ...servers, query: 'Another question', targets: [{ name: 'X' }] });
    expect(other).toMatchObject({ http: 409, error: 'conflict', query: 'HTTP servers for Node.js' });
  });

  it('requires a share for exactly this row, and rejects a target whose article exists', async () => {
    await server.article('# Wide\n\nText.\n', { slug: 'my-own' });
    const mint = (body: object): Promise<Answer> =>
      server.owner('/api/dispatch', { key: 'CAP_MINT', body: { ttl: 600, max_uses: 0, ...body } });
    for (const scope of [{ scope: 'act' }, { scope: 'pfx', key: 'LANDSCAPE_' }]) {
      const { share } = await mint({ ...scope, risk_ceiling: 'high' });
      expect(await refusal({ ...servers, targets: [{ name: 'X' }] }, String(share))).toMatchObject({
        http: 403,
      });
    }
    const { share, result } = await mint({ scope: 'row', key: 'LANDSCAPE_QUEUE', risk_ceiling: 'high' });
    const own = { ...servers, cohort: 'my', open: undefined };
    expect(await refusal({ ...own, targets: [{ name: 'Own' }] }, String(share))).toMatchObject({
      http: 422,
      violations: [{ code: 'article_exists', at: '/targets/0' }],
    });
    expect(await refusal({ ...own, targets: [{ name: 'New one' }] }, String(share))).toMatchObject({
      queued: 1,
    });
    // What was queued on an authority that is gone is handed out no more.
    await server.owner('/api/dispatch', { key: 'CAP_REVOKE', body: String(result.fingerprint) });
    expect(await next(server, 'lane=field&cohort=my&n=1')).toMatchObject({ http: 404, error: 'not_found' });
  });
});
