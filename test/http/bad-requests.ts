/** Requests that nothing may take: what each gets wrong, the code it must be refused with, and what must be named. */
import type { HttpRequest } from './client.ts';

export interface Case {
  readonly what: string;
  readonly request: HttpRequest | (() => HttpRequest);
  readonly code: string;
  /** What the problem must name. */
  readonly names?: string | RegExp;
  /** Receipts of failed calls that it leaves. */
  readonly entries?: number;
}

export const json = { 'content-type': 'application/json' };
export const dispatchOf = (body: string | Buffer | object): HttpRequest => ({
  path: '/api/dispatch',
  body,
  headers: json,
});
export const append = 'alpha||question|ada|Is this written?';

export const malformed: Case[] = [
  { what: 'an unfinished object', request: dispatchOf('{'), code: 'invalid_json' },
  { what: 'a member without a value', request: dispatchOf('{"key":}'), code: 'invalid_json' },
  {
    what: 'something behind the value',
    request: dispatchOf('{"key":"MIRROR_FEED"} x'),
    code: 'invalid_json',
  },
  { what: 'a comment', request: dispatchOf('{/* */"key":"MIRROR_FEED"}'), code: 'invalid_json' },
  { what: 'a byte order mark', request: dispatchOf('\uFEFF{"key":"MIRROR_FEED"}'), code: 'invalid_json' },
  {
    what: 'nothing at all',
    request: { method: 'POST', path: '/api/dispatch', headers: json, body: '' },
    code: 'invalid_json',
  },
  {
    what: 'the same key twice',
    request: dispatchOf('{"key":"MIRROR_FEED","body":"alpha","key":"MIRROR_APPEND"}'),
    code: 'invalid_json',
    names: 'same key twice',
  },
  {
    what: 'the same key twice, once escaped',
    request: dispatchOf(String.raw`{"key":"MIRROR_FEED","body":"alpha","\u006bey":"MIRROR_APPEND"}`),
    code: 'invalid_json',
    names: 'same key twice',
  },
  {
    what: 'the same key twice, deep inside',
    request: dispatchOf('{"key":"MIRROR_APPEND","body":{"slug":"alpha","slug":"beta"}}'),
    code: 'invalid_json',
    names: 'same key twice',
  },
  {
    what: '__proto__ twice',
    request: dispatchOf('{"__proto__":1,"__proto__":2}'),
    code: 'invalid_json',
    names: 'same key twice',
  },
  {
    what: 'a byte that is no UTF-8',
    request: dispatchOf(Buffer.concat([Buffer.from('{"key":"'), Buffer.of(0xff), Buffer.from('"}')])),
    code: 'invalid_json',
    names: 'UTF-8',
  },
  {
    what: 'an overlong encoding',
    request: dispatchOf(Buffer.concat([Buffer.from('{"key":"'), Buffer.of(0xc0, 0xaf), Buffer.from('"}')])),
    code: 'invalid_json',
    names: 'UTF-8',
  },
  {
    what: 'an encoded lone surrogate',
    request: dispatchOf(
      Buffer.concat([Buffer.from('{"key":"'), Buffer.of(0xed, 0xa0, 0x80), Buffer.from('"}')]),
    ),
    code: 'invalid_json',
    names: 'UTF-8',
  },
  {
    what: 'an escaped lone surrogate',
    request: dispatchOf(String.raw`{"key":"MIRROR_APPEND","body":"alpha||question|ada|\ud800"}`),
    code: 'invalid_json',
    names: 'lone surrogate',
  },
  {
    what: 'an escaped lone surrogate in a name',
    request: dispatchOf(String.raw`{"key":"MIRROR_APPEND","\udc00":1}`),
    code: 'invalid_json',
    names: 'lone surrogate',
  },
  {
    what: 'an escaped NUL',
    request: dispatchOf(String.raw`{"key":"MIRROR_APPEND","body":"alpha||question|ada|\u0000"}`),
    code: 'invalid_json',
    names: 'NUL',
  },
  { what: 'a raw NUL', request: dispatchOf(Buffer.from('{"key":"MIRROR_FEED\0"}')), code: 'invalid_json' },
  {
    what: '65 arrays inside one another',
    request: dispatchOf(`{"key":${'['.repeat(65)}${']'.repeat(65)}}`),
    code: 'invalid_json',
    names: 'nested',
  },
  {
    what: 'a hundred thousand arrays inside one another',
    request: dispatchOf('['.repeat(100_000)),
    code: 'invalid_json',
    names: 'nested',
  },
  {
    what: 'a hundred thousand objects inside one another',
    request: dispatchOf('{"a":'.repeat(100_000)),
    code: 'invalid_json',
    names: 'nested',
  },
  {
    what: 'a number beyond all numbers',
    request: dispatchOf('{"key":1e999}'),
    code: 'invalid_json',
    names: 'too large',
  },
  { what: 'null', request: dispatchOf('null'), code: 'invalid_request', names: 'no JSON object' },
  { what: 'an array', request: dispatchOf('[]'), code: 'invalid_request', names: 'no JSON object' },
  {
    what: 'a string',
    request: dispatchOf('"MIRROR_FEED"'),
    code: 'invalid_request',
    names: 'no JSON object',
  },
  {
    what: 'UTF-16',
    request: dispatchOf(Buffer.from('{"key":"MIRROR_FEED"}', 'utf16le')),
    code: 'invalid_json',
  },
];

