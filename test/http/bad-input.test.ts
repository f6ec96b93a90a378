import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeFolders, startServer, type RunningServer } from '../support/process-server.ts';
import { logSize, send, sendBytes, type HttpAnswer, type HttpRequest } from './client.ts';
import { expectProblem } from './problem.ts';

let server: RunningServer;
let base: string;
let owner: Record<string, string>;
let share: string;

beforeAll(async () => {
  server = await startServer();
  ({ base } = server);
  owner = { 'x-terminal-key': server.terminalKey };
  const made = await send(base, { path: '/api/protocol/voxel-batch', headers: owner, body: { document: { slug: 'alpha', title: 'Alpha', markdown: '# Alpha\n\nOne.\n' } } });
  expect(made.status).toBe(200);
  const minted = await send(base, { path: '/api/dispatch', headers: owner, body: { key: 'CAP_MINT', body: { scope: 'act', max_uses: 0 } } });
  share = (JSON.parse(minted.body) as { share: string }).share;
});

afterAll(async () => {
  const lost = server.output().split('\n').filter((line) => /"level":(?:50|60)/.test(line));
  await server.kill();
  removeFolders();
  expect(lost).toEqual([]);
});

interface Case {
  readonly what: string;
  readonly request: HttpRequest | (() => HttpRequest);
  readonly code: string;
  /** What the problem must name. */
  readonly names?: string | RegExp;
  /** Receipts of failed calls that it leaves. */
  readonly entries?: number;
}

const json = { 'content-type': 'application/json' };
const dispatchOf = (body: string | Buffer | object): HttpRequest => ({ path: '/api/dispatch', body, headers: json });
const append = 'alpha||question|ada|Is this written?';

async function refuse({ request, code, names, entries = 0 }: Case): Promise<void> {
  const before = await logSize(base);
  const problem = expectProblem(await send(base, typeof request === 'function' ? request() : request), code);
  if (names !== undefined) expect(`${problem.detail} ${JSON.stringify(problem['parameter'] ?? '')}`).toMatch(names);
  expect(await logSize(base)).toBe(before + entries);
}

