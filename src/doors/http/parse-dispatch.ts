/**
 * Parses the members of a dispatch call beside key and body (contract §3): actor, purpose, dry run, and the receipt
 * that it replays or repairs.
 */
import type { ReplayOf } from '../../app/plans/replay.ts';
import { mergeRefusals } from '../../domain/violations.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { canonicalJson, type JsonObject } from '../../kernel/json.ts';
import { stringMember, type Query } from './requests.ts';

/** Display metadata is recorded with every call, so it has the limits of CAP_MINT. */
const actorCharsMax = 200;
const purposeCharsMax = 500;

export interface CallMetadata {
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
  return fault(
    'invalid_request',
    '"shape" says neither yes nor no.',
    'Send shape as true (in a URL: 1) for a dry run, or leave it out.',
    { parameter: 'shape' },
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

/** The query as members of a POST; in a URL the row is `invoke`, because `key` asks for a contract. */
export function queryMembers({ invoke, body, replay, repairs }: Query): JsonObject {
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
  return fault(
    'invalid_request',
    `"${name}" ${what}.`,
    `Send "${name}" ${as}, such as {"key":"MIRROR_FEED","body":"slug|20"}.`,
    { parameter: name },
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
  return fault(
    'invalid_request',
    'A replay has the recorded key and body, and nothing else beside it.',
    'Send replay alone, or repairs with a corrected body.',
    { parameter: 'replay' },
  );
}

/** Treats an empty string as absent. */
export function nonEmpty(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}
