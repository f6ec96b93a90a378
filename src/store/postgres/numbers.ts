/** Entry numbers on PostgreSQL: a sequence gives out units, and each batch takes its entries' numbers from whole ones. */

/** Entries of one batch are numbered from `unit * unitEntries`: adjacent, and far below 2^53. */
export const unitEntries = 4096;