const malformed: Case[] = [
  { what: 'an unfinished object', request: dispatchOf('{'), code: 'invalid_json' },
  { what: 'a member without a value', request: dispatchOf('{"key":}'), code: 'invalid_json' },
  { what: 'something behind the value', request: dispatchOf('{"key":"MIRROR_FEED"} x'), code: 'invalid_json' },
  { what: 'a comment', request: dispatchOf('{/* */"key":"MIRROR_FEED"}'), code: 'invalid_json' },
  { what: 'a byte order mark', request: dispatchOf('\uFEFF{"key":"MIRROR_FEED"}'), code: 'invalid_json' },
  { what: 'nothing at all', request: { method: 'POST', path: '/api/dispatch', headers: json, body: '' }, code: 'invalid_json' },
  { what: 'the same key twice', request: dispatchOf('{"key":"MIRROR_FEED","body":"alpha","key":"MIRROR_APPEND"}'), code: 'invalid_json', names: 'same key twice' },
  { what: 'the same key twice, once escaped', request: dispatchOf(String.raw`{"key":"MIRROR_FEED","body":"alpha","\u006bey":"MIRROR_APPEND"}`), code: 'invalid_json', names: 'same key twice' },
  { what: 'the same key twice, deep inside', request: dispatchOf('{"key":"MIRROR_APPEND","body":{"slug":"alpha","slug":"beta"}}'), code: 'invalid_json', names: 'same key twice' },
  { what: '__proto__ twice', request: dispatchOf('{"__proto__":1,"__proto__":2}'), code: 'invalid_json', names: 'same key twice' },
  { what: 'a byte that is no UTF-8', request: dispatchOf(Buffer.concat([Buffer.from('{"key":"'), Buffer.of(0xff), Buffer.from('"}')])), code: 'invalid_json', names: 'UTF-8' },
  { what: 'an overlong encoding', request: dispatchOf(Buffer.concat([Buffer.from('{"key":"'), Buffer.of(0xc0, 0xaf), Buffer.from('"}')])), code: 'invalid_json', names: 'UTF-8' },
  { what: 'an encoded lone surrogate', request: dispatchOf(Buffer.concat([Buffer.from('{"key":"'), Buffer.of(0xed, 0xa0, 0x80), Buffer.from('"}')])), code: 'invalid_json', names: 'UTF-8' },
  { what: 'an escaped lone surrogate', request: dispatchOf(String.raw`{"key":"MIRROR_APPEND","body":"alpha||question|ada|\ud800"}`), code: 'invalid_json', names: 'lone surrogate' },
  { what: 'an escaped lone surrogate in a name', request: dispatchOf(String.raw`{"key":"MIRROR_APPEND","\udc00":1}`), code: 'invalid_json', names: 'lone surrogate' },
  { what: 'an escaped NUL', request: dispatchOf(String.raw`{"key":"MIRROR_APPEND","body":"alpha||question|ada|\u0000"}`), code: 'invalid_json', names: 'NUL' },
  { what: 'a raw NUL', request: dispatchOf(Buffer.from('{"key":"MIRROR_FEED\0"}')), code: 'invalid_json' },
  { what: '65 arrays inside one another', request: dispatchOf(`{"key":${'['.repeat(65)}${']'.repeat(65)}}`), code: 'invalid_json', names: 'nested' },
  { what: 'a hundred thousand arrays inside one another', request: dispatchOf('['.repeat(100_000)), code: 'invalid_json', names: 'nested' },
  { what: 'a hundred thousand objects inside one another', request: dispatchOf('{"a":'.repeat(100_000)), code: 'invalid_json', names: 'nested' },
  { what: 'a number beyond all numbers', request: dispatchOf('{"key":1e999}'), code: 'invalid_json', names: 'too large' },
  { what: 'null', request: dispatchOf('null'), code: 'invalid_request', names: 'no JSON object' },
  { what: 'an array', request: dispatchOf('[]'), code: 'invalid_request', names: 'no JSON object' },
  { what: 'a string', request: dispatchOf('"MIRROR_FEED"'), code: 'invalid_request', names: 'no JSON object' },
  { what: 'UTF-16', request: dispatchOf(Buffer.from('{"key":"MIRROR_FEED"}', 'utf16le')), code: 'invalid_json' },
];

describe('a body that is no JSON object', () => {
  it.each(malformed)('is refused: $what', refuse);
});

