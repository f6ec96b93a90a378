/**
 * Claims of an article that read like another claim (contract §5 "Near-duplicates and contraries"): the index that finds
 * them, and the contrary and similar claims that an answer names.
 */
import { LRUCache } from 'lru-cache';
import type { Sub } from '../../engine/tables.ts';
import { SimilarityIndex, type Found } from '../similarity/similarity-index.ts';
import type { ArticleState } from './state.ts';
import type { ClaimRow } from './tables.ts';
import type { Contrary, Similar } from '../../model/claim.ts';
import type { Context } from '../context.ts';
import { links } from '../links.ts';

interface CachedIndex {
  readonly index: SimilarityIndex<string>;
  /** The rows that the index has, or leaves out as retracted. */
  readonly claims: Map<Sub, ClaimRow>;
}

/** By article. An index of 10,000 claims takes some 10 to 15 MB. */
const cache = new LRUCache<string, CachedIndex>({ max: 16 });

/**
 * The index of an article's active claims, cached from one decision to the next. Every call brings it in line with the
 * given state, so that an act that was undone, or another node's write, leaves no trace in it. Rows are immutable: the
 * same row object is the same claim, and only changed rows are read.
 */
export function claimIndex(article: ArticleState): SimilarityIndex<string> {
  const { aid } = article.row;
  const cached = cache.get(aid) ?? { index: new SimilarityIndex<string>(), claims: new Map<Sub, ClaimRow>() };
  cache.set(aid, cached);
  const { index, claims } = cached;
  for (const [id, row] of article.claims) {
    if (claims.get(id) === row) continue;
    claims.set(id, row);
    if (row.claim.status === 'active') index.set(String(id), row.claim.text);
    else index.delete(String(id));
  }
  if (claims.size > article.claims.size)
    for (const id of claims.keys()) {
      if (article.claims.has(id)) continue;
      claims.delete(id);
      index.delete(String(id));
    }
  return index;
}

/** Claims that say the opposite, each with a ready proposal to record the contradiction. */
export function contraries(
  article: ArticleState,
  found: readonly Found<string>[],
  claimId: string,
  context: Context,
): Contrary[] {
  const { slug } = article.row;
  return found
    .filter(({ verdict }) => verdict.kind === 'contrary')
    .map(({ id, verdict }) => ({
      ...toSimilar(article, id, verdict, context),
      proposal: {
        key: 'MIRROR_APPEND',
        body: {
          slug,
          claim_id: id,
          kind: 'contradiction',
          actor: context.actorName ?? context.actor,
          body: `${claimId} says the opposite (${verdict.differs.join(', ')}).`,
        },
      },
    }));
}

export function similars(
  article: ArticleState,
  found: readonly Found<string>[],
  context: Context,
): Similar[] {
  return found
    .filter(({ verdict }) => verdict.kind === 'similar')
    .map(({ id, verdict }) => toSimilar(article, id, verdict, context));
}

function toSimilar(
  article: ArticleState,
  id: string,
  verdict: Found<string>['verdict'],
  context: Context,
): Similar {
  return {
    id,
    text: article.claims.get(id)?.claim.text ?? '',
    permalink: links.claim(context.base, article.row.slug, id),
    similarity: verdict.similarity,
    differs: verdict.differs,
  };
}
