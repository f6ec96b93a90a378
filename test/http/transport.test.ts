import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { append, dispatchOf, json, tricks, type Case } from './bad-requests.ts';
import { logSize, send, sendBytes } from './client.ts';
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

function postBytes(path: string, body: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

const mebibyte = 1024 * 1024;
const filler = (bytes: number): string => `{"key":"MIRROR_FEED","body":"${'x'.repeat(bytes - 31)}"}`;

describe('the size limit', () => {
  it.each<Case>([
    {
      what: 'a chunked request above one mebibyte',
      request: { ...dispatchOf(filler(mebibyte + 70_000)), chunked: true },
      code: 'payload_ceiling',
    },
    {
      what: 'a dispatch body above 262,144 bytes',
      request: dispatchOf({ key: 'MIRROR_APPEND', body: `${append}${'x'.repeat(262_144)}` }),
      code: 'payload_ceiling',
      names: /262144/,
    },
    {
      what: 'a chunked batch above eight mebibytes',
      request: {
        path: '/api/protocol/voxel-batch',
        headers: json,
        body: filler(8 * mebibyte + 70_000),
        chunked: true,
      },
      code: 'payload_ceiling',
    },
    {
      what: 'a document above two mebibytes',
      request: () => ({
        path: '/api/protocol/voxel-batch',
        headers: owner,
        body: { document: { markdown: 'x'.repeat(2 * mebibyte + 1) } },
      }),
      code: 'payload_ceiling',
      entries: 1,
    },
    {
      what: 'a contribution above eight thousand characters',
      request: dispatchOf({ key: 'MIRROR_APPEND', body: `alpha||question|ada|${'é'.repeat(8001)}` }),
      code: 'payload_ceiling',
      entries: 1,
    },
    {
      what: 'an edit above 64 kibibytes',
      request: () => ({
        path: '/api/protocol/voxel-edit',
        headers: owner,
        body: {
          slug: 'alpha',
          div_id: 'd1',
          expected_hash: '2c5bfe837877f81eff587c2afba18d27b2ab28afaa7f164072500fdd3f3f8536',
          text: 'é'.repeat(33_000),
        },
      }),
      code: 'payload_ceiling',
      entries: 1,
    },
    {
      what: 'a batch of 301 operations',
      request: () => ({
        path: '/api/protocol/voxel-batch',
        headers: owner,
        body: { slug: 'alpha', operations: Array.from({ length: 301 }, () => ({ op: 'claim' })) },
      }),
      code: 'batch_limit',
      entries: 1,
    },
  ])('refuses $what', (each) => expectRefusal(base, each));

  it.each([
    ['a request above one mebibyte', '/api/dispatch', mebibyte + 1],
    ['a batch above eight mebibytes', '/api/protocol/voxel-batch', 8 * mebibyte + 1],
  ])('applies to the announced length before the body arrives: %s', async (_what, path, length) => {
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n{`;
    expectProblem(await sendBytes(server.port, head), 'payload_ceiling');
  });

  it('is higher for a batch than for other requests', async () => {
    const markdown = `# Large\n\n${'Words and words. '.repeat(80_000)}\n`;
    const answer = await send(base, {
      path: '/api/protocol/voxel-batch',
      headers: owner,
      body: { document: { slug: 'large', markdown } },
    });
    expect(answer.status).toBe(200);
  });

  it('comes after the credential check of a large call, which records nothing', async () => {
    const markdown = 'sh.x and ghp_x and AKIAx '.repeat(300_000);
    const before = await logSize(base);
    expectProblem(
      await send(base, { path: '/api/protocol/voxel-batch', body: { document: { markdown } } }),
      'credential_required',
    );
    expect(await logSize(base)).toBe(before);
  });
});

describe('a slug', () => {
  it.each(tricks.map((trick) => [trick.length > 40 ? `${trick.length} characters` : trick, trick]))(
    'that is invalid finds nothing: %s',
    async (_what, trick) => {
      for (const path of [
        `/api/articles/${trick}`,
        `/api/articles/${trick}/voxels`,
        `/api/articles/${trick}?format=markdown`,
      ]) {
        const answer = await sendBytes(
          server.port,
          `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
        );
        expectProblem(answer, 'not_found');
      }
      const before = await logSize(base);
      const write = await sendBytes(
        server.port,
        postBytes(`/api/articles/${trick}/mirror`, '{"kind":"question","actor":"ada","body":"x"}'),
      );
      expect([404, 422]).toContain(write.status);
      expectProblem(write, write.status === 404 ? 'not_found' : 'body_mismatch');
      expect((await logSize(base)) - before).toBeLessThanOrEqual(1);
    },
  );

  it('of a new article is validated', async () => {
    // One that names a workspace is judged by where the call is.
    for (const [slug, code] of [
      ['-alpha', 'body_mismatch'],
      ['alpha-', 'body_mismatch'],
      ['al--pha', 'not_found'],
      ['constitution', 'body_mismatch'],
      ['llm-manifest', 'body_mismatch'],
      ['x'.repeat(81), 'body_mismatch'],
    ] as const) {
      expectProblem(
        await send(base, {
          path: '/api/protocol/voxel-batch',
          headers: owner,
          body: { document: { slug, markdown: 'x\n' } },
        }),
        code,
      );
    }
    for (const slug of ['Alpha', '../alpha', 'al pha', 'аlpha', '__proto__', 'x'.repeat(200), '']) {
      expectProblem(
        await send(base, {
          path: '/api/protocol/voxel-batch',
          headers: owner,
          body: { document: { slug, markdown: 'x\n' } },
        }),
        'body_mismatch',
      );
    }
  });
});

describe('a malformed request', () => {
  const get = 'GET /api/articles/alpha HTTP/1.1\r\nHost: x\r\n';
  const post = 'POST /api/dispatch HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
  it.each([
    ['text that is not HTTP', 'BLAH\r\n\r\n', 'invalid_request'],
    [
      'a TLS handshake',
      Buffer.from([0x16, 3, 1, 0, 5, 1, 0, 0, 1, 0x0d, 0x0a, 0x0d, 0x0a]),
      'invalid_request',
    ],
    ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'invalid_request'],
    ['an unknown HTTP version', 'GET / HTTP/9.9\r\nHost: x\r\n\r\n', 'invalid_request'],
    ['a header without a colon', `${get}nonsense\r\n\r\n`, 'invalid_request'],
    ['a header with a NUL', `${get}x: a\0b\r\n\r\n`, 'invalid_request'],
    [
      'two Content-Length headers',
      `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
      'invalid_request',
    ],
    ['a negative Content-Length', `${post}Content-Length: -1\r\n\r\n{}`, 'invalid_request'],
    [
      'Content-Length with chunked encoding',
      `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      'invalid_request',
    ],
    [
      'a chunk with an invalid size',
      `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
      'invalid_request',
    ],
    ['headers of 20 kilobytes', `${get}x: ${'y'.repeat(20_000)}\r\n\r\n`, 'payload_ceiling'],
    [
      'a URL of 20 kilobytes',
      `GET /api/articles/${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      'payload_ceiling',
    ],
    ['bad percent-encoding', 'GET /api/articles/%zz HTTP/1.1\r\nHost: x\r\n\r\n', 'invalid_request'],
    [
      'percent-encoding that is no UTF-8',
      'GET /api/articles/%ff%fe HTTP/1.1\r\nHost: x\r\n\r\n',
      'invalid_request',
    ],
    ['truncated percent-encoding', 'GET /api/articles/alpha% HTTP/1.1\r\nHost: x\r\n\r\n', 'invalid_request'],
  ])('gets the error envelope and leaves no entry: %s', async (_what, bytes, code) => {
    const before = await logSize(base);
    expectProblem(await sendBytes(server.port, bytes), code);
    expect(await logSize(base)).toBe(before);
  });

  it('with an incomplete body writes nothing', async () => {
    const before = await logSize(base);
    const cut = sendBytes(server.port, `${post}Content-Length: 5000\r\n\r\n{"key":"MIRROR_APPEND"`).catch(
      () => undefined,
    );
    await send(base, { path: '/healthz' });
    expect(await logSize(base)).toBe(before);
    void cut;
  });
});

describe('HTTP methods', () => {
  it.each([
    ['PUT', '/api/dispatch', 'GET, HEAD, OPTIONS, POST'],
    ['DELETE', '/api/articles/alpha', 'GET, HEAD, OPTIONS'],
    ['PATCH', '/api/articles', 'GET, HEAD, OPTIONS'],
    ['POST', '/checkpoint', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/api/articles/alpha/voxels', 'GET, HEAD, OPTIONS'],
    ['GET', '/api/articles/alpha/webhook', 'OPTIONS, POST'],
    ['PUT', '/api/protocol/claim', 'OPTIONS, POST'],
  ])('return 405 where a path does not support them: %s %s', async (method, path, allow) => {
    const answer = await send(base, { method, path });
    expectProblem(answer, 'method_not_allowed');
    expect(answer.headers['allow']).toBe(allow);
  });

  it('include HEAD, which returns the headers of a read without its body', async () => {
    const [head, get] = await Promise.all([
      send(base, { method: 'HEAD', path: '/api/articles/alpha' }),
      send(base, { path: '/api/articles/alpha' }),
    ]);
    expect(head).toMatchObject({ status: 200, body: '' });
    expect(head.headers['etag']).toBe(get.headers['etag']);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
  });

  it('do not run a call for HEAD and for prefetch requests', async () => {
    const before = await logSize(base);
    const path = `/api/dispatch?invoke=MIRROR_APPEND&body=${encodeURIComponent(append)}&share=${share}`;
    expect(await send(base, { method: 'HEAD', path })).toMatchObject({ status: 204, body: '' });
    for (const headers of [
      { 'sec-purpose': 'prefetch' },
      { 'sec-purpose': 'prefetch;prerender' },
      { purpose: 'prefetch' },
      { purpose: 'preview' },
      { 'x-moz': 'prefetch' },
    ] as Record<string, string>[]) {
      const answer = await send(base, { path, headers });
      expect(answer.status).toBe(200);
      expect(JSON.parse(answer.body)).toMatchObject({
        would_run: true,
        charged: false,
        _self: { kind: 'shape' },
      });
    }
    expect(await logSize(base)).toBe(before);
  });
});
