import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storeEnvironments } from '../support/store-environments.ts';
import { startServer, terminalKey, type Answer, type TestServer } from '../support/server.ts';

/** What shows an article's text, and how often it shows it at least. */
const reads = [
  '/api/articles/shared',
  '/api/articles/shared?format=markdown',
  '/api/articles/shared/voxels',
  '/api/articles/shared/bundle',
  '/api/articles/shared/bundle?format=markdown',
  '/api/articles/shared/provenance',
  '/a/shared',
  '/a/shared/d2',
];

describe.each(storeEnvironments())('a cached read on $name', (store) => {
  let nodes: TestServer[];

  beforeAll(async () => {
    await store.start();
    // Nodes of one deployment are one address to whoever reads.
    const env = { ...(await store.env()), COLOPHON_BASE_URL: 'http://ledger.test' };
    const first = await startServer(env);
    nodes = store.name === 'postgres' ? [first, await startServer(env)] : [first, first];
    await first.article('# Shared\n\nWriting 0.\n', { slug: 'shared', title: 'Title 0' });
  }, 60_000);

  afterAll(async () => {
    for (const node of new Set(nodes)) await node.stop();
    await store.stop();
  });

  const bodyOf = async (node: TestServer, path: string): Promise<string> => (await node.fetch(path)).text();

  it('is never older than a write that any node has acknowledged', async () => {
    let [, div] = (await (nodes[0] as TestServer).read('/api/articles/shared/voxels'))['divs'] as Answer[];
    for (let n = 1; n <= 12; n++) {
      const [writer, reader] = (n % 2 === 0 ? nodes : nodes.toReversed()) as [TestServer, TestServer];
      for (const path of reads) await bodyOf(reader, path);
      const written = await writer.owner('/api/protocol/voxel-edit', {
        slug: 'shared',
        div_id: 'd2',
        expected_hash: div?.['vx_hash'],
        text: `Writing ${n}.`,
      });
      div = written['div'] as Answer;
      for (const path of reads) {
        const body = await bodyOf(reader, path);
        const shown = path.endsWith('provenance') ? `"rev":${String(written['revision'])}` : `Writing ${n}.`;
        expect([path, n, body.includes(shown)]).toEqual([path, n, true]);
      }
    }
  }, 30_000);

  it('reflects new discourse, calls and titles as it reflects new text', async () => {
    for (let n = 1; n <= 6; n++) {
      const [writer, reader] = (n % 2 === 0 ? nodes : nodes.toReversed()) as [TestServer, TestServer];
      const shown = [
        'discourse',
        'objections',
        'mirror',
        'contributions',
        'invocations',
        'masthead',
        'claims',
      ];
      const warm = [
        ...shown.map((part) => `/api/articles/shared/${part}`),
        '/api/protocol/thread-state?target=shared',
        '/api/articles/shared',
        '/api/articles',
        '/',
        '/a/shared',
      ];
      for (const path of warm) await bodyOf(reader, path);
      await writer.anybody('/api/dispatch', {
        key: 'OBJECTION_LOG',
        body: `shared|Objection number ${n} of six.`,
      });
      const added = await writer.anybody('/api/dispatch', {
        key: 'MIRROR_APPEND',
        body: `shared||question|ada|Question ${n}?`,
      });
      const { version } = await writer.read('/api/articles/shared');
      await writer.owner('/api/protocol/article', {
        slug: 'shared',
        expected_version: version,
        title: `Title ${n}`,
      });
      const head = (await writer.read('/api/articles/shared/claims'))['thread_head'] as string;
      const { id } = added['invocation'] as { id: string };
      for (const [path, part] of [
        ['/api/articles/shared/discourse', `Objection number ${n} of six.`],
        ['/api/articles/shared/objections', `Objection number ${n} of six.`],
        ['/api/articles/shared/mirror', `Question ${n}?`],
        ['/api/articles/shared/contributions', `Question ${n}?`],
        ['/api/articles/shared/invocations', id],
        ['/api/articles/shared/masthead', `Objection number ${n} of six.`],
        ['/api/articles/shared/claims', head],
        ['/api/protocol/thread-state?target=shared', head],
        ['/api/articles/shared', `Title ${n}`],
        ['/api/articles', `Title ${n}`],
        ['/', `Title ${n}`],
        ['/a/shared', `Title ${n}`],
      ] as const)
        expect([path, n, (await bodyOf(reader, path)).includes(part)]).toEqual([path, n, true]);
    }
  }, 30_000);

  it('has ETags that agree on every node and change with every write', async () => {
    const tags = new Set<string>();
    for (let n = 0; n < 3; n++) {
      const [a, b] = nodes as [TestServer, TestServer];
      const etags = await Promise.all(
        [a, b, a].map(async (node) => (await node.fetch('/api/articles/shared')).headers.get('etag') ?? ''),
      );
      expect(new Set(etags).size).toBe(1);
      tags.add(etags[0] ?? '');
      const { version } = await a.read('/api/articles/shared');
      await a.owner('/api/protocol/article', {
        slug: 'shared',
        expected_version: version,
        category: `c${n}`,
      });
      const known = { headers: { 'if-none-match': etags[0] ?? '' } };
      expect((await b.fetch('/api/articles/shared', known)).status).toBe(200);
    }
    expect(tags.size).toBe(3);
  });

  it('shows log positions as soon as they exist', async () => {
    const [writer, reader] = nodes as [TestServer, TestServer];
    await writer.anybody('/api/dispatch', { key: 'OBJECTION_LOG', body: 'shared|A last one for the log.' });
    const indexes = async (): Promise<unknown[]> =>
      ((await reader.read('/api/articles/shared/ledger?limit=500'))['entries'] as Answer[]).map(
        (entry) => entry['log_index'] as unknown,
      );
    await expect.poll(indexes, { timeout: 8000 }).not.toContain(null);
    await expect
      .poll(async () => {
        const { origin, chains } = await reader.read('/api/articles/shared/bundle');
        const { checkpoint } = origin as { checkpoint: string };
        const entries = Object.values(chains as Record<string, unknown[]>).reduce(
          (sum, own) => sum + own.length,
          0,
        );
        return Number(checkpoint.split('\n')[1]) >= entries;
      })
      .toBe(true);
  }, 20_000);

  it('is private when the request has a credential, is rejected or asks for soft errors', async () => {
    const [node] = nodes as [TestServer];
    const share = String(
      (await node.owner('/api/dispatch', { key: 'CAP_MINT', body: 'read||600|0|Reads.' }))['share'],
    );
    const published = '/api/articles/shared';
    for (const [path, headers] of [
      [published, { 'x-terminal-key': terminalKey }],
      [published, { authorization: `Bearer ${share}` }],
      [`${published}?share=${share}`, {}],
      [`${published}/claims?share=${share}`, {}],
      ['/api/articles', { authorization: `Bearer ${share}` }],
      ['/api/articles/absent', {}],
      ['/api/articles/absent?soft=1', {}],
      [`${published}?colour=red`, {}],
      [`${published}?colour=red&soft=1`, {}],
      [`${published}/nothing?soft=1`, {}],
      ['/api/protocol/thread-state?target=absent&soft=1', {}],
    ] as const) {
      const response = await node.fetch(path, { headers });
      await response.text();
      expect([path, response.headers.get('cache-control')]).toEqual([path, 'private, no-store']);
    }
    // Neither answer has spoilt what everybody gets.
    for (const path of [published, `${published}/claims`, '/api/articles']) {
      const response = await node.fetch(path);
      expect([path, response.status, response.headers.get('cache-control')]).toEqual([
        path,
        200,
        'public, max-age=0, must-revalidate',
      ]);
    }
  });

  it('is one consistent snapshot, also during concurrent writes', async () => {
    const [writer, reader] = nodes as [TestServer, TestServer];
    const state = { writing: true };
    const writes = (async (): Promise<void> => {
      for (let n = 0; n < 15; n++) {
        const { version } = await writer.read('/api/articles/shared');
        await writer.owner('/api/protocol/article', {
          slug: 'shared',
          expected_version: version,
          category: `d${n}`,
        });
      }
      state.writing = false;
    })();
    const seen: string[] = [];
    while (state.writing) {
      const { version, provenance } = await reader.read('/api/articles/shared');
      const last = (provenance as Answer[]).at(-1) as Answer;
      seen.push(`${String(version)} ${String(last['rev'])}`);
    }
    await writes;
    expect(seen.filter((each) => each.split(' ')[0] !== each.split(' ')[1])).toEqual([]);
    expect(seen.length).toBeGreaterThan(0);
  }, 30_000);
});
