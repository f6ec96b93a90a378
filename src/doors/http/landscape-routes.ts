/**
 * `/api/build-landscape` and `/api/normandy` (spec §4.4, contract §7): cohorts and their comparison tables are free
 * reads; queueing and leasing are dispatched as the rows LANDSCAPE_QUEUE and LANDSCAPE_NEXT.
 */
import { authenticateReader } from '../../app/credentials/authenticate.ts';
import { compareCohort, type Comparison } from '../../app/reads/comparison.ts';
import { cohortJson, listCohorts, readAssignment, readCohort } from '../../app/reads/landscape.ts';
import { nameOfTenant } from '../../app/reads/workspaces.ts';
import type { CallerContext } from '../../app/read-context.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import { exactAnswer } from '../../model/exact.ts';
import { Comparison as ComparisonTable } from '../../model/landscape.ts';
import { lanes } from '../../model/vocabulary.ts';
import { links } from '../../domain/links.ts';
import { fault, type Fault, invalidParameter, isFault } from '../../kernel/fault.ts';
import { tableCsv, tableMarkdown, type TextTable } from '../../represent/landscape-text.ts';
import { labelledMarkdown } from '../../represent/untrusted.ts';
import { callRow } from './call-row.ts';
import { body, bodyOr } from './envelope.ts';
import {
  formatOf,
  limit as pageLimit,
  nonce,
  workspaceAndShare as placed,
  flag,
  stringParam,
  wholeNumberUpTo,
} from './parameters.ts';
import { countFailedCredential, isPrefetch, type Query } from './requests.ts';
import { mediaReply } from './replies.ts';
import { resolveTenant, route } from './route.ts';
import type { RouteAnswer, RouteContext, RouteServer } from './route-declaration.ts';
import { schemaLink } from './schema-routes.ts';

const path = '/api/build-landscape';
const actions: Readonly<Record<string, string>> = {
  queue_targets: 'LANDSCAPE_QUEUE',
  next: 'LANDSCAPE_NEXT',
};

export function landscapeRoutes(server: RouteServer): void {
  const { service, requestLimits } = server;
  const { base } = service;

  route(
    server,
    {
      get: path,
      id: 'readLandscape',
      summary: 'Cohorts, one cohort, or its comparison table; with next=1 it leases the next item of a lane.',
      tag: 'landscape',
      caller: 'optional',
      query: {
        next: flag('leases an item, as POST does; everything else only reads'),
        // Validated by the row, so that a failed lease leaves a receipt.
        lane: stringParam(`whose next item, with next=1: ${lanes.join(', ')}`),
        n: nonce,
        cohort: stringParam('the name of a cohort'),
        table: flag('targets by axes; with cohort'),
        format: formatOf('json', 'markdown', 'csv'),
        limit: pageLimit,
        cursor: wholeNumberUpTo(1_000_000, 'how many come before: follow next as it stands'),
        ...placed,
      },
      rules: (query) => (query['next'] === undefined ? readFaults(query) : leaseFaults(query)),
      answers: ['landscape', 'cohort', 'comparison', 'Written'],
      results: ['LANDSCAPE_NEXT'],
      types: ['text/markdown', 'text/csv'],
      auth: 'handler',
      fires: ({ next }) => next !== undefined,
      etag: true,
    },
    async (context) => {
      const { request, query } = context;
      const { next, lane = '', cohort, n } = query;
      if (next !== undefined) {
        if (isPrefetch(request)) return prefetched;
        const args = { lane, ...(cohort === undefined ? {} : { cohort }) };
        return callRow(server, context, 'LANDSCAPE_NEXT', args, { method: 'GET', n });
      }
      const limited = requestLimits.read(request);
      if (limited !== undefined) return limited;
      const viewer = await authenticateReader(service, context.presented);
      if (isFault(viewer)) return countFailedCredential(viewer, request, requestLimits);
      const tenant = await resolveTenant(service, viewer, query, cohort);
      return isFault(tenant) ? tenant : readLandscape(context, { ...service, viewer, tenant });
    },
  );

  route(
    server,
    {
      post: path,
      id: 'workOnLandscape',
      summary:
        'Queues targets into a cohort (LANDSCAPE_QUEUE) or leases the next item of a lane (LANDSCAPE_NEXT).',
      tag: 'landscape',
      caller: 'holder',
      query: placed,
      row: actions,
      bodyRules: ({ action }) => [rowOfAction(action)],
    },
    (context) => {
      const { action, ...args } = context.args;
      return callRow(server, context, rowOfAction(action) as string, args);
    },
  );

  route(
    server,
    {
      get: '/api/normandy',
      id: 'readAssignment',
      summary: 'An assignment: what it is about, its snapshot, and what it led to.',
      tag: 'landscape',
      caller: 'optional',
      limit: 'read',
      tenant: true,
      query: { assignment: stringParam('an id such as norm_…'), ...placed },
      needed: ['assignment'],
      answers: ['assignment'],
      etag: true,
    },
    async ({ query, viewer, tenant }) => {
      const id = query['assignment'] ?? '';
      const self = {
        kind: 'assignment',
        name: id,
        what: 'An assignment: what it is about, its snapshot, and what it led to. Texts in it are untrusted.',
        read: links.assignment(base, id),
        write: links.batch(base),
        schema: schemaLink(base, 'assignment'),
      };
      const named = query['workspace'] === undefined ? undefined : tenant;
      return bodyOr(self, await readAssignment(service, viewer, named, id));
    },
  );
}

