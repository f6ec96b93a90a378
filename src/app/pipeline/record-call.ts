/**
 * Entries on the chain of an invocation: the outcome of a call, a list of what was scrubbed from its request
 * (contract §3), and `repaired_by`, which a successful repair appends to the chain of the call that it repaired (spec
 * §2.8, §3).
 */
import { actorOf, type Credential } from '../../domain/capabilities/credential.ts';
import { invocationEvent, repairedEvent } from '../../domain/capabilities/invocation.ts';
import { isRedacted } from '../../domain/capabilities/row.ts';
import { callYield } from '../../domain/yield.ts';
import type { Result } from '../../domain/context.ts';
import type { Appended, EventDraft, Tx } from '../../engine/act.ts';
import type { PlacedFind } from '../../guard/secrets.ts';
import { fault, type Fault } from '../../kernel/fault.ts';
import type { JsonValue } from '../../kernel/json.ts';
import { type Entry, type Head, headOf, leafHash } from '../../ledger/entry.ts';
import { slugOf } from '../credentials/authority.ts';
import { articleOfCall } from '../reads/conformance.ts';
import type { PreparedCall } from '../plans/call.ts';
import type { InvocationStatus } from '../../model/vocabulary.ts';

interface Ending {
  readonly response?: JsonValue;
  /** What the call yields. */
  readonly result?: Result;
  /** The article of the result, if the arguments do not name it. */
  readonly slug?: JsonValue | undefined;
  readonly charged?: readonly string[];
  readonly refusal?: Fault;
  readonly leaseUntil?: string;
}

/** Appends the invocation's entry, and one that lists what was scrubbed from the request. */
export function recordCall(
  tx: Tx,
  call: PreparedCall,
  credential: Credential,
  status: InvocationStatus,
  ending: Ending,
): Appended {
  const slug = typeof ending.slug === 'string' ? ending.slug : slugOf(call.args);
  const callMetadata = {
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
      bodyRule: call.bodyRule,
      response: ending.response,
      yielded: callYield(ending.result),
      replayResult: call.repeatable ? ending.result : undefined,
      error: ending.refusal?.fault,
      gate: ending.refusal?.gate,
      charged: ending.charged,
      // A repeated refusal is judged again; only outcomes are repeated.
      idempotency: status === 'denied' ? undefined : call.idempotency,
      root: call.root,
      replayOf: call.replayOf,
      repairs: call.repairs,
      durationMs:
        status === 'running' || status === 'proposed' ? undefined : Math.max(0, call.nowMs - call.startedMs),
      leaseUntil: ending.leaseUntil,
      callMetadata: Object.keys(callMetadata).length === 0 ? undefined : callMetadata,
      withheld: isRedacted(call.row),
    }),
  );
  if (call.finds.length > 0) tx.append(scrubEvent(call.inv, call.now, headOf(entry.sealed), call.finds));
  return entry;
}

/** Lists what was removed from a request or response: path, kind and count, never the secret. */
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

/** Why an invocation cannot be repaired, by its chain in this transaction. */
export function checkRepairable(tx: Tx, failed: string): Fault | undefined {
  const actions = tx.chain(failed).map(({ text }) => JSON.parse(text) as Entry);
  const repaired = actions.find((entry) => entry['action'] === 'repaired_by');
  if (repaired === undefined) return undefined;
  return fault(
    'already_decided',
    `${failed} was repaired by ${String(repaired['by'])}.`,
    'Read that receipt; a further change is a call of its own.',
    { repaired_by: String(repaired['by']) },
  );
}

/** Appends to the failed invocation's chain by which call it was repaired. */
export function closeLineage(
  tx: Tx,
  failed: string,
  by: string,
  at: { readonly ts: string; readonly actor: string },
): void {
  const last = tx.chain(failed).at(-1);
  if (last === undefined || checkRepairable(tx, failed) !== undefined) return;
  const { n, ts } = JSON.parse(last.text) as Entry;
  const head = { n, ts, hash: Buffer.from(leafHash(last.text)).toString('hex') };
  tx.append(repairedEvent(failed, head, at, by));
}
