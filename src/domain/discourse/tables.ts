/** Discourse as projections of an article's thread and vote chains (spec §2.11, contract §5). One aggregate. */
import { integer, json, nullable, table, text, type RowOf } from '../../engine/tables.ts';
import type { Head } from '../../ledger/entry.ts';
import type { Post, Vote, VoteDecision, VoteView } from '../../model/discourse.ts';

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
  columns: { id: text(), post: json<Post>(), plain: text(), prev: text(), hash: text(), seq: integer() },
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
