import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyBundle, verifyReceipt } from '../../verify/index.ts';
import { sha256Hex } from '../../src/kernel/hash.ts';
import { storeKinds } from '../support/stores.ts';
import { sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { articlesOf, claim, expectVerified, type Div } from './articles.ts';
import { openLocal, owner, type LocalServer, type Reply } from './local.ts';
import { expectReplays } from './replays.ts';

/** No rule knows it, and JSON, HTML and addresses each write it in another way. */
const secret = 'Tr0ub4dor&3 "ÄΩ\\quoted" <or>/so';
const core = 'Tr0ub4dor&3';
const marker = '[redacted:secret]';

const seen = [
  '/a/leaky',
  '/a/leaky/d2',
  '/a/leaky/c1',
  '/a/leaky/history',
  '/a/leaky/history?from=1&to=2',
  '/a/leaky/history?from=1&to=2&view=sides',
  '/api/articles/leaky/compare?from=1&to=2',
  '/api/articles/leaky',
  '/api/articles/leaky?format=markdown',
  '/api/articles/leaky/bundle',
  '/api/articles/leaky/voxels',
  '/api/articles/leaky/provenance',
  '/api/articles/leaky/revisions?rev=1',
  '/api/articles/mended/revisions?rev=1',
  '/a/mended/history?from=1&to=2',
  '/api/graph?slugs=leaky',
  '/',
];

describe.each(storeKinds().map(({ name }) => name))('scrubbing on %s', (name) => {
  let server: LocalServer;
  let database: TestDatabases | undefined;
  let databaseUrl: string | undefined;
  let objection: string;
  const articles = articlesOf(() => server);

  beforeAll(async () => {
    if (name === 'postgres') {
      database = await sharedPostgres();
      databaseUrl = await database.database();
    }
    server = await openLocal(databaseUrl === undefined ? {} : { databaseUrl });
  });

  afterAll(async () => {
    await server.end();
    await database?.stop();
  });

  const scrub = (body: object, more: object = {}): Promise<Reply> =>
    server.call('SECRET_SCRUB', body, { ...more }, owner);
  const json = async (path: string): Promise<string> => (await server.send({ path, headers: owner })).body;

  /** Every byte that the deployment keeps. */
  async function kept(): Promise<Buffer> {
    const parts: Buffer[] = [];
    const walk = (folder: string): void => {
      for (const entry of readdirSync(folder)) {
        const path = join(folder, entry);
        if (statSync(path).isDirectory()) walk(path);
        else if (statSync(path).isFile()) parts.push(readFileSync(path));
      }
    };
    walk(server.deployment.folder);
    if (databaseUrl === undefined) return Buffer.concat(parts);
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    const { rows: tables } = await client.query<{ name: string }>(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
    );
    for (const table of tables) {
      const { rows } = await client.query(`SELECT t::text AS row FROM "${table.name}" t`);
      parts.push(Buffer.from((rows as { row: string }[]).map(({ row }) => row).join('\n')));
    }
    await client.end();
    return Buffer.concat(parts);
  }

  it('starts with a secret in everything that can hold one', async () => {
    await articles.make(
      'leaky',
      `# The key ${secret}\n\nBefore ${secret} after.\n\nAnother paragraph stands.\n\nA last one.\n`,
    );
    const [, div] = (await articles.divsOf('leaky')) as [Div, Div];
    const edited = await articles.post('voxel-edit', {
      slug: 'leaky',
      div_id: div.div_id,
      expected_hash: div.vx_hash,
      text: `Now it is ${secret}, twice ${secret}.`,
      actor: 'ada',
    });
    expect(edited.status).toBe(200);
    const source = {
      type: 'review',
      url: 'https://example.org/a',
      title: 'A',
      quote: `He said ${secret}.`,
      summary: 's',
    };
    expect((await articles.post('sources', { slug: 'leaky', sources: [source] })).status).toBe(200);
    const posted = await articles.post('claim', {
      slug: 'leaky',
      ...claim,
      text: `The log of the server holds ${core} as its password.`,
      source_ids: ['s1'],
    });
    expect([posted.status, posted.body]).toEqual([200, posted.body]);
    const thread = (await articles.read('leaky/discourse')).json['thread_head'];
    const now = (await articles.divsOf('leaky'))[1] as Div;
    const challenged = await articles.post(
      'voxel-challenge',
      {
        slug: 'leaky',
        expected_thread_head: thread,
        target_div: now.div_id,
        expected_hash: now.vx_hash,
        stance: 'challenge',
        body: `Why does it show ${secret}?`,
        actor: 'bob',
      },
      {},
    );
    expect(challenged.status).toBe(200);
    objection = (challenged.json['entry'] as { id: string }).id;
    expect((await server.call('MIRROR_APPEND', `leaky|c1|question|ada|Is ${secret} known?`)).status).toBe(
      200,
    );
    expect(
      (
        await server.call('VOXEL_VOTE', {
          slug: 'leaky',
          target: 'd2',
          proposal: 'should_burn',
          rationale: `It shows ${secret}.`,
          actor: 'a',
        })
      ).status,
    ).toBe(200);
    expect(
      (await server.call('ARTICLE_ASK', { slug: 'leaky', question: `What is ${secret} for?` }, {}, owner))
        .status,
    ).toBe(200);
    expect(
      (
        await server.call(
          'ARTICLE_INGEST',
          { slug: 'leaky', evidence: `They use ${secret} at https://example.org/b today.` },
          {},
          owner,
        )
      ).status,
    ).toBe(200);
    expect((await server.call('ARTICLE_INSPECT', 'leaky', {}, owner)).status).toBe(200);
    await server.mint({ scope: 'row', key: 'MIRROR_FEED', purpose: `for ${secret}` });
    await server.call('MIRROR_FEED', 'leaky', { purpose: `because ${secret}` });
    await server.get({ self_scope: '1', keys: 'OBJECTION_LOG', purpose: `with ${secret}`, actor: 'x' });
    // Escaped otherwise than anybody would.
    const twisted = `{"slug":"leaky","objection":"It says \\u0054r0ub4dor&3 \\"ÄΩ\\\\quoted\\" <or>\\/so.","actor":"q"}`;
    expect((await server.call('OBJECTION_LOG', twisted)).status).toBe(200);
    const failed = await server.call('OBJECTION_LOG', { slug: 'nowhere', objection: `Not ${secret}.` });
    expect(failed.status).toBe(404);
    await server.deployment.service.store.blobs.put(Buffer.from(`a large result with ${secret} in it`));
    // Clean by now, and not in its first revision.
    await articles.make('mended', `It was ${secret} once.\n`);
    const [old] = (await articles.divsOf('mended')) as [Div];
    const edit = {
      slug: 'mended',
      div_id: 'd1',
      expected_hash: old.vx_hash,
      text: 'It is nothing.',
      actor: 'ada',
    };
    expect((await articles.post('voxel-edit', edit)).status).toBe(200);
    // Whatever keeps answers has them now.
    for (const path of seen) expect([path, (await server.send({ path })).status]).toEqual([path, 200]);
    expect((await server.send({ path: '/api/articles/mended/revisions?rev=1' })).body).toContain('r0ub4dor');
    await server.deployment.service.search.catchUp(5000);
    expect((await kept()).includes(core)).toBe(true);
  });

  it('reports by dry run where the secret is, and changes nothing', async () => {
    const size = await server.size();
    const { status, json: dry } = await scrub({ secret }, { shape: true });
    expect(status).toBe(200);
    expect(dry['would_scrub']).toMatchObject({
      scope: 'everything',
      kinds: { given: expect.any(Number) },
      blobs: 1,
      held: 1,
    });
    expect((dry['would_scrub'] as { contents: number }).contents).toBeGreaterThan(20);
    expect(JSON.stringify(dry)).not.toContain(core);
    expect(await server.size()).toBe(size);
    expect((await articles.read('leaky')).body).toContain('Tr0ub4dor');
  });

  it('refuses a secret that is too short, part of the marker or part of an address', async () => {
    for (const bad of ['short', 'redacted', '        '])
      expect(await scrub({ secret: bad })).toMatchObject({ status: 422, json: { error: 'body_mismatch' } });
    const get = await server.get({ invoke: 'SECRET_SCRUB', body: JSON.stringify({ secret }) }, owner);
    expect([get.status, get.json['error']]).toEqual([405, 'method_not_allowed']);
    const { share } = await server.mint({ scope: 'act', ttl: 600, max_uses: 0 });
    expect((await server.call('SECRET_SCRUB', { secret }, { share })).json['error']).toBe('owner_only');
    expect((await server.call('SECRET_SCRUB', { secret })).status).toBe(403);
    expect((await server.call('SECRET_SCRUBB', { secret }, {}, owner)).status).toBe(404);
    expect((await server.call('SECRET_SCRUB', { secret, colour: 'red' }, {}, owner)).status).toBe(422);
  });

  it('leaves no byte of the secret anywhere, and everything else unchanged', async () => {
    const before = await articles.divsOf('leaky');
    const answer = await scrub({ secret });
    expect([answer.status, answer.body.includes(core)]).toEqual([200, false]);
    expect(answer.json['result']).toMatchObject({ scope: 'everything', blobs: 1, held: 1 });
    // The claim and the source hold less than the secret.
    expect((await scrub({ secret: core })).status).toBe(200);
    const bytes = await kept();
    for (const form of ['r0ub4dor', '\\u0054r0ub', 'quoted\\\\', 'ÄΩ\\'])
      expect([form, bytes.includes(form)]).toEqual([form, false]);
    // Told once more, by whoever may and may not, well and badly: it is written down nowhere.
    const { share } = await server.mint({ scope: 'act', ttl: 600, max_uses: 0 });
    expect((await server.call('SECRET_SCRUB', { secret }, { share })).status).toBe(403);
    expect((await server.call('SECRET_SCRUBB', { secret }, {}, owner)).status).toBe(404);
    expect((await scrub({ secret, colour: 'red' })).status).toBe(422);
    expect((await scrub({ secret }, { idem: 'once' })).status).toBe(200);
    expect((await kept()).includes('r0ub4dor')).toBe(false);
    const after = await articles.divsOf('leaky');
    expect(after.map(({ text }) => text)).toEqual([
      `# The key ${marker}`,
      `Now it is ${marker}, twice ${marker}.`,
      'Another paragraph stands.',
      'A last one.',
    ]);
    expect(after[1]?.vx_hash).toBe(sha256Hex(`Now it is ${marker}, twice ${marker}.`));
    expect(after[2]?.vx_hash).toBe(before[2]?.vx_hash);
    await expectReplays(server);
  });

  it('shows the marker in every read, at every revision and moment', async () => {
    const body = `# The key ${marker}\n\nNow it is ${marker}, twice ${marker}.\n\nAnother paragraph stands.\n\nA last one.\n`;
    const article = (await articles.read('leaky')).json;
    expect([article['body'], article['content_hash']]).toEqual([body, sha256Hex(body)]);
    const first = JSON.parse(await json('/api/articles/leaky/revisions?rev=1')) as { body: string };
    expect(first.body).toContain(`Before ${marker} after.`);
    const size = await server.size();
    for (const path of [
      'leaky',
      `leaky?at=${size - 1}`,
      `leaky/voxels?include_inactive=1&at=${size - 1}`,
      `leaky/bundle?at=${size - 1}`,
      'leaky/voxels?include_inactive=1',
      'leaky/claims',
      'leaky/sources',
      'leaky/provenance',
      'leaky/contributions',
      'leaky/discourse',
      'leaky/mirror',
      'leaky/objections',
      'leaky/question-graph',
      'leaky/ledger',
      'leaky/revisions',
      'leaky/bundle',
      'leaky/invocations',
      'leaky/masthead',
      'leaky/topology',
      'leaky/prompts',
      'leaky/skill',
    ]) {
      const { status, body: text } = await server.send({ path: `/api/articles/${path}`, headers: owner });
      expect([path, status, text.includes('r0ub4dor')]).toEqual([path, 200, false]);
    }
    for (const path of seen)
      expect([path, (await server.send({ path })).body.includes('r0ub4dor')]).toEqual([path, false]);
    const found = await server.send({ path: '/api/search?q=tr0ub4dor' });
    expect(JSON.parse(found.body)).toMatchObject({ count: 0 });
    const claims = JSON.parse(await json('/api/articles/leaky/claims')) as {
      claims: { text: string; hash: string }[];
    };
    const text = `The log of the server holds ${marker} as its password.`;
    expect(claims.claims[0]).toMatchObject({ text, hash: sha256Hex(text) });
    const receipts = JSON.parse(await json('/api/invocations?object_id=VOXEL_EDIT')) as {
      invocations: { id: string }[];
    };
    const receipt = (await server.get({ receipt: receipts.invocations.at(-1)?.id ?? '' }, owner)).json;
    expect(receipt['request']).toMatchObject({ body: null, salt: null, state: 'scrubbed' });
    expect(JSON.stringify(receipt['request'])).toContain(marker);
  });

  it('keeps every chain, receipt and bundle verifiable, and names what was scrubbed', async () => {
    const bundle = (await articles.read('leaky/bundle')).body;
    await expectVerified(verifyBundle(bundle), 'the bundle');
    const report = await verifyBundle(bundle);
    expect(report.checks.filter(({ detail }) => detail.startsWith('scrubbed:')).length).toBeGreaterThan(5);
    const taken = bundle.replaceAll('Now it is', 'Then it was');
    expect((await verifyBundle(taken)).ok).toBe(false);
    for (const part of ['voxels', 'provenance', 'discourse', 'contributions', 'sources'])
      await expectVerified(verifyBundle((await articles.read(`leaky/${part}`)).body), part);
    const sources = (await articles.read('leaky/sources')).json['sources'] as {
      content: string;
      quote: string;
    }[];
    expect(sources[0]).toMatchObject({ content: 'scrubbed', quote: `He said ${marker}.` });
    const copy = await articles.post('import', { bundle: JSON.parse(bundle) as object, slug: 'copy' });
    expect([copy.status, copy.status === 200 ? '' : copy.body]).toEqual([200, '']);
    const { invocations } = JSON.parse(await json('/api/invocations?object_id=VOXEL_EDIT')) as {
      invocations: { id: string }[];
    };
    const receipt = await server.get({ receipt: invocations.at(-1)?.id ?? '' }, owner);
    const key = (await server.send({ path: '/.well-known/colophon-key' })).body.trim();
    await expectVerified(verifyReceipt(receipt.json as never, key), 'the receipt');
  });

  it('leaves the scrubbed text open to edits and moves under its current hashes', async () => {
    const thread = (await articles.read('leaky/discourse')).json['entries'] as {
      id: string;
      target_hash: string;
    }[];
    const [, div] = (await articles.divsOf('leaky')) as [Div, Div];
    expect(thread.find(({ id }) => id === objection)?.target_hash).toBe(div.vx_hash);
    const state = await json('/api/protocol/thread-state?target=leaky');
    expect((JSON.parse(state) as { open: { id: string }[] }).open.map(({ id }) => id)).toContain(objection);
    const edited = await articles.post('voxel-edit', {
      slug: 'leaky',
      div_id: 'd2',
      expected_hash: div.vx_hash,
      text: 'Now it is gone.',
      actor: 'ada',
    });
    expect(edited.status).toBe(200);
    const moved = await articles.post('voxel-move', {
      slug: 'leaky',
      div_id: 'd1',
      expected_order: 1,
      direction: 'down',
    });
    expect(moved.status).toBe(200);
    expect((await articles.read('leaky')).json['body']).toContain('Now it is gone.');
    await expectVerified(verifyBundle((await articles.read('leaky/bundle')).body), 'the bundle');
    await expectReplays(server);
  });

  it('is limited to one article and its calls when a slug is given', async () => {
    const word = 'gl0wworm-7788-key';
    await articles.make('one', `One holds ${word}.\n`);
    await articles.make('two', `Two holds ${word}.\n`);
    expect((await scrub({ secret: word, slug: 'nowhere' })).status).toBe(404);
    expect((await scrub({ secret: word, slug: 'one' })).json['result']).toMatchObject({ scope: 'one' });
    expect((await articles.read('one')).json['body']).toBe(`One holds ${marker}.\n`);
    expect((await articles.read('two')).json['body']).toBe(`Two holds ${word}.\n`);
    const { invocations } = JSON.parse(await json('/api/invocations?object_id=VOXEL_BATCH')) as {
      invocations: { id: string }[];
    };
    const bodies = await Promise.all(
      invocations.map(async ({ id }) => (await server.get({ receipt: id }, owner)).body),
    );
    expect(bodies.filter((each) => each.includes(word))).toHaveLength(1);
    await expectReplays(server);
  });

  it('reads a body that is not JSON as the secret, pipes included, and auto as the rules', async () => {
    const word = 'one-half|other-half';
    await articles.make('piped', `It holds ${word}.\n\nAnd other-half alone.\n`);
    const plain = await server.call('SECRET_SCRUB', word, {}, owner);
    expect(plain.json).toMatchObject({
      ok: true,
      result: { scope: 'everything', contents: expect.any(Number) },
    });
    expect((await articles.read('piped')).json['body']).toBe(
      `It holds ${marker}.\n\nAnd other-half alone.\n`,
    );
    const { id } = plain.json['invocation'] as { id: string };
    expect((await server.get({ receipt: id }, owner)).json).toMatchObject({
      request: { body: `{"secret":"${marker}"}` },
    });
    const auto = await server.call('SECRET_SCRUB', 'auto', {}, owner);
    expect(auto.json).toMatchObject({
      ok: true,
      result_text: 'Nothing in the ledger holds a secret that the rules know.',
    });
    const absent = await server.call('SECRET_SCRUB', 'piped|never-written', {}, owner);
    expect(absent.json['result_text']).toMatch(
      /^Nothing in the ledger holds the secret as it was sent\. .* an article is named/,
    );
  });

  it('reports an invalid body without repeating any of it', async () => {
    const word = 'f1refly-9911-key';
    const said = 'nothing of it was recorded, and nothing of it is repeated here';
    for (const [body, problems] of [
      ['', ['secret is missing', said]],
      [
        `{"secret":"${word}",}`,
        ['it opens like a JSON object and is none; a text that begins so is sent as a JSON string', said],
      ],
      [`{"${word}":true}`, ['it has members other than secret and slug', 'secret is missing', said]],
      [
        `{"secrets":["${word}"],"secret":["${word}"]}`,
        ['it has members other than secret and slug', 'secret must be string', said],
      ],
    ] as const) {
      const { status, json: told, body: whole } = await server.call('SECRET_SCRUB', body, {}, owner);
      expect([status, told['error'], told['problems']]).toEqual([422, 'body_mismatch', problems]);
      expect(whole).not.toContain(word);
      const { id } = told['invocation'] as { id: string };
      expect((await server.get({ receipt: id }, owner)).json['request']).toMatchObject({ body: marker });
    }
    expect((await kept()).includes(word)).toBe(false);
  });

  it('succeeds during concurrent writes', async () => {
    const word = 'w4ndering-albatross';
    await articles.make('busy', `It is ${word}.\n`);
    const writing = new AbortController();
    let written = 0;
    const writers = [0, 1, 2].map(async (n) => {
      while (!writing.signal.aborted) {
        const { status } = await server.call(
          'OBJECTION_LOG',
          `busy|Number ${n} ${written++} differs ${Math.random()}.`,
        );
        expect([200, 409]).toContain(status);
      }
    });
    expect((await scrub({ secret: word })).status).toBe(200);
    writing.abort();
    await Promise.all(writers);
    expect(written).toBeGreaterThan(3);
    expect((await kept()).includes(word)).toBe(false);
    await expectReplays(server);
  });

  it('scrubs landscape targets and the assignments leased from them', async () => {
    const word = 'n1ghtingale-token-9';
    const queued = await server.send({
      path: '/api/build-landscape',
      headers: owner,
      body: {
        action: 'queue_targets',
        cohort: 'birds',
        query: 'birds',
        sort: 'name',
        captured_at: '2026-01-01T00:00:00Z',
        source_url: 'https://example.org/birds',
        targets: [{ name: `A bird ${word}` }, { name: 'Another' }],
      },
    });
    expect([queued.status, queued.status === 200 ? '' : queued.body]).toEqual([200, '']);
    const leased = await server.send({
      path: '/api/build-landscape?next=1&lane=field&cohort=birds',
      headers: owner,
    });
    expect([leased.status, leased.body.includes(word)]).toEqual([200, true]);
    expect((await scrub({ secret: word })).status).toBe(200);
    expect((await kept()).includes(word)).toBe(false);
    await expectReplays(server);
  });

  it('scrubs content again after an earlier scrub', async () => {
    await articles.make('twice', 'First alpha-secret-1 then beta-secret-2 here.\n');
    expect((await scrub({ secret: 'alpha-secret-1' })).status).toBe(200);
    expect((await scrub({ secret: 'beta-secret-2' })).status).toBe(200);
    expect((await articles.read('twice')).json['body']).toBe(`First ${marker} then ${marker} here.\n`);
    expect((await kept()).includes('beta-secret-2')).toBe(false);
    await expectVerified(verifyBundle((await articles.read('twice/bundle')).body), 'the bundle');
    await expectReplays(server);
  });

  it('leaves no encoded form of the secret, nor its normalized words after an import', async () => {
    const word = 'Gl1m-Merr_Qx7.Zebra';
    const wording = 'gl1m merr';
    const forms: Record<string, string> = {
      'as it is': word,
      'in upper case': word.toUpperCase(),
      'in lower case': word.toLowerCase(),
      'in base64': Buffer.from(word).toString('base64'),
      'in base64 one byte on': Buffer.from(`"${word}"`).toString('base64'),
      'in base64 two bytes on': Buffer.from(`: ${word};`).toString('base64'),
      'in base64url': Buffer.from(`??${word}>>`).toString('base64url'),
      'in base64 of upper case': Buffer.from(word.toUpperCase()).toString('base64'),
      'in base64 in lines': Buffer.from(`Say ${word} now.`).toString('base64').replace(/.{9}/g, '$&\n'),
      'in hex': Buffer.from(word).toString('hex'),
      'in capital hex': Buffer.from(word).toString('hex').toUpperCase(),
      'percent-encoded': [...Buffer.from(word)].map((byte) => `%${byte.toString(16)}`).join(''),
      'as entities': [...Buffer.from(word)].map((byte) => `&#${byte};`).join(''),
      'in escapes of JSON': [...Buffer.from(word)].map((byte) => `\\u00${byte.toString(16)}`).join(''),
    };
    const text = Object.entries(forms)
      .map(([form, held]) => `It stands here ${form}: ${held} and no more.`)
      .join('\n\n');
    await articles.make('many', `# Many\n\n${text}\n`);
    const posted = await articles.post('claim', {
      slug: 'many',
      ...claim,
      text: `The lamp of the house is called ${word} by its makers.`,
      why_material: 'It names the lamp.',
    });
    expect([posted.status, posted.body]).toEqual([200, posted.body]);
    expect((await server.call('OBJECTION_LOG', `many|Nobody calls it ${word} any more.`)).status).toBe(200);
    expect((await server.call('ARTICLE_ASK', `many|What is ${word} called?`, {}, owner)).status).toBe(200);
    const bundle = JSON.parse((await articles.read('many/bundle')).body) as object;
    expect((await articles.post('import', { bundle, slug: 'many-copy' })).status).toBe(200);
    const before = (await kept()).toString('latin1');
    for (const held of [...Object.values(forms).slice(0, 8), wording])
      expect([held, before.includes(held)]).toEqual([held, true]);
    expect((await scrub({ secret: word })).status).toBe(200);
    const after = (await kept()).toString('latin1');
    for (const [form, held] of Object.entries(forms))
      for (const inJson of [held, JSON.stringify(held).slice(1, -1)])
        expect([form, after.includes(inJson)]).toEqual([form, false]);
    expect(after.toLowerCase().match(/gl1m.?merr/g)).toBeNull();
    const body = String((await articles.read('many')).json['body']);
    for (const form of Object.keys(forms)) expect(body).toContain(`It stands here ${form}: `);
    expect(body.match(/and no more\./g)).toHaveLength(Object.keys(forms).length);
    await expectVerified(verifyBundle((await articles.read('many/bundle')).body), 'the bundle');
    await expectReplays(server);
  });

  it('scrubs an accepted contribution that was already read', async () => {
    await articles.make('heeded', '# Heeded\n\nA line.\n');
    const source = {
      type: 'review',
      url: 'https://example.org/h',
      title: 'H',
      quote: 'It grows.',
      summary: 's',
    };
    await articles.post('sources', { slug: 'heeded', sources: [source] });
    const text = 'The log grows with every call.';
    const posted = await articles.post('claim', { slug: 'heeded', ...claim, text, source_ids: ['s1'] });
    expect([posted.status, posted.body]).toEqual([200, posted.body]);
    const proposed = await server.call('MIRROR_APPEND', 'heeded|c1|objection|ada|Not with mangosteen-55.');
    const { id } = (proposed.json['result'] as { contribution: { id: string } }).contribution;
    const decided = await server.call('MIRROR_RESOLVE', `heeded|${id}|accepted|`, {}, owner);
    expect(decided.status).toBe(200);
    const shown = async (): Promise<string> =>
      (await json('/api/articles/heeded/claims')) + (await json('/a/heeded')) + (await json('/a/heeded/c1'));
    expect((await shown()).match(/mangosteen-55/g)?.length).toBe(4);
    expect((await scrub({ secret: 'mangosteen-55' })).status).toBe(200);
    expect(await shown()).not.toContain('mangosteen');
  });
});
