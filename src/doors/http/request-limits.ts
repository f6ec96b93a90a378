/** Rate limits at the door (contract §4): who calls, how often, and what to say when it is too often. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { CallMeter } from '../../app/credentials/rate-limits.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import { clientAddress, clientKey, type TrustedProxies } from '../../guard/client-address.ts';
import type { Charge, RateLimiter } from '../../guard/rate-limit.ts';
import type { Verdict } from '../../guard/sliding-window.ts';
import { fault, type Fault } from '../../kernel/fault.ts';

export interface RequestLimitOptions {
  /** Nothing turns the limits off. */
  readonly limiter: RateLimiter | undefined;
  readonly trusted: TrustedProxies;
  /** Milliseconds of a clock that does not go back. */
  now(): number;
}

/** What of a request tells who calls. */
export interface ClientRequest {
  readonly headers: IncomingHttpHeaders;
  readonly socket: Socket;
}

export class RequestLimits {
  readonly #options: RequestLimitOptions;
  /** A connection's other end stays the same for all its requests. */
  readonly #addresses = new WeakMap<object, string>();

  constructor(options: RequestLimitOptions) {
    this.#options = options;
  }

  address(request: ClientRequest): string {
    const { headers, socket } = request;
    const forwarded = headers['x-forwarded-for'] as string | undefined;
    if (forwarded !== undefined)
      return clientAddress(socket.remoteAddress ?? 'local', forwarded, this.#options.trusted);
    let address = this.#addresses.get(socket);
    if (address === undefined) {
      address = clientAddress(socket.remoteAddress ?? 'local', undefined, this.#options.trusted);
      this.#addresses.set(socket, address);
    }
    return address;
  }

  /** Whether calls of this request are counted at all. */
  isLimited(request: ClientRequest): boolean {
    return this.#options.limiter !== undefined && !isOwnSocket(request.socket);
  }

  /**
   * Counts the calls that a request makes; nothing where it is not limited. Writes are counted by address in each
   * workspace by itself, so that a flood in one takes nothing from another; and by article, whose slug says its
   * workspace.
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

  /** One share that nobody had to ask for: `/start` and self-cut ones. */
  start(request: ClientRequest): Fault | undefined {
    return this.#count(request, 'start');
  }

  /** What a client is counted under. */
  key(request: ClientRequest): string {
    return clientKey(this.address(request));
  }

  /** Large bodies without a credential in a header, by how many MiB they may have. */
  upload(request: ClientRequest, mebibytes: number): Fault | undefined {
    for (let begun = 0; begun < mebibytes; begun++) {
      const limited = this.#count(request, 'upload');
      if (limited !== undefined) return limited;
    }
    return undefined;
  }

  /** Counts a credential that was none; a right key is never refused for others' failures. */
  badCredential(request: ClientRequest): Fault | undefined {
    return this.#count(request, 'failedCredential');
  }

  #count(request: ClientRequest, limit: 'read' | 'start' | 'failedCredential' | 'upload'): Fault | undefined {
    const { limiter, now } = this.#options;
    if (limiter === undefined || isOwnSocket(request.socket)) return undefined;
    return refusalOf(limiter.take(limit, clientKey(this.address(request)), now()));
  }
}

/** A connection through the owner's own socket file. */
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
