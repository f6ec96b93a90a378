/**
 * The content rules for what a bundle brings in (contract §5 "Import"): its claims and sources are judged as if they
 * were posted here. The owner may insist; what breaks a rule is then marked with the codes of its breaches.
 */
import { retractRules } from '../articles/amend-claim.ts';
import { lintSource } from '../articles/append-sources.ts';
import { lintClaim } from '../articles/claim-rules.ts';
import { medicalRules } from '../articles/medical-rules.ts';
import { claimsOf, sourcesOf } from '../articles/state.ts';
import { visibleTextRules } from '../text-rules.ts';
import { refusalOf, type PartialInput, type Violation } from '../violations.ts';
import type { Fault } from '../../kernel/fault.ts';
import type { Bundle } from './bundle.ts';
import type { Claim, ClaimInput } from '../../model/claim.ts';
import type { Source } from '../../model/source.ts';

/** Every breach of a rule, by the place of the claim or source in the bundle. */
export function importRules({ state }: Bundle): Violation[] {
  return [
    ...claimsOf(state).flatMap((claim, i) => claimErrors(claim, state.sources, `/bundle/claims/${i}`)),
    ...sourcesOf(state).flatMap(({ source }, i) => sourceErrors(source, `/bundle/sources/${i}`)),
  ];
}

export function importRefusal(bundle: Bundle): Fault | undefined {
  return refusalOf(
    importRules(bundle),
    'The bundle',
    'Mend each violation where the bundle came from, or send accept_violations:true to import it with each breach marked.',
  );
}

/** Codes of the rules that each claim and source breaks, by its id. */
export function brokenRules({ state }: Bundle): ReadonlyMap<string, readonly string[]> {
  const codes = (found: readonly Violation[]) => [...new Set(found.map(({ code }) => code))];
  const all = [
    ...claimsOf(state).map((claim) => [claim.id, codes(claimErrors(claim, state.sources, ''))] as const),
    ...sourcesOf(state).map(({ source }) => [source.id, codes(sourceErrors(source, ''))] as const),
  ];
  return new Map(all.filter(([, broken]) => broken.length > 0));
}

function claimErrors(claim: Claim, sources: { has(id: string): boolean }, at: string): Violation[] {
  const { evidence_class, comparison, actor_name: actor, retracted } = claim.extra;
  const { rationale, model } = claim.posted_by;
  const given = { ...claim, rationale, model, evidence_class, comparison, actor };
  // What was left out when it was posted is stored as null, which the rules read as unreadable.
  const filled = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  return [
    ...lintClaim(filled as PartialInput<ClaimInput>, sources).filter(({ severity }) => severity === 'error'),
    ...(retracted === undefined ? [] : retractRules(retracted.reason)),
  ].map((each) => ({ ...each, at: at + each.at.replace(/^\/(\w+)/, (_, name: string) => fieldPath(name)) }));
}

/** Where a claim stores what its poster sent under another name. */
function fieldPath(name: string): string {
  if (name === 'rationale' || name === 'model') return `/posted_by/${name}`;
  if (name === 'evidence_class' || name === 'comparison') return `/extra/${name}`;
  if (name === 'actor') return '/extra/actor_name';
  return name === 'reason' ? '/extra/retracted/reason' : `/${name}`;
}

function sourceErrors(source: Source, at: string): Violation[] {
  const { found_by } = source;
  return [
    ...lintSource(source, at),
    ...visibleTextRules({ found_by }, at),
    ...medicalRules({ found_by }, at),
  ];
}
