/** Rate limits of HTTP requests (contract §4): identifies clients, counts their calls, and refuses excess ones. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { CallMeter } from '../../app/credentials/rate-limits.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import { clientAddress, clientKey, isTrustedProxy, type TrustedProxies } from '../../guard/client-address.ts';
import type { Charge, RateLimiter } from '../../guard/rate-limit.ts';
import type { Verdict } from '../../guard/sliding-window.ts';
import { fault, type Fault } from '../../kernel/fault.ts';

export interface RequestLimitOptions {
  /** Undefined turns the limits off. */
  readonly limiter: RateLimiter | undefined;
  readonly trusted: TrustedProxies;
  /** Milliseconds of a monotonic clock. */
  now(): number;
}

/** The parts of a request that identify the client. */
export interface ClientRequest {
  readonly headers: IncomingHttpHeaders;
  readonly socket: Socket;
}

export class RequestLimits {
  readonly #options: RequestLimitOptions;
  constructor(options: RequestLimitOptions) {
    this.#options = options;
  }

  address({ headers, socket }: ClientRequest): string {
    const forwarded = headers['x-forwarded-for'] as string | undefined;
    return clientAddress(socket.remoteAddress ?? 'local', forwarded, this.#options.trusted);
  }

  /** Whether a proxy of this deployment passed the request on. */
  isFromProxy({ socket }: ClientRequest): boolean {
    return isTrustedProxy(socket.remoteAddress, this.#options.trusted);
  }

  /** Whether requests of this client are limited. */
  isLimited(request: ClientRequest): boolean {
    return this.#options.limiter !== undefined && !isOwnSocket(request.socket);
  }

  /**
   * Counts the calls of a request; undefined if they are not limited. Writes are counted by client address in each
   * workspace separately, so that a flood in one does not affect another, and by article.
   */
  meter(request: ClientRequest): CallMeter | undefined {
    const { limiter, now } = this.#options;
    if (limiter === undefined || isOwnSocket(request.socket)) return undefined;
    const address = clientKey(this.address(request));
    const client = (tenant: string): Charge => ({
      limit: 'intakeByClient',
      key: tenant === mainTenant ? address : `${tenant} ${address}`,
    });
    return {
      spent: (tenant) => refusalOf(limiter.peek(client(tenant), now())),
      write: (tenant, article) =>
        refusalOf(
          limiter.takeAll(
            article === undefined
              ? [client(tenant)]
              : [client(tenant), { limit: 'intakeByArticle', key: article }],
            now(),
          ),
        ),
      read: () => refusalOf(limiter.take('read', address, now())),
    };
  }

  read(request: ClientRequest): Fault | undefined {
    return this.#count(request, 'read');
  }

  /** Counts a share that is given without authority: by `/start`, or self-cut. */
  start(request: ClientRequest): Fault | undefined {
    return this.#count(request, 'start');
  }

  /** The key that a client is counted under. */
  key(request: ClientRequest): string {
    return clientKey(this.address(request));
  }

  /** Counts large bodies without a credential in a header, by MiB. */
  upload(request: ClientRequest, mebibytes: number): Fault | undefined {
    for (let begun = 0; begun < mebibytes; begun++) {
      const limited = this.#count(request, 'upload');
      if (limited !== undefined) return limited;
    }
    return undefined;
  }

  /** Counts a failed credential; a valid one is never refused for it. */
  badCredential(request: ClientRequest): Fault | undefined {
    return this.#count(request, 'failedCredential');
  }

  #count(request: ClientRequest, limit: 'read' | 'start' | 'failedCredential' | 'upload'): Fault | undefined {
    const { limiter, now } = this.#options;
    if (limiter === undefined || isOwnSocket(request.socket)) return undefined;
    return refusalOf(limiter.take(limit, clientKey(this.address(request)), now()));
  }
}

/** Whether the connection came through the owner's Unix socket. */
export function isOwnSocket(socket: Socket): boolean {
  return (socket as { readonly isOwner?: boolean }).isOwner === true;
}

function refusalOf({ allowed, retryAfterSeconds, limit, resetSeconds }: Verdict): Fault | undefined {
  if (allowed) return undefined;
  return fault(
    'rate_limited',
    `More than ${limit} such calls came from here in a minute.`,
    `Wait ${Math.ceil(retryAfterSeconds)} seconds and send it again.`,
    {
      retry_after: Math.max(1, Math.ceil(retryAfterSeconds)),
      limit,
      remaining: 0,
      reset: Math.max(1, Math.ceil(resetSeconds)),
    },
  );
}
