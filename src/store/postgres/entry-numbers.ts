/**
 * Entry numbers on PostgreSQL: a sequence hands out ranges, and each batch numbers its entries from a range of its
 * own.
 */

/** Entries of one batch are numbered from `unit * unitEntries`: adjacent, and far below 2^53. */
export const unitEntries = 4096;

/** Draws units of entry numbers; they are adjacent unless another session drew one in between. */
export function drawUnits(count: string): string {
  return `SELECT min(v) AS first, max(v) AS last FROM (SELECT nextval('entry_unit') AS v FROM generate_series(1, ${count}::int)) drawn`;
}
