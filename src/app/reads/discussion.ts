/**
 * The discussion of an article for its pages (contract §5, §8): entries of the thread, contributions of the mirror and
 * votes as one list of threads by what they are about, with what became of each.
 */
import { articleChain } from '../../domain/articles/chains.ts';
import type { ArticleState } from '../../domain/articles/state.ts';
import {
  asksForAnswer,
  isOpen,
  isTextChanged,
  type PostRow,
  postTable,
  threadHead,
  threadTable,
  type VoteRow,
  voteTable,
} from '../../domain/discourse/thread.ts';
import { isStale, type ResolutionRow, resolutionTable } from '../../domain/mirror/resolution.ts';
import { type ContributionRow, contributionTable, mirrorTable } from '../../domain/mirror/tables.ts';
import type { Entry } from '../../ledger/entry.ts';
import type { ContributionEffect } from '../../model/contribution.ts';
import type { Carried } from '../../model/discourse.ts';
import type { QuestionNode } from '../../model/question.ts';
import { provenanceContent } from '../../represent/stored-events.ts';
import type { ReadContext } from '../read-context.ts';
import type { ArticleAccess } from './article-access.ts';
import { redactionPolicyOf } from './article-chains.ts';
import { baseText, loadArticle } from './articles.ts';
import { findContribution, olderAccepted } from './mirror-feed.ts';
import { readQuestions } from './question-parts.ts';

/** What became of an entry; null for entries that ask for no answer, such as support. */
export type EntryStatus =
  'open' | 'settled' | 'proposed' | 'accepted' | 'rejected' | 'ratified' | 'deferred' | null;

/** Who decided an entry, when and why. */
export interface EntryDecision {
  readonly status: Exclude<EntryStatus, null>;
  readonly by: string;
  readonly at: string;
  readonly note: string;
  /** Null where the record names none. */
  readonly receipt: string | null;
  readonly effect: ContributionEffect;
  /** The ratified vote that settled the entry. */
  readonly vote: string | null;
}

/** An entry of the thread, a contribution of the mirror, or a vote. */
export interface DiscussionEntry {
  readonly id: string;
  readonly from: 'thread' | 'mirror' | 'votes';
  /** Its stance, its kind, or what the vote proposes. */
  readonly what: string;
  /** A claim id, a DIV id, or empty for the article as a whole. */
  readonly target: string;
  readonly body: string;
  readonly actor: string;
  readonly ts: string;
  readonly receipt: string;
  readonly status: EntryStatus;
  /** It waits for the owner. */
  readonly waits: boolean;
  /** The text that it is about was changed or removed since. */
  readonly textChanged: boolean;
  /** The hash that its target had; null for the article as a whole. */
  readonly targetHash: string | null;
  readonly decision: EntryDecision | undefined;
  /** The entry that it answers: one it confirms, or one that a vote names. */
  readonly answers: string | null;
  readonly outcome: string | null;
  readonly verdict: string | null;
  readonly surface: string | null;
  readonly minimumPatch: string | null;
  readonly rationale: string | null;
  readonly tier: string | null;
  readonly carries: Carried | null;
}

/** What the owner did to a claim outside its discussion. */
export interface ClaimNote {
  readonly claimId: string;
  readonly act: 'retracted' | 'reworded';
  readonly version: number | null;
  readonly by: string;
  readonly at: string;
  readonly reason: string;
  readonly receipt: string | null;
}

export interface Thread {
  /** A claim id, a DIV id, or empty for the article as a whole. */
  readonly target: string;
  /** Waiting ones first, then newest first. Entries that answer another stand below it. */
  readonly entries: readonly DiscussionEntry[];
  readonly notes: readonly ClaimNote[];
  readonly waiting: number;
  readonly newest: string;
}

export interface Discussion {
  readonly state: ArticleState;
  readonly threadHead: string;
  /** Those with something open first, then by their newest activity. */
  readonly threads: readonly Thread[];
  /** Answers by the entry that they answer, oldest first. */
  readonly answers: ReadonlyMap<string, readonly DiscussionEntry[]>;
  readonly byId: ReadonlyMap<string, DiscussionEntry>;
  readonly count: number;
  readonly waiting: number;
  /** Contributions of the mirror that are not listed; 0 where all are. */
  readonly unlisted: number;
  readonly questions: readonly QuestionNode[];
}

