/**
 * The entries that article writes leave, and how they become rows. Every write is one provenance entry
 * (what changed) and, where a DIV or a source is touched, an entry on that thing's own chain (contract §1.5).
 * Events record boundaries, kinds and weights as they were decided, so that replaying never parses Markdown.
 */
import type { Event, EventDraft, Projection } from '../../engine/act.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import type { Draft, Head } from '../../ledger/entry.ts';
import type { Context } from '../context.ts';
import { articleChain, divChain, parseArticleChain } from './chains.ts';
import type { ArticleState } from './state.ts';
import {
  articleIndexTable,
  articleTable,
  claimTable,
  divTable,
  revisionTable,
  slugPath,
  slugTable,
  sourceTable,
  type ArticleMeta,
  type ArticleRow,
  type Claim,
  type DivRow,
  type Energy,
  type Source,
} from './tables.ts';

/** How a DIV stands in its article, apart from its text. */
export interface DivLayout {
  readonly div_id: string;
  readonly pos: number;
  readonly kind: string;
  readonly level: number;
  readonly title: string;
  readonly sep: string;
}

/** What a provenance entry's content says has changed. Absent members did not. */
export interface Change {
  readonly created?: { readonly tenant: string; readonly slug: string; readonly lead: string };
  readonly title?: string;
  readonly status?: string;
  readonly meta?: ArticleMeta;
  /** DIVs made by this write. */
  readonly made?: readonly DivLayout[];
  /** Layouts that changed; each has its whole new layout. */
  readonly laid?: readonly DivLayout[];
  /** Claims made or made anew, whole. */
  readonly claims?: readonly { readonly n: number; readonly plain: string; readonly claim: Claim }[];
  readonly sources_made?: number;
  readonly reason?: string;
  /** Where an imported article came from. */
  readonly imported?: JsonObject;
  /** Ids of the objects that the write was about, for a reader of the chain. */
  readonly of?: readonly string[];
}

export interface Spent {
  readonly model: string | null;
  readonly prompt: string | null;
  readonly input: string | null;
  readonly response: string | null;
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly cost: number;
}

export const nothingSpent: Spent = {
  model: null,
  prompt: null,
  input: null,
  response: null,
  tokens_in: 0,
  tokens_out: 0,
  cost: 0,
};

/** One provenance entry. Writes that change body, claims, sources or metadata pass the revision they make. */
export function provenance(
  aid: string,
  head: Head | null,
  context: Context,
  action: string,
  rev: number | null,
  change: Change,
  spent: Partial<Spent> = {},
): EventDraft {
  const draft: Draft = {
    chain: articleChain(aid, 'provenance'),
    ts: context.now,
    actor: context.actor,
    action,
    inv: context.inv,
    ...(rev === null ? {} : { rev }),
  };
  const content = { ...nothingSpent, ...spent, change };
  return { draft, head, contents: [{ field: 'content_sha', value: content as unknown as JsonValue }] };
}

/** One entry of a DIV's own chain. `text` is given where it is new; `text_sha` commits to it either way. */
export function divEntry(
  aid: string,
  divId: string,
  head: Head | null,
  context: Context,
  op: string,
  content: { readonly text: string } | { readonly text_sha: string },
): EventDraft {
  const draft = { chain: divChain(aid, divId), ts: context.now, actor: context.actor, op, inv: context.inv };
  if ('text' in content)
    return { draft, head, contents: [{ field: 'text_sha', value: content.text, plain: true }] };
  return { draft: { ...draft, text_sha: content.text_sha }, head };
}

export function sourceEntry(
  aid: string,
  head: Head | null | 'previous',
  context: Context,
  source: Source,
): EventDraft {
  const draft = {
    chain: articleChain(aid, 'sources'),
    ts: context.now,
    actor: context.actor,
    action: 'append',
    inv: context.inv,
  };
  return { draft, head, contents: [{ field: 'content_sha', value: source }] };
}

export function nextRev(article: ArticleState): number {
  return article.row.version + 1;
}

// Projecting

const noEnergy: Energy = { passes: 0, tokens_in: 0, tokens_out: 0, tokens_total: 0, cost_usd: 0, models: {} };
const noMeta: ArticleMeta = {
  hero: null,
  images: [],
  style: {},
  tags: [],
  category: null,
  model: null,
  embeds: [],
  widgets: [],
  home: false,
  register: 'standard',
  extra: {},
};

/** Turns one entry of an article's chains into rows; entries of other chains are none of its business. */
export function projectArticle(event: Event, to: Projection): void {
  const chain = parseArticleChain(event.sealed.entry.chain);
  if (chain === undefined) return;
  if (chain.of === 'provenance') projectProvenance(event, chain.aid, to);
  else if (chain.of === 'div') projectDiv(event, chain.aid, chain.div, to);
  else if (chain.of === 'sources') projectSource(event, chain.aid, to);
}

function headFrom(event: Event): Head {
  const { n, ts } = event.sealed.entry;
  return { n, hash: event.sealed.hash, ts };
}

