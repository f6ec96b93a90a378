/** Entry numbers on PostgreSQL: a sequence gives out units, and each batch takes its entries' numbers from whole ones. */

/** Entries of one batch are numbered from `unit * unitEntries`: adjacent, and far below 2^53. */
export const unitEntries = 4096;

/** Draws units of entry numbers; they are adjacent unless another session drew one in between. */
export function drawUnits(count: string): string {
  return `SELECT min(v) AS first, max(v) AS last FROM (SELECT nextval('entry_unit') AS v FROM generate_series(1, ${count}::int)) drawn`;
}
