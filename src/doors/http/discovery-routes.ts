/**
 * Descriptions that are the same for everybody (spec §4.1, §4.3, contract §7): references, the protocol, lane
 * guidance and the action definition for models; and the state of the service: `/healthz`, `/readyz`, `/robots.txt`.
 */
import { publicKeys } from '../../domain/workspaces/roles.ts';
import { actionsDocument } from '../../represent/actions.ts';
import { modelLane } from '../../represent/model-texts.ts';
import { body, bodyOr } from './envelope.ts';
import { operationId, route } from './route.ts';
import type { RouteServer } from './route-declaration.ts';
import { StoreUnreachable } from '../../engine/store.ts';
import { fault, type Fault } from '../../kernel/fault.ts';
import { mediaReply } from './replies.ts';
import { readGrow } from '../../app/reads/grow.ts';
import { protocolTree } from '../../app/reads/protocol-map.ts';
import { readThreadState, targetFault } from '../../app/reads/discourse.ts';
import { protocolName } from '../../model/vocabulary.ts';
import {
  constitution,
  llmManifest,
  ontology,
  referenceMarkdown,
  systemMap,
} from '../../represent/references.ts';
import { formatOf, limit as pageLimit, shareOnly, stringParam, workspaceAndShare } from './parameters.ts';
import { schemaLink } from './schema-routes.ts';

const described = {
  tag: 'discovery',
  caller: 'none',
  query: {},
  cache: 'public, max-age=300',
  etag: true,
} as const;

export function discoveryRoutes(server: RouteServer): void {
  const { base } = server.service;
  route(
    server,
    {
      ...described,
      get: '/api/model-lane',
      id: 'readModelLane',
      summary: 'What a web-model runtime of each kind can do here.',
      answers: ['ModelLanes'],
    },
    () => {
      const self = {
        kind: 'guidance',
        name: 'model-lane',
        what: 'What a web-model runtime of each kind can do here.',
        read: `${base}/api/model-lane`,
        next: [`${base}/start`, `${base}/api/openai/actions.json`, `${base}/api/dispatch?map=1`],
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
      answers: ['OpenApi'],
    },
    // As text: members keep their order, in which a runtime reads them.
    () => mediaReply('application/json; charset=utf-8', JSON.stringify(actionsDocument(base))),
  );
}

const stateRoute = { tag: 'discovery', caller: 'none', query: undefined } as const;

/** Probes expect an answer within one or two seconds. */
const readyWithinMs = 1000;

/** A write that waits for longer is not answered as clients expect: the next one would wait behind it. */
const writesWithinMs = 2000;

/** What the deployment is still preparing, as a clause; undefined when it is ready. */
export type NotReady = () => string | undefined;

export function stateRoutes(server: RouteServer, notReady: NotReady): void {
  const { store, base } = server.service;
  const json = { ...stateRoute, fresh: true, cache: 'no-store' } as const;
  const text = { ...stateRoute, json: false, types: ['text/plain'] } as const;

  route(
    server,
    {
      ...json,
      get: '/healthz',
      id: 'readLiveness',
      summary: 'Whether the process answers.',
      answers: ['Liveness'],
    },
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
      answers: ['Readiness'],
    },
    async () => {
      try {
        const entries = await store.probe(readyWithinMs);
        const waitingMs = store.load.oldestMs;
        if (waitingMs > writesWithinMs) return stalled(waitingMs);
        const awaited = notReady();
        return awaited === undefined ? { ok: true, entries } : starting(awaited);
      } catch (error) {
        if (!(error instanceof StoreUnreachable)) throw error;
        return unreachable(error);
      }
    },
  );
  const robots = `User-agent: *\n${crawling.join('\n')}\n\nSitemap: ${base}/sitemap.xml\n`;
  route(
    server,
    { ...text, get: '/robots.txt', id: 'readRobots', summary: 'What crawlers leave alone.' },
    () => mediaReply('text/plain; charset=utf-8', robots),
  );
}

/** Shares, calls, the desk, and pages of which there are as many as one may type. */
const crawling = [
  'Allow: /start/help',
  'Disallow: /start',
  'Disallow: /api/dispatch',
  'Disallow: /owner',
  'Disallow: /search?',
  'Disallow: /recent?',
];

