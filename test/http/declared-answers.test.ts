/** Served schemas are JSON Schema 2020-12 for a third-party validator, and recorded answers fit them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSchemas } from '../../src/model/index.ts';
import { builtInRows } from '../../src/rows/index.ts';
import { DeclaredAnswers, foreignValidator, type ApiDocument } from '../support/declared-answers.ts';
import { startServer, type TestServer } from '../support/server.ts';

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
