/**
 * What stands open against an article and its claims (contract §5), cached by the stamps of article, mirror and thread.
 * Contributions are append-only, so that a new one costs no reading of the others.
 */
import { LRUCache } from 'lru-cache';
import { articleTable } from '../../domain/articles/tables.ts';
import {
  type ArticleContests,
  articleContests,
  type ContestingRow,
  isContestingKind,
} from '../../domain/discourse/contested.ts';
import { postTable, threadTable } from '../../domain/discourse/thread.ts';
import { contributionTable, mirrorTable } from '../../domain/mirror/tables.ts';
import { resolutionTable } from '../../domain/mirror/resolution.ts';
import type { Reader } from '../../engine/store.ts';
import type { StandingObjection } from '../../model/contested.ts';
import type { ReadContext } from '../read-context.ts';
import { loadArticle } from './articles.ts';

interface Cached {
  readonly stamp: string;
  readonly contests: ArticleContests;
  readonly contributions: Contributions;
}

interface Contributions {
  readonly rows: readonly ContestingRow[];
  /** The newest position that was read; -1 before the first. */
  readonly last: number;
}

/** Contributions in the cache, of all articles. */
const cachedRowsMax = 200_000;
const pageRows = 500;
const caches = new WeakMap<Reader, LRUCache<string, Cached>>();

/** What stands open against a visible article. */
export async function readContests(context: ReadContext, aid: string): Promise<ArticleContests> {
  const { read } = context;
  let cache = caches.get(read);
  if (cache === undefined) caches.set(read, (cache = new LRUCache({ maxSize: cachedRowsMax })));
  const stamp = await stampOf(read, aid);
  const known = cache.get(aid);
  if (known?.stamp === stamp) return known.contests;
  const contributions = await readContributionsAfter(read, aid, known?.contributions);
  const made = await makeContests(context, aid, contributions);
  // What was read during a write may mix two states.
  if ((await stampOf(read, aid)) === stamp)
    cache.set(
      aid,
      { stamp, contests: made, contributions },
      { size: contributions.rows.length + made.contests.length + 1 },
    );
  return made;
}

async function makeContests(
  { read, base }: ReadContext,
  aid: string,
  { rows }: Contributions,
): Promise<ArticleContests> {
  const [article, posts, resolutions] = await Promise.all([
    loadArticle({ read }, aid),
    read.rows(postTable, aid),
    read.rows(resolutionTable, aid),
  ]);
  return articleContests({ article, posts: [...posts.values()], contributions: rows, resolutions, base });
}

async function readContributionsAfter(
  read: Reader,
  aid: string,
  known: Contributions = { rows: [], last: -1 },
): Promise<Contributions> {
  const rows = [...known.rows];
  let { last } = known;
  for (;;) {
    const page = await read.list(contributionTable, aid, { after: last, limit: pageRows });
    for (const row of page) {
      if (isContestingKind(row.contribution.kind)) rows.push(contestingRow(row));
      last = row.n;
    }
    if (page.length < pageRows) return { rows, last };
  }
}

/** Without the words of the contribution, which a scrub may replace. */
function contestingRow({ id, claim_id, contribution }: ContestingRow): ContestingRow {
  const { kind, ts, claim_hash, claim_version } = contribution;
  return {
    id,
    claim_id,
    contribution: { kind, ts, claim_hash, ...(claim_version === undefined ? {} : { claim_version }) },
  };
}

/** Open objections, contradictions and challenges of thread and mirror with their words, newest first. */
export async function readStandingObjections(
  context: ReadContext,
  aid: string,
): Promise<readonly StandingObjection[]> {
  const { contests } = await readContests(context, aid);
  const words = new Map<string, { readonly body: string; readonly actor: string }>();
  for (const { id, post } of (await context.read.rows(postTable, aid)).values()) words.set(id, post);
  const missing = new Set(contests.map(({ id }) => id).filter((id) => !words.has(id)));
  for (let after = -1; missing.size > 0;) {
    const page = await context.read.list(contributionTable, aid, { after, limit: pageRows });
    for (const { n, id, contribution } of page) {
      after = n;
      if (missing.delete(id)) words.set(id, contribution);
    }
    if (page.length < pageRows) break;
  }
  return contests.flatMap(({ id, kind, target, status, ts, textChanged, permalink }) => {
    const said = words.get(id);
    // A repair proposes other words, and disputes nothing.
    if (said === undefined || kind === 'repair') return [];
    const { body: text, actor } = said;
    const changed = textChanged ? { text_changed: true as const } : {};
    return [{ id, kind, target, text, status, actor, ts, ...changed, permalink }];
  });
}

async function stampOf(read: Reader, aid: string): Promise<string> {
  const stamps = [articleTable, mirrorTable, threadTable, resolutionTable].map(
    async ({ aggregate }) => read.stampNow(aggregate as string, aid) ?? read.stamp(aggregate as string, aid),
  );
  return (await Promise.all(stamps)).join(' ');
}
