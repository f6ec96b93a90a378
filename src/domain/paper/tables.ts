/** The paper's growth rings as a projection of their chain (spec §2.6.1 PAPER_GROW, PAPER_STATE). */
import { integer, json, table, text, type RowOf } from '../../engine/tables.ts';
import type { Head } from '../../ledger/entry.ts';

/** What is counted of a workspace, whole numbers. A type, so that it counts as JSON. */
export type Counts = {
  readonly articles: number;
  readonly divs: number;
  readonly claims: number;
  readonly sources: number;
  readonly revisions: number;
  readonly contributions: number;
  readonly discourse: number;
};

/** What one growth saw. */
export type Ring = {
  /** From 1. */
  readonly ring: number;
  readonly ts: string;
  /** Entries in the log and its root, lowercase hex, as they stood before the growth. */
  readonly log_size: number;
  readonly log_root: string;
  readonly counts: Counts;
  /** What each count gained since the ring before. */
  readonly gained: Counts;
};

export const paperTable = table('paper', {
  key: { tenant: text() },
  columns: { aid: text(), rings: integer(), latest: json<Ring>(), head: json<Head>() },
  aggregate: 'paper',
});

export const ringTable = table('paper_ring', {
  key: { tenant: text(), n: integer() },
  columns: { ring: json<Ring>(), prev: text(), hash: text() },
});

export const paperTables = [paperTable, ringTable];
export type PaperRow = RowOf<typeof paperTable>;
