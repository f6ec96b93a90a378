import { Compile } from 'typebox/compile';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSchemas } from '../../src/model/index.ts';
import { startServer, terminalKey, type Answer, type TestServer } from '../support/server.ts';
import { seedArticles, seedLandscape, writeStarters } from './seed.ts';

/** Every read of spec §4.3 and what it may be asked with; `{slug}` stands for each article in turn. */
const reads: readonly (readonly [path: string, schema: string])[] = [
  ['/api/articles', 'articles'],
  ['/api/articles?sort=updated&limit=2', 'articles'],
  ['/api/articles/{slug}', 'article'],
  ['/api/articles/{slug}?format=json', 'article'],
  ['/api/articles/{slug}?format=markdown', 'markdown'],
  ['/api/articles/{slug}/bundle', 'bundle'],
  ['/api/articles/{slug}/bundle?format=slim', 'bundle-slim'],
  ['/api/articles/{slug}/bundle?format=markdown', 'markdown'],
  ['/api/articles/{slug}/topology', 'topology'],
  ['/api/articles/{slug}/voxels', 'voxels'],
  ['/api/articles/{slug}/voxels?include_inactive=1', 'voxels'],
  ['/api/articles/{slug}/claims', 'claims'],
  ['/api/articles/{slug}/sources', 'sources'],
  ['/api/articles/{slug}/provenance', 'provenance'],
  ['/api/articles/{slug}/contributions', 'contributions'],
  ['/api/articles/{slug}/mirror', 'mirror'],
  ['/api/articles/{slug}/health', 'health'],
  ['/api/articles/{slug}/discourse', 'discourse'],
  ['/api/articles/{slug}/objections', 'objections'],
  ['/api/articles/{slug}/votes', 'votes'],
  ['/api/articles/{slug}/masthead', 'masthead'],
  ['/api/articles/{slug}/ledger', 'ledger'],
  ['/api/articles/{slug}/ledger?limit=2', 'ledger'],
  ['/api/articles/{slug}/skill', 'markdown'],
  ['/api/articles/{slug}/revisions', 'revisions'],
  ['/api/articles/{slug}/revisions?rev={rev}', 'revision'],
  ['/api/articles/{slug}/compare', 'compare'],
  ['/api/articles/{slug}/compare?from={rev}', 'compare'],
  ['/api/articles/{slug}?rev={rev}', 'article'],
  ['/api/articles/{slug}/invocations', 'invocations'],
  ['/api/articles/{slug}/invocations?status=success', 'invocations'],
  ['/api/articles/{slug}/invocations?status=failure&limit=1', 'invocations'],
  ['/api/articles/{slug}/question-graph', 'question-graph'],
  ['/api/articles/{slug}/graph-topology?question=Merkle+tree', 'graph-topology'],
  ['/api/articles/{slug}/graph-topology?question=What+does+the+article+say%3F', 'graph-topology'],
  ['/api/articles/{slug}/prompts', 'prompts'],
  ['/api/articles/constitution', 'constitution'],
  ['/api/articles/ontology', 'ontology'],
  ['/api/articles/system-map', 'system-map'],
  ['/api/articles/system-map?format=markdown', 'markdown'],
  ['/api/articles/llm-manifest', 'llm-manifest'],
  ['/api/protocol', 'protocol'],
  ['/api/protocol/grow', 'grow'],
  ['/api/protocol/grow?limit=1', 'grow'],
  ['/api/protocol/thread-state?target={slug}', 'thread-state'],
  ['/api/articles/obsidian-vault?slugs={slug}', 'obsidian-vault'],
  ['/api/graph?slugs={slug}', 'graph'],
  ['/api/graph?slugs={slug}&kinds=article,div,claim,source', 'graph'],
  ['/api/graph?slugs={slug}&layer=yield&limit=3', 'graph'],
  ['/api/graph?slugs={slug}&layer=reflex', 'graph'],
  ...['article', 'claim', 'source', 'div', 'question', 'contribution', 'discourse', 'vote', 'invocation'].map(
    (kind) => [`/api/v1/query?from={slug}&kind=${kind}`, 'query'] as const,
  ),
  ['/api/v1/query?from={slug}&kind=claim&where=tier=human&fields=id,weight&limit=1', 'query'],
  ['/api/search?q=claim+merkle+objection&limit=40', 'search'],
  ['/api/search?q=unheardof', 'search'],
  ['/api/search?q=claim+merkle&group=article&limit=2', 'search'],
  ['/api/recent?limit=100', 'recent'],
  ['/api/tags', 'tags'],
  ['/api/series', 'series'],
  ['/api/proven-work', 'proven-work'],
  ['/api/proven-work?target={slug}', 'certificates'],
  ['/api/build-landscape', 'landscape'],
  ['/api/build-landscape?cohort=makers', 'cohort'],
  ['/api/build-landscape?cohort=makers&limit=1', 'cohort'],
  ['/api/build-landscape?cohort=makers&table=1', 'comparison'],
  ['/api/build-landscape?cohort=makers&table=1&format=markdown', 'markdown'],
  ['/api/normandy?assignment={leased}', 'assignment'],
  ['/api/normandy?assignment={complete}', 'assignment'],
];