function starting(awaited: string): Fault {
  return fault('overloaded', `The deployment is starting: ${awaited}.`, 'Ask again in a second.');
}

function stalled(waitingMs: number): Fault {
  return fault(
    'overloaded',
    `Writes are not answered: the oldest has waited for ${Math.round(waitingMs / 1000)} seconds.`,
    'See what the database or the disk is doing; this server goes on by itself once writes are answered again.',
  );
}

function unreachable({ message, fix }: StoreUnreachable): Fault {
  return fault(
    'overloaded',
    `The ledger cannot be reached: ${message}.`,
    fix ??
      'See that the database runs and takes connections from here; this server goes on by itself once it does.',
  );
}

export function referenceRoutes(server: RouteServer): void {
  const { service } = server;
  const { base } = service;
  const references = {
    constitution: {
      what: 'The slots that an article fills, and the rules for its claims.',
      make: constitution,
    },
    ontology: { what: 'The words of the ledger and their allowed values.', make: ontology },
    'system-map': { what: 'The parts of the service.', make: () => systemMap(base) },
    'llm-manifest': {
      what: 'Where a language model starts and what it can rely on.',
      make: () => llmManifest(base),
    },
  } as const;
  for (const [name, { what, make }] of Object.entries(references))
    route(
      server,
      {
        get: `/api/articles/${name}`,
        id: operationId(`read-${name}`),
        summary: what,
        tag: 'discovery',
        caller: 'none',
        query: { format: formatOf('json', 'markdown') },
        answers: [name],
        types: ['text/markdown'],
        etag: true,
        cache: 'public, max-age=300',
      },
      ({ query }) => {
        if (query['format'] === 'markdown')
          return mediaReply('text/markdown; charset=utf-8', referenceMarkdown(name, make()));
        const read = `${base}/api/articles/${name}`;
        return body({ kind: 'reference', name, what, read, schema: schemaLink(base, name) }, make());
      },
    );

  route(
    server,
    {
      get: '/api/protocol',
      id: 'readProtocol',
      summary: 'The protocol as this service speaks it.',
      tag: 'discovery',
      caller: 'none',
      query: {},
      answers: ['protocol'],
      etag: true,
      cache: 'public, max-age=60',
    },
    () => {
      const self = {
        kind: 'protocol',
        name: protocolName,
        what: 'The protocol as this service speaks it.',
        schema: schemaLink(base, 'protocol'),
        next: [`${base}/api/dispatch?registry=1`],
      };
      return body(self, protocolTree(service));
    },
  );

  route(
    server,
    {
      get: '/api/protocol/thread-state',
      id: 'readThreadState',
      summary: 'Where the discourse of an article stands.',
      tag: 'articles',
      caller: 'optional',
      limit: 'read',
      query: { target: stringParam('the slug of an article'), ...shareOnly },
      needed: ['target'],
      rules: ({ target }) => [targetFault(target)],
      answers: ['thread-state'],
      etag: true,
    },
    async ({ query: { target }, viewer }) => {
      const self = {
        kind: 'thread',
        name: target ?? '',
        what: 'Where the discourse of an article stands.',
        schema: schemaLink(base, 'thread-state'),
      };
      return bodyOr(self, await readThreadState(service, viewer, target));
    },
  );

  route(
    server,
    {
      get: '/api/protocol/grow',
      id: 'readGrow',
      summary: 'What the ledger needs next, with a payload for each.',
      tag: 'articles',
      caller: 'optional',
      limit: 'read',
      tenant: true,
      query: { limit: pageLimit, ...workspaceAndShare },
      answers: ['grow'],
      etag: true,
      cache: 'public, max-age=60',
    },
    async ({ reading, number }) => {
      const self = {
        kind: 'grow',
        name: 'grow',
        what: 'What the ledger needs next, with a payload for each; texts in them are untrusted.',
        read: `${base}/api/protocol/grow`,
        schema: schemaLink(base, 'grow'),
      };
      return bodyOr(self, await readGrow(reading, number('limit')));
    },
  );
}
