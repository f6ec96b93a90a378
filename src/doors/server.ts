/**
 * The server: one Fastify instance for the API, MCP and pages. Bodies are read as bytes and parsed strictly, every
 * answer carries the security headers, and whatever escapes a handler becomes a problem that tells nothing
 * about the inside.
 */
import Fastify, { LogController, type FastifyInstance } from 'fastify';
import type { Service } from '../app/service.ts';
import { streamLimits } from '../guard/limits.ts';
import { ConcurrencyLimiter, type ConcurrencyLimits } from '../guard/concurrency-limiter.ts';
import { articleRoutes } from './http/article-routes.ts';
import { blobRoutes } from './http/blob-routes.ts';
import { directoryRoutes } from './http/directory-routes.ts';
import { discoveryRoutes } from './http/discovery-routes.ts';
import { dispatchRoutes } from './http/dispatch-routes.ts';
import { invocationRoutes } from './http/invocation-routes.ts';
import { instanceOf } from './http/envelope.ts';
import { sendProblem, type SendFault } from './http/replies.ts';
import { entryRoutes } from './http/entry-routes.ts';
import { eventRoutes } from './http/event-routes.ts';
import { graphRoutes } from './http/graph-routes.ts';
import type { Intake } from './http/intake.ts';
import { keyRoutes } from './http/key-routes.ts';
import { measureRequests } from './http/measured.ts';
import { metricsRoutes } from './http/metrics-routes.ts';
import { openApiRoutes, routesOf } from './http/openapi-routes.ts';
import { proofRoutes } from './http/proof-routes.ts';
import { landscapeRoutes } from './http/landscape-routes.ts';
import { logRoutes } from './http/log-routes.ts';
import { mirrorRoutes } from './http/mirror-routes.ts';
import { protocolRoutes } from './http/protocol-routes.ts';
import { vaultRoutes } from './http/vault-routes.ts';
import { webhookRoutes } from './http/webhook-routes.ts';
import { readBodies } from './http/request-bodies.ts';
import { referenceRoutes } from './http/reference-routes.ts';
import { searchRoutes } from './http/search-routes.ts';
import { schemaRoutes } from './http/schema-routes.ts';
import { secureReplies } from './http/send-now.ts';
import { syndicationRoutes } from './http/syndication-routes.ts';
import { stateRoutes, type Unready } from './http/state-routes.ts';
import { WarmReads } from './http/warm-reads.ts';
import { mcpRoute } from './mcp/mcp-route.ts';
import { isPage, pageFace } from './web/error-page.tsx';
import { pageRoutes } from './web/page-routes.ts';
import { siteOf } from './web/site.ts';
import {
  answerClientError,
  answerUnrouted,
  failureOf,
  faultOf,
  internal,
  transportFault,
} from './http/transport-errors.ts';

export interface HttpOptions {
  readonly service: Service;
  readonly intake: Intake;
  /** Bytes of a request; batches have their own. */
  readonly requestBytesMax: number;
  readonly batchBytesMax: number;
  /** Bytes of a bundle that is imported. */
  readonly importBytesMax: number;
  readonly cacheBytesMax: number;
  readonly onError: (error: unknown, url: string) => void;
  readonly unready: Unready;
  /** How many event streams may be open; what is usual where none are given. */
  readonly streams?: ConcurrencyLimits;
}

export function buildServer(options: HttpOptions): FastifyInstance {
  const { service, intake } = options;
  const site = siteOf(service);
  const page = pageFace(site);
  const refuse: SendFault = (reply, request, refusal) =>
    isPage(request) ? page.send(reply, request, refusal) : sendProblem(reply, request, service.base, refusal);
  const app = Fastify({
    bodyLimit: options.requestBytesMax,
    exposeHeadRoutes: false,
    logController: new LogController({ disableRequestLogging: true }),
    routerOptions: { maxParamLength: 400, ignoreTrailingSlash: false, caseSensitive: true },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // A request has this long to arrive whole; without a limit a few slow ones could hold every connection.
    requestTimeout: 120_000,
    frameworkErrors: (error, request, reply) => {
      void refuse(reply, request, transportFault(error, options) ?? internal);
    },
    clientErrorHandler: answerClientError(service.base, options),
  });
  const http = measureRequests(app);
  readBodies(app, options);
  secureReplies(app);
  app.setErrorHandler((error, request, reply) => {
    const report = (cause: unknown): void => options.onError(cause, instanceOf(request));
    return refuse(reply, request, faultOf(error, options) ?? failureOf(error, report));
  });
  answerUnrouted(app, refuse);
  const routes = routesOf(app);
  const reads = new WarmReads(intake);
  reads.precede(app);
  const door = { app, service, intake };
  dispatchRoutes(door);
  invocationRoutes(door);
  directoryRoutes(door);
  blobRoutes(door);
  articleRoutes(door, options.cacheBytesMax, reads);
  mirrorRoutes(door);
  entryRoutes(door);
  graphRoutes(door);
  proofRoutes(door);
  landscapeRoutes(door);
  vaultRoutes(door);
  webhookRoutes(door);
  protocolRoutes(door, options);
  discoveryRoutes(door);
  keyRoutes(door);
  referenceRoutes(door);
  searchRoutes(door);
  schemaRoutes(door);
  logRoutes(door);
  syndicationRoutes(door, options.cacheBytesMax / 8);
  openApiRoutes(door, routes);
  const streams = new ConcurrencyLimiter(options.streams ?? streamLimits);
  metricsRoutes(door, { service, http, reads, streams });
  mcpRoute(door, options, options.onError);
  eventRoutes(door, streams, options.onError);
  pageRoutes(door, site, options.cacheBytesMax / 2, reads);
  stateRoutes(door, options.unready);
  return app;
}
