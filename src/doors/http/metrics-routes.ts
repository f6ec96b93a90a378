/**
 * `/metrics` (contract §7): for the owner, and for programs on the same machine. A connection from loopback counts as
 * one of those only where nothing says that it was passed on, and where it asks for this machine by name: neither a
 * proxy in front nor a page in a browser that got hold of a name for 127.0.0.1 can ask for somebody else.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { authenticateReader } from '../../app/credentials/authenticate.ts';
import { isLoopback } from '../../guard/client-address.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { declare, readable } from './declare.ts';
import { privateCache, sendProblem } from './envelope.ts';
import { isOwnSocket, type Intake } from './intake.ts';
import { metricsOf, type Measured, type MetricsText } from './metrics-text.ts';
import { countCredential, isCredentialed, presentedBy, readQuery } from './requests.ts';

const metrics = declare({
  id: 'readMetrics',
  summary:
    'How the process is doing, as Prometheus text; for the owner, and for programs on the same machine.',
  tag: 'discovery',
  caller: 'owner',
  query: {},
  json: false,
  types: ['text/plain'],
});

export function metricsRoutes(app: FastifyInstance, measured: Measured, intake: Intake): void {
  const { service } = measured;
  const { base } = service;
  let text: Promise<MetricsText> | undefined;
  app.get('/metrics', readable(metrics), async (request, reply) => {
    const query = readQuery(request, metrics);
    if (isFault(query)) return sendProblem(reply, request, base, query);
    const barred = await barredFrom(request);
    if (barred !== undefined) return sendProblem(reply, request, base, barred);
    const told = await (await (text ??= metricsOf(measured)))();
    return reply.header('content-type', told.type).header('cache-control', privateCache).send(told.text);
  });

  async function barredFrom(request: FastifyRequest): Promise<Fault | undefined> {
    const presented = presentedBy(request);
    if (isFault(presented)) return presented;
    if (!isCredentialed(presented)) return isLocal(request, intake) ? undefined : strangers;
    const credential = await authenticateReader(service, presented);
    if (isFault(credential)) return countCredential(credential, request, intake);
    return credential.kind === 'owner' ? undefined : strangers;
  }
}

const strangers = fault(
  'owner_only',
  'How the process is doing is for its owner, and for programs on the same machine.',
  'Send the x-terminal-key header, or ask from the machine itself.',
);

const passedOn = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via', 'x-forwarded-host'];

function isLocal(request: FastifyRequest, intake: Intake): boolean {
  if (isOwnSocket(request.raw.socket)) return true;
  return (
    isLoopback(intake.address(request.raw)) &&
    !passedOn.some((name) => request.headers[name] !== undefined) &&
    isLoopback(hostOf(request))
  );
}

/** The name that the service was asked by, without a port. */
function hostOf({ headers: { host = '' } }: FastifyRequest): string {
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '';
}
