/**
 * The list of articles (spec §4.3, contract §5): filtered, ordered by slug or by last change, paged. A page looks at
 * a bounded number of rows, so that no filter makes a read long.
 */
import {
  articleIndexTable,
  articleRecentTable,
  recentPlace,
  type ArticleIndexRow,
} from '../../domain/articles/tables.ts';
import { maySeeDraft } from './article-access.ts';
import { links } from '../../domain/links.ts';
import { mergeRefusals } from '../../domain/violations.ts';
import { fault, type Fault, invalidParameter, isFault } from '../../kernel/fault.ts';
import type { CallerContext, ReadContext } from '../read-context.ts';
import { ArticleItem, ArticleList } from '../../model/article.ts';
import { exactly } from '../../model/exact.ts';
import { articleStatuses } from '../../model/vocabulary.ts';
import { defineRead } from './define-read.ts';

/** A stamp that changes with every article of the workspace. */
export async function newestChange(context: ReadContext, tenant: string): Promise<string> {
  const rows = await context.read.list(articleRecentTable, tenant, {
    limit: sameMoment,
    reverse: true,
  });
  return rows.map(({ at, version, title }) => `${at} ${version} ${title}`).join('\n');
}

/** Maximum number of articles that change within one millisecond. */
const sameMoment = 8;

/** Filters, as in the URL. */
export const listParameters = [
  'workspace',
  'tag',
  'category',
  'status',
  'register',
  'kind',
  'updated_since',
  'home',
  'sort',
] as const;
export type ListQuery = Readonly<Partial<Record<(typeof listParameters)[number] | 'cursor', string>>>;

interface Filter {
  readonly status: string;
  readonly byTime: boolean;
  /** ISO 8601; '' for no limit. */
  readonly since: string;
  matches(row: ArticleIndexRow): boolean;
}

/** Rows per page; `next` continues after them. */
const linesMax = 20_000;
const linesAtOnce = 500;

/** Faults: `invalid_request` for a filter that says nothing, `credential_required` or `scope_denied` for drafts. */
export const listArticles = defineRead(
  ArticleList,
  async (context: CallerContext, limit: number, query: ListQuery = {}) => {
    const { viewer, tenant } = context;
    const filter = filterOf(query);
    if (isFault(filter)) return filter;
    const barred = filter.status === 'draft' ? barredFromDrafts(context) : undefined;
    if (barred !== undefined) return barred;
    const place = filter.byTime ? recentPlace : ({ slug }: ArticleIndexRow): string => slug;
    const found: ArticleIndexRow[] = [];
    let at = query.cursor;
    let more = true;
    // Without a filter the first step yields the whole page.
    let wanted = limit + 1;
    for (let looked = 0; more && found.length <= limit && looked < linesMax;) {
      const rows = await lines(context, filter, at, wanted);
      looked += rows.length;
      more = rows.length === wanted;
      wanted = linesAtOnce;
      for (const row of rows) {
        at = place(row);
        if (!filter.matches(row) || (row.status === 'draft' && !maySeeDraft(viewer, tenant, row.slug)))
          continue;
        found.push(row);
        if (found.length > limit) break;
      }
      // Yields to requests.
      if (more) await new Promise((resolve) => setImmediate(resolve));
    }
    const page = found.slice(0, limit);
    if (found.length > limit) at = place(page[page.length - 1] as ArticleIndexRow);
    return {
      count: page.length,
      articles: page.map((row) => lineJson(context.base, row)),
      next: found.length > limit || more ? nextPage(context.base, query, limit, at) : null,
    };
  },
);

