/** The revisions of an article (spec §2.1, §4.3): the list, and one whole. */
import { activeDivs, bodyOf, claimsOf } from '../../domain/articles/state.ts';
import { revisionTable, type RevisionRow } from '../../domain/articles/tables.ts';
import { links } from '../../domain/links.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { claimView } from '../../represent/article-json.ts';
import { wordDiff } from '../../represent/word-diff.ts';
import { loadArticle } from './articles.ts';
import { defineRead, type PartRequest } from './define-read.ts';
import { readAsOf } from './historical-read.ts';
import { Revision, RevisionList } from '../../model/history.ts';

export async function readRevisions(request: PartRequest): Promise<JsonObject | Fault> {
  return request.query['rev'] === undefined ? listRevisions(request) : readRevision(request);
}

const listRevisions = defineRead(RevisionList, async ({ context, seen }) => {
  const { seesDrafts } = seen;
  const rows = (await context.read.list(revisionTable, seen.aid, { limit: 100_000, reverse: true })).filter(
    (row) => row.public === 1 || seesDrafts,
  );
  return {
    slug: seen.slug,
    head: rows[0]?.rev ?? 0,
    revisions: rows.map((row) => ({
      rev: row.rev,
      ts: row.ts,
      actor: row.actor,
      action: row.action,
      hash: row.hash,
      prev: row.prev,
      url: `${links.articlePart(context.base, seen.slug, 'revisions')}?rev=${row.rev}`,
    })),
  };
});

/** One revision with its word-level difference from the one before. */
const readRevision = defineRead(Revision, async ({ context, seen, query }) => {
  const asked = query['rev'] as string;
  const past = await readAsOf(context, seen, { rev: asked });
  if (isFault(past)) return past;
  const rev = Number(asked);
  const [row] = (await context.read.list(revisionTable, seen.aid, { after: rev - 1, limit: 1 })) as [
    RevisionRow,
  ];
  const state = await loadArticle(past.context, seen.aid);
  const body = bodyOf(state);
  const before = rev > 1 ? await readAsOf(context, seen, { rev: String(rev - 1) }) : undefined;
  const bodyBefore =
    before === undefined || isFault(before) ? undefined : bodyOf(await loadArticle(before.context, seen.aid));
  return {
    slug: seen.slug,
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
