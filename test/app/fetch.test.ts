import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { RequestListener } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { decodeText } from '../../src/app/outside/fetch-body.ts';
import { fetcher } from '../../src/app/outside/fetch.ts';
import type { FetchRequest } from '../../src/domain/outside/outside.ts';
import { parseEgressAllow, type EgressAllow } from '../../src/guard/egress.ts';
import { isFault } from '../../src/kernel/fault.ts';
import { startPeer, type Peer } from '../support/peer.ts';

const peers: Peer[] = [];
afterEach(async () => {
  for (const peer of peers.splice(0)) await peer.stop();
});

async function peerOf(answer: RequestListener): Promise<Peer> {
  const peer = await startPeer(answer);
  peers.push(peer);
  return peer;
}

const loopback = parseEgressAllow('127.0.0.1') as EgressAllow;

/** What came of a request: the reason or code of a refusal, or status and text. */
async function tried(
  request: FetchRequest,
  names: Readonly<Record<string, readonly string[]>> = {},
  allow: EgressAllow = loopback,
): Promise<string> {
  const fetched = await fetcher({
    allow,
    userAgent: 'Colophon/test',
    resolve: async (host) => names[host] ?? [],
  })(request);
  if (isFault(fetched)) return `${fetched.fault} ${String(fetched.details?.['reason'] ?? '')}`.trim();
  return `${fetched.status} ${decodeText(fetched)}`;
}

