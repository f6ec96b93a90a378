/**
 * What a dispatch call says beside its key and body (contract §3): who calls, why, whether it is a dry run, and
 * which earlier receipt it comes from. Everything here is a caller's words, checked before anything happens.
 */
import type { Again } from '../../domain/capabilities/row.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { canonicalJson, type JsonObject } from '../../kernel/json.ts';
import { stringMember } from './requests.ts';

/** Display metadata is recorded with every call, so it has the bounds that rows give it (CAP_MINT). */
const actorCharsMax = 200;
const purposeCharsMax = 500;

export interface Said {
  readonly actor: string | undefined;
  readonly purpose: string | undefined;
  /** A dry run. */
  readonly shape: boolean;
}

/** What a call says beside its key and body. A dry run that was meant and mistyped must not fire. */
export function readSaid(from: JsonObject): Said | Fault {
  const actor = stringMember(from, 'actor', actorCharsMax);
  if (isFault(actor)) return actor;
  const purpose = stringMember(from, 'purpose', purposeCharsMax);
  if (isFault(purpose)) return purpose;
  const shape = from['shape'] ?? false;
  if (shape === true || shape === '1' || shape === 'true') return { actor, purpose, shape: true };
  if (shape === false || shape === '0' || shape === 'false') return { actor, purpose, shape: false };
  return fault(
    'invalid_request',
    '"shape" says neither yes nor no.',
    'Send shape as true (in a URL: 1) for a dry run, or leave it out.',
    { parameter: 'shape' },
  );
}

export function readMembers(
  object: JsonObject,
): (Said & Readonly<Record<'share' | 'idem' | 'workspace', string | undefined>>) | Fault {
  const share = stringMember(object, 'share');
  if (isFault(share)) return share;
  const idem = stringMember(object, 'idem');
  if (isFault(idem)) return idem;
  const workspace = stringMember(object, 'workspace');
  if (isFault(workspace)) return workspace;
  const said = readSaid(object);
  return isFault(said) ? said : { ...said, share, idem, workspace };
}

/** What a POST says of an earlier receipt: replay it whole, or repair it with this key and body. */
export function againOf(object: JsonObject): Again | undefined | Fault {
  const replay = stringMember(object, 'replay', 40);
  if (isFault(replay)) return replay;
  const repairs = stringMember(object, 'repairs', 40);
  if (isFault(repairs)) return repairs;
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

/** A word that says nothing is no word. */
export function named(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}
