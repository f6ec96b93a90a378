/** All faults in the members and parameters around the arguments of a row are reported together (contract §2). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLocal, owner, type LocalServer, type Reply } from './local.ts';
import { expectProblem } from './problem.ts';

let server: LocalServer;

beforeAll(async () => {
  server = await openLocal();
});

afterAll(async () => {
  await server.end();
});

interface Violation {
  readonly code: string;
  readonly at: string;
  readonly message: string;
  readonly fix: string;
}

const told = (reply: Reply): [string, string][] =>
  (expectProblem(reply, 'invalid_request')['violations'] as readonly Violation[]).map((each) => {
    expect([each.message, each.fix]).toEqual([expect.stringMatching(/\S/), expect.stringMatching(/\S/)]);
    return [each.code, each.at];
  });

describe('a dispatch call', () => {
  it('is rejected with every unknown or mistyped member and query parameter', async () => {
    const body = {
      key: 7,
      body: ['alpha'],
      share: 5,
      idem: {},
      shape: 'maybe',
      replay: 1,
      repairs: 'x'.repeat(41),
      actor: false,
      purpose: 'x'.repeat(501),
      workspace: null,
      limit: 3,
      fault: 'internal',
    };
    const reply = await server.send({ path: '/api/dispatch?dry=1&share=a&share=b', body });
    expect(told(reply)).toEqual([
      ['unknown_parameter', '/limit'],
      ['unknown_parameter', '/fault'],
      ['malformed', '/replay'],
      ['malformed', '/repairs'],
      ['malformed', '/key'],
      ['malformed', '/body'],
      ['unknown_parameter', '?dry'],
      ['repeated', '?share'],
      ['malformed', '/share'],
      ['malformed', '/idem'],
      ['malformed', '/workspace'],
      ['malformed', '/actor'],
      ['malformed', '/purpose'],
      ['malformed', '/shape'],
    ]);
    expect(reply.json).toMatchObject({ parameter: 'limit', charged: false, invocation: null });
    expect(await server.size()).toBe(0);
  });

  it('by GET is rejected with every unknown or invalid parameter', async () => {
    const query = `invoke=MIRROR_FEED&body=a&shape=maybe&actor=${'x'.repeat(201)}&format=exe&limit=0&dry=1`;
    expect(told(await server.send({ path: `/api/dispatch?${query}` }))).toEqual(
      [
        ['not_one_of', '?format'],
        ['out_of_bounds', '?limit'],
        ['unknown_parameter', '?dry'],
        ['malformed', '?actor'],
        ['malformed', '?shape'],
        ['out_of_bounds', '?body/slug'],
      ].sort(unknownFirst),
    );
  });

  it.each([
    ['registry=1&format=markdown', ['?format']],
    ['ask=objections&format=skill&limit=3', ['?format', '?limit']],
    ['build=1&format=markdown', ['?format']],
    ['self_scope=1&shape=1', ['?shape']],
    ['explain=1&receipt=inv_x', ['?explain']],
    ['invoke=PAPER_STATE&key=PAPER_STATE&keys=PAPER_STATE', ['?key', '?keys']],
  ])('with %s is rejected with the parameters that do not apply', async (query, places) => {
    const reply = await server.send({ path: `/api/dispatch?${query}` });
    expect(told(reply)).toEqual(places.map((place) => ['unknown_parameter', place]));
    expect(reply.json['known']).toContain(query.includes('receipt=') ? 'receipt' : query.split('=')[0]);
  });

  it('that only reads accepts format=json and n', async () => {
    for (const query of ['registry=1&format=json&n=2', 'ask=objections&format=json', 'format=json']) {
      const { status, json } = await server.send({ path: `/api/dispatch?${query}` });
      expect([status, json['ok']]).toEqual([200, true]);
    }
    expect((await server.send({ path: '/api/dispatch?format=markdown' })).json).toMatchObject({
      error: 'invalid_request',
      detail: 'The parameters name no action.',
    });
  });

  it('is rejected with the faults of its arguments beside those of its members', async () => {
    const reply = await server.call('OBJECTION_LOG', { slug: 'A B', surface: 'S9' }, { limit: 3 });
    expect(told(reply)).toEqual([
      ['unknown_parameter', '/limit'],
      ['malformed', '/body/slug'],
      ['missing', '/body/objection'],
      ['not_one_of', '/body/surface'],
    ]);
    expect(reply.json).toMatchObject({
      example: 'what-the-ledger-is|The second claim cites no source.|S2|Cite one.|ada',
      charged: false,
      invocation: null,
    });
    const address = await server.send({ path: '/api/dispatch?invoke=MIRROR_FEED&body=A%20B&limit=3' });
    expect(told(address)).toEqual([
      ['unknown_parameter', '?limit'],
      ['malformed', '?body/slug'],
    ]);
    const misspelled = await server.call('OBJECTON_LOG', 'alpha|x', { limit: 3 });
    expect(told(misspelled)).toEqual([
      ['unknown_parameter', '/limit'],
      ['unknown_key', '/key'],
    ]);
    expect(misspelled.json['did_you_mean']).toMatchObject([{ key: 'OBJECTION_LOG' }]);
    expect(await server.size()).toBe(0);
  });

  it('does not report faults in arguments of a row that its credential cannot invoke', async () => {
    const { share } = await server.mint({ scope: 'row', key: 'MIRROR_FEED' });
    const around: [string, string][] = [['unknown_parameter', '/limit']];
    const body = { slug: 'A B' };
    for (const more of [{}, { share }, { share: `${share.slice(0, -2)}AA` }, { share: 'sh.x' }])
      expect(told(await server.call('CLAIM_POST', body, { ...more, limit: 3 }))).toEqual(around);
    expect(told(await server.call('CLAIM_POST', body, { share: 7, limit: 3 }))).toEqual([
      ...around,
      ['malformed', '/share'],
    ]);
    const inside = told(await server.call('MIRROR_FEED', body, { share, limit: 3 }));
    expect(inside).toEqual([...around, ['malformed', '/body/slug']]);
    expect(await server.explain(share)).toMatchObject({ uses: 0, denials: 0 });
  });

  it('with one fault gets the message of that fault', async () => {
    const reply = await server.send({ path: '/api/dispatch', body: { key: 'PAPER_STATE', limit: 3 } });
    expect(told(reply)).toEqual([['unknown_parameter', '/limit']]);
    expect(reply.json).toMatchObject({
      detail: '"limit" is no member of a dispatch call.',
      fix: 'Use only: key, body, share, idem, shape, replay, repairs, actor, purpose, workspace.',
    });
  });
});

/** Unknown names are told first, together. */
function unknownFirst([a]: readonly string[], [b]: readonly string[]): number {
  return Number(b === 'unknown_parameter') - Number(a === 'unknown_parameter');
}

