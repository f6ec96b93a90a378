/** `/healthz`, `/readyz` and `/robots.txt` (contract §7): what runs, what answers, and what crawlers leave alone. */
import type { FastifyInstance } from 'fastify';
import type { Service } from '../../app/service.ts';
import { StoreUnreachable } from '../../engine/store.ts';
import { fault, type Fault } from '../../kernel/fault.ts';
import { readable } from './declare.ts';
import { sendProblem } from './envelope.ts';

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
  summary: 'Whether the ledger answers and holds what it starts with; 503 where not.',
} as const;
const robots = {
  ...described,
  id: 'readRobots',
  summary: 'What crawlers leave alone.',
  json: false,
  types: ['text/plain'],
} as const;

/** What asks expects an answer within a second or two, and takes none for a no of an unknown kind. */
const readyWithinMs = 1000;

/** What the deployment still does before it is what it is to be, as a clause; undefined when it is done. */
export type Unready = () => string | undefined;

export function stateRoutes(app: FastifyInstance, { store, base }: Service, unready: Unready): void {
  app.get('/healthz', readable(health), async (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ ok: true }),
  );
  app.get('/readyz', readable(readiness), async (request, reply) => {
    try {
      const entries = await store.probe(readyWithinMs);
      const awaited = unready();
      if (awaited !== undefined) return sendProblem(reply, request, base, starting(awaited));
      return await reply.header('cache-control', 'no-store').send({ ok: true, entries });
    } catch (error) {
      if (!(error instanceof StoreUnreachable)) throw error;
      return sendProblem(reply, request, base, unreachable(error));
    }
  });
  app.get('/robots.txt', readable(robots), async (_request, reply) =>
    reply
      .header('content-type', 'text/plain; charset=utf-8')
      .send(`User-agent: *\nDisallow: /start\nDisallow: /api/dispatch\n\nSitemap: ${base}/sitemap.xml\n`),
  );
}

function starting(awaited: string): Fault {
  return fault('overloaded', `The deployment is starting: ${awaited}.`, 'Ask again in a second.');
}

function unreachable({ message, fix }: StoreUnreachable): Fault {
  return fault(
    'overloaded',
    `The ledger cannot be reached: ${message}.`,
    fix ??
      'See that the database runs and takes connections from here; this server goes on by itself once it does.',
  );
}