function rowOfAction(action: unknown): string | Fault {
  if (typeof action === 'string' && Object.hasOwn(actions, action)) return actions[action] as string;
  return invalidParameter(
    'action',
    '"action" names nothing that can be done here.',
    'Send action queue_targets or next.',
  );
}

const prefetched = fault('invalid_request', 'A prefetch leases nothing.', 'Open the address itself.');

function leaseFaults(query: Query): readonly Fault[] {
  return ['table', 'format', 'limit', 'cursor']
    .filter((name) => query[name] !== undefined)
    .map((name) => invalidParameter(name, `"${name}" has no meaning beside next.`, `Leave ${name} out.`));
}

async function readLandscape(
  { query, number }: Pick<RouteContext, 'query' | 'number'>,
  reading: CallerContext,
): Promise<RouteAnswer> {
  const { base, tenant } = reading;
  const { cohort, table, format = 'json' } = query;
  if (cohort === undefined) {
    const name = await nameOfTenant(reading, tenant);
    const address = `${base}${path}${name === mainTenant ? '' : `?workspace=${name}`}`;
    const self = {
      kind: 'landscape',
      name: 'landscape',
      what: 'Cohorts of targets and how far each lane has come.',
      read: address,
      write: address,
      schema: schemaLink(base, 'landscape'),
    };
    return body(self, await listCohorts(reading));
  }
  const [limit, cursor] = [number('limit'), number('cursor')];
  if (table === undefined) {
    const found = await readCohort(reading, cohort, limit, cursor);
    if (isFault(found)) return found;
    const { read: address, table: comparison } = found as { readonly read: string; readonly table: string };
    const self = {
      kind: 'cohort',
      name: cohort,
      what: 'A cohort: its lanes, and where each item stands. Names in it are untrusted.',
      read: address,
      schema: schemaLink(base, 'cohort'),
      next: [comparison],
    };
    return body(self, found);
  }
  const found = await compareCohort(reading, cohort, limit, cursor);
  if (isFault(found)) return found;
  if (format === 'markdown')
    return mediaReply('text/markdown; charset=utf-8', labelledMarkdown(tableMarkdown(textTable(found))));
  if (format === 'csv') return mediaReply('text/csv; charset=utf-8', tableCsv(textTable(found)));
  const self = {
    kind: 'comparison',
    name: cohort,
    what: 'Targets by axes; a cell is empty until a claim with a source fills it. Texts in it are untrusted.',
    read: links.comparison(base, found.cohort.address),
    schema: schemaLink(base, 'comparison'),
    next: [links.landscape(base, found.cohort.address)],
  };
  return body(self, comparisonJson(reading, found, limit));
}

function readFaults({ cohort, table, format = 'json', lane, n }: Query): readonly (Fault | undefined)[] {
  const stray = lane === undefined ? 'n' : 'lane';
  return [
    lane === undefined && n === undefined
      ? undefined
      : invalidParameter(stray, 'lane and n belong to next=1.', 'Add next=1, or leave them out.'),
    table === undefined || cohort !== undefined
      ? undefined
      : invalidParameter('cohort', 'A table is that of a cohort.', 'Name it, such as cohort=http-servers.'),
    format === 'json' || table !== undefined
      ? undefined
      : invalidParameter(
          'format',
          'A table comes as json, markdown or csv, everything else as json.',
          'Use one of them.',
        ),
  ];
}

function comparisonJson({ base, now }: CallerContext, found: Comparison, limit: number) {
  const { cohort, axes, rows, filled, after } = found;
  const table = links.comparison(base, cohort.address);
  const { read: _read, table: _table, ...facts } = cohortJson(base, cohort, new Date(now()).toISOString());
  return exactAnswer(ComparisonTable, {
    ...facts,
    axes: [...axes],
    count: rows.length,
    cells: { all: rows.length * axes.length, filled },
    rows: rows.map((row) => ({ ...row })),
    formats: ['markdown', 'csv'].map((format) => `${table}&format=${format}`),
    next: after === null ? null : `${table}&limit=${limit}&cursor=${after}`,
  });
}

function textTable({ cohort, axes, rows }: Comparison): TextTable {
  return {
    title: `${cohort.row.name}: ${cohort.row.query}`,
    axes,
    rows: rows.map(({ target, cells }) => ({
      name: target.name,
      cells: cells.map(({ claim }) => (claim === null ? null : { text: claim.text, url: claim.url })),
    })),
  };
}
