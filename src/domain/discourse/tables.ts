/** Discourse as projections of an article's thread and vote chains (spec §2.11, contract §5). One aggregate. */
import { integer, json, nullable, table, text, type RowOf } from '../../engine/tables.ts';
import type { Head } from '../../ledger/entry.ts';

/** A call as its writer meant it: the row, the body that it takes, and why it waits. */
export type ProposedCall = { readonly key: string; readonly body: string; readonly why: string };

/** What somebody said about an article or a part of it. A type and not an interface, so that it counts as JSON. */
export type Post = {
  readonly id: string;
  readonly stance:
    | 'challenge'
    | 'support'
    | 'upgrade'
    | 'objection'
    | 'attestation'
    | 'confirmation'
    | 'review'
    | 'note'
    | 'update';
  /** A DIV id, or '' for the article as a whole. */
  readonly target: string;
  /** Hash that the target had when this was said. */
  readonly target_hash: string | null;
  readonly body: string;
  readonly actor: string;
  readonly surface: string | null;
  readonly minimum_patch: string | null;
  readonly outcome: string | null;
  readonly verdict: string | null;
  /** The entry that a confirmation confirms. */
  readonly confirms: string | null;
  /** Calls that an update names and that did not run with it. */
  readonly proposed_calls?: readonly ProposedCall[];
  readonly ts: string;
  readonly receipt: string;
};

/** What carrying a vote out takes beyond its target. A type and not an interface, so that it counts as JSON. */
export type Carried = {
  /** should_split: the exact words that the second part begins with. */
  readonly at?: string;
  /** should_merge: the DIV or claim that the target goes into; should_transclude: the article it is shown in. */
  readonly into?: string;
  /** should_retier: the tier that the claim should have. */
  readonly tier?: string;
};

export type Vote = {
  readonly id: string;
  readonly slug: string;
  readonly target: string;
  readonly proposal: string;
  readonly carries?: Carried;
  readonly rationale: string;
  readonly actor: string;
  readonly ts: string;
  readonly receipt: string;
};

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
    status: text(),
    decision: nullable(text()),
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
