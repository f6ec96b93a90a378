import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type Answer } from '../support/server.ts';
import { send, type HttpAnswer } from './client.ts';
import { openLocal, owner, type LocalServer } from './local.ts';
import { message, sendMessage } from './mcp-client.ts';

let server: LocalServer;

beforeAll(async () => {
  server = await openLocal();
  await server.deployment.did('VOXEL_BATCH', {
    document: { slug: 'alpha', title: 'Alpha', markdown: '# Alpha\n\nOne.\n' },
  });
});

afterAll(async () => {
  await server.end();
});

interface RpcError {
  readonly id: unknown;
  readonly error: {
    readonly code: number;
    readonly message: string;
    readonly data?: { readonly error: string };
  };
}

/** What a refusal says: its status, the code of JSON-RPC and the one of the product. */
function said({ status, headers, body }: HttpAnswer): unknown[] {
  expect(String(headers['content-type'])).toMatch(/^application\/json/);
  expect(headers['cache-control']).toBe('private, no-store');
  const { error } = JSON.parse(body) as RpcError;
  expect(error.message).not.toBe('');
  return [status, error.code, error.data?.error];
}

const feed = message('tools/call', { name: 'MIRROR_FEED', arguments: { slug: 'alpha' } });
const resultOf = ({ body }: HttpAnswer): Record<string, unknown> =>
  (JSON.parse(body) as { result: Record<string, unknown> }).result;
const answerOf = (answer: HttpAnswer): Record<string, unknown> =>
  resultOf(answer)['structuredContent'] as Record<string, unknown>;

