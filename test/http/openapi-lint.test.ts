/**
 * Both documents pass the linters that their readers run (contract §2): Redocly's recommended rules without an error or
 * a warning, and the rules of Spectral's `spectral:oas` that Redocly has not. Spectral itself brings 150 packages, so
 * its rules are listed here. No warning of either is exempted.
 */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type Answer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => void (server = await startServer()));
afterAll(() => server.stop());

async function redocly(document: object): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: JSON.stringify(document), config });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`);
}

/** What Spectral's rules `info-contact`, `operation-*`, `array-items`, `oas3-unused-component` and examples find. */
function spectral(document: Answer): string[] {
  const found: string[] = [];
  if (document['info']['contact'] === undefined) found.push('info-contact');
  const tags = new Set((document['tags'] as Answer[]).map((tag) => tag['name'] as unknown));
  for (const [path, item] of Object.entries(document['paths'] as Record<string, Answer>))
    for (const [method, operation] of Object.entries(item)) {
      const at = `${method} ${path}`;
      if (typeof operation['description'] !== 'string' || operation['description'] === '')
        found.push(`operation-description ${at}`);
      const own = (operation['tags'] ?? []) as unknown[];
      if (own.length === 0 || !own.every((tag) => tags.has(tag))) found.push(`operation-tags ${at}`);
    }
  const text = JSON.stringify(document);
  for (const [kind, named] of Object.entries(document['components'] as Record<string, object>))
    for (const name of Object.keys(named))
      if (kind !== 'securitySchemes' && !text.includes(`"#/components/${kind}/${name}"`))
        found.push(`oas3-unused-component ${kind}/${name}`);
  const walk = (value: unknown, at: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const object = value as Answer;
    if (object['type'] === 'array' && typeof object['items'] !== 'object') found.push(`array-items ${at}`);
    // Taken for a media type, whose examples are objects with a value.
    if (object['schema'] !== undefined && object['examples'] !== undefined)
      found.push(`oas3-valid-media-example ${at}`);
    for (const [name, member] of Object.entries(object)) walk(member, `${at}/${name}`);
  };
  walk(document, '');
  return found;
}

describe.each(['/api/openapi.json', '/api/openai/actions.json'])('%s', (path) => {
  it('has no problem by the recommended rules of Redocly', async () => {
    expect(await redocly(await server.read(path))).toEqual([]);
  }, 60_000);

  it('has no problem by the rules of Spectral', async () => {
    expect(spectral(await server.read(path))).toEqual([]);
  });
});

describe('the linters', () => {
  it('report a document that is not sound', async () => {
    const document = {
      openapi: '3.1.0',
      info: { title: 'x', version: '1' },
      tags: [],
      paths: {
        '/x': {
          get: {
            responses: {
              '200': {
                description: '',
                content: {
                  'application/json': {
                    schema: { type: 'object', properties: { schema: { type: 'array' }, examples: {} } },
                  },
                },
              },
            },
          },
        },
      },
      components: { schemas: { Unused: { type: 'string' } } },
    };
    expect((await redocly(document)).map((each) => each.replace(/:.*$/, ''))).toEqual(
      expect.arrayContaining(['security-defined', 'info-license', 'operation-4xx-response']),
    );
    expect(spectral(document)).toEqual([
      'info-contact',
      'operation-description get /x',
      'operation-tags get /x',
      'oas3-unused-component schemas/Unused',
      'oas3-valid-media-example /paths//x/get/responses/200/content/application/json/schema/properties',
      'array-items /paths//x/get/responses/200/content/application/json/schema/properties/schema',
    ]);
  });
});
