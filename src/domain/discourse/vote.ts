/** Votes on what should become of a DIV, a claim or an article, and their ratification (spec §2.11, §3; contract §5). */
import { fault, type Fault } from '../../kernel/fault.ts';
import type { SizeLimits } from '../../kernel/size-limits.ts';
import type { ArticleState } from '../articles/state.ts';
import type { Context, Outcome } from '../context.ts';
import { links } from '../links.ts';
import { actorRules, intakeRules } from '../text-rules.ts';
import { refusalOf, type Fitting, type Violation } from '../violations.ts';
import { execution } from './execution.ts';
import type { Vote } from './tables.ts';
import { decisionEvent, voteEvent, type ThreadState } from './thread.ts';

export interface VoteInput {
  readonly target: string;
  readonly proposal: string;
  readonly rationale: string;
  readonly actor: string;
}

export function voteRules(input: Fitting<VoteInput>, { intakeCharsMax }: SizeLimits): Violation[] {
  return [...intakeRules({ rationale: input.rationale }, intakeCharsMax), ...actorRules(input.actor)];
}

export function vote(
  article: ArticleState,
  thread: ThreadState,
  input: VoteInput,
  context: Context,
): Outcome<ArticleState> | Fault {
  const bad = refusalOf(voteRules(input, context.limits));
  if (bad !== undefined) return bad;
  const { slug, aid } = article.row;
  if (input.target !== slug && !article.divs.has(input.target) && !article.claims.has(input.target)) {
    return fault(
      'not_found',
      `${slug} has no DIV or claim ${input.target.slice(0, 40)}.`,
      'Name a div_id, a claim_id, or the slug itself.',
    );
  }
  const cast: Vote = {
    id: context.id('vote_'),
    slug,
    target: input.target,
    proposal: input.proposal,
    rationale: input.rationale,
    actor: input.actor,
    ts: context.now,
    receipt: context.inv,
  };
  return {
    events: [voteEvent(aid, thread, context, cast)],
    conclude: () => ({
      result: {
        slug,
        vote_id: cast.id,
        vote: { ...cast, status: 'open', decision: null },
        permalink: links.article(context.base, slug),
      },
      text: `Opened ${cast.id}: ${input.proposal} for ${input.target} of ${slug}.`,
      material: [{ kind: 'vote', id: cast.id, url: links.article(context.base, slug) }],
    }),
  };
}

/** Deciding records; carrying it out is a call of its own, whose ready payload is returned. */
export function ratify(
  article: ArticleState,
  thread: ThreadState,
  voteId: string,
  decision: string,
  context: Context,
): Outcome<ArticleState> | Fault {
  const row = thread.votes.get(voteId);
  if (row === undefined)
    return fault(
      'not_found',
      `There is no vote ${voteId.slice(0, 40)}.`,
      'Read the open votes of the article.',
    );
  if (row.status === 'decided') {
    return fault(
      'already_decided',
      `${voteId} was ${row.decision} at ${row.decided_at}.`,
      'Nothing is left to decide; open another vote.',
      { decision: row.decision, decided_at: row.decided_at },
    );
  }
  const { slug, aid } = article.row;
  return {
    events: [decisionEvent(aid, thread, context, voteId, decision)],
    conclude: () => ({
      result: {
        slug,
        vote_id: voteId,
        decision,
        status: decision === 'deferred' ? 'open' : 'decided',
        vote: { ...row.vote, status: decision === 'deferred' ? 'open' : 'decided', decision },
        execute: decision === 'ratified' ? execution(article, row.vote) : null,
        permalink: links.article(context.base, slug),
      },
      text: `${voteId} is ${decision}.`,
      material: [],
    }),
  };
}
