/** The paper's rows at work: counting the live state, growing the article in one act, and telling its drift. */
import { articleTable, slugPath, slugTable, type ArticleRow } from '../../domain/articles/tables.ts';
import { articleOf, type ArticleState } from '../../domain/articles/state.ts';
import { editDivs } from '../../domain/articles/edit-div.ts';
import { numbered, slugIn } from '../../domain/articles/slugs.ts';
import { createArticle, prepareDocument } from '../../domain/articles/write-document.ts';
import type { Context, Result } from '../../domain/context.ts';
import { threadTable } from '../../domain/discourse/tables.ts';
import { links } from '../../domain/links.ts';
import { mirrorTable } from '../../domain/mirror/tables.ts';
import {
  difference,
  nextRing,
  paperMarkdown,
  paperSlug,
  paperTitle,
  ringEvent,
  ringsDiv,
  ringsMarkdown,
  stateDiv,
  stateMarkdown,
  type Measured,
} from '../../domain/paper/grow.ts';
import { paperTable, ringTable, type Ring } from '../../domain/paper/tables.ts';
import type { EventDraft, Tx } from '../../engine/act.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { Service } from '../service.ts';
import type { GrowthBefore } from './before.ts';

/** Counts what a workspace has published, the paper itself left out: it would otherwise never be up to date. */
async function measure(service: Service, tenant: string): Promise<Measured> {
  const { read } = service.store;
  const checkpoint = await read.checkpoint();
  const logSize = checkpoint?.size ?? 0;
  const paper = await read.row(paperTable, tenant);
  const counts = {
    articles: 0,
    divs: 0,
    claims: 0,
    sources: 0,
    revisions: 0,
    contributions: 0,
    discourse: 0,
  };
  const own = new Set<string>();
  for await (const each of read.scan(articleTable)) {
    const row = each as unknown as ArticleRow;
    if (row.tenant !== tenant || row.status !== 'published' || row.aid === paper?.aid) continue;
    own.add(row.aid);
    counts.articles++;
    counts.divs += row.divs_made;
    counts.claims += row.claims_made;
    counts.sources += row.sources_made;
    counts.revisions += row.version;
  }
  for await (const row of read.scan(mirrorTable))
    if (own.has(String(row['aid']))) counts.contributions += Number(row['count']);
  for await (const row of read.scan(threadTable))
    if (own.has(String(row['aid']))) counts.discourse += Number(row['posts']);
  const logRoot = Buffer.from(checkpoint?.root ?? new Uint8Array()).toString('hex');
  return { counts, logSize, logRoot };
}

export async function beforeGrowth(service: Service, tenant: string): Promise<GrowthBefore> {
  const rows = await service.store.read.list(ringTable, tenant, { limit: 20, reverse: true });
  return { measured: await measure(service, tenant), rings: rows.map(({ ring }) => ring) };
}

/** PAPER_STATE: rings, the latest of them, what is there now, and how far the two lie apart. */
export async function paperState(service: Service, tenant: string): Promise<Result> {
  const paper = await service.store.read.row(paperTable, tenant);
  const { counts, logSize, logRoot } = await measure(service, tenant);
  const article = paper === undefined ? undefined : await service.store.read.row(articleTable, paper.aid);
  const drift = paper === undefined ? null : difference(counts, paper.latest.counts);
  const drifted = drift !== null && Object.values(drift).some((count) => count !== 0);
  const slug = article?.slug ?? null;
  return {
    result: {
      slug,
      url: slug === null ? null : links.article(service.base, slug),
      rings: paper?.rings ?? 0,
      latest_ring: paper?.latest ?? null,
      live: { ...counts, log_size: logSize, log_root: logRoot },
      drift,
      drifted,
    },
    text:
      paper === undefined
        ? 'The paper has not grown yet.'
        : `${paper.rings} ${paper.rings === 1 ? 'ring' : 'rings'}; the ledger has ${drifted ? 'moved on since' : 'not changed in what is counted since'}.`,
    material: [],
  };
}

/** PAPER_GROW inside its act. The first growth writes the article; later ones rewrite what is generated in it. */
export function growPaper(
  service: Service,
  tx: Tx,
  before: GrowthBefore,
  workspace: string,
  context: Context,
): Result | Fault {
  const paper = tx.row(paperTable, context.tenant);
  const ring = nextRing(paper, before.measured, context.now);
  const state = paper === undefined ? undefined : articleOf(tx, paper.aid);
  const written =
    state === undefined
      ? firstPaper(tx, ring, workspace, context)
      : rewritten(tx, state, ring, before, context);
  if (isFault(written)) return written;
  const appended = tx.append(ringEvent(paper, written.row.aid, ring, context));
  const { slug, version } = written.row;
  return {
    result: { slug, version, ring, ring_hash: appended.sealed.hash, url: links.article(service.base, slug) },
    text: `The paper grew ring ${ring.ring}.`,
    material: [{ kind: 'article', id: slug, url: links.article(service.base, slug) }],
  };
}

/** Names that somebody else may have taken are passed over. */
const slugTries = 8;

function firstPaper(tx: Tx, ring: Ring, workspace: string, context: Context): ArticleState | Fault {
  for (let n = 1; n <= slugTries; n++) {
    const slug = numbered(slugIn(workspace, paperSlug), n);
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
  before: GrowthBefore,
  context: Context,
): ArticleState | Fault {
  const edits = [
    { divId: stateDiv, text: stateMarkdown(ring) },
    { divId: ringsDiv, text: ringsMarkdown([ring, ...before.rings]) },
  ].flatMap(({ divId, text }) => {
    const div = paper.divs.get(divId);
    // What somebody has burned or absorbed is not written again; the ring is appended all the same.
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
