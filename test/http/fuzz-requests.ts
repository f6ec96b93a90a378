/**
 * A grammar of requests: every route that the server has, filled with values that exist or are hostile, bodies
 * made from the rows' own schemas, then spoiled. A seed repeats the choices.
 */
import type { Route } from './routes.ts';
import type { HttpRequest } from './client.ts';

export interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minimum?: number;
}

/** What the server is known to hold, by the name of the argument it fits. */
export interface Known {
  readonly rows: Readonly<Record<string, Schema>>;
  readonly values: Readonly<Record<string, readonly string[]>>;
  readonly shares: readonly string[];
  readonly terminalKey: string;
}

const hostile: readonly unknown[] = [
  '',
  ' ',
  '\n',
  '\0',
  '\u2028',
  '\uFEFF',
  '../..',
  '..%2f',
  '%00',
  '%',
  '%zz',
  '/',
  '\\',
  "'",
  '"',
  '|',
  '||||',
  '{',
  '{}',
  '[]',
  'null',
  'true',
  '-1',
  '0',
  '1e309',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'x'.repeat(300),
  'x'.repeat(5000),
  '🙂'.repeat(200),
  '\ud800',
  'e\u0301',
  'аlpha',
  '<script>alert(1)</script>',
  '```',
  '<!--',
  '---\n---\n',
  '[a]: b\n',
  '$1',
  '$&',
  "'; DROP TABLE entry; --",
  'sh.',
  `sh.${'A'.repeat(48)}`,
  'cap_0123456789abcdef',
  'inv_aaaaaaaaaaaaaaaa',
  'd0',
  'd99999999',
  'c0',
  's0',
  'art_x',
  0,
  -1,
  1,
  1.5,
  1e21,
  Number.MAX_SAFE_INTEGER,
  null,
  true,
  false,
  [],
  {},
  [[]],
  [null],
  { a: { b: { c: [] } } },
  JSON.parse('{"then":1}') as unknown,
  { toString: 1 },
  { length: -1 },
  { fault: 'internal', message: 'x', fix: 'x' },
];

const parameters = [
  'invoke',
  'key',
  'confirm',
  'receipt',
  'explain',
  'self_scope',
  'map',
  'registry',
  'ask',
  'schema',
  'build',
  'body',
  'share',
  'n',
  'format',
  'keys',
  'purpose',
  'actor',
  'narrow',
  'limit',
  'cursor',
  'shape',
  'object_id',
  'status',
  'rev',
  'at',
  'from',
  'to',
  'include_inactive',
  'target',
  'question',
  'soft',
  'self',
  'q',
  'before',
  'slugs',
  'layer',
  'foo',
];

export class Requests {
  readonly #routes: readonly Route[];
  readonly #known: Known;
  readonly #random: () => number;

  constructor(routes: readonly Route[], known: Known, random: () => number) {
    this.#routes = routes;
    this.#known = known;
    this.#random = random;
  }

