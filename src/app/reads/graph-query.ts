/**
 * `/api/v1/query` (spec §4.3, contract §7): objects of one kind out of named articles, or of all, filtered,
 * ordered and paged. Claims and invocations are selected by the store; everything else is as small as an article.
 */
import { activeDivs, claimsOf, sourcesOf } from '../../domain/articles/state.ts';
import { articleTable } from '../../domain/articles/tables.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import { conformanceEventTable, conformancePlace } from '../../domain/capabilities/conformance.ts';
import { postTable, voteTable } from '../../domain/discourse/tables.ts';
import { isOpen } from '../../domain/discourse/thread.ts';
import { postLink } from '../../domain/discourse/say.ts';
import { links } from '../../domain/links.ts';
import { questionTable } from '../../domain/questions/tables.ts';
import { claimFactTable, type ClaimFact } from '../../domain/query/claim-facts.ts';
import { evaluate, placeOf, type Cursor, type Row } from '../../domain/query/evaluate.ts';
import { isQueryKind, queryFields, type Fields, type QueryKind } from '../../domain/query/fields.ts';
import { queryWords } from '../../domain/query/words.ts';
import { parseFields, parseOrder, parseWhere, type Filter, type Order } from '../../domain/query/grammar.ts';
import { allWrong } from '../../domain/violations.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import { namedArticles, publishedArticles, slugsFault } from './article-set.ts';
import { loadArticle, readContributions } from './articles.ts';
import type { Seen } from '../seen.ts';
import type { Service } from '../service.ts';

/** Articles that `from` may name; `from=*` reaches as many as the workspace may have for it. */
const namedMax = 50;
const allMax = 10_000;
/** Articles that are loaded whole for kinds other than claims and articles. */
const loadedMax = 200;

export interface QueryRequest {
  /** As it was asked for: the next page is asked for alike. */
  readonly workspace?: string | undefined;
  readonly from: string | undefined;
  readonly kind: string | undefined;
  readonly where: string | undefined;
  readonly order: string | undefined;
  readonly fields: string | undefined;
  readonly cursor: string | undefined;
  readonly limit: number;
}

interface Asked {
  readonly kind: QueryKind;
  readonly filters: readonly Filter[];
  readonly order: Order | undefined;
  readonly after: Cursor | undefined;
  readonly limit: number;
}

export async function graphQuery(
  service: Service,
  tenant: string,
  viewer: Credential,
  request: QueryRequest,
): Promise<JsonObject | Fault> {
  const parsed = parseQuery(request);
  if (isFault(parsed)) return parsed;
  const { kind, filters, order, shown, after } = parsed;
  const articles = await articlesOf(service, tenant, viewer, request.from ?? '', kind);
  if (isFault(articles)) return articles;
  const asked = { kind, filters, order, after, limit: request.limit };
  const found = await (kind === 'claim' ? claims : kind === 'invocation' ? invocations : others)(
    service,
    articles,
    asked,
  );
  const page = found.slice(0, request.limit);
  const last = found.length > request.limit ? page.at(-1) : undefined;
  return {
    kind,
    count: page.length,
    rows: page.map(({ value }) => (shown === undefined ? value : pick(value, shown))),
    next: last === undefined ? null : nextUrl(service.base, request, last.place),
  };
}

type Questioned = Readonly<
  Partial<Record<'from' | 'kind' | 'where' | 'order' | 'fields' | 'cursor', string>>
>;

