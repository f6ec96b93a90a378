import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/domain/schema.ts';
import { logOf, replay, rowsOf } from '../model/replay.ts';
import { hasPostgres, sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { startPeer, type Peer } from '../support/peer.ts';
import { startServer, terminalKey, type Answer, type TestServer } from '../support/server.ts';

const secret = 'the-secret-of-the-weather-service';
const weather = {
  type: 'http',
  args: [{ name: 'city' }, { name: 'day', required: false }],
  headers: { authorization: 'Bearer {secret:API_KEY}' },
  what: 'Tells the weather of a city.',
  when: 'Before an outing.',
  example: 'Bern',
  auth: 'share',
  risk: 'low',
};

/** What a host may write a secret in, each at an address of its own. */
const written: Readonly<Record<string, (value: string) => string>> = {
  base64: (value) => Buffer.from(`ab${value}zz`).toString('base64'),
  basic: (value) => Buffer.from(`user:${value}`).toString('base64'),
  entities: (value) => Array.from(value, (letter) => `&#${letter.charCodeAt(0)};`).join(''),
  named: (value) => value.replaceAll('-', '&hyphen;'),
  percent: (value) => value.replace(/[a-m-]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  unicode: (value) => Array.from(value, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join(''),
  hex: (value) => Buffer.from(value).toString('hex').toUpperCase(),
};

/** A host that tells what it was sent, written in other ways. */
function echo(request: IncomingMessage, reply: ServerResponse): void {
  const [, value = ''] = (request.headers.authorization ?? '').split(' ');
  const escapes = Array.from(value, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const base64 = Buffer.from(value).toString('base64');
  const isBroken = request.url?.endsWith('Nowhere') === true;
  reply.writeHead(isBroken ? 500 : 200, { 'content-type': `application/json+${value}` });
  reply.end(
    `{"said":"${escapes.join('')}","${value}":1,"base64":"${base64}","query":"?k=${encodeURIComponent(value)}"}`,
  );
}

describe.each(hasPostgres ? ['sqlite', 'postgres'] : ['sqlite'])('owner-defined rows on %s', (store) => {
  let peer: Peer;
  let server: TestServer;
  let other: TestServer;
  let postgres: TestDatabases | undefined;
  const modules = mkdtempSync(join(tmpdir(), 'colophon-modules-'));

  beforeAll(async () => {
    peer = await startPeer((request, reply) => {
      if (request.url?.startsWith('/v1/moved') === true)
        return reply.writeHead(302, { location: '/v1/weather/Bern?day=' }).end();
      const status = request.url?.startsWith('/v1/weather/Nowhere') === true ? 404 : 200;
      if (request.url?.startsWith('/v1/echo/') === true) return echo(request, reply);
      const [, form = ''] = /^\/v1\/written\/(\w+)/.exec(request.url ?? '') ?? [];
      const value = written[form]?.(
        (request.headers.authorization ?? `Bearer ${secret}`).split(' ')[1] ?? '',
      );
      if (value !== undefined) {
        const fails = request.url?.endsWith('fails') === true;
        return reply.writeHead(fails ? 500 : 200, { 'content-type': 'text/plain' }).end(`You sent ${value}.`);
      }
      if (request.url?.startsWith('/v1/type/') === true)
        return reply
          .writeHead(200, { 'content-type': `image/${request.headers.authorization?.split(' ')[1]}` })
          .end('x');
      if (request.url?.startsWith('/v1/repeat/') === true)
        return reply
          .writeHead(200, { 'content-type': 'text/plain' })
          .end(`No page ${request.url.split('/').at(-1)}`);
      reply.writeHead(status, { 'content-type': 'application/json' });
      return reply.end(JSON.stringify({ url: request.url, saw: request.headers.authorization }));
    });
    postgres = store === 'postgres' ? await sharedPostgres() : undefined;
    const env = {
      COLOPHON_EGRESS_ALLOW: '127.0.0.1',
      COLOPHON_FN_FOLDER: modules,
      ...(postgres === undefined ? {} : { DATABASE_URL: await postgres.database() }),
    };
    server = await startServer(env);
    other = postgres === undefined ? server : await startServer(env);
  });

  afterAll(async () => {
    expect([...server.errors, ...other.errors]).toEqual([]);
    if (other !== server) await other.stop();
    await server.stop();
    await peer.stop();
    await postgres?.stop();
    rmSync(modules, { recursive: true });
  });

  const send = async (
    method: string,
    path: string,
    body: object,
    headers: Readonly<Record<string, string>> = { 'x-terminal-key': terminalKey },
    to = server,
  ): Promise<Answer> => {
    const response = await to.fetch(path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return { ...((await response.json()) as Answer), http: response.status };
  };
  const call = (key: string, body: string | object, share?: string, to = server): Promise<Answer> =>
    send(
      'POST',
      '/api/dispatch',
      { key, body, ...(share === undefined ? {} : { share }) },
      share === undefined ? { 'x-terminal-key': terminalKey } : {},
      to,
    );
  const mint = async (key: string): Promise<string> =>
    String((await call('CAP_MINT', `row|${key}|600|0|x|high|0`))['share']);

  it('an http row sends encoded arguments and its secret, and never shows the secret', async () => {
    const made = await send('PUT', '/api/directory/WEATHER', {
      ...weather,
      url: `${peer.base}/v1/weather/$1?day=$2`,
    });
    expect([made['http'], made['version'], made['secrets']]).toEqual([200, 1, ['API_KEY']]);
    const before = await call('WEATHER', 'Bern');
    expect([before['http'], before['error'], before['reason']]).toEqual([
      502,
      'runner_failed',
      'secret_missing',
    ]);
    const set = await send('PUT', '/api/directory/WEATHER/secrets/API_KEY', { value: secret });
    expect(set['http']).toBe(200);
    const share = await mint('WEATHER');
    const answer = await call('WEATHER', 'A/b?c|2 days', share, other);
    expect(answer['result']).toEqual({
      untrusted: true,
      status: 200,
      content_type: 'application/json',
      body: { url: '/v1/weather/A%2Fb%3Fc?day=2%20days', saw: 'Bearer [redacted:secret]' },
    });
    expect(peer.requests.at(-1)?.headers.authorization).toBe(`Bearer ${secret}`);
    const receipt: Answer = await (
      await server.fetch(`/api/dispatch?receipt=${answer['invocation'].id}`, {
        headers: { 'x-terminal-key': terminalKey },
      })
    ).json();
    expect([receipt['status'], receipt['contract_hash']]).toEqual(['success', made['contract_hash']]);
    const shown = JSON.stringify([
      made,
      set,
      answer,
      receipt,
      await server.read('/api/directory/WEATHER'),
      await server.read('/api/dispatch?registry=1'),
      await server.read('/api/invocations?object_id=ROW_SECRET'),
    ]);
    expect(shown).not.toContain(secret);
  });

  it('an http row redacts its secret in escapes, base64, member names and media types', async () => {
    await send('PUT', '/api/directory/ECHO', { ...weather, url: `${peer.base}/v1/echo/$1` });
    await send('PUT', '/api/directory/ECHO/secrets/API_KEY', { value: secret });
    const answer = await call('ECHO', 'Bern');
    expect(answer['result']['body']).toEqual({
      said: '[redacted:secret]',
      '[redacted:secret]': 1,
      base64: expect.stringMatching(/^\[redacted:secret\]=*$/),
      query: '?k=[redacted:secret]',
    });
    const broken = await call('ECHO', 'Nowhere');
    expect([answer['http'], broken['http']]).toEqual([200, 502]);
    const receipts = await Promise.all(
      [answer, broken].map(async (each): Promise<Answer> => {
        const path = `/api/dispatch?receipt=${each['invocation'].id}`;
        return (await server.fetch(path, { headers: { 'x-terminal-key': terminalKey } })).json() as Answer;
      }),
    );
    for (const shown of [answer, broken, ...receipts].map((each) => JSON.stringify(each))) {
      expect(shown).not.toContain(secret);
      expect(shown).not.toContain(Buffer.from(secret).toString('base64').slice(0, 24));
      expect(shown).not.toContain('u0074\\u0068\\u0065');
    }
  });

  it.each(Object.keys(written))(
    'an http row redacts its secret from result, error and receipt in %s',
    async (form) => {
      await send('PUT', '/api/directory/WRITTEN', { ...weather, url: `${peer.base}/v1/written/$1?$2` });
      await send('PUT', '/api/directory/WRITTEN/secrets/API_KEY', { value: secret });
      const told = await call('WRITTEN', form);
      expect([told['http'], told['result'].body]).toEqual([
        200,
        expect.stringMatching(/^You sent .*\[redacted:secret\].*\.$/),
      ]);
      const failed = await call('WRITTEN', `${form}|fails`);
      expect([failed['http'], failed['body']]).toEqual([502, told['result'].body]);
      const held = written[form]?.(secret) as string;
      for (const answer of [told, failed]) {
        const receipt = await server.fetch(`/api/dispatch?receipt=${answer['invocation'].id}`, {
          headers: { 'x-terminal-key': terminalKey },
        });
        expect(JSON.stringify(answer) + (await receipt.text())).not.toContain(
          JSON.stringify(held).slice(1, -1),
        );
      }
    },
  );

  it.each(['entities', 'base64'])(
    'WEB_FETCH redacts the secret of a row from a page that shows it in %s',
    async (form) => {
      const page = await call('WEB_FETCH', `GET|${peer.base}/v1/written/${form}||`);
      expect([page['http'], page['result'].text]).toEqual([
        200,
        expect.stringMatching(/^You sent .*\[redacted:secret\].*\.$/),
      ]);
      const receipt: Answer = await (
        await server.fetch(`/api/dispatch?receipt=${page['invocation'].id}`, {
          headers: { 'x-terminal-key': terminalKey },
        })
      ).json();
      expect(receipt['entries'].map((entry: Answer) => entry['action'])).toEqual([
        'running',
        'success',
        'scrub',
      ]);
    },
  );

  it('an http row redacts its secret from the error about the media type of a response', async () => {
    await send('PUT', '/api/directory/TYPED', { ...weather, url: `${peer.base}/v1/type/$1` });
    await send('PUT', '/api/directory/TYPED/secrets/API_KEY', { value: secret });
    const refused = await call('TYPED', 'x');
    expect([refused['http'], refused['detail']]).toEqual([
      502,
      'The URL answers with image/[redacted:secret], which is not read here.',
    ]);
  });

  it('an http row whose host echoes the request does not reveal a prefix of the secret', async () => {
    await send('PUT', '/api/directory/REPEAT', { ...weather, url: `${peer.base}/v1/repeat/$1` });
    await send('PUT', '/api/directory/REPEAT/secrets/API_KEY', { value: secret });
    const guess = secret.slice(0, -1);
    expect((await call('REPEAT', guess))['result'].body).toBe(`No page ${guess}`);
  });

  it('a call without its required setting takes no use of a share, and names the setting', async () => {
    await send('PUT', '/api/directory/UNSET', { ...weather, url: `${peer.base}/v1/weather/$1` });
    await send('PUT', '/api/directory/INWARD', { ...weather, headers: {}, url: 'http://10.0.0.1/$1' });
    writeFileSync(join(modules, 'gone.js'), 'export default () => ({})');
    const { headers: _, ...plain } = weather;
    await send('PUT', '/api/directory/GONE', { ...plain, type: 'fn', module: 'gone.js' });
    rmSync(join(modules, 'gone.js'));
    for (const [key, body, said] of [
      ['UNSET', 'Bern', 'PUT /api/directory/UNSET/secrets/API_KEY'],
      ['INWARD', 'Bern', 'COLOPHON_EGRESS_ALLOW'],
      ['GONE', 'Bern', 'folder of modules'],
      ['REPO_TAIL', '', 'COLOPHON_REPO'],
      ['CREATIVE_GENERATE', '{"engine":"openai","prompt":"A dial"}', 'OPENAI_API_KEY'],
    ] as const) {
      const share = String((await call('CAP_MINT', `row|${key}|600|1|x|high|0`))['share']);
      const refused = await call(key, body, share);
      expect([
        key,
        refused['http'],
        refused['error'],
        refused['charged'],
        refused['invocation'].status,
      ]).toEqual([key, 502, 'runner_failed', false, 'failed']);
      expect(refused['fix']).toContain(said);
      expect((await server.read(`/api/dispatch?explain=1&share=${share}`))['uses_left']).toBe(1);
      const shaped = await send('POST', '/api/dispatch', { key, body, share, shape: true }, {});
      expect([shaped['would_run'], shaped['problem']]).toEqual([false, refused['detail']]);
    }
  });

  it('a row with an output schema reports a response that does not match, and keeps it', async () => {
    const put = (output: object): Promise<Answer> =>
      send('PUT', '/api/directory/TIDES', {
        ...weather,
        headers: {},
        url: `${peer.base}/v1/weather/$1?day=$2`,
        output_schema: output,
      });
    const fits = { type: 'object', required: ['url'], properties: { url: { type: 'string' } } };
    const first = await put(fits);
    expect(first['http']).toBe(200);
    const told = await call('TIDES', 'Bern');
    expect(told['result'].output_mismatch).toBeUndefined();
    const row = await other.read('/api/directory/TIDES');
    expect(row['output_schema'].properties.body).toEqual(fits);
    const second = await put({ type: 'object', required: ['high_water'] });
    expect(second['contract_hash']).not.toBe(first['contract_hash']);
    const odd = await call('TIDES', 'Bern', undefined, other);
    expect([odd['http'], odd['ok'], odd['result'].body.url]).toEqual([200, true, '/v1/weather/Bern?day=']);
    expect(odd['result'].output_mismatch).toEqual([
      { at: '/body', message: 'must have required properties high_water' },
    ]);
    expect(odd['result_text']).toContain('does not fit');
    const receipt: Answer = await (
      await server.fetch(`/api/dispatch?receipt=${odd['invocation'].id}`, {
        headers: { 'x-terminal-key': terminalKey },
      })
    ).json();
    expect(receipt['response'].result).toEqual(odd['result']);
  });

  it.each([
    ['a reference', { $ref: 'https://example.org/schema' }, '$ref'],
    ['a pattern', { properties: { a: { pattern: '(a+)+$' } } }, 'pattern'],
    ['a pattern in a property named pattern', { properties: { pattern: { pattern: 'a' } } }, 'pattern'],
    ['a format in an alternative', { anyOf: [{ properties: { a: {} } }, { format: 'email' }] }, 'format'],
    ['a reference under a definition', { $defs: { format: { items: { $ref: '#' } } } }, '$ref'],
    ['a pattern in a list of properties', { properties: [{ pattern: 'a' }] }, 'pattern'],
    ['more than 8000 characters', { description: 'x'.repeat(9000) }, '8000 characters'],
  ])('a row with %s in its output schema is rejected', async (_what, output, said) => {
    const refused = await send('PUT', '/api/directory/NEVER', {
      ...weather,
      url: `${peer.base}/v1/weather/$1?day=$2`,
      output_schema: output,
    });
    expect([refused['http'], refused['error']]).toEqual([422, 'body_mismatch']);
    expect(refused['detail']).toContain(said);
  });

  it('an output schema may have properties named like its keywords', async () => {
    const output = {
      type: 'object',
      required: ['format', 'pattern'],
      properties: { format: { enum: ['jpeg', { pattern: 'any' }] }, pattern: { type: 'string' }, $ref: {} },
    };
    const made = await send('PUT', '/api/directory/KNITS', {
      ...weather,
      headers: {},
      url: `${peer.base}/v1/weather/$1?day=$2`,
      output_schema: output,
    });
    expect([made['http'], made['key']]).toEqual([200, 'KNITS']);
    expect((await other.read('/api/directory/KNITS'))['output_schema'].properties.body).toEqual(output);
    const told = await call('KNITS', 'Bern|today');
    expect(told['result'].output_mismatch).toEqual([
      { at: '/body', message: 'must have required properties format, pattern' },
    ]);
  });

  it('a row keeps its version when an update changes nothing, and the update leaves a receipt', async () => {
    const row = { ...weather, headers: {}, url: `${peer.base}/v1/weather/$1?day=$2` };
    const put = (more: object): Promise<Answer> => send('PUT', '/api/directory/STEADY', { ...row, ...more });
    const patch = (change: object): Promise<Answer> => send('PATCH', '/api/directory/STEADY', change);
    expect(await put({})).toMatchObject({ http: 200, version: 1, changed: true });
    expect(await put({ enabled: true })).toMatchObject({ http: 200, version: 1, changed: false });
    expect(await patch({ content: `WHAT ${weather.what}` })).toMatchObject({
      http: 200,
      version: 1,
      changed: false,
    });
    expect(await patch({ content: 'WHAT Tells otherwise.' })).toMatchObject({ version: 2, changed: true });
    const same = await patch({ content: 'WHAT Tells otherwise.', expected_version: 2 });
    expect(same).toMatchObject({ http: 200, version: 2, changed: false });
    const told = await server.read(`/api/dispatch?confirm=${same['receipt'].id}`);
    expect(told).toMatchObject({ confirmed: true, key: 'DIRECTORY_PATCH', status: 'success' });
    expect((await patch({ enabled: true, expected_version: 1 }))['error']).toBe('conflict');
    // A row of the service that nobody changed stands in its first version, and goes on doing so.
    const builtIn = await send('PATCH', '/api/directory/REPO_TAIL', { enabled: true });
    expect(builtIn).toMatchObject({ http: 200, version: 1, changed: false });
  });

  it('a secret is not stored in plain text', async () => {
    if (postgres !== undefined) {
      const url = server.deployment.config.databaseUrl;
      const rows = await postgres.query<{ value: string }>('SELECT value FROM keyring', [], url);
      expect(rows.length).toBeGreaterThan(1);
      expect(JSON.stringify(rows)).not.toContain(secret);
      return;
    }
    const folder = server.deployment.config.dataFolder;
    const files = readdirSync(folder).filter((name) => name.includes('ledger') || name.includes('.db'));
    expect(files.length).toBeGreaterThan(0);
    for (const name of files) expect(readFileSync(join(folder, name)).includes(secret)).toBe(false);
  });

  it('an http row follows no redirect, and fails when its host returns an error', async () => {
    await send('PUT', '/api/directory/MOVED', { ...weather, url: `${peer.base}/v1/moved/$1` });
    await send('PUT', '/api/directory/MOVED/secrets/API_KEY', { value: secret });
    const asked = peer.asked.length;
    const moved = await call('MOVED', 'x');
    expect([moved['http'], moved['error'], peer.asked.length - asked]).toEqual([502, 'runner_failed', 1]);
    const missing = await call('WEATHER', 'Nowhere');
    expect([missing['http'], missing['error'], missing['status'] === 502]).toEqual([
      502,
      'runner_failed',
      true,
    ]);
    expect(JSON.stringify(missing)).not.toContain(secret);
  });

  it('a row whose host is not in COLOPHON_EGRESS_ALLOW is refused', async () => {
    await send('PUT', '/api/directory/INSIDE', { ...weather, headers: {}, url: 'http://169.254.169.254/$1' });
    const answer = await call('INSIDE', 'latest');
    expect([answer['http'], answer['reason']]).toEqual([502, 'egress_refused']);
  });

  it('a share with scope act does not cover a new row; a share that names the row does', async () => {
    const act = String((await call('CAP_MINT', 'act||600|0|x|high|0'))['share']);
    const answer = await call('WEATHER', 'Bern', act);
    expect([answer['http'], answer['error']]).toEqual([403, 'scope_denied']);
    const prefix = await call('CAP_MINT', 'pfx|WEA|600|0|x|high|0');
    expect([prefix['http'], prefix['error']]).toEqual([422, 'body_mismatch']);
    expect([prefix['detail'], prefix['fix']]).toEqual([
      'The capability cannot be minted: "WEA" would open nothing: WEATHER is opened by name alone.',
      'Name WEATHER with scope rows.',
    ]);
    const nobody = await send('POST', '/api/dispatch', { key: 'WEATHER', body: 'Bern' }, {});
    expect([nobody['http'], nobody['error']]).toEqual([401, 'credential_required']);
  });

  it('a revised contract is a new version with another hash; the old one stays readable', async () => {
    const first = await server.read('/api/directory/WEATHER');
    const content = String(first['contract']).replace('Tells the weather', 'Tells the weather and the wind');
    const revised = await send('PATCH', '/api/directory/WEATHER', { content, expected_version: 1 });
    expect([revised['http'], revised['version']]).toEqual([200, 2]);
    const second = await other.read('/api/directory/WEATHER');
    expect(second['description']).toBe('Tells the weather and the wind of a city.');
    expect(second['contract_hash']).not.toBe(first['contract_hash']);
    const old = await other.read('/api/directory/WEATHER?version=1');
    expect([old['description'], old['contract_hash']]).toEqual([
      first['description'],
      first['contract_hash'],
    ]);
    const stale = await send('PATCH', '/api/directory/WEATHER', { content, expected_version: 1 });
    expect([stale['http'], stale['error'], stale['current_version']]).toEqual([409, 'conflict', 2]);
    const none = await server.fetch('/api/directory/WEATHER?version=9');
    expect(none.status).toBe(404);
    const empty = await send('PATCH', '/api/directory/WEATHER', {});
    expect([empty['http'], empty['error']]).toEqual([422, 'body_mismatch']);
    expect((await server.read('/api/directory/WEATHER'))['version']).toBe(2);
  });

  it('an output schema can be revised only on rows that the owner made', async () => {
    await send('PUT', '/api/directory/PRESSURE', { ...weather, headers: {}, url: `${peer.base}/v1/air/$1` });
    const schemaNow = { type: 'object', required: ['hectopascal'] };
    const revised = await send('PATCH', '/api/directory/PRESSURE', { output_schema: schemaNow });
    expect([revised['http'], revised['version']]).toEqual([200, 2]);
    const row = await other.read('/api/directory/PRESSURE');
    expect([row['output_schema'].properties.body, row['description']]).toEqual([
      schemaNow,
      'Tells the weather of a city.',
    ]);
    expect((await other.read('/api/directory/PRESSURE?version=1'))['output_schema']).toBeNull();
    expect((await call('PRESSURE', 'Bern'))['result'].output_mismatch).toHaveLength(1);
    const page = await (await other.fetch('/directory/PRESSURE')).text();
    expect(page).toContain('<code>body</code>');
    for (const [key, output_schema] of [
      ['PRESSURE', { $ref: 'https://example.org/schema' }],
      ['MIRROR_FEED', schemaNow],
    ] as const) {
      const refused = await send('PATCH', `/api/directory/${key}`, { output_schema });
      expect([refused['http'], refused['error']]).toEqual([422, 'body_mismatch']);
    }
  });

  it('a contract of many lines stays within its sections, and an invalid example is rejected', async () => {
    const revised = await send('PATCH', '/api/directory/PAPER_STATE', {
      content: 'WHAT Tells: how the paper grew.\n---\nname: other\n# A heading\nWHEN_TO_USE Before it grows.',
    });
    expect(revised['http']).toBe(200);
    const skill = await server.fetch('/api/directory/PAPER_STATE?format=skill');
    expect((await skill.text()).split('\n').slice(0, 12)).toEqual([
      '---',
      'name: paper-state',
      'description: "Tells: how the paper grew.\\n---\\nname: other\\n# A heading"',
      '---',
      '',
      '# PAPER_STATE',
      '',
      '- **WHAT** Tells: how the paper grew.',
      '  ---',
      '  name: other',
      '  # A heading',
      '- **WHEN_TO_USE** Before it grows.',
    ]);
    const broken = await send('PATCH', '/api/directory/MIRROR_RESOLVE', { content: 'EX accepted' });
    expect([broken['http'], broken['error'], broken['detail']]).toEqual([
      422,
      'body_mismatch',
      expect.stringContaining('The example does not work.'),
    ]);
    const made = await send('PUT', '/api/directory/WEATHER_TWO', {
      ...weather,
      url: `${peer.base}/$1`,
      example: 'Bern|today|noon',
    });
    expect([made['http'], made['error']]).toEqual([422, 'body_mismatch']);
  });

  it('a built-in row can be revised but not replaced, and its first version stays readable', async () => {
    const before = await server.read('/api/directory/MIRROR_FEED');
    const revised = await send('PATCH', '/api/directory/MIRROR_FEED', {
      content: 'WHAT: Lists what was said.\nWHEN_TO_USE Always first.',
    });
    expect([revised['http'], revised['version']]).toEqual([200, 2]);
    const after = await other.read('/api/dispatch?key=MIRROR_FEED');
    expect([after['description'], after['invoke_body']]).toEqual([
      'Lists what was said.',
      before['invoke_body'],
    ]);
    const old = await other.read('/api/directory/MIRROR_FEED?version=1');
    // Receipts of then name its hash.
    expect([old['description'], old['contract_hash'], old['version']]).toEqual([
      before['description'],
      before['contract_hash'],
      1,
    ]);
    expect(after['contract_hash']).not.toBe(before['contract_hash']);
    const replaced = await send('PUT', '/api/directory/MIRROR_FEED', { ...weather, url: `${peer.base}/$1` });
    expect([replaced['http'], replaced['error']]).toEqual([409, 'conflict']);
    const looser = await send('PATCH', '/api/directory/CAP_MINT', { authority_required: false });
    expect([looser['http'], looser['error']]).toEqual([422, 'body_mismatch']);
  });

  it('a replay of a revised row runs under the same contract', async () => {
    await send('PATCH', '/api/directory/MIRROR_FEED', { content: 'WHAT Lists what was said, once more.' });
    const slug = await server.article('# Feed\n\nA text.\n');
    const first = await call('MIRROR_FEED', slug);
    await call('OIP_REPLAY', String(first['invocation'].id));
    const row = await server.read('/api/directory/MIRROR_FEED');
    const list = await server.read('/api/invocations?object_id=MIRROR_FEED');
    const hashes = await Promise.all(
      list['invocations']
        .slice(0, 2)
        .map(async ({ id }: Answer) => (await server.read(`/api/dispatch?confirm=${id}`))['contract_hash']),
    );
    expect(hashes).toEqual([row['contract_hash'], row['contract_hash']]);
  });

  it('enabled:false refuses every call, also on another node, until the row is enabled again', async () => {
    const share = await mint('WEATHER');
    await send('PATCH', '/api/directory/WEATHER', { enabled: false });
    const denied = await call('WEATHER', 'Bern', share, other);
    expect([denied['http'], denied['error'], denied['gate']]).toEqual([403, 'row_disabled', 'scope']);
    expect((await call('WEATHER', 'Bern'))['error']).toBe('row_disabled');
    expect((await other.read('/api/directory/WEATHER'))['status']).toBe('disabled');
    await send('PATCH', '/api/directory/WEATHER', { enabled: true });
    expect((await call('WEATHER', 'Bern', share, other))['http']).toBe(200);
  });

  it('ledger_enabled:false records commitments only', async () => {
    await send('PATCH', '/api/directory/WEATHER', { ledger_enabled: false });
    const answer = await call('WEATHER', 'Bern');
    expect(answer['result'].status).toBe(200);
    const receipt: Answer = await (
      await server.fetch(`/api/dispatch?receipt=${answer['invocation'].id}`, {
        headers: { 'x-terminal-key': terminalKey },
      })
    ).json();
    const sha = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(receipt['request']).toEqual({ body: null, content_sha: sha, salt: null, state: 'withheld' });
    expect(receipt['response']).toEqual({ result: null, content_sha: sha, salt: null, state: 'withheld' });
    const share = await mint('WEATHER');
    const url = `/api/dispatch?invoke=WEATHER&body=Nowhere&share=${share}`;
    const refused = async (): Promise<Answer> => (await server.fetch(url)).json();
    const [first, again] = [await refused(), await refused()];
    expect([first['error'], again['error'], again['idempotent_replay']]).toEqual([
      'runner_failed',
      'runner_failed',
      true,
    ]);
    expect(again['detail']).toBe(`${first['invocation'].id} failed: runner_failed.`);
  });

  it('authority_required:true requires a credential for a row that needed none', async () => {
    const body = JSON.stringify({ slug: 'none' });
    const before = await send('POST', '/api/dispatch', { key: 'MIRROR_FEED', body }, {});
    expect(before['error']).toBe('not_found');
    await send('PATCH', '/api/directory/MIRROR_FEED', { authority_required: true });
    const after = await send('POST', '/api/dispatch', { key: 'MIRROR_FEED', body }, {}, other);
    expect([after['http'], after['error']]).toEqual([401, 'credential_required']);
    await send('PATCH', '/api/directory/MIRROR_FEED', { authority_required: false });
    const again = await send('POST', '/api/dispatch', { key: 'MIRROR_FEED', body }, {}, other);
    expect(again['error']).toBe('not_found');
  });

  it('an fn row runs the file whose hash is on the ledger, in a process with a timeout', async () => {
    const file = join(modules, 'word-count.js');
    writeFileSync(
      file,
      'export default async ({ text }) => { if (text === "for ever") for (;;); return { words: text.split(" ").length, env: Object.keys(process.env).length }; };',
    );
    const definition = {
      type: 'fn',
      module: 'word-count.js',
      args: [{ name: 'text', rest: true }],
      what: 'Counts words.',
      when: 'When words count.',
      example: 'one two',
      risk: 'low',
      timeout_ms: 2000,
    };
    expect((await send('PUT', '/api/directory/WORD_COUNT', definition))['http']).toBe(200);
    expect((await call('WORD_COUNT', 'a b|c d'))['result']).toEqual({ words: 3, env: 0 });
    await send('PUT', '/api/directory/WORD_COUNT', { ...definition, timeout_ms: 300 });
    const endless = await call('WORD_COUNT', 'for ever');
    expect(['runner_timeout', 'runner_failed']).toContain(endless['error']);
    writeFileSync(file, 'export default () => ({ words: 0 });');
    const changed = await call('WORD_COUNT', 'a');
    expect([changed['http'], changed['error']]).toEqual([502, 'runner_failed']);
    expect(changed['detail']).toContain('is not the file that the row was made with');
  });

  it.each([
    [{ url: 'https://$1.example.org/' }, 'the host of url holds a placeholder'],
    [{ url: 'https://example.org/', headers: { 'x-a': '$1' } }, 'the header x-a holds a placeholder'],
    [{ url: 'https://example.org/', headers: { Host: 'inside' } }, 'the header Host cannot be set'],
    [
      { url: 'https://example.org/', headers: { 'x-a': 'a\r\nb: c' } },
      'the header x-a holds an odd character',
    ],
    [{ url: 'https://example.org/{secret:A}' }, 'url names a secret, which only a header may'],
    [
      { url: 'https://example.org/', method: 'POST', body: { a: '{secret:A}' } },
      'body names a secret, which only a header may',
    ],
    [{ url: 'https://example.org/', type: 'sql' }, 'type is "sql" and must be one of http, fn'],
    [{ url: 'https://example.org/', type: 'fn', module: '../x.js' }, 'module is no file name'],
    [
      {
        url: 'https://example.org/',
        headers: { 'x-a': ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_') },
      },
      'it holds a secret',
    ],
  ])('rejects the definition %j', async (part, problem) => {
    const made = await send('PUT', '/api/directory/WRONG_ROW', { ...weather, headers: {}, ...part });
    expect([made['http'], made['error']]).toEqual([422, 'body_mismatch']);
    expect(made['detail']).toContain(problem);
    expect((await server.fetch('/api/directory/WRONG_ROW')).status).toBe(404);
  });

  it('only the owner creates and changes rows and their secrets', async () => {
    const share = { authorization: `Bearer ${await mint('WEATHER')}` };
    for (const headers of [{}, share]) {
      const put = await send('PUT', '/api/directory/THEIRS', { ...weather, url: `${peer.base}/$1` }, headers);
      const patch = await send('PATCH', '/api/directory/WEATHER', { enabled: false }, headers);
      const hidden = await send('PUT', '/api/directory/WEATHER/secrets/API_KEY', { value: 'x' }, headers);
      expect([put['error'], patch['error'], hidden['error']]).toEqual([
        'owner_only',
        'owner_only',
        'owner_only',
      ]);
    }
    expect((await call('WEATHER', 'Bern'))['result'].body.saw).toBe('Bearer [redacted:secret]');
  });

  it('the directory rebuilds identically from the ledger', async () => {
    const { store: ledger } = server.deployment.service;
    const last = await call('OIP_TREE', '');
    const seq = (await ledger.read.chain(last['invocation'].id))[0]?.seq ?? 0;
    while ((await ledger.read.indexOf(seq)) === null) await new Promise((wait) => setTimeout(wait, 20));
    const rows = await rowsOf(ledger, schema);
    const replayed = replay(schema, await logOf(ledger.read));
    expect(rows['directory_row']?.length).toBeGreaterThan(3);
    expect(rows['row_version']?.length).toBeGreaterThan(8);
    for (const name of ['directory_row', 'row_version', 'invocation', 'open_invocation'])
      expect(replayed[name] ?? []).toEqual(rows[name]);
  });
});
