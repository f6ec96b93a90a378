/** `/healthz`, `/readyz` and `/robots.txt` (contract §7): what runs, what answers, and what crawlers leave alone. */
import type { FastifyInstance } from 'fastify';
import type { Service } from '../../app/service.ts';
import { readable } from './declare.ts';

const described = { tag: 'discovery', caller: 'nobody', query: undefined } as const;
const health = {
  ...described,
  id: 'readLiveness',
  summary: 'Whether the process answers.',
  json: false,
  types: ['application/json'],
} as const;
const readiness = {
  ...health,
  id: 'readReadiness',
  summary: 'Whether the ledger answers; 503 where it does not.',
} as const;
const robots = {
  ...described,
  id: 'readRobots',
  summary: 'What crawlers leave alone.',
  json: false,
  types: ['text/plain'],
} as const;

export function stateRoutes(app: FastifyInstance, { store, base }: Service): void {
  app.get('/healthz', readable(health), async (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ ok: true }),
  );
  // Throws where the store does not answer, which is told as 503.
  app.get('/readyz', readable(readiness), async (_request, reply) => {
    const checkpoint = await store.read.checkpoint();
    return reply.header('cache-control', 'no-store').send({ ok: true, entries: checkpoint?.size ?? 0 });
  });
  app.get('/robots.txt', readable(robots), async (_request, reply) =>
    reply
      .header('content-type', 'text/plain; charset=utf-8')
      .send(`User-agent: *\nDisallow: /start\nDisallow: /api/dispatch\n\nSitemap: ${base}/sitemap.xml\n`),
  );
}
