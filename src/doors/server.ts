/**
 * Builds the server: one Fastify instance for the API, MCP and pages. Bodies are parsed strictly, every answer has
 * the security headers, and unexpected errors become problems without internal details.
 */
import Fastify, { LogController, type FastifyInstance } from 'fastify';
import type { Service } from '../app/service.ts';
import { streamLimits } from '../guard/limits.ts';
import { ConcurrencyLimiter, type ConcurrencyLimits } from '../guard/concurrency-limiter.ts';
import { articleRoutes } from './http/article-routes.ts';
import { blobRoutes } from './http/record-routes.ts';
import { directoryRoutes } from './http/directory-routes.ts';
import { discoveryRoutes, type NotReady, referenceRoutes, stateRoutes } from './http/discovery-routes.ts';
import { dispatchRoutes } from './http/dispatch-routes.ts';
import { invocationRoutes, keyRoutes } from './http/record-routes.ts';
import { instanceOf } from './http/envelope.ts';
import { type OnError, sendProblem, type SendFault } from './http/replies.ts';
import { entryRoutes } from './http/entry-routes.ts';
import { eventRoutes } from './http/event-routes.ts';
import { graphRoutes, searchRoutes } from './http/graph-routes.ts';
import type { RequestLimits } from './http/request-limits.ts';
import { countRequests } from './http/request-metrics.ts';
import { metricsRoutes } from './http/metrics-routes.ts';
import { openApiRoutes, routesOf, schemaRoutes } from './http/schema-routes.ts';
import { logRoutes, proofRoutes } from './http/log-routes.ts';
import { landscapeRoutes } from './http/landscape-routes.ts';
import { linkedDataRoutes } from './http/linked-data-routes.ts';
import { mirrorRoutes, protocolRoutes } from './http/protocol-routes.ts';
import { syndicationRoutes, vaultRoutes } from './http/syndication-routes.ts';
import { webhookRoutes } from './http/webhook-routes.ts';
import { evidenceRoutes, witnessRoutes } from './http/witness-routes.ts';
import { type GivenQuery, isOpenRead, openReadHeaders } from './http/open-reads.ts';
import { readBodies } from './http/request-bodies.ts';
import { addRequestIds, requestIdHeader, requestIdOf } from './http/request-ids.ts';
import { addSecurityHeaders, setSecurityHeaders } from './http/send-raw.ts';
import { ByteCache, WarmReads } from './http/cached-bytes.ts';
import { mcpRoute } from './mcp/mcp-route.ts';
import { isPage, pageFace } from './web/error-page.tsx';
import { intakeRoutes } from './web/owner/intake/intake-routes.ts';
import { costsRoutes } from './web/owner/costs-routes.ts';
import { notificationRoutes } from './web/owner/notification-routes.ts';
import { ownerRoutes } from './web/owner/owner-routes.ts';
import { askRoutes } from './web/owner/ask-routes.ts';
import { writeRoutes } from './web/owner/write/write-routes.ts';
import { pageRoutes } from './web/page-routes.ts';
import { staticRoutes } from './web/static/static-routes.ts';
import { siteOf } from './web/site.ts';
import {
  clientErrorHandler,
  handleNotFound,
  faultOfFailure,
  faultOf,
  internal,
  transportFault,
} from './http/transport-errors.ts';

export interface HttpOptions {
  readonly service: Service;
  readonly requestLimits: RequestLimits;
  /** The limit of a request body; batches and imports have their own. */
  readonly requestBytesMax: number;
  readonly batchBytesMax: number;
  /** The limit of an imported bundle. */
  readonly importBytesMax: number;
  readonly cacheBytesMax: number;
  readonly onError: OnError;
  readonly notReady: NotReady;
  /** Limits of concurrent event streams; default: `streamLimits`. */
  readonly streams?: ConcurrencyLimits;
}

export function buildServer(options: HttpOptions): FastifyInstance {
  const { service, requestLimits } = options;
  const site = siteOf(service);
  const page = pageFace(site);
  const sendFault: SendFault = (reply, request, refusal) =>
    isPage(request) ? page.send(reply, request, refusal) : sendProblem(reply, request, service.base, refusal);
  const app = Fastify({
    bodyLimit: options.requestBytesMax,
    exposeHeadRoutes: false,
    genReqId: requestIdOf,
    logController: new LogController({ disableRequestLogging: true }),
    routerOptions: { maxParamLength: 400, ignoreTrailingSlash: false, caseSensitive: true },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // Time to receive a whole request, so that slow clients cannot hold all connections.
    requestTimeout: 120_000,
    frameworkErrors: (error, request, reply) => {
      // No hook runs for a malformed URL.
      setSecurityHeaders(request, reply, isPage(request) ? 'text/html' : 'application/problem+json');
      if (isOpenRead(request.raw, request.query as GivenQuery, undefined))
        void reply.headers(openReadHeaders);
      void reply.header(requestIdHeader, request.id);
      void sendFault(reply, request, transportFault(error, options) ?? internal);
    },
    clientErrorHandler: clientErrorHandler(service.base, options),
  });
  const http = countRequests(app);
  readBodies(app, options);
  addSecurityHeaders(app);
  addRequestIds(app);
  app.setErrorHandler((error, request, reply) => {
    const report = (cause: unknown): void => options.onError(cause, instanceOf(request), request.id);
    return sendFault(reply, request, faultOf(error, options) ?? faultOfFailure(error, report));
  });
  handleNotFound(app, service.base, sendFault);
  const routes = routesOf(app);
  const reads = new WarmReads(requestLimits);
  reads.attach(app);
  const server = { app, service, requestLimits };
  dispatchRoutes(server);
  invocationRoutes(server);
  directoryRoutes(server);
  blobRoutes(server);
  const articles = { cache: new ByteCache(options.cacheBytesMax), reads };
  articleRoutes(server, articles);
  linkedDataRoutes(server, articles);
  mirrorRoutes(server);
  entryRoutes(server);
  graphRoutes(server);
  proofRoutes(server);
  landscapeRoutes(server);
  vaultRoutes(server);
  webhookRoutes(server);
  protocolRoutes(server, options);
  discoveryRoutes(server);
  keyRoutes(server);
  referenceRoutes(server);
  searchRoutes(server);
  schemaRoutes(server);
  logRoutes(server);
  witnessRoutes(server);
  evidenceRoutes(server);
  syndicationRoutes(server, options.cacheBytesMax / 8);
  openApiRoutes(server, routes);
  const streams = new ConcurrencyLimiter(options.streams ?? streamLimits);
  metricsRoutes(server, { service, http, reads, streams });
  mcpRoute(server, options, options.onError);
  eventRoutes(server, streams, options.onError);
  pageRoutes(server, site, options.cacheBytesMax / 2, reads);
  staticRoutes(server, site, options.onError);
  ownerRoutes(server, site, options);
  costsRoutes(server, site, { http, reads });
  app.addHook('onClose', () => site.plotter.close());
  writeRoutes(server, site, options);
  intakeRoutes(server, site);
  askRoutes(server, site);
  notificationRoutes(server, site);
  stateRoutes(server, options.notReady);
  return app;
}
