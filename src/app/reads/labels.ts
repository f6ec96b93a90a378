/**
 * Tags and series of a workspace's published articles, and which articles everybody may read (contract §8). They are
 * made from the list of articles and cached until an article changes; where there are many articles, they are made again
 * so rarely that it takes little of the time.
 */
import { type ArticleIndexRow, articleIndexTable } from '../../domain/articles/tables.ts';
import type { Reader } from '../../engine/store.ts';
import type { ReadContext } from '../read-context.ts';
import { newestChange } from './article-list.ts';

export interface Labels {
  /** Articles by tag, the one that changed last first; tags in alphabetical order. */
  readonly tags: ReadonlyMap<string, readonly ArticleIndexRow[]>;
  /** Articles by series, in the order of their places. */
  readonly series: ReadonlyMap<string, readonly ArticleIndexRow[]>;
  /** Opaque ids of the articles that everybody of the workspace may read, archived ones too. */
  readonly published: ReadonlySet<string>;
  /** Slugs of drafts by opaque id. */
  readonly drafts: ReadonlyMap<string, string>;
  /** Every article was looked at. */
  readonly isWhole: boolean;
  readonly stamp: string;
}

const rowsAtOnce = 500;
/** Further articles are not counted. */
const rowsMax = 50_000;
/** Making them may take a tenth of the time. */
const pause = 10;
/** Quicker than this, they are made again at once. */
const quickMs = 50;

interface Kept {
  readonly labels: Labels;
  readonly until: number;
}
const kept = new WeakMap<Reader, Map<string, Kept>>();

export async function readLabels(context: ReadContext, tenant: string): Promise<Labels> {
  const { read } = context;
  const known = kept.get(read) ?? new Map<string, Kept>();
  kept.set(read, known);
  const last = known.get(tenant);
  if (last !== undefined && context.now() < last.until) return last.labels;
  const stamp = await newestChange(context, tenant);
  if (last?.labels.stamp === stamp) return last.labels;
  const begun = context.now();
  const labels = await collect(context, tenant, stamp);
  const took = context.now() - begun;
  known.set(tenant, { labels, until: took < quickMs ? 0 : context.now() + took * pause });
  return labels;
}

async function collect({ read }: ReadContext, tenant: string, stamp: string): Promise<Labels> {
  const listed: ArticleIndexRow[] = [];
  const published = new Set<string>();
  const drafts = new Map<string, string>();
  let looked = 0;
  for await (const row of articleLines({ read }, tenant)) {
    looked++;
    if (row.status === 'draft') drafts.set(row.aid, row.slug);
    else published.add(row.aid);
    if (row.status === 'published') listed.push(row);
  }
  return { ...groupByLabel(listed), published, drafts, isWhole: looked < rowsMax, stamp };
}

/** The articles of a workspace by their slugs, whatever their status, at most `rowsMax`. */
export async function* articleLines(
  { read }: Pick<ReadContext, 'read'>,
  tenant: string,
): AsyncGenerator<ArticleIndexRow> {
  let after: string | undefined;
  for (let looked = 0; looked < rowsMax; looked += rowsAtOnce) {
    const rows = await read.list(articleIndexTable, tenant, {
      limit: rowsAtOnce,
      ...(after === undefined ? {} : { after }),
    });
    yield* rows;
    if (rows.length < rowsAtOnce) return;
    after = rows.at(-1)?.slug;
    // Yields to requests.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export function groupByLabel(articles: Iterable<ArticleIndexRow>): Pick<Labels, 'tags' | 'series'> {
  const tags = new Map<string, ArticleIndexRow[]>();
  const series = new Map<string, ArticleIndexRow[]>();
  const add = (to: Map<string, ArticleIndexRow[]>, label: string, row: ArticleIndexRow): void => {
    const rows = to.get(label);
    if (rows === undefined) to.set(label, [row]);
    else rows.push(row);
  };
  for (const row of articles) {
    for (const tag of new Set(row.tags)) add(tags, tag, row);
    if (row.series !== null) add(series, row.series, row);
  }
  for (const rows of tags.values()) rows.sort((a, b) => (a.updated_at < b.updated_at ? 1 : -1));
  for (const rows of series.values()) rows.sort(byPlace);
  const alphabetical = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
    a.localeCompare(b, 'en');
  return {
    tags: new Map([...tags].sort(alphabetical)),
    series: new Map([...series].sort(alphabetical)),
  };
}

/** Articles without a place come last, by title. */
function byPlace(a: ArticleIndexRow, b: ArticleIndexRow): number {
  const [one, other] = [a.position ?? Infinity, b.position ?? Infinity];
  return one === other ? a.title.localeCompare(b.title, 'en') : one - other;
}
