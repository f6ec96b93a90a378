/**
 * The landscape (spec §4.4, contract §7): cohorts of targets, each waiting in four lanes, and the assignments by
 * which a worker holds one of them. A lease has an end; whether it has ended is computed on read, never written.
 */
import { integer, json, nullable, table, text, type RowOf } from '../../engine/tables.ts';
import type { Head } from '../../ledger/entry.ts';
import type { Lane } from '../../model/vocabulary.ts';
import type { Landed, Selection, Snapshot, Target } from '../../model/landscape.ts';

/** One thing to find out: a target, on one axis or on none. */
export type Item = {
  readonly n: number;
  readonly target: Target;
  readonly axis: string | null;
  readonly slot: string | null;
  /** Slug of the article that holds what is found. */
  readonly article: string;
  readonly selection: Selection;
  /** Who queued it: `owner` or a fingerprint, whose authority the work rests on. */
  readonly queued_by: string;
};

/** The state of an item in a lane in which it was leased. */
export type LeaseState = {
  readonly assignment: string;
  /** Whose leases it counts among. */
  readonly holder: string;
  readonly until: string;
  readonly done: boolean;
};

/** What never changes about an assignment once it was given out. */
export type AssignmentRecord = {
  readonly id: string;
  readonly tenant: string;
  readonly cohort: string;
  readonly lane: Lane;
  readonly item: Item;
  readonly snapshot: Snapshot;
  readonly snapshot_hash: string;
  /** Facts of the moment that the ready body is made of. */
  readonly footing: Footing;
  readonly actor: string;
  readonly holder: string;
  readonly capability_fingerprint: string;
  readonly leased_at: string;
  readonly expires_at: string;
  readonly receipt: string;
  /** Leased by a free credential; absent for the owner and for owner-minted credentials. */
  readonly free?: true;
  /** The lapsed assignment whose place this one takes. */
  readonly replaces: { readonly id: string; readonly holder: string } | null;
};

export type Footing = {
  /** Id that the next source of the article will get. */
  readonly next_source: string;
  /** A DIV to challenge, with the hash that it has. */
  readonly div: { readonly id: string; readonly hash: string } | null;
  readonly sources: readonly string[];
};

export const cohortTable = table('cohort', {
  key: { place: text() },
  columns: {
    tenant: text(),
    name: text(),
    chain: text(),
    query: text(),
    sort: text(),
    items: integer(),
    queued_at: text(),
    head: json<Head>(),
  },
  aggregate: 'cohort',
});

/** Cohorts that contributors may lease from: a row stands while the cohort is open. */
export const openCohortTable = table('cohort_open', {
  key: { place: text() },
  columns: { since: text() },
  aggregate: 'cohort',
  compact: true,
});

/** Drafts that contributors' work on a target began, by the slug of its article: what that work may read and extend. */
export const begunTable = table('cohort_begun', {
  key: { place: text(), article: text() },
  columns: { aid: text() },
  aggregate: 'cohort',
  compact: true,
});

export const itemTable = table('cohort_item', {
  key: { place: text(), n: integer() },
  columns: { item: json<Item>(), lanes: json<Partial<Readonly<Record<Lane, LeaseState>>>>() },
  aggregate: 'cohort',
});

/** The cohorts of a workspace, with what each lane still has to do. */
export const cohortIndexTable = table('cohort_index', {
  key: { tenant: text(), name: text() },
  columns: { place: text(), since: text(), left: json<Readonly<Record<Lane, number>>>() },
  aggregate: 'landscape',
});

export const assignmentTable = table('assignment', {
  key: { id: text() },
  columns: {
    record: json<AssignmentRecord>(),
    result: json<readonly Landed[]>(),
    completed_at: nullable(text()),
    /** The leaseholder, the share of the work or the owner gave it back. */
    returned_at: nullable(text()),
    head: json<Head>(),
  },
  aggregate: 'assignment',
});

/** Assignments that a credential holds, neither completed nor returned. */
export const heldTable = table('assignment_held', {
  key: { holder: text(), id: text() },
  columns: { expires_at: text() },
  aggregate: 'assignment_held',
  compact: true,
});

export const landscapeTables = [
  cohortTable,
  openCohortTable,
  begunTable,
  itemTable,
  cohortIndexTable,
  assignmentTable,
  heldTable,
];
export type CohortRow = RowOf<typeof cohortTable>;
export type ItemRow = RowOf<typeof itemTable>;
export type AssignmentRow = RowOf<typeof assignmentTable>;

export function cohortPlace(tenant: string, name: string): string {
  return `${tenant}/${name}`;
}
