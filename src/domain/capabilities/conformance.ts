/**
 * What invocations on an article came to (spec §2.1 `object.conformance`, contract §5): "successes and failures
 * amend conformance knowledge". Counters and the newest of each stand in one row an article, every event in a
 * list, all made from the invocations' own entries, which name the article by its opaque id.
 */
import type { Event, Projection } from '../../engine/act.ts';
import { integer, json, nullable, table, text, type RowOf } from '../../engine/tables.ts';

/** A type and not an interface, so that it counts as JSON. */
export type ConformanceEvent = {
  readonly inv: string;
  readonly key: string;
  readonly status: string;
  readonly actor: string;
  readonly ts: string;
};

export const conformanceTable = table('conformance', {
  key: { aid: text() },
  columns: {
    successes: integer(),
    failures: integer(),
    newest_success: nullable(json<ConformanceEvent>()),
    newest_failure: nullable(json<ConformanceEvent>()),
  },
  aggregate: 'conformance',
});

/** `place` is `<aid> success` or `<aid> failure`; `seq` is the entry of the outcome. */
export const conformanceEventTable = table('conformance_event', {
  key: { place: text(), seq: integer() },
  columns: { inv: text(), key: text(), status: text(), actor: text(), ts: text() },
  compact: true,
});

export const conformanceTables = [conformanceTable, conformanceEventTable];
export type ConformanceRow = RowOf<typeof conformanceTable>;

export type Outcome = 'success' | 'failure';

export function conformancePlace(aid: string, outcome: Outcome): string {
  return `${aid} ${outcome}`;
}

/** What a status came to; nothing while it is open, and nothing for what the owner declined to fire. */
export function outcomeOf(status: string): Outcome | undefined {
  if (status === 'success') return 'success';
  return status === 'failed' || status === 'denied' ? 'failure' : undefined;
}

/** Called with the entry of the outcome of an invocation on the article `aid`. */
export function projectConformance(
  event: Event,
  aid: string,
  observed: ConformanceEvent,
  to: Projection,
): void {
  const outcome = outcomeOf(observed.status);
  if (outcome === undefined) return;
  const before = to.row(conformanceTable, aid) ?? {
    aid,
    successes: 0,
    failures: 0,
    newest_success: null,
    newest_failure: null,
  };
  to.put(
    conformanceTable,
    outcome === 'success'
      ? { ...before, successes: before.successes + 1, newest_success: observed }
      : { ...before, failures: before.failures + 1, newest_failure: observed },
  );
  to.put(conformanceEventTable, { place: conformancePlace(aid, outcome), seq: event.seq, ...observed });
}