describe('an outgoing request', () => {
  it('sends the host name to the address that was checked', async () => {
    const peer = await peerOf((request, reply) => reply.end(`hello ${request.headers.host}`));
    const url = `http://page.test:${peer.port}/a?b=c`;
    expect(await tried({ url }, { 'page.test': ['127.0.0.1'] })).toBe(`200 hello page.test:${peer.port}`);
    expect(peer.asked).toEqual(['GET /a?b=c']);
    expect(peer.requests[0]?.headers['user-agent']).toBe('Colophon/test');
  });

  it('resolves a name once, so a second DNS answer changes nothing', async () => {
    const peer = await peerOf((_request, reply) => reply.end('first'));
    const answers = [['127.0.0.1'], ['10.0.0.1']];
    const asked: string[] = [];
    const fetched = await fetcher({
      allow: loopback,
      userAgent: 'x',
      resolve: async (host) => {
        asked.push(host);
        return answers[asked.length - 1] as string[];
      },
    })({ url: `http://rebind.test:${peer.port}/` });
    expect([isFault(fetched), asked]).toEqual([false, ['rebind.test']]);
  });

  it('never reaches a non-public address, whatever the URL', async () => {
    const peer = await peerOf((_request, reply) => reply.end('inside'));
    const { port } = peer;
    const names = {
      'inside.test': ['127.0.0.1'],
      'mixed.test': ['93.184.216.34', '127.0.0.1'],
      'mapped.test': ['::ffff:127.0.0.1'],
      'meta.test': ['169.254.169.254'],
    };
    const urls = [
      `http://127.0.0.1:${port}/`,
      `http://2130706433:${port}/`,
      `http://[::ffff:127.0.0.1]:${port}/`,
      `http://inside.test:${port}/`,
      `http://mixed.test:${port}/`,
      `http://mapped.test:${port}/`,
      `http://meta.test/latest/meta-data/`,
    ];
    for (const url of urls) expect(await tried({ url }, names, [])).toBe('runner_failed egress_refused');
    expect(peer.asked).toEqual([]);
  });

  it('checks every redirect again', async () => {
    const inside = await peerOf((_request, reply) => reply.end('inside'));
    const outside = await peerOf((_request, reply) => {
      reply.writeHead(302, { location: `http://inside.test:${inside.port}/secret` }).end();
    });
    const names = { 'outside.test': ['127.0.0.1'], 'inside.test': ['10.0.0.1'] };
    expect(await tried({ url: `http://outside.test:${outside.port}/` }, names)).toBe(
      'runner_failed egress_refused',
    );
    expect([outside.asked, inside.asked]).toEqual([['GET /'], []]);
  });

  it('follows relative redirects up to a limit, and drops headers for another host', async () => {
    const other = await peerOf((request, reply) => reply.end(`other ${String(request.headers['x-secret'])}`));
    const peer = await peerOf((request, reply) => {
      if (request.url === '/away') reply.writeHead(307, { location: `${other.base}/` });
      else if (request.url === '/loop') reply.writeHead(301, { location: '/loop' });
      else if (request.url === '/a') reply.writeHead(302, { location: 'b' });
      else if (request.url === '/file') reply.writeHead(302, { location: 'file:///etc/passwd' });
      reply.end(`${request.url} ${String(request.headers['x-secret'])}`);
    });
    const headers = { 'x-secret': 'mine' };
    expect(await tried({ url: `${peer.base}/a`, headers })).toBe('200 /b mine');
    expect(await tried({ url: `${peer.base}/away`, headers })).toBe('200 other undefined');
    expect(await tried({ url: `${peer.base}/file` })).toBe('runner_failed egress_refused');
    const before = peer.asked.length;
    expect(await tried({ url: `${peer.base}/loop`, redirectsMax: 3 })).toBe('runner_failed fetch_failed');
    expect(peer.asked.length - before).toBe(4);
    expect(await tried({ url: `${peer.base}/a`, method: 'POST', body: 'x' })).toBe('302 /a undefined');
  });

  it('reads no more than its limit, whatever the compression or framing', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000));
    const peer = await peerOf((request, reply) => {
      if (request.url === '/bomb')
        reply.setHeader('content-encoding', 'gzip').setHeader('content-type', 'text/plain').end(bomb);
      else if (request.url === '/br')
        reply.setHeader('content-encoding', 'br').end(brotliCompressSync('packed'));
      else if (request.url === '/odd') reply.setHeader('content-encoding', 'zstd').end('x');
      else {
        const write = (): void => {
          while (!reply.destroyed && reply.write('x'.repeat(65_536)));
          if (!reply.destroyed) reply.once('drain', write);
        };
        write();
      }
    });
    expect(await tried({ url: `${peer.base}/bomb`, bytesMax: 100_000 })).toBe('runner_failed too_large');
    expect(await tried({ url: `${peer.base}/endless`, bytesMax: 100_000 })).toBe('runner_failed too_large');
    expect(await tried({ url: `${peer.base}/br` })).toBe('200 packed');
    expect(await tried({ url: `${peer.base}/odd` })).toBe('runner_failed fetch_failed');
  });

  it('reads only the requested media types', async () => {
    const peer = await peerOf((request, reply) => {
      if (request.url === '/nothing') return reply.writeHead(204).end();
      if (request.url === '/problem') reply.setHeader('content-type', 'application/problem+json');
      else reply.setHeader('content-type', 'image/png');
      return reply.end('png');
    });
    expect(await tried({ url: `${peer.base}/problem`, types: ['application/json'] })).toBe('200 png');
    expect(await tried({ url: `${peer.base}/nothing`, types: ['text/'] })).toBe('204 ');
    expect(await tried({ url: peer.base, types: ['text/'] })).toBe('runner_failed media_type');
    expect(await tried({ url: peer.base, types: ['text/', 'image/png'] })).toBe('200 png');
  });

  it('ends at its time limit while reading headers or the body', async () => {
    const peer = await peerOf((request, reply) => {
      if (request.url === '/body') reply.writeHead(200, { 'content-type': 'text/plain' }).write('slow');
    });
    expect(await tried({ url: `${peer.base}/head`, timeoutMs: 60 })).toBe('runner_timeout');
    expect(await tried({ url: `${peer.base}/body`, timeoutMs: 60 })).toBe('runner_timeout');
  });

  it('reports an unresolved name or a refused connection without naming addresses', async () => {
    const peer = await startPeer((_request, reply) => reply.end());
    await peer.stop();
    expect(await tried({ url: 'http://nowhere.test/' })).toBe('runner_failed fetch_failed');
    const fetched = await fetcher({ allow: loopback, userAgent: 'x' })({ url: peer.base });
    expect(isFault(fetched) && fetched.message).toBe(
      'The URL could not be fetched: the connection failed (ECONNREFUSED).',
    );
  });

  it('decodes text in the charset of the header or the page', async () => {
    const latin = Buffer.from('<meta charset="iso-8859-1">caf\u00e9', 'latin1');
    const peer = await peerOf((request, reply) => {
      reply.setHeader('content-type', request.url === '/header' ? 'text/plain; charset=latin1' : 'text/html');
      reply.end(latin);
    });
    expect(await tried({ url: `${peer.base}/header` })).toBe('200 <meta charset="iso-8859-1">café');
    expect(await tried({ url: `${peer.base}/page` })).toBe('200 <meta charset="iso-8859-1">café');
  });
});
