/**
 * What the pages of an article show beside its state (contract §8): who wrote what and when, discourse and
 * the newest contributions, and the proof that the newest entry stands in the log. Wordings that were
 * replaced before the article was first published stay with the tenant's keys (contract §5).
 */
import { articleChain } from '../../domain/articles/chains.ts';
import type { ArticleAccess } from './article-access.ts';
import type { Change } from '../../domain/articles/events.ts';
import type { ArticleState } from '../../domain/articles/state.ts';
import { articleTable, slugPath, slugTable } from '../../domain/articles/tables.ts';
import { traversalOf } from '../../domain/articles/traversal.ts';
import { postTable, threadTable, voteTable, type VoteRow } from '../../domain/discourse/tables.ts';
import type { Post } from '../../model/discourse.ts';
import { isOpen, isTextChanged } from '../../domain/discourse/thread.ts';
import { contributionTable, mirrorTable, type ContributionRow } from '../../domain/mirror/tables.ts';
import { isStale, resolutionTable, type ResolutionRow } from '../../domain/mirror/resolution.ts';
import { contentText, type StoredEvent } from '../../engine/act.ts';
import { leafHash, type Entry } from '../../ledger/entry.ts';
import { formatProof } from '../../ledger/proof.ts';
import { loadArticle } from './articles.ts';
import { olderAccepted } from './mirror-feed.ts';
import type { ReadContext } from '../read-context.ts';

/** One provenance entry, as the colophon of an article tells it. */
export interface Deed {
  readonly n: number;
  readonly ts: string;
  readonly actor: string;
  readonly action: string;
  readonly rev: number | null;
  readonly receipt: string | null;
  /** Ids of the claims, sources or DIVs that it was about. */
  readonly of: readonly string[];
  /** How many DIVs it made. */
  readonly made: number;
  /** The wordings that it gave to claims, where they were ever public. */
  readonly wordings: readonly { readonly id: string; readonly version: number; readonly text: string }[];
  readonly hash: string;
}

export interface ShownPost {
  readonly post: Post;
  /** It still asks for an answer. */
  readonly open: boolean;
  /** The DIV that it is about reads otherwise now, or has left the article. */
  readonly textChanged: boolean;
}

/** A contribution with where it stands: proposed, accepted or rejected. */
export interface ShownContribution extends ContributionRow {
  readonly status: string;
  /** What the owner decided, once there is a decision. */
  readonly decision: ResolutionRow | undefined;
  /** A wording that waits while its claim has changed. */
  readonly stale: boolean;
}

/** An article that this one leads to. */
export interface Neighbour {
  readonly slug: string;
  readonly title: string;
}

export interface Series {
  readonly name: string | null;
  readonly position: number | null;
  readonly of: number | null;
  readonly prev: Neighbour | undefined;
  readonly next: Neighbour | undefined;
}

export interface LogPlace {
  readonly index: number;
  /** Entries of the log at the checkpoint that the proof leads to. */
  readonly size: number;
  readonly proof: string;
}

export interface ArticleView {
  readonly state: ArticleState;
  /** Oldest first. */
  readonly deeds: readonly Deed[];
  /** The newest `contributionsMax`, newest first, and behind them the older ones that were accepted. */
  readonly contributions: readonly ShownContribution[];
  readonly contributionCount: number;
  /** Open ones first, newest first, at most `contributionsMax`. */
  readonly posts: readonly ShownPost[];
  readonly postCount: number;
  /** Newest first. */
  readonly votes: readonly VoteRow[];
  /** Changes with every contribution and every word of discourse. */
  readonly intakeHeads: string;
  readonly series: Series | undefined;
  /** Where the newest provenance entry stands; null until the log has integrated it. */
  readonly place: LogPlace | null;
}

export const contributionsMax = 50;

