/**
 * What an answer about a claim says of the claims that read like it (contract §5 "Near-duplicates and contraries"):
 * the contrary ones, each with a ready proposal, and the merely similar ones.
 */
import type { Contrary, Similar } from '../../model/claim.ts';
import type { Context } from '../context.ts';
import { links } from '../links.ts';
import type { Found } from '../similarity/similarity-index.ts';
import type { ArticleState } from './state.ts';

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
      ...likeness(article, id, verdict, context),
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
    .map(({ id, verdict }) => likeness(article, id, verdict, context));
}

function likeness(
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
