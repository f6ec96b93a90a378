/**
 * Saying something about an article: challenge, support and upgrade by compare-and-set on the thread's head,
 * attestation of exactly the text that stands, objections and reviews (spec §2.11, §4.4, §4.5; contract §5).
 */
import { fault, type Fault } from '../../kernel/fault.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { SizeLimits } from '../../kernel/size-limits.ts';
import { plainWording } from '../similarity/normalise.ts';
import { currentDiv } from '../articles/edit-div.ts';
import { bodyOf, type ArticleState } from '../articles/state.ts';
import type { Context, Outcome, Result } from '../context.ts';
import { links } from '../links.ts';
import { actorRules, intakeRules, seenRules } from '../text-rules.ts';
import { refusalOf, type Fitting, type Violation } from '../violations.ts';
import type { Post, ProposedCall } from './tables.ts';
import { postEvent, threadHead, threadSummary, type ThreadState } from './thread.ts';

export interface Challenge {
  readonly expected_thread_head: string;
  readonly target_div: string;
  readonly expected_hash: string;
  readonly stance: 'challenge' | 'support' | 'upgrade';
  readonly body: string;
  readonly actor: string;
  readonly duplicate_of?: string | undefined;
}

/** How alike two bodies are, and whether that makes the second one superfluous. */
export type Alike = (
  a: string,
  b: string,
) => { readonly duplicate: boolean; readonly similarity: number; readonly differs: readonly string[] };

/** What is asked of a body and its actor, whatever it is said about. */
export function bodyRules(
  said: Fitting<{ readonly body: string; readonly actor: string }>,
  { intakeCharsMax }: SizeLimits,
): Violation[] {
  return [...intakeRules({ body: said.body }, intakeCharsMax), ...actorRules(said.actor)];
}

