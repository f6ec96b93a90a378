/**
 * Which answers pages of other origins may read (contract §2): those of GET and HEAD without a credential that neither
 * mint nor invoke, errors and 304 included.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyContextConfig } from 'fastify';
import { isFingerprint } from '../../domain/capabilities/share-codec.ts';

/** A query before it is validated. */
export type GivenQuery = Readonly<Record<string, unknown>>;

export const openReadHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'allow, etag, link, location, ratelimit-limit, ratelimit-remaining, ratelimit-reset, retry-after, x-request-id',
} as const;

/** Answers of OPTIONS before a GET with headers of its own; headers that bear credentials are not among these. */
export const preflightHeaders = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD',
  'access-control-allow-headers': 'accept, content-type, if-none-match, last-event-id, x-request-id',
  'access-control-max-age': '86400',
} as const;

interface Asked {
  readonly method?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly socket?: object;
}

export function isOpenRead(
  { method, headers, socket }: Asked,
  query: GivenQuery | undefined,
  config: FastifyContextConfig | undefined,
): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  if (isCredentialedBy(headers)) return false;
  // The owner's own socket.
  if (socket !== undefined && 'isOwner' in socket) return false;
  const share = query?.['share'];
  // A fingerprint names a share and is none.
  if (share !== undefined && !(typeof share === 'string' && isFingerprint(share))) return false;
  return config?.fires?.(query ?? {}) !== true;
}

/** Whether headers bear a credential, or a cookie, which may be one. */
export function isCredentialedBy(headers: IncomingHttpHeaders): boolean {
  return (
    headers.authorization !== undefined ||
    headers['x-terminal-key'] !== undefined ||
    headers.cookie !== undefined
  );
}
