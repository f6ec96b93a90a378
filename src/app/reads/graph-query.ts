/**
 * `/api/v1/query` (spec §4.3, contract §7): objects of one kind from named or all articles, filtered, ordered, paged.
 * Claims and invocations are selected by the store; other kinds are filtered in memory.
 */
import { conformanceEventTable, conformancePlace } from '../../domain/capabilities/conformance.ts';
import type { ArticleAccess } from './article-access.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import { links } from '../../domain/links.ts';
import { claimFactTable, type ClaimFact } from '../../domain/query/claim-facts.ts';
import { evaluate, cursorOf, type Cursor, type Row } from '../../domain/query/evaluate.ts';
import type { QueryKind } from '../../model/query-fields.ts';
import type { Filter, Order } from '../../domain/query/grammar.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { namedArticles, publishedArticles } from './article-set.ts';
import { namedMax, nextUrl, parseQuery, type QueryRequest } from './query-request.ts';
import { pick, valuesOf } from './query-values.ts';
import type { ReadContext } from '../read-context.ts';

/** Maximum number of articles of `from=*` for kinds that the store selects. */
const allMax = 10_000;
/** Maximum number of articles for other kinds. */
const loadedMax = 200;

interface Asked {
  readonly kind: QueryKind;
  readonly filters: readonly Filter[];
  readonly order: Order | undefined;
  readonly after: Cursor | undefined;
  readonly limit: number;
}

export async function graphQuery(
  context: ReadContext,
  tenant: string,
  viewer: Credential,
  request: QueryRequest,
): Promise<JsonObject | Fault> {
  const parsed = parseQuery(request);
  if (isFault(parsed)) return parsed;
  const { kind, filters, order, shown, after } = parsed;
  const articles = await articlesOf(context, tenant, viewer, request.from ?? '', kind);
  if (isFault(articles)) return articles;
  const asked = { kind, filters, order, after, limit: request.limit };
  const found = await (kind === 'claim' ? claims : kind === 'invocation' ? invocations : others)(
    context,
    articles,
    asked,
  );
  const page = found.slice(0, request.limit);
  const last = found.length > request.limit ? page.at(-1) : undefined;
  return {
    kind,
    count: page.length,
    rows: page.map(({ value }) => (shown === undefined ? value : pick(value, shown))),
    next: last === undefined ? null : nextUrl(context.base, request, last.place),
  };
}

interface Found {
  readonly value: JsonObject;
  readonly place: Cursor;
}

async function articlesOf(
  context: ReadContext,
  tenant: string,
  viewer: Credential,
  from: string,
  kind: QueryKind,
): Promise<readonly ArticleAccess[] | Fault> {
  if (from !== '*') return namedArticles(context, tenant, viewer, 'from', from, namedMax);
  const most = kind === 'claim' || kind === 'article' || kind === 'invocation' ? allMax : loadedMax;
  return (
    (await publishedArticles(context, tenant, most)) ??
    fault('invalid_request', `from=* reaches at most ${most} articles for this kind.`, 'Name the articles.', {
      parameter: 'from',
    })
  );
}

// Claims

async function claims(
  context: ReadContext,
  articles: readonly ArticleAccess[],
  asked: Asked,
): Promise<readonly Found[]> {
  const slugs = new Map(articles.map(({ aid, slug }) => [aid, slug]));
  const { order, after, filters } = asked;
  if (slugs.size === 0) return [];
  const rows = await context.read.select(claimFactTable, {
    ids: [...slugs.keys()],
    where: filters.map(({ field, op, value }) =>
      op === '~'
        ? ({ column: 'folded', op: 'contains', value: String(value).toLowerCase() } as const)
        : { column: field, op, value },
    ),
    order: order?.field ?? 'aid',
    reverse: order?.reverse ?? false,
    after: after === undefined ? undefined : order === undefined ? [after[1], after[1], after[2]] : after,
    limit: asked.limit + 1,
  });
  return rows.map((row) => {
    const slug = slugs.get(row.aid) as string;
    return {
      value: claimRow(row, slug, context.base),
      place: [order === undefined ? '' : row[order.field as 'tier'], row.aid, row.n],
    };
  });
}

function claimRow(
  { aid: _aid, n: _n, folded: _folded, ...fact }: ClaimFact,
  slug: string,
  base: string,
): JsonObject {
  return { kind: 'claim', slug, ...fact, permalink: links.claim(base, slug, fact.id) };
}

// Invocations

/** Public facts of invocations on an article, without request and response. Newest first. */
async function invocations(
  context: ReadContext,
  articles: readonly ArticleAccess[],
  asked: Asked,
): Promise<readonly Found[]> {
  const slugs = new Map(
    articles.flatMap(({ aid, slug }) =>
      (['success', 'failure'] as const).map((outcome) => [conformancePlace(aid, outcome), slug] as const),
    ),
  );
  const { order, after, filters } = asked;
  if (slugs.size === 0) return [];
  const column = (field: string): string => (field === 'id' ? 'inv' : field);
  const rows = await context.read.select(conformanceEventTable, {
    ids: [...slugs.keys()],
    where: filters.map(({ field, op, value }) => ({ column: column(field), op: exact(op), value })),
    order: order === undefined ? 'seq' : column(order.field),
    reverse: order?.reverse ?? true,
    after: after === undefined ? undefined : order === undefined ? [after[2], after[1], after[2]] : after,
    limit: asked.limit + 1,
  });
  return rows.map((row) => ({
    value: {
      kind: 'invocation',
      slug: slugs.get(row.place) as string,
      id: row.inv,
      key: row.key,
      status: row.status,
      actor: row.actor,
      ts: row.ts,
      permalink: links.receipt(context.base, row.inv),
    },
    place: [order === undefined ? '' : row[column(order.field) as 'inv'], row.place, row.seq],
  }));
}

/** The grammar has no infix search. */
function exact(op: Filter['op']): Exclude<Filter['op'], '~'> {
  if (op === '~') throw new Error('an invocation has no text to search');
  return op;
}

// Everything else

async function others(
  context: ReadContext,
  articles: readonly ArticleAccess[],
  asked: Asked,
): Promise<readonly Found[]> {
  const rows: Row[] = [];
  for (const seen of articles) {
    const values = await valuesOf(context, seen, asked.kind);
    for (const [n, value] of values.entries())
      rows.push({ key: [seen.slug, n], value: { kind: asked.kind, slug: seen.slug, ...value } });
  }
  return evaluate(rows, asked.filters, asked.order, asked.after, asked.limit + 1).map((row) => ({
    value: row.value,
    place: cursorOf(row, asked.order),
  }));
}