/** A page is made of at most this many contributions, the newest, and all that were accepted. */
const contributionsMax = 1000;

export async function readDiscussion(context: ReadContext, access: ArticleAccess): Promise<Discussion> {
  const { read } = context;
  const { aid } = access;
  const [state, thread, posts, votes, contributions, resolutions, mirror, questions] = await Promise.all([
    loadArticle(context, aid),
    read.row(threadTable, aid),
    read.rows(postTable, aid),
    read.rows(voteTable, aid),
    read.list(contributionTable, aid, { limit: contributionsMax, reverse: true }),
    read.rows(resolutionTable, aid),
    read.row(mirrorTable, aid),
    readQuestions(context, access),
  ]);
  const older = await olderAccepted(context, aid, contributions);
  const entries = [
    ...[...posts.values()].map((row) => postEntry(row, state)),
    ...[...votes.values()].map(voteEntry),
    ...[...contributions, ...older].map((row) => mirrorEntry(row, resolutions.get(row.id), state)),
  ];
  return {
    ...threadsOf(entries, await claimNotes(context, access)),
    state,
    threadHead: threadHead({ head: thread?.head ?? null }),
    unlisted: (mirror?.count ?? 0) - contributions.length - older.length,
    questions: questions.map(({ node }) => node).reverse(),
  };
}

/** An entry by its id, with contributions that the list leaves out. */
export async function readDiscussionEntry(
  context: ReadContext,
  access: ArticleAccess,
  discussion: Discussion,
  id: string,
): Promise<DiscussionEntry | undefined> {
  const listed = discussion.byId.get(id);
  if (listed !== undefined || discussion.unlisted === 0 || !/^mc_[a-z2-7]{16}$/.test(id)) return listed;
  const row = await findContribution(context, access.tenant, access.slug, id);
  if (row === undefined) return undefined;
  const resolution = (await context.read.rows(resolutionTable, access.aid)).get(id);
  return mirrorEntry(row, resolution, discussion.state);
}

type Threads = Pick<Discussion, 'threads' | 'answers' | 'byId' | 'count' | 'waiting'>;

/** Entries by what they are about. Pure, so that the order is tested as a table. */
export function threadsOf(entries: readonly DiscussionEntry[], notes: readonly ClaimNote[]): Threads {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const answers = new Map<string, DiscussionEntry[]>();
  const targets = new Map<string, { entries: DiscussionEntry[]; notes: ClaimNote[]; newest: string }>();
  const threadAt = (target: string) => {
    const known = targets.get(target) ?? { entries: [], notes: [], newest: '' };
    targets.set(target, known);
    return known;
  };
  for (const entry of entries) {
    const thread = threadAt(entry.target);
    thread.newest = newest(thread.newest, entry.ts, entry.decision?.at ?? '');
    const answered = entry.answers === null ? undefined : byId.get(entry.answers);
    if (answered === undefined) thread.entries.push(entry);
    else answers.set(answered.id, [...(answers.get(answered.id) ?? []), entry]);
  }
  for (const note of notes) {
    const thread = threadAt(note.claimId);
    thread.notes.push(note);
    thread.newest = newest(thread.newest, note.at);
  }
  for (const list of answers.values())
    list.sort((a, b) => compareText(a.ts, b.ts) || compareText(a.id, b.id));
  const threads = [...targets].map(([target, thread]) => ({
    target,
    entries: thread.entries.sort(waitingFirst),
    notes: thread.notes.sort((a, b) => compareText(b.at, a.at)),
    newest: thread.newest,
    waiting: entries.filter((entry) => entry.target === target && entry.waits).length,
  }));
  return {
    threads: threads.sort(
      (a, b) =>
        Number(b.waiting > 0) - Number(a.waiting > 0) ||
        compareText(b.newest, a.newest) ||
        compareText(a.target, b.target),
    ),
    answers,
    byId,
    count: entries.length,
    waiting: entries.filter(({ waits }) => waits).length,
  };
}

