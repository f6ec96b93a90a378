import { readFileSync } from 'node:fs';
import { Compile } from 'typebox/schema';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, terminalKey, type Answer, type TestServer } from '../support/server.ts';
import { evidenceId } from '../../src/ledger/fork-evidence.ts';
import { history, WitnessedLog } from '../support/witnessed-log.ts';
import { seedArticles, seedLandscape } from './seed.ts';
import { routesOf, type Route } from './routes.ts';

interface Described {
  readonly method: string;
  readonly path: string;
  readonly operation: Answer;
}

let server: TestServer;
let document: Answer;
let operations: Described[];
let routes: Route[];
/** What stands in the place of each `{name}`. */
let places: Record<string, string>;

beforeAll(async () => {
  server = await startServer();
  routes = await routesOf(server.deployment.http(() => undefined));
  await seedArticles(server);
  const { leased } = await seedLandscape(server);
  const call = await server.anybody('/api/dispatch', { key: 'MIRROR_FEED', body: 'full' });
  places = {
    slug: 'full',
    key: 'VOXEL_EDIT',
    name: 'main',
    inv: String((call['invocation'] as Answer)['id']),
    assignment: leased,
    id: evidenceId('log.example'),
  };
  const forked = new WitnessedLog('log.example', 1).evidence(history(5), history(8, 3));
  await server.deployment.service.logAlarms.keep(forked);
  document = await server.read('/api/openapi.json');
  operations = Object.entries(document['paths'] as Record<string, Answer>).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation: operation as Answer,
    })),
  );
}, 60_000);

afterAll(async () => {
  expect(server.errors).toEqual([]);
  await server.stop();
});

const version31 = Compile(
  JSON.parse(readFileSync(new URL('../data/openapi/schema-3.1.json', import.meta.url), 'utf8')) as object,
);

/** Where a value differs from the schema; nothing where it is sound. */
function misfits(schema: object, value: unknown): string[] {
  return misfitsTo(Compile(schema), value);
}

function misfitsTo(validator: ReturnType<typeof Compile>, value: unknown): string[] {
  const [valid, errors] = validator.Errors(value);
  return valid ? [] : ['does not fit', ...errors.slice(0, 5).map((error) => JSON.stringify(error))];
}

/** A schema of the document, with what it refers to. */
const inDocument = (schema: object): object => ({ ...schema, components: document['components'] as object });

const parametersOf = ({ operation }: Described): Answer[] =>
  ((operation['parameters'] ?? []) as Answer[]).map((each) =>
    each['$ref'] === undefined
      ? each
      : (((document['components'] as Answer)['parameters'] as Answer)[
          String(each['$ref']).split('/').at(-1) as string
        ] as Answer),
  );
const queryOf = (described: Described): Answer[] =>
  parametersOf(described).filter((each) => each['in'] === 'query');
/** Whether it refuses parameters that it does not know. */
const isStrict = (described: Described): boolean => queryOf(described).some(({ name }) => name === 'soft');
const addressOf = (path: string): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => places[name] ?? 'd1');

/** A body that reaches the reading of the query. */
const bodies: Readonly<Record<string, object>> = {
  '/api/dispatch': { key: 'NO_SUCH_ROW' },
  '/api/directory/{key}/secrets/{name}': { value: 'x' },
};

async function send({ method, path }: Described, query: string): Promise<Answer> {
  const response = await server.fetch(`${addressOf(path)}?${query}`, {
    method,
    ...(method === 'GET'
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(bodies[path] ?? {}) }),
  });
  if (/event-stream/.test(response.headers.get('content-type') ?? '')) {
    await response.body?.cancel();
    return {};
  }
  const text = await response.text();
  return text.startsWith('{') ? (JSON.parse(text) as Answer) : {};
}

