/** Makes the history of an article and the comparison of two of its revisions (contract §8). */
import { compareRevisions, comparedFaults } from '../../app/reads/compare-revisions.ts';
import type { ArticleAccess } from '../../app/reads/article-access.ts';
import { loadArticle } from '../../app/reads/articles.ts';
import { readAsOf } from '../../app/reads/historical-read.ts';
import { boundsOf, viewHistory } from '../../app/reads/revisions.ts';
import { activeDivs } from '../../domain/articles/state.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { Query } from '../http/requests.ts';
import { comparePage } from './compare-page.tsx';
import { historyPage } from './history-page.tsx';
import { cacheable, queryParameter, type MadePage } from './page-cache.ts';
import type { RenderPool } from './render-pool.ts';
import type { Site } from './site.ts';

export interface AskedHistory {
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** A page of the list, which keeps `from` and `to` chosen. */
  readonly before: number | undefined;
  readonly isSideBySide: boolean;
}

/** Faults: `invalid_request` for a number that is none. */
export function askedHistory(query: Query): AskedHistory | Fault {
  const [from, to, before] = (['from', 'to', 'before'] as const).map((name) => queryParameter(query, name));
  const [wrong] = comparedFaults({ from, to });
  if (wrong !== undefined) return wrong;
  if (before !== undefined && !/^[1-9]\d{0,8}$/.test(before))
    return fault(
      'invalid_request',
      '“before” is no number of a revision.',
      'Follow the links of the history as they are.',
    );
  return {
    from,
    to,
    before: before === undefined ? undefined : Number(before),
    isSideBySide: queryParameter(query, 'view') === 'sides',
  };
}

/** With two revisions and no page of the list, their comparison; else the list. */
export async function makeHistory(
  site: Site,
  pool: RenderPool,
  access: ArticleAccess,
  asked: AskedHistory,
): Promise<MadePage | Fault> {
  const { from, to, before } = asked;
  if ((from !== undefined || to !== undefined) && before === undefined)
    return makeComparison(site, pool, access, asked);
  const chosen = [from, to].flatMap((rev) => (rev === undefined ? [] : [Number(rev)]));
  const view = await viewHistory(site.service, access, before, chosen);
  const [newest, second] = view.revisions;
  const byDefault = { from: second?.rev ?? newest?.rev ?? 1, to: newest?.rev ?? 1 };
  return cacheable(
    historyPage(
      site,
      view,
      {
        from: from === undefined ? byDefault.from : Number(from),
        to: to === undefined ? byDefault.to : Number(to),
      },
      before !== undefined,
    ),
  );
}

async function makeComparison(
  site: Site,
  pool: RenderPool,
  access: ArticleAccess,
  { from, to, isSideBySide }: AskedHistory,
): Promise<MadePage | Fault> {
  const { service } = site;
  const found = await compareRevisions(service, access, { from, to });
  if (isFault(found)) return found;
  const shown = new Set(found.blocks.filter(({ change }) => change !== 'moved').map(({ id }) => id));
  const before = await renderedAt(site, pool, access, found.from.rev, shown);
  if (isFault(before)) return before;
  const after = await renderedAt(site, pool, access, found.to.rev, shown);
  if (isFault(after)) return after;
  const { title, newest, oldest } = await boundsOf(service, access);
  return cacheable(
    comparePage(site, { ...found, title, newest, oldest, rendered: { before, after }, isSideBySide }),
  );
}

/** These blocks of a revision as HTML, with the link definitions of the article that they may use. */
async function renderedAt(
  site: Site,
  pool: RenderPool,
  access: ArticleAccess,
  rev: number,
  ids: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string> | Fault> {
  const past = await readAsOf(site.service, access, { rev: String(rev) });
  if (isFault(past)) return past;
  const pieces = activeDivs(await loadArticle(past.context, access.aid))
    .filter(({ div_id: id, kind }) => ids.has(id) || kind === 'definition')
    .map(({ div_id, text }) => ({ div_id, text, sep: '\n\n' }));
  const rendered = await pool.render({ lead: '', pieces });
  if (rendered === 'busy')
    return fault(
      'overloaded',
      'Too many long texts are being rendered.',
      'Wait a few seconds and load the page again.',
      { retry_after: 5 },
    );
  if (rendered === 'slow') return new Map();
  return new Map(rendered.divs.map(({ div_id: id, html }) => [id, html]));
}