/** What a query asks, or everything that is wrong with it. */
export function parseQuery(request: { readonly [K in keyof Questioned]: string | undefined }) {
  const { from, kind = 'claim', cursor } = request;
  const unnamed = from === undefined || from === '' ? noneNamed : undefined;
  const tooMany = from === '*' ? undefined : slugsFault('from', from, namedMax);
  if (!isQueryKind(kind)) {
    const wrong = fault(
      'invalid_request',
      `"${kind.slice(0, 40)}" is no kind.`,
      `Use one of ${Object.keys(queryFields).join(', ')}.`,
      { parameter: 'kind' },
    );
    return allWrong('?', unnamed ?? tooMany, wrong) as Fault;
  }
  const fields: Fields = queryFields[kind];
  const filters = parseWhere(request.where ?? '', fields, queryWords[kind]);
  const order = request.order === undefined ? undefined : parseOrder(request.order, fields);
  const shown =
    request.fields === undefined
      ? undefined
      : parseFields(request.fields, { ...fields, slug: 'word', permalink: 'word' });
  // In which order a cursor goes on is said by the order.
  const after = cursor === undefined || isFault(order) ? undefined : readCursor(cursor, order, fields);
  if (isFault(filters) || isFault(order) || isFault(shown) || isFault(after))
    return allWrong('?', unnamed ?? tooMany, filters, order, shown, after) as Fault;
  return unnamed ?? tooMany ?? { kind, filters, order, shown, after };
}

const noneNamed = fault(
  'invalid_request',
  '"from" is missing.',
  'Name articles by slug, such as from=what-the-ledger-is, or all by from=*.',
  { parameter: 'from' },
);

interface Found {
  readonly value: JsonObject;
  readonly place: Cursor;
}

async function articlesOf(
  service: Service,
  tenant: string,
  viewer: Credential,
  from: string,
  kind: QueryKind,
): Promise<readonly Seen[] | Fault> {
  if (from !== '*') return namedArticles(service, tenant, viewer, 'from', from, namedMax);
  const most = kind === 'claim' || kind === 'article' || kind === 'invocation' ? allMax : loadedMax;
  return (
    (await publishedArticles(service, tenant, most)) ??
    fault('invalid_request', `from=* reaches at most ${most} articles for this kind.`, 'Name the articles.', {
      parameter: 'from',
    })
  );
}

// Claims

