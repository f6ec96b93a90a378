/** What entries say of refusals and leases; shared by everything that records an invocation's end. */
import type { Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';

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
