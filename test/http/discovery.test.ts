import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLocal, owner, type LocalServer } from './local.ts';
import { expectProblem } from './problem.ts';

let server: LocalServer;

beforeAll(async () => {
  server = await openLocal();
  await server.deployment.did('VOXEL_BATCH', {
    document: { slug: 'alpha', title: 'alpha', markdown: '# alpha\n\nOne.\n' },
  });
});

afterAll(async () => {
  await server.end();
});

describe('a question in plain words', () => {
  const ask = async (question: string) =>
    (await server.get({ ask: question })).json as {
      best: { key: string; url: string } | null;
      matches: { key: string; url: string; score: number }[];
      did_you_mean: { key: string }[];
    };

  it.each([
    ['how do I file an objection to an article?', 'OBJECTION_LOG'],
    ['replay an earlier call', 'OIP_REPLAY'],
    ['revoke a share', 'CAP_REVOKE'],
    ['mint an API key', 'KEY_MINT'],
    ['move a block up or down', 'VOXEL_MOVE'],
    ['create an image', 'CREATIVE_GENERATE'],
    ['retract a claim', 'CLAIM_RETRACT'],
    ['what does this token let me invoke', 'CAP_EXPLAIN'],
    ['propose a question on a claim through the mirror', 'MIRROR_APPEND'],
  ])('"%s" finds %s', async (question, key) => {
    const { best, matches } = await ask(question);
    expect(best?.key).toBe(key);
    expect(matches.length).toBeLessThanOrEqual(8);
    expect(matches[0]?.key).toBe(key);
  });

  it('returns URLs that can be opened', async () => {
    const { matches } = await ask('retract a claim');
    for (const { url } of matches) {
      const { status } = await server.send({ path: url.slice(server.deployment.service.base.length) });
      expect([url, status]).toEqual([url, 200]);
    }
  });

  it.each(['how is the weather in Lisbon tomorrow', 'bake sourdough bread', '...', 'Ж'])(
    'without a matching row returns no best row: "%s"',
    async (question) => {
      expect((await ask(question)).best).toBeNull();
    },
  );

  it('that is a misspelled key returns similar keys', async () => {
    expect((await ask('MIROR_FEED')).did_you_mean[0]).toMatchObject({ key: 'MIRROR_FEED' });
  });

  it('that is empty is rejected, and one that is very long is answered', async () => {
    expectProblem(await server.get({ ask: ' ' }), 'invalid_request');
    expect((await ask('claim '.repeat(1500))).matches.length).toBeGreaterThan(0);
  });
});

describe('the map', () => {
  it('covers all systems or one, as JSON or Markdown', async () => {
    const tree = (await server.get({ map: '1' })).json['systems'] as {
      name: string;
      rows: { key: string }[];
    }[];
    for (const { name, rows } of tree) {
      const { json } = await server.get({ map: name.toUpperCase() });
      expect((json['rows'] as { key: string }[]).map(({ key }) => key)).toEqual(rows.map(({ key }) => key));
    }
    const markdown = await server.get({ map: 'mirror', format: 'markdown' });
    expect(markdown.headers['content-type']).toBe('text/markdown; charset=utf-8');
    expect(markdown.body).toContain('## mirror');
    expect(markdown.body).toContain('- [`MIRROR_APPEND`]');
    expect((await server.get({ map: '1', format: 'markdown' })).body).toContain('## capability');
    expect(expectProblem(await server.get({ map: 'galaxy' }), 'not_found')['systems']).toContain('mirror');
    expectProblem(await server.get({ map: '1', format: 'pdf' }), 'invalid_request');
  });

  it('is also served as a skill, in full or for one system: Markdown after a name and a description', async () => {
    const whole = await server.get({ map: '1', format: 'skill' });
    expect(whole.headers['content-type']).toBe('text/markdown; charset=utf-8');
    expect(whole.body.split('\n').slice(0, 6)).toEqual([
      '---',
      'name: oip',
      'description: "Every system of the protocol and its rows."',
      '---',
      '',
      '# The protocol OIP 1.2.0',
    ]);
    const { body } = await server.get({ map: 'MIRROR', format: 'skill' });
    expect(body).toContain('name: oip-mirror\ndescription: "The rows of the system mirror."\n');
    expect(body).toContain('- [`MIRROR_APPEND`]');
  });

  it('of the whole build is served to the owner only', async () => {
    expectProblem(await server.get({ build: '1' }), 'owner_only');
    const { share } = await server.mint({ scope: 'read', max_uses: 0 });
    expectProblem(await server.get({ build: '1', share }), 'owner_only');
    const { json } = await server.get({ build: '1' }, owner);
    expect((json['rows'] as { key: string }[]).length).toBe(server.deployment.service.rows.size);
    expect((json['projections'] as { name: string }[]).map(({ name }) => name)).toContain('capability');
  });
});

