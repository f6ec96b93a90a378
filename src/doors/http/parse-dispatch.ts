/**
 * Parses the members of a dispatch call beside key and body (contract §3): actor, purpose, dry run, and the receipt
 * that it replays or repairs.
 */
import type { ReplayOf } from '../../app/plans/replay.ts';
import { mergeRefusals, violation, type Violation } from '../../domain/violations.ts';
import { type Fault, invalidParameter, isFault } from '../../kernel/fault.ts';
import { canonicalJson, type JsonObject, textProblem } from '../../kernel/json.ts';
import { countFailedCredential, presentedBy, type Query, stringMember } from './requests.ts';
import type { FastifyRequest } from 'fastify';
import { dispatch } from '../../app/pipeline/dispatch.ts';
import type { Answer } from '../../app/plans/call.ts';
import type { Service } from '../../app/service.ts';
import type { RequestLimits } from './request-limits.ts';

/** Display metadata is recorded with every call, so it has the limits of CAP_MINT. */
const actorCharsMax = 200;
const purposeCharsMax = 500;

interface CallMetadata {
  readonly actor: string | undefined;
  readonly purpose: string | undefined;
  /** Whether this is a dry run. */
  readonly shape: boolean;
}

/** The metadata of a call. A malformed `shape` is refused, because the call must not fire. */
export function readMetadata(from: JsonObject, inside: '?' | '/' = '/'): CallMetadata | Fault {
  const actor = stringMember(from, 'actor', actorCharsMax);
  const purpose = stringMember(from, 'purpose', purposeCharsMax);
  const shape = shapeIn(from);
  if (isFault(actor) || isFault(purpose) || isFault(shape))
    return mergeRefusals(inside, actor, purpose, shape) as Fault;
  return { actor, purpose, shape };
}

function shapeIn(from: JsonObject): boolean | Fault {
  const shape = from['shape'] ?? false;
  if (shape === true || shape === '1' || shape === 'true') return true;
  if (shape === false || shape === '0' || shape === 'false') return false;
  return invalidParameter(
    'shape',
    '"shape" says neither yes nor no.',
    'Send shape as true (in a URL: 1) for a dry run, or leave it out.',
  );
}

export function readMembers(
  object: JsonObject,
): (CallMetadata & Readonly<Record<'share' | 'idem' | 'workspace', string | undefined>>) | Fault {
  const share = stringMember(object, 'share');
  const idem = stringMember(object, 'idem');
  const workspace = stringMember(object, 'workspace');
  const metadata = readMetadata(object);
  if (isFault(share) || isFault(idem) || isFault(workspace) || isFault(metadata))
    return mergeRefusals('/', share, idem, workspace, metadata) as Fault;
  return { ...metadata, share, idem, workspace };
}

/** The named arguments of an address: `arg.<name>=<text>`; undefined without any. */
export function namedTexts(query: Readonly<Record<string, unknown>>): Record<string, string> | undefined {
  const texts = Object.entries(query).flatMap(([name, value]): [string, string][] => {
    // A repeated parameter is refused, and is not missing.
    const text: unknown = Array.isArray(value) ? value[0] : value;
    return name.startsWith(argPrefix) && typeof text === 'string'
      ? [[name.slice(argPrefix.length), text]]
      : [];
  });
  return texts.length === 0 ? undefined : Object.fromEntries(texts);
}

const argPrefix = 'arg.';

/**
 * The query as members of a POST; in a URL the row is `invoke`, because `key` asks for a contract. Named arguments stand
 * for the body.
 */
export function queryMembers(query: Query): JsonObject {
  const { invoke, replay, repairs } = query;
  const body = query['body'] ?? namedTexts(query);
  return {
    ...(invoke === undefined ? {} : { key: invoke }),
    ...(body === undefined ? {} : { body }),
    ...(replay === undefined ? {} : { replay }),
    ...(repairs === undefined ? {} : { repairs }),
  };
}

