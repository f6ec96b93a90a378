/**
 * `did_you_mean`: names near a misspelt one, among what the caller may see (contract §2). The cost is bounded whatever
 * the ledger holds: ids of an article's parts are counted, so that a few look-ups find the nearest; of slugs, three
 * ranges of the list by slug and the best of the search index are compared, at most 420 rows together.
 */
import {
  articleIndexTable,
  articleTable,
  claimTable,
  divTable,
  sourceTable,
  type ArticleIndexRow,
} from '../../domain/articles/tables.ts';
import { queryTerms } from '../../domain/retrieval/terms.ts';
import { maySeeDraft, type ArticleAccess } from '../reads/article-access.ts';
import { parseDocumentKey } from '../reads/search-documents.ts';
import { editDistance } from '../reads/unknown-row.ts';
import type { Service } from '../service.ts';
import type { Refused } from './refused-request.ts';

/** Number of names that are suggested. */
export const nearMax = 3;

const distanceMax = 6;

/** Up to three names, nearest first: by edit distance, where shared words count in favour. */
export function nearestNames(wanted: string, names: Iterable<string>): string[] {
  const given = wanted.slice(0, 120).toLowerCase();
  const words = wordsOf(given);
  const allowed = Math.min(distanceMax, Math.max(2, Math.floor(given.length / 4)));
  return [...new Set(names)]
    .map((name) => {
      const shared = wordsOf(name).filter((word) => words.includes(word)).length;
      const distance = editDistance(given, name.toLowerCase(), distanceMax);
      const isNear = distance <= allowed || (shared >= 2 && shared * 2 > words.length);
      return { name, isNear, score: distance - 2 * shared };
    })
    .filter(({ isNear }) => isNear)
    .sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1))
    .slice(0, nearMax)
    .map(({ name }) => name);
}

function wordsOf(name: string): string[] {
  return name.split(/[^a-z0-9]+/).filter((word) => word.length > 2);
}

/** Rows of the list by slug that are compared: the first of the workspace, and those with the same beginning. */
const firstMax = 200;
const alikeMax = 100;
const searchedMax = 20;

type Listed = Pick<ArticleIndexRow, 'slug' | 'status'>;

/** Slugs of articles that this caller may read. */
export async function nearSlugs({ service, viewer, tenant }: Refused, wanted: string): Promise<string[]> {
  if (tenant === undefined) return [];
  const slug = readSlug(wanted);
  if (slug.length < 2) return [];
  const first = await service.read.list(articleIndexTable, tenant, { limit: firstMax });
  const rows: Listed[] = [...first];
  if (first.length === firstMax) {
    const beginnings = new Set([slug.slice(0, 3), slug.slice(0, Math.ceil(slug.length / 2))]);
    for (const beginning of beginnings)
      rows.push(
        ...(await service.read.list(articleIndexTable, tenant, {
          ...beginningWith(beginning),
          limit: alikeMax,
        })),
      );
    rows.push(...(await searched(service, tenant, slug)));
  }
  const visible = rows.filter((row) => row.status !== 'draft' || maySeeDraft(viewer, tenant, row.slug));
  return nearestNames(
    slug,
    visible.map((row) => row.slug),
  );
}

/** What a caller meant as a slug: of an address, the name in it; of a title, its words. */
function readSlug(wanted: string): string {
  const named = /\/(?:a|articles)\/([^/?#]+)/.exec(wanted)?.[1] ?? wanted.split(/[/?#]/, 1)[0] ?? '';
  return named
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, (between) => (between === '--' ? '--' : '-'))
    .replaceAll(/^-+|-+$/g, '');
}

/** The range of slugs with this beginning. */
function beginningWith(beginning: string): { readonly after: string; readonly before: string } {
  const last = String.fromCharCode(beginning.charCodeAt(beginning.length - 1) - 1);
  return { after: `${beginning.slice(0, -1)}${last}~`, before: `${beginning}~` };
}

/** Articles whose title has words of the slug; none while the index cannot be reached. */
async function searched(service: Service, tenant: string, slug: string): Promise<readonly Listed[]> {
  const terms = queryTerms(slug.replaceAll('-', ' '), 8);
  if (terms.length === 0) return [];
  const { found } = await service.search
    .find({ tenant, kinds: ['article'], terms })
    .catch(() => ({ found: [] as { readonly key: string; readonly counts: readonly number[] }[] }));
  const best = found
    .map(({ key, counts }) => ({ key, held: counts.filter((count) => count > 0).length }))
    .sort((a, b) => b.held - a.held)
    .slice(0, searchedMax);
  const rows = await Promise.all(
    best.map(({ key }) => service.read.row(articleTable, parseDocumentKey(key).aid)),
  );
  return rows.filter((row) => row !== undefined);
}

const numbered = {
  claim: { letter: 'c', table: claimTable, made: 'claims_made' },
  div: { letter: 'd', table: divTable, made: 'divs_made' },
  source: { letter: 's', table: sourceTable, made: 'sources_made' },
} as const;

/** Look-ups for one suggestion of a numbered part. */
const looksMax = 8;

/** Ids of an article's claims, DIVs or sources next to a number: they are counted from 1. */
export async function nearNumbers(
  { service }: Refused,
  { aid }: ArticleAccess,
  kind: keyof typeof numbered,
  wanted: string,
): Promise<string[]> {
  const { letter, table, made } = numbered[kind];
  const article = await service.read.row(articleTable, aid);
  if (article === undefined) return [];
  const digits = /\d{1,9}/.exec(wanted)?.[0];
  const number = digits === undefined ? 1 : Number(digits);
  const around = [number, number - 1, number + 1, number - 2, number + 2];
  // Beyond the last one, a digit may be one too many: c22 for c2.
  const candidates =
    number > article[made]
      ? [Math.trunc(number / 10), ...Array.from({ length: looksMax }, (_, i) => article[made] - i)]
      : around;
  const near: string[] = [];
  for (const each of new Set(candidates.filter((n) => n >= 1 && n <= article[made]))) {
    const row = await service.read.row(table, aid, `${letter}${each}`);
    if (row === undefined || ('status' in row && row.status !== 'current')) continue;
    if (near.push(`${letter}${each}`) === nearMax) break;
  }
  return near;
}
