import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { request as ask } from 'node:http';
import { delimiter, join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onBothStores } from '../support/both-stores.ts';
import { EventClient } from './event-client.ts';
import { hasPostgres, sharedPostgres } from '../support/postgres.ts';
import { startServer, terminalKey, type Answer, type TestServer } from '../support/server.ts';

/** Prometheus's own linter, where it is installed. */
const promtool = process.env['PATH']
  ?.split(delimiter)
  .map((folder) => join(folder, 'promtool'))
  .find((path) => existsSync(path));

/** What differs from the rules that promtool checks. */
function metricFaults(text: string): string[] {
  const helped = new Set([...text.matchAll(/^# HELP (\w+) \S/gm)].map(([, name]) => name));
  return [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = '', type]) => {
    const found: [boolean, string][] = [
      [!helped.has(name), 'no help text'],
      [type === 'counter' && !name.endsWith('_total'), 'a counter without _total'],
      [type !== 'counter' && name.endsWith('_total'), `_total on a ${type}`],
      [
        /_(?:ms|milliseconds|micros|minutes|hours|kb|mb|kilobytes|percent)(?:_|$)/.test(name),
        'another unit than the base unit',
      ],
      [/[A-Z]|__/.test(name), 'no snake case'],
      [type !== 'histogram' && /_(?:count|sum|bucket)$/.test(name), 'a suffix of histograms'],
    ];
    return found.filter(([wrong]) => wrong).map(([, what]) => `${name}: ${what}`);
  });
}

type Headers = Readonly<Record<string, string>>;

const owner = { 'x-terminal-key': terminalKey };

/** A request with any headers, Host too. */
function get(
  server: TestServer,
  headers: Headers = {},
  path = '/metrics',
): Promise<{ status: number; text: string; type: string }> {
  return new Promise((resolve, reject) => {
    ask(`${server.base}${path}`, { headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (more: string) => (text += more));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text, type: String(response.headers['content-type']) }),
      );
    })
      .on('error', reject)
      .end();
  });
}

/** The value of one line, or nothing where there is none. */
async function valueOf(server: TestServer, line: string): Promise<number | undefined> {
  const { text } = await get(server);
  const found = text.split('\n').find((each) => each.startsWith(`${line} `));
  return found === undefined ? undefined : Number(found.slice(line.length + 1));
}

