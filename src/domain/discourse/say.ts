/**
 * Saying something about an article (spec §2.11, §4.4, §4.5; contract §5): attestation of exactly the text that
 * stands, objections, reviews, and turns of a conversation. Challenges of a DIV are in `challenge.ts`.
 */
import { sha256Hex } from '../../kernel/hash.ts';
import { fault, type Fault } from '../../kernel/fault.ts';
import type { SizeLimits } from '../../kernel/size-limits.ts';
import { bodyOf, type ArticleState } from '../articles/state.ts';
import type { Context, Outcome } from '../context.ts';
import { plainWording } from '../similarity/normalise.ts';
import { actorRules, intakeRules, visibleTextRules } from '../text-rules.ts';
import { refusalOf, type PartialInput, type Violation } from '../violations.ts';
import { blankPost, postLink, posting } from './posting.ts';
import type {
  AttestationInput,
  ObjectionInput,
  Post,
  ProposedCall,
  ReviewInput,
} from '../../model/discourse.ts';
import type { ThreadState } from './thread.ts';

/** What is asked of a body and its actor, whatever it is said about. */
export function bodyRules(
  said: PartialInput<{ readonly body: string; readonly actor: string }>,
  { intakeCharsMax }: SizeLimits,
): Violation[] {
  return [...intakeRules({ body: said.body }, intakeCharsMax), ...actorRules(said.actor)];
}

/** The hash is compared with the text as it stands: an attestation of another text says nothing about this one. */
export function attest(
  article: ArticleState,
  thread: ThreadState,
  said: Omit<AttestationInput, 'slug'>,
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
    ...blankPost(context, said.actor, ''),
    stance: 'attestation',
    target_hash: current,
    outcome: said.outcome,
  };
  return posting(article, thread, post, context, { outcome: said.outcome, content_hash: current });
}

type Objection = Omit<ObjectionInput, 'slug'>;

export function objectionRules(said: PartialInput<Objection>, { intakeCharsMax }: SizeLimits): Violation[] {
  return [
    ...intakeRules({ objection: said.objection }, intakeCharsMax),
    ...visibleTextRules({ minimum_patch: said.minimum_patch, actor: said.actor }),
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
    ...blankPost(context, said.actor ?? 'anonymous', said.objection),
    stance: 'objection',
    surface: said.surface ?? null,
    minimum_patch: said.minimum_patch ?? null,
  };
  return posting(article, thread, post, context, {});
}

export function review(
  article: ArticleState,
  thread: ThreadState,
  said: Omit<ReviewInput, 'slug'>,
  context: Context,
): Outcome<ArticleState> | Fault {
  const bad = refusalOf(bodyRules(said, context.limits));
  if (bad !== undefined) return bad;
  const post: Post = {
    ...blankPost(context, said.actor, said.body),
    stance: 'review',
    verdict: said.verdict,
  };
  return posting(article, thread, post, context, { verdict: said.verdict });
}

/** A turn of a conversation is kept as it was said, with whatever it holds. */
export function turnRules(
  name: 'text' | 'raw_text',
  said: PartialInput<Readonly<Record<string, string>>>,
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
  return posting(
    article,
    thread,
    { ...blankPost(context, said.actor, said.text), stance: 'note' },
    context,
    {},
  );
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
    ...blankPost(context, said.actor, said.raw_text),
    stance: 'update',
    proposed_calls: proposed,
  };
  return posting(article, thread, post, context, {});
}
