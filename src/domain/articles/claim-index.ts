/**
 * The similarity index of an article's active claims (contract §5 "Near-duplicates and contraries"), kept from one
 * decision to the next. It is only a cache: before every use it is brought in line with the state that the decision
 * stands on, so that an act that was undone, or another node's write, leaves no trace in it. Rows are immutable, so
 * that the same row object is the same claim, and only what has changed is read.
 */
import { RowChanges } from '../../engine/row-changes.ts';
import { similarityIndex, type SimilarityIndex } from '../similarity/similarity-index.ts';
import type { ArticleState } from './state.ts';
import type { ClaimRow } from './tables.ts';

interface Kept {
  index: SimilarityIndex<string>;
  /** What the index holds, or passes over as retracted. */
  readonly claims: RowChanges<ClaimRow>;
}

/** Articles whose index is kept; an index of 10,000 claims takes some 10 to 15 MB. */
const keptMax = 16;
const kept = new Map<string, Kept>();

export function claimIndex(article: ArticleState): SimilarityIndex<string> {
  const { aid } = article.row;
  const own = kept.get(aid) ?? { index: similarityIndex<string>(), claims: new RowChanges() };
  kept.delete(aid);
  kept.set(aid, own);
  if (kept.size > keptMax) kept.delete(kept.keys().next().value as string);
  own.claims.update(article.claims, (id, row) => {
    own.index =
      row?.claim.status === 'active'
        ? own.index.add(String(id), row.claim.text)
        : own.index.remove(String(id));
  });
  return own.index;
}
