/** Revisions of an article, and the word-level difference of two (contract §8 `/a/<slug>/history`). */
import { bodyOf } from '../../domain/articles/state.ts';
import type { ArticleAccess } from './article-access.ts';
import { revisionTable, type RevisionRow } from '../../domain/articles/tables.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { wordDiff, type WordChange } from '../../represent/word-diff.ts';
import { loadArticle } from './articles.ts';
import { readAsOf } from './historical-read.ts';
import type { ReadContext } from '../read-context.ts';

/** Two revisions to compare, among all. */
export interface Revisions {
  /** Newest first, without those before publication. */
  readonly revisions: readonly RevisionRow[];
  readonly from: number;
  readonly to: number;
}

export interface HistoryView extends Revisions {
  readonly slug: string;
  readonly title: string;
  readonly changes: readonly WordChange[];
}

const revisionsMax = 500;

/** `from` and `to` as requested; by default the newest revision and its predecessor. */
export async function findRevisions(
  context: ReadContext,
  seen: ArticleAccess,
  asked: { readonly from: string | undefined; readonly to: string | undefined },
): Promise<Revisions | Fault> {
  const rows = await context.read.list(revisionTable, seen.aid, { limit: revisionsMax, reverse: true });
  const revisions = rows.filter((row) => row.public === 1);
  const newest = revisions[0]?.rev ?? 1;
  const to = revOf(asked.to, newest);
  const from = revOf(asked.from, Math.max(revisions[revisions.length - 1]?.rev ?? 1, to - 1));
  for (const rev of [from, to])
    if (!revisions.some((row) => row.rev === rev))
      return fault(
        'not_found',
        `${seen.slug} has no revision ${Number.isNaN(rev) ? 'of that number' : rev} to show.`,
        `Use whole numbers from ${revisions[revisions.length - 1]?.rev ?? 1} to ${newest} for from and to.`,
      );
  return { revisions, from, to };
}

export async function compareRevisions(
  context: ReadContext,
  seen: ArticleAccess,
  found: Revisions,
): Promise<HistoryView | Fault> {
  const before = await readAsOf(context, seen, { rev: String(found.from) });
  if (isFault(before)) return before;
  const after = await readAsOf(context, seen, { rev: String(found.to) });
  if (isFault(after)) return after;
  const [from, to] = await Promise.all([
    loadArticle(before.context, seen.aid),
    loadArticle(after.context, seen.aid),
  ]);
  return {
    ...found,
    slug: seen.slug,
    title: to.row.title,
    changes: wordDiff(bodyOf(from), bodyOf(to)),
  };
}

function revOf(asked: string | undefined, byDefault: number): number {
  if (asked === undefined) return byDefault;
  return /^\d{1,9}$/.test(asked) ? Number(asked) : Number.NaN;
}
