/**
 * Votes on what should become of a DIV, a claim or an article, and their ratification (spec §2.11, §3; contract §5). A
 * vote may carry what its execution takes; it is tried when it is cast, and decided by itself (ADR 40).
 */
import { about, type Fault, fault, isFault } from '../../kernel/fault.ts';
import type { SizeLimits } from '../../kernel/size-limits.ts';
import {
  type Carried,
  type Vote,
  VoteDecided,
  type VoteDecision,
  type VoteInput as VoteArguments,
  VoteWritten,
} from '../../model/discourse.ts';
import { exactly } from '../../model/exact.ts';
import type { ArticleState } from '../articles/state.ts';
import type { Context, Outcome } from '../context.ts';
import { actorRules, intakeRules } from '../text-rules.ts';
import { type PartialInput, type Violation, refusalOf, violation } from '../violations.ts';
import { type ExecutionContext, execution } from './execution.ts';
import { openEntry, settlementEvent } from './settle.ts';
import { type PostRow, type ThreadState, type VoteRow, decisionEvent, isOpen, voteEvent } from './thread.ts';
import { postLink } from './posting.ts';
import { checkReadText } from './read-text.ts';

export type VoteInput = Omit<VoteArguments, 'slug'>;

/** Finds a published article of the same workspace. */
export type FindPublished = ExecutionContext['published'];

/** Which proposals take what a vote may carry. */
const carriedBy: Readonly<Record<keyof Carried, readonly string[]>> = {
  at: ['should_split'],
  into: ['should_merge', 'should_transclude'],
  tier: ['should_retier'],
};
const carriedNames = Object.keys(carriedBy) as (keyof Carried)[];

export function voteRules(input: PartialInput<VoteInput>, { intakeCharsMax }: SizeLimits): Violation[] {
  const { proposal } = input;
  return [
    ...intakeRules({ rationale: input.rationale }, intakeCharsMax),
    ...actorRules(input.actor),
    ...carriedNames.flatMap((name) =>
      input[name] === undefined || typeof proposal !== 'string' || carriedBy[name].includes(proposal)
        ? []
        : [
            violation(
              'not_carried',
              `/${name}`,
              `"${name}" belongs to ${carriedBy[name].join(' or ')}, and the proposal is ${proposal}.`,
              'Leave it out, or send the proposal that it belongs to.',
            ),
          ],
    ),
  ];
}

/** What is carried must lead to a call that would land on the article as it stands. */
function carriedRules(bench: ExecutionContext, input: VoteInput): Violation[] {
  const carries = carriedIn(input);
  const name = carriedNames.find((each) => carries?.[each] !== undefined);
  if (name === undefined) return [];
  const found = execution(bench, { ...input, ...(carries === undefined ? {} : { carries }) });
  if (!('missing' in found)) return [];
  return [
    violation(
      'not_executable',
      `/${name}`,
      found.missing,
      `Correct what is named, or leave "${name}" out: the vote stands without it.`,
    ),
  ];
}

export function vote(
  article: ArticleState,
  thread: ThreadState,
  input: VoteInput,
  context: Context,
  published: FindPublished,
): Outcome<ArticleState> | Fault {
  const { slug, aid } = article.row;
  const bench: ExecutionContext = { article, context, published };
  const isThere = input.target === slug || article.divs.has(input.target) || article.claims.has(input.target);
  const found = voteRules(input, context.limits);
  const isFitting = found.every(({ code }) => code !== 'not_carried');
  const bad = refusalOf([...found, ...(isThere && isFitting ? carriedRules(bench, input) : [])], 'The vote');
  if (bad !== undefined) return bad;
  if (!isThere) {
    return about(
      fault(
        'not_found',
        `${slug} has no DIV or claim ${input.target.slice(0, 40)}.`,
        'Name a div_id, a claim_id, or the slug itself.',
      ),
      { kind: input.target.startsWith('c') ? 'claim' : 'div', id: input.target, slug },
    );
  }
  const stale = checkReadText(article, input.target, input.expected_hash);
  if (stale !== undefined) return stale;
  const named = input.entry === undefined ? undefined : openEntry(article, thread, input.entry);
  if (isFault(named)) return named;
  const carries = carriedIn(input);
  const cast: Vote = {
    id: context.id('vote_'),
    slug,
    target: input.target,
    proposal: input.proposal,
    ...(carries === undefined ? {} : { carries }),
    ...(named === undefined ? {} : { entry: named.id }),
    rationale: input.rationale,
    actor: input.actor,
    ts: context.now,
    receipt: context.inv,
  };
  const way = execution(bench, cast);
  return {
    events: [voteEvent(aid, thread, context, cast)],
    conclude: () => ({
      result: exactly(VoteWritten, {
        slug,
        vote_id: cast.id,
        vote: {
          ...cast,
          carries: carries ?? null,
          entry: cast.entry ?? null,
          status: 'open',
          decision: null,
        },
        missing: 'missing' in way ? way.missing : null,
        revision: article.row.version,
        permalink: postLink(context.base, article, cast.id),
      }),
      text: `Opened ${cast.id}: ${input.proposal} for ${input.target} of ${slug}.${'missing' in way ? ` As things stand, no call would carry it out: ${way.missing}` : ''}`,
      material: [{ kind: 'vote', id: cast.id, url: postLink(context.base, article, cast.id) }],
    }),
  };
}

