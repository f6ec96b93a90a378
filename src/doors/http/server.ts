/**
 * The HTTP door: one Fastify server for API and pages. Bodies are read as bytes and parsed strictly, every
 * answer carries the security headers, and whatever escapes a handler becomes a problem that tells nothing
 * about the inside.
 */
import Fastify, { LogController, type FastifyInstance } from 'fastify';
import type { Service } from '../../app/service.ts';
import { streamLimits } from '../../guard/limits.ts';
import { Seats, type SeatLimits } from '../../guard/seats.ts';
import type { Fault } from '../../kernel/fault.ts';
import { articleRoutes } from './article-routes.ts';
import { blobRoutes } from './blob-routes.ts';
import { directoryRoutes } from './directory-routes.ts';
import { discoveryRoutes } from './discovery-routes.ts';
import { dispatchRoutes } from './dispatch-routes.ts';
import { invocationRoutes } from './invocation-routes.ts';
import { instanceOf, sendProblem } from './envelope.ts';
import { entryRoutes } from './entry-routes.ts';
import { eventRoutes } from './event-routes.ts';
import { failureOf, internal } from './failures.ts';
import { graphRoutes } from './graph-routes.ts';
import type { Intake } from './intake.ts';
import { keyRoutes } from './key-routes.ts';
import { measureRequests } from './measured.ts';
import { metricsRoutes } from './metrics-routes.ts';
import { openApiRoutes, routesOf } from './openapi-routes.ts';
import { proofRoutes } from './proof-routes.ts';
import { landscapeRoutes } from './landscape-routes.ts';
import { logRoutes } from './log-routes.ts';
import { mirrorRoutes } from './mirror-routes.ts';
import { protocolRoutes } from './protocol-routes.ts';
import { vaultRoutes } from './vault-routes.ts';
import { webhookRoutes } from './webhook-routes.ts';
import { readBodies } from './request-bodies.ts';
import { referenceRoutes } from './reference-routes.ts';
import { searchRoutes } from './search-routes.ts';
import { schemaRoutes } from './schema-routes.ts';
import { secureReplies } from './send-now.ts';
import { syndicationRoutes } from './syndication-routes.ts';
import { stateRoutes, type Unready } from './state-routes.ts';
import { WarmReads } from './warm-reads.ts';
import { mcpRoute } from '../mcp/mcp-route.ts';
import { isPage, sendErrorPage } from '../web/page-reply.ts';
import { pageRoutes } from '../web/page-routes.ts';
import { siteOf } from '../web/site.ts';
import {
  answerClientError,
  answerUnrouted,
  transportFault,
  type Refuse,
  type TransportError,
} from './unheard.ts';

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
  readonly streams?: SeatLimits;
}

export function buildServer(options: HttpOptions): FastifyInstance {
  const { service, intake } = options;
  const site = siteOf(service);
  const refuse: Refuse = (reply, request, refusal) =>
    isPage(request)
      ? sendErrorPage(reply, site, refusal)
      : sendProblem(reply, request, service.base, refusal);
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
  app.setErrorHandler((error: TransportError & { readonly problem?: Fault }, request, reply) => {
    const known = error.problem ?? transportFault(error, options);
    const failure = (): Fault => failureOf(error, (cause) => options.onError(cause, instanceOf(request)));
    return refuse(reply, request, known ?? failure());
  });
  answerUnrouted(app, refuse);
  const routes = routesOf(app);
  const reads = new WarmReads(intake);
  reads.precede(app);
  dispatchRoutes(app, service, intake);
  invocationRoutes(app, service, intake);
  directoryRoutes(app, service, intake);
  blobRoutes(app, service, intake);
  articleRoutes(app, service, intake, options.cacheBytesMax, reads);
  mirrorRoutes(app, service, intake);
  entryRoutes(app, service, intake);
  graphRoutes(app, service, intake);
  proofRoutes(app, service, intake);
  landscapeRoutes(app, service, intake);
  vaultRoutes(app, service, intake);
  webhookRoutes(app, service, intake);
  protocolRoutes(app, service, intake, options);
  discoveryRoutes(app, service);
  keyRoutes(app, service, intake);
  referenceRoutes(app, service, intake);
  searchRoutes(app, service, intake);
  schemaRoutes(app, service);
  logRoutes(app, service);
  syndicationRoutes(app, service, intake, options.cacheBytesMax / 8);
  openApiRoutes(app, service, intake, routes);
  const streams = new Seats(options.streams ?? streamLimits);
  metricsRoutes(app, { service, http, reads, streams }, intake);
  mcpRoute(app, service, intake, options, options.onError);
  eventRoutes(app, service, intake, streams, options.onError);
  pageRoutes(app, site, intake, options.cacheBytesMax / 2, reads);
  stateRoutes(app, service, options.unready);
  return app;
}