/** The paths of spec §4.3, once each. */
const named = [
  '/api/articles',
  '/api/articles/{slug}',
  ...[
    'bundle',
    'topology',
    'voxels',
    'claims',
    'sources',
    'provenance',
    'contributions',
    'question-graph',
    'graph-topology',
    'health',
    'discourse',
    'objections',
    'ledger',
    'skill',
    'revisions',
    'invocations',
    'prompts',
    'mirror',
  ].map((part) => `/api/articles/{slug}/${part}`),
  ...['constitution', 'ontology', 'system-map', 'llm-manifest', 'obsidian-vault'].map(
    (name) => `/api/articles/${name}`,
  ),
  '/api/graph',
  '/api/v1/query',
  '/api/protocol',
  '/api/protocol/grow',
  '/api/protocol/thread-state',
];

let server: TestServer;
let slugs: string[];
let assignments: { readonly leased: string; readonly complete: string };

beforeAll(async () => {
  server = await startServer();
  slugs = ['full', 'bare', ...(await writeStarters(server))];
  await seedArticles(server);
  assignments = await seedLandscape(server);
}, 60_000);

afterAll(async () => {
  expect(server.errors).toEqual([]);
  await server.stop();
});

const validators = new Map<string, ReturnType<typeof Compile>>();

/** What in an answer its schema does not allow. */
function misfits(name: string, answer: Answer): string[] {
  const found = readSchemas[name];
  if (found === undefined) return [`there is no schema ${name}`];
  let validator = validators.get(name);
  if (validator === undefined) validators.set(name, (validator = Compile(found.schema)));
  if (validator.Check(answer)) return [];
  return validator
    .Errors(answer)
    .slice(0, 8)
    .map((error) => `${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`);
}

