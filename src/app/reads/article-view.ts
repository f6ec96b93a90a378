/**
 * What article pages show beside the state (contract §8): provenance, discourse, newest contributions, and the place
 * of the newest entry in the log. Wordings replaced before first publication are redacted (contract §5).
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

/** A provenance entry in the page's colophon. */
export interface Deed {
  readonly n: number;
  readonly ts: string;
  readonly actor: string;
  readonly action: string;
  readonly rev: number | null;
  readonly receipt: string | null;
  /** Ids of the claims, sources or DIVs that it concerns. */
  readonly of: readonly string[];
  /** Number of new DIVs. */
  readonly made: number;
  /** New wordings of claims, unless redacted. */
  readonly wordings: readonly { readonly id: string; readonly version: number; readonly text: string }[];
  readonly hash: string;
}

export interface ShownPost {
  readonly post: Post;
  /** Open, without an answer. */
  readonly open: boolean;
  /** Its DIV was changed or removed since. */
  readonly textChanged: boolean;
}

/** A contribution with its status. */
export interface ShownContribution extends ContributionRow {
  readonly status: string;
  /** The owner's decision, if there is one. */
  readonly decision: ResolutionRow | undefined;
  /** A proposed wording whose claim has changed. */
  readonly stale: boolean;
}

/** Previous or next article of a series. */
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
  /** Size of the log at the checkpoint of the proof. */
  readonly size: number;
  readonly proof: string;
}

export interface ArticleView {
  readonly state: ArticleState;
  /** Oldest first. */
  readonly deeds: readonly Deed[];
  /** The newest `contributionsMax`, newest first, then older accepted ones. */
  readonly contributions: readonly ShownContribution[];
  readonly contributionCount: number;
  /** Open ones first, newest first, at most `contributionsMax`. */
  readonly posts: readonly ShownPost[];
  readonly postCount: number;
  /** Newest first. */
  readonly votes: readonly VoteRow[];
  /** A stamp of contributions and discourse. */
  readonly intakeHeads: string;
  readonly series: Series | undefined;
  /** Log place of the newest provenance entry; null until integrated. */
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

/** Neighbours in the article's traversal that can be read. */
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