/** Judged in the order of contract §5: body, thread head, target and its hash, near-duplicates; then appended. */
export function challenge(
  article: ArticleState,
  thread: ThreadState,
  said: Challenge,
  alike: Alike,
  context: Context,
): Outcome<ArticleState> | Fault {
  const bad = refusalOf(bodyRules(said, context.limits));
  if (bad !== undefined) return bad;
  const head = threadHead(thread);
  // "batch" follows the head that the same batch moves.
  if (said.expected_thread_head !== 'batch' && said.expected_thread_head !== head) {
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
  const div = currentDiv(article, said.target_div, said.expected_hash);
  if ('fault' in div) return div;
  const confirmed =
    said.duplicate_of === undefined
      ? undefined
      : [...thread.posts.values()].find((row) => row.id === said.duplicate_of);
  if (said.duplicate_of !== undefined && confirmed?.post.target !== said.target_div) {
    return fault(
      'body_mismatch',
      `${said.duplicate_of} is no entry about ${said.target_div}.`,
      'Name the entry that the refusal pointed to.',
    );
  }
  const same = confirmed === undefined ? nearest(thread, said, alike) : undefined;
  if (same !== undefined) {
    return fault(
      'near_duplicate',
      `${same.row.id} already says this about ${said.target_div}.`,
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
    ...blank(context, said.actor, said.body),
    stance: confirmed === undefined ? said.stance : 'confirmation',
    target: said.target_div,
    target_hash: div.vx_hash,
    confirms: confirmed?.id ?? null,
  };
  return saying(article, thread, post, context, {});
}

function nearest(thread: ThreadState, said: Challenge, alike: Alike) {
  const plain = plainWording(said.body);
  for (const row of thread.posts.values()) {
    if (row.post.target !== said.target_div || row.post.stance !== said.stance) continue;
    if (row.plain === plain) return { row, similarity: 1, differs: [] as readonly string[] };
    const verdict = alike(row.post.body, said.body);
    if (verdict.duplicate) return { row, similarity: verdict.similarity, differs: verdict.differs };
  }
  return undefined;
}

export interface Attestation {
  readonly outcome: string;
  readonly content_hash: string;
  readonly actor: string;
}

/** The hash is compared with the text as it stands: an attestation of another text says nothing about this one. */
export function attest(
  article: ArticleState,
  thread: ThreadState,
  said: Attestation,
  context: Context,
): Outcome<ArticleState> | Fault {
  const bad = refusalOf(actorRules(said.actor));
  if (bad !== undefined) return bad;
  const current = sha256Hex(bodyOf(article));
  if (said.content_hash !== current) {
    return fault(
      'hash_stale',
      'The article is not the text that was read.',
      'Read it again and attest to its current content_hash.',
      {
        expected_hash: said.content_hash,
        current_hash: current,
        current_text: null,
        version: article.row.version,
      },
    );
  }
  const post: Post = {
    ...blank(context, said.actor, ''),
    stance: 'attestation',
    target_hash: current,
    outcome: said.outcome,
  };
  return saying(article, thread, post, context, { outcome: said.outcome, content_hash: current });
}

export interface Objection {
  readonly objection: string;
  readonly surface?: string | undefined;
  readonly minimum_patch?: string | undefined;
  readonly actor?: string | undefined;
}

export function objectionRules(said: Fitting<Objection>, { intakeCharsMax }: SizeLimits): Violation[] {
  return [
    ...intakeRules({ objection: said.objection }, intakeCharsMax),
    ...seenRules({ minimum_patch: said.minimum_patch, actor: said.actor }),
  ];
}

export function object(
  article: ArticleState,
  thread: ThreadState,
  said: Objection,
  context: Context,
): Outcome<ArticleState> | Fault {
  const bad = refusalOf(objectionRules(said, context.limits));
  if (bad !== undefined) return bad;
  const plain = plainWording(said.objection);
  const same = [...thread.posts.values()].find(
    (row) => row.post.stance === 'objection' && row.plain === plain,
  );
  if (same !== undefined) {
    return fault(
      'near_duplicate',
      `${same.id} already raises this.`,
      'Support the stored objection, or say what differs.',
      {
        canonical: {
          id: same.id,
          permalink: postLink(context.base, article, same.id),
          similarity: 1,
          differs: [],
        },
      },
    );
  }
  const post: Post = {
    ...blank(context, said.actor ?? 'anonymous', said.objection),
    stance: 'objection',
    surface: said.surface ?? null,
    minimum_patch: said.minimum_patch ?? null,
  };
  return saying(article, thread, post, context, {});
}

export interface Review {
  readonly verdict: string;
  readonly body: string;
  readonly actor: string;
}

export function review(
  article: ArticleState,
  thread: ThreadState,
  said: Review,
  context: Context,
): Outcome<ArticleState> | Fault {
  const bad = refusalOf(bodyRules(said, context.limits));
  if (bad !== undefined) return bad;
  const post: Post = { ...blank(context, said.actor, said.body), stance: 'review', verdict: said.verdict };
  return saying(article, thread, post, context, { verdict: said.verdict });
}

/** A turn of a conversation is kept as it was said, with whatever it holds. */
export function turnRules(
  name: 'text' | 'raw_text',
  said: Fitting<Readonly<Record<string, string>>>,
  { intakeCharsMax }: SizeLimits,
): Violation[] {
  return [
    ...intakeRules({ [name]: said[name] }, intakeCharsMax, { verbatim: true }),
    ...actorRules(said['actor']),
  ];
}

/** A turn of a conversation with a model, kept as it was said. */
export function note(
  article: ArticleState,
  thread: ThreadState,
  said: { readonly actor: string; readonly text: string },
  context: Context,
): Outcome<ArticleState> | Fault {
  const bad = refusalOf(turnRules('text', said, context.limits));
  if (bad !== undefined) return bad;
  return saying(article, thread, { ...blank(context, said.actor, said.text), stance: 'note' }, context, {});
}

/** A turn of a conversation whose router tags are calls; those that do not run with it are kept beside it. */
export function update(
  article: ArticleState,
  thread: ThreadState,
  said: { readonly actor: string; readonly raw_text: string },
  proposed: readonly ProposedCall[],
  context: Context,
): Outcome<ArticleState> | Fault {
  const bad = refusalOf(turnRules('raw_text', said, context.limits));
  if (bad !== undefined) return bad;
  const post: Post = {
    ...blank(context, said.actor, said.raw_text),
    stance: 'update',
    proposed_calls: proposed,
  };
  return saying(article, thread, post, context, {});
}

// Parts

function blank(context: Context, actor: string, body: string): Omit<Post, 'stance'> {
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

function saying(
  article: ArticleState,
  thread: ThreadState,
  post: Post,
  context: Context,
  more: JsonObject,
): Outcome<ArticleState> {
  const { slug, aid } = article.row;
  return {
    events: [postEvent(aid, thread, context, post)],
    conclude([appended]): Result {
      const permalink = postLink(context.base, article, post.id);
      const hash = appended?.sealed.hash ?? '';
      return {
        result: {
          slug,
          ...more,
          entry: { ...post, prev: appended?.sealed.entry.prev ?? '', hash },
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

export function postLink(base: string, article: ArticleState, id: string): string {
  return `${links.article(base, article.row.slug)}#${id}`;
}