function waitingFirst(a: DiscussionEntry, b: DiscussionEntry): number {
  return Number(b.waits) - Number(a.waits) || compareText(b.ts, a.ts) || compareText(a.id, b.id);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function newest(...times: readonly string[]): string {
  return times.reduce((latest, time) => (time > latest ? time : latest), '');
}

const nothingMore = {
  outcome: null,
  verdict: null,
  surface: null,
  minimumPatch: null,
  rationale: null,
  tier: null,
  carries: null,
} as const;

function postEntry({ id, post, settled }: PostRow, state: ArticleState): DiscussionEntry {
  const waits = isOpen({ post, settled });
  return {
    ...nothingMore,
    id,
    from: 'thread',
    what: post.stance,
    target: post.target,
    body: post.body,
    actor: post.actor,
    ts: post.ts,
    receipt: post.receipt,
    status: waits ? 'open' : asksForAnswer(post) ? 'settled' : null,
    waits,
    textChanged: isTextChanged(post, state),
    targetHash: post.target_hash,
    decision:
      settled === null
        ? undefined
        : {
            status: 'settled',
            by: settled.decided_by,
            at: settled.decided_at,
            note: settled.note,
            receipt: settled.resolution === '' ? null : settled.resolution,
            effect: {},
            vote: settled.vote ?? null,
          },
    answers: post.confirms,
    outcome: post.outcome,
    verdict: post.verdict,
    surface: post.surface,
    minimumPatch: post.minimum_patch,
  };
}

function mirrorEntry(
  row: ContributionRow,
  resolution: ResolutionRow | undefined,
  state: ArticleState,
): DiscussionEntry {
  const { id, claim_id: target, contribution } = row;
  const { kind, body, actor, ts, receipt } = contribution;
  return {
    ...nothingMore,
    id,
    from: 'mirror',
    what: kind,
    target,
    body,
    actor,
    ts,
    receipt,
    status: resolution?.status ?? 'proposed',
    waits: resolution === undefined,
    textChanged: isStale(row, resolution, state.claims),
    targetHash: contribution.claim_hash,
    decision:
      resolution === undefined
        ? undefined
        : {
            status: resolution.status,
            by: resolution.decided_by,
            at: resolution.decided_at,
            note: resolution.note,
            receipt: resolution.receipt === '' ? null : resolution.receipt,
            effect: resolution.effect,
            vote: null,
          },
    answers: null,
    rationale: contribution.rationale,
    tier: contribution.tier ?? null,
  };
}

function voteEntry({ id, vote, status, decision, decided_by: by, decided_at: at }: VoteRow): DiscussionEntry {
  return {
    ...nothingMore,
    id,
    from: 'votes',
    what: vote.proposal,
    target: vote.target === vote.slug ? '' : vote.target,
    body: vote.rationale,
    actor: vote.actor,
    ts: vote.ts,
    receipt: vote.receipt,
    status: decision ?? 'open',
    waits: status === 'open',
    textChanged: false,
    targetHash: null,
    decision:
      decision === null || by === null || at === null
        ? undefined
        : { status: decision, by, at, note: '', receipt: null, effect: {}, vote: null },
    answers: vote.entry ?? null,
    carries: vote.carries ?? null,
  };
}

/** The text that an earlier hash of a block or claim stood for, as far as it was ever public. */
export async function earlierText(
  context: ReadContext,
  access: ArticleAccess,
  target: string,
  hash: string,
): Promise<string | undefined> {
  if (target.startsWith('d')) return baseText(context, access.slug, target, hash);
  for (const event of await publicProvenance(context, access))
    for (const { claim } of provenanceContent(event)?.change?.claims ?? [])
      if (claim.id === target && claim.hash === hash) return claim.text;
  return undefined;
}

async function publicProvenance(context: ReadContext, access: ArticleAccess) {
  const { row } = await loadArticle(context, access.aid);
  const redaction = await redactionPolicyOf(context, access, row);
  return redaction.redact(await context.read.chain(articleChain(access.aid, 'provenance')));
}

/** Why claims were retracted, and how the owner reworded them unasked. */
async function claimNotes(context: ReadContext, access: ArticleAccess): Promise<ClaimNote[]> {
  return (await publicProvenance(context, access)).flatMap((event): ClaimNote[] => {
    const { action, actor: by, ts: at, inv } = JSON.parse(event.text) as Entry;
    if (action !== 'claim_retract' && action !== 'claim_repair') return [];
    const { claims = [], reason } = provenanceContent(event)?.change ?? {};
    return claims.map(({ claim }) => ({
      claimId: claim.id,
      act: action === 'claim_retract' ? 'retracted' : 'reworded',
      version: action === 'claim_retract' ? null : claim.version,
      by,
      at,
      reason: reason ?? '',
      receipt: typeof inv === 'string' ? inv : null,
    }));
  });
}
