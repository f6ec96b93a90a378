/**
 * The plan `grow-paper`: appends a ring to the paper about the ledger. Its figures are counted before the act. The
 * first growth writes the article; later ones rewrite its generated parts.
 */
import { editDivs } from '../../domain/articles/edit-div.ts';
import { slugAttempt, slugIn } from '../../domain/articles/slugs.ts';
import { type ArticleState, articleOf } from '../../domain/articles/state.ts';
import { slugPath, slugTable } from '../../domain/articles/tables.ts';
import { createArticle, prepareDocument } from '../../domain/articles/write-document.ts';
import type { Context } from '../../domain/context.ts';
import { links } from '../../domain/links.ts';
import {
  nextRing,
  paperMarkdown,
  paperSlug,
  paperTable,
  paperTitle,
  ringEvent,
  ringTable,
  ringsDiv,
  ringsMarkdown,
  stateDiv,
  stateMarkdown,
} from '../../domain/paper/grow.ts';
import { type EventDraft, type Tx, writes } from '../../engine/act.ts';
import { type Fault, fault, isFault } from '../../kernel/fault.ts';
import { measure } from '../reads/paper-state.ts';
import { definePlan } from './plan.ts';
import { exactly } from '../../model/exact.ts';
import { PaperGrown, type Ring } from '../../model/workspace.ts';

declare module '../../domain/capabilities/plan.ts' {
  interface Plans {
    'grow-paper': unknown;
  }
}

/** Number of rings in the article. */
const ringsShownMax = 20;

export const growPaperPlan = definePlan({
  kind: 'grow-paper',
  keys: ({ call }) => [writes('paper', call.tenant)],
  async loadInputs({ service, call }) {
    const rows = await service.store.read.list(ringTable, call.tenant, {
      limit: ringsShownMax,
      reverse: true,
    });
    return { measured: await measure(service, call.tenant), rings: rows.map(({ ring }) => ring) };
  },
  run({ service, tx, call, context, inputs: { measured, rings } }) {
    const paper = tx.row(paperTable, context.tenant);
    const ring = nextRing(paper, measured, context.now);
    const state = paper === undefined ? undefined : articleOf(tx, paper.aid);
    const written =
      state === undefined
        ? firstPaper(tx, ring, call.workspace, context)
        : rewritten(tx, state, ring, rings, context);
    if (isFault(written)) return written;
    const appended = tx.append(ringEvent(paper, written.row.aid, ring, context));
    const { slug, version } = written.row;
    return {
      result: exactly(PaperGrown, {
        slug,
        version,
        ring,
        ring_hash: appended.sealed.hash,
        url: links.article(service.base, slug),
      }),
      text: `The paper grew ring ${ring.ring}.`,
      material: [{ kind: 'article', id: slug, url: links.article(service.base, slug) }],
    };
  },
});

/** Skips slugs of other articles. */
const slugTries = 8;

function firstPaper(tx: Tx, ring: Ring, workspace: string, context: Context): ArticleState | Fault {
  for (let n = 1; n <= slugTries; n++) {
    const slug = slugAttempt(slugIn(workspace, paperSlug), n);
    if (tx.row(slugTable, slugPath(context.tenant, slug)) !== undefined) continue;
    const input = {
      slug,
      title: paperTitle,
      markdown: paperMarkdown(ring),
      tags: ['generated'],
      category: 'paper',
    };
    const document = prepareDocument(input, context.limits);
    if (isFault(document)) return document;
    const aid = context.id('art_');
    return appendAll(tx, createArticle(document, aid, context).events, aid);
  }
  return fault('conflict', `Every name like ${paperSlug} is taken.`, 'Rename one of those articles.');
}

function rewritten(
  tx: Tx,
  paper: ArticleState,
  ring: Ring,
  rings: readonly Ring[],
  context: Context,
): ArticleState | Fault {
  const edits = [
    { divId: stateDiv, text: stateMarkdown(ring) },
    { divId: ringsDiv, text: ringsMarkdown([ring, ...rings]) },
  ].flatMap(({ divId, text }) => {
    const div = paper.divs.get(divId);
    // Burned or absorbed DIVs are not rewritten; the ring is appended.
    if (div === undefined || div.status !== 'current' || div.text === text) return [];
    return [{ div_id: divId, expected_hash: div.vx_hash, text }];
  });
  if (edits.length === 0) return paper;
  const events = editDivs(paper, edits, context);
  return isFault(events) ? events : appendAll(tx, events, paper.row.aid);
}

function appendAll(tx: Tx, events: readonly EventDraft[], aid: string): ArticleState {
  for (const event of events) tx.append(event);
  return articleOf(tx, aid) as ArticleState;
}
