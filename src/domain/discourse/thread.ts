/**
 * An article's thread as decisions see it, and how its entries become rows. Discourse never rewrites what it
 * is about: it is a chain beside the article, and its head is the condition for the next challenge.
 */
import { type Head, genesis, headOf } from '../../ledger/entry.ts';
import { actEntry } from '../entries.ts';
import type { Event, EventDraft, Projection, View } from '../../engine/act.ts';
import { type RowOf, type Sub, integer, json, nullable, table, text } from '../../engine/tables.ts';
import type { JsonValue } from '../../kernel/json.ts';
import { putActivity } from '../articles/activity.ts';
import { articleChain, parseArticleChain } from '../articles/chains.ts';
import type { Post, Settlement, Vote, VoteDecision, VoteView } from '../../model/discourse.ts';
import { plainWording } from '../similarity/normalise.ts';
import type { ProvenanceContent } from '../articles/events.ts';
import type { ArticleState } from '../articles/state.ts';
import type { Context } from '../context.ts';

export const threadTable = table('thread', {
  key: { aid: text() },
  columns: {
    posts: integer(),
    head: nullable(json<Head>()),
    votes: integer(),
    votes_head: nullable(json<Head>()),
  },
  aggregate: 'thread',
});

export const postTable = table('post', {
  key: { aid: text(), n: integer() },
  columns: {
    id: text(),
    post: json<Post>(),
    plain: text(),
    settled: nullable(json<Settlement>()),
    prev: text(),
    hash: text(),
    seq: integer(),
  },
  aggregate: 'thread',
});

export const voteTable = table('vote', {
  key: { aid: text(), id: text() },
  columns: {
    vote: json<Vote>(),
    status: text<VoteView['status']>(),
    decision: nullable(text<VoteDecision>()),
    decided_by: nullable(text()),
    decided_at: nullable(text()),
  },
  aggregate: 'thread',
});

/** Finds the article of a vote. */
export const voteIndexTable = table('vote_index', {
  key: { id: text() },
  columns: { aid: text(), tenant: text(), slug: text() },
  aggregate: 'vote_index',
  compact: true,
});

export const discourseTables = [threadTable, postTable, voteTable, voteIndexTable];
export type PostRow = RowOf<typeof postTable>;
export type VoteRow = RowOf<typeof voteTable>;

export interface ThreadState {
  readonly head: Head | null;
  readonly votesHead: Head | null;
  readonly posts: ReadonlyMap<Sub, PostRow>;
  readonly votes: ReadonlyMap<Sub, VoteRow>;
}

export function threadOf(view: View, aid: string): ThreadState {
  const row = view.row(threadTable, aid);
  return {
    head: row?.head ?? null,
    votesHead: row?.votes_head ?? null,
    posts: view.rows(postTable, aid),
    votes: view.rows(voteTable, aid),
  };
}

/** The hash that a challenge must name: of the newest entry, or the word that begins every chain. */
export function threadHead(thread: Pick<ThreadState, 'head'>): string {
  return thread.head?.hash ?? genesis;
}

/** What a caller whose picture of the thread is old gets to see. */
export function threadSummary(thread: ThreadState): JsonValue {
  const newest = [...thread.posts.values()].slice(-10).reverse();
  return {
    posts: thread.posts.size,
    newest: newest.map(({ id, post, hash }) => ({
      id,
      stance: post.stance,
      target: post.target,
      body: post.body.slice(0, 280).toWellFormed(),
      hash,
    })),
  };
}

/** Whether an entry asks for an answer, settled or not. */
export function asksForAnswer({ stance }: Pick<Post, 'stance'>): boolean {
  return stance === 'challenge' || stance === 'upgrade' || stance === 'objection';
}

/** An entry is open until it is settled (contract §5). Editing or burning its target answers nothing. */
export function isOpen<R extends Pick<PostRow, 'post' | 'settled'>>(
  row: R,
): row is R & { readonly post: { readonly stance: 'challenge' | 'upgrade' | 'objection' } } {
  return row.settled === null && asksForAnswer(row.post);
}

