/**
 * The similarity index of an article's active claims (contract §5 "Near-duplicates and contraries"), kept from one
 * decision to the next. It is only a cache: before every use it is brought in line with the state that the decision
 * stands on, so that an act that was undone, or another node's write, leaves no trace in it. Rows are immutable, so
 * that the same row object is the same claim: a glance at each, and only what has changed is read.
 */
import { similarityIndex, type SimilarityIndex } from '../similarity/similarity-index.ts';
import type { ArticleState } from './state.ts';
import type { ClaimRow } from './tables.ts';

interface Kept {
  index: SimilarityIndex<string>;
  /** What the index holds, or passes over as retracted, in the order of the state. */
  readonly rows: ClaimRow[];
}

/** Articles whose index is kept; an index of 10,000 claims takes some 10 to 15 MB. */
const keptMax = 16;
const kept = new Map<string, Kept>();

export function claimIndex(article: ArticleState): SimilarityIndex<string> {
  const { aid } = article.row;
  const own = kept.get(aid) ?? { index: similarityIndex<string>(), rows: [] };
  kept.delete(aid);
  kept.set(aid, own);
  if (kept.size > keptMax) kept.delete(kept.keys().next().value as string);
  follow(own, article.claims.values());
  return own.index;
}

function follow(own: Kept, claims: Iterable<ClaimRow>): void {
  const { rows } = own;
  /** Ids that stood where another stands now: the order is another, or they are gone. */
  const displaced = new Set<string>();
  let n = 0;
  for (const row of claims) {
    const before = rows[n];
    if (before !== row) {
      if (before !== undefined && before.claim.id !== row.claim.id) displaced.add(before.claim.id);
      put(own, row);
      rows[n] = row;
    }
    n++;
  }
  for (const { claim } of rows.splice(n)) displaced.add(claim.id);
  if (displaced.size === 0) return;
  for (const { claim } of rows) displaced.delete(claim.id);
  for (const id of displaced) own.index = own.index.remove(id);
}

function put(own: Kept, { claim }: ClaimRow): void {
  own.index = claim.status === 'active' ? own.index.add(claim.id, claim.text) : own.index.remove(claim.id);
}
