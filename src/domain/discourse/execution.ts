/**
 * What carries out a ratified vote (contract §5): deciding records, executing is a call of its own, returned ready.
 * Splitting, transcluding and another tier take words that no vote holds; for those there is no ready call.
 */
import type { JsonObject } from '../../kernel/json.ts';
import { activeDivs, type ArticleState } from '../articles/state.ts';
import type { ClaimRow, DivRow } from '../articles/tables.ts';
import type { Vote } from './tables.ts';

type Ready = { readonly key: string; readonly body: JsonObject };

/** The call that would do what was ratified; null where no single call does. */
export function execution(article: ArticleState, { target, proposal }: Vote): Ready | null {
  const { slug } = article.row;
  const div = article.divs.get(target);
  if (div !== undefined) return div.status === 'current' ? ofDiv(article, div, proposal) : null;
  const claim = article.claims.get(target);
  if (claim !== undefined) return ofClaim(slug, claim, proposal);
  return proposal === 'should_be_div' ? { key: 'VOXEL_DIVIDE', body: { slug } } : null;
}

function ofDiv(article: ArticleState, div: DivRow, proposal: string): Ready | null {
  const { slug } = article.row;
  const { div_id: id, vx_hash: hash } = div;
  switch (proposal) {
    case 'should_burn':
      return {
        key: 'VOXEL_BURN',
        body: { slug, ids: [id], expected_hashes: [hash], reason: `ratified: ${proposal}` },
      };
    case 'should_be_article':
      return { key: 'VOXEL_BATCH', body: { document: { markdown: div.text, status: 'draft' } } };
    case 'should_merge': {
      const order = activeDivs(article);
      const next = order[order.indexOf(div) + 1];
      if (next === undefined) return null;
      return {
        key: 'VOXEL_CONSOLIDATE',
        body: { slug, div_ids: [id, next.div_id], expected_hashes: [hash, next.vx_hash] },
      };
    }
    default:
      return null;
  }
}

function ofClaim(slug: string, { claim }: ClaimRow, proposal: string): Ready | null {
  if (claim.status !== 'active') return null;
  if (proposal === 'should_burn')
    return { key: 'CLAIM_RETRACT', body: { slug, claim_id: claim.id, reason: `ratified: ${proposal}` } };
  if (proposal === 'should_be_div')
    return { key: 'VOXEL_BATCH', body: { document: { slug, markdown: claim.text } } };
  return null;
}
