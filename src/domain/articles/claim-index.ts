/**
 * The similarity index of an article's active claims (contract §5 "Near-duplicates and contraries"), cached from one
 * decision to the next. Before every use it is brought in line with the state that the decision has, so that an act
 * that was undone, or another node's write, leaves no trace in it. Rows are immutable: the same row object is the same
 * claim, and only changed rows are read.
 */
import { LRUCache } from 'lru-cache';
import { RowChanges } from '../../engine/row-changes.ts';
import { SimilarityIndex } from '../similarity/similarity-index.ts';
import type { ArticleState } from './state.ts';
import type { ClaimRow } from './tables.ts';

interface CachedIndex {
  readonly index: SimilarityIndex<string>;
  /** The rows that the index has, or leaves out as retracted. */
  readonly claims: RowChanges<ClaimRow>;
}

/** By article. An index of 10,000 claims takes some 10 to 15 MB. */
const cache = new LRUCache<string, CachedIndex>({ max: 16 });

export function claimIndex(article: ArticleState): SimilarityIndex<string> {
  const { aid } = article.row;
  const cached = cache.get(aid) ?? { index: new SimilarityIndex<string>(), claims: new RowChanges() };
  cache.set(aid, cached);
  const { index, claims } = cached;
  claims.update(article.claims, (id, row) => {
    if (row?.claim.status === 'active') index.set(String(id), row.claim.text);
    else index.delete(String(id));
  });
  return index;
}
