/**
 * The similarity index of an article's active claims, kept from one decision to the next. It is only a cache:
 * before every use it is brought in line with the state that the decision stands on, so that an act that was
 * undone, or another node's write, leaves no trace in it.
 */
import { similarityIndex, type SimilarityIndex } from '../similarity/similarity-index.ts';
import type { ArticleState } from './state.ts';

interface Kept {
  index: SimilarityIndex<string>;
  readonly texts: Map<string, string>;
}

/** Articles whose index is kept; an index of 10,000 claims takes some 10 to 15 MB. */
const keptMax = 16;
const kept = new Map<string, Kept>();

export function claimIndex(article: ArticleState): SimilarityIndex<string> {
  const { aid } = article.row;
  const own = kept.get(aid) ?? { index: similarityIndex<string>(), texts: new Map<string, string>() };
  kept.delete(aid);
  kept.set(aid, own);
  if (kept.size > keptMax) kept.delete(kept.keys().next().value as string);
  let active = 0;
  for (const { claim } of article.claims.values()) {
    if (claim.status !== 'active') continue;
    active++;
    if (own.texts.get(claim.id) === claim.text) continue;
    own.index = own.index.add(claim.id, claim.text);
    own.texts.set(claim.id, claim.text);
  }
  if (own.texts.size > active) {
    for (const id of Array.from(own.texts.keys())) {
      if (article.claims.get(id)?.claim.status === 'active') continue;
      own.index = own.index.remove(id);
      own.texts.delete(id);
    }
  }
  return own.index;
}
