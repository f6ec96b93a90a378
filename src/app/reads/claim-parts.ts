/** Article parts about claims (spec §4.3): claims, sources, provenance, contributions. */
import { articleChain } from '../../domain/articles/chains.ts';
import { linkTable } from '../../domain/articles/link-checks.ts';
import type { StoredEvent } from '../../engine/act.ts';
import { isFault } from '../../kernel/fault.ts';
import { ContributionList, Mirror } from '../../model/contribution.ts';
import { Provenance } from '../../model/history.ts';
import { claimView, provenanceList, sourceList } from '../../represent/article-json.ts';
import { verificationOf } from '../../represent/stored-events.ts';
import { readImported } from './imported.ts';
import { unlimited, loadArticle, readContributions } from './articles.ts';
import { readThreadHead } from './discourse-parts.ts';
import { acceptedByClaim, readMirror } from './mirror-feed.ts';
import { SourceList } from '../../model/source.ts';
import { ClaimList, type Claim, type Wording } from '../../model/claim.ts';
import { defineRead } from './define-read.ts';
import { redactionPolicyOf } from './redaction-policy.ts';

export const readClaims = defineRead(ClaimList, async ({ context, seen }) => {
  const state = await loadArticle(context, seen.aid);
  const redaction = await redactionPolicyOf(context, seen, state.row);
  const provenance = await context.read.chain(articleChain(seen.aid, 'provenance'));
  const lineage = claimLineage(redaction.redact(provenance));
  const accepted = await acceptedByClaim(context, seen.aid, seen.slug);
  const claims = [...state.claims.values()]
    .sort((a, b) => a.n - b.n)
    .map((row) => ({
      ...claimView(state, row.claim, context.base),
      lineage: lineage.get(row.claim.id) ?? [],
      contributions: accepted.get(row.claim.id) ?? [],
    }));
  return {
    slug: seen.slug,
    count: claims.length,
    thread_head: await readThreadHead(context, seen.aid),
    claims,
    verification: verificationOf(provenance),
  };
});

/** All wordings of a claim, oldest first. */
function claimLineage(provenance: readonly StoredEvent[]): ReadonlyMap<string, readonly Wording[]> {
  const lineage = new Map<string, Wording[]>();
  for (const { change, action, ts, actor, receipt } of provenanceList({ provenance })) {
    const { claims = [], resolved } = (change ?? {}) as {
      readonly claims?: readonly { readonly claim: Claim }[];
      readonly resolved?: { readonly id: string };
    };
    for (const { claim } of claims) {
      const { id, version, text, hash, status } = claim;
      const wording = { version, text, hash, status, action, ts, actor, receipt };
      const known = lineage.get(id) ?? [];
      known.push(resolved === undefined ? wording : { ...wording, contribution: resolved.id });
      lineage.set(id, known);
    }
  }
  return lineage;
}

export const readSources = defineRead(SourceList, async ({ context, seen }) => {
  const sources = await context.read.chain(articleChain(seen.aid, 'sources'));
  return {
    slug: seen.slug,
    sources: sourceList({
      state: await loadArticle(context, seen.aid),
      sources,
      links: await context.read.rows(linkTable, seen.aid),
    }),
    verification: verificationOf(sources),
  };
});

export const readProvenance = defineRead(Provenance, async ({ context, seen }) => {
  const state = await loadArticle(context, seen.aid);
  const provenance = await context.read.chain(articleChain(seen.aid, 'provenance'));
  return {
    slug: seen.slug,
    provenance: provenanceList({
      provenance: (await redactionPolicyOf(context, seen, state.row)).redact(provenance),
    }),
    energy: { ...state.row.energy, head: state.row.heads.provenance?.hash ?? 'genesis' },
    verification: verificationOf(provenance),
    ...(await readImported(context, seen, 'provenance')),
  };
});

export const readFeed = defineRead(Mirror, async ({ context, seen }) => {
  const feed = await readMirror(context, seen.tenant, seen.slug, unlimited);
  if (isFault(feed)) return feed;
  // Each with its entry, which `verification` covers; newest first, as in MIRROR_FEED.
  const contributions = (await readContributions(context, seen)).reverse();
  return {
    ...feed,
    contributions,
    verification: verificationOf(await context.read.chain(articleChain(seen.aid, 'mirror'))),
  };
});

export const readAllContributions = defineRead(ContributionList, async ({ context, seen }) => {
  const chain = await context.read.chain(articleChain(seen.aid, 'mirror'));
  return {
    slug: seen.slug,
    count: chain.length,
    contributions: await readContributions(context, seen),
    verification: verificationOf(chain),
    ...(await readImported(context, seen, 'mirror')),
  };
});
