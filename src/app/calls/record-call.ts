/**
 * The entry that a call leaves of itself in its act, whatever came of it, and one beside it that tells what was
 * scrubbed from the request (contract §3).
 */
import { actorOf, type Credential } from '../../domain/capabilities/credential.ts';
import { invocationEvent, type InvocationStatus } from '../../domain/capabilities/invocation.ts';
import { yieldedBy } from '../../domain/capabilities/yield.ts';
import type { Result } from '../../domain/context.ts';
import type { Appended, Tx } from '../../engine/act.ts';
import type { Fault } from '../../kernel/fault.ts';
import type { JsonValue } from '../../kernel/json.ts';
import { headOf } from '../../ledger/entry.ts';
import { slugOf } from '../credentials/authority.ts';
import { articleOfCall } from '../reads/conformance.ts';
import { withholds } from './approvals.ts';
import type { PreparedCall } from './call.ts';
import { scrubEvent } from './recording.ts';

interface Ending {
  readonly response?: JsonValue;
  /** What the call yields. */
  readonly result?: Result;
  /** The article that the result is about, where the arguments need not name it. */
  readonly slug?: JsonValue | undefined;
  readonly charged?: readonly string[];
  readonly refusal?: Fault;
  readonly leaseUntil?: string;
}

/** Appends the invocation's entry, and one that tells what was scrubbed from the request. */
export function recordCall(
  tx: Tx,
  call: PreparedCall,
  credential: Credential,
  status: InvocationStatus,
  ending: Ending,
): Appended {
  const slug = typeof ending.slug === 'string' ? ending.slug : slugOf(call.args);
  const said = {
    ...(call.actorName === null ? {} : { actor: call.actorName }),
    ...(call.purpose === null ? {} : { purpose: call.purpose }),
  };
  const entry = tx.append(
    invocationEvent({
      inv: call.inv,
      key: call.row.key,
      tenant: call.tenant,
      actor: actorOf(credential),
      article: articleOfCall(tx, call.tenant, slug, status, credential),
      ts: call.now,
      status,
      contractHash: call.row.contractHash,
      request: call.recorded,
      response: ending.response,
      yielded: yieldedBy(ending.result),
      told: call.repeatable ? ending.result : undefined,
      error: ending.refusal?.fault,
      gate: ending.refusal?.gate,
      charged: ending.charged,
      // A refusal is judged anew when it is sent again; only an outcome is repeated.
      idempotency: status === 'denied' ? undefined : call.idempotency,
      root: call.root,
      replayOf: call.replayOf,
      repairs: call.repairs,
      durationMs:
        status === 'running' || status === 'proposed' ? undefined : Math.max(0, call.nowMs - call.startedMs),
      leaseUntil: ending.leaseUntil,
      said: Object.keys(said).length === 0 ? undefined : said,
      withheld: withholds(call.row),
    }),
  );
  if (call.finds.length > 0) tx.append(scrubEvent(call.inv, call.now, headOf(entry.sealed), call.finds));
  return entry;
}