describe('another write', () => {
  it.each([
    [
      '/api/protocol/claim?dry=1',
      { slug: 'a', key: 7 },
      [
        ['unknown_parameter', '?dry'],
        ['malformed', '/key'],
      ],
    ],
    [
      '/api/articles/a/objections?dry=1',
      { slug: 'b', key: 7 },
      [
        ['unknown_parameter', '?dry'],
        ['malformed', '/key'],
        ['malformed', '/slug'],
      ],
    ],
    [
      '/api/articles/a/mirror/mc_x/resolve?dry=1',
      { slug: 'b', contribution_id: 'c', key: 7 },
      [
        ['unknown_parameter', '?dry'],
        ['malformed', '/key'],
        ['malformed', '/slug'],
        ['malformed', '/contribution_id'],
      ],
    ],
    [
      '/api/build-landscape?dry=1',
      { action: 'dance', key: 7 },
      [
        ['unknown_parameter', '?dry'],
        ['malformed', '/key'],
        ['malformed', '/action'],
      ],
    ],
    [
      '/api/proven-work?dry=1',
      { action: 'dance', key: 7 },
      [
        ['unknown_parameter', '?dry'],
        ['malformed', '/key'],
        ['malformed', '/action'],
      ],
    ],
    [
      '/api/workspace?dry=1',
      { name: 'a', key: 7 },
      [
        ['unknown_parameter', '?dry'],
        ['malformed', '/key'],
      ],
    ],
  ])('is rejected with the faults of its query and its members: %s', async (path, body, expected) => {
    expect(told(await server.send({ path, body, headers: owner }))).toEqual(expected);
  });
});

