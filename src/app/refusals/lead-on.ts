/**
 * Makes a refusal lead on (contract §2): at most five addresses in `next` that mend it and are ready to open, and
 * `did_you_mean` for a misspelt name. Both are for the caller: what it may not read is neither named nor compared.
 */
import { type Fault, type FaultCode, subjectOf } from '../../kernel/fault.ts';
import type { Service } from '../service.ts';
import { nextByCode, withoutReading } from './by-code.ts';
import { leadsBySubject, type Leads } from './by-subject.ts';
import { readRefused, type RefusedRequest } from './refused-request.ts';

/** Addresses of one refusal. */
const nextMax = 5;

const withoutStore: ReadonlySet<FaultCode> = new Set(['overloaded', 'shutting_down']);

/** Also for a refusal that was recorded earlier: what leads on is found anew. */
export async function leadOn(service: Service, request: RefusedRequest, refusal: Fault): Promise<Fault> {
  if (refusal.details?.['next'] !== undefined) return refusal;
  // A store that does not answer is not asked for what leads on.
  if (withoutStore.has(refusal.fault))
    return { ...refusal, details: { ...refusal.details, next: withoutReading(service.base, refusal.fault) } };
  const refused = await readRefused(service, request);
  const subject = subjectOf(refusal);
  const isLost = refusal.fault === 'not_found' && subject !== undefined;
  const leads: Leads = isLost ? await leadsBySubject[subject.kind](refused, subject) : { near: [], next: [] };
  const byCode = leads.next.length > 0 ? [] : await nextByCode[refusal.fault](refused, refusal);
  const suggested = (refusal.details?.['did_you_mean'] ?? []) as readonly { readonly key?: string }[];
  const rows = suggested.flatMap(({ key }) => (key === undefined ? [] : [refused.to.contract(key)]));
  const next = [...new Set([...rows, ...leads.next, ...byCode])].slice(0, nextMax);
  const near = leads.near.map(({ id, url }) => ({ id, url }));
  return {
    ...refusal,
    details: { ...refusal.details, next, ...(near.length === 0 ? {} : { did_you_mean: near }) },
  };
}
