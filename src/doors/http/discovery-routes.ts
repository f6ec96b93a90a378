/**
 * Descriptions and state of the service (spec §4.1, contract §7): lane guidance and the action definition for models,
 * `/healthz`, `/readyz` and `/robots.txt`.
 */
import { publicKeys } from '../../domain/workspaces/roles.ts';
import { actionsDocument } from '../../represent/actions.ts';
import { modelLane } from '../../represent/model-lane.ts';
import { body } from './envelope.ts';
import { route, type RouteServer } from './route.ts';
import { StoreUnreachable } from '../../engine/store.ts';
import { fault, type Fault } from '../../kernel/fault.ts';
import { mediaReply } from './replies.ts';

const described = { tag: 'discovery', caller: 'nobody', query: {}, cache: 'public, max-age=300' } as const;

export function discoveryRoutes(server: RouteServer): void {
  const { base } = server.service;
  route(
    server,
    {
      ...described,
      get: '/api/model-lane',
      id: 'readModelLane',
      summary: 'What a web-model runtime of each kind can do here.',
    },
    () => {
      const self = {
        kind: 'guidance',
        name: 'model-lane',
        what: 'What a web-model runtime of each kind can do here.',
        read: `${base}/api/model-lane`,
        next: [`${base}/api/openai/actions.json`, `${base}/api/dispatch?map=1`],
      };
      return body(self, modelLane(base, publicKeys));
    },
  );
  // A foreign format without envelope (contract §2).
  route(
    server,
    {
      ...described,
      get: '/api/openai/actions.json',
      id: 'readActions',
      summary: 'The action definition for web-model runtimes (OpenAPI 3.1, at most 30 operations).',
      json: false,
      types: ['application/json'],
    },
    () => actionsDocument(base),
  );
}

const stateRoute = { tag: 'discovery', caller: 'nobody', query: undefined, json: false } as const;

/** Probes expect an answer within one or two seconds. */
const readyWithinMs = 1000;

/** What the deployment is still preparing, as a clause; undefined when it is ready. */
export type NotReady = () => string | undefined;

export function stateRoutes(server: RouteServer, notReady: NotReady): void {
  const { store, base } = server.service;
  const json = { ...stateRoute, types: ['application/json'], cache: 'no-store' } as const;
  const text = { ...stateRoute, types: ['text/plain'] } as const;

  route(
    server,
    { ...json, get: '/healthz', id: 'readLiveness', summary: 'Whether the process answers.' },
    () => ({
      ok: true,
    }),
  );
  route(
    server,
    {
      ...json,
      get: '/readyz',
      id: 'readReadiness',
      summary: 'Whether the ledger answers and holds what it starts with; 503 where not.',
    },
    async () => {
      try {
        const entries = await store.probe(readyWithinMs);
        const awaited = notReady();
        return awaited === undefined ? { ok: true, entries } : starting(awaited);
      } catch (error) {
        if (!(error instanceof StoreUnreachable)) throw error;
        return unreachable(error);
      }
    },
  );
  const robots = `User-agent: *\nDisallow: /start\nDisallow: /api/dispatch\n\nSitemap: ${base}/sitemap.xml\n`;
  route(
    server,
    { ...text, get: '/robots.txt', id: 'readRobots', summary: 'What crawlers leave alone.' },
    () => mediaReply('text/plain; charset=utf-8', robots),
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
