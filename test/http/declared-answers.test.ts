/** Served schemas are JSON Schema 2020-12 for a third-party validator, and recorded answers fit them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSchemas } from '../../src/model/index.ts';
import { builtInRows } from '../../src/rows/index.ts';
import { DeclaredAnswers, foreignValidator, type ApiDocument } from '../support/declared-answers.ts';
import { startServer, terminalKey, type Answer, type TestServer } from '../support/server.ts';
import { seedArticles, seedLandscape } from './seed.ts';

let server: TestServer;
beforeAll(async () => void (server = await startServer()));
afterAll(() => server.stop());

/** Compiling checks a schema against the meta-schema of 2020-12, where `items` is no array. */
const compile = (schema: unknown): void => void foreignValidator().compile(schema as object);

describe('served schemas', () => {
  it('compile as JSON Schema 2020-12', async () => {
    for (const name of Object.keys(readSchemas)) compile(await server.read(`/api/schemas/${name}`));
    for (const name of ['invocation', ...builtInRows.map((row) => row.key)])
      compile((await server.read(`/api/dispatch?schema=${name}`))['schema']);
    expect(() => compile({ type: 'array', items: [{ type: 'integer' }] })).toThrow(/schema is invalid/);
  });

  it('compile inside the OpenAPI document, including those of parameters and bodies', async () => {
    const document = JSON.parse(
      JSON.stringify(await server.read('/api/openapi.json')).replaceAll('"#/', '"api#/'),
    ) as object;
    const ajv = foreignValidator().addSchema(document, 'api');
    const found: object[] = [];
    const walk = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [name, member] of Object.entries(value))
        if (name === 'schema') found.push(member as object);
        else walk(member);
    };
    walk(document);
    for (const schema of found) ajv.compile(schema);
    expect(found.length).toBeGreaterThan(200);
  });
});

describe('the check of recorded answers', () => {
  it('reports an answer whose member, status or media type is not declared', async () => {
    const declared = new DeclaredAnswers((await server.read('/api/openapi.json')) as ApiDocument);
    const list = await server.read('/api/articles');
    const answer = {
      method: 'GET',
      path: '/api/articles?limit=1',
      status: 200,
      mediaType: 'application/json',
    };
    const misfit = (value: object, more = {}): string | undefined =>
      declared.misfit({ ...answer, body: JSON.stringify(value), ...more });
    expect(misfit(list)).toBeUndefined();
    expect(misfit({ ...list, counted: 0 })).toMatch(/does not fit.*additional properties/);
    expect(misfit({ ...list, count: undefined })).toMatch(/does not fit.*required property 'count'/);
    expect(misfit(list, { status: 418 })).toMatch(/is not declared/);
    expect(misfit(list, { mediaType: 'application/problem+json' })).toMatch(/is not declared/);
  });
});

