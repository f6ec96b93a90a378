import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onBothStores } from '../support/both-stores.ts';
import { startServer, type Answer, type TestServer } from '../support/server.ts';

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A reader that can only fetch, and keeps what a model's tool would: nothing longer than it may open. */
async function open(url: string): Promise<Answer> {
  expect(url.length).toBeLessThanOrEqual(250);
  const response = await fetch(url);
  expect([url, response.status]).toEqual([url, 200]);
  return (await response.json()) as Answer;
}

/** The first template with these words, its placeholders filled in; one that is not named is an error. */
function fill(answer: Answer, words: string, texts: Record<string, string>): string {
  const template = (answer['templates'] as string[]).find((each) => each.includes(words));
  if (template === undefined) throw new Error(`no template has ${words}`);
  return template.replace(/\{(\w+)\}/g, (_all, name: string) => {
    const text = texts[name];
    if (text === undefined) throw new Error(`${template} has {${name}}`);
    return encodeURIComponent(text);
  });
}

onBothStores('a client that can only send GET', (server) => {
  const claimed = async (slug: string): Promise<void> => {
    await server().article(`# ${slug}\n\nBread keeps for a week.\n\nA loaf weighs a kilogram.\n`, { slug });
    await server().owner('/api/protocol/claim', {
      slug,
      text: 'Bread keeps for a week.',
      tier: 'speculative',
      who_claims: 'A baker',
      why_material: 'Buyers rely on it.',
    });
  };
  const contested = async (slug: string): Promise<Answer> =>
    ((await server().read(`/api/articles/${slug}/claims`))['claims'] as Answer[])[0]?.['contested'] as Answer;

  it('has a confirmed objection on a claim after three requests, the first of them /start', async () => {
    await claimed('a-loaf');
    const start = await open(`${server().base}/start`);
    const [article] = start['articles'] as Answer[];
    expect(article).toMatchObject({
      slug: 'a-loaf',
      claims: [{ id: 'c1', text: 'Bread keeps for a week.', tier: 'speculative', open: 0 }],
    });
    const objection = await open(
      fill(start, 'invoke=OBJECTION_LOG', {
        slug: String(article?.['slug']),
        claim_id: String(article?.['claims'][0].id),
        objection: 'Rye | wheat: only rye keeps so long.',
      }),
    );
    const confirmed = await open(String(objection['receipt'].confirm));
    expect(confirmed).toMatchObject({ confirmed: true, key: 'OBJECTION_LOG', status: 'success' });
    const { objections } = await server().read('/api/articles/a-loaf/objections');
    expect(objections).toMatchObject([{ target: 'c1', body: 'Rye | wheat: only rye keeps so long.' }]);
    expect(await contested('a-loaf')).toMatchObject({ objections: { total: 1 } });
    // Whoever starts now sees it, in the list of claims and in the article that next[] begins with.
    const again = await open(`${server().base}/start`);
    expect(again['articles'][0].claims[0].open).toBe(1);
    const markdown = await (await fetch(String(again['next'][0]))).text();
    expect(markdown).toContain(
      '- c1 (speculative, weight 0.1): Bread keeps for a week.\n  - contested: 1 objection\n',
    );
  });

  it('gets hashes of what it reads, and from a refusal the address that mends it', async () => {
    await claimed('on-crumbs');
    const { base } = server();
    const start = await open(`${base}/start?slug=on-crumbs`);
    const [{ content_hash, claims }] = start['articles'] as [
      { content_hash: string; claims: [{ hash: string; text: string }] },
    ];
    const { body } = await open(`${base}/api/articles/on-crumbs`);
    expect([content_hash, claims[0].hash]).toEqual([hashOf(String(body)), hashOf(claims[0].text)]);
    expect(await (await fetch(String(start['next'][0]))).text()).toContain(
      `body ${content_hash.slice(0, 12)}, c1 ${claims[0].hash.slice(0, 12)}.`,
    );
    const object = (more: string): Promise<Answer> =>
      open(
        `${fill(start, 'invoke=OBJECTION_LOG', { claim_id: 'c1', objection: 'A day at most.' })}&soft=1&${more}`,
      );
    const stale = await object('arg.expected_hash=000000000000');
    const share = String(start['credential'].token);
    const mend = async (refused: Answer): Promise<Answer> => {
      const template = (refused['templates'] as string[]).find((each) => each.includes('repairs=')) as string;
      const texts = { slug: 'on-crumbs/c1', objection: 'A day at most.', token: share };
      return open(
        template.replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof texts) => encodeURIComponent(texts[name])),
      );
    };
    const mended = await mend(stale);
    expect([stale['error'], mended['result'].entry.target_hash]).toEqual(['hash_stale', claims[0].hash]);
    const again = await object('n=2');
    const confirmed = await mend(again);
    expect([again['error'], confirmed['result'].entry.confirms]).toEqual([
      'near_duplicate',
      mended['result'].entry.id,
    ]);
  });

  it('gets addresses for one claim from /start?slug=&claim=, with nothing to fill in but a text', async () => {
    await claimed('on-bread');
    const start = await open(`${server().base}/start?slug=on-bread&claim=c1&actor=ada`);
    expect((start['articles'] as Answer[]).map(({ slug }) => String(slug))).toEqual(['on-bread']);
    expect(start['next'].slice(0, 4)).toEqual([
      `${server().base}/api/articles/on-bread?format=markdown`,
      `${server().base}/api/articles/on-bread/claims`,
      `${server().base}/api/articles/on-bread/voxels`,
      `${server().base}/api/articles/on-bread/discourse`,
    ]);
    const objection = await open(fill(start, 'invoke=OBJECTION_LOG', { objection: 'A week is long.' }));
    expect(await open(String(objection['receipt'].confirm))).toMatchObject({ confirmed: true });
    const repair = await open(
      fill(start, 'invoke=MIRROR_APPEND', { body: 'Rye bread keeps for a week at 20 degrees.' }),
    );
    expect(repair['result'].contribution).toMatchObject({ kind: 'repair', claim_id: 'c1', actor: 'ada' });
    const { div_id, vx_hash } = start['articles'][0].divs[2] as Record<string, string>;
    // The objection has moved the thread since: the challenge is refused, and names the head as it is now.
    const texts = { target_div: div_id as string, expected_hash: (vx_hash as string).slice(0, 12) };
    const body = 'Most loaves weigh less.';
    const late = await open(`${fill(start, 'invoke=VOXEL_CHALLENGE', { ...texts, body })}&soft=1`);
    expect(late).toMatchObject({ error: 'thread_moved' });
    const anew = await open(`${server().base}/start?slug=on-bread&actor=ada`);
    const challenge = await open(fill(anew, 'invoke=VOXEL_CHALLENGE', { ...texts, body }));
    expect(await open(String(challenge['receipt'].confirm))).toMatchObject({
      confirmed: true,
      key: 'VOXEL_CHALLENGE',
    });
    expect(await contested('on-bread')).toMatchObject({ objections: { total: 1 }, repairs: { total: 1 } });
    const { entries } = await server().read('/api/articles/on-bread/discourse');
    expect(entries).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ stance: 'challenge', target: 'd3', body, target_hash: vx_hash }),
      ]),
    );
  });

  it('is refused where a text with a pipe would be cut, and where a hash is stale or cut too short', async () => {
    await claimed('on-rolls');
    const start = await open(`${server().base}/start?slug=on-rolls&actor=ada`);
    const hash = String(start['articles'][0].divs[2].vx_hash);
    const answer = (expected_hash: string, body: string): Promise<Answer> =>
      open(`${fill(start, 'invoke=VOXEL_CHALLENGE', { target_div: 'd3', expected_hash, body })}&soft=1`);
    const challenge = async (expected_hash: string, body: string): Promise<unknown> =>
      (await answer(expected_hash, body))['error'];
    expect(await answer(hash.slice(0, 12), 'Rolls | loaves weigh less.')).toMatchObject({
      error: 'body_mismatch',
      fix: expect.stringContaining('Write a pipe inside a text as \\|'),
    });
    // A hash that is cut short and current is not listed as stale.
    const late = await answer('0'.repeat(12), 'Rolls weigh less.');
    expect(late.detail).not.toContain('expected_thread_head');
    expect(late['stale']).toBeUndefined();
    expect(await challenge(hash.slice(0, 11), 'Rolls weigh less.')).toBe('hash_stale');
    expect(await challenge('0'.repeat(12), 'Rolls weigh less.')).toBe('hash_stale');
    expect(await challenge(hash.slice(0, 12), 'Rolls weigh less.')).toBeUndefined();
    // That challenge has moved the head that the template names.
    expect(await challenge(hash.slice(0, 12), 'Each weighs sixty grams.')).toBe('thread_moved');
  });

  it.each([
    ['/start?slug=no-such-article', 404, 'not_found'],
    ['/start?slug=on-bread&claim=c9', 404, 'not_found'],
    ['/start?claim=c1', 400, 'invalid_request'],
  ])('is handed no credential by %s', async (path, status, error) => {
    const answer = (await (await server().fetch(path)).json()) as Answer;
    expect(answer).toMatchObject({ status, error });
    expect(answer['credential']).toBeUndefined();
  });

  it.each([
    '/',
    '/protocol',
    '/docs',
    '/llms.txt',
    '/api/dispatch',
    '/api/workspace',
    '/api/model-lane',
    '/api/openai/actions.json',
  ])('is led to /start and to search by %s', async (path) => {
    const text = await (await server().fetch(path)).text();
    expect(text).toMatch(/\/start\b/);
    expect(text).toMatch(/\/api\/search\b/);
  });

  it('repairs a failed call and reads both receipts, using only URLs from earlier answers', async () => {
    await server().article('# Yeast\n\nYeast keeps for a year.\n', { slug: 'on-yeast' });
    const start = await open(`${server().base}/start`);
    const { token } = start['credential'];
    const fillIn = (template: string, words: Record<string, string>): string =>
      template.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(words[name] ?? ''));
    const told = (answer: Answer, has: string): string =>
      (answer['templates'] as string[]).find((template) => template.includes(has)) as string;
    const review = fillIn(told(start, 'invoke=OIP_ARTICLE_REVIEW'), {
      slug: 'on-yeast',
      verdict: 'bad',
      body: 'A year is long.',
      actor: 'ada',
    });
    const failed = await open(`${review}&soft=1`);
    expect(failed).toMatchObject({ ok: false, error: 'body_mismatch', ran: false });
    expect(JSON.stringify(failed)).not.toContain(token);
    const corrected = {
      slug: 'on-yeast',
      verdict: 'needs_work',
      body: 'A year is long | too long.',
      actor: 'ada',
    };
    const mended = await open(fillIn(told(failed, 'repairs='), { ...corrected, token }));
    expect(mended).toMatchObject({ ok: true, ran: true, kind: 'OIP_ARTICLE_REVIEW' });
    expect(await open(fillIn(told(mended, 'receipt='), { token }))).toMatchObject({
      status: 'success',
      repairs: failed['receipt'].id,
    });
    expect(await open(fillIn(told(start, 'receipt='), { inv: failed['receipt'].id }))).toMatchObject({
      status: 'failed',
      repaired_by: mended['receipt'].id,
    });
  });

  it('gets next URLs with every refusal and with the explanation of its share', async () => {
    const { base } = server();
    const start = await open(`${base}/start`);
    expect(start['_explain']).toContain('soft=1');
    const { token } = start['credential'];
    const explained = await open(String(start['next'].find((url: string) => url.includes('explain='))));
    expect(explained['_self'].next).toEqual([
      `${base}/api/dispatch?key=ARTICLE_INSPECT`,
      `${base}/api/dispatch?key=MIRROR_APPEND`,
      `${base}/api/dispatch?key=MODEL_CHAT_INTAKE`,
      `${base}/api/dispatch?key=OBJECTION_LOG`,
      `${base}/api/dispatch?key=OIP_ARTICLE_REVIEW`,
      `${base}/api/dispatch?key=VOXEL_CHALLENGE`,
    ]);
    const dispatch = `${base}/api/dispatch?soft=1&invoke=`;
    const broken = await open(`${dispatch}OBJECTION_LOG&body=x%7Cy&share=${token.slice(0, -4)}AAAA`);
    expect(broken).toMatchObject({
      ok: false,
      next: [
        `${base}/start`,
        `${base}/api/dispatch?key=OBJECTION_LOG`,
        `${base}/api/workspace/main`,
        `${base}/docs/errors#token_corrupted`,
      ],
    });
    const absent = await open(`${dispatch}OBJECTION_LOG&body=no-such-slug%7Cy&share=${token}`);
    expect(absent['next']).toEqual([`${base}/api/search?q=no-such-slug`, `${base}/api/articles`]);
    const denied = await open(`${dispatch}CLAIM_POST&body=x&share=${token}`);
    expect(denied['templates']).toContain(`${base}/api/dispatch?explain=1&share={token}`);
    expect(denied['templates']).toContain(
      `${base}/api/dispatch?invoke={key}&arg.{name}={text}&repairs=${denied['receipt'].id}&share={token}`,
    );
  });

  it('gets only URLs that work as they stand, none longer than 250 characters', async () => {
    const start = await open(`${server().base}/start?actor=ada`);
    expect(start['credential']).toMatchObject({
      token: expect.stringMatching(/^sh\./) as string,
      fingerprint: expect.stringMatching(/^cap_[0-9a-f]{16}$/) as string,
      grants: [
        'OBJECTION_LOG',
        'OIP_ARTICLE_REVIEW',
        'MODEL_CHAT_INTAKE',
        'ARTICLE_INSPECT',
        'MIRROR_APPEND',
        'VOXEL_CHALLENGE',
      ],
      uses: 25,
    });
    for (const url of start['next'] as string[]) {
      expect(url.length).toBeLessThanOrEqual(250);
      expect([url, (await fetch(url)).status]).toEqual([url, 200]);
    }
    expect((start['templates'] as string[]).every((url) => url.includes('{'))).toBe(true);
    expect((start['next'] as string[]).some((url) => url.includes('{'))).toBe(false);
    expect(String(start['drop']).split('\n')[0]).toBe(`${server().base}/protocol`);
    expect(start['drop']).toContain(
      '\nScope: rows OBJECTION_LOG, OIP_ARTICLE_REVIEW, MODEL_CHAT_INTAKE, ARTICLE_INSPECT, MIRROR_APPEND, VOXEL_CHALLENGE\n',
    );
    expect(start['precedence']).toMatch(/^Instructions of the party that operates the reader stand above/);
  });
});