  /** The `i`-th request: the routes take turns, so that none is left out. */
  make(i: number): HttpRequest & { readonly route: Route } {
    const route = this.#routes[i % this.#routes.length] as Route;
    const path = this.#path(route.path) + this.#query(route);
    const method = this.#chance(0.03)
      ? this.#pick(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'])
      : route.method;
    const headers = { ...this.#headers(), ...(route.path === '/mcp' ? this.#mcpHeaders() : {}) };
    if (method === 'GET' || method === 'HEAD') return { route, method, path, headers };
    const bytes = this.#spoil(this.#body(route.path));
    const type = this.#chance(0.04)
      ? this.#pick([
          'text/plain',
          'application/x-www-form-urlencoded',
          'application/problem+json',
          '',
          'application/json; charset=utf-16',
        ])
      : 'application/json';
    return {
      route,
      method,
      path,
      headers: { ...headers, 'content-type': type },
      body: bytes,
      chunked: this.#chance(0.1),
    };
  }

  #path(pattern: string): string {
    return pattern
      .split('/')
      .map((part) => (part.startsWith(':') || part === '*' ? this.#segment(part) : part))
      .join('/');
  }

  #segment(part: string): string {
    if (this.#chance(0.25)) return escaped(text(this.#pick(hostile)).slice(0, 600) || '-');
    if (part === '*')
      return escaped(
        this.#pick([
          '0/000',
          '0/000.p/1',
          'entries/000',
          'entries/000.p/3',
          '1/000',
          '99/999',
          'x001/000',
          'login',
          'site.css',
          'x',
        ]),
      );
    return escaped(this.#value(part.slice(1)));
  }

  #query({ path }: Route): string {
    const names = path === '/api/dispatch' ? 4 : 2;
    const pairs: string[] = [];
    const count = this.#chance(0.5) ? 0 : 1 + Math.floor(this.#random() * names);
    for (let i = 0; i < count; i++) {
      const name = this.#pick(parameters);
      const value = this.#chance(0.4) ? text(this.#pick(hostile)).slice(0, 800) : this.#value(name);
      pairs.push(`${name}=${this.#chance(0.03) ? '%zz' : escaped(value)}`);
    }
    if (path === '/api/dispatch' && this.#chance(0.4))
      pairs.push(
        `invoke=${escaped(this.#key())}`,
        `body=${escaped(text(this.#argumentsBody(this.#key())).slice(0, 3000))}`,
        `share=${this.#pick(this.#known.shares)}`,
      );
    return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
  }

  #headers(): Record<string, string> {
    const headers: Record<string, string> = {};
    if (this.#chance(0.45)) headers['x-terminal-key'] = this.#chance(0.1) ? 'wrong' : this.#known.terminalKey;
    if (this.#chance(0.15))
      headers['authorization'] = this.#pick([
        `Bearer ${this.#pick(this.#known.shares)}`,
        'Bearer',
        'Bearer a b',
        'Basic eDp5',
        '',
      ]);
    if (this.#chance(0.1)) headers['idempotency-key'] = this.#pick(['a', 'b', 'x'.repeat(1000)]);
    if (this.#chance(0.1)) headers['if-none-match'] = this.#pick(['*', '"x"', 'W/"x"', ',,,', '"']);
    if (this.#chance(0.1)) headers['accept-encoding'] = this.#pick(['br', 'gzip', 'identity', '*;q=0']);
    if (this.#chance(0.05))
      headers['accept'] = this.#pick(['text/html', 'application/json', '*/*', 'image/png']);
    if (this.#chance(0.05)) headers['sec-purpose'] = 'prefetch';
    if (this.#chance(0.05))
      headers['x-forwarded-for'] = this.#pick(['1.2.3.4', '::1', 'x', '1.2.3.4, 5.6.7.8']);
    return headers;
  }

  #body(path: string): unknown {
    if (path === '/api/dispatch') {
      const key = this.#key();
      const call: Record<string, unknown> = { key, body: this.#argumentsBody(key) };
      for (const [name, value] of [
        ['share', () => this.#pick(this.#known.shares)],
        ['shape', () => true],
        ['idem', () => this.#pick(['a', 'b', 'c'])],
        ['actor', () => 'fuzz'],
        ['purpose', () => 'fuzzing'],
        ['replay', () => 'inv_x'],
        ['repairs', () => 'inv_x'],
      ] as const) {
        if (this.#chance(0.12)) call[name] = value();
      }
      return this.#mutated(call);
    }
    if (path === '/mcp') return this.#message();
    // A route's row is not known here; what fits the name best is tried, or anything else.
    const wanted = path.split('/').pop()?.replace(/-/g, '_').toUpperCase() ?? '';
    const keys = Object.keys(this.#known.rows);
    const fitting = keys.filter(
      (key) => key === wanted || key.startsWith(wanted.replace(/S$/, '')) || wanted.includes(key),
    );
    const schema = this.#known.rows[
      fitting.length > 0 && !this.#chance(0.15) ? this.#pick(fitting) : this.#pick(keys)
    ] as Schema;
    const args = this.#fromSchema(schema, '') as Record<string, unknown>;
    if (this.#chance(0.2)) args['key'] = this.#pick(this.#known.shares);
    return this.#mutated(args);
  }

  #mcpHeaders(): Record<string, string> {
    const headers: Record<string, string> = { accept: 'application/json, text/event-stream' };
    if (this.#chance(0.1)) headers['mcp-protocol-version'] = this.#pick(['2026-07-28', '2025-06-18', 'x']);
    if (this.#chance(0.05)) headers['mcp-session-id'] = 'x';
    if (this.#chance(0.05)) headers['origin'] = this.#pick(['null', 'https://evil.example', '']);
    return headers;
  }

  /** A message of the protocol's revisions before the current one, which say nothing in headers. */
  #message(): unknown {
    const method = this.#pick([
      'tools/call',
      'tools/call',
      'tools/call',
      'tools/list',
      'resources/list',
      'resources/read',
      'resources/templates/list',
      'initialize',
      'ping',
      'notifications/cancelled',
      'prompts/list',
      text(this.#pick(hostile)),
    ]);
    const name = this.#chance(0.6) ? this.#key() : this.#pick(['search', 'read', 'dispatch']);
    const schema = this.#known.rows[name];
    const args =
      schema === undefined
        ? {
            [this.#pick(['q', 'target', 'key', 'part', 'limit', 'cursor', 'replay'])]: this.#pick(hostile),
            target: this.#value('slug'),
          }
        : this.#fromSchema(schema, '');
    const params: Record<string, unknown> = {
      name,
      arguments: this.#mutated(args),
      uri: `${this.#pick(['', 'http://127.0.0.1/'])}${this.#value('slug')}`,
    };
    if (this.#chance(0.1)) params['cursor'] = this.#pick(hostile);
    if (this.#chance(0.1)) params['_meta'] = { [text(this.#pick(hostile))]: this.#pick(hostile) };
    return this.#mutated({ jsonrpc: '2.0', id: 1, method, params: this.#mutated(params) });
  }

  /** A row's arguments as an object, as JSON in a string, or by position. */
  #argumentsBody(key: string): unknown {
    const schema = this.#known.rows[key];
    if (schema === undefined) return this.#pick(hostile);
    const args = this.#mutated(this.#fromSchema(schema, '')) as Record<string, unknown>;
    const lot = this.#random();
    if (lot < 0.4) return args;
    if (lot < 0.6) return JSON.stringify(args);
    return Object.values(typeof args === 'object' && args !== null ? args : {})
      .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
      .join('|');
  }

  #fromSchema(schema: Schema, name: string): unknown {
    if (schema.enum !== undefined) return this.#pick(schema.enum);
    if (schema.anyOf !== undefined) return this.#fromSchema(this.#pick(schema.anyOf), name);
    switch (schema.type) {
      case 'object': {
        const made: Record<string, unknown> = {};
        for (const [member, of] of Object.entries(schema.properties ?? {})) {
          if (schema.required?.includes(member) === true || this.#chance(0.35))
            made[member] = this.#fromSchema(of, member);
        }
        return made;
      }
      case 'array':
        return Array.from({ length: Math.floor(this.#random() * 4) + (name.endsWith('s') ? 1 : 0) }, () =>
          this.#fromSchema(schema.items ?? {}, name.replace(/s$/, '')),
        );
      case 'integer':
      case 'number':
        return Math.floor(this.#random() * 6) + (schema.minimum ?? 0);
      case 'boolean':
        return this.#chance(0.5);
      default:
        return this.#value(name);
    }
  }

  #value(name: string): string {
    const { values } = this.#known;
    const pool = values[name] ?? values[name.replace(/^(?:expected|target)_/, '')];
    if (pool !== undefined && !this.#chance(0.1)) return this.#pick(pool);
    return this.#pick([
      '1',
      'x',
      'One more text.',
      'question',
      'voxels',
      'json',
      'markdown',
      'system',
      'main',
      'S1',
      'challenge',
      'up',
      'novel_objection',
      'should_be_div',
      'https://h.test/x',
      ...(values['slug'] ?? []),
    ]);
  }

  #key(): string {
    return this.#chance(0.04) ? text(this.#pick(hostile)) : this.#pick(Object.keys(this.#known.rows));
  }

  /** One thing in three is other than it should be. */
  #mutated(value: unknown): unknown {
    if (!this.#chance(0.35) || typeof value !== 'object' || value === null) return value;
    const copy = { ...(value as Record<string, unknown>) };
    const names = Object.keys(copy);
    const name = names.length === 0 ? 'x' : this.#pick(names);
    switch (Math.floor(this.#random() * 4)) {
      case 0:
        delete copy[name];
        return copy;
      case 1:
        return { ...copy, [text(this.#pick(hostile)) || 'unknown']: this.#pick(hostile) };
      case 2:
        return { ...copy, [name]: [copy[name]] };
      default:
        return { ...copy, [name]: this.#pick(hostile) };
    }
  }

  #spoil(value: unknown): Buffer {
    const bytes = Buffer.from(JSON.stringify(value) ?? '');
    if (!this.#chance(0.06) || bytes.length === 0) return bytes;
    const at = Math.floor(this.#random() * bytes.length);
    const lot = this.#random();
    if (lot < 0.4) bytes[at] = Math.floor(this.#random() * 256);
    else if (lot < 0.7) return bytes.subarray(0, at);
    else
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from(text(this.#pick(hostile))),
        bytes.subarray(at),
      ]);
    return bytes;
  }

  #chance(share: number): boolean {
    return this.#random() < share;
  }

  #pick<T>(of: readonly T[]): T {
    return of[Math.floor(this.#random() * of.length)] as T;
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** Percent signs that a value brings of its own stay as they are: they may be wrong on purpose. */
function escaped(value: string): string {
  return /^[!-~]*%[!-~]*$/.test(value) && !value.includes('{')
    ? value
    : encodeURIComponent(value.toWellFormed());
}
