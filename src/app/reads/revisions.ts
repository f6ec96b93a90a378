/**
 * Revisions of an article: the list, one whole (spec §2.1, §4.3), and the word-level difference of two (contract §8).
 */
import { activeDivs, bodyOf, claimsOf } from '../../domain/articles/state.ts';
import { type RevisionRow, revisionTable } from '../../domain/articles/tables.ts';
import { links } from '../../domain/links.ts';
import { about, type Fault, fault, isFault } from '../../kernel/fault.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { claimView } from '../../represent/article-json.ts';
import { type WordChange, wordDiff } from '../../represent/word-diff.ts';
import { loadArticle } from './articles.ts';
import { defineRead, type PartRequest } from './define-read.ts';
import { readAsOf } from './historical-read.ts';
import { Revision, RevisionList } from '../../model/history.ts';
import type { ArticleAccess } from './article-access.ts';
import type { ReadContext } from '../read-context.ts';

export async function readRevisions(request: PartRequest): Promise<JsonObject | Fault> {
  return request.query['rev'] === undefined ? listRevisions(request) : readRevision(request);
}

const listRevisions = defineRead(RevisionList, async ({ context, access }) => {
  const { seesDrafts } = access;
  const rows = (await context.read.list(revisionTable, access.aid, { limit: 100_000, reverse: true })).filter(
    (row) => row.public === 1 || seesDrafts,
  );
  return {
    slug: access.slug,
    head: rows[0]?.rev ?? 0,
    revisions: rows.map((row) => ({
      rev: row.rev,
      ts: row.ts,
      actor: row.actor,
      action: row.action,
      hash: row.hash,
      prev: row.prev,
      url: `${links.articlePart(context.base, access.slug, 'revisions')}?rev=${row.rev}`,
    })),
  };
});

/** One revision with its word-level difference from the one before. */
const readRevision = defineRead(Revision, async ({ context, access, query }) => {
  const asked = query['rev'] as string;
  const past = await readAsOf(context, access, { rev: asked });
  if (isFault(past)) return past;
  const rev = Number(asked);
  const [row] = (await context.read.list(revisionTable, access.aid, { after: rev - 1, limit: 1 })) as [
    RevisionRow,
  ];
  const state = await loadArticle(past.context, access.aid);
  const body = bodyOf(state);
  const before = rev > 1 ? await readAsOf(context, access, { rev: String(rev - 1) }) : undefined;
  const bodyBefore =
    before === undefined || isFault(before)
      ? undefined
      : bodyOf(await loadArticle(before.context, access.aid));
  return {
    slug: access.slug,
    rev,
    title: state.row.title,
    body,
    content_hash: sha256Hex(body),
    claims: claimsOf(state).map((claim) => claimView(state, claim, context.base)),
    sources: [...state.sources.values()]
      .sort((a, b) => a.n - b.n)
      .map((each) => ({ ...each.source, prev: each.prev, hash: each.hash })),
    divs: activeDivs(state).map((div) => ({ div_id: div.div_id, vx_hash: div.vx_hash })),
    status: state.row.status,
    ts: row.ts,
    actor: row.actor,
    action: row.action,
    hash: row.hash,
    prev: row.prev,
    diff: bodyBefore === undefined ? [] : wordDiff(bodyBefore, body),
  };
});

/** Two revisions to compare, among all. */
interface Revisions {
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
  access: ArticleAccess,
  asked: { readonly from: string | undefined; readonly to: string | undefined },
): Promise<Revisions | Fault> {
  const rows = await context.read.list(revisionTable, access.aid, { limit: revisionsMax, reverse: true });
  const revisions = rows.filter((row) => row.public === 1);
  const newest = revisions[0]?.rev ?? 1;
  const to = revOf(asked.to, newest);
  const from = revOf(asked.from, Math.max(revisions[revisions.length - 1]?.rev ?? 1, to - 1));
  for (const rev of [from, to])
    if (!revisions.some((row) => row.rev === rev))
      return about(
        fault(
          'not_found',
          `${access.slug} has no revision ${Number.isNaN(rev) ? 'of that number' : rev} to show.`,
          `Use whole numbers from ${revisions[revisions.length - 1]?.rev ?? 1} to ${newest} for from and to.`,
        ),
        { kind: 'revision', id: String(rev), slug: access.slug },
      );
  return { revisions, from, to };
}

export async function compareRevisions(
  context: ReadContext,
  access: ArticleAccess,
  found: Revisions,
): Promise<HistoryView | Fault> {
  const before = await readAsOf(context, access, { rev: String(found.from) });
  if (isFault(before)) return before;
  const after = await readAsOf(context, access, { rev: String(found.to) });
  if (isFault(after)) return after;
  const [from, to] = await Promise.all([
    loadArticle(before.context, access.aid),
    loadArticle(after.context, access.aid),
  ]);
  return {
    ...found,
    slug: access.slug,
    title: to.row.title,
    changes: wordDiff(bodyOf(from), bodyOf(to)),
  };
}

function revOf(asked: string | undefined, byDefault: number): number {
  if (asked === undefined) return byDefault;
  return /^\d{1,9}$/.test(asked) ? Number(asked) : Number.NaN;
}