/** All faults of the query. */
export function listFaults({
  status = 'published',
  home = '1',
  sort = 'slug',
  updated_since: since = '1970-01-01',
  cursor,
}: ListQuery): readonly Fault[] {
  const faults: Fault[] = [];
  const say = (parameter: string, message: string, fix: string): void => {
    faults.push(invalidParameter(parameter, message, fix));
  };
  if (!(articleStatuses as readonly string[]).includes(status))
    say('status', `"${status.slice(0, 40)}" is no status.`, `Use one of ${articleStatuses.join(', ')}.`);
  if (!['slug', 'updated'].includes(sort))
    say('sort', `"${sort.slice(0, 40)}" is no order.`, 'Use slug, or updated (newest first).');
  if (!['1', '0', 'true', 'false'].includes(home))
    say('home', `"${home.slice(0, 40)}" says neither yes nor no.`, 'Use 1 or 0.');
  if (timeOf(since) === undefined)
    say('updated_since', 'updated_since is no time.', 'Send an ISO 8601 time such as 2026-01-31T00:00:00Z.');
  if (cursor !== undefined && !(sort === 'updated' ? timeCursor : slugCursor).test(cursor))
    say('cursor', 'The cursor is not one of ours.', 'Follow next as it was given.');
  return faults;
}

function filterOf(query: ListQuery): Filter | Fault {
  const wrong = mergeRefusals('?', ...listFaults(query));
  if (wrong !== undefined) return wrong;
  const { tag, category, register, kind, status = 'published', home, sort = 'slug' } = query;
  const since = query.updated_since === undefined ? '' : (timeOf(query.updated_since) as string);
  const byTime = sort === 'updated';
  const wantsHome = home === undefined ? undefined : home === '1' || home === 'true' ? 1 : 0;
  return {
    status,
    byTime,
    since,
    matches: (row) =>
      row.status === status &&
      row.updated_at >= since &&
      (tag === undefined || row.tags.includes(tag)) &&
      (category === undefined || row.category === category) &&
      (register === undefined || row.register === register) &&
      (kind === undefined || row.kind === kind) &&
      (wantsHome === undefined || row.home === wantsHome),
  };
}

const slugCursor = /^[a-z0-9-]{2,120}$/;
const timeCursor = /^\d{4}-\d\d-\d\dT[\d:.]{8,12}Z [a-z0-9-]{2,120}$/;

/** A time as in entries; a date is its first instant. */
function timeOf(text: string): string | undefined {
  const ms = /^\d{4}-\d\d-\d\d(?:T|$)/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}

/** Drafts are listed to credentials of the workspace only (contract §5). */
function barredFromDrafts({ viewer, tenant }: CallerContext): Fault | undefined {
  if (viewer.kind === 'anonymous')
    return fault(
      'credential_required',
      'Drafts are listed to keys of their workspace only.',
      'Send a credential, or leave status out.',
    );
  const [own] = viewer.kind === 'share' ? viewer.chain : [];
  return own === undefined || maySeeDraft(viewer, tenant, own.record.article ?? 'any')
    ? undefined
    : fault('scope_denied', 'This credential sees no drafts.', 'Ask the owner for one of the workspace.');
}

async function lines(
  context: CallerContext,
  filter: Filter,
  at: string | undefined,
  limit: number,
): Promise<readonly ArticleIndexRow[]> {
  const { read } = context;
  if (!filter.byTime)
    return read.list(articleIndexTable, context.tenant, {
      limit,
      ...(at === undefined ? {} : { after: at }),
    });
  return read.list(articleRecentTable, context.tenant, {
    limit,
    reverse: true,
    ...(at === undefined ? {} : { before: at }),
    ...(filter.since === '' ? {} : { after: filter.since }),
  });
}

function lineJson(base: string, row: ArticleIndexRow): ArticleItem {
  return exactly(ArticleItem, {
    slug: row.slug,
    title: row.title,
    status: row.status,
    version: row.version,
    created_at: row.created_at,
    updated_at: row.updated_at,
    posted_at: row.posted_at,
    category: row.category,
    tags: row.tags,
    series: row.series === null ? null : { name: row.series, position: row.position },
    register: row.register,
    kind: row.kind,
    home: row.home === 1,
    url: links.article(base, row.slug),
    json: links.articleJson(base, row.slug),
  });
}

function nextPage(base: string, query: ListQuery, limit: number, at: string | undefined): string {
  const params = new URLSearchParams();
  for (const name of listParameters) {
    const value = query[name];
    if (value !== undefined) params.set(name, value);
  }
  params.set('limit', String(limit));
  params.set('cursor', at ?? '');
  return `${base}/api/articles?${params.toString()}`;
}