const members: Case[] = [
  { what: 'an unknown one', request: dispatchOf({ key: 'MIRROR_FEED', body: 'alpha', limit: 3 }), code: 'invalid_request', names: /"limit" is no member/ },
  { what: '__proto__', request: dispatchOf('{"key":"MIRROR_FEED","__proto__":{"share":"x"}}'), code: 'invalid_request', names: /"__proto__" is no member/ },
  { what: 'constructor', request: dispatchOf({ key: 'MIRROR_FEED', constructor: {} }), code: 'invalid_request', names: /"constructor" is no member/ },
  { what: 'fault', request: dispatchOf({ key: 'MIRROR_FEED', fault: 'internal', message: 'x', fix: 'x' }), code: 'invalid_request', names: /"fault" is no member/ },
  { what: 'a key that is a number', request: dispatchOf({ key: 7 }), code: 'invalid_request', names: /"key"/ },
  { what: 'no key', request: dispatchOf({ body: 'alpha' }), code: 'invalid_request', names: /"key"/ },
  { what: 'a body that is a number', request: dispatchOf({ key: 'MIRROR_FEED', body: 7 }), code: 'invalid_request', names: /"body"/ },
  { what: 'a body that is a list', request: dispatchOf({ key: 'MIRROR_FEED', body: ['alpha'] }), code: 'invalid_request', names: /"body"/ },
  { what: 'a share that is a number', request: dispatchOf({ key: 'MIRROR_APPEND', body: append, share: 5 }), code: 'invalid_request', names: /"share"/ },
  { what: 'a share that is null', request: dispatchOf({ key: 'MIRROR_APPEND', body: append, share: null }), code: 'invalid_request', names: /"share"/ },
  { what: 'a dry run spelled as a word', request: dispatchOf({ key: 'MIRROR_APPEND', body: append, shape: 'yes' }), code: 'invalid_request', names: /"shape"/ },
  { what: 'a dry run spelled as a number', request: dispatchOf({ key: 'MIRROR_APPEND', body: append, shape: 1 }), code: 'invalid_request', names: /"shape"/ },
  { what: 'an idempotency key that is a number', request: dispatchOf({ key: 'MIRROR_APPEND', body: append, idem: 1 }), code: 'invalid_request', names: /"idem"/ },
  { what: 'an actor that is an object', request: dispatchOf({ key: 'MIRROR_APPEND', body: append, actor: {} }), code: 'invalid_request', names: /"actor"/ },
  { what: 'a purpose of a thousand characters', request: dispatchOf({ key: 'MIRROR_APPEND', body: append, purpose: 'x'.repeat(1000) }), code: 'invalid_request', names: /"purpose"/ },
  { what: 'a credential that is a list', request: { path: '/api/protocol/claim', body: { slug: 'alpha', key: ['x'] } }, code: 'invalid_request', names: /"key"/ },
  { what: 'a credential of an open intake that is a number', request: { path: '/api/articles/alpha/mirror', body: { kind: 'question', actor: 'a', body: 'b', key: 1 } }, code: 'invalid_request', names: /"key"/ },
  { what: 'an unknown argument of a row', request: dispatchOf({ key: 'MIRROR_APPEND', body: { slug: 'alpha', claim_id: '', kind: 'question', actor: 'a', body: 'b', fault: 'internal' } }), code: 'body_mismatch', names: /unknown: fault/, entries: 1 },
  { what: '__proto__ among the arguments', request: dispatchOf('{"key":"MIRROR_APPEND","body":{"slug":"alpha","claim_id":"","kind":"question","actor":"a","body":"b","__proto__":{"slug":"beta"}}}'), code: 'body_mismatch', names: /unknown: __proto__/, entries: 1 },
  { what: 'a mistyped argument', request: dispatchOf({ key: 'MIRROR_FEED', body: { slug: 'alpha', limit: 'many' } }), code: 'body_mismatch', names: /limit/, entries: 1 },
  { what: 'a missing argument', request: dispatchOf({ key: 'MIRROR_APPEND', body: { slug: 'alpha' } }), code: 'body_mismatch', names: /claim_id/, entries: 1 },
  { what: 'a kind of contribution that every object has', request: dispatchOf('{"key":"MIRROR_APPEND","body":"alpha||constructor|a|b"}'), code: 'body_mismatch', names: /constructor/, entries: 1 },
  { what: 'ten thousand unknown arguments', request: dispatchOf({ key: 'MIRROR_APPEND', body: { slug: 'alpha', claim_id: '', kind: 'question', actor: 'a', body: 'b', ...Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`unknown_${i}`, 1])) } }), code: 'body_mismatch', names: /and 99\d\d more/, entries: 1 },
];

describe('a member', () => {
  it.each(members)('is named: $what', refuse);

  it('a tier that every object has is no tier', async () => {
    for (const tier of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
      const problem = expectProblem(
        await send(base, { path: '/api/protocol/claim', headers: owner, body: { slug: 'alpha', text: 'A claim of an impossible tier stands.', tier, who_claims: 'ada', why_material: 'x' } }),
        'content_rule',
      );
      expect(problem['violations']).toMatchObject([{ code: 'unknown_tier' }]);
    }
  });

  it('an operation that every object has is no operation', async () => {
    const answer = await send(base, { path: '/api/protocol/voxel-batch', headers: owner, body: { operations: [{ op: 'constructor' }, { op: '__proto__' }, { op: 'toString' }] } });
    expect(JSON.parse(answer.body)).toMatchObject({ ok: false, landed: 0, results: [{ error: 'body_mismatch' }, { error: 'body_mismatch' }, { error: 'body_mismatch' }] });
  });
});

