/** `/assets/<hash>/…`: styles, client modules and the verifier, for ever under the hash of all of them. */
import type { FastifyInstance } from 'fastify';
import { privateCache } from '../http/envelope.ts';
import { readable } from '../http/route.ts';
import type { Site } from './site.ts';

const asset = {
  id: 'readAsset',
  summary: 'Styles, client modules and the verifier, under the hash of all of them.',
  tag: 'pages',
  caller: 'nobody',
  query: undefined,
  json: false,
  types: ['text/css', 'text/javascript', 'image/svg+xml'],
} as const;

const forEver = 'public, max-age=31536000, immutable';

export function assetRoute(app: FastifyInstance, site: Site): void {
  app.get('/assets/:hash/*', readable(asset), async (request, reply) => {
    const { hash = '', '*': path = '' } = request.params as Readonly<Record<string, string>>;
    const assets = site.assets();
    const found = hash === assets.hash ? assets.files.get(path) : undefined;
    if (found === undefined)
      return reply
        .code(404)
        .header('cache-control', privateCache)
        .header('content-type', 'text/plain; charset=utf-8')
        .send('There is no such asset.\n');
    void reply
      .header('content-type', found.type)
      .header('cache-control', forEver)
      .header('vary', 'accept-encoding');
    if (!/\bbr\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(found.bytes);
    return reply.header('content-encoding', 'br').send(await found.compressed());
  });
}
