/**
 * Saying something about an article (spec §2.11, §4.4, §4.5; contract §5): attestation of exactly the text that
 * stands, objections, reviews, and turns of a conversation. Challenges of a DIV are in `challenge.ts`.
 */
import { sha256Hex } from '../../kernel/hash.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { SizeLimits } from '../../kernel/size-limits.ts';
import { activeClaim } from '../articles/amend-claim.ts';
import { currentDiv } from '../articles/edit-div.ts';
import { bodyOf, type ArticleState } from '../articles/state.ts';
import type { Context, Outcome } from '../context.ts';
import { plainWording } from '../similarity/normalise.ts';
import { actorRules, intakeRules, visibleTextRules } from '../text-rules.ts';
import { refusalOf, type PartialInput, type Violation } from '../violations.ts';
import { blankPost, confirmedEntry, postLink, posting } from './posting.ts';
import { checkReadArticle, checkReadText } from './read-text.ts';
import type {
  AttestationInput,
  ObjectionInput,
  Post,
  ProposedCall,
  ReviewInput,
  PostWritten,
} from '../../model/discourse.ts';
import type { ThreadState } from './thread.ts';

/** What is asked of a body and its actor, whatever it is said about. */
export function bodyRules(
  input: PartialInput<{ readonly body: string; readonly actor: string }>,
  { intakeCharsMax }: SizeLimits,
): Violation[] {
  return [...intakeRules({ body: input.body }, intakeCharsMax), ...actorRules(input.actor)];
}

/** The hash is compared with the text as it stands: an attestation of another text says nothing about this one. */
export function attest(
  article: ArticleState,
  thread: ThreadState,
  input: Omit<AttestationInput, 'slug'>,
  context: Context,
): Outcome<ArticleState> | Fault {
  const bad = refusalOf(actorRules(input.actor));
  if (bad !== undefined) return bad;
  const current = sha256Hex(bodyOf(article));
  if (input.content_hash !== current) {
    return fault(
      'hash_stale',
      'The article is not the text that was read.',
      'Read it again and attest to its current content_hash.',
      {
        expected_hash: input.content_hash,
        current_hash: current,
        current_text: null,
        version: article.row.version,
      },
    );
  }
  const post: Post = {
    ...blankPost(context, input.actor, ''),
    stance: 'attestation',
    target_hash: current,
    outcome: input.outcome,
  };
  return posting(article, thread, post, context, { outcome: input.outcome, content_hash: current });
}

/** `target` is a DIV or claim, empty for the article as a whole. */
type Objection = Omit<ObjectionInput, 'slug'> & { readonly target: string };

export function objectionRules(
  input: PartialInput<Omit<ObjectionInput, 'slug'>>,
  { intakeCharsMax }: SizeLimits,
): Violation[] {
  return [
    ...intakeRules({ objection: input.objection }, intakeCharsMax),
    ...visibleTextRules({ minimum_patch: input.minimum_patch, actor: input.actor }),
  ];
}

export function object(
  article: ArticleState,
  thread: ThreadState,
  input: Objection,
  context: Context,
): Outcome<ArticleState> | Fault {
  const bad = refusalOf(objectionRules(input, context.limits));
  if (bad !== undefined) return bad;
  const targetHash = input.target === '' ? null : currentPart(article, input.target);
  if (isFault(targetHash)) return targetHash;
  const stale = checkReadText(article, input.target, input.expected_hash);
  if (stale !== undefined) return stale;
  const confirmed = confirmedEntry(thread, input.target, input.duplicate_of);
  if (isFault(confirmed)) return confirmed;
  const plain = plainWording(input.objection);
  const same = [...thread.posts.values()].find(
    ({ post, plain: said }) => post.stance === 'objection' && post.target === input.target && said === plain,
  );
  if (same !== undefined && confirmed === undefined) {
    return fault(
      'near_duplicate',
      `${same.id} already raises this.`,
      'Confirm it by sending duplicate_of, or say what differs.',
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
    ...blankPost(context, input.actor ?? 'anonymous', input.objection),
    stance: confirmed === undefined ? 'objection' : 'confirmation',
    target: input.target,
    target_hash: targetHash,
    confirms: confirmed?.id ?? null,
    surface: input.surface ?? null,
    minimum_patch: input.minimum_patch ?? null,
  };
  return posting(article, thread, post, context, {});
}

/** The hash of a claim or DIV that stands. */
function currentPart(article: ArticleState, part: string): string | Fault {
  if (!part.startsWith('c')) {
    const div = currentDiv(article, part, article.divs.get(part)?.vx_hash ?? '');
    return isFault(div) ? div : div.vx_hash;
  }
  const row = activeClaim(article, part);
  return isFault(row) ? row : row.claim.hash;
}

export function review(
  article: ArticleState,
  thread: ThreadState,
  input: Omit<ReviewInput, 'slug'>,
  context: Context,
): Outcome<ArticleState> | Fault {
  const bad = refusalOf(bodyRules(input, context.limits)) ?? checkReadArticle(article, input.content_hash);
  if (bad !== undefined) return bad;
  const post: Post = {
    ...blankPost(context, input.actor, input.body),
    stance: 'review',
    verdict: input.verdict,
  };
  return posting(article, thread, post, context, { verdict: input.verdict });
}

/** A turn of a conversation is kept as it was said, with whatever it holds. */
export function turnRules(
  name: 'text' | 'raw_text',
  input: PartialInput<Readonly<Record<string, string>>>,
  { intakeCharsMax }: SizeLimits,
): Violation[] {
  return [
    ...intakeRules({ [name]: input[name] }, intakeCharsMax, { verbatim: true }),
    ...actorRules(input['actor']),
  ];
}

/** A turn of a conversation with a model, kept as it was said. */
export function note(
  article: ArticleState,
  thread: ThreadState,
  input: { readonly actor: string; readonly text: string },
  context: Context,
): Outcome<ArticleState> | Fault {
  const bad = refusalOf(turnRules('text', input, context.limits));
  if (bad !== undefined) return bad;
  return posting(
    article,
    thread,
    { ...blankPost(context, input.actor, input.text), stance: 'note' },
    context,
    {},
  );
}

/** A turn of a conversation whose router tags are calls; those that do not run with it are kept beside it. */
export function update(
  article: ArticleState,
  thread: ThreadState,
  input: { readonly actor: string; readonly raw_text: string },
  proposed: readonly ProposedCall[],
  context: Context,
): Outcome<ArticleState, PostWritten> | Fault {
  const bad = refusalOf(turnRules('raw_text', input, context.limits));
  if (bad !== undefined) return bad;
  const post: Post = {
    ...blankPost(context, input.actor, input.raw_text),
    stance: 'update',
    proposed_calls: proposed,
  };
  return posting(article, thread, post, context, {});
}
