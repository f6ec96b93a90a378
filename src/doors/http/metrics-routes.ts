/**
 * `/metrics` (contract §7): for the owner, and for programs on the same machine. A connection from loopback counts as
 * one of those only where nothing says that it was passed on, and where it asks for this machine by name: neither a
 * proxy in front nor a page in a browser that got hold of a name for 127.0.0.1 can ask for somebody else.
 */
import type { FastifyRequest } from 'fastify';
import { authenticateReader } from '../../app/credentials/authenticate.ts';
import { isLoopback } from '../../guard/client-address.ts';
import { fault, isFault } from '../../kernel/fault.ts';
import { privateCache } from './envelope.ts';
import { isOwnSocket, type Intake } from './intake.ts';
import { metricsOf, type Measured, type MetricsText } from './metrics-text.ts';
import { countCredential, isCredentialed } from './requests.ts';
import { mediaReply } from './replies.ts';
import { route, type Door } from './route.ts';

export function metricsRoutes(door: Door, measured: Measured): void {
  const { service, intake } = door;
  let text: Promise<MetricsText> | undefined;
  route(
    door,
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
      cache: privateCache,
    },
    async ({ request, presented }) => {
      if (isCredentialed(presented)) {
        const credential = await authenticateReader(service, presented);
        if (isFault(credential)) return countCredential(credential, request, intake);
        if (credential.kind !== 'owner') return strangers;
      } else if (!isLocal(request, intake)) return strangers;
      const { type, text: metrics } = await (await (text ??= metricsOf(measured)))();
      return mediaReply(type, metrics);
    },
  );
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