const parameters: Case[] = [
  { what: 'an unknown one of a read', request: { path: '/api/articles?foo=1' }, code: 'invalid_request', names: /"foo"/ },
  { what: 'an unknown one of a write', request: { path: '/api/dispatch?shape=1', body: { key: 'MIRROR_APPEND', body: append } }, code: 'invalid_request', names: /"shape"/ },
  { what: 'an unknown one of a protocol write', request: { path: '/api/protocol/claim?dry=1', body: {} }, code: 'invalid_request', names: /"dry"/ },
  { what: 'one given twice', request: { path: '/api/articles?limit=1&limit=2' }, code: 'invalid_request', names: /"limit"/ },
  { what: 'a share given twice to a write', request: { path: '/api/dispatch?share=a&share=b', body: { key: 'MIRROR_FEED', body: 'alpha' } }, code: 'invalid_request', names: /"share"/ },
  { what: 'a share given twice to a read', request: { path: '/api/articles/alpha?share=a&share=b' }, code: 'invalid_request', names: /"share"/ },
  { what: 'a percent-encoded NUL', request: { path: '/api/dispatch?invoke=MIRROR_FEED&body=alpha%00' }, code: 'invalid_request', names: /NUL/ },
  { what: '__proto__', request: { path: '/api/dispatch?__proto__=1' }, code: 'invalid_request', names: /"__proto__"/ },
  { what: 'a list by brackets', request: { path: '/api/articles?limit[]=1' }, code: 'invalid_request', names: /limit\[\]/ },
  { what: 'a dry run that says neither yes nor no', request: () => ({ path: `/api/dispatch?invoke=MIRROR_APPEND&body=${encodeURIComponent(append)}&share=${share}&shape=maybe` }), code: 'invalid_request', names: /"shape"/ },
  ...['0', '-1', '1.5', '1e3', 'abc', '501', '99999999999999999999', '٣', ''].map((limit) => ({ what: `a limit of "${limit}"`, request: { path: `/api/articles?limit=${encodeURIComponent(limit)}` }, code: 'invalid_request', names: /limit/ })),
  { what: 'a cursor that is none', request: { path: '/api/invocations?object_id=MIRROR_FEED&cursor=x' }, code: 'invalid_request', names: /cursor/ },
  { what: 'a status that is none', request: { path: '/api/invocations?object_id=MIRROR_FEED&status=constructor' }, code: 'invalid_request', names: /status/ },
  { what: 'a format that is none', request: { path: '/api/articles/alpha?format=exe' }, code: 'invalid_request', names: /format/ },
  { what: 'a format that is none, of a row', request: { path: '/api/directory/MIRROR_FEED?format=constructor' }, code: 'invalid_request', names: /format/ },
  { what: 'parameters without an action', request: { path: '/api/dispatch?body=x' }, code: 'invalid_request', names: /action/ },
];

describe('a parameter', () => {
  it.each(parameters)('is named: $what', refuse);
});

const mebibyte = 1024 * 1024;
const filler = (bytes: number): string => `{"key":"MIRROR_FEED","body":"${'x'.repeat(bytes - 31)}"}`;

