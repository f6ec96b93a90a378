/** Article parts about claims (spec §4.3): claims, sources, provenance, contributions. */
import { articleChain } from '../../domain/articles/chains.ts';
import { linkTable } from '../../domain/articles/link-checks.ts';
import type { StoredEvent } from '../../engine/act.ts';
import type { Entry } from '../../ledger/entry.ts';
import { ContributionList, type ContributionView, Mirror } from '../../model/contribution.ts';
import type { ReadContext } from '../read-context.ts';
import type { ArticleAccess } from './article-access.ts';
import { Provenance } from '../../model/history.ts';
import { provenanceList, sourceList, standingClaim } from '../../represent/article-json.ts';
import { provenanceContent, verificationOf } from '../../represent/stored-events.ts';
import { readImported } from './imported.ts';
import { unlimited, loadArticle, readContributions } from './articles.ts';
import { readThreadHead } from './discourse.ts';
import { readContests } from './contested.ts';
import { contributionViews, feedOf } from './mirror-feed.ts';
import { SourceList } from '../../model/source.ts';
import type { Wording } from '../../model/claim.ts';
import { ClaimList } from '../../model/standing-claims.ts';
import { defineRead } from './define-read.ts';
import { redactionPolicyOf } from './article-chains.ts';

export const readClaims = defineRead(ClaimList, async ({ context, access }) => {
  const state = await loadArticle(context, access.aid);
  const redaction = await redactionPolicyOf(context, access, state.row);
  const provenance = await context.read.chain(articleChain(access.aid, 'provenance'));
  const lineage = claimLineage(redaction.redact(provenance));
  const contests = await readContests(context, access.aid);
  const contributions = await contributionsByClaim(context, access);
  const claims = [...state.claims.values()]
    .sort((a, b) => a.n - b.n)
    .map((row) => ({
      ...standingClaim(state, row.claim, contests, context.base),
      lineage: lineage.get(row.claim.id) ?? [],
      contributions: contributions.get(`accepted ${row.claim.id}`) ?? [],
      proposed: contributions.get(`proposed ${row.claim.id}`) ?? [],
    }));
  return {
    slug: access.slug,
    count: claims.length,
    total: claims.length,
    thread_head: await readThreadHead(context, access.aid),
    contested: contests.article,
    claims,
    verification: verificationOf(provenance),
  };
});

/** Contributions that were accepted or wait, by their status and claim, oldest first. */
async function contributionsByClaim(
  context: ReadContext,
  { aid, slug }: ArticleAccess,
): Promise<ReadonlyMap<string, readonly ContributionView[]>> {
  const shown = new Map<string, ContributionView[]>();
  for (const view of await contributionViews(context, aid, slug)) {
    const name = `${view.status} ${view.claim_id}`;
    const known = shown.get(name);
    if (known === undefined) shown.set(name, [view]);
    else known.push(view);
  }
  return shown;
}

/** All wordings of a claim, oldest first. */
function claimLineage(provenance: readonly StoredEvent[]): ReadonlyMap<string, readonly Wording[]> {
  const lineage = new Map<string, Wording[]>();
  for (const event of provenance) {
    const { claims = [], resolved } = provenanceContent(event)?.change ?? {};
    const { ts, actor, action, inv } = JSON.parse(event.text) as Entry;
    const made = { action: action as string, ts, actor, receipt: (inv as string | undefined) ?? null };
    for (const { claim } of claims) {
      const { id, version, text, hash, status } = claim;
      const wording = { version, text, hash, status, ...made };
      const known = lineage.get(id) ?? [];
      known.push(resolved === undefined ? wording : { ...wording, contribution: resolved.id });
      lineage.set(id, known);
    }
  }
  return lineage;
}

export const readSources = defineRead(SourceList, async ({ context, access }) => {
  const sources = await context.read.chain(articleChain(access.aid, 'sources'));
  return {
    slug: access.slug,
    sources: sourceList({
      state: await loadArticle(context, access.aid),
      sources,
      links: await context.read.rows(linkTable, access.aid),
    }),
    verification: verificationOf(sources),
  };
});

export const readProvenance = defineRead(Provenance, async ({ context, access }) => {
  const state = await loadArticle(context, access.aid);
  const provenance = await context.read.chain(articleChain(access.aid, 'provenance'));
  return {
    slug: access.slug,
    provenance: provenanceList({
      provenance: (await redactionPolicyOf(context, access, state.row)).redact(provenance),
    }),
    energy: { ...state.row.energy, head: state.row.heads.provenance?.hash ?? 'genesis' },
    verification: verificationOf(provenance),
    ...(await readImported(context, access, 'provenance')),
  };
});

export const readFeed = defineRead(Mirror, async ({ context, access }) => {
  const feed = await feedOf(context, access.aid, access.slug, unlimited);
  // Each with its entry, which `verification` covers; newest first, as in MIRROR_FEED.
  const contributions = (await readContributions(context, access)).reverse();
  return {
    ...feed,
    contributions,
    verification: verificationOf(await context.read.chain(articleChain(access.aid, 'mirror'))),
  };
});

export const readAllContributions = defineRead(ContributionList, async ({ context, access }) => {
  const chain = await context.read.chain(articleChain(access.aid, 'mirror'));
  const contributions = await readContributions(context, access);
  return {
    slug: access.slug,
    count: contributions.length,
    total: chain.length,
    contributions,
    verification: verificationOf(chain),
    ...(await readImported(context, access, 'mirror')),
  };
});