describe('the OpenAPI document', () => {
  it('is valid against the OpenAPI 3.1 schema', () => {
    expect(misfitsTo(version31, document)).toEqual([]);
    for (const wrong of [
      { ...document, info: { title: 'Colophon' } },
      { ...document, paths: { '/x': { get: { responses: { '200': {} } } } } },
      {
        ...document,
        paths: { '/x': { get: { parametres: [], responses: { '200': { description: '' } } } } },
      },
      { ...document, components: { securitySchemes: { bearer: { type: 'http' } } } },
    ])
      expect(misfitsTo(version31, wrong)).not.toEqual([]);
  });

  it('describes every route of the server, and no other', () => {
    const pattern = (path: string): RegExp =>
      new RegExp(
        `^${path
          .replaceAll(/:\w+/g, '[^/]+')
          .replace('*', '.+')
          .replaceAll('.', String.raw`\.`)
          .replaceAll(String.raw`\.+`, '.+')}$`,
      );
    const serves = ({ method, path }: Route, described: Described): boolean =>
      described.method === method && pattern(path).test(described.path);
    expect(routes.length).toBeGreaterThan(70);
    expect(routes.filter((route) => !operations.some((each) => serves(route, each)))).toEqual([]);
    expect(
      operations.filter((each) => !routes.some((route) => serves(route, each))).map(({ path }) => path),
    ).toEqual([]);
  });

  it('has unique operation ids and no dangling references', () => {
    const names = operations.map(({ operation }) => String(operation['operationId']));
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !/^[a-z][A-Za-z]+$/.test(name))).toEqual([]);
    for (const [, at = ''] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g))
      expect({
        at,
        there:
          at.split('/').reduce<Answer | undefined>((inner, name) => inner?.[name] as Answer, document) !==
          undefined,
      }).toEqual({ at, there: true });
  });

  it('lists the parameters of each operation, and the operation rejects any other', async () => {
    const strict = operations.filter(isStrict);
    expect(strict.length).toBeGreaterThan(60);
    for (const described of strict) {
      const answer = await send(described, 'undocumented=1');
      const named = queryOf(described).map(({ name }) => String(name));
      const share = ((described.operation['security'] ?? []) as Answer[]).some((each) => 'share' in each);
      const at = `${described.method} ${described.path}`;
      expect({ at, error: answer['error'], parameter: answer['parameter'] }).toEqual({
        at,
        error: 'invalid_request',
        parameter: 'undocumented',
      });
      expect({ at, known: (answer['known'] as string[]).toSorted() }).toEqual({
        at,
        known: [...named, ...(share ? ['share'] : [])].toSorted(),
      });
    }
  });

  it('states the values and bounds that the server enforces for parameters', async () => {
    let judged = 0;
    for (const described of operations.filter((each) => each.method === 'GET' && isStrict(each)))
      for (const { name, schema } of queryOf(described) as unknown as readonly {
        name: string;
        schema: Answer;
      }[]) {
        const values = schema['enum'] as string[] | undefined;
        const maximum = schema['maximum'] as number | undefined;
        if (
          (values === undefined && maximum === undefined) ||
          afterCredential.has(`${described.path} ${name}`)
        )
          continue;
        const beside = besides[`${described.path} ${name}`] ?? '';
        const blamed = async (value: string): Promise<boolean> =>
          (await send(described, `${beside}${name}=${value}`))['parameter'] === name;
        const at = `${described.path} ${name}`;
        for (const value of values ?? ['1', String(Math.min(maximum as number, 999_999_999))])
          expect({ at, value, blamed: await blamed(value) }).toEqual({ at, value, blamed: false });
        expect({ at, wrong: await blamed(values === undefined ? `${maximum}0` : 'undocumented') }).toEqual({
          at,
          wrong: true,
        });
        judged += 1;
      }
    expect(judged).toBeGreaterThan(30);
  });

  it('describes the results of reads as the server returns them', async () => {
    let answered = 0;
    const wanted: Readonly<Record<string, string>> = {
      '/api/search': 'q=claim',
      '/oembed': `url=${encodeURIComponent(`${server.base}/a/full`)}`,
      '/api/protocol/thread-state': 'target=full',
      '/api/normandy': `assignment=${places['assignment']}`,
      '/api/graph': 'slugs=full',
      '/api/v1/query': 'from=full',
      '/api/articles/{slug}/graph-topology': 'question=Merkle',
      '/api/dispatch': 'map=1',
      '/api/invocations': 'object_id=VOXEL_EDIT',
    };
    for (const { method, path, operation } of operations) {
      const ok = ((operation['responses'] as Answer)['200'] as Answer | undefined)?.['content'] as
        Answer | undefined;
      const schema = (ok?.['application/json'] as Answer | undefined)?.['schema'] as object | undefined;
      if (method !== 'GET' || schema === undefined) continue;
      const response = await server.fetch(`${addressOf(path)}?${wanted[path] ?? ''}`, {
        headers: {
          accept: 'application/json',
          ...(needsCredential(operation) ? { 'x-terminal-key': terminalKey } : {}),
        },
      });
      expect(`${response.status} ${path}`).toBe(`200 ${path}`);
      expect({ path, misfits: misfits(inDocument(schema), await response.json()) }).toEqual({
        path,
        misfits: [],
      });
      answered += 1;
    }
    expect(answered).toBeGreaterThan(30);
  });

  it('describes calls, writes and refusals as the server returns them', async () => {
    const schemaOf = (path: string, status: string): object => {
      const { operation } = operations.find(
        (each) => each.path === path && each.method === 'POST',
      ) as Described;
      const found = (operation['responses'] as Answer)[status] as Answer;
      const response =
        found['$ref'] === undefined
          ? found
          : (((document['components'] as Answer)['responses'] as Answer)[
              String(found['$ref']).split('/').at(-1) as string
            ] as Answer);
      const [content] = Object.values(response['content'] as Record<string, Answer>);
      return inDocument(content?.['schema'] as object);
    };
    const called = await server.anybody('/api/dispatch', { key: 'MIRROR_FEED', body: 'full' });
    expect(misfits(schemaOf('/api/dispatch', '200'), called)).toEqual([]);
    const written = await server.owner('/api/protocol/voxel-divide', { slug: 'full' });
    expect(misfits(schemaOf('/api/protocol/voxel-divide', '200'), written)).toEqual([]);
    expect(
      misfits(schemaOf('/api/protocol/voxel-divide', '200'), { ...written, body_regenerated: 'yes' }),
    ).not.toEqual([]);
    const refused = await server.fetch('/api/protocol/voxel-divide', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"slug":"full"}',
    });
    expect(refused.status).toBe(401);
    const problem = (await refused.json()) as Answer;
    expect(misfits(schemaOf('/api/protocol/voxel-divide', '401'), problem)).toEqual([]);
    expect(misfits(schemaOf('/api/protocol/voxel-divide', '409'), problem)).not.toEqual([]);
  });

  it('takes the request body of a write from its row, without the path parameters', () => {
    const bodyOf = (path: string): Answer =>
      ((((document['paths'] as Answer)[path] as Answer)['post'] as Answer)['requestBody'] as Answer)[
        'content'
      ]['application/json']['schema'] as Answer;
    const edit = bodyOf('/api/protocol/voxel-edit');
    expect(Object.keys(edit['properties'] as object)).toEqual([
      'key',
      'slug',
      'div_id',
      'expected_hash',
      'text',
      'actor',
      'model',
    ]);
    expect(edit['required']).toEqual(['slug', 'div_id', 'expected_hash', 'text']);
    const mirror = bodyOf('/api/articles/{slug}/mirror');
    expect(Object.keys(mirror['properties'] as object)).not.toContain('slug');
    expect(mirror['required']).not.toContain('claim_id');
    expect(bodyOf('/api/build-landscape')['oneOf']).toHaveLength(2);
  });

  it('names the credentials that each operation accepts', () => {
    const security = (path: string, method: string): unknown =>
      (((document['paths'] as Answer)[path] as Answer)[method] as Answer)['security'];
    expect(security('/checkpoint', 'get')).toEqual([]);
    expect(security('/api/articles/{slug}', 'get')).toEqual([
      {},
      { bearer: [] },
      { terminalKey: [] },
      { share: [] },
    ]);
    expect(security('/api/protocol/voxel-edit', 'post')).toEqual([
      { bearer: [] },
      { terminalKey: [] },
      { share: [] },
    ]);
    expect(security('/api/protocol/ask', 'post')).toEqual([{ terminalKey: [] }]);
    expect((document['components'] as Answer)['securitySchemes']).toMatchObject({
      bearer: { type: 'http', scheme: 'bearer' },
      terminalKey: { type: 'apiKey', in: 'header', name: 'x-terminal-key' },
      share: { type: 'apiKey', in: 'query', name: 'share' },
    });
  });

  it('is cacheable and revalidated by its ETag', async () => {
    const first = await server.fetch('/api/openapi.json');
    const etag = first.headers.get('etag') as string;
    expect(etag).toMatch(/^"[\w-]+"$/);
    expect(first.headers.get('cache-control')).toBe('public, max-age=300');
    expect(first.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const again = await server.fetch('/api/openapi.json', {
      headers: { 'if-none-match': etag },
    });
    expect(again.status).toBe(304);
    expect((document['servers'] as Answer[])[0]).toEqual({ url: server.base });
  });
});

/** No reader without a credential gets an answer; the owner does. */
function needsCredential({ security }: Answer): boolean {
  return security.length > 0 && security.every((each: object) => Object.keys(each).length > 0);
}

/** Authority is judged before them (contract §2). */
const afterCredential = new Set(['/api/build-landscape lane']);

/** Parameters that mean something beside others only. */
const besides: Readonly<Record<string, string>> = {
  '/api/build-landscape table': 'cohort=makers&',
  '/api/build-landscape format': 'cohort=makers&table=1&',
  '/api/build-landscape limit': 'cohort=makers&',
  '/api/build-landscape cursor': 'cohort=makers&',
  '/api/build-landscape next': 'lane=field&',
  '/api/search limit': 'q=claim&',
  '/api/search cursor': 'q=claim&',
  '/api/proven-work cursor': 'target=full&',
  '/api/articles/{slug}/graph-topology limit': 'question=Merkle&',
  '/api/dispatch limit': 'registry=1&',
  '/api/dispatch format': 'key=VOXEL_EDIT&',
};
