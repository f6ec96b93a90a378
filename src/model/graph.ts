/** Reads over several articles: the graph, the query, the vault and search (spec §4.3, contract §5, §7). */
import Type, { type TProperties } from 'typebox';
import type { JsonObject } from '../kernel/json-value.ts';
import type { Of } from './exact.ts';
import { Contested } from './contested.ts';
import { queryFields, type Fields } from './query-fields.ts';
import { count, flag, hash, list, oneOf, orNull, pair, read, shape, slug, text, url } from './parts.ts';
import { layers } from './vocabulary.ts';

const plain = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]);
type Plain = string | number | boolean | null;

/** What more a layer says of a node or an edge depends on its kind; all of it is plain. */
const saying = <P extends TProperties>(members: P) =>
  Type.Unsafe<{ readonly [K in keyof P]: string } & { readonly [more: string]: Plain }>(
    Type.Object(members, { additionalProperties: plain }),
  );

/** `id` is `kind:slug/id`, unique in the graph. */
export const graphNode = saying({ id: text, kind: text, label: text, url });
export const graphEdge = saying({ from: text, rel: text, to: text });

const totals = shape({
  landed: count,
  tokens: Type.Number({ minimum: 0 }),
  cost_usd: Type.Number({ minimum: 0 }),
  tokens_per_object: orNull(Type.Number({ minimum: 0 })),
  cost_usd_per_object: orNull(Type.Number({ minimum: 0 })),
});
export type GraphTotals = Of<typeof totals>;

export type GraphNode = Of<typeof graphNode>;
export type GraphEdge = Of<typeof graphEdge>;

export const Graph = read({
  layer: oneOf(layers),
  slugs: list(slug),
  count: shape({ nodes: count, edges: count }),
  /** On all pages. */
  total: shape({ nodes: count, edges: count }),
  nodes: list(graphNode),
  edges: list(graphEdge),
  totals: Type.Optional(totals),
  next: orNull(url),
});

/** A row of one kind; the query's `fields` may have asked for some of its members only. */
function rowOf(fields: Fields) {
  const members: Record<string, Type.TSchema> = {};
  for (const [name, type] of Object.entries(fields))
    members[name] = Type.Optional(orNull(type === 'number' ? Type.Number() : text));
  return shape({
    ...members,
    kind: Type.Optional(text),
    slug: Type.Optional(slug),
    permalink: Type.Optional(url),
  });
}

export const Query = read({
  kind: oneOf(Object.keys(queryFields)),
  count,
  rows: list(Type.Unsafe<JsonObject>(Type.Union(Object.values(queryFields).map(rowOf)))),
  next: orNull(url),
});

export const Vault = read({
  vault_version: Type.Literal(1),
  slugs: list(slug),
  count,
  files: list(shape({ path: text, bytes: count, sha256: hash, content: text })),
  zip: url,
});

export const searchKinds = ['article', 'div', 'claim', 'source', 'discourse'] as const;
export type SearchKind = (typeof searchKinds)[number];
const found = shape({
  kind: oneOf(searchKinds),
  /** A slug, a DIV, claim or source id, or the id of a post. */
  id: text,
  article: slug,
  url,
  title: text,
  /** Titles of the headings that it stands under, outermost first. */
  heading_path: list(text),
  status: text,
  /** What stands open against it; of claims alone. */
  contested: Type.Optional(Contested),
  /** Plain words; `marks` are `[start, end]` of the searched words in them, in UTF-16 code units. */
  snippet: text,
  marks: list(pair(count)),
});
export type SearchResult = Of<typeof found>;

/** How much was found on all pages, of every kind. */
const searchTotals = shape({
  all: count,
  article: count,
  div: count,
  claim: count,
  source: count,
  discourse: count,
  /** Articles that any of it is in. */
  articles: count,
  /** False where there may be more: a search looks at 2,000 documents. */
  complete: flag,
});
export type SearchTotals = Of<typeof searchTotals>;

const searchedArticle = shape({
  slug,
  title: text,
  status: text,
  url,
  /** Everything that was found in it; `results` has three, and its title if that was found. */
  hits: count,
});
export type SearchedArticle = Of<typeof searchedArticle>;

export const Search = read({
  count,
  results: list(found),
  /** With `group=article`: the articles of the results, in their order. */
  articles: Type.Optional(list(searchedArticle)),
  totals: searchTotals,
  /** The same search with near words in place of those that nothing contains. */
  did_you_mean: orNull(shape({ q: text, url })),
  next: orNull(url),
  behind: count,
});
