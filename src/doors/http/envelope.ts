/**
 * The envelope (contract §2): every JSON body says what it is in `_self`, faults are problem details
 * (RFC 9457) with a stable code, and `?soft=1` answers a fault as 200 for readers that are blind to error
 * bodies. One mechanism; no route has its own.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { fingerprintOf } from '../../domain/capabilities/share-codec.ts';
import { retryable, statusOf } from './statuses.ts';

export interface Self {
  readonly kind: string;
  readonly name: string;
  /** One line: what this is. */
  readonly what: string;
  readonly read?: string | undefined;
  readonly write?: string | undefined;
  readonly schema?: string | undefined;
  /** Where to go from here: absolute URLs, usable as they stand. */
  readonly next?: readonly string[] | undefined;
}

/** Keeps `_self` below its kilobyte (contract §2). */
const whatCharsMax = 160;

export function selfOf(self: Self): JsonObject {
  return {
    protocol: 'OIP',
    version: '1.2.0',
    kind: self.kind,
    name: self.name,
    what: self.what.length > whatCharsMax ? `${self.what.slice(0, whatCharsMax)}…` : self.what,
    read: self.read ?? null,
    write: self.write ?? null,
    schema: self.schema ?? null,
    next: self.next ?? [],
  };
}

export function body(self: Self, members: JsonObject): JsonObject {
  return { ok: true, ...members, _self: selfOf(self) };
}

export function problem(fault: Fault, base: string, instance: string, more: JsonObject = {}): JsonObject {
  return {
    type: `${base}/docs/errors#${fault.fault}`,
    title: fault.fault.replaceAll('_', ' '),
    status: statusOf[fault.fault],
    detail: fault.message,
    instance,
    ok: false,
    error: fault.fault,
    gate: fault.gate ?? null,
    retryable: retryable.has(fault.fault),
    charged: false,
    invocation: null,
    fix: fault.fix,
    next: [`${base}/api/dispatch?registry=1`],
    ...fault.details,
    ...more,
    _self: selfOf({ kind: 'error', name: fault.fault, what: fault.message, next: [`${base}/api/dispatch`] }),
  };
}

const shares = /sh\.[A-Za-z0-9_-]{20,}/g;
const otherCredentials = /([?&](?:share|token)=|[ct]k_)(?!cap_)[^&#]*/gi;

/** The request's path and query as it may be shown and logged: a token of ours is its fingerprint there. */
export function instanceOf(request: FastifyRequest): string {
  return request.url.replace(shares, fingerprintOf).replace(otherCredentials, '$1[credential]');
}

export function isSoft(request: FastifyRequest): boolean {
  return request.method === 'GET' && (request.query as { readonly soft?: unknown }).soft === '1';
}

export function sendProblem(reply: FastifyReply, request: FastifyRequest, base: string, fault: Fault, more: JsonObject = {}): FastifyReply {
  const status = statusOf[fault.fault];
  if (status === 401) void reply.header('www-authenticate', 'Bearer realm="colophon", ApiKey');
  const retryAfter = fault.details?.['retry_after'];
  if (typeof retryAfter === 'number') {
    void reply.header('retry-after', String(retryAfter));
    void reply.header('ratelimit-limit', String(fault.details?.['limit'])).header('ratelimit-remaining', '0').header('ratelimit-reset', String(fault.details?.['reset']));
  }
  return reply
    .code(isSoft(request) ? 200 : status)
    .header('content-type', 'application/problem+json; charset=utf-8')
    .header('cache-control', 'private, no-store')
    .send(JSON.stringify(problem(fault, base, instanceOf(request), more)));
}

export function sendJson(reply: FastifyReply, value: JsonObject, status = 200): FastifyReply {
  return reply.code(status).header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(value));
}

/** Cache header of an answer that depends on who asks. */
export const privateCache = 'private, no-store';