function projectProvenance(event: Event, aid: string, to: Projection): void {
  const { entry, hash } = event.sealed;
  const content = event.contents['content_sha'] as unknown as
    (Spent & { readonly change: Change }) | undefined;
  const change: Change = content?.change ?? {};
  const before = to.row(articleTable, aid) ?? created(aid, change, entry.ts);
  const rev = typeof entry['rev'] === 'number' ? entry['rev'] : before.version;
  const status = change.status ?? before.status;
  const published = before.published_rev ?? (status === 'published' ? rev : null);
  const row: ArticleRow = {
    ...before,
    title: change.title ?? before.title,
    status,
    version: rev,
    published_rev: published,
    posted_at: before.posted_at ?? (published === null ? null : entry.ts),
    meta: change.meta ?? before.meta,
    energy: content === undefined ? before.energy : spend(before.energy, content),
    heads: { ...before.heads, provenance: headFrom(event) },
    divs_made: Math.max(
      before.divs_made,
      ...(change.made ?? []).map(({ div_id }) => Number(div_id.slice(1))),
    ),
    claims_made: Math.max(before.claims_made, ...(change.claims ?? []).map((claim) => claim.n)),
    sources_made: before.sources_made + (change.sources_made ?? 0),
    updated_at: entry.ts,
  };
  to.put(articleTable, row);
  if (change.created !== undefined) to.put(slugTable, { path: slugPath(row.tenant, row.slug), aid });
  for (const layout of change.made ?? []) to.put(divTable, newDiv(aid, layout));
  for (const layout of change.laid ?? []) {
    const div = to.row(divTable, aid, layout.div_id);
    if (div !== undefined) to.put(divTable, { ...div, ...layout });
  }
  for (const { n, plain, claim } of change.claims ?? [])
    to.put(claimTable, { aid, claim_id: claim.id, n, plain, claim });
  to.put(articleIndexTable, {
    tenant: row.tenant,
    slug: row.slug,
    aid,
    title: row.title,
    status: row.status,
    version: row.version,
    updated_at: row.updated_at,
    category: row.meta.category,
    tags: row.meta.tags,
  });
  if (typeof entry['rev'] === 'number') {
    to.put(revisionTable, {
      aid,
      rev,
      seq: event.seq,
      ts: entry.ts,
      actor: entry.actor,
      action: String(entry['action']),
      prev: entry.prev,
      hash,
      public: published === null ? 0 : 1,
    });
  }
}

function created(aid: string, change: Change, ts: string): ArticleRow {
  if (change.created === undefined) throw new Error(`the first entry of ${aid} creates nothing`);
  return {
    aid,
    tenant: change.created.tenant,
    slug: change.created.slug,
    title: change.title ?? change.created.slug,
    status: change.status ?? 'draft',
    version: 0,
    published_rev: null,
    lead: change.created.lead,
    meta: change.meta ?? noMeta,
    energy: noEnergy,
    heads: { provenance: null, sources: null },
    divs_made: 0,
    claims_made: 0,
    sources_made: 0,
    created_at: ts,
    updated_at: ts,
    posted_at: null,
  };
}

function spend(energy: Energy, spent: Spent): Energy {
  const model = spent.model;
  return {
    passes: energy.passes + 1,
    tokens_in: energy.tokens_in + spent.tokens_in,
    tokens_out: energy.tokens_out + spent.tokens_out,
    tokens_total: energy.tokens_total + spent.tokens_in + spent.tokens_out,
    cost_usd: energy.cost_usd + spent.cost,
    models: model === null ? energy.models : { ...energy.models, [model]: (energy.models[model] ?? 0) + 1 },
  };
}

/** A DIV whose layout is known; its text arrives with the next entry, on the DIV's own chain. */
function newDiv(aid: string, layout: DivLayout): DivRow {
  return {
    aid,
    ...layout,
    text: '',
    status: 'current',
    vx_hash: '',
    head: { n: -1, hash: 'genesis', ts: '' },
  };
}

const endings: Readonly<Record<string, string>> = { absorb: 'consolidated', burn: 'burned' };

function projectDiv(event: Event, aid: string, divId: string, to: Projection): void {
  const div = to.row(divTable, aid, divId);
  if (div === undefined) throw new Error(`${aid} has no DIV ${divId}`);
  const { entry } = event.sealed;
  const text = event.contents['text_sha'];
  to.put(divTable, {
    ...div,
    text: typeof text === 'string' ? text : div.text,
    vx_hash: String(entry['text_sha']),
    status: endings[String(entry['op'])] ?? 'current',
    head: headFrom(event),
  });
}

function projectSource(event: Event, aid: string, to: Projection): void {
  const article = to.row(articleTable, aid);
  if (article === undefined) throw new Error(`there is no article ${aid}`);
  to.put(articleTable, { ...article, heads: { ...article.heads, sources: headFrom(event) } });
  const source = event.contents['content_sha'] as unknown as Source | undefined;
  if (source === undefined) return;
  const { entry, hash } = event.sealed;
  to.put(sourceTable, {
    aid,
    source_id: source.id,
    n: entry.n,
    same_as: sameSource(source.url, source.quote),
    source,
    prev: entry.prev,
    hash,
    seq: event.seq,
  });
}

/** What makes two sources the same: canonical URL and normalised quote (contract §5). */
export function sameSource(url: string, quote: string): string {
  return `${canonicalUrl(url)}\n${quote.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim()}`;
}

const trackers = /^(utm_\w+|fbclid|gclid|mc_cid|mc_eid|ref_src)$/i;

/** Scheme and host in lower case, no fragment, no tracking parameters, sorted query, no final slash. */
export function canonicalUrl(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return url.trim();
  parsed.hash = '';
  for (const name of Array.from(parsed.searchParams.keys()))
    if (trackers.test(name)) parsed.searchParams.delete(name);
  parsed.searchParams.sort();
  if (parsed.protocol === 'http:') parsed.protocol = 'https:';
  return parsed.href.replace(/\/$/, '').replace(/\/\?/, '?');
}
