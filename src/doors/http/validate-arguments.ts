/**
 * Adds the faults of a row's arguments to the refusal of the envelope around them (contract §2 "all violations at
 * once"). The call runs as a dry run with its credential, so that callers who may not call the row learn nothing
 * about its arguments.
 */
import type { FastifyRequest } from 'fastify';
import { dispatch } from '../../app/pipeline/dispatch.ts';
import type { Answer } from '../../app/plans/call.ts';
import type { Service } from '../../app/service.ts';
import { violation, type Violation } from '../../domain/violations.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import { textProblem, canonicalJson, type JsonObject } from '../../kernel/json.ts';
import type { RequestLimits } from './request-limits.ts';
import { countFailedCredential, presentedBy } from './requests.ts';

/** The unvalidated parts of a call. */
export interface RawCall {
  readonly key: unknown;
  readonly body: unknown;
  readonly share?: unknown;
  readonly workspace?: unknown;
  /** The prefix of violations in the arguments: `/body`, or `?body` in a URL. */
  readonly place: '/body' | '?body';
}

/** The refusal of an envelope, with the violations in its arguments if they can be read. */
export async function validateArguments(
  service: Service,
  requestLimits: RequestLimits,
  request: FastifyRequest,
  refusal: Fault,
  { key, body = '', share, workspace, place }: RawCall,
): Promise<Fault> {
  const text = bodyTextOf(body);
  if (refusal.fault !== 'invalid_request' || typeof key !== 'string' || text === undefined) return refusal;
  const inAddress = (request.query as Readonly<Record<string, unknown>>)['share'];
  if (!isOptionalText(share) || !isOptionalText(workspace) || !isOptionalText(inAddress)) return refusal;
  const presented = presentedBy(request, share);
  if (isFault(presented)) return refusal;
  const dry = await dispatch(service, {
    key,
    body: text,
    presented,
    workspace,
    method: 'POST',
    shape: true,
    channel: 'http',
    client: requestLimits.address(request),
    meter: requestLimits.meter(request),
  });
  const counted = isFault(dry) ? countFailedCredential(dry, request, requestLimits) : dry;
  // Too many invalid credentials: only the rate limit is reported.
  if (counted !== dry) return counted as Fault;
  return withMore(refusal, place, argumentFaults(dry));
}

function bodyTextOf(body: unknown): string | undefined {
  if (typeof body === 'string') return textProblem(body) === undefined ? body : undefined;
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  return isObject ? canonicalJson(body as JsonObject) : undefined;
}

function isOptionalText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}

interface ArgumentFaults {
  readonly message: string;
  /** Violations in the arguments; without a place if the key is unknown. */
  readonly violations: readonly Violation[];
  readonly more: JsonObject;
  readonly isKey?: boolean;
}

function argumentFaults(dry: Answer | Fault): ArgumentFaults | undefined {
  if (isFault(dry))
    return dry.fault === 'unknown_key'
      ? {
          message: dry.message,
          violations: [violation(dry.fault, '', dry.message, dry.fix)],
          more: { ...dry.details },
          isKey: true,
        }
      : undefined;
  const refused = (dry.kind === 'shape' ? dry.shape['refusal'] : undefined) as JsonObject | undefined;
  const violations = refused?.['violations'] as readonly Violation[] | undefined;
  if (refused === undefined || violations === undefined) return undefined;
  const { inputs, example } = refused;
  return {
    message: String(refused['message']),
    violations,
    more: { ...(inputs === undefined ? {} : { inputs }), ...(example === undefined ? {} : { example }) },
  };
}

function withMore(refusal: Fault, place: RawCall['place'], more: ArgumentFaults | undefined): Fault {
  if (more === undefined) return refusal;
  const at = more.isKey === true ? (place === '/body' ? '/key' : '?invoke') : place;
  return {
    ...refusal,
    message: `${refusal.message} ${more.message}`,
    fix: 'Mend each of violations as it says there, and send the request again.',
    details: {
      ...more.more,
      ...refusal.details,
      violations: [
        ...((refusal.details?.['violations'] ?? []) as readonly Violation[]),
        ...more.violations.map((each) => ({ ...each, at: `${at}${each.at}` })),
      ],
    },
  };
}
