/**
 * Reads of cohorts and assignments (spec §4.4, contract §7). They are public; the state of a lease is computed from
 * its end.
 */
import type { Credential } from '../../domain/capabilities/credential.ts';
import { maySeeDraft } from './article-access.ts';
import { laneState } from '../../domain/landscape/lease.ts';
import {
  assignmentTable,
  cohortIndexTable,
  cohortPlace,
  cohortTable,
  itemTable,
  openCohortTable,
  type AssignmentRecord,
  type CohortRow,
  type ItemRow,
} from '../../domain/landscape/tables.ts';
import { addressOfCohort, nameOfCohort, sameAxis } from '../../domain/landscape/queue.ts';
import { articleTable, slugPath, slugTable } from '../../domain/articles/tables.ts';
import { links } from '../../domain/links.ts';
import { about, fault, type Fault } from '../../kernel/fault.ts';
import {
  Assignment,
  Cohort,
  Landscape,
  type CohortSummary,
  type CohortView,
  type QueueItem,
} from '../../model/landscape.ts';
import { assignmentJson, readyBatch, returnAddress, workTemplates } from '../../represent/landscape-text.ts';
import { isOpenTo, nameOfTenant } from './workspaces.ts';
import type { CallerContext, ReadContext } from '../read-context.ts';
import { type Lane, lanes } from '../../model/vocabulary.ts';
import { defineRead } from './define-read.ts';

/** A cohort with its items, in queueing order. */
export interface LoadedCohort {
  /** Its name in addresses, prefixed by the workspace as in slugs. */
  readonly address: string;
  readonly row: CohortRow;
  readonly items: readonly ItemRow[];
  /** Open for contributors. */
  readonly isOpen: boolean;
}

export type Progress = CohortView['lanes'];

/** `asked`: a cohort's name, or its address. */
export async function findCohort(context: CallerContext, cohortName: string): Promise<LoadedCohort | Fault> {
  const { read } = context;
  const workspace = await nameOfTenant(context, context.tenant);
  const name = nameOfCohort(workspace, cohortName);
  const place = cohortPlace(context.tenant, name);
  // Other strings are not looked up.
  const row = /^[a-z0-9-]{2,40}$/.test(name) ? await read.row(cohortTable, place) : undefined;
  if (row === undefined)
    return about(
      fault(
        'not_found',
        `There is no cohort ${cohortName.slice(0, 60)}.`,
        'Read /api/build-landscape for those that there are.',
      ),
      { kind: 'cohort', id: cohortName },
    );
  const items = [...(await read.rows(itemTable, place)).values()].sort((a, b) => a.n - b.n);
  const isOpen = (await read.row(openCohortTable, place)) !== undefined;
  return { address: addressOfCohort(workspace, name), row, items, isOpen };
}

export function progressOf(items: readonly ItemRow[], now: string): Progress {
  return byLane((lane) => {
    const counts = { open: 0, leased: 0, complete: 0 };
    for (const row of items) counts[laneState(row.lanes[lane], now)]++;
    return counts;
  });
}

function byLane<T>(of: (lane: Lane) => T): Readonly<Record<Lane, T>> {
  return Object.fromEntries(lanes.map((lane) => [lane, of(lane)])) as Record<Lane, T>;
}

/** The axes of a cohort, in order of first use. */
export function axesOf(items: readonly ItemRow[]): readonly string[] {
  const axes = new Map<string, string>();
  for (const { item } of items)
    if (item.axis !== null && !axes.has(sameAxis(item.axis))) axes.set(sameAxis(item.axis), item.axis);
  return [...axes.values()];
}

export function targetsOf(items: readonly ItemRow[]): number {
  return new Set(items.map(({ item }) => item.target.id)).size;
}

/** A stamp of queueing, leases and completions. */
export function landscapeStamp({ read }: ReadContext, tenant: string): Promise<number> {
  return read.stamp(cohortIndexTable.aggregate as string, tenant);
}

export const listCohorts = defineRead(Landscape, async (context: CallerContext) => {
  const { base, read } = context;
  const workspace = await nameOfTenant(context, context.tenant);
  const index = [...(await read.rows(cohortIndexTable, context.tenant)).values()].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );
  const cohorts: CohortSummary[] = [];
  for (const { name, place, left } of index) {
    const row = await read.row(cohortTable, place);
    const isOpen = (await read.row(openCohortTable, place)) !== undefined;
    if (row !== undefined)
      cohorts.push(summaryJson(base, addressOfCohort(workspace, name), row, isOpen, left));
  }
  const landscape = `${base}/api/build-landscape`;
  const cohort = addressOfCohort(workspace, '{cohort}');
  return {
    count: cohorts.length,
    cohorts,
    templates: [
      `${landscape}?cohort=${cohort}`,
      `${landscape}?cohort=${cohort}&table=1`,
      `${landscape}?next=1&lane={lane}&n={n}&share={token}`,
      `${base}/api/normandy?assignment={norm}`,
    ],
  };
});