onBothStores('the metrics', (server) => {
  it('are served in the Prometheus text format to a program on the same machine', async () => {
    const { status, text, type } = await get(server());
    expect([status, type]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    expect(text).toContain('# TYPE colophon_http_requests_total counter\n');
    expect(text).toContain('# TYPE colophon_http_request_duration_seconds histogram\n');
    expect(text).toContain('# TYPE colophon_log_entries gauge\n');
    expect(text).toMatch(/^colophon_build_info\{version="0\.2\.0",node="[\d.]+"\} 1$/m);
    expect(text).toMatch(/^colophon_log_leader 1$/m);
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
    expect(text).toMatch(/^nodejs_eventloop_lag_seconds /m);
    for (const line of text.split('\n'))
      expect(line).toMatch(
        /^(?:|# (?:HELP|TYPE) .+|[a-z0-9_]+(?:\{[a-z]+="[^"]*"(?:,[a-z]+="[^"]*")*\})? [-+\d.eNnaIif]+)$/,
      );
  });

  it('follow the naming rules of Prometheus: base units, _total on counters alone, and a help text', async () => {
    const { text } = await get(server());
    expect(metricFaults(text)).toEqual([]);
    expect(
      metricFaults('# HELP a_ms A.\n# TYPE a_ms gauge\n# TYPE b counter\n# TYPE c_total gauge\n'),
    ).toEqual([
      'a_ms: another unit than the base unit',
      'b: no help text',
      'b: a counter without _total',
      'c_total: no help text',
      'c_total: _total on a gauge',
    ]);
  });

  it.skipIf(promtool === undefined)('pass promtool check metrics', async () => {
    const { text } = await get(server());
    const { status, stderr } = spawnSync(promtool as string, ['check', 'metrics'], {
      input: text,
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
  });

  it('count requests by route, warm reads, calls by outcome, and refusals by code', async () => {
    await server().article('# Rules\n\nOne.\n', { slug: 'rules' });
    await server().anybody('/api/dispatch', { key: 'MIRROR_FEED', body: 'rules' });
    await server().fetch('/api/articles/nothing');
    await server().fetch('/nowhere-at-all');
    const denied = await server().fetch('/api/dispatch', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key: 'VOXEL_BURN', body: '{}' }),
    });
    expect(denied.status).toBe(401);
    const line = (name: string): Promise<number | undefined> => valueOf(server(), `colophon_${name}`);
    const route = (method: string, path: string, status: string): string =>
      `http_requests_total{method="${method}",route="${path}",status="${status}"}`;
    expect(await line(route('POST', '/api/dispatch', '2xx'))).toBe(1);
    expect(await line(route('POST', '/api/dispatch', '4xx'))).toBe(1);
    expect(await line(route('GET', '/api/articles/:slug', '4xx'))).toBe(1);
    expect(await line(route('any', 'unrouted', '4xx'))).toBe(1);
    expect(await line('calls_total{status="success"}')).toBe(2);
    expect(await line('calls_total{status="unrecorded"}')).toBe(1);
    expect(await line('http_refusals_total{code="not_found"}')).toBe(2);
    expect(await line('http_refusals_total{code="credential_required"}')).toBe(1);
    expect(await line('http_request_duration_seconds_count{method="POST",route="/api/dispatch"}')).toBe(2);
    expect(
      await line('http_request_duration_seconds_bucket{le="+Inf",method="POST",route="/api/dispatch"}'),
    ).toBe(2);
  });

  it('show the size of the log, the write queue and the lag of the search index', async () => {
    const line = (name: string): Promise<number | undefined> => valueOf(server(), `colophon_${name}`);
    const acts = (await line('store_acts_total')) as number;
    const entries = (await line('log_entries')) as number;
    await server().anybody('/api/dispatch', { key: 'MIRROR_FEED', body: 'rules' });
    expect(await line('store_acts_total')).toBe(acts + 1);
    await expect.poll(() => line('log_entries')).toBe(entries + 1);
    expect(await line('store_unlogged_entries')).toBe(0);
    expect(await line('store_queue_acts')).toBe(0);
    expect(await line('jobs_open')).toBe(0);
    expect(await line('store_batch_seconds_count')).toBeGreaterThan(0);
    await expect.poll(() => line('search_behind_entries'), { timeout: 10_000 }).toBe(0);
  });

  it('count the open event streams', async () => {
    const open = (): Promise<number | undefined> => valueOf(server(), 'colophon_event_streams_open');
    expect(await open()).toBe(0);
    const clients = await Promise.all(
      [1, 2].map(() => EventClient.open(server().base, '/api/events?after=-1')),
    );
    expect(await open()).toBe(2);
    await clients[0]?.close();
    await expect.poll(open).toBe(1);
    await clients[1]?.close();
    await expect.poll(open).toBe(0);
  });

  it('keep a bounded number of lines, whatever paths are requested', async () => {
    const before = (await get(server())).text.split('\n').length;
    for (let n = 0; n < 50; n++) await server().fetch(`/made-up-${n}`);
    for (let n = 0; n < 50; n++) await server().fetch(`/api/articles/made-up-${n}`);
    expect((await get(server())).text.split('\n').length - before).toBeLessThan(30);
  });
});

/** Locks all tables. The server may be the one that PostgreSQL lets finish where both wait for each other. */
async function lockTables(holder: pg.Client, tables: readonly string[]): Promise<void> {
  try {
    await holder.query(`BEGIN; LOCK TABLE ${tables.join(', ')}`);
  } catch (error) {
    if ((error as pg.DatabaseError).code !== '40P01') throw error;
    await holder.query('ROLLBACK');
    await lockTables(holder, tables);
  }
}

describe.runIf(hasPostgres)('the metrics of a server whose database does not respond', () => {
  it('include the process, and report values of the ledger as NaN', async () => {
    const postgres = await sharedPostgres();
    const url = await postgres.database();
    const server = await startServer({ DATABASE_URL: url });
    expect((await get(server)).text).toMatch(/^colophon_log_entries \d+$/m);
    const tables = await postgres.query<{ name: string }>(
      "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')",
      [],
      url,
    );
    const holder = new pg.Client(url);
    await holder.connect();
    await lockTables(
      holder,
      tables.map(({ name }) => name),
    );
    const { status, text } = await get(server);
    expect(status).toBe(200);
    expect(text).toMatch(/^colophon_log_entries NaN$/im);
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
    expect(text).toMatch(/^colophon_store_queue_acts 0$/m);
    await holder.query('ROLLBACK');
    await holder.end();
    expect((await get(server)).text).toMatch(/^colophon_log_entries \d+$/m);
    await server.stop();
    await postgres.stop();
  });
});

describe('a request for the metrics', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer({ COLOPHON_TRUST_PROXY: '127.0.0.1' });
  });
  afterAll(async () => {
    expect(server.errors).toEqual([]);
    await server.stop();
  });

  it.each<readonly [string, Headers]>([
    ['comes from elsewhere through a proxy', { 'x-forwarded-for': '192.0.2.7' }],
    ['comes from loopback through a proxy', { 'x-forwarded-for': '127.0.0.1' }],
    ['was forwarded by a proxy with the Forwarded header', { forwarded: 'for=192.0.2.7' }],
    ['has the Host header of another machine', { host: 'rebound.example:8787' }],
    ['has an unreadable Host header', { host: '%' }],
  ])('is refused when it %s', async (_, headers) => {
    const { status, text } = await get(server, headers);
    expect([status, (JSON.parse(text) as Answer)['error']]).toEqual([403, 'owner_only']);
  });

  it('shows how many reads were answered before routing', async () => {
    await server.article('# Rules\n\nOne.\n', { slug: 'rules' });
    for (let n = 0; n < 3; n++) await (await server.fetch('/api/articles/rules')).text();
    expect(await valueOf(server, 'colophon_http_warm_reads_total')).toBe(2);
    const routed = 'colophon_http_requests_total{method="GET",route="/api/articles/:slug",status="2xx"}';
    expect(await valueOf(server, routed)).toBe(1);
  });

  it('succeeds with the owner key from any address', async () => {
    const { status, text } = await get(server, { ...owner, 'x-forwarded-for': '192.0.2.7' });
    expect(status).toBe(200);
    expect(text).toContain('colophon_log_entries ');
  });

  it('is refused with any other credential, even from the same machine', async () => {
    const wrong = await get(server, { 'x-terminal-key': 'tk_wrong' });
    expect(wrong.status).toBe(401);
    const { credential } = await server.read('/start');
    const share = await get(server, { authorization: `Bearer ${(credential as Answer)['token']}` });
    expect([share.status, (JSON.parse(share.text) as Answer)['error']]).toEqual([403, 'owner_only']);
    const inQuery = await get(server, {}, `/metrics?share=${(credential as Answer)['token']}`);
    expect(inQuery.status).toBe(400);
  });
});
