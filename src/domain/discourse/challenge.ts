/**
 * Challenge, support and upgrade of a DIV, by compare-and-set on the thread's head and on the hash that was read
 * (spec §2.11, contract §5). What nearly repeats an entry is refused with it, or confirms it where the caller says
 * so.
 */
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { currentDiv } from '../articles/edit-div.ts';
import { namesHash } from '../articles/stale.ts';
import type { ArticleState } from '../articles/state.ts';
import type { Context, Outcome } from '../context.ts';
import { plainWording } from '../similarity/normalise.ts';
import { refusalOf } from '../violations.ts';
import { blankPost, confirmedEntry, postLink, posting } from './posting.ts';
import { bodyRules } from './say.ts';
import type { ChallengeInput, Post } from '../../model/discourse.ts';
import { threadHead, threadSummary, type ThreadState } from './thread.ts';

export type Challenge = Omit<ChallengeInput, 'slug'>;

/** How alike two bodies are, and whether that makes the second one superfluous. */
export type CompareBodies = (
  a: string,
  b: string,
) => { readonly duplicate: boolean; readonly similarity: number; readonly differs: readonly string[] };

/** Judged in the order of contract §5: body, thread head, target and its hash, near-duplicates; then appended. */
export function challenge(
  article: ArticleState,
  thread: ThreadState,
  input: Challenge,
  compareBodies: CompareBodies,
  context: Context,
): Outcome<ArticleState> | Fault {
  const bad = refusalOf(bodyRules(input, context.limits));
  if (bad !== undefined) return bad;
  const head = threadHead(thread);
  // "batch" follows the head that the same batch moves.
  if (input.expected_thread_head !== 'batch' && !namesHash(head, input.expected_thread_head)) {
    return fault(
      'thread_moved',
      'The thread has moved on since that head was read.',
      'Read thread_summary, and send the call again with current_thread_head.',
      {
        current_thread_head: head,
        thread_summary: threadSummary(thread),
      },
    );
  }
  const read = article.divs.get(input.target_div)?.vx_hash ?? '';
  const expected = namesHash(read, input.expected_hash) ? read : input.expected_hash;
  const div = currentDiv(article, input.target_div, expected);
  if ('fault' in div) return div;
  const confirmed = confirmedEntry(thread, input.target_div, input.duplicate_of);
  if (isFault(confirmed)) return confirmed;
  const same = confirmed === undefined ? nearest(thread, input, compareBodies) : undefined;
  if (same !== undefined) {
    return fault(
      'near_duplicate',
      `${same.row.id} already says this about ${input.target_div}.`,
      'Confirm it by sending duplicate_of, or say what differs.',
      {
        canonical: {
          id: same.row.id,
          permalink: postLink(context.base, article, same.row.id),
          similarity: same.similarity,
          differs: same.differs,
        },
      },
    );
  }
  const post: Post = {
    ...blankPost(context, input.actor, input.body),
    stance: confirmed === undefined ? input.stance : 'confirmation',
    target: input.target_div,
    target_hash: div.vx_hash,
    confirms: confirmed?.id ?? null,
  };
  return posting(article, thread, post, context, {});
}

function nearest(thread: ThreadState, input: Challenge, compareBodies: CompareBodies) {
  const plain = plainWording(input.body);
  for (const row of thread.posts.values()) {
    if (row.post.target !== input.target_div || row.post.stance !== input.stance) continue;
    if (row.plain === plain) return { row, similarity: 1, differs: [] as readonly string[] };
    const verdict = compareBodies(row.post.body, input.body);
    if (verdict.duplicate) return { row, similarity: verdict.similarity, differs: verdict.differs };
  }
  return undefined;
}
