import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { append, malformed, members, notMedia, parameters } from './bad-requests.ts';
import { send, type HttpAnswer } from './client.ts';
import { expectProblem } from './problem.ts';
import { expectRefusal, startRefusing, type RefusingServer } from './bad-request-server.ts';

let refusing: RefusingServer;
let server: RefusingServer['server'];
let base: string;
let owner: Record<string, string>;
let share: string;

beforeAll(async () => {
  refusing = await startRefusing();
  ({ server, base, owner, share } = refusing);
});

afterAll(async () => {
  await refusing.end();
});

describe('a body that is no JSON object', () => {
  it.each(malformed)('is rejected: $what', (each) => expectRefusal(base, each));
});

describe('a request member', () => {
  it.each(members)('that is invalid is named: $what', (each) => expectRefusal(base, each));

  it('with the name of an Object.prototype property is rejected as a tier', async () => {
    for (const tier of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
      const problem = expectProblem(
        await send(base, {
          path: '/api/protocol/claim',
          headers: owner,
          body: {
            slug: 'alpha',
            text: 'A claim of an impossible tier stands.',
            tier,
            who_claims: 'ada',
            why_material: 'x',
          },
        }),
        'content_rule',
      );
      expect(problem['violations']).toMatchObject([{ code: 'unknown_tier' }]);
    }
  });

  it('with the name of an Object.prototype property is rejected as an operation', async () => {
    const answer = await send(base, {
      path: '/api/protocol/voxel-batch',
      headers: owner,
      body: { operations: [{ op: 'constructor' }, { op: '__proto__' }, { op: 'toString' }] },
    });
    expect(JSON.parse(answer.body)).toMatchObject({
      ok: false,
      landed: 0,
      results: [{ error: 'body_mismatch' }, { error: 'body_mismatch' }, { error: 'body_mismatch' }],
    });
  });
});

describe('a parameter', () => {
  it.each(parameters)('that is invalid is named: $what', (each) => expectRefusal(base, each));

  it('that must be true or false prevents the call when it is neither', async () => {
    const path = `/api/dispatch?invoke=MIRROR_APPEND&body=${encodeURIComponent(append)}&share=${share}&shape=maybe`;
    await expectRefusal(base, {
      what: 'shape=maybe',
      request: { path },
      code: 'invalid_request',
      names: /"shape"/,
    });
  });
});

describe('a content type', () => {
  it.each(notMedia)('is rejected: $what', (each) => expectRefusal(base, each));

  it('may be any JSON media type', async () => {
    for (const type of [
      'application/json',
      'Application/JSON; charset=utf-8',
      'application/problem+json',
      'application/vnd.api+json',
    ]) {
      const answer = await send(base, {
        path: '/api/dispatch',
        headers: { 'content-type': type },
        body: JSON.stringify({ key: 'MIRROR_FEED', body: 'alpha' }),
      });
      expect([type, answer.status]).toEqual([type, 200]);
    }
  });
});

describe('soft=1', () => {
  it('returns the same problem with status 200, only on GET', async () => {
    const bodies = async (path: string): Promise<[HttpAnswer, HttpAnswer]> => [
      await send(base, { path }),
      await send(base, { path: `${path}${path.includes('?') ? '&' : '?'}soft=1` }),
    ];
    for (const [path, code] of [
      ['/api/articles/nowhere', 'not_found'],
      ['/api/dispatch?invoke=NOTHING', 'unknown_key'],
      ['/api/dispatch?invoke=MIRROR_FEED&body=alpha&share=sh.x', 'token_malformed'],
      ['/api/nowhere', 'not_found'],
      ['/api/articles/50%off', 'invalid_request'],
    ] as const) {
      const [hard, soft] = await bodies(path);
      expectProblem(hard, code);
      expectProblem(soft, code, true);
      expect({ ...(JSON.parse(soft.body) as object), instance: '' }).toEqual({
        ...(JSON.parse(hard.body) as object),
        instance: '',
      });
    }
    const [hardPage, softPage] = await bodies('/a/nowhere');
    expect([hardPage.status, softPage.status]).toEqual([404, 200]);
    expect(softPage.body).toBe(hardPage.body);
    expectProblem(
      await send(base, { path: '/api/dispatch?soft=1', body: { key: 'NOTHING' } }),
      'unknown_key',
    );
  });
});

describe('the process', () => {
  it('still serves requests after every invalid one', async () => {
    expect(await send(base, { path: '/healthz' })).toMatchObject({ status: 200, body: '{"ok":true}' });
    const answer = await send(base, { path: '/api/dispatch', body: { key: 'MIRROR_FEED', body: 'alpha' } });
    expect(JSON.parse(answer.body)).toMatchObject({ ok: true, result: { slug: 'alpha', count: 0 } });
    expect(server.output()).not.toMatch(/uncaught|unhandled/i);
  });
});
