/** PAPER_STATE: the paper's rings, current counts, and their difference. */
import { articleTable } from '../../domain/articles/tables.ts';
import type { Result } from '../../domain/context.ts';
import { threadTable } from '../../domain/discourse/thread.ts';
import { links } from '../../domain/links.ts';
import { mirrorTable } from '../../domain/mirror/tables.ts';
import { type Measured, countChanges, paperTable } from '../../domain/paper/grow.ts';
import type { ReadContext } from '../read-context.ts';
import { exactly } from '../../model/exact.ts';
import { PaperState } from '../../model/workspace.ts';

export async function paperState(context: ReadContext, tenant: string): Promise<Result> {
  const paper = await context.read.row(paperTable, tenant);
  const { counts, logSize, logRoot } = await measure(context, tenant);
  const article = paper === undefined ? undefined : await context.read.row(articleTable, paper.aid);
  const drift = paper === undefined ? null : countChanges(counts, paper.latest.counts);
  const drifted = drift !== null && Object.values(drift).some((count) => count !== 0);
  const slug = article?.slug ?? null;
  return {
    result: exactly(PaperState, {
      slug,
      url: slug === null ? null : links.article(context.base, slug),
      rings: paper?.rings ?? 0,
      latest_ring: paper?.latest ?? null,
      live: { ...counts, log_size: logSize, log_root: logRoot },
      drift,
      drifted,
    }),
    text:
      paper === undefined
        ? 'The paper has not grown yet.'
        : `${paper.rings} ${paper.rings === 1 ? 'ring' : 'rings'}; the ledger has ${drifted ? 'moved on since' : 'not changed in what is counted since'}.`,
    material: [],
  };
}

/** Counts published objects of a workspace without the paper, which would otherwise never be up to date. */
export async function measure(context: ReadContext, tenant: string): Promise<Measured> {
  const { read } = context;
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
  for await (const row of read.scan(articleTable)) {
    if (row.tenant !== tenant || row.status !== 'published' || row.aid === paper?.aid) continue;
    own.add(row.aid);
    counts.articles++;
    counts.divs += row.divs_made;
    counts.claims += row.claims_made;
    counts.sources += row.sources_made;
    counts.revisions += row.version;
  }
  for await (const row of read.scan(mirrorTable)) if (own.has(row.aid)) counts.contributions += row.count;
  for await (const row of read.scan(threadTable)) if (own.has(row.aid)) counts.discourse += row.posts;
  const logRoot = Buffer.from(checkpoint?.root ?? new Uint8Array()).toString('hex');
  return { counts, logSize, logRoot };
}