function carriedIn(input: VoteInput): Carried | undefined {
  const carried = carriedNames.flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]]]));
  return carried.length === 0 ? undefined : (Object.fromEntries(carried) as Carried);
}

/**
 * Deciding records; carrying it out is a call of its own, whose ready payload is returned. Ratified by the owner, a vote
 * also settles the entry of the discourse that it names; who may only decide votes settles none.
 */
export function ratify(
  article: ArticleState,
  thread: ThreadState,
  voteId: string,
  decision: VoteDecision,
  context: Context,
  published: FindPublished,
): Outcome<ArticleState> | Fault {
  const row = thread.votes.get(voteId);
  if (row === undefined)
    return about(
      fault('not_found', `There is no vote ${voteId.slice(0, 40)}.`, 'Read the open votes of the article.'),
      { kind: 'vote', id: voteId, slug: article.row.slug },
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
  const status = decision === 'deferred' ? 'open' : 'decided';
  const way = decision === 'ratified' ? execution({ article, context, published }, row.vote) : undefined;
  const missing = way !== undefined && 'missing' in way ? way.missing : null;
  const execute = way === undefined || 'missing' in way ? null : way;
  const named = decision === 'ratified' ? namedEntry(thread, row) : undefined;
  const settled = context.actor === 'owner' ? named : undefined;
  const note = `ratified ${voteId}: ${row.vote.proposal}`;
  return {
    events: [
      decisionEvent(aid, thread, context, voteId, decision),
      ...(settled === undefined ? [] : [settlementEvent(article, settled, note, context, voteId)]),
    ],
    conclude: () => ({
      result: exactly(VoteDecided, {
        slug,
        vote_id: voteId,
        decision,
        status,
        vote: {
          ...row.vote,
          carries: row.vote.carries ?? null,
          entry: row.vote.entry ?? null,
          status,
          decision,
        },
        execute,
        missing,
        settled: settled?.id ?? null,
        beside: openBeside(thread, row),
        revision: article.row.version,
        permalink: postLink(context.base, article, voteId),
      }),
      text: `${voteId} is ${decision}.${entryText(named, settled)}${execute === null ? '' : ` ${execute.key} carries it out; "execute" is the call.`}${missing === null ? '' : ` No call carries it out: ${missing}`}`,
      material: [],
    }),
  };
}

function entryText(named: PostRow | undefined, settled: PostRow | undefined): string {
  if (named === undefined) return '';
  return settled === undefined
    ? ` ${named.id} stays open: the owner settles it.`
    : ` ${named.id} is settled.`;
}

/** The entry that a vote names, unless it was settled meanwhile. */
function namedEntry(thread: ThreadState, { vote: { entry } }: VoteRow): PostRow | undefined {
  const row = [...thread.posts.values()].find(({ id }) => id === entry);
  return row !== undefined && isOpen(row) ? row : undefined;
}

/** Open votes on the same target with the same proposal: deciding one decides none of the others. */
function openBeside(thread: ThreadState, { id, vote: decided }: VoteRow): VoteDecided['beside'] {
  return [...thread.votes.values()]
    .filter(
      ({ vote: other, status }) =>
        status === 'open' &&
        other.id !== id &&
        other.target === decided.target &&
        other.proposal === decided.proposal,
    )
    .map(({ vote: other }) => ({
      vote_id: other.id,
      carries: other.carries ?? null,
      agrees: carriedNames.every((name) => other.carries?.[name] === decided.carries?.[name]),
    }));
}