describe('POST /mcp', () => {
  it('answers one JSON-RPC message with one JSON response that must not be cached', async () => {
    const answer = await sendMessage(server.base, feed);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.headers['cache-control']).toBe('private, no-store');
    expect(answer.headers['mcp-session-id']).toBeUndefined();
    expect(answerOf(answer)).toMatchObject({ ok: true, ran: true, kind: 'MIRROR_FEED' });
  });

  it('supports earlier protocol revisions without a session', async () => {
    for (const revision of ['2025-11-25', '2025-06-18', '2025-03-26']) {
      const initialize = {
        jsonrpc: '2.0',
        id: 7,
        method: 'initialize',
        params: {
          protocolVersion: revision,
          capabilities: {},
          clientInfo: { name: 'test', version: '1.0.0' },
        },
      };
      const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
      const post = (body: object): Promise<HttpAnswer> => send(server.base, { path: '/mcp', body, headers });
      const opened = await post(initialize);
      expect(opened.headers['mcp-session-id']).toBeUndefined();
      expect(opened.body).toContain(`"protocolVersion":"${revision}"`);
      expect((await post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202);
      expect((await post({ jsonrpc: '2.0', id: 8, method: 'ping' })).body).toContain('"result":{}');
      expect(
        (await post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } })).status,
      ).toBe(202);
      const tools = await post({ jsonrpc: '2.0', id: 9, method: 'tools/list' });
      expect(tools.body).toContain('"name":"MIRROR_FEED"');
    }
  });

  it('is the only method beside OPTIONS: others get 405, and subscriptions are not implemented', async () => {
    for (const [method, status] of [
      ['GET', 405],
      ['DELETE', 405],
      ['PUT', 405],
      ['PATCH', 405],
      ['OPTIONS', 204],
    ] as const) {
      const answer = await send(server.base, {
        method,
        path: '/mcp',
        headers: { accept: 'text/event-stream' },
      });
      expect([method, answer.status, answer.headers['allow']]).toEqual([method, status, 'OPTIONS, POST']);
    }
    const listen = message('subscriptions/listen', { notifications: { toolsListChanged: true } });
    expect(said(await sendMessage(server.base, listen))).toEqual([501, -32601, 'not_implemented']);
  });

  it('rejects an invalid message with an error that describes a valid one', async () => {
    const raw = (body: string, headers: Record<string, string> = {}): Promise<HttpAnswer> =>
      sendMessage(server.base, body, headers);
    for (const broken of [
      '',
      '{',
      '{"a":1,"a":2}',
      '"\\ud800"',
      '{"jsonrpc":"2.0","id":1,"method":"p\\u0000"}',
      '['.repeat(5000),
    ])
      expect([broken.slice(0, 40), ...said(await raw(broken))]).toEqual([
        broken.slice(0, 40),
        400,
        -32700,
        'invalid_json',
      ]);
    for (const other of ['null', '1', '"ping"', '[]', `[${JSON.stringify(feed)}]`])
      expect([other.slice(0, 10), ...said(await raw(other))]).toEqual([
        other.slice(0, 10),
        400,
        -32600,
        'invalid_request',
      ]);
    for (const odd of [
      {},
      { jsonrpc: '1.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', id: {}, method: 'ping' },
      { jsonrpc: '2.0', id: 1, method: 5 },
      { jsonrpc: '2.0', id: 1, method: 'ping', params: [] },
      { jsonrpc: '2.0', id: 1, method: 'initialize' },
      { jsonrpc: '2.0', id: 1, method: 'resources/read' },
      { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: ['x'] } },
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25' } },
    ]) {
      const { status, body } = await sendMessage(server.base, odd);
      expect([odd, status, (JSON.parse(body) as RpcError).error.code]).toEqual([odd, 400, -32600]);
    }
    expect(said(await raw('{}', { 'content-type': 'text/plain' }))).toEqual([
      415,
      -32000,
      'unsupported_media_type',
    ]);
    const large = JSON.stringify(
      message('tools/call', { name: 'MIRROR_FEED', arguments: { slug: 'x'.repeat(1_100_000) } }),
    );
    expect(said(await raw(large))).toEqual([413, -32000, 'payload_ceiling']);
  });

  it('returns an error for an unknown method, revision, cursor or resource address', async () => {
    const code = async (body: object, headers: Record<string, string> = {}): Promise<number> =>
      (JSON.parse((await sendMessage(server.base, body, headers)).body) as RpcError).error.code;
    expect(await code(message('prompts/list'))).toBe(-32601);
    expect(await code(message('resources/subscribe', { uri: 'x' }), { 'mcp-name': 'x' })).toBe(-32601);
    expect(await code(message('constructor'))).toBe(-32601);
    for (const cursor of ['', 'x', '../..', '\u2028', 'ZZ', 'published x y', 'draft'.repeat(999)])
      for (const method of ['tools/list', 'resources/list'])
        expect([cursor, method, await code(message(method, { cursor }))]).toEqual([cursor, method, -32602]);
    for (const uri of [
      'x:',
      'file:///etc/passwd',
      `${server.base}/../..`,
      `${server.base}/a/%00`,
      `${server.base}/api/articles/alpha/__proto__`,
    ])
      expect([uri, await code(message('resources/read', { uri }))]).toEqual([uri, -32602]);
    const old = await sendMessage(
      server.base,
      message('tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': '1999-01-01' } }),
      { 'mcp-protocol-version': '1999-01-01' },
    );
    expect([old.status, (JSON.parse(old.body) as RpcError).error.code]).toEqual([400, -32022]);
  });

  it('returns unknown_key for a tool named like a member of every object', async () => {
    for (const name of ['constructor', '__proto__', 'toString', '', 'search ', 'SEARCH', '🙂']) {
      const answer = await sendMessage(server.base, message('tools/call', { name, arguments: {} }), {
        'mcp-name': /^[\x21-\x7e]+$/.test(name) ? name : `=?base64?${Buffer.from(name).toString('base64')}?=`,
      });
      expect([name, resultOf(answer)['isError'], answerOf(answer)['error']]).toEqual([
        name,
        true,
        'unknown_key',
      ]);
    }
    for (const args of [
      { q: {} },
      { q: ['a'] },
      { q: '' },
      { q: 'x'.repeat(5000) },
      { q: 'x', limit: 1e9 },
      { q: 'x', constructor: 1 },
      {},
    ]) {
      const answer = await sendMessage(
        server.base,
        message('tools/call', { name: 'search', arguments: args }),
      );
      expect([args, answerOf(answer)['error']]).toEqual([args, 'invalid_request']);
    }
    for (const args of [
      { key: {} },
      { key: 'MIRROR_FEED', body: [] },
      { key: 'MIRROR_FEED', shape: 'perhaps' },
      { body: 'alpha' },
      { replay: 'inv_x', key: 'MIRROR_FEED' },
    ]) {
      const answer = await sendMessage(
        server.base,
        message('tools/call', { name: 'dispatch', arguments: args }),
      );
      expect([args, answerOf(answer)['error']]).toEqual([args, 'invalid_request']);
    }
  });

  it('rejects requests from pages of other origins, even with the owner key', async () => {
    for (const origin of ['https://evil.example', 'null', `${server.base}.evil.example`, 'http://127.0.0.1'])
      expect(said(await sendMessage(server.base, feed, { origin, ...owner }))).toEqual([
        403,
        -32000,
        'scope_denied',
      ]);
    const base = new URL(server.deployment.service.base).origin;
    expect((await sendMessage(server.base, feed, { origin: base })).status).toBe(200);
  });
});

