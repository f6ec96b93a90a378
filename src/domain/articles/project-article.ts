/**
 * How the entries of an article's chains become rows: live in the act that appended them, and again in every
 * rebuild. Nothing here parses Markdown, judges or divides; what was decided stands in the events.
 */
import type { Event, Projection } from '../../engine/act.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { headOf } from '../../ledger/entry.ts';
import { parseArticleChain } from './chains.ts';
import { kindOfDeed, putActivity } from './activity.ts';
import type { Change, DivLayout } from './events.ts';
import { linkCheckAction } from './link-checks.ts';
import { projectMentions } from './mentions.ts';
import { sameSource } from './same-source.ts';
import {
  articleIndexTable,
  articleRecentTable,
  articleTable,
  claimTable,
  divTable,
  kindOf,
  recentPlace,
  revisionTable,
  slugPath,
  slugTable,
  sourceTable,
  type ArticleRow,
  type DivRow,
} from './tables.ts';
import { traversalOf } from './traversal.ts';
import type { Energy, Spent } from '../../model/history.ts';
import type { DivStatus } from '../../model/vocabulary.ts';
import type { ArticleMeta } from '../../model/article.ts';
import type { Source } from '../../model/source.ts';

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

/** An article may have more parts than a call takes arguments, so that they are compared one after another. */
function largestOf<T>(least: number, items: readonly T[] = [], number: (item: T) => number): number {
  return items.reduce((largest, item) => Math.max(largest, number(item)), least);
}

function projectProvenance(event: Event, aid: string, to: Projection): void {
  const { entry, hash } = event.sealed;
  const content = event.contents['content_sha'] as (Spent & { readonly change: Change }) | undefined;
  const change: Change = content?.change ?? {};
  const known = to.row(articleTable, aid);
  const before = known ?? created(aid, change, entry.ts);
  const rev = typeof entry['rev'] === 'number' ? entry['rev'] : before.version;
  // A look at its sources is no work on the article; a question is, and changes nothing in it.
  const looked = entry['action'] === linkCheckAction;
  const unchanged = looked || entry['action'] === 'ask';
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
    energy: content === undefined || looked ? before.energy : spend(before.energy, content),
    heads: { ...before.heads, provenance: headOf(event.sealed) },
    divs_made: largestOf(Math.max(before.divs_made, change.divs_numbered ?? 0), change.made, ({ div_id }) =>
      Number(div_id.slice(1)),
    ),
    claims_made: largestOf(before.claims_made, change.claims, (claim) => claim.n),
    sources_made: before.sources_made + (change.sources_made ?? 0),
    updated_at: unchanged ? before.updated_at : entry.ts,
  };
  to.put(articleTable, row);
  if (change.created !== undefined) to.put(slugTable, { path: slugPath(row.tenant, row.slug), aid });
  for (const layout of change.made ?? []) to.put(divTable, newDiv(aid, layout));
  for (const layout of change.laid ?? []) {
    const div = to.row(divTable, aid, layout.div_id);
    if (div !== undefined) to.put(divTable, { ...div, ...layout });
  }
  for (const { n, plain, claim } of change.claims ?? []) {
    projectMentions(aid, claim.id, to.row(claimTable, aid, claim.id)?.claim.text ?? '', claim.text, to);
    to.put(claimTable, { aid, claim_id: claim.id, n, plain, claim });
  }
  const kind =
    status === 'published' && known?.status !== 'published'
      ? 'published'
      : kindOfDeed(String(entry['action']), typeof entry['rev'] === 'number');
  if (kind !== undefined) putActivity(event, aid, kind, to);
  list(before, row, to);
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

/** The article's line in both lists; the one by time leaves its old place. */
function list(before: ArticleRow, row: ArticleRow, to: Projection): void {
  const { tenant, slug, aid, title, status, version, created_at, updated_at, posted_at, meta } = row;
  const line = {
    tenant,
    slug,
    aid,
    title,
    status,
    version,
    created_at,
    updated_at,
    posted_at,
    category: meta.category,
    tags: meta.tags,
    register: meta.register,
    kind: kindOf(meta),
    home: meta.home ? 1 : 0,
    ...placeInSeries(meta),
  };
  to.put(articleIndexTable, line);
  if (before.updated_at !== updated_at && before.updated_at !== '')
    to.remove(articleRecentTable, tenant, recentPlace(before));
  to.put(articleRecentTable, { ...line, at: recentPlace(row) });
}

function placeInSeries(meta: ArticleMeta) {
  const place = traversalOf(meta);
  return { series: place?.series ?? null, position: place?.position ?? null };
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
    updated_at: '',
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
function newDiv(aid: string, { div_id, pos, kind, level, title, sep }: DivLayout): DivRow {
  const head = { n: -1, hash: 'genesis', ts: '' };
  return { aid, div_id, pos, kind, level, title, text: '', sep, status: 'current', vx_hash: '', head };
}

const endings: Readonly<Record<string, DivStatus>> = { absorb: 'consolidated', burn: 'burned' };

function projectDiv(event: Event, aid: string, divId: string, to: Projection): void {
  const div = to.row(divTable, aid, divId);
  if (div === undefined) throw new Error(`${aid} has no DIV ${divId}`);
  const { entry } = event.sealed;
  const text = event.contents['text_sha'];
  const op = String(entry['op']);
  // Named one by one: a spread of a row cost as much as everything else that is done for a DIV here.
  const { div_id, pos, kind, level, title, sep } = div;
  const status = endings[op] ?? 'current';
  const after = typeof text === 'string' ? text : div.text;
  projectMentions(
    aid,
    div_id,
    div.status === 'current' ? div.text : '',
    status === 'current' ? after : '',
    to,
  );
  to.put(divTable, {
    aid,
    div_id,
    pos,
    kind,
    level,
    title,
    text: after,
    sep,
    status,
    vx_hash: hashOf(event, div),
    head: headOf(event.sealed),
  });
}

/** Operations that leave a text as it is name its hash again; the text may have been scrubbed since. */
const keepsText: ReadonlySet<unknown> = new Set(['move', 'absorb', 'burn']);

/** The hash of the text that stands, as the entry commits to it; of a replacement, its own. */
function hashOf(event: Event, div: DivRow): string {
  const { entry } = event.sealed;
  const text = event.contents['text_sha'];
  if (typeof text === 'string' && event.replaced?.includes('text_sha') === true) return sha256Hex(text);
  return keepsText.has(entry['op']) ? div.vx_hash : String(entry['text_sha']);
}

function projectSource(event: Event, aid: string, to: Projection): void {
  const article = to.row(articleTable, aid);
  if (article === undefined) throw new Error(`there is no article ${aid}`);
  to.put(articleTable, { ...article, heads: { ...article.heads, sources: headOf(event.sealed) } });
  const source = event.contents['content_sha'] as Source | undefined;
  if (source === undefined) return;
  const { entry, hash } = event.sealed;
  projectMentions(aid, source.id, '', source.url, to);
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
