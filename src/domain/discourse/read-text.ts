/**
 * Compares the text that a writer read with the one that stands (contract §5, compare-and-set). A hash may be cut to its
 * first 12 characters; without one nothing is compared.
 */
import { fault, type Fault } from '../../kernel/fault.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { namesHash } from '../articles/stale.ts';
import { bodyOf, type ArticleState } from '../articles/state.ts';

/** `target` is a DIV or claim of the article; anything else means the article as a whole. */
export function checkReadText(
  article: ArticleState,
  target: string,
  expected: string | undefined,
): Fault | undefined {
  if (expected === undefined) return undefined;
  const div = article.divs.get(target);
  const claim = article.claims.get(target)?.claim;
  const current = div?.vx_hash ?? claim?.hash;
  if (current === undefined) return checkReadArticle(article, expected);
  if (namesHash(current, expected)) return undefined;
  return fault(
    'hash_stale',
    `${target} has changed since the hash ${expected.slice(0, 64)} was read.`,
    'Read current_text, and send it with current_hash if it still holds.',
    {
      ...(div === undefined ? { claim_id: target } : { div_id: target }),
      expected_hash: expected,
      current_text: div?.text ?? claim?.text ?? null,
      current_hash: current,
    },
  );
}

/** The same for the article as a whole, whose text is too long to be sent back. */
export function checkReadArticle(article: ArticleState, expected: string | undefined): Fault | undefined {
  const current = sha256Hex(bodyOf(article));
  if (expected === undefined || namesHash(current, expected)) return undefined;
  return fault(
    'hash_stale',
    'The article is not the text that was read.',
    'Read it again, and send its current content_hash if it still holds.',
    { expected_hash: expected, current_hash: current, current_text: null, version: article.row.version },
  );
}