describe('an MCP credential', () => {
  it('is accepted in the headers only', async () => {
    const { share } = await server.mint({ scope: 'row', key: 'MIRROR_FEED', max_uses: 0 });
    const list = message('tools/list');
    for (const path of [
      `/mcp?share=${share}`,
      `/mcp?token=${share}`,
      '/mcp?x-terminal-key=tk_x',
      '/mcp?api_key=ck_x',
    ])
      expect([path, ...said(await sendMessage(server.base, list, {}, path))]).toEqual([
        path,
        400,
        -32600,
        'invalid_request',
      ]);
    for (const meta of [{ share }, { authorization: 'Bearer x' }, { 'example.org/note': `use ${share}` }])
      expect(said(await sendMessage(server.base, message('tools/list', { _meta: meta })))).toEqual([
        400,
        -32600,
        'invalid_request',
      ]);
    for (const name of ['MIRROR_FEED', 'read', 'search', 'dispatch']) {
      const call = message('tools/call', {
        name,
        arguments: { share, slug: 'alpha', q: 'x', target: 'alpha' },
      });
      const answer = await sendMessage(server.base, call);
      expect([name, answerOf(answer)['error'], answerOf(answer)['parameter']]).toEqual([
        name,
        'invalid_request',
        'share',
      ]);
    }
    // A terminal key is no bearer (contract §4); a row that asks about a token is told one.
    expect(said(await sendMessage(server.base, list, { authorization: 'Bearer tk_terminal' }))[0]).toBe(401);
    const explain = message('tools/call', { name: 'CAP_EXPLAIN', arguments: { token: share } });
    expect(answerOf(await sendMessage(server.base, explain, owner))).toMatchObject({ ok: true, ran: true });
    const uses = await server.explain(share);
    expect(uses).toMatchObject({ uses: 0, state: 'valid' });
  });

  it('gets 401 with the reason for tools/list and for calls when it is malformed or corrupted', async () => {
    const list = message('tools/list');
    const { share } = await server.mint({ scope: 'row', key: 'MIRROR_FEED' });
    for (const [token, code] of [
      ['nonsense', 'token_malformed'],
      [share.slice(0, -6) + (share.at(-6) === 'A' ? 'B' : 'A') + share.slice(-5), 'token_corrupted'],
      ['ck_short', 'token_malformed'],
    ] as const) {
      const answer = await sendMessage(server.base, list, { authorization: `Bearer ${token}` });
      expect([token, ...said(answer)]).toEqual([token, 401, -32000, code]);
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer/);
      const called = await sendMessage(server.base, feed, { authorization: `Bearer ${token}` });
      expect([token, ...said(called)]).toEqual([token, 401, -32000, code]);
    }
  });

  it('gets 401 for tools/list once expired or revoked, and its calls are recorded as refused', async () => {
    const brief = await server.mint({ scope: 'row', key: 'MIRROR_FEED', max_uses: 0, ttl: 60 });
    const revoked = await server.mint({ scope: 'row', key: 'MIRROR_FEED', max_uses: 0 });
    expect((await server.call('CAP_REVOKE', revoked.fingerprint, {}, owner)).status).toBe(200);
    server.advance(61_000);
    for (const [{ share }, code] of [
      [brief, 'token_expired'],
      [revoked, 'token_revoked'],
    ] as const) {
      const headers = { authorization: `Bearer ${share}` };
      expect(said(await sendMessage(server.base, message('tools/list'), headers))).toEqual([
        401,
        -32000,
        code,
      ]);
      const answer = answerOf(await sendMessage(server.base, feed, headers));
      expect([answer['error'], answer['gate'], answer['ran']]).toEqual([code, 'credential', false]);
      const { id } = answer['invocation'] as { id: string };
      expect((await server.get({ confirm: id })).json).toMatchObject({
        status: 'denied',
        key: 'MIRROR_FEED',
      });
    }
  });
});