describe('the answers of every operation', () => {
  /** What each read needs to succeed; `undocumented` is refused by those that know their parameters. */
  const queries: Readonly<Record<string, string>> = {
    '/api/search': 'q=claim',
    '/api/protocol/thread-state': 'target=full',
    '/api/v1/query': 'from=full',
    '/api/graph': 'slugs=full',
    '/api/articles/{slug}/graph-topology': 'question=Merkle',
    '/api/dispatch': 'map=1',
    '/api/invocations': 'object_id=VOXEL_EDIT',
  };
  /** Writes that succeed as the owner, in an order that each can come after the other. */
  const bodies: Readonly<Record<string, object>> = {
    '/api/dispatch': { key: 'MIRROR_FEED', body: 'full' },
    '/api/workspace': { name: 'declared', title: 'Declared', purpose: 'A test.' },
    '/api/articles/{slug}/objections': { objection: 'It leaves out the root.' },
    '/api/articles/{slug}/mirror': { kind: 'question', actor: 'ada', body: 'How large is the tree?' },
    '/api/protocol/claim': {
      slug: 'full',
      text: 'A tree of eight leaves has seven inner nodes.',
      tier: 'system',
      who_claims: 'RFC 6962',
      rationale: 'A test.',
      source_ids: ['s1'],
    },
    '/api/protocol/voxel-divide': { slug: 'full' },
    '/api/protocol/ask': { slug: 'full', question: 'What is a Merkle tree?' },
    '/api/protocol/thread-update': { slug: 'full', text: 'Nothing new.' },
    '/mcp': { jsonrpc: '2.0', id: 1, method: 'ping' },
  };

  it('are declared by status, media type and schema, refusals, soft answers and 304 included', async () => {
    await seedArticles(server);
    const { leased } = await seedLandscape(server);
    const called = await server.anybody('/api/dispatch', { key: 'MIRROR_FEED', body: 'full' });
    const places: Readonly<Record<string, string>> = {
      slug: 'full',
      part: 'd1',
      key: 'MIRROR_FEED',
      name: 'main',
      inv: String((called['invocation'] as Answer)['id']),
      level: '0',
      n: '000.p/5',
    };
    const document = (await server.read('/api/openapi.json')) as ApiDocument;
    const declared = new DeclaredAnswers(document);
    const found: string[] = [];
    const statuses = new Map<string, Set<number>>();
    const ask = async (id: string, method: string, path: string, init: RequestInit): Promise<Response> => {
      const response = await fetch(`${server.base}${path}`, { method, redirect: 'manual', ...init });
      const mediaType = (response.headers.get('content-type') ?? '').replace(/;.*$/, '');
      const isJson = /^application\/(?:problem\+)?json$/.test(mediaType);
      const body = isJson ? { body: await response.text() } : {};
      if (!isJson) await response.body?.cancel();
      const misfit = declared.misfit({ method, path, status: response.status, mediaType, ...body });
      if (misfit !== undefined) found.push(misfit);
      statuses.set(id, (statuses.get(id) ?? new Set()).add(response.status));
      return response;
    };
    for (const [path, item] of Object.entries(document.paths))
      for (const [name, { operationId }] of Object.entries(item)) {
        const method = name.toUpperCase();
        const filled = path.replaceAll(/\{(\w+)\}/g, (_, place: string) => places[place] ?? 'x');
        const query = path === '/api/normandy' ? `assignment=${leased}` : (queries[path] ?? '');
        const at = query === '' ? filled : `${filled}?${query}`;
        const owner = { 'x-terminal-key': terminalKey };
        if (method === 'GET') {
          const answer = await ask(operationId, method, at, { headers: owner });
          const etag = answer.headers.get('etag');
          if (etag !== null) {
            const again = await ask(operationId, method, at, {
              headers: { ...owner, 'if-none-match': etag },
            });
            expect([at, again.status]).toEqual([at, 304]);
          }
          await ask(operationId, method, `${filled}?undocumented=1`, {});
          await ask(operationId, method, `${filled}?undocumented=1&soft=1`, {});
          await ask(operationId, method, at, { headers: { authorization: 'Bearer sh.nothing' } });
          continue;
        }
        const json = { 'content-type': 'application/json' };
        const body = JSON.stringify(bodies[path] ?? {});
        await ask(operationId, method, filled, { headers: { ...json, ...owner }, body });
        await ask(operationId, method, filled, { headers: json, body: '{"undocumented":1}' });
        await ask(operationId, method, filled, { headers: json, body: '{' });
        await ask(operationId, method, filled, { headers: { 'content-type': 'image/png' }, body: 'x' });
      }
    expect(found).toEqual([]);
    expect(declared.answered.size).toBe(statuses.size);
    expect(declared.answered.size).toBeGreaterThanOrEqual(120);
    const having = (fits: (status: number) => boolean): number =>
      [...statuses.values()].filter((seen) => [...seen].some(fits)).length;
    expect(having((status) => status < 400)).toBeGreaterThan(90);
    expect(having((status) => status >= 400)).toBeGreaterThan(70);
    expect(having((status) => status === 304)).toBeGreaterThan(45);
  }, 60_000);
});
