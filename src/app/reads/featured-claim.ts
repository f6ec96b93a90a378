/**
 * The claim that the home page shows (contract §8), by a rule that gives every reader the same one: among the articles
 * that the owner recommends, then among the first others by slug, the claim with a quoted source that has been contested
 * the longest; where none is contested, the first claim with a quoted source. A new objection never displaces an older
 * one, so that a new objection does not choose the claim on the front page.
 */
import { articleChain } from '../../domain/articles/chains.ts';
import { claimsOf, type ArticleState } from '../../domain/articles/state.ts';
import { slugPath, slugTable } from '../../domain/articles/tables.ts';
import type { Entry } from '../../ledger/entry.ts';
import type { ArticleItem } from '../../model/article.ts';
import type { Claim } from '../../model/claim.ts';
import type { StandingObjection } from '../../model/contested.ts';
import type { Source } from '../../model/source.ts';
import { provenanceContent } from '../../represent/stored-events.ts';
import { loadArticle } from './articles.ts';
import { readContests, readStandingObjections } from './contested.ts';
import type { ReadContext, Viewed } from '../read-context.ts';

export interface FeaturedClaim {
  readonly slug: string;
  readonly title: string;
  readonly claim: Claim;
  readonly source: Source;
  /** How many objections, contradictions and challenges stand open against it. */
  readonly contestedBy: number;
  /** The oldest of them. */
  readonly objection: StandingObjection | undefined;
  /** The receipt of its present wording. */
  readonly receipt: string | null;
}

interface Candidate {
  readonly aid: string;
  readonly state: ArticleState;
  readonly claim: Claim;
  readonly source: Source;
  /** When the oldest entry that stands open against it was made; undefined if none does. */
  readonly since: string | undefined;
}

/** `groups` in the order in which they are asked for; a group with a contested claim ends the search. */
export async function findFeaturedClaim(
  context: ReadContext & Pick<Viewed, 'tenant'>,
  groups: readonly (readonly ArticleItem[])[],
): Promise<FeaturedClaim | undefined> {
  let first: Candidate | undefined;
  for (const group of groups) {
    const candidates = (await Promise.all(group.map((item) => candidatesIn(context, item)))).flat();
    const [contested] = candidates
      .filter(({ since }) => since !== undefined)
      .sort((a, b) => (String(a.since) < String(b.since) ? -1 : 1));
    if (contested !== undefined) return featured(context, contested);
    first ??= candidates[0];
  }
  return first === undefined ? undefined : featured(context, first);
}

async function candidatesIn(
  context: ReadContext & Pick<Viewed, 'tenant'>,
  { slug }: ArticleItem,
): Promise<Candidate[]> {
  const found = await context.read.row(slugTable, slugPath(context.tenant, slug));
  if (found === undefined) return [];
  const { aid } = found;
  const state = await loadArticle(context, aid);
  const { contests } = await readContests(context, aid);
  return claimsOf(state).flatMap((claim) => {
    const source = claim.source_ids
      .map((id) => state.sources.get(id)?.source)
      .find((each) => each !== undefined && each.quote !== '');
    if (claim.status !== 'active' || source === undefined) return [];
    const against = contests.filter(({ kind, target }) => target === claim.id && disputes.has(kind));
    return [{ aid, state, claim, source, since: against.at(-1)?.ts }];
  });
}

/** Proposed wordings dispute nothing. */
const disputes: ReadonlySet<string> = new Set(['objection', 'contradiction', 'challenge']);

async function featured(
  context: ReadContext,
  { aid, state, claim, source }: Candidate,
): Promise<FeaturedClaim> {
  const standing = (await readStandingObjections(context, aid)).filter(
    ({ kind, target }) => target === claim.id && disputes.has(kind),
  );
  return {
    slug: state.row.slug,
    title: state.row.title,
    claim,
    source,
    contestedBy: standing.length,
    objection: standing.at(-1),
    receipt: await receiptOf(context, aid, claim),
  };
}

/** The call that gave the claim its present wording. */
async function receiptOf({ read }: ReadContext, aid: string, claim: Claim): Promise<string | null> {
  const events = await read.chain(articleChain(aid, 'provenance'));
  const written = events.findLast((event) =>
    provenanceContent(event)?.change?.claims?.some(
      (each) => each.claim.id === claim.id && each.claim.hash === claim.hash,
    ),
  );
  const inv = written === undefined ? undefined : (JSON.parse(written.text) as Entry)['inv'];
  return typeof inv === 'string' ? inv : null;
}
