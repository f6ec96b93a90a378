/** Reads HTTP requests: the query, JSON members, and credentials where they are allowed. */
import type { FastifyRequest } from 'fastify';
import type { Presented } from '../../app/credentials/authenticate.ts';
import { isFingerprint } from '../../domain/capabilities/share-codec.ts';
import { wholeNumberOf } from '../../app/reads/whole-number.ts';
import { fault, type Fault, invalidParameter, isFault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { RequestLimits } from './request-limits.ts';
import { validateQuery, type QueryDeclaration } from './validate-query.ts';
import type { WholeNumber } from './parameters.ts';
import { statusOf } from './statuses.ts';

export type Query = Readonly<Record<string, string>>;

/** The query as well-formed strings, or one refusal that names all faults. */
export function readQuery(request: FastifyRequest, taking: QueryDeclaration): Query | Fault {
  return validateQuery(request.query as Record<string, unknown>, taking) ?? (request.query as Query);
}

/** The JSON object of a write request. */
export function readObject(request: FastifyRequest): JsonObject | Fault {
  const body = request.body;
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as JsonObject;
  return fault(
    'invalid_request',
    'The request has no JSON object as its body.',
    'Send Content-Type: application/json and one JSON object.',
  );
}

/** A string member; undefined if absent, a fault for any other type. */
export function stringMember(
  object: JsonObject,
  name: string,
  charsMax = Number.POSITIVE_INFINITY,
): string | undefined | Fault {
  const value = object[name];
  if (value === undefined || (typeof value === 'string' && value.length <= charsMax)) return value;
  const what = typeof value === 'string' ? `has more than ${charsMax} characters` : 'is no string';
  return invalidParameter(
    name,
    `"${name}" ${what}.`,
    `Send "${name}" as a string${charsMax === Number.POSITIVE_INFINITY ? '' : ` of at most ${charsMax} characters`}, or leave it out.`,
  );
}

/**
 * The credential of a request. A share may be in the URL, which `readQuery` must have validated; API keys and the
 * terminal key may not. `inBody` is the credential member of the body. The terminal key counts only in its own
 * header (contract §4).
 */
export function presentedBy(request: FastifyRequest, inBody?: string): Presented | Fault {
  const inHeaders = presentedInHeaders(request);
  if (isFault(inHeaders)) return inHeaders;
  const { share, explain } = request.query as Query;
  // A fingerprint is not a credential: with `explain`, it names the share, and the header authenticates the reader.
  const named = explain !== undefined && isFingerprint(share ?? '');
  const token = (named ? undefined : share) ?? inHeaders.share ?? inBody;
  if (token?.startsWith('tk_') === true) return ownerKeyMisplaced;
  if (token === undefined) return inHeaders;
  return { ...inHeaders, share: token, ...(!named && share !== undefined ? { inAddress: true } : {}) };
}

/** The credential of a request that was refused, wherever it stands; what cannot be one is left out. */
export function presentedLeniently(request: FastifyRequest): Presented {
  const inHeaders = presentedInHeaders(request);
  const headers = isFault(inHeaders) ? {} : inHeaders;
  const { share } = (request.query ?? {}) as { readonly share?: unknown };
  if (typeof share === 'string' && !isFingerprint(share)) return { ...headers, share, inAddress: true };
  const sent = request.body as { readonly share?: unknown; readonly key?: unknown } | null | undefined;
  const inBody = [sent?.share, sent?.key].find(
    (each) => typeof each === 'string' && /^(?:sh\.|ck_)/.test(each),
  );
  return typeof inBody === 'string' && headers.share === undefined ? { ...headers, share: inBody } : headers;
}

export const ownerKeyMisplaced = fault(
  'credential_required',
  'That is the owner key, and it counts in the x-terminal-key header only.',
  'Send it there; never in a URL, a body or as a Bearer token.',
);

/** The credential in the headers, which is known before the body is read. */
export function presentedInHeaders(request: FastifyRequest): Presented | Fault {
  const header = request.headers['x-terminal-key'];
  const bearer = bearerOf(request);
  if (isFault(bearer)) return bearer;
  if (bearer?.startsWith('tk_') === true) return ownerKeyMisplaced;
  return {
    ...((request.raw.socket as { readonly isOwner?: boolean }).isOwner === true ? { local: true } : {}),
    ...(typeof header === 'string' && header !== '' ? { terminal: header } : {}),
    ...(bearer === undefined ? {} : { share: bearer }),
  };
}

/** The token of `Authorization: Bearer`; other schemes are ignored. */
function bearerOf(request: FastifyRequest): string | undefined | Fault {
  const header = request.headers.authorization;
  if (header === undefined || !/^bearer\b/i.test(header)) return undefined;
  return (
    /^Bearer +(\S+) *$/i.exec(header)?.[1] ??
    fault(
      'token_malformed',
      'The Authorization header has no token behind Bearer.',
      'Send Authorization: Bearer <TOKEN>.',
    )
  );
}

export function idempotencyKeyOf(request: FastifyRequest): string | undefined {
  const header = request.headers['idempotency-key'];
  return typeof header === 'string' && header !== '' ? header : undefined;
}

/** Whether the request has any credential; such answers are private. */
export function isCredentialed(presented: Presented): boolean {
  return presented.local === true || presented.terminal !== undefined || presented.share !== undefined;
}

/** Whether the caller asks for JSON and for no page. */
export function prefersJson({ headers: { accept = '' } }: FastifyRequest): boolean {
  return /\bapplication\/json\b/i.test(accept) && !/\btext\/html\b/i.test(accept);
}

/** Browsers and link previews fetch before a person decides; prefetches must not fire anything. */
export function isPrefetch(request: FastifyRequest): boolean {
  const purpose = `${String(request.headers['sec-purpose'] ?? '')} ${String(request.headers['purpose'] ?? '')} ${String(request.headers['x-moz'] ?? '')}`;
  return /prefetch|preview|prerender/i.test(purpose);
}

/** An integer within its declared bounds; its default if absent. */
export function wholeNumber(query: Query, name: string, declared: WholeNumber): number | Fault {
  return wholeNumberOf(query[name], name, declared.default ?? 0, declared.maximum);
}

/** Counts an invalid credential against its client; the refusal may become `rate_limited`. */
export function countFailedCredential(
  refusal: Fault,
  request: FastifyRequest,
  requestLimits: RequestLimits,
): Fault {
  return statusOf[refusal.fault] === 401 ? (requestLimits.badCredential(request) ?? refusal) : refusal;
}
