/** Discourse as it is read (contract §5): every entry with its chain links, what still asks for an answer first. */
import type { StoredEvent } from '../engine/act.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { ArticleState } from '../domain/articles/state.ts';
import { postLink } from '../domain/discourse/posting.ts';
import type { PostRow, VoteRow } from '../domain/discourse/tables.ts';
import { isOpen, isTextChanged } from '../domain/discourse/thread.ts';
import { links } from '../domain/links.ts';
import { listed } from './stored-events.ts';

export interface ThreadParts {
  readonly article: ArticleState;
  readonly posts: readonly PostRow[];
  readonly chain: readonly StoredEvent[];
  readonly base: string;
}

/** Open entries first, newest first within each part. */
export function discourseList({ article, posts, chain, base }: ThreadParts): JsonObject[] {
  const events = new Map(chain.map((event) => [event.seq, event]));
  const shown = posts.map((row) => {
    const event = events.get(row.seq);
    const open = isOpen(row.post);
    return {
      n: row.n,
      open,
      entry: {
        ...row.post,
        // What its entry commits to is shown whole, so that anybody can check it.
        plain: row.plain,
        status: open ? 'open' : 'settled',
        ...(isTextChanged(row.post, article) ? { text_changed: true } : {}),
        permalink: postLink(base, article, row.id),
        ...(event === undefined ? { prev: row.prev, hash: row.hash } : listed(event, 'content_sha')),
      },
    };
  });
  return shown.sort((a, b) => Number(b.open) - Number(a.open) || b.n - a.n).map(({ entry }) => entry);
}

export function discourseCounts(entries: readonly JsonObject[]): JsonObject {
  const byStance: Record<string, number> = {};
  for (const entry of entries)
    byStance[String(entry['stance'])] = (byStance[String(entry['stance'])] ?? 0) + 1;
  const open = entries.filter((entry) => entry['status'] === 'open').length;
  return { total: entries.length, open, settled: entries.length - open, by_stance: byStance };
}

/** Reviews as the article lists them (contract §5). */
export function reviewList(posts: readonly PostRow[], base: string): JsonObject[] {
  return posts
    .filter(({ post }) => post.stance === 'review')
    .map(({ id, post }) => ({
      id,
      actor: post.actor,
      verdict: post.verdict,
      body: post.body,
      ts: post.ts,
      receipt: links.receipt(base, post.receipt),
    }));
}

export function voteJson(row: VoteRow, base: string): JsonObject {
  return {
    vote_id: row.id,
    ...row.vote,
    carries: row.vote.carries ?? null,
    status: row.status,
    decision: row.decision,
    decided_by: row.decided_by,
    decided_at: row.decided_at,
    permalink: `${links.article(base, row.vote.slug)}#${row.id}`,
  };
}
