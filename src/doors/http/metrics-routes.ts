/**
 * `/metrics` (contract §7), for the owner and for programs on the same machine. A connection from loopback is trusted
 * only without forwarding headers and with a loopback host name: neither a proxy nor a page that resolves its own name
 * to 127.0.0.1 can read for somebody else. Counters are plain numbers of the process; prom-client, loaded with the
 * first request, adds the metrics of the runtime and writes the format.
 */
import type { FastifyRequest } from 'fastify';
import { authenticateReader } from '../../app/credentials/authenticate.ts';
import { isAlarming } from '../../app/read-context.ts';
import { buildVersion } from '../../kernel/build.ts';
import { isLoopback } from '../../guard/client-address.ts';
import { fault, isFault } from '../../kernel/fault.ts';
import { privateCache } from './envelope.ts';
import { isOwnSocket, type RequestLimits } from './request-limits.ts';
import { countFailedCredential, isCredentialed } from './requests.ts';
import { mediaReply } from './replies.ts';
import { route } from './route.ts';
import type { RouteServer } from './route-declaration.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Histogram, MetricValue, Registry } from 'prom-client';
import type { Service } from '../../app/service.ts';
import type { ConcurrencyLimiter } from '../../guard/concurrency-limiter.ts';
import type { DurationHistogram } from '../../kernel/duration-histogram.ts';
import type { HttpCounters } from './request-metrics.ts';
import type { WarmReads } from './cached-bytes.ts';

export function metricsRoutes(server: RouteServer, sources: MetricsSources): void {
  const { service, requestLimits } = server;
  let text: Promise<MetricsText> | undefined;
  route(
    server,
    {
      get: '/metrics',
      id: 'readMetrics',
      summary:
        'How the process is doing, as Prometheus text; for the owner, and for programs on the same machine.',
      tag: 'discovery',
      caller: 'owner',
      query: {},
      json: false,
      types: ['text/plain'],
      auth: 'handler',
      // What programs on the same machine may read, pages in its browsers may not.
      fires: () => true,
      head: 'none',
      cache: privateCache,
    },
    async ({ request, presented }) => {
      if (isCredentialed(presented)) {
        const credential = await authenticateReader(service, presented);
        if (isFault(credential)) return countFailedCredential(credential, request, requestLimits);
        if (credential.kind !== 'owner') return ownerOnly;
      } else if (!isLocal(request, requestLimits)) return ownerOnly;
      const { type, text: metrics } = await (await (text ??= createMetrics(sources)))();
      return mediaReply(type, metrics);
    },
  );
}

const ownerOnly = fault(
  'owner_only',
  'How the process is doing is for its owner, and for programs on the same machine.',
  'Send the x-terminal-key header, or ask from the machine itself.',
);

const forwardingHeaders = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via', 'x-forwarded-host'];

function isLocal(request: FastifyRequest, requestLimits: RequestLimits): boolean {
  if (isOwnSocket(request.raw.socket)) return true;
  return (
    isLoopback(requestLimits.address(request.raw)) &&
    !forwardingHeaders.some((name) => request.headers[name] !== undefined) &&
    isLoopback(hostOf(request))
  );
}

/** The host name of the request, without port. */
function hostOf({ headers: { host = '' } }: FastifyRequest): string {
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '';
}

export interface MetricsSources {
  readonly service: Service;
  readonly http: HttpCounters;
  readonly reads: WarmReads;
  readonly streams: ConcurrencyLimiter;
}

export type MetricsText = () => Promise<{ readonly type: string; readonly text: string }>;