describe('the registry', () => {
  it('lists each row once across pages, and the last page has no next', async () => {
    const keys: string[] = [];
    let path: string | null = '/api/dispatch?registry=1&limit=20';
    for (let pages = 0; path !== null; pages++) {
      expect(pages).toBeLessThan(9);
      const { json } = await server.send({ path });
      const { count, rows, next } = json as { count: number; rows: { key: string }[]; next: string | null };
      expect(count).toBe(rows.length);
      keys.push(...rows.map(({ key }) => key));
      path = next === null ? null : next.slice(server.deployment.service.base.length);
    }
    const manifest = await server.send({ path: '/api/dispatch' });
    expect(keys).toEqual([...(manifest.json['rows'] as string[])].sort());
    const first = (await server.get({ registry: '1' })).json as { rows: unknown[]; next: string };
    expect([first.rows.length, first.next]).toEqual([50, expect.stringContaining('cursor=')]);
    for (const limit of ['0', '501', 'x'])
      expectProblem(await server.get({ registry: '1', limit }), 'invalid_request');
  });
});

describe('the schema of an invocation', () => {
  it('names every member that receipts have, and none that they lack', async () => {
    const { json } = await server.get({ schema: 'invocation' });
    const { required, properties } = json['schema'] as { required: string[]; properties: object };
    const made = await server.call('MIRROR_FEED', 'alpha', {}, owner);
    const { id } = made.json['receipt'] as { id: string };
    const receipt = (await server.get({ receipt: id }, owner)).json;
    expect(required.filter((name) => !(name in receipt))).toEqual([]);
    expect(Object.keys(receipt).filter((name) => !Object.hasOwn(properties, name))).toEqual([
      'trust',
      '_self',
    ]);
    expectProblem(await server.get({ schema: 'other' }), 'not_found');
  });
});

describe('the documents for model runtimes', () => {
  it('list the lanes, with a self-cut URL that works as it stands', async () => {
    const { json } = await server.send({ path: '/api/model-lane' });
    expect((json['lanes'] as { lane: string }[]).map(({ lane }) => lane)).toEqual([
      'url_only',
      'http',
      'actions',
      'mcp',
      'router_tags',
    ]);
    const { url } = (json['authority'] as { self_cut: { url: string } }).self_cut;
    const cut = await server.send({ path: url.slice(server.deployment.service.base.length) });
    expect(cut.json['share']).toMatch(/^sh\./);
  });

  it('define actions whose dispatch may replay a call without naming a row', async () => {
    const { json } = await server.send({ path: '/api/openai/actions.json' });
    expect(json['_self']).toBeUndefined();
    const { openapi, paths } = json as {
      openapi: string;
      paths: Record<string, Record<string, Record<string, unknown>>>;
    };
    expect(openapi).toBe('3.1.0');
    expect(paths['/api/dispatch']?.['post']?.['requestBody']).not.toMatchObject({
      content: { 'application/json': { schema: { required: expect.anything() } } },
    });
  });
});