export const members: Case[] = [
  {
    what: 'an unknown one',
    request: dispatchOf({ key: 'MIRROR_FEED', body: 'alpha', limit: 3 }),
    code: 'invalid_request',
    names: /"limit" is no member/,
  },
  {
    what: '__proto__',
    request: dispatchOf('{"key":"MIRROR_FEED","__proto__":{"share":"x"}}'),
    code: 'invalid_request',
    names: /"__proto__" is no member/,
  },
  {
    what: 'constructor',
    request: dispatchOf({ key: 'MIRROR_FEED', constructor: {} }),
    code: 'invalid_request',
    names: /"constructor" is no member/,
  },
  {
    what: 'fault',
    request: dispatchOf({ key: 'MIRROR_FEED', fault: 'internal', message: 'x', fix: 'x' }),
    code: 'invalid_request',
    names: /"fault", "message", "fix" are no members/,
  },
  {
    what: 'a key that is a number',
    request: dispatchOf({ key: 7 }),
    code: 'invalid_request',
    names: /"key"/,
  },
  { what: 'no key', request: dispatchOf({ body: 'alpha' }), code: 'invalid_request', names: /"key"/ },
  {
    what: 'a body that is a number',
    request: dispatchOf({ key: 'MIRROR_FEED', body: 7 }),
    code: 'invalid_request',
    names: /"body"/,
  },
  {
    what: 'a body that is a list',
    request: dispatchOf({ key: 'MIRROR_FEED', body: ['alpha'] }),
    code: 'invalid_request',
    names: /"body"/,
  },
  {
    what: 'a share that is a number',
    request: dispatchOf({ key: 'MIRROR_APPEND', body: append, share: 5 }),
    code: 'invalid_request',
    names: /"share"/,
  },
  {
    what: 'a share that is null',
    request: dispatchOf({ key: 'MIRROR_APPEND', body: append, share: null }),
    code: 'invalid_request',
    names: /"share"/,
  },
  {
    what: 'a dry run spelled as a word',
    request: dispatchOf({ key: 'MIRROR_APPEND', body: append, shape: 'yes' }),
    code: 'invalid_request',
    names: /"shape"/,
  },
  {
    what: 'a dry run spelled as a number',
    request: dispatchOf({ key: 'MIRROR_APPEND', body: append, shape: 1 }),
    code: 'invalid_request',
    names: /"shape"/,
  },
  {
    what: 'an idempotency key that is a number',
    request: dispatchOf({ key: 'MIRROR_APPEND', body: append, idem: 1 }),
    code: 'invalid_request',
    names: /"idem"/,
  },
  {
    what: 'an actor that is an object',
    request: dispatchOf({ key: 'MIRROR_APPEND', body: append, actor: {} }),
    code: 'invalid_request',
    names: /"actor"/,
  },
  {
    what: 'a purpose of a thousand characters',
    request: dispatchOf({ key: 'MIRROR_APPEND', body: append, purpose: 'x'.repeat(1000) }),
    code: 'invalid_request',
    names: /"purpose"/,
  },
  {
    what: 'a credential that is a list',
    request: { path: '/api/protocol/claim', body: { slug: 'alpha', key: ['x'] } },
    code: 'invalid_request',
    names: /"key"/,
  },
  {
    what: 'a credential of an open intake that is a number',
    request: {
      path: '/api/articles/alpha/mirror',
      body: { kind: 'question', actor: 'a', body: 'b', key: 1 },
    },
    code: 'invalid_request',
    names: /"key"/,
  },
  {
    what: 'a slug that is not the one of the address',
    request: {
      path: '/api/articles/alpha/objections',
      body: { slug: 'beta', actor: 'a', objection: 'It holds nothing.' },
    },
    code: 'invalid_request',
    names: /"slug" is not the one of the address/,
  },
  {
    what: 'an unknown argument of a row',
    request: dispatchOf({
      key: 'MIRROR_APPEND',
      body: { slug: 'alpha', claim_id: '', kind: 'question', actor: 'a', body: 'b', fault: 'internal' },
    }),
    code: 'body_mismatch',
    names: /unknown: fault/,
    entries: 1,
  },
  {
    what: '__proto__ among the arguments',
    request: dispatchOf(
      '{"key":"MIRROR_APPEND","body":{"slug":"alpha","claim_id":"","kind":"question","actor":"a","body":"b","__proto__":{"slug":"beta"}}}',
    ),
    code: 'body_mismatch',
    names: /unknown: __proto__/,
    entries: 1,
  },
  {
    what: 'a mistyped argument',
    request: dispatchOf({ key: 'MIRROR_FEED', body: { slug: 'alpha', limit: 'many' } }),
    code: 'body_mismatch',
    names: /limit/,
    entries: 1,
  },
  {
    what: 'a missing argument',
    request: dispatchOf({ key: 'MIRROR_APPEND', body: { slug: 'alpha' } }),
    code: 'body_mismatch',
    names: /claim_id/,
    entries: 1,
  },
  {
    what: 'a kind of contribution that every object has',
    request: dispatchOf('{"key":"MIRROR_APPEND","body":"alpha||constructor|a|b"}'),
    code: 'body_mismatch',
    names: /constructor/,
    entries: 1,
  },
  {
    what: 'nine thousand unknown arguments',
    request: dispatchOf({
      key: 'MIRROR_APPEND',
      body: {
        slug: 'alpha',
        claim_id: '',
        kind: 'question',
        actor: 'a',
        body: 'b',
        ...Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`unknown_${i}`, 1])),
      },
    }),
    code: 'body_mismatch',
    names: /and 89\d\d more/,
    entries: 1,
  },
];