describe('a read of the article ledger', () => {
  it('is linked from the system map, which names every part of the service', async () => {
    const { systems } = await server.read('/api/articles/system-map');
    const read = (systems as { name: string; read: string }[]).map((each) => [
      each.name,
      each.read.slice(server.base.length),
    ]);
    expect(read).toEqual([
      ['ledger', '/api/articles'],
      ['dispatch', '/api/dispatch?registry=1'],
      ['mirror', '/api/dispatch?key=MIRROR_FEED'],
      ['graph', '/api/graph'],
      ['workspaces', '/api/workspace'],
      ['landscape', '/api/build-landscape'],
      ['proof', '/checkpoint'],
      ['interface', '/api/openapi.json'],
      ['mcp', '/docs'],
    ]);
    for (const [, path] of read)
      expect([path, (await server.fetch(String(path))).status]).toEqual([path, 200]);
  });

  it('is tested on an article that has every kind of content', async () => {
    const { divs } = await server.read('/api/articles/full/voxels?include_inactive=1');
    expect(new Set((divs as Answer[]).map(({ status }) => String(status)))).toEqual(
      new Set(['current', 'consolidated', 'burned']),
    );
    const full = await server.read('/api/articles/full');
    expect((full['claims'] as Answer[]).map(({ status, version }) => [status, version])).toEqual([
      ['active', 2],
      ['active', 1],
      ['retracted', 1],
    ]);
    expect(full).toMatchObject({
      home: true,
      register: 'protocol',
      has_traversal: true,
      reviews: [{ verdict: 'needs_work' }],
      machine: { kind: 'hub', series: 'tests', position: 1, of: 2, traversal: { next: { slug: 'bare' } } },
      object: {
        ontology: {
          relationships: [
            { rel: 'next', to: 'bare' },
            { rel: 'hub', to: 'bare' },
          ],
        },
      },
    });
    expect(await server.read('/api/articles/full/discourse')).toMatchObject({
      counts: {
        total: 9,
        by_stance: { challenge: 1, support: 1, upgrade: 1, objection: 2, review: 1, note: 1, update: 1 },
      },
    });
    expect(await server.read('/api/articles/full/question-graph')).toMatchObject({
      count: 2,
      evidence: [{ untrusted: true }],
    });
    expect(await server.read('/api/articles/full/mirror')).toMatchObject({ count: 5 });
    expect(slugs).toHaveLength(10);
  });

  it('is tested for every path of the interface', () => {
    const listed = new Set(reads.map(([path]) => path.split('?')[0]));
    expect(named.filter((path) => !listed.has(path))).toEqual([]);
  });

  it.each(reads)('of %s returns a result that matches the schema %s', async (path, schema) => {
    const asked = path.includes('{slug}') ? slugs : [''];
    for (const slug of asked) {
      const at = path
        .replace('{slug}', slug)
        .replace('{rev}', slug === 'full' ? '5' : '1')
        .replace('{leased}', assignments.leased)
        .replace('{complete}', assignments.complete);
      const response = await server.fetch(at);
      expect([at, response.status]).toEqual([at, 200]);
      expect(response.headers.get('etag')).toMatch(/^"[\w-]+"$/);
      if (schema === 'markdown') {
        expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
        expect((await response.text()).length).toBeGreaterThan(10);
        continue;
      }
      const answer = (await response.json()) as Answer;
      expect([at, misfits(schema, answer)]).toEqual([at, []]);
      const self = answer['_self'] as Answer;
      expect([at, self['schema']]).toEqual([at, `${server.base}/api/schemas/${schema}`]);
      expect(Buffer.byteLength(JSON.stringify(self))).toBeLessThanOrEqual(1024);
    }
  });

  it.each([{ normandy_v1: null }, { normandy_v1: { traversal: null } }, { kind: { a: 1 } }, { kind: '<b>' }])(
    'keeps its shape with any value in extra, such as %j',
    async (extra) => {
      const { version } = await server.read('/api/articles/bare');
      await server.owner('/api/protocol/article', { slug: 'bare', expected_version: version, extra });
      for (const [part, schema] of [
        ['', 'article'],
        ['/masthead', 'masthead'],
        ['/topology', 'topology'],
        ['/bundle', 'bundle'],
      ] as const) {
        const answer = await server.read(`/api/articles/bare${part}`);
        expect([part, misfits(schema, answer)]).toEqual([part, []]);
      }
      expect((await server.fetch('/a/bare')).status).toBe(200);
    },
  );

  it('returns drafts and their history to keys of the workspace in the same shapes', async () => {
    await server.article('# Kept back\n\nOne.\n', { slug: 'kept-back', status: 'draft' });
    for (const [path, schema] of reads) {
      if (!path.startsWith('/api/articles/{slug}') || schema === 'markdown') continue;
      const at = path.replace('{slug}', 'kept-back').replace('{rev}', '1');
      const response = await server.fetch(at, { headers: { 'x-terminal-key': terminalKey } });
      if (path.endsWith('/mirror') && response.status === 404) continue;
      expect([at, misfits(schema, (await response.json()) as Answer)]).toEqual([at, []]);
      expect(response.headers.get('cache-control')).toBe('private, no-store');
      expect([at, (await server.fetch(at)).status]).toEqual([at, 404]);
    }
  });

  it.each([
    '/api/articles/full/nothing',
    '/api/articles/full/claims/c1/more',
    '/api/articles/full/constructor',
    '/api/articles/full/__proto__',
    '/api/articles/full//claims',
    '/api/articles/absent/claims',
    '/api/articles/FULL',
    '/api/articles/full%2Fclaims',
    '/api/schemas/nothing',
    '/api/schemas/constructor',
    '/a/full/nothing',
    '/a/full/d2/more',
  ])('of %s returns 404, and no article in its place', async (path) => {
    const response = await server.fetch(path);
    expect([response.status, response.headers.get('cache-control')]).toEqual([404, 'private, no-store']);
  });

  it.each([
    ['/api/articles/full?shape=1', 'shape'],
    ['/api/articles/full/claims?limit=5', 'limit'],
    ['/api/articles/full/voxels?revision=1', 'revision'],
    ['/api/articles/full/ledger?limit=none', 'limit'],
    ['/api/articles/full/ledger?cursor=-1', 'cursor'],
    ['/api/articles/full/bundle?format=pdf', 'format'],
    ['/api/protocol?x=1', 'x'],
    ['/api/protocol/thread-state?x=1', 'x'],
    ['/api/protocol/thread-state', 'target'],
  ])('of %s is rejected with the parameter %s', async (path, parameter) => {
    const response = await server.fetch(path);
    expect([response.status, ((await response.json()) as Answer)['parameter']]).toEqual([400, parameter]);
  });
});

describe('the schemas of reads', () => {
  it('are listed, and each is served as a JSON Schema document', async () => {
    const { schemas, templates } = await server.read('/api/schemas');
    const names = Object.keys(readSchemas);
    expect((schemas as Answer[]).map(({ name }) => name)).toEqual(names);
    expect((templates as Answer[]).map(({ name }) => name)).toEqual(names);
    for (const { schema } of schemas as { schema: string }[]) {
      const response = await server.fetch(schema.slice(server.base.length));
      expect(response.headers.get('content-type')).toBe('application/schema+json; charset=utf-8');
      expect(await response.json()).toMatchObject({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $id: schema,
        type: 'object',
        additionalProperties: false,
      });
    }
  });

  it('reject an unknown member, a missing member and an invalid value', async () => {
    const answer = await server.read('/api/articles/full');
    expect(misfits('article', { ...answer, stranger: 1 })).not.toEqual([]);
    const { claims: _claims, ...without } = answer;
    expect(misfits('article', without)).not.toEqual([]);
    const [claim] = answer['claims'] as Answer[];
    expect(misfits('article', { ...answer, claims: [{ ...claim, tier: 'magic' }] })).not.toEqual([]);
  });
});