export async function createMetrics(sources: MetricsSources): Promise<MetricsText> {
  const { Registry: Registered, collectDefaultMetrics, Gauge, Counter } = await import('prom-client');
  const registry: Registry = new Registered();
  collectDefaultMetrics({ register: registry });
  // Gauges named like counters; the same numbers stand by kind in nodejs_active_resources and its like.
  for (const kind of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`nodejs_active_${kind}_total`);
  const { service, http, reads, streams } = sources;
  const { store, search, jobs, calls, integrity, clock, logAlarms } = service;

  /** A number that is read on request; `NaN` if unavailable. */
  const gauge = (name: string, help: string, read: () => number | Promise<number>): void => {
    const made: { set(value: number): void } = new Gauge({
      name: `colophon_${name}`,
      help,
      registers: [registry],
      collect: async () => made.set(await withTimeout(read)),
    });
  };
  const counter = <L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[],
    read: () => Iterable<readonly [labels: Record<L, string>, value: number]>,
  ): void => {
    const made = new Counter<L>({
      name: `colophon_${name}`,
      help,
      labelNames,
      registers: [registry],
      collect() {
        made.reset();
        for (const [labels, value] of read()) made.inc(labels, value);
      },
    });
  };

  new Gauge({
    name: 'colophon_build_info',
    help: 'The version of this build and its Node.js, always 1.',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version: buildVersion, node: process.versions.node }, 1);

  counter(
    'http_requests_total',
    'Requests by route and class of status.',
    ['method', 'route', 'status'],
    function* () {
      for (const { method, path, counters } of http.routes.values())
        for (const [digit, count] of counters.statuses.entries())
          if (count > 0) yield [{ method, route: path, status: `${digit}xx` }, count] as const;
    },
  );
  counter('http_warm_reads_total', 'Reads answered from kept bytes before they were routed.', [], () => [
    [{}, reads.answered],
  ]);
  counter(
    'http_refusals_total',
    'Refusals by code; overloaded stands for a full queue of writes.',
    ['code'],
    function* () {
      for (const [code, count] of http.refusals) yield [{ code }, count] as const;
    },
  );
  counter('calls_total', 'Calls of rows by how they ended.', ['status'], function* () {
    for (const [status, count] of calls.ended()) yield [{ status }, count] as const;
  });
  counter('store_acts_total', 'Acts that batches took up.', [], () => [[{}, store.load.acts]]);
  counter(
    'store_unknown_acts_total',
    'Acts that were answered without knowing whether they were recorded.',
    [],
    () => [[{}, store.load.unknown]],
  );
  gauge('store_queue_acts', 'Acts that wait for a batch.', () => store.load.waiting);
  gauge(
    'store_oldest_wait_seconds',
    'For how long the oldest write has waited for its answer.',
    () => store.load.oldestMs / 1000,
  );
  gauge('log_leader', '1 on the node that puts entries into the log.', () => (store.leads ? 1 : 0));
  gauge('store_unlogged_entries', 'Entries that have no place in the log yet.', () => store.unlogged());
  gauge(
    'log_entries',
    'Entries under the newest signed head.',
    async () => (await store.read.checkpoint())?.size ?? 0,
  );
  gauge('search_behind_entries', 'Entries that the search index has not seen.', () => search.catchUp(0));
  gauge(
    'search_passed_over_entries',
    'Entries that the search index passed over because they were altered; colophon verify names them.',
    () => search.passedOver,
  );
  gauge(
    'ledger_rolled_back',
    '1 once this node found that the database was set back behind it; it answers no write then.',
    () => (store.rollback === undefined ? 0 : 1),
  );
  gauge(
    'witness_forks',
    'Logs that are known to have signed two histories; /witness/evidence has the evidence.',
    async () => (await logAlarms.forks()).length,
  );
  gauge(
    'log_alarms',
    'What is wrong with logs, as /log shows it: two histories of one log, and the like.',
    async () => (await logAlarms.all()).length,
  );
  gauge(
    'ledger_audit_entries',
    'Entries that the background pass has judged since it last began.',
    () => integrity.judged,
  );
  gauge(
    'ledger_audit_findings',
    'Places where it found the stored ledger altered.',
    () => integrity.findings.length,
  );
  gauge(
    'ledger_audit_finished_timestamp_seconds',
    'When it last came to the end of the log; NaN before.',
    () => (integrity.finishedAt?.getTime() ?? NaN) / 1000,
  );
  gauge(
    'backup_verified_timestamp_seconds',
    'When the newest backup was made that was verified by restoring it; 0 if none is known.',
    async () => (await service.backedUpAtMs()) / 1000,
  );
  const { cosigning } = service;
  gauge('cosigned_entries', 'Entries that a quorum of witnesses has cosigned; NaN without a policy.', () =>
    cosigning === undefined ? Number.NaN : (cosigning.newest?.size ?? 0),
  );
  gauge(
    'cosigning_wait_seconds',
    'How long the oldest entry waits that no quorum has cosigned; 0 on nodes that do not ask.',
    () => (cosigning?.waitMs ?? 0) / 1000,
  );
  gauge(
    'cosigning_alarms',
    'Witnesses that say they have cosigned more of this log than it has, or other entries; 0 on nodes that do not ask.',
    () => cosigning?.status().filter(({ state }) => isAlarming(state)).length ?? 0,
  );
  counter(
    'cosigning_failures_total',
    'Requests to witnesses that brought no cosignature.',
    ['witness'],
    function* () {
      for (const { name, failures } of cosigning?.status() ?? [])
        yield [{ witness: name }, failures] as const;
    },
  );
  counter('clock_jumps_total', 'How often the clock of the machine was set while the server ran.', [], () => [
    [{}, clock.jumps],
  ]);
  gauge('jobs_open', 'Work that runs behind requests that were answered.', () => jobs.open);
  gauge('event_streams_open', 'Clients that follow the log.', () => streams.active);
  histogram(
    registry,
    'http_request_duration_seconds',
    'From the request to its answer, by route.',
    function* () {
      for (const { method, path, counters } of http.routes.values())
        if (counters.durations.count > 0) yield [{ method, route: path }, counters.durations] as const;
    },
  );
  histogram(registry, 'store_batch_seconds', 'How long a batch kept the next one waiting.', () => [
    [{}, store.load.batches],
  ]);
  return async () => ({ type: registry.contentType, text: await registry.metrics() });
}

