/**
 * The content rules for what a bundle brings in (contract §5 "Import"): its claims and sources are judged as if they
 * were posted here. The owner may insist; what breaks a rule is then marked with the codes of its breaches.
 */
import { lintSource } from '../articles/append-sources.ts';
import { lintClaim, type ClaimInput } from '../articles/claim-rules.ts';
import { claimsOf, sourcesOf } from '../articles/state.ts';
import type { Claim } from '../articles/tables.ts';
import { refusalOf, type Fitting, type Violation } from '../violations.ts';
import type { Fault } from '../../kernel/fault.ts';
import { plainObject, type Bundle } from './opened.ts';

/** Every breach of a rule, by the place of the claim or source in the bundle. */
export function importRules({ state }: Bundle): Violation[] {
  return [
    ...claimsOf(state).flatMap((claim, i) => claimErrors(claim, state.sources, `/bundle/claims/${i}`)),
    ...sourcesOf(state).flatMap(({ source }, i) => lintSource(source, `/bundle/sources/${i}`)),
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
    ...sourcesOf(state).map(({ source }) => [source.id, codes(lintSource(source, ''))] as const),
  ];
  return new Map(all.filter(([, broken]) => broken.length > 0));
}

function claimErrors(claim: Claim, sources: { has(id: string): boolean }, at: string): Violation[] {
  const { evidence_class, comparison } = plainObject(claim.extra);
  const { rationale, model } = plainObject(claim.posted_by);
  const given = { ...claim, rationale, model, evidence_class, comparison };
  // What was left out when it was posted is stored as null, which the rules read as unreadable.
  const filled = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  return lintClaim(filled as Fitting<ClaimInput>, sources)
    .filter(({ severity }) => severity === 'error')
    .map((each) => ({ ...each, at: at + each.at }));
}
