/**
 * `/api/v1/query` (spec §4.3, contract §7): objects of one kind from named or all articles, filtered, ordered, paged.
 * Claims and invocations are selected by the store; other kinds are filtered in memory.
 */
import { conformanceEventTable, conformancePlace } from '../../domain/capabilities/conformance.ts';
import type { ArticleAccess } from './article-access.ts';
import { links } from '../../domain/links.ts';
import { type ClaimFact, claimFactTable } from '../../domain/query/claim-facts.ts';
import { type Cursor, cursorOf, evaluate, type Row } from '../../domain/query/evaluate.ts';
import { type Fields, isQueryKind, queryFields, type QueryKind } from '../../model/query-fields.ts';
import { type Filter, type Order, parseFields, parseOrder, parseWhere } from '../../domain/query/grammar.ts';
import { type Fault, invalidParameter, isFault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { namedArticles, publishedArticles, slugsFault } from './article-set.ts';
import { pick, valuesOf } from './query-values.ts';
import type { CallerContext, ReadContext } from '../read-context.ts';
import { queryWords } from '../../domain/query/vocabulary.ts';
import { mergeRefusals } from '../../domain/violations.ts';
import { Query } from '../../model/graph.ts';
import { defineRead } from './define-read.ts';

/** Maximum number of articles of `from=*` for kinds that the store selects. */
const allMax = 10_000;
/** Maximum number of articles for other kinds. */
const loadedMax = 200;

interface Selection {
  readonly kind: QueryKind;
  readonly filters: readonly Filter[];
  readonly order: Order | undefined;
  readonly after: Cursor | undefined;
  readonly limit: number;
}

export const graphQuery = defineRead(Query, async (context: CallerContext, request: QueryRequest) => {
  const parsed = parseQuery(request);
  if (isFault(parsed)) return parsed;
  const { kind, filters, order, shown, after } = parsed;
  const articles = await articlesOf(context, request.from ?? '', kind);
  if (isFault(articles)) return articles;
  const selection = { kind, filters, order, after, limit: request.limit };
  const found = await (kind === 'claim' ? claims : kind === 'invocation' ? invocations : others)(
    context,
    articles,
    selection,
  );
  const page = found.slice(0, request.limit);
  const last = found.length > request.limit ? page.at(-1) : undefined;
  return {
    kind,
    count: page.length,
    rows: page.map(({ value }) => (shown === undefined ? value : pick(value, shown))),
    next: last === undefined ? null : nextUrl(context.base, request, last.place),
  };
});

interface Found {
  readonly value: JsonObject;
  readonly place: Cursor;
}

async function articlesOf(
  context: CallerContext,
  from: string,
  kind: QueryKind,
): Promise<readonly ArticleAccess[] | Fault> {
  if (from !== '*') return namedArticles(context, 'from', from, namedMax);
  const most = kind === 'claim' || kind === 'article' || kind === 'invocation' ? allMax : loadedMax;
  return (
    (await publishedArticles(context, most)) ??
    invalidParameter('from', `from=* reaches at most ${most} articles for this kind.`, 'Name the articles.')
  );
}

// Claims

async function claims(
  context: ReadContext,
  articles: readonly ArticleAccess[],
  selection: Selection,
): Promise<readonly Found[]> {
  const slugs = new Map(articles.map(({ aid, slug }) => [aid, slug]));
  const { order, after, filters } = selection;
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
    limit: selection.limit + 1,
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
  selection: Selection,
): Promise<readonly Found[]> {
  const slugs = new Map(
    articles.flatMap(({ aid, slug }) =>
      (['success', 'failure'] as const).map((outcome) => [conformancePlace(aid, outcome), slug] as const),
    ),
  );
  const { order, after, filters } = selection;
  if (slugs.size === 0) return [];
  const column = (field: string): string => (field === 'id' ? 'inv' : field);
  const rows = await context.read.select(conformanceEventTable, {
    ids: [...slugs.keys()],
    where: filters.map(({ field, op, value }) => ({ column: column(field), op: exact(op), value })),
    order: order === undefined ? 'seq' : column(order.field),
    reverse: order?.reverse ?? true,
    after: after === undefined ? undefined : order === undefined ? [after[2], after[1], after[2]] : after,
    limit: selection.limit + 1,
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
  selection: Selection,
): Promise<readonly Found[]> {
  const rows: Row[] = [];
  for (const access of articles) {
    const values = await valuesOf(context, access, selection.kind);
    for (const [n, value] of values.entries())
      rows.push({ key: [access.slug, n], value: { kind: selection.kind, slug: access.slug, ...value } });
  }
  return evaluate(rows, selection.filters, selection.order, selection.after, selection.limit + 1).map(
    (row) => ({
      value: row.value,
      place: cursorOf(row, selection.order),
    }),
  );
}

/*
 * The request of a query (spec §4.3, contract §7): parsed from parameters with all faults at once, and written into
 * the URL of the next page.
 */

/** Maximum number of articles in `from`. */
const namedMax = 50;

interface QueryRequest {
  /** Filters are repeated in the URL of the next page. */
  readonly workspace?: string | undefined;
  readonly from: string | undefined;
  readonly kind: string | undefined;
  readonly where: string | undefined;
  readonly order: string | undefined;
  readonly fields: string | undefined;
  readonly cursor: string | undefined;
  readonly limit: number;
}

type Questioned = Readonly<
  Partial<Record<'from' | 'kind' | 'where' | 'order' | 'fields' | 'cursor', string>>
>;

/** The parsed request, or all its faults. */
export function parseQuery(request: { readonly [K in keyof Questioned]: string | undefined }) {
  const { from, kind = 'claim', cursor } = request;
  const unnamed = from === undefined || from === '' ? noneNamed : undefined;
  const tooMany = from === '*' ? undefined : slugsFault('from', from, namedMax);
  if (!isQueryKind(kind)) {
    const wrong = invalidParameter(
      'kind',
      `"${kind.slice(0, 40)}" is no kind.`,
      `Use one of ${Object.keys(queryFields).join(', ')}.`,
    );
    return mergeRefusals('?', unnamed ?? tooMany, wrong) as Fault;
  }
  const fields: Fields = queryFields[kind];
  const filters = parseWhere(request.where ?? '', fields, queryWords[kind]);
  const order = request.order === undefined ? undefined : parseOrder(request.order, fields);
  const shown =
    request.fields === undefined
      ? undefined
      : parseFields(request.fields, { ...fields, slug: 'word', permalink: 'word' });
  // A cursor contains the order.
  const after = cursor === undefined || isFault(order) ? undefined : readCursor(cursor, order, fields);
  if (isFault(filters) || isFault(order) || isFault(shown) || isFault(after))
    return mergeRefusals('?', unnamed ?? tooMany, filters, order, shown, after) as Fault;
  return unnamed ?? tooMany ?? { kind, filters, order, shown, after };
}

const noneNamed = invalidParameter(
  'from',
  '"from" is missing.',
  'Name articles by slug, such as from=what-the-ledger-is, or all by from=*.',
);

function readCursor(cursor: string, order: Order | undefined, fields: Fields): Cursor | Fault {
  const wrong = invalidParameter(
    'cursor',
    '"cursor" is none that this query has given.',
    'Follow next as it stands.',
  );
  if (!/^[\w-]{1,4000}$/.test(cursor)) return wrong;
  let place: unknown;
  try {
    place = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return wrong;
  }
  if (!Array.isArray(place) || place.length !== 3) return wrong;
  const [value, id, n] = place as readonly unknown[];
  const type = order !== undefined && fields[order.field] === 'number' ? 'number' : 'string';
  if (typeof value !== type || typeof id !== 'string' || typeof n !== 'number' || !Number.isSafeInteger(n))
    return wrong;
  if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) return wrong;
  return id.includes('\0') || !id.isWellFormed() ? wrong : [value as string | number, id, n];
}

/** URL of the page after `place`. */
function nextUrl(base: string, request: QueryRequest, place: Cursor): string {
  const query = new URLSearchParams();
  for (const name of ['workspace', 'from', 'kind', 'where', 'order', 'fields'] as const)
    if (request[name] !== undefined) query.set(name, request[name]);
  query.set('limit', String(request.limit));
  query.set('cursor', Buffer.from(JSON.stringify(place)).toString('base64url'));
  return `${base}/api/v1/query?${query.toString()}`;
}
