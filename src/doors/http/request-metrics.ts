/**
 * Counts requests, answers and durations by route for `/metrics` (contract §7). Counters are assigned when a route
 * is added, so that requests look nothing up.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { DurationHistogram } from '../../kernel/duration-histogram.ts';
import type { FaultCode } from '../../kernel/fault.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The counters of its route; null if the framework refused the request before routing. */
    routeCounters: RouteCounters | null;
    startedAt: number;
  }
}

class RouteCounters {
  readonly durations = new DurationHistogram();
  /** Indexed by the first digit of the status. */
  readonly statuses = new Float64Array(6);
  readonly #refusals: Map<string, number>;

  constructor(refusals: Map<string, number>) {
    this.#refusals = refusals;
  }

  answered(status: number, ms: number): void {
    const digit = Math.trunc(status / 100);
    this.statuses[digit] = (this.statuses[digit] as number) + 1;
    this.durations.add(ms);
  }

  refused(code: FaultCode): void {
    this.#refusals.set(code, (this.#refusals.get(code) ?? 0) + 1);
  }
}

export interface HttpCounters {
  /** By method and route path, so that their number is bounded. */
  readonly routes: ReadonlyMap<
    string,
    { readonly method: string; readonly path: string; readonly counters: RouteCounters }
  >;
  readonly refusals: ReadonlyMap<string, number>;
}

/** Counts all requests. Call before adding routes. */
export function countRequests(app: FastifyInstance): HttpCounters {
  const refusals = new Map<string, number>();
  const routes = new Map<string, { method: string; path: string; counters: RouteCounters }>();
  const countersOf = (method: string, path: string): RouteCounters => {
    const name = `${method} ${path}`;
    const counters = routes.get(name)?.counters ?? new RouteCounters(refusals);
    routes.set(name, { method, path, counters });
    return counters;
  };
  const unrouted = countersOf('any', 'unrouted');
  app.decorateRequest('routeCounters', null);
  app.decorateRequest('startedAt', 0);
  app.addHook('onRequest', (request, _reply, done) => {
    request.startedAt = performance.now();
    request.routeCounters = unrouted;
    done();
  });
  app.addHook('onRoute', (options) => {
    for (const method of [options.method].flat()) {
      const counters = countersOf(method, options.url);
      const routeCounters: typeof options.onRequest = (request, _reply, done) => {
        request.routeCounters = counters;
        done();
      };
      options.onRequest = [routeCounters, ...[options.onRequest ?? []].flat()];
    }
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    countReply(reply);
    done();
  });
  return { routes, refusals };
}

/** Counts an answer that is about to be sent. */
export function countReply({ request, statusCode }: FastifyReply): void {
  request.routeCounters?.answered(statusCode, performance.now() - request.startedAt);
}
