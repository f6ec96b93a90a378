/** Reading what an HTTP request presents: known parameters only, credentials where they are allowed, one client address. */
import type { FastifyRequest } from 'fastify';
import type { Presented } from '../../app/authenticate.ts';
import { fault, type Fault } from '../../kernel/fault.ts';
import { badText, type JsonObject } from '../../kernel/json.ts';

export type Query = Readonly<Record<string, string>>;

/** Parameters that every GET takes. */
const everywhere = ['soft', 'self'];

/** The query as single well-formed strings; an unknown or repeated parameter is named. */
export function readQuery(request: FastifyRequest, known: readonly string[]): Query | Fault {
  const query = request.query as Record<string, unknown>;
  for (const name in query) {
    const value = query[name];
    if (!known.includes(name) && !everywhere.includes(name)) {
      return fault('invalid_request', `"${name.slice(0, 60)}" is no parameter here.`, `Use only: ${[...known, ...everywhere].join(', ')}.`, {
        parameter: name.slice(0, 60),
        known: [...known, ...everywhere],
      });
    }
    if (typeof value !== 'string') {
      return fault('invalid_request', `"${name}" is given more than once.`, 'Send each parameter once.', { parameter: name });
    }
    const bad = badText(value);
    if (bad !== undefined) return fault('invalid_request', `"${name}" cannot be read: ${bad}.`, 'Send well-formed UTF-8 without NUL.', { parameter: name });
  }
  return query as Query;
}

/** The JSON object of a write request. */
export function readObject(request: FastifyRequest): JsonObject | Fault {
  const body = request.body;
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as JsonObject;
  return fault('invalid_request', 'The request has no JSON object as its body.', 'Send Content-Type: application/json and one JSON object.');
}

const apiKeyShape = /^(?:ck_|tk_)/;

/**
 * What the request presents. A share may stand in the URL; API and terminal keys never may. `key` is the
 * credential member of a protocol body.
 */
export function presentedBy(request: FastifyRequest, inBody?: string): Presented | Fault {
  const header = request.headers['x-terminal-key'];
  const share = (request.query as Query)['share'];
  if (share !== undefined && apiKeyShape.test(share)) {
    return fault('invalid_request', 'A key may not stand in a URL.', 'Send it in the Authorization or x-terminal-key header.', { parameter: 'share' });
  }
  const bearer = bearerOf(request);
  const token = share ?? bearer ?? inBody;
  return {
    ...((request.raw.socket as { readonly isOwner?: boolean }).isOwner === true ? { local: true } : {}),
    ...(typeof header === 'string' && header !== '' ? { terminal: header } : token?.startsWith('tk_') === true ? { terminal: token } : {}),
    ...(token !== undefined && token !== '' && !token.startsWith('tk_') ? { share: token } : {}),
  };
}

function bearerOf(request: FastifyRequest): string | undefined {
  const header = request.headers.authorization;
  return header === undefined ? undefined : /^Bearer\s+(\S+)$/i.exec(header)?.[1];
}

/** Whether the request carries any credential: such answers are never shared by caches. */
export function isCredentialed(presented: Presented): boolean {
  return presented.local === true || presented.terminal !== undefined || presented.share !== undefined;
}

/** Browsers and link previews fetch ahead of a person's decision; nothing may fire on that. */
export function isPrefetch(request: FastifyRequest): boolean {
  const purpose = `${String(request.headers['sec-purpose'] ?? '')} ${String(request.headers['purpose'] ?? '')} ${String(request.headers['x-moz'] ?? '')}`;
  return /prefetch|preview|prerender/i.test(purpose);
}

export function wholeNumber(query: Query, name: string, byDefault: number, max: number): number | Fault {
  const given = query[name];
  if (given === undefined) return byDefault;
  const value = Number(given);
  if (/^\d{1,9}$/.test(given) && value >= 1 && value <= max) return value;
  return fault('invalid_request', `"${name}" is ${given.slice(0, 40)}.`, `Send a whole number from 1 to ${max}.`, { parameter: name });
}