describe('a read', () => {
  it.each([
    [
      '/api/articles?limit=0&status=x&sort=y&home=z&updated_since=then&cursor=%20&foo=1',
      ['?foo', '?limit', '?status', '?sort', '?home', '?updated_since', '?cursor'],
    ],
    ['/api/articles/a?format=exe&rev=1&at=2&foo=1', ['?foo', '?format', '?at']],
    ['/api/articles/a?rev=0', ['?rev']],
    ['/api/articles/a/revisions?rev=first', ['?rev']],
    ['/api/articles/a/voxels?include_inactive=maybe&rev=1.5', ['?include_inactive', '?rev']],
    ['/api/articles/a/graph-topology?rev=1&at=2', ['?question', '?at']],
    ['/api/articles/a/invocations?status=x&limit=0&cursor=y', ['?status', '?limit', '?cursor']],
    ['/api/articles/obsidian-vault?slugs=,&format=tar', ['?format', '?slugs']],
    ['/api/search?q=%20&kind=x&limit=0', ['?limit', '?q', '?kind']],
    ['/api/search?kind=x', ['?q', '?kind']],
    ['/api/graph?slugs=,&layer=x&depth=99', ['?layer', '?depth', '?slugs']],
    [
      '/api/v1/query?kind=claim&where=colour=red&order=colour&fields=colour&limit=0',
      ['?limit', '?from', '?where', '?order', '?fields'],
    ],
    ['/api/invocations?status=x&cursor=y&limit=0', ['?limit', '?object_id', '?status', '?cursor']],
    ['/api/protocol/thread-state?target=&foo=1', ['?foo', '?target']],
    ['/api/events?after=x&kind=y&named=2', ['?named', '?kind', '?after']],
    ['/api/build-landscape?table=1&format=exe&limit=0', ['?format', '?limit', '?cohort']],
    ['/api/build-landscape?next=1&table=1&limit=3&foo=1', ['?foo', '?table', '?limit']],
    ['/api/proven-work?limit=0&cursor=%20', ['?limit', '?cursor']],
    ['/start?role=king&actor=' + 'x'.repeat(201), ['?role', '?actor']],
    ['/feed.xml?cursor=x&foo=1', ['?foo', '?cursor']],
  ])('is rejected with every invalid parameter: %s', async (path, expected) => {
    const places = told(await server.send({ path })).map(([, at]) => at);
    expect(places.toSorted()).toEqual(expected.toSorted());
  });

  it('is rejected with a key in its URL under any parameter name', async () => {
    const reply = await server.send({ path: '/api/articles?key=tk_0123456789abcdef&foo=1' });
    expect(told(reply)).toEqual([
      ['unknown_parameter', '?key'],
      ['unknown_parameter', '?foo'],
      ['key_in_address', '?key'],
    ]);
    expect(reply.body).not.toContain('tk_0123456789abcdef');
  });

  it('of an unknown article part reports only a repeated parameter', async () => {
    const reply = await server.send({ path: '/api/articles/a/nothing?foo=1&bar=2&bar=3' });
    expect(told(reply)).toEqual([['repeated', '?bar']]);
  });

  it('is rejected with every value that its route does not declare, on every route', async () => {
    const { json } = await server.send({ path: '/api/openapi.json' });
    let judged = 0;
    for (const [path, methods] of Object.entries(json['paths'] as Record<string, Methods>)) {
      const { get } = methods;
      const wrong = (get?.parameters ?? []).filter(
        ({ in: place, schema }) =>
          place === 'query' && (schema.enum !== undefined || schema.maximum !== undefined),
      );
      if (wrong.length === 0 || get?.responses['400'] === undefined) continue;
      const query = wrong.map(({ name }) => `${name}=%2B`).join('&');
      const reply = await server.send({
        path: `${path.replaceAll(/\{\w+\}/g, 'nothing')}?foo=1&bar=2&${query}`,
      });
      const places = told(reply).map(([, at]) => at);
      expect([path, places]).toEqual([
        path,
        expect.arrayContaining(['?foo', '?bar', ...wrong.map(({ name }) => `?${name}`)]),
      ]);
      judged++;
    }
    expect(judged).toBeGreaterThan(15);
  });
});

interface Methods {
  readonly get?: {
    readonly parameters?: readonly {
      readonly name: string;
      readonly in: string;
      readonly schema: { readonly enum?: unknown; readonly maximum?: number };
    }[];
    readonly responses: Readonly<Record<string, unknown>>;
  };
}