export async function viewArticle(context: ReadContext, seen: ArticleAccess): Promise<ArticleView> {
  const { read } = context;
  const { aid } = seen;
  const [state, provenance, contributions, resolutions, mirror, thread, posts, votes] = await Promise.all([
    loadArticle(context, aid),
    read.chain(articleChain(aid, 'provenance')),
    read.list(contributionTable, aid, { limit: contributionsMax, reverse: true }),
    read.rows(resolutionTable, aid),
    read.row(mirrorTable, aid),
    read.row(threadTable, aid),
    read.rows(postTable, aid),
    read.rows(voteTable, aid),
  ]);
  const older = await olderAccepted(context, aid, contributions);
  const newest = provenance[provenance.length - 1];
  const shown = [...posts.values()].map(({ n, post }) => ({
    n,
    post,
    open: isOpen(post),
    textChanged: isTextChanged(post, state),
  }));
  return {
    state,
    deeds: provenance.map((event) => deedOf(event, state.row.published_rev)),
    contributions: [...contributions, ...older].map((row) => {
      const decision = resolutions.get(row.id);
      return {
        ...row,
        decision,
        status: decision?.status ?? 'proposed',
        stale: isStale(row, decision, state.claims),
      };
    }),
    contributionCount: mirror?.count ?? 0,
    posts: shown.sort((a, b) => Number(b.open) - Number(a.open) || b.n - a.n).slice(0, contributionsMax),
    postCount: posts.size,
    votes: [...votes.values()].sort((a, b) => (a.vote.ts < b.vote.ts ? 1 : -1)),
    intakeHeads: [mirror?.head, thread?.head, thread?.votes_head].map((head) => head?.hash ?? '').join(' '),
    series: await seriesOf(context, state),
    place: newest === undefined ? null : await placeOf(context, newest.seq),
  };
}

function deedOf(event: StoredEvent, publishedRev: number | null): Deed {
  const entry = JSON.parse(event.text) as Entry;
  const body = contentText(event.contents.find((each) => each.field === 'content_sha'));
  const change = body == null ? undefined : (JSON.parse(body) as { readonly change?: Change }).change;
  const rev = typeof entry['rev'] === 'number' ? entry['rev'] : null;
  const isPublic = rev !== null && publishedRev !== null && rev >= publishedRev;
  return {
    n: entry.n,
    ts: entry.ts,
    actor: entry.actor,
    action: String(entry['action']),
    rev,
    receipt: typeof entry['inv'] === 'string' ? entry['inv'] : null,
    of: change?.of ?? [],
    made: change?.made?.length ?? 0,
    wordings: isPublic
      ? (change?.claims ?? []).map(({ claim: { id, version, text } }) => ({ id, version, text }))
      : [],
    hash: entryHash(event),
  };
}

export function entryHash(event: StoredEvent): string {
  return Buffer.from(leafHash(event.text)).toString('hex');
}

/** What an article's traversal names, as far as it can be read. */
async function seriesOf(context: ReadContext, { row }: ArticleState): Promise<Series | undefined> {
  const traversal = traversalOf(row.meta);
  if (traversal === undefined) return undefined;
  const { series, position, of } = traversal;
  const [prev, next] = await Promise.all([
    neighbour(context, row.tenant, traversal.prev),
    neighbour(context, row.tenant, traversal.next),
  ]);
  return { name: series, position, of, prev, next };
}

async function neighbour(
  context: ReadContext,
  tenant: string,
  slug: string | null,
): Promise<Neighbour | undefined> {
  const { read } = context;
  const found = slug === null ? undefined : await read.row(slugTable, slugPath(tenant, slug));
  const row = found === undefined ? undefined : await read.row(articleTable, found.aid);
  return row === undefined || row.status === 'draft' ? undefined : { slug: row.slug, title: row.title };
}

async function placeOf(context: ReadContext, seq: number): Promise<LogPlace | null> {
  const { read } = context;
  const [index, checkpoint] = await Promise.all([read.indexOf(seq), read.checkpoint()]);
  if (index === null || checkpoint === null || index >= checkpoint.size) return null;
  const hashes = await read.inclusion(index, checkpoint.size);
  return { index, size: checkpoint.size, proof: formatProof({ index, hashes, checkpoint: checkpoint.note }) };
}