describe('size', () => {
  it.each<Case>([
    { what: 'a chunked request above one mebibyte', request: { ...dispatchOf(filler(mebibyte + 70_000)), chunked: true }, code: 'payload_ceiling' },
    { what: 'a dispatch body above 262,144 bytes', request: dispatchOf({ key: 'MIRROR_APPEND', body: `${append}${'x'.repeat(262_144)}` }), code: 'payload_ceiling', names: /262144/ },
    { what: 'a chunked batch above eight mebibytes', request: { path: '/api/protocol/voxel-batch', headers: json, body: filler(8 * mebibyte + 70_000), chunked: true }, code: 'payload_ceiling' },
    { what: 'a document above two mebibytes', request: () => ({ path: '/api/protocol/voxel-batch', headers: owner, body: { document: { markdown: 'x'.repeat(2 * mebibyte + 1) } } }), code: 'payload_ceiling', entries: 1 },
    { what: 'a contribution above eight thousand characters', request: dispatchOf({ key: 'MIRROR_APPEND', body: `alpha||question|ada|${'é'.repeat(8001)}` }), code: 'payload_ceiling', entries: 1 },
    { what: 'an edit above 64 kibibytes', request: () => ({ path: '/api/protocol/voxel-edit', headers: owner, body: { slug: 'alpha', div_id: 'd1', expected_hash: '2c5bfe837877f81eff587c2afba18d27b2ab28afaa7f164072500fdd3f3f8536', text: 'é'.repeat(33_000) } }), code: 'payload_ceiling', entries: 1 },
    { what: 'a batch of 301 operations', request: () => ({ path: '/api/protocol/voxel-batch', headers: owner, body: { slug: 'alpha', operations: Array.from({ length: 301 }, () => ({ op: 'claim' })) } }), code: 'batch_limit', entries: 1 },
  ])('is bounded: $what', refuse);

  it.each([
    ['a request above one mebibyte', '/api/dispatch', mebibyte + 1],
    ['a batch above eight mebibytes', '/api/protocol/voxel-batch', 8 * mebibyte + 1],
  ])('is refused by its announced length, before it comes: %s', async (_what, path, length) => {
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n{`;
    expectProblem(await sendBytes(server.port, head), 'payload_ceiling');
  });

  it('a batch may have more than a mebibyte where another request may not', async () => {
    const markdown = `# Large\n\n${'Words and words. '.repeat(80_000)}\n`;
    const answer = await send(base, { path: '/api/protocol/voxel-batch', headers: owner, body: { document: { slug: 'large', markdown } } });
    expect(answer.status).toBe(200);
  });

  it('a large call of nobody is refused before anything of it is read', async () => {
    const markdown = 'sh.x and ghp_x and AKIAx '.repeat(300_000);
    const before = await logSize(base);
    expectProblem(await send(base, { path: '/api/protocol/voxel-batch', body: { document: { markdown } } }), 'credential_required');
    expect(await logSize(base)).toBe(before);
  });
});

const notMedia: Case[] = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/xml', 'application/jsonx', 'text/json', 'x'].map((type) => ({
  what: type,
  request: { path: '/api/dispatch', headers: { 'content-type': type }, body: JSON.stringify({ key: 'MIRROR_FEED', body: 'alpha' }) },
  code: 'unsupported_media_type',
}));

describe('a content type', () => {
  it.each(notMedia)('is not read: $what', refuse);

  it('may be any of JSON', async () => {
    for (const type of ['application/json', 'Application/JSON; charset=utf-8', 'application/problem+json', 'application/vnd.api+json']) {
      const answer = await send(base, { path: '/api/dispatch', headers: { 'content-type': type }, body: JSON.stringify({ key: 'MIRROR_FEED', body: 'alpha' }) });
      expect(answer.status, type).toBe(200);
    }
  });
});

const tricks = [
  '..', '%2e%2e', '%2e%2e%2f', '..%2f..%2fsecret.key', '%252e%252e', '%00', 'alpha%00', '%00alpha', 'alpha%0a', 'alpha%20', '%20alpha', 'ALPHA', 'Alpha', 'alpha%2f', 'alpha%5c', '%5c..%5calpha',
  '%D0%B0lpha', '%EF%BD%81lpha', 'alph%C3%A1', 'alpha%E2%80%8B', '%F0%9F%98%80', '__proto__', 'constructor', 'main--alpha', 'main%2falpha', "alpha'--", 'alpha;x', '*', '%25', 'a', '-', '--', 'alpha-', 'x'.repeat(401), 'x'.repeat(10_000),
];