/** The row and the body of a call; optional if the call is made from a receipt. */
export function readRowAndBody(
  { key, body: given }: JsonObject,
  replay: unknown,
): { readonly key: string; readonly body: string | JsonObject } | Fault {
  const body = given ?? '';
  const row = key ?? (replay === undefined ? undefined : '');
  const isBody =
    typeof body === 'string' || (typeof body === 'object' && body !== null && !Array.isArray(body));
  if (typeof row === 'string' && isBody) return { key: row, body: body as string | JsonObject };
  return mergeRefusals(
    '/',
    typeof row === 'string'
      ? undefined
      : memberFault('key', key === undefined ? 'is missing' : 'is no string', 'as the key of a row'),
    isBody
      ? undefined
      : memberFault('body', 'is neither a string nor an object', 'as the arguments of the row'),
  ) as Fault;
}

function memberFault(name: string, what: string, as: string): Fault {
  return invalidParameter(
    name,
    `"${name}" ${what}.`,
    `Send "${name}" ${as}, such as {"key":"MIRROR_FEED","body":"slug|20"}.`,
  );
}

/** The receipt that a call replays whole, or repairs with its key and body. */
export function readReplay(object: JsonObject): ReplayOf | undefined | Fault {
  const replay = stringMember(object, 'replay', 40);
  const repairs = stringMember(object, 'repairs', 40);
  if (isFault(replay) || isFault(repairs)) return mergeRefusals('/', replay, repairs);
  const { key, body: given } = object;
  if (replay === undefined) {
    if (repairs === undefined) return undefined;
    return {
      repairs,
      ...(typeof key === 'string' ? { key } : {}),
      ...(given === undefined ? {} : { body: typeof given === 'string' ? given : canonicalJson(given) }),
    };
  }
  if (repairs === undefined && key === undefined && given === undefined) return { replay };
  return invalidParameter(
    'replay',
    'A replay has the recorded key and body, and nothing else beside it.',
    'Send replay alone, or repairs with a corrected body.',
  );
}

/** Treats an empty string as absent. */
export function nonEmpty(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}

/*
 * Adds the faults of a row's arguments to the refusal of the envelope around them (contract §2 "all violations at
 * once"). The call runs as a dry run with its credential, so that callers who may not call the row learn nothing
 * about its arguments.
 */

/** The unvalidated parts of a call. */
interface RawCall {
  readonly key: unknown;
  readonly body: unknown;
  readonly share?: unknown;
  readonly workspace?: unknown;
  /** Arguments named in a URL, in place of a body. */
  readonly texts?: Readonly<Record<string, string>> | undefined;
  /** The prefix of violations in the arguments: `/body`, or `?body` in a URL. */
  readonly place: '/body' | '?body';
}

/** The refusal of an envelope, with the violations in its arguments if they can be read. */
export async function validateArguments(
  service: Service,
  requestLimits: RequestLimits,
  request: FastifyRequest,
  refusal: Fault,
  { key, body = '', texts, share, workspace, place }: RawCall,
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
    texts,
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
  const at = texts === undefined ? `${place}/` : `?${argPrefix}`;
  return withMore(refusal, at, place === '/body' ? '/key' : '?invoke', argumentFaults(dry));
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

/** `prefix` of the arguments' places, whose first slash it replaces; `keyAt` is the place of the key. */
function withMore(refusal: Fault, prefix: string, keyAt: string, more: ArgumentFaults | undefined): Fault {
  if (more === undefined) return refusal;
  const placed = (at: string): string =>
    more.isKey === true ? `${keyAt}${at}` : at === '' ? prefix.slice(0, -1) : `${prefix}${at.slice(1)}`;
  return {
    ...refusal,
    message: `${refusal.message} ${more.message}`,
    fix: 'Mend each of violations as it says there, and send the request again.',
    details: {
      ...more.more,
      ...refusal.details,
      violations: [
        ...((refusal.details?.['violations'] ?? []) as readonly Violation[]),
        ...more.violations.map((each) => ({ ...each, at: placed(each.at) })),
      ],
    },
  };
}