describe('rate limits over MCP', () => {
  it('count with HTTP: open intake by client address, and invalid credentials', async () => {
    const limited = await startServer({ COLOPHON_RATE_LIMIT: 'on' });
    await limited.article('# Alpha\n\nOne.\n', { slug: 'alpha', title: 'Alpha' });
    const append = (body: string): Promise<HttpAnswer> =>
      sendMessage(
        limited.base,
        message('tools/call', {
          name: 'MIRROR_APPEND',
          arguments: { slug: 'alpha', claim_id: '', kind: 'question', actor: 'ada', body },
        }),
      );
    for (let i = 0; i < 29; i++) expect(answerOf(await append(`Which one is number ${i}?`))['ok']).toBe(true);
    // Over HTTP it is the same count.
    await limited.anybody('/api/dispatch', { key: 'MIRROR_APPEND', body: 'alpha||question|ada|Which else?' });
    const refused = await append('And which then?');
    expect(refused.status).toBe(200);
    expect([
      resultOf(refused)['isError'],
      answerOf(refused)['error'],
      answerOf(refused)['retryable'],
    ]).toEqual([true, 'rate_limited', true]);
    const guess = (): Promise<HttpAnswer> =>
      sendMessage(limited.base, message('tools/list'), { authorization: 'Bearer guess' });
    for (let i = 0; i < 10; i++) expect((await guess()).status).toBe(401);
    const late = await guess();
    expect(said(late)).toEqual([429, -32000, 'rate_limited']);
    expect(Number(late.headers['retry-after'])).toBeGreaterThan(0);
    expect(limited.errors).toEqual([]);
    await limited.stop();
  });
});

describe('tools/list', () => {
  const listed = async (headers: Record<string, string>, params: object = {}) => {
    const { body } = await sendMessage(server.base, message('tools/list', { ...params }), headers);
    const { tools, nextCursor } = (JSON.parse(body) as Answer)['result'] as Answer;
    return { chars: body.length, names: (tools as Answer[]).map(({ name }) => String(name)), nextCursor };
  };

  it('costs at most 6,000 tokens without a credential and 12,000 for the owner, however many rows there are', async () => {
    const built = { owner: (await listed(owner)).names, nobody: (await listed({})).names };
    const rows = 60;
    for (let i = 0; i < rows; i++)
      await server.deployment.did('DIRECTORY_PUT', {
        key: `OWN_ROW_${i}`,
        type: 'http',
        url: 'https://api.example.org/v1/x?q=$1',
        args: [{ name: 'q', description: 'what is wanted, in words of any kind' }],
        what: `Tells the ${i}th thing about the zeppelins of Friedrichshafen. ${'It says more. '.repeat(80)}`,
        when: 'Sometimes. '.repeat(80),
        example: 'x',
        auth: 'none',
        risk: 'low',
      });
    const builtIn = server.deployment.service.rows;
    // A longer contract of a built-in row is cut as well.
    for (const key of ['MIRROR_FEED', 'MIRROR_APPEND', 'OBJECTION_LOG', 'CLAIM_POST'])
      await server.deployment.did('DIRECTORY_PATCH', {
        key,
        content: `WHAT ${'A sentence of the owner. '.repeat(80)}\nWHEN_TO_USE ${'Always, and '.repeat(160)}\nEX [${key}]${builtIn.get(key)?.contract.example}[/${key}]`,
      });
    for (const [headers, charsMax, built_] of [
      [{}, 24_000, built.nobody],
      [owner, 48_000, built.owner],
    ] as const) {
      const { chars, names, nextCursor } = await listed(headers);
      expect(chars).toBeLessThanOrEqual(charsMax);
      // Every built-in row, and as many of the owner's as fit.
      expect(names.filter((name) => !name.startsWith('OWN_ROW_'))).toEqual(built_);
      expect(names.length).toBeGreaterThan(built_.length);
      expect(names.length).toBeLessThan(built_.length + rows);
      expect(new Set(names).size).toBe(names.length);
      expect(nextCursor).toBeUndefined();
    }
    const { body } = await sendMessage(
      server.base,
      message('tools/call', {
        name: 'search',
        arguments: { q: 'zeppelins of Friedrichshafen', kind: 'tool' },
      }),
    );
    const { structuredContent } = (JSON.parse(body) as Answer)['result'] as { structuredContent: Answer };
    expect(structuredContent['tools'][0]).toMatchObject({
      key: expect.stringMatching(/^OWN_ROW_/),
      callable: true,
    });
  });
});