describe('a slug', () => {
  it.each(tricks.map((trick) => [trick.length > 40 ? `${trick.length} characters` : trick, trick]))('leads nowhere: %s', async (_what, trick) => {
    for (const path of [`/api/articles/${trick}`, `/api/articles/${trick}/voxels`, `/api/articles/${trick}?format=markdown`]) {
      const answer = await sendBytes(server.port, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expectProblem(answer, 'not_found');
    }
    const before = await logSize(base);
    const write = await sendBytes(server.port, postBytes(`/api/articles/${trick}/mirror`, '{"kind":"question","actor":"ada","body":"x"}'));
    expect([404, 422]).toContain(write.status);
    expectProblem(write, write.status === 404 ? 'not_found' : 'body_mismatch');
    expect((await logSize(base)) - before).toBeLessThanOrEqual(1);
  });

  it('of a new article is checked', async () => {
    for (const slug of ['-alpha', 'alpha-', 'al--pha', 'constitution', 'llm-manifest', 'x'.repeat(81)]) {
      expectProblem(await send(base, { path: '/api/protocol/voxel-batch', headers: owner, body: { document: { slug, markdown: 'x\n' } } }), 'invalid_request');
    }
    for (const slug of ['Alpha', '../alpha', 'al pha', 'аlpha', '__proto__', 'x'.repeat(200), '']) {
      expectProblem(await send(base, { path: '/api/protocol/voxel-batch', headers: owner, body: { document: { slug, markdown: 'x\n' } } }), 'body_mismatch');
    }
  });
});

function postBytes(path: string, body: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

describe('what is no request', () => {
  const get = 'GET /api/articles/alpha HTTP/1.1\r\nHost: x\r\n';
  const post = 'POST /api/dispatch HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
  it.each([
    ['garbage', 'BLAH\r\n\r\n', 'invalid_request'],
    ['a TLS hello', Buffer.from([0x16, 3, 1, 0, 5, 1, 0, 0, 1, 0x0d, 0x0a, 0x0d, 0x0a]), 'invalid_request'],
    ['a preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'invalid_request'],
    ['an unknown version', 'GET / HTTP/9.9\r\nHost: x\r\n\r\n', 'invalid_request'],
    ['a header without a colon', `${get}nonsense\r\n\r\n`, 'invalid_request'],
    ['a header with a NUL', `${get}x: a\0b\r\n\r\n`, 'invalid_request'],
    ['two lengths', `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, 'invalid_request'],
    ['a negative length', `${post}Content-Length: -1\r\n\r\n{}`, 'invalid_request'],
    ['a length and chunks', `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 'invalid_request'],
    ['a chunk of no size', `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`, 'invalid_request'],
    ['headers of 20 kilobytes', `${get}x: ${'y'.repeat(20_000)}\r\n\r\n`, 'payload_ceiling'],
    ['a URL of 20 kilobytes', `GET /api/articles/${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 'payload_ceiling'],
    ['bad percent-encoding', 'GET /api/articles/%zz HTTP/1.1\r\nHost: x\r\n\r\n', 'invalid_request'],
    ['percent-encoding that is no UTF-8', 'GET /api/articles/%ff%fe HTTP/1.1\r\nHost: x\r\n\r\n', 'invalid_request'],
    ['half a percent-encoding', 'GET /api/articles/alpha% HTTP/1.1\r\nHost: x\r\n\r\n', 'invalid_request'],
  ])('is answered as everything else is: %s', async (_what, bytes, code) => {
    const before = await logSize(base);
    expectProblem(await sendBytes(server.port, bytes), code);
    expect(await logSize(base)).toBe(before);
  });

  it('a body that never comes whole writes nothing', async () => {
    const before = await logSize(base);
    const cut = sendBytes(server.port, `${post}Content-Length: 5000\r\n\r\n{"key":"MIRROR_APPEND"`).catch(() => undefined);
    await send(base, { path: '/healthz' });
    expect(await logSize(base)).toBe(before);
    void cut;
  });
});

describe('a method', () => {
  it.each([
    ['PUT', '/api/dispatch', 'GET, HEAD, POST'],
    ['DELETE', '/api/articles/alpha', 'GET, HEAD'],
    ['PATCH', '/api/articles', 'GET, HEAD'],
    ['POST', '/checkpoint', 'GET, HEAD'],
    ['OPTIONS', '/api/articles/alpha/voxels', 'GET, HEAD'],
    ['PUT', '/api/protocol/claim', 'POST'],
  ])('that a path does not take: %s %s', async (method, path, allow) => {
    const answer = await send(base, { method, path });
    expectProblem(answer, 'method_not_allowed');
    expect(answer.headers['allow']).toBe(allow);
  });

  it('HEAD answers reads without their body', async () => {
    const [head, get] = await Promise.all([send(base, { method: 'HEAD', path: '/api/articles/alpha' }), send(base, { path: '/api/articles/alpha' })]);
    expect(head).toMatchObject({ status: 200, body: '' });
    expect(head.headers['etag']).toBe(get.headers['etag']);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
  });

  it('neither HEAD nor prefetching fires a call', async () => {
    const before = await logSize(base);
    const path = `/api/dispatch?invoke=MIRROR_APPEND&body=${encodeURIComponent(append)}&share=${share}`;
    expect(await send(base, { method: 'HEAD', path })).toMatchObject({ status: 204, body: '' });
    for (const headers of [{ 'sec-purpose': 'prefetch' }, { 'sec-purpose': 'prefetch;prerender' }, { purpose: 'prefetch' }, { purpose: 'preview' }, { 'x-moz': 'prefetch' }] as Record<string, string>[]) {
      const answer = await send(base, { path, headers });
      expect(answer.status).toBe(200);
      expect(JSON.parse(answer.body)).toMatchObject({ would_run: true, charged: false, _self: { kind: 'shape' } });
    }
    expect(await logSize(base)).toBe(before);
  });
});

describe('soft=1', () => {
  it('answers the same problem as a 200, on GET alone', async () => {
    const bodies = async (path: string): Promise<[HttpAnswer, HttpAnswer]> => [await send(base, { path }), await send(base, { path: `${path}${path.includes('?') ? '&' : '?'}soft=1` })];
    for (const [path, code] of [['/api/articles/nowhere', 'not_found'], ['/api/dispatch?invoke=NOTHING', 'unknown_key'], ['/api/dispatch?invoke=MIRROR_FEED&body=alpha&share=sh.x', 'token_malformed'], ['/api/nowhere', 'not_found']] as const) {
      const [hard, soft] = await bodies(path);
      expectProblem(hard, code);
      expectProblem(soft, code, true);
      expect({ ...(JSON.parse(soft.body) as object), instance: '' }).toEqual({ ...(JSON.parse(hard.body) as object), instance: '' });
    }
    expectProblem(await send(base, { path: '/api/dispatch?soft=1', body: { key: 'NOTHING' } }), 'unknown_key');
  });
});

describe('the process', () => {
  it('is unharmed by all of it', async () => {
    expect(await send(base, { path: '/healthz' })).toMatchObject({ status: 200, body: '{"ok":true}' });
    const answer = await send(base, { path: '/api/dispatch', body: { key: 'MIRROR_FEED', body: 'alpha' } });
    expect(JSON.parse(answer.body)).toMatchObject({ ok: true, result: { slug: 'alpha', count: 0 } });
    expect(server.output()).not.toMatch(/uncaught|unhandled/i);
  });
});
