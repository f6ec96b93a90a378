/** Discourse as it is read (contract §5): every entry with its chain links, what still asks for an answer first. */
import type { StoredEvent } from '../engine/act.ts';
import { type DiscourseCounts, PostView, ReviewView, VoteView } from '../model/discourse.ts';
import type { ContributionView } from '../model/contribution.ts';
import { exactly } from '../model/exact.ts';
import type { ArticleState } from '../domain/articles/state.ts';
import { postLink, spokenNames } from '../domain/discourse/posting.ts';
import { type PostRow, type VoteRow, isOpen, isTextChanged } from '../domain/discourse/thread.ts';
import { links } from '../domain/links.ts';
import { listed, unlisted } from './stored-events.ts';

export interface ThreadParts {
  readonly article: ArticleState;
  readonly posts: readonly PostRow[];
  readonly chain: readonly StoredEvent[];
  readonly base: string;
}

/** Open entries first, newest first within each part. */
export function discourseList({ article, posts, chain, base }: ThreadParts): PostView[] {
  const events = new Map(chain.map((event) => [event.seq, event]));
  const shown = posts.map((row) => {
    const event = events.get(row.seq);
    const open = isOpen(row);
    return {
      n: row.n,
      open,
      entry: exactly(PostView, {
        ...row.post,
        ...spokenNames(row.post, row.prev),
        // The committed content is shown whole, so that every reader can verify it.
        plain: row.plain,
        status: open ? ('open' as const) : ('settled' as const),
        ...row.settled,
        ...(isTextChanged(row.post, article) ? { text_changed: true as const } : {}),
        permalink: postLink(base, article, row.id),
        ...(event === undefined ? unlisted(row) : listed(event, 'content_sha')),
      }),
    };
  });
  return shown.sort((a, b) => Number(b.open) - Number(a.open) || b.n - a.n).map(({ entry }) => entry);
}

export function discourseCounts(entries: readonly PostView[]): DiscourseCounts {
  const open = entries.filter(({ status }) => status === 'open');
  const settled = entries.filter(({ status }) => status !== 'open');
  return countsOf(open, settled);
}

type Said = Pick<PostView, 'stance'> | Pick<ContributionView, 'kind'>;

/** A contribution counts as what its kind says. */
export function countsOf(open: readonly Said[], settled: readonly Said[]): DiscourseCounts {
  const byStance: Record<string, number> = {};
  for (const said of [...open, ...settled]) {
    const stance = 'stance' in said ? said.stance : said.kind;
    byStance[stance] = (byStance[stance] ?? 0) + 1;
  }
  return {
    total: open.length + settled.length,
    open: open.length,
    settled: settled.length,
    by_stance: byStance,
  };
}

/** Reviews as the article lists them (contract §5). */
export function reviewList(posts: readonly PostRow[], base: string): ReviewView[] {
  return posts.flatMap(({ id, post: { stance, actor, verdict, body, ts, receipt } }) =>
    stance !== 'review' || verdict === null
      ? []
      : [exactly(ReviewView, { id, actor, verdict, body, ts, receipt: links.receipt(base, receipt) })],
  );
}

export function voteJson(row: VoteRow, base: string): VoteView {
  return exactly(VoteView, {
    vote_id: row.id,
    ...row.vote,
    carries: row.vote.carries ?? null,
    entry: row.vote.entry ?? null,
    status: row.status,
    decision: row.decision,
    decided_by: row.decided_by,
    decided_at: row.decided_at,
    permalink: `${links.article(base, row.vote.slug)}#${row.id}`,
  });
}
