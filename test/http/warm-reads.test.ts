/** Reads answered from the cache before routing: identical to routed responses and never stale. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, terminalKey, type TestServer } from '../support/server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
  await server.article('# Warm\n\nOne.\n\n' + 'A line that makes compression worth it.\n\n'.repeat(60), {
    slug: 'warm',
  });
});

afterAll(async () => {
  await server.stop();
});

const paths = [
  '/api/articles/warm',
  '/api/articles/warm?format=markdown',
  '/api/articles/warm/voxels',
  '/a/warm',
];

async function answer(path: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await server.fetch(path, { headers: { 'accept-encoding': 'identity', ...headers } });
  const { date: _date, 'x-request-id': _id, ...told } = Object.fromEntries(response.headers);
  return { status: response.status, headers: told, body: await response.text() };
}

/** The short way leaves out of a 304 what the client has already. */
async function isWarm(path: string): Promise<boolean> {
  const { headers } = await answer(path);
  const again = await answer(path, { 'if-none-match': headers['etag'] as string });
  expect(again.status).toBe(304);
  return again.headers['content-security-policy'] === undefined;
}

describe('a repeated read', () => {
  it.each(paths)('equals the first response: %s', async (path) => {
    const first = await answer(path);
    const second = await answer(path);
    expect(first.status).toBe(200);
    expect(second).toEqual(first);
    expect(second.headers['content-security-policy']).toContain("default-src 'none'");
    expect(second.headers['cache-control']).toBe('public, max-age=0, must-revalidate');
    expect(await isWarm(path)).toBe(true);
  });

  it('is compressed on request, with an ETag of its own', async () => {
    const plain = await answer('/api/articles/warm');
    const packed = await answer('/api/articles/warm', { 'accept-encoding': 'br' });
    expect(packed.headers['content-encoding']).toBe('br');
    expect(packed.headers['etag']).toBe(plain.headers['etag']?.replace(/"$/, '-br"'));
    expect(packed.body).toBe(plain.body);
  });

  it('is current as soon as the article was written to', async () => {
    for (let round = 1; round <= 5; round++) {
      for (const path of paths) await answer(path);
      const { headers } = await answer('/api/articles/warm');
      const body = await server.read('/api/articles/warm/voxels');
      const [, div] = body['divs'] as readonly { readonly div_id: string; readonly vx_hash: string }[];
      await server.owner('/api/protocol/voxel-edit', {
        slug: 'warm',
        div_id: div?.div_id,
        expected_hash: div?.vx_hash,
        text: `Edited ${round}.`,
      });
      for (const path of paths) expect((await answer(path)).body).toContain(`Edited ${round}.`);
      const changed = await answer('/api/articles/warm', { 'if-none-match': headers['etag'] as string });
      expect(changed.status).toBe(200);
    }
  });

  it('with a credential bypasses the cache, and stays private', async () => {
    expect(await isWarm('/api/articles/warm')).toBe(true);
    const owned = await answer('/api/articles/warm', { 'x-terminal-key': terminalKey });
    expect([owned.status, owned.headers['cache-control']]).toEqual([200, 'private, no-store']);
    const wrong = await answer('/api/articles/warm', { authorization: 'Bearer sh.nothing' });
    expect([wrong.status, wrong.headers['cache-control']]).toEqual([401, 'private, no-store']);
  });

  it('by HEAD has the same ETag and no body', async () => {
    const get = await answer('/api/articles/warm');
    const head = await server.fetch('/api/articles/warm', {
      method: 'HEAD',
      headers: { 'accept-encoding': 'identity' },
    });
    expect(head.status).toBe(200);
    expect(head.headers.get('etag')).toBe(get.headers['etag']);
    expect(await head.text()).toBe('');
  });
});

describe('warm reads under the rate limit', () => {
  it('count like other reads', async () => {
    const limited = await startServer({ COLOPHON_RATE_LIMIT: 'on' });
    try {
      await limited.article('# Counted\n\nText.\n', { slug: 'counted' });
      const statuses: number[] = [];
      for (let i = 0; i < 1300; i++) {
        const response = await limited.fetch('/api/articles/counted');
        await response.arrayBuffer();
        statuses.push(response.status);
      }
      expect(statuses.filter((status) => status === 200).length).toBe(1200);
      expect(statuses.slice(-50)).toEqual(Array.from({ length: 50 }, () => 429));
    } finally {
      await limited.stop();
    }
  });
});
