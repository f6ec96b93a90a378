/**
 * An article as decisions and representations see it: rows of one aggregate, immutable, with the orders
 * and joins that everything needs.
 */
import type { View } from '../../engine/act.ts';
import type { Sub } from '../../engine/tables.ts';
import { join } from './divide.ts';
import {
  articleTable,
  claimTable,
  divTable,
  slugPath,
  slugTable,
  sourceTable,
  type ArticleRow,
  type ClaimRow,
  type DivRow,
  type SourceRow,
} from './tables.ts';
import type { Claim } from '../../model/claim.ts';

export interface ArticleState {
  readonly row: ArticleRow;
  readonly divs: ReadonlyMap<Sub, DivRow>;
  readonly claims: ReadonlyMap<Sub, ClaimRow>;
  readonly sources: ReadonlyMap<Sub, SourceRow>;
}

/** The article under a slug, or nothing where the workspace has none. */
export function articleAt(view: View, tenant: string, slug: string): ArticleState | undefined {
  const found = view.row(slugTable, slugPath(tenant, slug));
  return found === undefined ? undefined : articleOf(view, found.aid);
}

export function articleOf(view: View, aid: string): ArticleState | undefined {
  const row = view.row(articleTable, aid);
  if (row === undefined) return undefined;
  return {
    row,
    divs: view.rows(divTable, aid),
    claims: view.rows(claimTable, aid),
    sources: view.rows(sourceTable, aid),
  };
}

const orders = new WeakMap<ReadonlyMap<Sub, DivRow>, readonly DivRow[]>();

/** Active DIVs in reading order. */
export function activeDivs(state: Pick<ArticleState, 'divs'>): readonly DivRow[] {
  const known = orders.get(state.divs);
  if (known !== undefined) return known;
  const active: DivRow[] = [];
  let sorted = true;
  for (const div of state.divs.values()) {
    if (div.status !== 'current') continue;
    if (sorted && active.length > 0 && (active[active.length - 1] as DivRow).pos > div.pos) sorted = false;
    active.push(div);
  }
  if (!sorted) active.sort((a, b) => a.pos - b.pos);
  return active;
}

/** Remembers an order for a state that is committed and will not change any more. */
export function cacheOrder(state: Pick<ArticleState, 'divs'>): void {
  if (!orders.has(state.divs)) orders.set(state.divs, activeDivs(state));
}

export function bodyOf(state: ArticleState): string {
  return join(state.row.lead, activeDivs(state));
}

export function claimsOf(state: ArticleState): readonly Claim[] {
  return [...state.claims.values()].sort((a, b) => a.n - b.n).map((row) => row.claim);
}

export function sourcesOf(state: ArticleState): readonly SourceRow[] {
  return [...state.sources.values()].sort((a, b) => a.n - b.n);
}
