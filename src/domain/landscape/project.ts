/**
 * Cohorts, items and assignments made of their ledger entries (contract §7); the same live and in a rebuild. Scrubbing
 * replays an assignment's chain by itself, without the cohort that it belongs to: what is not there stays as it is.
 */
import { headOf } from '../../ledger/entry.ts';
import type { Event, Projection } from '../../engine/act.ts';
import type { QueueContent } from './queue.ts';
import {
  assignmentTable,
  begunTable,
  cohortIndexTable,
  cohortPlace,
  cohortTable,
  heldTable,
  itemTable,
  openCohortTable,
  type AssignmentRecord,
  type AssignmentRow,
  type LeaseState,
} from './tables.ts';
import type { Landed } from '../../model/landscape.ts';
import type { Lane } from '../../model/vocabulary.ts';

const nothingLeft: Readonly<Record<Lane, number>> = { field: 0, build: 0, opposition: 0, synthesis: 0 };

export function projectLandscape(event: Event, to: Projection): void {
  const { entry } = event.sealed;
  const content: unknown = event.contents['content_sha'];
  if (content === undefined) return;
  if (entry.chain.startsWith('coh_')) projectQueue(event, content as QueueContent, to);
  else if (!entry.chain.startsWith('norm_')) return;
  else if (entry['action'] === 'lease') projectLeased(event, content as AssignmentRecord, to);
  else if (entry['action'] === 'begin') projectBegun(event, (content as { readonly aid: string }).aid, to);
  else if (entry['action'] === 'return') projectReturned(event, to);
  else projectLanded(event, (content as { readonly result: readonly Landed[] }).result, to);
}

function projectQueue({ sealed }: Event, content: QueueContent, to: Projection): void {
  const { entry } = sealed;
  const { tenant, name, query, sort, items, open } = content;
  const place = cohortPlace(tenant, name);
  const before = to.row(cohortTable, place);
  to.put(cohortTable, {
    place,
    tenant,
    name,
    chain: entry.chain,
    query,
    sort,
    items: (before?.items ?? 0) + items.length,
    queued_at: entry.ts,
    head: headOf(sealed),
  });
  if (open === true) to.put(openCohortTable, { place, since: entry.ts });
  else if (open === false) to.remove(openCohortTable, place);
  for (const item of items) to.put(itemTable, { place, n: item.n, item, lanes: {} });
  const index = to.row(cohortIndexTable, tenant, name);
  const left = index?.left ?? nothingLeft;
  to.put(cohortIndexTable, {
    tenant,
    name,
    place,
    since: index?.since ?? entry.ts,
    left: {
      field: left.field + items.length,
      build: left.build + items.length,
      opposition: left.opposition + items.length,
      synthesis: left.synthesis + items.length,
    },
  });
}

function projectLeased({ sealed }: Event, record: AssignmentRecord, to: Projection): void {
  const { id, holder, expires_at: until, replaces } = record;
  to.put(assignmentTable, {
    id,
    record,
    result: [],
    completed_at: null,
    returned_at: null,
    head: headOf(sealed),
  });
  stand(record, { assignment: id, holder, until, done: false }, to);
  if (replaces !== null) to.remove(heldTable, replaces.holder, replaces.id);
  to.put(heldTable, { holder, id, expires_at: until });
}

function projectBegun({ sealed }: Event, aid: string, to: Projection): void {
  const { entry } = sealed;
  const row = assignmentIn(to, entry.chain);
  const { tenant, cohort, item } = row.record;
  to.put(assignmentTable, { ...row, head: headOf(sealed) });
  to.put(begunTable, { place: cohortPlace(tenant, cohort), article: item.article, aid });
}

/** `land` adds to the result, `complete` closes the assignment as well. */
function projectLanded({ sealed }: Event, landed: readonly Landed[], to: Projection): void {
  const { entry } = sealed;
  const row = assignmentIn(to, entry.chain);
  const { record } = row;
  const completes = entry['action'] === 'complete';
  to.put(assignmentTable, {
    ...row,
    result: [...row.result, ...landed],
    completed_at: completes ? entry.ts : row.completed_at,
    head: headOf(sealed),
  });
  if (!completes) return;
  const { id, holder, expires_at: until, lane, tenant, cohort } = record;
  stand(record, { assignment: id, holder, until, done: true }, to);
  to.remove(heldTable, holder, id);
  const index = to.row(cohortIndexTable, tenant, cohort);
  if (index !== undefined)
    to.put(cohortIndexTable, { ...index, left: { ...index.left, [lane]: index.left[lane] - 1 } });
}

/** Its item is free in the lane at once, as if it had not been leased. */
function projectReturned({ sealed }: Event, to: Projection): void {
  const { entry } = sealed;
  const row = assignmentIn(to, entry.chain);
  const { id, holder, tenant, cohort, lane, item } = row.record;
  to.put(assignmentTable, { ...row, returned_at: entry.ts, head: headOf(sealed) });
  to.remove(heldTable, holder, id);
  const place = cohortPlace(tenant, cohort);
  const queued = to.row(itemTable, place, item.n);
  if (queued === undefined) return;
  const { [lane]: _returned, ...others } = queued.lanes;
  to.put(itemTable, { ...queued, lanes: others });
}

function assignmentIn(to: Projection, id: string): AssignmentRow {
  const row = to.row(assignmentTable, id);
  if (row === undefined) throw new Error(`there is no assignment ${id}`);
  return row;
}

function stand(record: AssignmentRecord, state: LeaseState, to: Projection): void {
  const place = cohortPlace(record.tenant, record.cohort);
  const row = to.row(itemTable, place, record.item.n);
  if (row !== undefined) to.put(itemTable, { ...row, lanes: { ...row.lanes, [record.lane]: state } });
}