/** Whether the DIV or claim that an entry is about reads otherwise now, or has left the article. */
export function isTextChanged({ target, target_hash: hash }: Post, article: ArticleState): boolean {
  if (target === '' || hash === null) return false;
  const claim = article.claims.get(target)?.claim;
  if (claim !== undefined) return claim.status !== 'active' || claim.hash !== hash;
  const div = article.divs.get(target);
  return div?.status !== 'current' || div.vx_hash !== hash;
}

export function postEvent(aid: string, thread: ThreadState, context: Context, post: Post): EventDraft {
  return actEntry(context, articleChain(aid, 'thread'), thread.head, post.stance, {
    ...post,
    plain: plainWording(post.body),
  });
}

export function voteEvent(aid: string, thread: ThreadState, context: Context, vote: Vote): EventDraft {
  return actEntry(
    context,
    articleChain(aid, 'votes'),
    thread.votesHead,
    'vote',
    { ...vote, tenant: context.tenant },
    { vote: vote.id },
  );
}

export function decisionEvent(
  aid: string,
  thread: ThreadState,
  context: Context,
  voteId: string,
  decision: VoteDecision,
): EventDraft {
  return actEntry(context, articleChain(aid, 'votes'), thread.votesHead, 'decide', undefined, {
    vote: voteId,
    decision,
  });
}

export function projectDiscourse(event: Event, to: Projection): void {
  const chain = parseArticleChain(event.sealed.entry.chain);
  if (chain?.of === 'thread') projectPost(event, chain.aid, to);
  else if (chain?.of === 'provenance') projectSettlement(event, chain.aid, to);
  else if (chain?.of === 'votes') projectVote(event, chain.aid, to);
}

function projectPost(event: Event, aid: string, to: Projection): void {
  const { entry, hash } = event.sealed;
  const before = to.row(threadTable, aid) ?? { aid, posts: 0, head: null, votes: 0, votes_head: null };
  to.put(threadTable, { ...before, posts: entry.n + 1, head: headOf(event.sealed) });
  putActivity(event, aid, 'discussion', to);
  const content = event.contents['content_sha'] as (Post & { readonly plain: string }) | undefined;
  if (content === undefined) return;
  const { plain, ...post } = content;
  to.put(postTable, {
    aid,
    n: entry.n,
    id: post.id,
    post,
    plain,
    settled: null,
    prev: entry.prev,
    hash,
    seq: event.seq,
  });
}

/** Settlements are entries of the provenance chain (contract §1.5) that name a post and its place in the thread. */
function projectSettlement(event: Event, aid: string, to: Projection): void {
  const { entry } = event.sealed;
  const { settles, settles_n: n, vote } = entry;
  if (typeof settles !== 'string' || typeof n !== 'number') return;
  const row = to.row(postTable, aid, n);
  if (row?.id !== settles) return;
  const content = event.contents['content_sha'] as ProvenanceContent | undefined;
  to.put(postTable, {
    ...row,
    settled: {
      note: content?.change?.settled?.note ?? '',
      decided_at: entry.ts,
      decided_by: entry.actor,
      resolution: String(entry['inv'] ?? ''),
      ...(typeof vote === 'string' ? { vote } : {}),
    },
  });
}

function projectVote(event: Event, aid: string, to: Projection): void {
  const { entry } = event.sealed;
  const before = to.row(threadTable, aid) ?? { aid, posts: 0, head: null, votes: 0, votes_head: null };
  const made = entry['action'] === 'vote';
  putActivity(event, aid, made ? 'discussion' : 'decisions', to);
  to.put(threadTable, {
    ...before,
    votes: before.votes + (made ? 1 : 0),
    votes_head: headOf(event.sealed),
  });
  const id = String(entry['vote']);
  if (made) {
    const content = event.contents['content_sha'] as (Vote & { readonly tenant: string }) | undefined;
    if (content === undefined) return;
    const { tenant, ...vote } = content;
    to.put(voteTable, { aid, id, vote, status: 'open', decision: null, decided_by: null, decided_at: null });
    to.put(voteIndexTable, { id, aid, tenant, slug: vote.slug });
    return;
  }
  const vote = to.row(voteTable, aid, id);
  if (vote === undefined) return;
  const decision = entry['decision'] as VoteDecision;
  to.put(voteTable, {
    ...vote,
    status: decision === 'deferred' ? 'open' : 'decided',
    decision,
    decided_by: entry.actor,
    decided_at: entry.ts,
  });
}
