/** What entries say of refusals, scrubs and leases; shared by everything that records an invocation's end. */
import type { EventDraft } from '../../engine/act.ts';
import type { PlacedFind } from '../../guard/secrets.ts';
import type { Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Head } from '../../ledger/entry.ts';

/** Beyond its own time limit, an effect has this long to be recorded. */
const leaseGraceMs = 60_000;

/** Until when an effect that starts now counts as alive: ISO 8601. */
export function leaseOf(nowMs: number, timeoutMs: number): string {
  return new Date(nowMs + timeoutMs + leaseGraceMs).toISOString();
}

/** What is recorded of a refusal. */
export function refusalBody(refusal: Fault): JsonObject {
  return {
    error: refusal.fault,
    message: refusal.message,
    fix: refusal.fix,
    ...(refusal.gate === undefined ? {} : { gate: refusal.gate }),
    ...refusal.details,
  };
}

/** Says what was taken out of a request or a response: path, kind and count, never the secret. */
export function scrubEvent(inv: string, ts: string, head: Head, finds: readonly PlacedFind[]): EventDraft {
  return {
    draft: {
      chain: inv,
      ts,
      actor: 'system',
      action: 'scrub',
      count: finds.reduce((sum, find) => sum + find.count, 0),
    },
    head,
    contents: [
      { field: 'content_sha', value: finds.map(({ path, kind, count }) => ({ path, kind, count })) },
    ],
  };
}
