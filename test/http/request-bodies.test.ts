/**
 * A body is checked before it is read whole (contract §4): by the credential in a header, by the volume of large bodies
 * from the same client, and by the number of values in the body.
 */
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, terminalKey, type Answer, type TestServer } from '../support/server.ts';

const mebibyte = 1_048_576;
const forged = `Bearer sh.${'A'.repeat(48)}`;
const asOwner = { 'x-terminal-key': terminalKey };

interface Sent {
  readonly status: number;
  readonly answer: Answer;
  /** Whether the answer came while the body was still being sent. */
  readonly isUnread: boolean;
}

/** Sends the first part, waits for an answer, and sends the rest only where none comes. */
function send(
  server: TestServer,
  path: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
  first = 1024,
): Promise<Sent> {
  return new Promise((done, failed) => {
    let isSent = false;
    const bytes = Buffer.from(body);
    const request = httpRequest(server.base + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(headers['transfer-encoding'] === undefined ? { 'content-length': String(bytes.length) } : {}),
        ...headers,
      },
    });
    request.on('error', failed);
    request.on('response', (response) => {
      const isUnread = !isSent;
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        request.destroy();
        const text = Buffer.concat(parts).toString();
        done({ status: response.statusCode ?? 0, answer: JSON.parse(text) as Answer, isUnread });
      });
    });
    request.write(bytes.subarray(0, first));
    setTimeout(() => {
      isSent = true;
      if (!request.destroyed) request.end(bytes.subarray(first));
    }, 400);
  });
}

const batch = '/api/protocol/voxel-batch';
const text = (bytes: number, more: object = {}): string =>
  JSON.stringify({ ...more, document: { slug: 'sent', markdown: 'w '.repeat(bytes / 2) } });
/** An object of exactly so many values. */
const values = (count: number): string => `{"document":[${'0,'.repeat(count - 3)}0]}`;

describe('a request body', () => {
  let server: TestServer;
  let key: string;
  beforeAll(async () => {
    server = await startServer({ COLOPHON_RATE_LIMIT: 'off' });
    await server.article('# Notes\n\nOne line.\n', { slug: 'notes' });
    key = String((await server.owner('/api/dispatch', { key: 'KEY_MINT', body: { scopes: 'act' } }))['key']);
  });
  afterAll(async () => {
    expect(server.errors).toEqual([]);
    await server.stop();
  });

  it.each([batch, '/api/protocol/import', '/api/dispatch', '/api/articles/notes/webhook', '/mcp'])(
    'to %s is not read when the credential in the header is invalid',
    async (path) => {
      for (const [name, value] of [
        ['authorization', forged],
        ['x-terminal-key', 'tk_none'],
      ] as const) {
        const headers = { [name]: value };
        const { status, answer, isUnread } = await send(server, path, text(50_000), headers);
        expect([status, isUnread]).toEqual([401, true]);
        if (path !== '/mcp') expect(answer).toMatchObject({ ok: false, gate: 'credential' });
      }
    },
  );

  it('above 1 MiB without a credential in a header is refused unread, with a fix', async () => {
    for (const path of ['/api/dispatch', '/api/protocol/claim', '/api/protocol/import']) {
      const { status, answer, isUnread } = await send(server, path, text(mebibyte, { key }));
      expect([path, status, isUnread]).toEqual([path, 413, true]);
      expect(answer).toMatchObject({ error: 'payload_ceiling' });
      expect(answer['fix']).toContain('Authorization: Bearer');
    }
  });

  it('in chunks is refused as soon as it exceeds 1 MiB', async () => {
    const chunked = { 'transfer-encoding': 'chunked' };
    const sent = await send(
      server,
      '/api/protocol/import',
      text(mebibyte + 2, { key }),
      chunked,
      mebibyte + 10,
    );
    expect([sent.status, sent.isUnread, sent.answer['error']]).toEqual([413, true, 'payload_ceiling']);
  });

  it('of a batch may be larger, and its key is authenticated after reading', async () => {
    const body = (token: object): string => text(3 * mebibyte, token);
    expect(await send(server, batch, body({}))).toMatchObject({
      status: 401,
      answer: { error: 'credential_required', gate: 'credential' },
    });
    expect(await send(server, batch, body({ key: 'ck_none' }))).toMatchObject({
      status: 401,
      answer: { error: 'token_malformed' },
    });
    const free = String((await server.read('/start'))['credential']['token']);
    expect(await send(server, batch, body({ key: free }))).toMatchObject({
      status: 401,
      answer: { error: 'credential_required' },
    });
    // Larger than an article may be: it was read, and its sender let in.
    expect(await send(server, batch, body({ key }))).toMatchObject({
      status: 413,
      answer: { detail: expect.stringContaining('an article has at most') as string },
    });
  });

  it('with more than 200,000 values is refused for every credential', async () => {
    const authorization = `Bearer ${key}`;
    expect(await send(server, batch, values(200_001), { authorization })).toMatchObject({
      status: 413,
      answer: { error: 'payload_ceiling', detail: 'The body has more than 200000 JSON values.' },
    });
    expect(await send(server, batch, values(200_000), { authorization })).toMatchObject({ status: 422 });
    const eight = `[${'{},'.repeat(2_700_000)}{}]`;
    for (const headers of [undefined, { authorization }])
      expect(await send(server, batch, eight, headers)).toMatchObject({
        status: 413,
        answer: { error: 'payload_ceiling' },
      });
  });

  it('with an object of more than 10,000 members is refused for every credential', async () => {
    const members = (count: number): string =>
      JSON.stringify({
        kind: 'claim',
        x: Object.fromEntries(Array.from({ length: count }, (_, i) => [`n${i}`, 1])),
      });
    const refusal = {
      error: 'payload_ceiling',
      detail: 'An object in the body has more than 10000 members.',
    };
    for (const [path, headers] of [
      ['/api/dispatch', {}],
      ['/api/dispatch', asOwner],
      ['/api/protocol/claim', {}],
      ['/api/articles/notes/webhook', asOwner],
    ] as const) {
      const more = await send(server, path, members(10_001), headers);
      expect(more).toMatchObject({ status: 413, answer: refusal });
      expect((await send(server, path, members(10_000), headers)).status).not.toBe(413);
    }
  });

  it('of an import by the owner may have as many values as the bundle needs', async () => {
    const bundle = { bundle_version: 1, chains: { x: Array.from({ length: 200_001 }, () => 0) } };
    const sent = await send(server, '/api/protocol/import', JSON.stringify({ bundle }), asOwner);
    expect(sent).toMatchObject({ status: 422, answer: { error: 'content_rule' } });
  });
});