const readTimeoutMs = 1_000;

/** Figures of an unreachable ledger are `NaN`, so that the others stay available. */
async function withTimeout(read: () => number | Promise<number>): Promise<number> {
  const late = new AbortController();
  try {
    return await Promise.race([read(), sleep(readTimeoutMs, Number.NaN, { signal: late.signal })]);
  } catch {
    return Number.NaN;
  } finally {
    late.abort();
  }
}

/** A histogram of externally kept numbers, which prom-client does not support. */
function histogram(
  registry: Registry,
  name: string,
  help: string,
  read: () => Iterable<readonly [labels: Record<string, string>, durations: DurationHistogram]>,
): void {
  const full = `colophon_${name}`;
  const valuesOf = ([labels, durations]: readonly [
    Record<string, string>,
    DurationHistogram,
  ]): MetricValue<string>[] => {
    const value = (metricName: string, number: number, le?: string | number): MetricValue<string> =>
      ({
        metricName,
        value: number,
        labels: le === undefined ? labels : { le, ...labels },
      }) as MetricValue<string>;
    return [
      ...durations.cumulative().map(({ seconds, count }) => value(`${full}_bucket`, count, seconds)),
      value(`${full}_bucket`, durations.count, '+Inf'),
      value(`${full}_sum`, durations.sumSeconds),
      value(`${full}_count`, durations.count),
    ];
  };
  const metric = {
    name: full,
    get: async () => ({
      name: full,
      help,
      type: 'histogram',
      aggregator: 'sum',
      values: [...read()].flatMap(valuesOf),
    }),
  };
  registry.registerMetric(metric as unknown as Histogram);
}
