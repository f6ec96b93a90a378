/**
 * `/api/build-landscape` and `/api/normandy` (spec §4.4, contract §7): cohorts and their comparison tables are free
 * reads; queueing and leasing are dispatched as the rows LANDSCAPE_QUEUE and LANDSCAPE_NEXT.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { dispatch } from '../../app/pipeline/dispatch.ts';
import { compareCohort, type Comparison } from '../../app/reads/comparison.ts';
import { cohortJson, listCohorts, readAssignment, readCohort } from '../../app/reads/landscape.ts';
import { nameOfTenant } from '../../app/reads/workspaces.ts';
import type { Service } from '../../app/service.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import { links } from '../../domain/links.ts';
import { allWrong } from '../../domain/violations.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { canonicalJson, type JsonObject } from '../../kernel/json.ts';
import { labelledMarkdown } from '../../represent/untrusted.ts';
import { tableCsv, tableMarkdown, type TextTable } from '../../represent/comparison-text.ts';
import { body, privateCache, sendProblem, sendTagged } from './envelope.ts';
import type { Intake } from './intake.ts';
import { sendProtocolAnswer } from './protocol-routes.ts';
import {
  idempotencyKeyOf,
  isCredentialed,
  isPrefetch,
  presentedBy,
  readObject,
  readQuery,
  stringMember,
  wholeNumber,
  type Query,
} from './requests.ts';
import { schemaLink } from './schema-routes.ts';
import { declare, declared, readable } from './declare.ts';
import {
  formatOf,
  limit as pageLimit,
  once,
  place as placed,
  switched,
  words,
  wholeNumberUpTo,
} from './parameters.ts';
import { placeOf, viewerOf } from './viewer.ts';
import { lanes } from '../../model/vocabulary.ts';

const path = '/api/build-landscape';
const actions: Readonly<Record<string, string>> = {
  queue_targets: 'LANDSCAPE_QUEUE',
  next: 'LANDSCAPE_NEXT',
};
const landscape = declare({
  id: 'readLandscape',
  summary: 'Cohorts, one cohort, or its comparison table; with next=1 it leases the next item of a lane.',
  tag: 'landscape',
  caller: 'anybody',
  query: {
    next: switched('leases an item, as POST does; everything else only reads'),
    // The row judges it: a lease that fails leaves its receipt.
    lane: words(`whose next item, with next=1: ${lanes.join(', ')}`),
    n: once,
    cohort: words('the name of a cohort'),
    table: switched('targets by axes; with cohort'),
    format: formatOf('json', 'markdown', 'csv'),
    limit: pageLimit,
    cursor: wholeNumberUpTo(1_000_000, 'how many come before: follow next as it stands'),
    ...placed,
  },
  rules: (query) => (query['next'] === undefined ? readFaults(query) : leaseFaults(query)),
  answers: ['landscape', 'cohort', 'comparison', 'Written'],
  types: ['text/markdown', 'text/csv'],
});
const queueing = declare({
  id: 'workOnLandscape',
  summary:
    'Queues targets into a cohort (LANDSCAPE_QUEUE) or leases the next item of a lane (LANDSCAPE_NEXT).',
  tag: 'landscape',
  caller: 'holder',
  query: placed,
  row: actions,
});
const assignment = declare({
  id: 'readAssignment',
  summary: 'An assignment: what it is about, its snapshot, and what it led to.',
  tag: 'landscape',
  caller: 'anybody',
  query: { assignment: words('an id such as norm_…'), ...placed },
  needed: ['assignment'],
  answers: ['assignment'],
});

export function landscapeRoutes(app: FastifyInstance, service: Service, intake: Intake): void {
  const { base } = service;

  const call = async (
    request: FastifyRequest,
    reply: FastifyReply,
    key: string,
    args: JsonObject,
    token?: string,
    place: { readonly n?: string | undefined; readonly workspace?: string | undefined } = {},
  ): Promise<FastifyReply> => {
    const presented = presentedBy(request, token);
    if (isFault(presented)) return sendProblem(reply, request, base, presented);
    if (isCredentialed(presented)) void reply.header('referrer-policy', 'no-referrer');
    const text = canonicalJson(args);
    const answer = await dispatch(service, {
      key,
      body: text,
      presented,
      workspace: place.workspace,
      method: request.method === 'POST' ? 'POST' : 'GET',
      n: place.n,
      idempotencyKey: idempotencyKeyOf(request),
      channel: 'http',
      client: intake.address(request),
      meter: intake.meter(request),
    });
    return sendProtocolAnswer(reply, request, service, answer, intake);
  };

  app.get(path, declared(landscape), async (request, reply) => {
    const query = readQuery(request, landscape);
    if (isFault(query)) return sendProblem(reply, request, base, query);
    const { next, lane = '', cohort, n, workspace } = query;
    if (next === undefined) return read(service, intake, request, reply, query);
    if (isPrefetch(request)) return sendProblem(reply, request, base, prefetched);
    const args = { lane, ...(cohort === undefined ? {} : { cohort }) };
    return call(request, reply, 'LANDSCAPE_NEXT', args, undefined, { n, workspace });
  });

  // A HEAD asks about a resource; it leases nothing.
  app.head(path, async (_request, reply) => reply.code(204).header('cache-control', privateCache).send());

  app.post(path, declared(queueing), async (request, reply) => {
    const object = readObject(request);
    if (isFault(object)) return sendProblem(reply, request, base, object);
    const query = readQuery(request, queueing);
    const token = stringMember(object, 'key');
    const { action, key: _token, ...args } = object;
    const row = rowOfAction(action);
    if (isFault(query) || isFault(token) || isFault(row))
      return sendProblem(reply, request, base, allWrong('/', query, token, row) as Fault);
    return call(request, reply, row, args, token, { workspace: query['workspace'] });
  });

  app.get('/api/normandy', readable(assignment), async (request, reply) => {
    const query = readQuery(request, assignment);
    if (isFault(query)) return sendProblem(reply, request, base, query);
    const viewer = await viewerOf(service, request, reply, intake);
    if (isFault(viewer)) return sendProblem(reply, request, base, viewer);
    const place = await placeOf(service, viewer, query);
    if (isFault(place)) return sendProblem(reply, request, base, place);
    const tenant = query['workspace'] === undefined ? undefined : place;
    const id = query['assignment'];
    const found =
      id === undefined
        ? fault('invalid_request', '"assignment" is missing.', 'Name it, such as assignment=norm_….', {
            parameter: 'assignment',
          })
        : await readAssignment(service, viewer, tenant, id);
    if (isFault(found)) return sendProblem(reply, request, base, found);
    const self = {
      kind: 'assignment',
      name: id ?? '',
      what: 'An assignment: what it is about, its snapshot, and what it led to. Texts in it are untrusted.',
      read: links.assignment(base, id ?? ''),
      write: links.batch(base),
      schema: schemaLink(base, 'assignment'),
    };
    return sendTagged(request, reply, body(self, found));
  });
}

function rowOfAction(action: unknown): string | Fault {
  if (typeof action === 'string' && Object.hasOwn(actions, action)) return actions[action] as string;
  return fault(
    'invalid_request',
    '"action" names nothing that can be done here.',
    'Send action queue_targets or next.',
    { parameter: 'action' },
  );
}

const prefetched = fault('invalid_request', 'A prefetch leases nothing.', 'Open the address itself.');

function bad(parameter: string, message: string, fix: string): Fault {
  return fault('invalid_request', message, fix, { parameter });
}

function leaseFaults(query: Query): readonly Fault[] {
  return ['table', 'format', 'limit', 'cursor']
    .filter((name) => query[name] !== undefined)
    .map((name) => bad(name, `"${name}" has no meaning beside next.`, `Leave ${name} out.`));
}

async function read(
  service: Service,
  intake: Intake,
  request: FastifyRequest,
  reply: FastifyReply,
  query: Query,
): Promise<FastifyReply> {
  const { base } = service;
  const viewer = await viewerOf(service, request, reply, intake);
  if (isFault(viewer)) return sendProblem(reply, request, base, viewer);
  const { cohort, table, format = 'json' } = query;
  const tenant = await placeOf(service, viewer, query, cohort);
  if (isFault(tenant)) return sendProblem(reply, request, base, tenant);
  if (cohort === undefined) {
    const name = await nameOfTenant(service, tenant);
    const address = `${base}${path}${name === mainTenant ? '' : `?workspace=${name}`}`;
    const self = {
      kind: 'landscape',
      name: 'landscape',
      what: 'Cohorts of targets and how far each lane has come.',
      read: address,
      write: address,
      schema: schemaLink(base, 'landscape'),
    };
    return sendTagged(request, reply, body(self, await listCohorts(service, tenant)));
  }
  const limit = wholeNumber(query, 'limit', landscape.query.limit);
  if (isFault(limit)) return sendProblem(reply, request, base, limit);
  const cursor = wholeNumber(query, 'cursor', landscape.query.cursor);
  if (isFault(cursor)) return sendProblem(reply, request, base, cursor);
  if (table === undefined) {
    const found = await readCohort(service, tenant, cohort, limit, cursor);
    if (isFault(found)) return sendProblem(reply, request, base, found);
    const { read: address, table: comparison } = found as { readonly read: string; readonly table: string };
    const self = {
      kind: 'cohort',
      name: cohort,
      what: 'A cohort: its lanes, and where each item stands. Names in it are untrusted.',
      read: address,
      schema: schemaLink(base, 'cohort'),
      next: [comparison],
    };
    return sendTagged(request, reply, body(self, found));
  }
  const found = await compareCohort(service, tenant, viewer, cohort, limit, cursor);
  if (isFault(found)) return sendProblem(reply, request, base, found);
  if (format === 'markdown')
    return sendTagged(
      request,
      reply,
      labelledMarkdown(tableMarkdown(textOf(found))),
      'text/markdown; charset=utf-8',
    );
  if (format === 'csv') return sendTagged(request, reply, tableCsv(textOf(found)), 'text/csv; charset=utf-8');
  const self = {
    kind: 'comparison',
    name: cohort,
    what: 'Targets by axes; a cell is empty until a claim with a source fills it. Texts in it are untrusted.',
    read: links.comparison(base, found.cohort.address),
    schema: schemaLink(base, 'comparison'),
    next: [links.landscape(base, found.cohort.address)],
  };
  return sendTagged(request, reply, body(self, comparisonJson(service, found, limit)));
}

function readFaults({ cohort, table, format = 'json', lane, n }: Query): readonly (Fault | undefined)[] {
  const stray = lane === undefined ? 'n' : 'lane';
  return [
    lane === undefined && n === undefined
      ? undefined
      : bad(stray, 'lane and n belong to next=1.', 'Add next=1, or leave them out.'),
    table === undefined || cohort !== undefined
      ? undefined
      : bad('cohort', 'A table is that of a cohort.', 'Name it, such as cohort=http-servers.'),
    format === 'json' || table !== undefined
      ? undefined
      : bad('format', 'A table comes as json, markdown or csv, everything else as json.', 'Use one of them.'),
  ];
}

function comparisonJson({ base, now }: Service, found: Comparison, limit: number): JsonObject {
  const { cohort, axes, rows, filled, after } = found;
  const table = links.comparison(base, cohort.address);
  const { read: _read, table: _table, ...facts } = cohortJson(base, cohort, new Date(now()).toISOString());
  return {
    ...facts,
    axes: [...axes],
    count: rows.length,
    cells: { all: rows.length * axes.length, filled },
    rows: rows.map((row) => ({ ...row })),
    formats: ['markdown', 'csv'].map((format) => `${table}&format=${format}`),
    next: after === null ? null : `${table}&limit=${limit}&cursor=${after}`,
  };
}

function textOf({ cohort, axes, rows }: Comparison): TextTable {
  return {
    title: `${cohort.row.name}: ${cohort.row.query}`,
    axes,
    rows: rows.map(({ target, cells }) => ({
      name: target.name,
      cells: cells.map(({ claim }) => (claim === null ? null : { text: claim.text, url: claim.url })),
    })),
  };
}