export const parameters: Case[] = [
  {
    what: 'a target that is empty',
    request: { path: '/api/protocol/thread-state?target=' },
    code: 'invalid_request',
    names: /target is empty/,
  },
  {
    what: 'an unknown one of a read',
    request: { path: '/api/articles?foo=1' },
    code: 'invalid_request',
    names: /"foo"/,
  },
  {
    what: 'an unknown one of a write',
    request: { path: '/api/dispatch?shape=1', body: { key: 'MIRROR_APPEND', body: append } },
    code: 'invalid_request',
    names: /"shape"/,
  },
  {
    what: 'an unknown one of a protocol write',
    request: { path: '/api/protocol/claim?dry=1', body: {} },
    code: 'invalid_request',
    names: /"dry"/,
  },
  {
    what: 'one given twice',
    request: { path: '/api/articles?limit=1&limit=2' },
    code: 'invalid_request',
    names: /"limit"/,
  },
  {
    what: 'a share given twice to a write',
    request: { path: '/api/dispatch?share=a&share=b', body: { key: 'MIRROR_FEED', body: 'alpha' } },
    code: 'invalid_request',
    names: /"share"/,
  },
  {
    what: 'a share given twice to a read',
    request: { path: '/api/articles/alpha?share=a&share=b' },
    code: 'invalid_request',
    names: /"share"/,
  },
  {
    what: 'a percent-encoded NUL',
    request: { path: '/api/dispatch?invoke=MIRROR_FEED&body=alpha%00' },
    code: 'invalid_request',
    names: /NUL/,
  },
  {
    what: '__proto__',
    request: { path: '/api/dispatch?__proto__=1' },
    code: 'invalid_request',
    names: /"__proto__"/,
  },
  {
    what: 'a list by brackets',
    request: { path: '/api/articles?limit[]=1' },
    code: 'invalid_request',
    names: /limit\[\]/,
  },
  ...['0', '-1', '1.5', '1e3', 'abc', '501', '99999999999999999999', '٣', ''].map((limit) => ({
    what: `a limit of "${limit}"`,
    request: { path: `/api/articles?limit=${encodeURIComponent(limit)}` },
    code: 'invalid_request',
    names: /limit/,
  })),
  {
    what: 'a cursor that is none',
    request: { path: '/api/invocations?object_id=MIRROR_FEED&cursor=x' },
    code: 'invalid_request',
    names: /cursor/,
  },
  {
    what: 'a status that is none',
    request: { path: '/api/invocations?object_id=MIRROR_FEED&status=constructor' },
    code: 'invalid_request',
    names: /status/,
  },
  {
    what: 'a format that is none',
    request: { path: '/api/articles/alpha?format=exe' },
    code: 'invalid_request',
    names: /format/,
  },
  {
    what: 'a format that is none, of a row',
    request: { path: '/api/directory/MIRROR_FEED?format=constructor' },
    code: 'invalid_request',
    names: /format/,
  },
  {
    what: 'parameters without an action',
    request: { path: '/api/dispatch?body=x' },
    code: 'invalid_request',
    names: /action/,
  },
];

export const notMedia: Case[] = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/xml',
  'application/jsonx',
  'text/json',
  'x',
].map((type) => ({
  what: type,
  request: {
    path: '/api/dispatch',
    headers: { 'content-type': type },
    body: JSON.stringify({ key: 'MIRROR_FEED', body: 'alpha' }),
  },
  code: 'unsupported_media_type',
}));

export const tricks = [
  '..',
  '%2e%2e',
  '%2e%2e%2f',
  '..%2f..%2fsecret.key',
  '%252e%252e',
  '%00',
  'alpha%00',
  '%00alpha',
  'alpha%0a',
  'alpha%20',
  '%20alpha',
  'ALPHA',
  'Alpha',
  'alpha%2f',
  'alpha%5c',
  '%5c..%5calpha',
  '%D0%B0lpha',
  '%EF%BD%81lpha',
  'alph%C3%A1',
  'alpha%E2%80%8B',
  '%F0%9F%98%80',
  '__proto__',
  'constructor',
  'main--alpha',
  'main%2falpha',
  "alpha'--",
  'alpha;x',
  '*',
  '%25',
  'a',
  '-',
  '--',
  'alpha-',
  'x'.repeat(401),
  'x'.repeat(10_000),
];
