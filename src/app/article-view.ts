/**
 * What the pages of an article show beside its state (contract §8): who wrote what and when, the newest
 * contributions, the history of one DIV, and the proof that the newest entry stands in the log. Texts that
 * were replaced or removed before the article was first published stay with the tenant's keys (contract §5).
 */
import { articleChain, divChain } from '../domain/articles/chains.ts';
import type { Change } from '../domain/articles/events.ts';
import type { ArticleState } from '../domain/articles/state.ts';
import { revisionTable, type ArticleRow, type DivRow } from '../domain/articles/tables.ts';
import { contributionTable, mirrorTable, type ContributionRow } from '../domain/mirror/contribute.ts';
import type { StoredEvent } from '../engine/act.ts';
import { leafHash, type Entry } from '../ledger/entry.ts';
import { formatProof } from '../ledger/proof.ts';
import { loadArticle, type Seen } from './articles.ts';
import type { Service } from './service.ts';

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
  readonly hash: string;
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
  /** Newest first, at most `contributionsMax`. */
  readonly contributions: readonly ContributionRow[];
  readonly contributionCount: number;
  readonly mirrorHead: string;
  /** Where the newest provenance entry stands; null until the log has integrated it. */
  readonly place: LogPlace | null;
}

export const contributionsMax = 50;

export async function viewArticle(service: Service, seen: Seen): Promise<ArticleView> {
  const { read } = service.store;
  const [state, provenance, contributions, mirror] = await Promise.all([
    loadArticle(service, seen.aid),
    read.chain(articleChain(seen.aid, 'provenance')),
    read.list(contributionTable, seen.aid, { limit: contributionsMax, reverse: true }),
    read.row(mirrorTable, seen.aid),
  ]);
  const newest = provenance[provenance.length - 1];
  return {
    state,
    deeds: provenance.map(deedOf),
    contributions,
    contributionCount: mirror?.count ?? 0,
    mirrorHead: mirror?.head?.hash ?? 'genesis',
    place: newest === undefined ? null : await placeOf(service, newest.seq),
  };
}

function deedOf(event: StoredEvent): Deed {
  const entry = JSON.parse(event.text) as Entry;
  const body = event.contents.find((each) => each.field === 'content_sha')?.body;
  const change = body == null ? undefined : (JSON.parse(body) as { readonly change?: Change }).change;
  return {
    n: entry.n,
    ts: entry.ts,
    actor: entry.actor,
    action: String(entry['action']),
    rev: typeof entry['rev'] === 'number' ? entry['rev'] : null,
    receipt: typeof entry['inv'] === 'string' ? entry['inv'] : null,
    of: change?.of ?? [],
    made: change?.made?.length ?? 0,
    hash: hashOf(event),
  };
}

function hashOf(event: StoredEvent): string {
  return Buffer.from(leafHash(event.text)).toString('hex');
}

async function placeOf(service: Service, seq: number): Promise<LogPlace | null> {
  const { read } = service.store;
  const [index, checkpoint] = await Promise.all([read.indexOf(seq), read.checkpoint()]);
  if (index === null || checkpoint === null || index >= checkpoint.size) return null;
  const hashes = await read.inclusion(index, checkpoint.size);
  return { index, size: checkpoint.size, proof: formatProof({ index, hashes, checkpoint: checkpoint.note }) };
}

// One DIV

export interface DivEntryView {
  readonly n: number;
  readonly ts: string;
  readonly op: string;
  readonly actor: string;
  readonly textSha: string;
  readonly prev: string;
  readonly hash: string;
  readonly receipt: string | null;
  /** The text that the entry brought; absent where it brought none or where it is not public. */
  readonly text?: string;
  readonly scrubbed: boolean;
}

export interface DivView {
  readonly state: ArticleState;
  readonly div: DivRow;
  /** Oldest first. */
  readonly entries: readonly DivEntryView[];
}

/** A DIV by its id, current or not; nothing where the article has none that was ever public. */
export async function viewDiv(service: Service, seen: Seen, divId: string): Promise<DivView | undefined> {
  const { read } = service.store;
  const state = await loadArticle(service, seen.aid);
  const div = state.divs.get(divId);
  if (div === undefined) return undefined;
  const [chain, publicFrom] = await Promise.all([read.chain(divChain(seen.aid, divId)), publicFromSeq(service, state.row)]);
  const last = chain[chain.length - 1];
  if (div.status !== 'current' && last !== undefined && last.seq < publicFrom) return undefined;
  return { state, div, entries: chain.map((event, i) => divEntryView(event, (chain[i + 1]?.seq ?? Infinity) >= publicFrom)) };
}

function divEntryView(event: StoredEvent, isPublic: boolean): DivEntryView {
  const entry = JSON.parse(event.text) as Entry;
  const content = event.contents.find((each) => each.field === 'text_sha');
  return {
    n: entry.n,
    ts: entry.ts,
    op: String(entry['op']),
    actor: entry.actor,
    textSha: String(entry['text_sha']),
    prev: entry.prev,
    hash: hashOf(event),
    receipt: typeof entry['inv'] === 'string' ? entry['inv'] : null,
    ...(isPublic && content?.body != null ? { text: content.body } : {}),
    scrubbed: content?.body === null,
  };
}

/** The first entry of the first revision that was public. */
async function publicFromSeq(service: Service, row: ArticleRow): Promise<number> {
  if (row.published_rev === null) return Infinity;
  if (row.published_rev === 1) return 0;
  const revision = await service.store.read.row(revisionTable, row.aid, row.published_rev);
  return revision?.seq ?? Infinity;
}
