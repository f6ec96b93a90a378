/** Conformance as it is read (spec §2.1 `object.conformance`, contract §5): counts, and the newest of each outcome. */
import type { ConformanceEvent, ConformanceRow } from '../domain/capabilities/conformance.ts';
import { links } from '../domain/links.ts';
import type { Conformance } from '../model/article.ts';
import type { ConformanceEventView } from '../model/invocation.ts';

export function conformanceJson(base: string, row: ConformanceRow | undefined): Conformance {
  const newest = (event: ConformanceEvent | null | undefined): ConformanceEventView | null =>
    event == null ? null : conformanceEventJson(base, event);
  return {
    success_events: row?.successes ?? 0,
    failure_events: row?.failures ?? 0,
    newest_success: newest(row?.newest_success),
    newest_failure: newest(row?.newest_failure),
    rule: 'An invocation on the article that succeeded is a success event; one that failed or was denied is a failure event.',
  };
}

export function conformanceEventJson(base: string, event: ConformanceEvent): ConformanceEventView {
  const { inv, key, status, actor, ts } = event;
  return {
    id: inv,
    key,
    status,
    actor,
    ts,
    url: links.receipt(base, inv),
    confirm: links.confirm(base, inv),
  };
}
