/** What every kind of post has in common: how it begins, how it is appended and answered, where it is read (spec §4.4). */
import { fault, type Fault } from '../../kernel/fault.ts';
import type { ArticleState } from '../articles/state.ts';
import type { Context, Outcome } from '../context.ts';
import { links } from '../links.ts';
import type {
  AttestationWritten,
  Post,
  PostWritten,
  ReviewWritten,
  SpokenNames,
} from '../../model/discourse.ts';
import { postEvent, type PostRow, type ThreadState } from './thread.ts';

/** A post that says nothing yet. */
export function blankPost(context: Context, actor: string, body: string): Omit<Post, 'stance'> {
  return {
    id: context.id('dx_'),
    target: '',
    target_hash: null,
    body,
    actor,
    surface: null,
    minimum_patch: null,
    outcome: null,
    verdict: null,
    confirms: null,
    ts: context.now,
    receipt: context.inv,
  };
}

/** Stances that are posted under a condition on the head of the thread. */
const conditional = new Set<Post['stance']>(['challenge', 'support', 'upgrade']);

/** The names of spec §2.11; `prev` is the hash of the entry before it. */
export function spokenNames(post: Post, prev: string): SpokenNames {
  const { stance, target, target_hash: hash, body } = post;
  return {
    target_div: /^d\d+$/.test(target) ? target : null,
    expected_hash: hash,
    expected_thread_head: conditional.has(stance) ? prev : null,
    objection: stance === 'objection' ? body : null,
  };
}

/** The entry that a writer confirms instead of saying the same again; a fault where it is none about the target. */
export function confirmedEntry(
  thread: ThreadState,
  target: string,
  id: string | undefined,
): PostRow | Fault | undefined {
  if (id === undefined) return undefined;
  const row = [...thread.posts.values()].find((each) => each.id === id);
  return row?.post.target === target
    ? row
    : fault(
        'body_mismatch',
        `${id.slice(0, 40)} is no entry about ${target === '' ? 'the article as a whole' : target}.`,
        'Name the entry that the refusal pointed to.',
      );
}

/** Appends the post, and answers with it and the head that the thread has now. */
export function posting(
  article: ArticleState,
  thread: ThreadState,
  post: Post,
  context: Context,
  more: Partial<Pick<AttestationWritten, 'outcome' | 'content_hash'> & Pick<ReviewWritten, 'verdict'>>,
): Outcome<ArticleState, PostWritten> {
  const { slug, aid } = article.row;
  return {
    events: [postEvent(aid, thread, context, post)],
    conclude([appended]) {
      const permalink = postLink(context.base, article, post.id);
      const hash = appended?.sealed.hash ?? '';
      const prev = appended?.sealed.entry.prev ?? '';
      return {
        result: {
          slug,
          ...more,
          entry: { ...post, ...spokenNames(post, prev), prev, hash },
          thread_head: hash,
          // Talking makes none: the one that stood when this was said.
          revision: article.row.version,
          permalink,
        },
        text: `Recorded ${post.stance} ${post.id} on ${slug}${post.target === '' ? '' : ` ${post.target}`}: ${permalink}`,
        material: [{ kind: 'discourse', id: post.id, url: permalink }],
      };
    },
  };
}

/** Where the post stands on its article's page. */
export function postLink(base: string, article: ArticleState, id: string): string {
  return `${links.article(base, article.row.slug)}#${id}`;
}
