/**
 * What the pages of an article and of one of its DIVs show beside the state (contract §5, §8): provenance, discourse,
 * newest contributions, and the place of the newest entry in the log. Wordings and texts replaced or removed before
 * first publication are redacted.
 */
import { articleChain, divChain } from '../../domain/articles/chains.ts';
import type { ArticleAccess } from './article-access.ts';
import type { ArticleState } from '../../domain/articles/state.ts';
import { type DivRow, articleTable, slugPath, slugTable } from '../../domain/articles/tables.ts';
import { traversalOf } from '../../domain/articles/traversal.ts';
import {
  type PostRow,
  type VoteRow,
  isOpen,
  isTextChanged,
  postTable,
  voteTable,
} from '../../domain/discourse/thread.ts';
import { type ContributionRow, contributionTable, mirrorTable } from '../../domain/mirror/tables.ts';
import { type ResolutionRow, isStale, resolutionTable } from '../../domain/mirror/resolution.ts';
import { type StoredEvent, contentText } from '../../engine/act.ts';
import { type Entry, leafHash } from '../../ledger/entry.ts';
import { formatProof } from '../../ledger/proof.ts';
import { provenanceContent } from '../../represent/stored-events.ts';
import type { ArticleContests } from '../../domain/discourse/contested.ts';
import { loadArticle } from './articles.ts';
import { readContests } from './contested.ts';
import { olderAccepted } from './mirror-feed.ts';
import { checkpointFor } from './proof.ts';
import type { ReadContext } from '../read-context.ts';
import { publicFromSeq } from './article-chains.ts';

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

export interface ShownPost extends Pick<PostRow, 'post' | 'settled'> {
  /** Open, without an answer. */
  readonly open: boolean;
  /** Its DIV or claim was changed or removed since. */
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
interface Neighbour {
  readonly slug: string;
  readonly title: string;
}

interface Series {
  readonly name: string | null;
  readonly position: number | null;
  readonly of: number | null;
  readonly prev: Neighbour | undefined;
  readonly next: Neighbour | undefined;
}

interface LogPlace {
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
  /** What stands open against the article and its claims. */
  readonly contests: ArticleContests;
  /** Open ones first, newest first, at most `contributionsMax`. */
  readonly posts: readonly ShownPost[];
  readonly postCount: number;
  /** Newest first. */
  readonly votes: readonly VoteRow[];
  readonly series: Series | undefined;
  /** Log place of the newest provenance entry; null until integrated. */
  readonly place: LogPlace | null;
}

const contributionsMax = 50;

export async function viewArticle(context: ReadContext, access: ArticleAccess): Promise<ArticleView> {
  const { read } = context;
  const { aid } = access;
  const [state, provenance, contributions, resolutions, mirror, posts, votes] = await Promise.all([
    loadArticle(context, aid),
    read.chain(articleChain(aid, 'provenance')),
    read.list(contributionTable, aid, { limit: contributionsMax, reverse: true }),
    read.rows(resolutionTable, aid),
    read.row(mirrorTable, aid),
    read.rows(postTable, aid),
    read.rows(voteTable, aid),
  ]);
  const older = await olderAccepted(context, aid, contributions);
  const newest = provenance[provenance.length - 1];
  const shown = [...posts.values()].map(({ n, post, settled }) => ({
    n,
    post,
    settled,
    open: isOpen({ post, settled }),
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
    contests: await readContests(context, aid),
    posts: shown.sort((a, b) => Number(b.open) - Number(a.open) || b.n - a.n).slice(0, contributionsMax),
    postCount: posts.size,
    votes: [...votes.values()].sort((a, b) => (a.vote.ts < b.vote.ts ? 1 : -1)),
    series: await seriesOf(context, state),
    place: newest === undefined ? null : await logPlace(context, newest.seq),
  };
}

function deedOf(event: StoredEvent, publishedRev: number | null): Deed {
  const entry = JSON.parse(event.text) as Entry;
  const change = provenanceContent(event)?.change;
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

function entryHash(event: StoredEvent): string {
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

async function logPlace(context: ReadContext, seq: number): Promise<LogPlace | null> {
  const { read } = context;
  const index = await read.indexOf(seq);
  const checkpoint = await checkpointFor(context, index);
  if (index === null || checkpoint === null || index >= checkpoint.size) return null;
  const hashes = await read.inclusion(index, checkpoint.size);
  return { index, size: checkpoint.size, proof: formatProof({ index, hashes, checkpoint: checkpoint.note }) };
}

export interface DivEntryView {
  readonly n: number;
  readonly ts: string;
  readonly op: string;
  readonly actor: string;
  readonly textSha: string;
  readonly prev: string;
  readonly hash: string;
  readonly receipt: string | null;
  /** The entry's text; absent if it has none or is redacted. */
  readonly text?: string;
  readonly scrubbed: boolean;
}

export interface DivView {
  readonly state: ArticleState;
  readonly div: DivRow;
  /** Oldest first. */
  readonly entries: readonly DivEntryView[];
  /** The DIV that absorbed it, or why it was burned. */
  readonly left: { readonly into: string | null; readonly reason: string | null } | undefined;
}

/** A DIV by id, current or not; undefined if none was ever visible. */
export async function viewDiv(
  context: ReadContext,
  access: ArticleAccess,
  divId: string,
): Promise<DivView | undefined> {
  const { read } = context;
  const state = await loadArticle(context, access.aid);
  const div = state.divs.get(divId);
  if (div === undefined) return undefined;
  const [chain, publicFrom] = await Promise.all([
    read.chain(divChain(access.aid, divId)),
    publicFromSeq(context, state.row),
  ]);
  const last = chain[chain.length - 1];
  if (div.status !== 'current' && last !== undefined && last.seq < publicFrom) return undefined;
  const left =
    div.status === 'current' || last === undefined ? undefined : await howItLeft(context, access.aid, last);
  return {
    state,
    div,
    left,
    entries: chain.map((event, i) => divEntryView(event, (chain[i + 1]?.seq ?? Infinity) >= publicFrom)),
  };
}

/** The provenance entry of the same call has the reason. */
async function howItLeft(context: ReadContext, aid: string, last: StoredEvent): Promise<DivView['left']> {
  const ending = JSON.parse(last.text) as Entry;
  const provenance = await context.read.chain(articleChain(aid, 'provenance'));
  const event = provenance.find(({ text }) => (JSON.parse(text) as Entry)['inv'] === ending['inv']);
  const change = event && provenanceContent(event)?.change;
  return {
    into: ending['op'] === 'absorb' ? (change?.of?.[0] ?? null) : null,
    reason: change?.reason ?? null,
  };
}

function divEntryView(event: StoredEvent, isPublic: boolean): DivEntryView {
  const entry = JSON.parse(event.text) as Entry;
  const content = event.contents.find((each) => each.field === 'text_sha');
  const text = contentText(content);
  return {
    n: entry.n,
    ts: entry.ts,
    op: String(entry['op']),
    actor: entry.actor,
    textSha: String(entry['text_sha']),
    prev: entry.prev,
    hash: entryHash(event),
    receipt: typeof entry['inv'] === 'string' ? entry['inv'] : null,
    ...(isPublic && text !== null ? { text } : {}),
    scrubbed: content?.body === null,
  };
}