/** Summary of a cohort without its items. */
function summaryJson(
  base: string,
  address: string,
  { name, query, sort, queued_at, items }: CohortRow,
  isOpen: boolean,
  left: Readonly<Record<Lane, number>>,
): CohortSummary {
  return {
    cohort: name,
    query,
    sort,
    queued_at,
    open: isOpen,
    items,
    lanes: byLane((lane) => ({ left: left[lane], complete: items - left[lane] })),
    read: links.landscapeJson(base, address),
    table: links.comparison(base, address),
    page: links.landscape(base, address),
  };
}

export function cohortJson(
  base: string,
  { address, row, items, isOpen }: LoadedCohort,
  now: string,
): CohortView {
  const [first] = items;
  return {
    cohort: row.name,
    query: row.query,
    sort: row.sort,
    captured_at: first?.item.selection.captured_at ?? row.queued_at,
    source_url: first?.item.selection.source_url ?? null,
    queued_at: row.queued_at,
    open: isOpen,
    targets: targetsOf(items),
    items: items.length,
    axes: [...axesOf(items)],
    lanes: progressOf(items, now),
    read: links.landscapeJson(base, address),
    table: links.comparison(base, address),
    page: links.landscape(base, address),
  };
}

/** A page of a cohort's items with the state of each lane. `after` is an item number. */
export const readCohort = defineRead(
  Cohort,
  async (context: CallerContext, name: string, limit: number, after: number) => {
    const cohort = await findCohort(context, name);
    if (!('row' in cohort)) return cohort;
    const now = new Date(context.now()).toISOString();
    const rest = cohort.items.filter(({ n }) => n > after);
    const page = rest.slice(0, limit);
    const { base } = context;
    return {
      ...cohortJson(base, cohort, now),
      count: page.length,
      queue: page.map((row) => itemJson(base, row, now)),
      next:
        rest.length > limit
          ? `${links.landscapeJson(base, cohort.address)}&limit=${limit}&cursor=${page.at(-1)?.n ?? 0}`
          : null,
    };
  },
);

function itemJson(base: string, { n, item, lanes: states }: ItemRow, now: string): QueueItem {
  return {
    n,
    target: { ...item.target },
    axis: item.axis,
    slot: item.slot,
    article: item.article,
    article_url: links.article(base, item.article),
    lanes: byLane((lane) => {
      const lease = states[lane];
      const state = laneState(lease, now);
      return {
        state,
        assignment: lease === undefined || state === 'open' ? null : lease.assignment,
        until: lease !== undefined && state === 'leased' ? lease.until : null,
      };
    }),
  };
}

/** Found by callers that may see its workspace; `tenant` limits it to a named one. */
export const readAssignment = defineRead(
  Assignment,
  async (context: ReadContext, viewer: Credential, tenant: string | undefined, id: string) => {
    const row = /^norm_[a-z2-7]{16}$/.test(id) ? await context.read.row(assignmentTable, id) : undefined;
    const isThere =
      row !== undefined &&
      (tenant === undefined || row.record.tenant === tenant) &&
      (await isOpenTo(context, viewer, row.record.tenant));
    if (!isThere) return noAssignment(id);
    const { isSeen, isPublic } = await workOf(context, viewer, row.record);
    const shown = isSeen ? row : { ...row, result: [] };
    const { base } = context;
    const assignment = assignmentJson(base, shown, new Date(context.now()).toISOString());
    const isOpen = assignment.status === 'open';
    return {
      assignment_id: id,
      assignment,
      batch: isOpen && isSeen ? readyBatch(base, row) : null,
      templates: isOpen ? [...workTemplates(base, row.record, isPublic), returnAddress(base, '{share}')] : [],
    };
  },
);

export function noAssignment(id: string): Fault {
  return about(
    fault(
      'not_found',
      `There is no assignment ${id.slice(0, 40)}.`,
      'Use the id that a lease was answered with: norm_ and 16 characters.',
    ),
    { kind: 'assignment', id },
  );
}

/**
 * Draft contents and the ready body are for readers of the draft and the leaseholder. `isPublic`: the article was
 * published.
 */
async function workOf(
  { read }: ReadContext,
  viewer: Credential,
  { tenant, item, holder }: AssignmentRecord,
): Promise<{ readonly isSeen: boolean; readonly isPublic: boolean }> {
  const slug = await read.row(slugTable, slugPath(tenant, item.article));
  const article = slug === undefined ? undefined : await read.row(articleTable, slug.aid);
  const isDraft = article?.status === 'draft';
  const holds = viewer.kind === 'share' && viewer.chain.some(({ record }) => record.fingerprint === holder);
  return {
    isSeen: !isDraft || holds || maySeeDraft(viewer, tenant, item.article),
    isPublic: article !== undefined && !isDraft,
  };
}
