/**
 * The HTTP door: one Fastify server for API and pages. Bodies are read as bytes and parsed strictly, every
 * answer carries the security headers, and whatever escapes a handler becomes a problem that tells nothing
 * about the inside.
 */
import Fastify, { LogController, type FastifyInstance } from 'fastify';
import type { Service } from '../../app/service.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { parseJson } from '../../kernel/json.ts';
import { articleRoutes } from './article-routes.ts';
import { dispatchRoutes } from './dispatch-routes.ts';
import { sendProblem } from './envelope.ts';
import type { Intake } from './intake.ts';
import { logRoutes } from './log-routes.ts';
import { protocolRoutes } from './protocol-routes.ts';

export interface HttpOptions {
  readonly service: Service;
  readonly intake: Intake;
  /** Bytes of a request; batches have their own. */
  readonly requestBytesMax: number;
  readonly batchBytesMax: number;
  readonly cacheBytesMax: number;
  readonly onError: (error: unknown, url: string) => void;
}

export function buildServer(options: HttpOptions): FastifyInstance {
  const { service, intake } = options;
  const app = Fastify({
    bodyLimit: options.requestBytesMax,
    exposeHeadRoutes: false,
    logController: new LogController({ disableRequestLogging: true }),
    routerOptions: { maxParamLength: 400, ignoreTrailingSlash: false, caseSensitive: true },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
  });
  strictBodies(app);
  app.addHook('onRequest', (_request, reply, done) => {
    const { raw } = reply;
    raw.setHeader('x-content-type-options', 'nosniff');
    raw.setHeader('content-security-policy', contentSecurityPolicy);
    raw.setHeader('referrer-policy', 'strict-origin-when-cross-origin');
    raw.setHeader('x-frame-options', 'DENY');
    raw.setHeader('cross-origin-opener-policy', 'same-origin');
    done();
  });
  app.setErrorHandler((error: { readonly statusCode?: number; readonly code?: string; readonly problem?: Fault }, request, reply) => {
    const known = error.problem ?? transportFault(error, options);
    if (known === undefined) options.onError(error, request.url);
    return sendProblem(reply, request, service.base, known ?? fault('internal', 'Something went wrong on this side.', 'Try again; if it stays, tell the operator the time of the request.'));
  });
  app.setNotFoundHandler((request, reply) =>
    sendProblem(reply, request, service.base, fault('not_found', `There is nothing at ${request.url.split('?')[0]?.slice(0, 200)}.`, 'Start at /api/dispatch or /.')),
  );
  dispatchRoutes(app, service, intake);
  articleRoutes(app, service, intake, options.cacheBytesMax);
  protocolRoutes(app, service, intake, options.batchBytesMax);
  logRoutes(app, service);
  app.get('/healthz', async (_request, reply) => reply.header('cache-control', 'no-store').send({ ok: true }));
  app.get('/robots.txt', async (_request, reply) =>
    reply.header('content-type', 'text/plain; charset=utf-8').send('User-agent: *\nDisallow: /start\nDisallow: /api/dispatch\n'),
  );
  return app;
}

const contentSecurityPolicy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' https: http: data:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** JSON only, parsed by our own strict reader; anything else is refused before it is read. */
function strictBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(/^application\/(?:[\w.+-]+\+)?json\b/i, { parseAs: 'buffer' }, (_request, bytes, done) => {
    const parsed = parseJson(bytes as Buffer);
    if (isFault(parsed)) done(Object.assign(new Error(parsed.message), { problem: parsed }), undefined);
    else done(null, parsed.value);
  });
}

interface TransportError {
  readonly statusCode?: number;
  readonly code?: string;
}

function transportFault(error: TransportError, options: HttpOptions): Fault | undefined {
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return fault('payload_ceiling', 'The request is too large.', `Send at most ${options.requestBytesMax} bytes, or ${options.batchBytesMax} for a batch.`);
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return fault('unsupported_media_type', 'This endpoint reads JSON.', 'Send Content-Type: application/json.');
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'FST_ERR_BAD_URL':
      return fault('invalid_request', 'The request cannot be read.', 'Check the URL, the length and the body.');
    default:
      return typeof error.statusCode === 'number' && error.statusCode >= 400 && error.statusCode < 500
        ? fault('invalid_request', 'The request cannot be read.', 'Check the URL, the headers and the body.')
        : undefined;
  }
}