describe('large bodies without a credential in a header', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ COLOPHON_RATE_LIMIT: 'on', COLOPHON_LIMITS: 'uploads_per_client=9' });
  });
  afterAll(() => server.stop());

  it('are limited by MiB per client, and refused unread over the limit', async () => {
    expect(await send(server, batch, text(2 * mebibyte))).toMatchObject({ status: 401 });
    expect(await send(server, batch, text(5 * mebibyte))).toMatchObject({ status: 401 });
    expect(await send(server, batch, text(2 * mebibyte))).toMatchObject({ status: 429, isUnread: true });
  });

  it('do not count when they come with a credential in a header', async () => {
    expect(await send(server, batch, text(500_000), asOwner)).toMatchObject({ status: 200 });
    expect(await send(server, '/api/dispatch', text(70_000))).toMatchObject({ status: 429, isUnread: true });
    expect(await send(server, '/api/dispatch', text(10_000))).toMatchObject({ status: 400 });
  });
});

describe('concurrent large bodies from one client', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  it('are read four at a time, and the others are refused', async () => {
    const sent = await Promise.all(Array.from({ length: 8 }, () => send(server, batch, text(mebibyte))));
    expect(sent.map(({ status }) => status).sort((a, b) => a - b)).toEqual([
      401, 401, 401, 401, 429, 429, 429, 429,
    ]);
    expect(await send(server, batch, text(mebibyte))).toMatchObject({ status: 401 });
  });
});

describe('large bodies from many clients at once', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ COLOPHON_TRUST_PROXY: '127.0.0.1/32' });
  });
  afterAll(() => server.stop());

  it('are held up to 64 MiB together, and the others are refused unread', async () => {
    const body = text(7 * mebibyte);
    const sent = await Promise.all(
      Array.from({ length: 11 }, (_, i) =>
        send(server, batch, body, { 'x-forwarded-for': `203.0.113.${i}` }),
      ),
    );
    const statuses = sent.map(({ status }) => status).sort((a, b) => a - b);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 401, 401, 401, 503, 503]);
    for (const { status, isUnread } of sent) expect(isUnread).toBe(status === 503);
  }, 60_000);
});