describe('the entry', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
    await server.article('# Bread\n\nText.\n', { slug: 'on-bread' });
    await server.article('# Hidden\n\nText.\n', { slug: 'a-draft', status: 'draft' });
  });
  afterAll(async () => {
    await server.stop();
    expect(server.errors).toEqual([]);
  });
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const response = await server.fetch(path, { headers });
    return { response, json: (await response.json()) as Answer };
  };

  it('is not cached and names no draft', async () => {
    const { response, json } = await get('/start');
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(JSON.stringify(json)).not.toContain('a-draft');
  });

  it('issues no credential on prefetch and on HEAD', async () => {
    expect((await get('/start', { 'sec-purpose': 'prefetch' })).json['error']).toBe('invalid_request');
    expect((await server.fetch('/start', { method: 'HEAD' })).status).not.toBe(200);
  });

  it('issues an observer a read-only share', async () => {
    const { json } = await get('/api/workspace/main/enter?role=observer&actor=ada');
    expect(json).toMatchObject({
      workspace: 'main',
      role: 'observer',
      credential: { grants: ['ARTICLE_INSPECT'] },
    });
    const share = String(json['credential'].token);
    const read = await get(`/api/dispatch?invoke=ARTICLE_INSPECT&body=on-bread&share=${share}`);
    expect(read.response.status).toBe(200);
    const write = await get(`/api/dispatch?invoke=OBJECTION_LOG&body=on-bread%7CNo.&share=${share}`);
    expect(write.json['error']).toBe('scope_denied');
  });

  it.each([
    ['/api/workspace/main/enter?role=editor', 403, 'scope_denied'],
    ['/api/workspace/main/enter?role=owner', 403, 'scope_denied'],
    ['/api/workspace/main/enter?role=king', 400, 'invalid_request'],
    ['/api/workspace/main/enter?role=constructor', 400, 'invalid_request'],
    ['/api/workspace/elsewhere/enter?role=observer', 404, 'not_found'],
    [`/start?actor=${'x'.repeat(201)}`, 400, 'invalid_request'],
    ['/start?role=owner', 400, 'invalid_request'],
  ])('%s is refused with %i', async (path, status, error) => {
    expect((await get(path)).json).toMatchObject({ status, error });
  });

  it('describes the workspace, the provable objects and the site', async () => {
    const { json } = await get('/api/workspace');
    expect(json['workspaces'][0]).toMatchObject({ id: 'main', status: 'open' });
    const proven = (await get('/api/proven-work')).json;
    expect(proven).toMatchObject({
      count: 1,
      objects: [{ kind: 'article', id: 'on-bread', log_index: expect.any(Number) as number }],
    });
    const confirm = await fetch(String(proven['objects'][0].confirm));
    expect(((await confirm.json()) as Answer)['confirmed']).toBe(true);
    const llms = await (await server.fetch('/llms.txt')).text();
    expect(llms).toMatch(/^# Colophon\n\n> /);
    const dead: string[] = [];
    for (const [, url = ''] of llms.matchAll(/\]\((\S+)\)/g)) {
      const response = await fetch(url);
      await response.body?.cancel();
      if (response.status !== 200) dead.push(url);
    }
    expect(dead).toEqual([]);
  });
});

