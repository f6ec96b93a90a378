/** What is looked up or made before the act of a call, because the act itself cannot: one shape for each kind of row. */
import type { Document } from '../../domain/articles/write-document.ts';
import type { Measured } from '../../domain/paper/grow.ts';
import type { Ring } from '../../domain/paper/tables.ts';
import type { Fault } from '../../kernel/fault.ts';

/** The document of a batch, divided once. */
export interface DividedDocument {
  readonly prepared: Document | Fault;
  /** The caller chose the slug: an article that has it already is appended to. */
  readonly named: boolean;
  readonly number: number;
  /** The article's id, where it is a new one. */
  readonly aid: string;
}

/** Cohorts that a lease may come from, the first that has something free in front. */
export interface CohortsBefore {
  readonly places: readonly string[];
  /** When the first of the leases ends that stand in the way, ISO 8601. */
  readonly nextFree: string | null;
}

/** What is open as a lease is asked for. Times are milliseconds since 1970. */
export interface ClientLeases {
  readonly open: readonly HeldLease[];
  readonly max: number;
}

export interface HeldLease {
  readonly id: string;
  readonly untilMs: number;
}

/** What a growth needs that its act cannot read: the count, and the rings that the article shows. */
export interface GrowthBefore {
  readonly measured: Measured;
  /** Newest first. */
  readonly rings: readonly Ring[];
}
