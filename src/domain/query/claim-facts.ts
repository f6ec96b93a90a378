/**
 * Claims as the graph query finds them (spec §4.3, contract §7): one flat row a claim, indexed by what it is
 * asked for most, so that an answer from a hundred thousand claims takes milliseconds. Whole claims stay with
 * their article; this is what can be filtered and ordered, and
 * as narrow as that allows: a search for a part of a text reads all of it.
 */
import type { Event, Projection } from '../../engine/act.ts';
import { integer, real, table, text, type RowOf } from '../../engine/tables.ts';
import { parseArticleChain } from '../articles/chains.ts';
import type { ProvenanceContent } from '../articles/events.ts';

export const claimFactTable = table('claim_fact', {
  key: { aid: text(), n: integer() },
  columns: {
    id: text(),
    text: text(),
    /** The text as `~` searches it: in small letters. */
    folded: text(),
    tier: text(),
    weight: real(),
    status: text(),
    source_status: text(),
    sources: integer(),
    slot: text(),
    section: text(),
    who_claims: text(),
    evidence_basis: text(),
    version: integer(),
    posted_at: text(),
    actor: text(),
  },
  compact: true,
  indexes: [
    ['aid', 'tier', 'n'],
    ['aid', 'status', 'n'],
    // A rare tier in the order of weight; without it every claim would be passed on the way.
    ['aid', 'tier', 'weight', 'n'],
    // Those that claims are ordered by hold what they are filtered by most, so that few rows are fetched in vain.
    ['aid', 'weight', 'n', 'tier', 'status'],
    ['aid', 'posted_at', 'n', 'tier', 'status'],
  ],
});

export type ClaimFact = RowOf<typeof claimFactTable>;

export function projectClaimFacts(event: Event, to: Projection): void {
  const chain = parseArticleChain(event.sealed.entry.chain);
  if (chain?.of !== 'provenance') return;
  const content = event.contents['content_sha'] as ProvenanceContent | undefined;
  for (const { n, claim } of content?.change?.claims ?? []) {
    to.put(claimFactTable, {
      aid: chain.aid,
      n,
      id: claim.id,
      text: claim.text,
      folded: claim.text.toLowerCase(),
      tier: claim.tier,
      weight: claim.weight,
      status: claim.status,
      source_status: claim.source_status,
      sources: claim.source_ids.length,
      slot: claim.slot ?? '',
      section: claim.section ?? '',
      who_claims: claim.who_claims,
      evidence_basis: claim.evidence_basis ?? '',
      version: claim.version,
      posted_at: claim.posted_by.ts,
      actor: claim.posted_by.actor,
    });
  }
}
