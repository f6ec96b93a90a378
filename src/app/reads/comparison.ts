/**
 * The comparison table of a cohort (spec §2.12 rules 4 and 5, contract §7): targets by axes. A cell is filled by an
 * active claim of the target's article that names the axis and cites a source.
 */
import type { CallerContext } from '../read-context.ts';
import { claimTable, sourceTable } from '../../domain/articles/tables.ts';
import { authorizeArticle } from './article-access.ts';
import { sameAxis } from '../../domain/landscape/queue.ts';
import type { ItemRow } from '../../domain/landscape/tables.ts';
import type { Cell, TableRow, Target } from '../../model/landscape.ts';
import { links } from '../../domain/links.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import { axesOf, findCohort, type LoadedCohort } from './landscape.ts';
import type { Claim } from '../../model/claim.ts';

export interface Comparison {
  readonly cohort: LoadedCohort;
  readonly axes: readonly string[];
  readonly rows: readonly TableRow[];
  /** The target after which the next page begins. */
  readonly after: number | null;
  readonly filled: number;
}

/** `skip`: number of targets on earlier pages. */
export async function compareCohort(
  context: CallerContext,
  name: string,
  limit: number,
  skip: number,
): Promise<Comparison | Fault> {
  const cohort = await findCohort(context, name);
  if (!('row' in cohort)) return cohort;
  const axes = axesOf(cohort.items);
  const targets = targetsInOrder(cohort.items);
  const rows: TableRow[] = [];
  for (const { target, article } of targets.slice(skip, skip + limit))
    rows.push(await tableRow(context, axes, target, article));
  const filled = rows.reduce((sum, row) => sum + row.cells.filter((cell) => cell.claim !== null).length, 0);
  return { cohort, axes, rows, filled, after: skip + limit < targets.length ? skip + limit : null };
}

/** Targets without duplicates, by rank, then in queueing order. */
function targetsInOrder(
  items: readonly ItemRow[],
): readonly { readonly target: Target; readonly article: string }[] {
  const seen = new Map<string, { readonly target: Target; readonly article: string }>();
  for (const { item } of items)
    if (!seen.has(item.target.id)) seen.set(item.target.id, { target: item.target, article: item.article });
  return [...seen.values()].sort((a, b) => {
    const [left, right] = [a.target.rank ?? Infinity, b.target.rank ?? Infinity];
    return left === right ? 0 : left - right;
  });
}

async function tableRow(
  context: CallerContext,
  axes: readonly string[],
  target: Target,
  article: string,
): Promise<TableRow> {
  const { base, read } = context;
  const empty = axes.map((axis) => ({ axis, claim: null, more: 0 }));
  const access = await authorizeArticle(context, article);
  if (isFault(access)) return { target, article, article_url: null, cells: empty };
  const [claims, sources] = await Promise.all([
    read.rows(claimTable, access.aid),
    read.rows(sourceTable, access.aid),
  ]);
  const filling = new Map<string, Claim[]>();
  for (const { claim } of claims.values()) {
    const axis = claim.extra.comparison?.axis;
    if (axis === undefined || claim.status !== 'active' || claim.source_ids.length === 0) continue;
    const known = filling.get(sameAxis(axis));
    if (known === undefined) filling.set(sameAxis(axis), [claim]);
    else known.push(claim);
  }
  const cells = axes.map((axis): Cell => {
    const found = (filling.get(sameAxis(axis)) ?? []).sort(byWeight);
    const [best] = found;
    if (best === undefined) return { axis, claim: null, more: 0 };
    const comparison = best.extra.comparison;
    return {
      axis,
      claim: {
        id: best.id,
        text: best.text,
        tier: best.tier,
        weight: best.weight,
        url: links.claim(base, article, best.id),
        population: comparison?.population ?? '',
        captured_at: comparison?.captured_at ?? '',
        selection: comparison?.selection ?? '',
        sources: best.source_ids.map((id) => {
          const source = sources.get(id)?.source;
          return { id, title: source?.title ?? '', url: source?.url ?? '' };
        }),
      },
      more: found.length - 1,
    };
  });
  return { target, article, article_url: links.article(base, article), cells };
}

/** By weight, then newest first. */
function byWeight(a: Claim, b: Claim): number {
  return b.weight - a.weight || Number(b.id.slice(1)) - Number(a.id.slice(1));
}
