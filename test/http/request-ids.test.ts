/** Every answer bears `X-Request-Id`: the caller's, or a new one (contract §2). */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, terminalKey, type TestServer } from '../support/server.ts';
import { routesOf } from './routes.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
  await server.article('# Named\n\nText.\n', { slug: 'named' });
});
afterAll(async () => {
  await server.stop();
});

async function idOf(path: string, init: RequestInit = {}): Promise<string | null> {
  const response = await fetch(`${server.base}${path}`, { redirect: 'manual', ...init });
  await response.body?.cancel();
  return response.headers.get('x-request-id');
}
const sent = async (id: string): Promise<string | null> =>
  idOf('/api/articles/named', { headers: { 'x-request-id': id } });

describe('the request id', () => {
  it('of the caller is on the answer of every route and method, refusals and streams included', async () => {
    const without: string[] = [];
    for (const { path } of await routesOf(server.deployment.http())) {
      const url = path.replaceAll(/:\w+|\*/g, 'named');
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE'])
        if ((await idOf(url, { method, headers: { 'x-request-id': 'caller-0001' } })) !== 'caller-0001')
          without.push(`${method} ${url}`);
    }
    expect(without).toEqual([]);
  });

  it('is on cached answers, 304 and answers to a credential', async () => {
    const first = await fetch(`${server.base}/api/articles/named`);
    await first.text();
    const ids = [first.headers.get('x-request-id')];
    for (const headers of [
      {},
      { 'if-none-match': String(first.headers.get('etag')) },
      { 'x-terminal-key': terminalKey },
    ])
      ids.push(await idOf('/api/articles/named', { headers: headers as Record<string, string> }));
    for (const id of ids) expect(id).toMatch(/^[\w-]{36}$/);
    expect(new Set(ids).size).toBe(4);
  });

  it('is new if the one that was sent is too short, too long, of other characters or a credential', async () => {
    expect(await sent('Aa0-_.zz')).toBe('Aa0-_.zz');
    expect(await sent('x'.repeat(128))).toBe('x'.repeat(128));
    for (const wrong of ['1234567', 'x'.repeat(129), 'with space', 'semi;colon', `sh.${'A'.repeat(48)}`]) {
      const id = await sent(wrong);
      expect([wrong, id === wrong, /^[\w-]{36}$/.test(String(id))]).toEqual([wrong, false, true]);
    }
  });

  it('is on answers to malformed HTTP and malformed addresses', async () => {
    const headers = { 'x-request-id': 'caller-0002' };
    for (const path of ['/api/%zz', '/a/%zz']) expect(await idOf(path, { headers })).toBe('caller-0002');
    const { port } = new URL(server.base);
    const answer = await new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = connect(Number(port), '127.0.0.1', () => socket.write('NONSENSE\r\n\r\n'));
      socket.on('data', (bytes) => (text += bytes.toString()));
      socket.on('end', () => {
        resolve(text);
      });
      socket.on('error', reject);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*\r\nx-request-id: [\w-]{36}\r\n/);
  });
});
