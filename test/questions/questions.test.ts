import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../src/compose.ts';
import { schema } from '../../src/domain/schema.ts';
import { checkProjections } from '../support/check-projections.ts';
import { verifyBundle } from '../../verify/index.ts';
import { startServer, terminalKey, type Answer, type TestServer } from '../support/server.ts';
import { sharedPostgres, type TestDatabases } from '../support/postgres.ts';

let postgres: TestDatabases;
const servers = new Map<string, TestServer>();

beforeAll(async () => {
  postgres = await sharedPostgres();
  servers.set('sqlite', await startServer());
  servers.set('postgres', await startServer({ DATABASE_URL: await postgres.database() }));
}, 60_000);

afterAll(async () => {
  for (const server of servers.values()) {
    await server.stop();
    expect(server.errors).toEqual([]);
  }
  await postgres.stop();
});

const source = {
  type: 'review',
  url: 'https://www.rfc-editor.org/rfc/rfc6962',
  title: 'RFC 6962',
  quote: 'Merkle Audit Paths',
};

describe.each(['sqlite', 'postgres'])('questions over %s', (name) => {
  const server = (): TestServer => servers.get(name) as TestServer;
  const ask = (question: string, more: object = {}): Promise<Answer> =>
    server().owner('/api/protocol/ask', { slug: 'logs', question, ...more });
  const part = (path: string): Promise<Answer> => server().read(`/api/articles/logs/${path}`);

  beforeAll(async () => {
    await server().article(
      '# Logs\n\nA checkpoint is signed by the operator once a second.\n\nWitnesses compare checkpoints.\n\nA burned paragraph praises zebras.\n',
      { slug: 'logs', title: 'Logs' },
    );
    await server().owner('/api/protocol/sources', { slug: 'logs', sources: [source] });
    const claim = { slug: 'logs', tier: 'human', who_claims: 'RFC 6962' };
    for (const more of [
      { text: 'An inclusion proof has as many hashes as the tree has levels.', source_ids: ['s1'] },
      { text: 'A zebra has stripes.', source_ids: ['s1'] },
    ])
      await server().owner('/api/protocol/claim', { ...claim, ...more });
    await server().owner('/api/protocol/retract', {
      slug: 'logs',
      claim_id: 'c2',
      reason: 'Off the subject.',
    });
    const { divs } = await part('voxels');
    await server().owner('/api/protocol/voxel-burn', {
      slug: 'logs',
      ids: ['d4'],
      expected_hashes: [divs[3].vx_hash],
      reason: 'Off the subject.',
    });
  }, 30_000);

  it('are answered from cited claims and DIVs, and the answer says that no model wrote it', async () => {
    const answer = await ask('How many hashes does an inclusion proof have?');
    expect(answer['answered_by']).toMatchObject({ kind: 'extraction', model: null });
    expect(answer['answer']).toBe(
      'Claim c1 (human, weight 0.8, sources s1): An inclusion proof has as many hashes as the tree has levels.',
    );
    expect(answer['citations']).toEqual([
      {
        kind: 'claim',
        id: 'c1',
        text: 'An inclusion proof has as many hashes as the tree has levels.',
        hash: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
        tier: 'human',
        weight: 0.8,
        source_ids: ['s1'],
        score: expect.closeTo(4.5, 0) as unknown,
        permalink: `${server().base}/a/logs/c1`,
      },
    ]);
    expect(answer['confidence']).toBe(1);
    expect([answer['gaps'], answer['ingest_hint']]).toEqual([[], null]);
    expect(answer['question_node']).toMatchObject({
      id: expect.stringMatching(/^qn_[a-z2-7]{16}$/) as unknown,
      slug: 'logs',
      status: 'answered',
      cited_claim_ids: ['c1'],
      cited_source_ids: ['s1'],
      parent: null,
      asked: 1,
    });
    expect(answer['receipt'].id).toMatch(/^inv_/);
  });

  it('name their gaps and how to add evidence', async () => {
    const answer = await ask('Which operator signs a checkpoint in Iceland?');
    expect(answer['question_node']).toMatchObject({ status: 'gap', cited_div_ids: ['d2'] });
    expect(answer['gaps']).toEqual([
      {
        code: 'words_not_found',
        detail: 'Nothing that is cited speaks of these words of the question.',
        of: ['Iceland'],
      },
      {
        code: 'prose_only',
        detail: 'Running text speaks of it, but no claim asserts it.',
        of: ['d2'],
      },
    ]);
    expect(answer['ingest_hint']).toMatchObject({
      method: 'POST',
      url: `${server().base}/api/protocol/ingest`,
      body: { slug: 'logs', question_node_id: answer['question_node'].id, evidence: '' },
    });
  });

  it('are never answered with retracted or burned text', async () => {
    const answer = await ask('Does a zebra have stripes?');
    expect(answer).toMatchObject({
      citations: [],
      confidence: 0,
      answer: 'The ledger of logs does not speak of this.',
      gaps: [{ code: 'nothing_found', of: ['zebra', 'stripes'] }],
      question_node: { status: 'gap' },
    });
  });

  it('become one node when asked again in any letter case, and link to related questions', async () => {
    const first = await ask('Who witnesses?');
    const again = await ask('WHO  witnesses');
    expect(again['question_node']).toMatchObject({
      id: first['question_node'].id,
      question: 'Who witnesses?',
      asked: 2,
    });
    const child = await ask('What do witnesses compare?', { parent: first['question_node'].id });
    expect(child['question_node'].parent).toBe(first['question_node'].id);
    expect((await part('question-graph'))['edges']).toContainEqual({
      from: child['question_node'].id,
      rel: 'follows',
      to: first['question_node'].id,
    });
  });

  it('accept evidence whose sources are proposed and whose secrets are redacted', async () => {
    const { question_node: before } = await ask('Which gossip protocol do monitors use?');
    expect(before.status).toBe('gap');
    const { share } = await server().owner('/api/dispatch', {
      key: 'CAP_MINT',
      body: JSON.stringify({ scope: 'row', key: 'ARTICLE_INGEST', article: 'logs', max_uses: 5 }),
    });
    const evidence =
      'Monitors gossip by a protocol of their own, see: [Gossiping in CT](https://datatracker.test/gossip). See: https://www.rfc-editor.org/rfc/rfc6962\n\nAKIAIOSFODNN7REALKEY is a key. <script>alert(1)</script>';
    const answer = await server().anybody('/api/protocol/ingest', {
      slug: 'logs',
      evidence,
      question_node_id: before.id,
      key: share,
    });
    expect(answer['question_node']).toMatchObject({
      id: before.id,
      status: 'enriched',
      evidence_ids: [answer['evidence'].id],
    });
    expect(answer['evidence'].covers).toEqual(['gossip', 'protocol', 'monitors']);
    // A bare address without exact words could never be accepted, so it is not proposed.
    expect(answer['proposed_sources']).toMatchObject([
      {
        url: 'https://datatracker.test/gossip',
        title: 'Gossiping in CT',
        quote: 'Monitors gossip by a protocol of their own, Gossiping in CT.',
        status: 'proposed',
      },
    ]);
    const mirror = await part('mirror');
    const ids = answer['proposed_sources'].map((each: Answer) => each['contribution_id']);
    expect(mirror['by_status'].proposed.toSorted()).toEqual(ids.toSorted());
    expect(mirror['verification']).toMatchObject({ valid: true, entries: 1 });
    expect((await part('sources'))['sources']).toHaveLength(1);
    const graph = await part('question-graph');
    expect(graph['evidence']).toHaveLength(1);
    expect(graph['evidence'][0].text).toContain('[redacted:secret]');
    expect(JSON.stringify(graph)).not.toContain('AKIAIOSFODNN7REALKEY');
    const twice = await server().anybody('/api/protocol/ingest', {
      slug: 'logs',
      evidence: 'Again: https://www.rfc-editor.org/rfc/rfc6962',
      key: share,
    });
    expect(twice['question_node']).toBeNull();
  });

  it('verify as a chain, also in the bundle, and are part of its graph', async () => {
    const graph = await part('question-graph');
    expect(graph['verification']).toMatchObject({ valid: true });
    expect(graph['count']).toBe(graph['questions'].length);
    const opened = await verifyBundle(graph);
    expect(opened.checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(opened.checks.map(({ id }) => id)).toContain('content');
    const slice = (await part('topology'))['question_graph'];
    expect(slice.questions.map((node: Answer) => node['id'])).toEqual(
      graph['questions'].map((node: Answer) => node['id']),
    );
    expect(slice.edges).toEqual(graph['edges']);
    const bundle = await part('bundle');
    expect(bundle['question_graph']).toEqual(slice);
    const key = (await (await server().fetch('/.well-known/colophon-key')).text()).trim();
    const report = await verifyBundle(bundle, key);
    expect(report.checks.filter(({ ok }) => !ok)).toEqual([]);
  });

  it('read a slice of the graph without writing an entry', async () => {
    const before = (await part('question-graph'))['count'];
    const slice = await part('graph-topology?question=hashes+of+an+inclusion+proof');
    expect(slice['claims'].map((claim: Answer) => claim['id'])).toEqual(['c1']);
    expect(slice['sources']).toMatchObject([{ id: 's1', title: 'RFC 6962' }]);
    expect(slice['edges']).toContainEqual({ from: 'c1', rel: 'cites', to: 's1' });
    expect(slice['questions']).toMatchObject([{ question: 'How many hashes does an inclusion proof have?' }]);
    expect((await part('question-graph'))['count']).toBe(before);
    const missing = await server().fetch('/api/articles/logs/graph-topology');
    expect([missing.status, ((await missing.json()) as Answer)['parameter']]).toEqual([400, 'question']);
  });

  it('are suggested for gaps in the ledger, each as a ready call', async () => {
    const { prompts, count } = await part('prompts');
    expect(count).toBe(prompts.length);
    const texts = prompts.map((prompt: Answer) => prompt['question']);
    expect(texts).toContain('Does a zebra have stripes?');
    expect(texts).toContain('What is not known about Logs?');
    expect(texts).not.toContain('How many hashes does an inclusion proof have?');
    const answer = await server().owner(new URL(prompts[0].ask.url).pathname, prompts[0].ask.body);
    expect(answer['question_node'].question).toBe(prompts[0].question);
    expect(
      (await server().fetch(new URL(prompts[0].topology).pathname + new URL(prompts[0].topology).search))
        .status,
    ).toBe(200);
  });

  it.each([
    ['ask', { slug: 'logs', question: ' ' }, 422, 'body_mismatch'],
    ['ask', { slug: 'logs', question: 'x'.repeat(1001) }, 413, 'payload_ceiling'],
    ['ask', { slug: 'logs' }, 422, 'body_mismatch'],
    ['ask', { slug: 'nowhere', question: 'x' }, 404, 'not_found'],
    ['ask', { slug: 'logs', question: 'x', parent: 'qn_aaaaaaaaaaaaaaaa' }, 404, 'not_found'],
    ['ingest', { slug: 'logs', evidence: '\n' }, 422, 'body_mismatch'],
    ['ingest', { slug: 'logs', evidence: 'x', question_node_id: 'qn_aaaaaaaaaaaaaaaa' }, 404, 'not_found'],
  ])('%s %j is refused with %i %s and writes nothing', async (path, body, status, error) => {
    const before = await part('question-graph');
    const response = await server().fetch(`/api/protocol/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-terminal-key': terminalKey },
      body: JSON.stringify(body),
    });
    expect([response.status, ((await response.json()) as Answer)['error']]).toEqual([status, error]);
    expect((await part('question-graph'))['verification']).toEqual(before['verification']);
  });

  it('require the owner to ask and a key to add evidence', async () => {
    for (const path of ['ask', 'ingest']) {
      const response = await server().fetch(`/api/protocol/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ slug: 'logs', question: 'x', evidence: 'x' }),
      });
      const { error } = (await response.json()) as Answer;
      expect([path, error]).toEqual([path, path === 'ask' ? 'owner_only' : 'credential_required']);
    }
  });

  it('that were asked about a draft stay private to its keys after it is published', async () => {
    await server().article('# Hidden\n\nAn unpublished paragraph.\n', { slug: 'hidden', status: 'draft' });
    const owned = { slug: 'hidden', question: 'What is the unpublished paragraph?' };
    await server().owner('/api/protocol/ask', owned);
    await server().owner('/api/protocol/ingest', {
      slug: 'hidden',
      evidence: 'An unpublished remark (https://x.test/unpublished).',
    });
    expect((await server().fetch('/api/articles/hidden/question-graph')).status).toBe(404);
    await server().owner('/api/protocol/article', {
      slug: 'hidden',
      expected_version: 1,
      title: 'Shown',
      status: 'published',
    });
    await server().owner('/api/protocol/ask', { slug: 'hidden', question: 'Why?' });
    for (const path of [
      'question-graph',
      'bundle',
      'topology',
      'prompts',
      'mirror',
      'graph-topology?question=Why',
    ]) {
      const text = await (await server().fetch(`/api/articles/hidden/${path}`)).text();
      expect([path, text.includes('What is the unpublished')]).toEqual([path, false]);
      expect([path, text.includes('unpublished remark')]).toEqual([path, false]);
    }
    const graph = await server().read('/api/articles/hidden/question-graph');
    expect([graph['count'], graph['verification']]).toMatchObject([1, { valid: true, entries: 3 }]);
  });

  it('are projections that a replay of the ledger restores', async () => {
    const { config, service } = server().deployment;
    const before = await part('question-graph');
    expect(before['count']).toBeGreaterThan(4);
    const report =
      config.databaseUrl === undefined
        ? await operations.check(config, () => undefined)
        : await checkProjections(service.store.read, schema);
    expect(report.differences).toEqual([]);
  });
});
