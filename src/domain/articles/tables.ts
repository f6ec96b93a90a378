/**
 * What an article is made of, as projections of its chains (spec §2.1–2.5, contract §5). One aggregate
 * holds what a write to the article decides upon: its head row, DIVs, claims and sources. Everything here
 * is derived from the ledger and can be made again.
 */
import { integer, json, nullable, table, text, type RowOf } from '../../engine/tables.ts';
import type { Head } from '../../ledger/entry.ts';
import type { ArticleMeta } from '../../model/article.ts';
import type { Claim } from '../../model/claim.ts';
import type { Energy } from '../../model/history.ts';
import type { Source } from '../../model/source.ts';
import type { ArticleStatus, DivStatus } from '../../model/vocabulary.ts';

/** The newest entries of the chains that belong to the article as a whole; null while a chain is empty. */
export interface ArticleHeads {
  readonly provenance: Head | null;
  readonly sources: Head | null;
}

export const articleTable = table('article', {
  key: { aid: text() },
  columns: {
    tenant: text(),
    slug: text(),
    title: text(),
    status: text<ArticleStatus>(),
    version: integer(),
    /** First revision that was public; earlier ones stay with the tenant's keys. Null while never published. */
    published_rev: nullable(integer()),
    lead: text(),
    meta: json<ArticleMeta>(),
    energy: json<Energy>(),
    heads: json<ArticleHeads>(),
    /** The highest numbers ever given out, so that no id is used twice. */
    divs_made: integer(),
    claims_made: integer(),
    sources_made: integer(),
    created_at: text(),
    updated_at: text(),
    posted_at: nullable(text()),
  },
  aggregate: 'article',
});

export const divTable = table('div', {
  key: { aid: text(), div_id: text() },
  columns: {
    /** Place among the article's DIVs: only comparisons mean anything. */
    pos: integer(),
    kind: text(),
    level: integer(),
    title: text(),
    text: text(),
    sep: text(),
    status: text<DivStatus>(),
    vx_hash: text(),
    head: json<Head>(),
  },
  aggregate: 'article',
});

export const claimTable = table('claim', {
  key: { aid: text(), claim_id: text() },
  columns: {
    n: integer(),
    /** Normalised wording, for duplicates. */
    plain: text(),
    claim: json<Claim>(),
  },
  aggregate: 'article',
});

export const sourceTable = table('source', {
  key: { aid: text(), source_id: text() },
  columns: {
    n: integer(),
    /** Canonical URL and normalised quote, for duplicates. */
    same_as: text(),
    source: json<Source>(),
    prev: text(),
    hash: text(),
    seq: integer(),
  },
  aggregate: 'article',
});

export const slugTable = table('slug', {
  key: { path: text() },
  columns: { aid: text() },
  aggregate: 'slug',
  compact: true,
});

/** What a list shows of an article, and what it can be filtered by. */
const listed = {
  aid: text(),
  title: text(),
  status: text<ArticleStatus>(),
  version: integer(),
  created_at: text(),
  updated_at: text(),
  posted_at: nullable(text()),
  category: nullable(text()),
  tags: json<readonly string[]>(),
  register: text(),
  kind: text(),
  home: integer(),
  /** The series that it is a part of, and its place there. */
  series: nullable(text()),
  position: nullable(integer()),
};

/** One line an article, for lists by slug. */
export const articleIndexTable = table('article_index', {
  key: { tenant: text(), slug: text() },
  columns: listed,
});

/** The same lines by the time of their last change; `at` is `<updated_at> <slug>`. */
export const articleRecentTable = table('article_recent', {
  key: { tenant: text(), at: text() },
  columns: { slug: text(), ...listed },
});

/** One line a revision: which entry made it. The content is replayed from the chains. */
export const revisionTable = table('revision', {
  key: { aid: text(), rev: integer() },
  columns: {
    seq: integer(),
    ts: text(),
    actor: text(),
    action: text(),
    prev: text(),
    hash: text(),
    public: integer(),
  },
  compact: true,
});

export const articleTables = [
  articleTable,
  divTable,
  claimTable,
  sourceTable,
  slugTable,
  articleIndexTable,
  articleRecentTable,
  revisionTable,
];

export type ArticleRow = RowOf<typeof articleTable>;
export type DivRow = RowOf<typeof divTable>;
export type ClaimRow = RowOf<typeof claimTable>;
export type SourceRow = RowOf<typeof sourceTable>;

export type ArticleIndexRow = RowOf<typeof articleIndexTable>;
export type RevisionRow = RowOf<typeof revisionTable>;

/** The key of a slug inside a workspace. */
export function slugPath(tenant: string, slug: string): string {
  return `${tenant}/${slug}`;
}

/** Where an article stands in the list by time. */
export function recentPlace({ updated_at: at, slug }: Pick<ArticleRow, 'updated_at' | 'slug'>): string {
  return `${at} ${slug}`;
}

/** What kind of article its metadata call it (`extra.kind`); an article like any other where they don't. */
export function kindOf({ extra }: Pick<ArticleMeta, 'extra'>): string {
  const { kind } = extra;
  return typeof kind === 'string' && /^[a-z][a-z0-9_-]{0,59}$/.test(kind) ? kind : 'article';
}
