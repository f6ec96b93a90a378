/** The sample of nginx (`deploy/nginx.conf`) before a real server: TLS, streams, client addresses, and what it logs. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request, type RequestOptions } from 'node:https';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startServer, type RunningServer } from '../support/process-server.ts';

const sample = resolve(import.meta.dirname, '../../deploy/nginx.conf');
const hasNginx = ['nginx', 'openssl'].every((command) => spawnSync(command, ['version']).error === undefined);
if (!hasNginx) console.warn('There is no nginx or no openssl here; the sample of nginx is not tried.');

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

describe.skipIf(!hasNginx)('the sample of nginx', () => {
  let folder: string;
  let server: RunningServer;
  let nginx: ChildProcess;
  let port: number;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'colophon-nginx-'));
    port = await freePort();
    server = await startServer({
      env: {
        COLOPHON_BASE_URL: `https://127.0.0.1:${port}`,
        COLOPHON_TRUST_PROXY: '127.0.0.1',
        COLOPHON_RATE_LIMIT: 'on',
        COLOPHON_LIMITS: 'failed_credentials=3',
        COLOPHON_LOG: 'info',
      },
    });
    const [certificate, key] = ['cert.pem', 'key.pem'].map((name) => join(folder, name)) as [string, string];
    const subject = ['-subj', '/CN=127.0.0.1', '-days', '2', '-nodes'];
    spawnSync('openssl', [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-keyout',
      key,
      '-out',
      certificate,
      ...subject,
    ]);
    writeFileSync(join(folder, 'nginx.conf'), edited(certificate, key, await freePort()));
    nginx = spawn('nginx', ['-c', join(folder, 'nginx.conf'), '-g', 'daemon off;'], { stdio: 'inherit' });
    await vi.waitFor(() => ask('/healthz'), { timeout: 20_000, interval: 100 });
  });

  afterAll(async () => {
    nginx?.kill('SIGTERM');
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The sample with the values of this test at its places to edit. */
  function edited(certificate: string, key: string, plainPort: number): string {
    let text = readFileSync(sample, 'utf8');
    for (const [from, to] of [
      ['server 127.0.0.1:8787;', `server 127.0.0.1:${server.port};`],
      ['listen 80;', `listen 127.0.0.1:${plainPort};`],
      ['listen 443 ssl http2;', `listen 127.0.0.1:${port} ssl http2;`],
      ['/etc/ssl/articles.example.pem', certificate],
      ['/etc/ssl/articles.example.key', key],
      ['/run/nginx.pid', join(folder, 'nginx.pid')],
      ['/var/log/nginx/error.log', join(folder, 'error.log')],
      ['/var/log/nginx/colophon.log', join(folder, 'access.log')],
    ] as const) {
      expect([from, text.split(from).length]).toEqual([from, 2]);
      text = text.replace(from, to);
    }
    return text;
  }

  function ask(path: string, options: RequestOptions = {}, body?: string | Buffer): Promise<Answer> {
    return new Promise((done, fail) => {
      const sent = request(
        `https://127.0.0.1:${port}${path}`,
        { rejectUnauthorized: false, agent: false, ...options },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part: string) => (text += part));
          response.on('end', () =>
            done({ status: response.statusCode ?? 0, headers: response.headers, text }),
          );
        },
      );
      sent.on('error', fail);
      sent.end(body);
    });
  }

  it('passes pages and writes through, with the request id and strict transport', async () => {
    const page = await ask('/');
    expect([page.status, page.headers['strict-transport-security']]).toEqual([200, 'max-age=31536000']);
    const headers = { 'content-type': 'application/json', 'x-terminal-key': server.terminalKey };
    const written = await ask(
      '/api/protocol/voxel-batch',
      { method: 'POST', headers },
      JSON.stringify({ document: { slug: 'behind-nginx', markdown: '# Behind nginx\n\nOne.\n' } }),
    );
    expect([written.status, written.headers['x-request-id']]).toEqual([200, expect.any(String)]);
  });

  it('gives a call one id, from its own log to the answer, the receipt, the service’s log and the trace', async () => {
    const call = async (headers: Record<string, string>) => {
      const answer = await ask(
        '/api/dispatch',
        {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-terminal-key': server.terminalKey, ...headers },
        },
        JSON.stringify({ key: 'ARTICLE_INSPECT', body: 'behind-nginx' }),
      );
      const { invocation } = JSON.parse(answer.text) as { invocation: { id: string } };
      return { id: answer.headers['x-request-id'], inv: invocation.id };
    };
    const lineOf = (text: string, what: string): Record<string, unknown> => {
      const line = text.split('\n').find((each) => each.includes(what));
      return JSON.parse(line ?? 'null') as Record<string, unknown>;
    };
    const traceparent = `00-${'a1'.repeat(16)}-${'b2'.repeat(8)}-01`;
    const named = await call({ 'x-request-id': 'from-the-client-1', traceparent });
    expect(named.id).toBe('from-the-client-1');
    const made = await call({ 'x-request-id': 'not well formed' });
    expect(made.id).toMatch(/^[\da-f]{32}$/);
    const stolen = await call({ 'x-request-id': `sh.${'A'.repeat(48)}` });
    expect(stolen.id).toMatch(/^[\da-f]{32}$/);
    await vi.waitFor(() => {
      const edge = readFileSync(join(folder, 'access.log'), 'utf8');
      for (const { id, inv } of [named, made, stolen]) {
        expect(lineOf(edge, `"request_id":"${String(id)}"`)).toMatchObject({
          path: '/api/dispatch',
          status: 200,
        });
        expect(lineOf(server.output(), `"inv":"${inv}"`)).toMatchObject({
          msg: 'call',
          request_id: id,
          key: 'ARTICLE_INSPECT',
          status: 'success',
        });
      }
    });
    // What a client says of traces ends here.
    expect(server.output()).not.toContain('a1a1a1');
    // Also on what nginx answers itself.
    expect((await ask('/metrics')).headers['x-request-id']).toMatch(/^[\da-f]{32}$/);
  });

  it('takes a body larger than the usual megabyte', async () => {
    const headers = { 'content-type': 'application/json', 'x-terminal-key': server.terminalKey };
    const body = JSON.stringify({
      document: { slug: 'large', markdown: `# Large\n\n${'word '.repeat(300_000)}` },
    });
    expect((await ask('/api/protocol/voxel-batch', { method: 'POST', headers }, body)).status).toBe(200);
  });

  it('hands on each event as it comes', async () => {
    const first = new Promise<string>((done, fail) => {
      const sent = request(
        `https://127.0.0.1:${port}/api/events?slug=behind-nginx`,
        { rejectUnauthorized: false, agent: false, headers: { accept: 'text/event-stream' } },
        (response) =>
          response.setEncoding('utf8').once('data', (part: string) => {
            sent.destroy();
            done(part);
          }),
      );
      sent.on('error', fail).end();
    });
    expect(await first).toMatch(/^(?:retry|id|event|data|:)/);
  });

  it('counts clients by the address that nginx saw, whatever they write', async () => {
    const statuses: number[] = [];
    for (const spoofed of ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4', '192.0.2.5']) {
      const headers = { 'x-forwarded-for': spoofed, 'x-terminal-key': 'tk_not-the-key-of-this-server' };
      statuses.push((await ask('/api/articles', { headers })).status);
    }
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
  });

  it('keeps credentials out of its access log, and metrics to the machine', async () => {
    const share = `sh.${'A'.repeat(48)}`;
    for (const path of [
      `/api/articles?share=${share}`,
      `/api/articles?SHARE=${share}`,
      `/api/articles?q=${share}`,
      `/api/articles?q=sh%2E${'A'.repeat(48)}`,
      `/drop/${share}`,
      `/notifications.xml?id=hook_1&token=${'B'.repeat(40)}`,
    ])
      await ask(path);
    expect((await ask('/metrics')).status).toBe(403);
    await ask('/api/articles?limit=3');
    const log = await vi.waitFor(() => {
      const text = readFileSync(join(folder, 'access.log'), 'utf8');
      expect(text).toContain('/api/articles?limit=3');
      return text;
    });
    expect(log).not.toMatch(/A{20}|B{20}/);
    expect(log).toContain('"path":"/api/articles?[credential]"');
    for (const line of log.trim().split('\n'))
      expect(JSON.parse(line)).toMatchObject({ client: '127.0.0.1' });
    expect(readFileSync(join(folder, 'error.log'), 'utf8')).not.toMatch(/A{20}|B{20}/);
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