async function claims(service: Service, articles: readonly Seen[], asked: Asked): Promise<readonly Found[]> {
  const slugs = new Map(articles.map(({ aid, slug }) => [aid, slug]));
  const { order, after, filters } = asked;
  if (slugs.size === 0) return [];
  const rows = await service.store.read.select(claimFactTable, {
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
      value: claimRow(row, slug, service.base),
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

/** What anybody may know of the invocations on an article: never what was sent or answered. Newest first. */
async function invocations(
  service: Service,
  articles: readonly Seen[],
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
  const rows = await service.store.read.select(conformanceEventTable, {
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
      permalink: links.receipt(service.base, row.inv),
    },
    place: [order === undefined ? '' : row[column(order.field) as 'inv'], row.place, row.seq],
  }));
}

/** The grammar lets nobody search in the middle of a word. */
function exact(op: Filter['op']): Exclude<Filter['op'], '~'> {
  if (op === '~') throw new Error('an invocation has no text to search');
  return op;
}

// Everything else

async function others(service: Service, articles: readonly Seen[], asked: Asked): Promise<readonly Found[]> {
  const rows: Row[] = [];
  for (const seen of articles) {
    const values = await valuesOf(service, seen, asked.kind);
    for (const [n, value] of values.entries())
      rows.push({ key: [seen.slug, n], value: { kind: asked.kind, slug: seen.slug, ...value } });
  }
  return evaluate(rows, asked.filters, asked.order, asked.after, asked.limit + 1).map((row) => ({
    value: row.value,
    place: placeOf(row, asked.order),
  }));
}

async function valuesOf(service: Service, seen: Seen, kind: QueryKind): Promise<readonly JsonObject[]> {
  const { base, store } = service;
  const { slug, aid } = seen;
  switch (kind) {
    case 'article': {
      const row = await store.read.row(articleTable, aid);
      if (row === undefined) return [];
      const { title, status, version, updated_at, meta } = row;
      return [
        {
          id: slug,
          title,
          status,
          category: meta.category ?? '',
          version,
          updated_at,
          permalink: links.article(base, slug),
        },
      ];
    }
    case 'source': {
      const state = await loadArticle(service, aid);
      const citing = new Map<string, number>();
      for (const claim of claimsOf(state))
        for (const id of claim.source_ids) citing.set(id, (citing.get(id) ?? 0) + 1);
      return sourcesOf(state).map(({ source, hash }) => ({
        id: source.id,
        type: source.type,
        url: source.url,
        title: source.title,
        quote: source.quote,
        summary: source.summary,
        platform: source.platform ?? '',
        software_class: source.software_class ?? '',
        found_by: source.found_by,
        accessed_at: source.accessed_at,
        claims: citing.get(source.id) ?? 0,
        hash,
        permalink: `${links.article(base, slug)}#${source.id}`,
      }));
    }
    case 'div':
      return activeDivs(await loadArticle(service, aid)).map((div, i) => ({
        id: div.div_id,
        // The envelope's `kind` says what the row is; here it says what the block is.
        kind: div.kind,
        order: i + 1,
        title: div.title,
        text: div.text,
        status: div.status,
        hash: div.vx_hash,
        permalink: links.div(base, slug, div.div_id),
      }));
    case 'question':
      return [...(await store.read.rows(questionTable, aid)).values()]
        .sort((a, b) => (a.node.asked_at < b.node.asked_at ? -1 : 1))
        .map(({ id, node }) => ({
          id,
          question: node.question,
          status: node.status,
          confidence: node.confidence,
          asked: node.asked,
          claim_id: node.claim_id ?? '',
          updated_at: node.updated_at,
          permalink: links.articlePart(base, slug, 'question-graph'),
        }));
    case 'contribution':
      return (await readContributions(service, seen)).map((item) =>
        pick(item, ['id', 'kind', 'claim_id', 'status', 'actor', 'body', 'ts', 'permalink']),
      );
    case 'discourse': {
      const state = await loadArticle(service, aid);
      const posts = [...(await store.read.rows(postTable, aid)).values()].sort((a, b) => a.n - b.n);
      return posts.map(({ id, post }) => ({
        id,
        stance: post.stance,
        target: post.target,
        status: isOpen(post, state) ? 'open' : 'settled',
        actor: post.actor,
        body: post.body,
        surface: post.surface ?? '',
        outcome: post.outcome ?? '',
        verdict: post.verdict ?? '',
        ts: post.ts,
        permalink: postLink(base, state, id),
      }));
    }
    case 'vote':
      return [...(await store.read.rows(voteTable, aid)).values()].map(({ id, vote, status, decision }) => ({
        id,
        proposal: vote.proposal,
        target: vote.target,
        status,
        decision: decision ?? '',
        actor: vote.actor,
        rationale: vote.rationale,
        ts: vote.ts,
        permalink: links.article(base, slug),
      }));
    case 'claim':
    case 'invocation':
      throw new Error(`${kind}s are selected by the store`);
  }
}

function pick(value: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, value[name] as JsonValue]));
}

// Pages

function nextUrl(base: string, request: QueryRequest, place: Cursor): string {
  const query = new URLSearchParams();
  for (const name of ['workspace', 'from', 'kind', 'where', 'order', 'fields'] as const)
    if (request[name] !== undefined) query.set(name, request[name]);
  query.set('limit', String(request.limit));
  query.set('cursor', Buffer.from(JSON.stringify(place)).toString('base64url'));
  return `${base}/api/v1/query?${query.toString()}`;
}

function readCursor(cursor: string, order: Order | undefined, fields: Fields): Cursor | Fault {
  const wrong = fault(
    'invalid_request',
    '"cursor" is none that this query has given.',
    'Follow next as it stands.',
    {
      parameter: 'cursor',
    },
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
  return id.includes('\0') || !id.isWellFormed() ? wrong : (place as unknown as Cursor);
}
