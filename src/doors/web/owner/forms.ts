/**
 * The console's forms (contract §8): the fields of a form become the body of a row, which is dispatched like any
 * other call.
 */
import { fault, type Fault } from '../../../kernel/fault.ts';
import type { JsonObject, JsonValue } from '../../../kernel/json.ts';
import type { Form } from '../../http/browser-forms.ts';
import { durationSeconds } from './durations.ts';

type Reader = (value: string) => JsonValue;

const asText: Reader = (value) => value;
const asNumber: Reader = (value) => (/^\d{1,15}$/.test(value) ? Number(value) : value);
/** A duration in words or seconds; what cannot be read is refused by the row. */
const asDuration: Reader = (value) => durationSeconds(value) ?? value;
const asFlag: Reader = (value) => value === '1';
const asList: Reader = (value) => value.split(/[\s,]+/).filter((item) => item !== '');

/** The rows that the console may call, and how to read their fields. */
const callable: Readonly<Record<string, Readonly<Record<string, Reader>>>> = {
  OIP_APPROVE: { id: asText, decision: asText, note: asText },
  MIRROR_RESOLVE: {
    slug: asText,
    contribution_id: asText,
    decision: asText,
    note: asText,
    expected_hash: asText,
    text: asText,
  },
  VOXEL_RATIFY: { vote_id: asText, decision: asText },
  THREAD_SETTLE: { slug: asText, entry: asText, note: asText },
  LANDSCAPE_RETURN: { assignment: asText },
  CAP_MINT: {
    scope: asText,
    keys: asList,
    article: asText,
    ttl: asDuration,
    max_uses: asNumber,
    purpose: asText,
    actor: asText,
    risk_ceiling: asText,
    owner_gate: asFlag,
  },
  CAP_REVOKE: { fingerprint: asText },
  KEY_MINT: { scopes: asText, purpose: asText, ttl: asDuration, actor: asText },
  KEY_REVOKE: { fingerprint: asText },
  SECRET_SCRUB: { slug: asText, secret: asText },
};

export interface FormCall {
  readonly key: string;
  readonly body: string;
}

/** The call that a form makes. Empty fields are omitted. */
export function callOf(form: Form): FormCall | Fault {
  const key = form.get('row') ?? '';
  const fields = Object.hasOwn(callable, key) ? callable[key] : undefined;
  if (fields === undefined)
    return fault('invalid_request', 'The console has no such form.', 'Use the forms as they stand.');
  const args: Record<string, JsonValue> = {};
  for (const [name, read] of Object.entries(fields)) {
    const value = form.get(name)?.trim() ?? '';
    if (value !== '') args[name] = read(value);
  }
  const { scope } = args;
  // The form offers roles beside the scopes; a role brings its own rows.
  if (key === 'CAP_MINT' && (scope === 'reviewer' || scope === 'editor')) {
    args['role'] = scope;
    delete args['scope'];
    delete args['keys'];
  }
  return { key, body: JSON.stringify(args satisfies JsonObject) };
}
