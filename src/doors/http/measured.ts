/**
 * What each route was asked, how it answered and how long that took, counted where answers leave (contract §7,
 * `/metrics`). Counters are found when a route is added, so that a request looks nothing up.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { DurationHistogram } from '../../kernel/duration-histogram.ts';
import type { FaultCode } from '../../kernel/fault.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The counters of its route; null where the framework gave up before there was a request to speak of. */
    measured: RouteTally | null;
    begun: number;
  }
}

class RouteTally {
  readonly durations = new DurationHistogram();
  /** By the first digit of the status. */
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

export interface HttpTally {
  /** By method and path as the router has it: as many as there are routes, whatever is asked. */
  readonly routes: ReadonlyMap<
    string,
    { readonly method: string; readonly path: string; readonly tally: RouteTally }
  >;
  readonly refusals: ReadonlyMap<string, number>;
}

/** Counts every request from here on. Call before any route is added. */
export function measureRequests(app: FastifyInstance): HttpTally {
  const refusals = new Map<string, number>();
  const routes = new Map<string, { method: string; path: string; tally: RouteTally }>();
  const tallyOf = (method: string, path: string): RouteTally => {
    const name = `${method} ${path}`;
    const tally = routes.get(name)?.tally ?? new RouteTally(refusals);
    routes.set(name, { method, path, tally });
    return tally;
  };
  const unrouted = tallyOf('any', 'unrouted');
  app.decorateRequest('measured', null);
  app.decorateRequest('begun', 0);
  app.addHook('onRequest', (request, _reply, done) => {
    request.begun = performance.now();
    request.measured = unrouted;
    done();
  });
  app.addHook('onRoute', (options) => {
    for (const method of [options.method].flat()) {
      const tally = tallyOf(method, options.url);
      const measured: typeof options.onRequest = (request, _reply, done) => {
        request.measured = tally;
        done();
      };
      options.onRequest = [measured, ...[options.onRequest ?? []].flat()];
    }
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    measureReply(reply);
    done();
  });
  return { routes, refusals };
}

/** Counts an answer that is about to leave. */
export function measureReply({ request, statusCode }: FastifyReply): void {
  request.measured?.answered(statusCode, performance.now() - request.begun);
}
