/** The paper's growth rings as a projection of their chain (spec §2.6.1 PAPER_GROW, PAPER_STATE). */
import { integer, json, table, text, type RowOf } from '../../engine/tables.ts';
import type { Head } from '../../ledger/entry.ts';
import type { Ring } from '../../model/workspace.ts';

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
