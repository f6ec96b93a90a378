/** The record of what became of a contribution (contract §5): its table, how its entries become rows, and how it is shown. */
import { integer, json, table, text, type RowOf, type Sub } from '../../engine/tables.ts';
import type { Event, Projection } from '../../engine/act.ts';
import { type Contribution, type ContributionEffect, ContributionView } from '../../model/contribution.ts';
import { exactly } from '../../model/exact.ts';
import type { resolutions } from '../../model/vocabulary.ts';
import { parseArticleChain } from '../articles/chains.ts';
import type { ProvenanceContent } from '../articles/events.ts';
import type { ClaimRow } from '../articles/tables.ts';
import { contributionPermalink } from './contribute.ts';
import { changesWording } from './contribution-rules.ts';
import type { ContributionRow } from './tables.ts';
import type { Claim } from '../../model/claim.ts';

/** The decisions on an article's contributions: one row each, by contribution id. */
export const resolutionTable = table('resolution', {
  key: { aid: text(), id: text() },
  columns: {
    status: text<(typeof resolutions)[number]>(),
    note: text(),
    effect: json<ContributionEffect>(),
    decided_at: text(),
    decided_by: text(),
    receipt: text(),
    seq: integer(),
  },
  aggregate: 'resolution',
  compact: true,
});

export type ResolutionRow = RowOf<typeof resolutionTable>;

/** Resolutions are entries of the provenance chain (contract §1.5) that name a contribution. */
export function projectResolution(event: Event, to: Projection): void {
  const { entry } = event.sealed;
  const id = entry['contribution'];
  if (typeof id !== 'string') return;
  const chain = parseArticleChain(entry.chain);
  if (chain?.of !== 'provenance') return;
  const content = event.contents['content_sha'] as ProvenanceContent | undefined;
  const resolved = content?.change?.resolved;
  to.put(resolutionTable, {
    aid: chain.aid,
    id,
    status: entry['decision'] as (typeof resolutions)[number],
    note: resolved?.note ?? '',
    effect: resolved?.effect ?? {},
    decided_at: entry.ts,
    decided_by: entry.actor,
    receipt: String(entry['inv'] ?? ''),
    seq: event.seq,
  });
}

/** A wording that waits while its claim has changed since it was written (contract §5). */
export function isStale(
  { claim_id: claimId, contribution }: ContributionRow,
  resolution: ResolutionRow | undefined,
  claims: ReadonlyMap<Sub, ClaimRow>,
): boolean {
  if (resolution !== undefined || !changesWording({ kind: contribution.kind, claim_id: claimId }))
    return false;
  return !isProposedOn(contribution, claims.get(claimId)?.claim);
}

/** Whether a wording was written against the claim as it stands. Older contributions record no version. */
export function isProposedOn(
  { claim_hash: hash, claim_version: version }: Pick<Contribution, 'claim_hash' | 'claim_version'>,
  claim: Claim | undefined,
): boolean {
  return hash === (claim?.hash ?? null) && (version === undefined || version === claim?.version);
}

/** A contribution as everybody reads it: what was said, and what became of it. */
export function contributionJson(
  base: string,
  slug: string,
  row: ContributionRow,
  resolution: ResolutionRow | undefined,
  claims: ReadonlyMap<Sub, ClaimRow>,
): ContributionView {
  return exactly(ContributionView, {
    ...row.contribution,
    timestamp: row.contribution.ts,
    status: resolution?.status ?? 'proposed',
    ...(isStale(row, resolution, claims) ? { stale: true as const } : {}),
    ...(resolution === undefined
      ? {}
      : {
          note: resolution.note,
          decided_at: resolution.decided_at,
          decided_by: resolution.decided_by,
          resolution: resolution.receipt,
          effect: resolution.effect,
        }),
    prev: row.prev,
    hash: row.hash,
    permalink: contributionPermalink(base, slug, row),
  });
}
