/** Claims as they stand (spec §4.3, contract §5): with their wordings, their contributions, and what stands open against them. */
import type { Of } from './exact.ts';
import { ClaimView, Wording } from './claim.ts';
import { Contested } from './contested.ts';
import { ContributionView } from './contribution.ts';
import { count, list, ranged, prev, read, shape, slug, verification } from './parts.ts';

/** A claim of an article, with what stands open against it. */
export const StandingClaim = shape({ ...ClaimView.properties, contested: Contested });
export type StandingClaim = Of<typeof StandingClaim>;

/** What `/api/articles/<slug>/claims` answers. */
export const ClaimList = read({
  ...ranged,
  slug,
  count,
  total: count,
  thread_head: prev,
  /** Against the article, its claims and DIVs included. */
  contested: Contested,
  claims: list(
    shape({
      ...StandingClaim.properties,
      lineage: list(Wording),
      /** Accepted ones, oldest first. */
      contributions: list(ContributionView),
      /** Those that wait for the owner, oldest first. */
      proposed: list(ContributionView),
    }),
  ),
  verification,
});