describe('the entry with rate limits', () => {
  it('issues twenty credentials a minute to a client address, counting both routes', async () => {
    const server = await startServer({ COLOPHON_RATE_LIMIT: 'on' });
    try {
      const statuses: number[] = [];
      for (let i = 0; i < 22; i++) {
        const path = i % 2 === 0 ? '/start' : '/api/workspace/main/enter?role=observer';
        const response = await server.fetch(path);
        await response.body?.cancel();
        statuses.push(response.status);
      }
      expect(statuses).toEqual([...Array.from({ length: 20 }, () => 200), 429, 429]);
    } finally {
      await server.stop();
    }
  });

  it('limits the writes of a client address across its credentials', async () => {
    const server = await startServer({ COLOPHON_RATE_LIMIT: 'on' });
    try {
      await server.article('# Bread\n\nText.\n', { slug: 'on-bread' });
      const shares: string[] = [];
      for (let i = 0; i < 3; i++)
        shares.push(String((await server.read(`/start?actor=a${i}`))['credential'].token));
      const statuses: number[] = [];
      for (let i = 0; i < 32; i++) {
        const path = `/api/dispatch?invoke=OBJECTION_LOG&body=on-bread|Objection ${i}.&share=${shares[i % 3]}`;
        const response = await server.fetch(path);
        await response.body?.cancel();
        statuses.push(response.status);
      }
      expect(statuses).toEqual([...Array.from({ length: 30 }, () => 200), 429, 429]);
      const inspected = await server.fetch(
        `/api/dispatch?invoke=ARTICLE_INSPECT&body=on-bread&share=${shares[1]}`,
      );
      expect(inspected.status).toBe(200);
      await inspected.body?.cancel();
    } finally {
      await server.stop();
    }
  });
});
