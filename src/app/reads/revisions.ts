/**
 * Revisions of an article: the list, one whole (spec §2.1, §4.3), and a page of its history (contract §8).
 */
import { activeDivs, bodyOf, claimsOf } from '../../domain/articles/state.ts';
import { articleTable, type RevisionRow, revisionTable } from '../../domain/articles/tables.ts';
import { links } from '../../domain/links.ts';
import { type Fault, isFault } from '../../kernel/fault.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { claimView } from '../../represent/article-json.ts';
import { wordDiff } from '../../represent/word-diff.ts';
import { loadArticle } from './articles.ts';
import { defineRead, type PartRequest } from './define-read.ts';
import { readAsOf } from './historical-read.ts';
import { Revision, RevisionList } from '../../model/history.ts';
import type { ArticleAccess } from './article-access.ts';
import type { ReadContext } from '../read-context.ts';
import { readSteps, readTextChanges, type RevisionStep, type TextChange } from './revision-steps.ts';

export async function readRevisions(request: PartRequest): Promise<JsonObject | Fault> {
  return request.query['rev'] === undefined ? listRevisions(request) : readRevision(request);
}

const listRevisions = defineRead(RevisionList, async ({ context, access }) => {
  const { seesDrafts } = access;
  const notes = new Map((await readSteps(context, access)).map(({ rev, note }) => [rev, note]));
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
      ...noteOf(notes.get(row.rev)),
      hash: row.hash,
      prev: row.prev,
      url: `${links.articlePart(context.base, access.slug, 'revisions')}?rev=${row.rev}`,
    })),
  };
});

function noteOf(note: string | null | undefined) {
  return note == null ? {} : { note };
}

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

/** One page of the revisions of an article (contract §8), newest first. */
export interface HistoryView {
  readonly slug: string;
  readonly title: string;
  readonly count: number;
  readonly newest: number;
  readonly oldest: number;
  readonly revisions: readonly HistoryRow[];
  /** Revisions that were chosen on another page. */
  readonly chosen: readonly HistoryRow[];
  /** The revision before which the next page ends; null on the last one. */
  readonly older: number | null;
  /** The same of the page before; null on the first one. */
  readonly newer: number | null;
}

export interface HistoryRow extends RevisionStep {
  /** Undefined where it is not known. */
  readonly size: TextChange | undefined;
}

export const revisionsOnPage = 50;

/** The page that ends before revision `before`; `chosen` are revisions that stay selected. */
export async function viewHistory(
  context: ReadContext,
  access: ArticleAccess,
  before: number | undefined,
  chosen: readonly number[],
): Promise<HistoryView> {
  const row = await context.read.row(articleTable, access.aid);
  const steps = (await readSteps(context, access)).toReversed();
  const at =
    before === undefined
      ? 0
      : Math.max(
          0,
          steps.findIndex(({ rev }) => rev < before),
        );
  const page = steps.slice(at, at + revisionsOnPage);
  const sizes = await readTextChanges(context, access.aid, page);
  const shown = new Set(page.map(({ rev }) => rev));
  const next = at + revisionsOnPage;
  return {
    slug: access.slug,
    title: row?.title ?? access.slug,
    count: steps.length,
    newest: steps[0]?.rev ?? 1,
    oldest: steps.at(-1)?.rev ?? 1,
    revisions: page.map((step) => ({ ...step, size: sizes.get(step.rev) })),
    chosen: steps
      .filter(({ rev }) => chosen.includes(rev) && !shown.has(rev))
      .map((step) => ({ ...step, size: undefined })),
    older: next < steps.length ? (page.at(-1)?.rev ?? null) : null,
    newer: at === 0 ? null : (steps[Math.max(0, at - revisionsOnPage)]?.rev ?? 0) + 1,
  };
}

/** The title of an article, and its first and last revision that the caller may see. */
export async function boundsOf(
  { read }: ReadContext,
  { aid, slug, seesDrafts, version }: ArticleAccess,
): Promise<{ readonly title: string; readonly oldest: number; readonly newest: number }> {
  const row = await read.row(articleTable, aid);
  return {
    title: row?.title ?? slug,
    oldest: seesDrafts ? 1 : (row?.published_rev ?? 1),
    newest: version,
  };
}
