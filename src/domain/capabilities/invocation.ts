/**
 * Invocations: every call of a row is a chain of its own (spec §2.8, contract §3). n=0 is the intent or the
 * outcome; later entries are outcome, approval, `repaired_by`. Entries commit to request and response and
 * never hold them.
 */
import type { Content, Event, EventDraft, Projection } from '../../engine/act.ts';
import type { Fault, FaultCode, GateName } from '../../kernel/fault.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import type { Result } from '../context.ts';
import type { BodyRule } from './positional.ts';
import { headOf, type Entry, type Head } from '../../ledger/entry.ts';
import { projectConformance } from './conformance.ts';
import {
  capabilityTable,
  idempotencyTable,
  invocationTable,
  openInvocationTable,
  proposalTable,
  spendingTable,
} from './tables.ts';
import { resultTextContent } from './result-text.ts';
import { materialContent, nothingYielded, usageIn, usageMembers, type Yielded } from '../yield.ts';
import type { InvocationStatus } from '../../model/vocabulary.ts';

export interface InvocationRecord {
  readonly inv: string;
  readonly key: string;
  readonly tenant: string;
  readonly actor: string;
  /** Opaque id of the article that it is on. */
  readonly article?: string | undefined;
  readonly ts: string;
  readonly status: InvocationStatus;
  readonly contractHash: string;
  readonly request: string;
  /** The rule that the request was parsed by; rule 1 is not named. */
  readonly bodyRule?: BodyRule | undefined;
  /** The recorded result; absent while nothing has been answered. */
  readonly response: JsonValue | undefined;
  /** What came of it, where it is at its end. */
  readonly yielded?: Yielded | undefined;
  /** The answer whose text is kept for an idempotent replay. */
  readonly replayResult?: Result | undefined;
  readonly error?: FaultCode | 'interrupted' | undefined;
  readonly gate?: GateName | undefined;
  /** Fingerprints of the capabilities whose uses this call took. */
  readonly charged?: readonly string[];
  /** Scope under which a repeated request finds this answer, with a digest of the request. */
  readonly idempotency?: { readonly scope: string; readonly request: string } | undefined;
  readonly replayOf?: string | undefined;
  readonly repairs?: string | undefined;
  readonly root?: string | undefined;
  readonly durationMs?: number | undefined;
  /** ISO time until which a running effect counts as alive. */
  readonly leaseUntil?: string | undefined;
  /** Typed by the caller: actor name, purpose. Display only. */
  readonly callMetadata?: JsonObject | undefined;
  /** The row keeps commitments only: what was said and answered is hashed and not stored. */
  readonly withheld?: boolean | undefined;
}

export function invocationEvent(record: InvocationRecord): EventDraft {
  const withheld = record.withheld === true;
  const contents: Content[] = [{ field: 'request_sha', value: record.request, withheld }];
  if (record.response !== undefined)
    contents.push({ field: 'response_sha', value: record.response, withheld });
  if (record.callMetadata !== undefined)
    contents.push({ field: 'said_sha', value: record.callMetadata, withheld });
  const yielded = record.yielded ?? nothingYielded;
  contents.push(...materialContent(yielded, withheld));
  if (record.replayResult !== undefined) contents.push(...resultTextContent(record.replayResult, withheld));
  return {
    draft: {
      chain: record.inv,
      ts: record.ts,
      actor: record.actor,
      action: record.status,
      key: record.key,
      tenant: record.tenant,
      article: record.article,
      contract: record.contractHash,
      body_rule: record.bodyRule === 1 ? undefined : record.bodyRule,
      error: record.error,
      gate: record.gate,
      charged: record.charged === undefined || record.charged.length === 0 ? undefined : record.charged,
      idem: record.idempotency?.scope,
      idem_request: record.idempotency?.request,
      replay_of: record.replayOf,
      repairs: record.repairs,
      root: record.root,
      ms: record.durationMs,
      ...usageMembers(yielded),
      lease_until: record.leaseUntil,
      withheld: withheld ? true : undefined,
    },
    head: null,
    contents,
  };
}

/** Records that a provider accepted the work, or that another process resumed it; the lease starts again. */
export function submittedEvent(
  inv: string,
  head: Head,
  at: { readonly ts: string; readonly leaseUntil: string },
  reference: JsonObject | undefined,
): EventDraft {
  return {
    draft: {
      chain: inv,
      ts: at.ts,
      actor: 'system',
      action: reference === undefined ? 'resumed' : 'submitted',
      lease_until: at.leaseUntil,
    },
    head,
    ...(reference === undefined ? {} : { contents: [{ field: 'job_sha', value: reference }] }),
  };
}

/** What closes an invocation that was left `running` or `proposed`, or starts one that was approved. */
export function closingEvent(
  inv: string,
  head: Head,
  at: { readonly ts: string; readonly actor: string },
  outcome: {
    readonly status: InvocationStatus;
    readonly error?: FaultCode | 'interrupted' | undefined;
    readonly gate?: GateName | undefined;
    readonly response?: JsonValue | undefined;
    readonly yielded?: Yielded | undefined;
    /** The answer whose text is kept for an idempotent replay. */
    readonly replayResult?: Result | undefined;
    readonly durationMs?: number;
    readonly withheld?: boolean | undefined;
    /** An approved effect starts to run: until when it counts as alive. */
    readonly leaseUntil?: string | undefined;
    /** The invocation by which the owner decided. */
    readonly decidedBy?: string | undefined;
  },
): EventDraft {
  const withheld = outcome.withheld === true;
  const yielded = outcome.yielded ?? nothingYielded;
  return {
    draft: {
      chain: inv,
      ts: at.ts,
      actor: at.actor,
      action: outcome.status,
      error: outcome.error,
      gate: outcome.gate,
      ms: outcome.durationMs,
      ...usageMembers(yielded),
      lease_until: outcome.leaseUntil,
      decided_by: outcome.decidedBy,
    },
    head,
    contents: [
      ...(outcome.response === undefined
        ? []
        : [{ field: 'response_sha', value: outcome.response, withheld }]),
      ...materialContent(yielded, withheld),
      ...(outcome.replayResult === undefined ? [] : resultTextContent(outcome.replayResult, withheld)),
    ],
  };
}

/** Verbs that say something about an invocation without opening or ending it. */
export const remarks: ReadonlySet<string> = new Set(['scrub', 'repaired_by', 'submitted', 'resumed']);

/** A successful repair, said once on the chain of what failed (contract §3). */
export function repairedEvent(
  failed: string,
  head: Head,
  at: { readonly ts: string; readonly actor: string },
  by: string,
): EventDraft {
  return { draft: { chain: failed, ts: at.ts, actor: at.actor, action: 'repaired_by', by }, head };
}

/** What is recorded at once as open, until a later entry of the chain closes it. */
const openStatuses = new Set<string>(['running', 'proposed']);

export function projectInvocation(event: Event, to: Projection): void {
  const { entry } = event.sealed;
  if (!entry.chain.startsWith('inv_')) return;
  const status = String(entry['action']);
  const head = headOf(event.sealed);
  if (entry.n > 0) {
    const open = to.row(openInvocationTable, entry.chain);
    if (open === undefined) return;
    projectSpending(event, open, to);
    if (remarks.has(status)) {
      to.put(openInvocationTable, {
        ...open,
        lease_until: leaseOf(entry) ?? open.lease_until,
        head,
      });
      return;
    }
    to.put(invocationTable, {
      object: objectOf(open.tenant, open.key),
      seq: open.seq,
      inv: entry.chain,
      status,
      actor: open.actor,
      ts: open.ts,
    });
    if (open.article !== null)
      projectConformance(
        event,
        open.article,
        { inv: entry.chain, key: open.key, status, actor: open.actor, ts: entry.ts },
        to,
      );
    if (open.status === 'proposed' && status !== 'proposed')
      to.remove(proposalTable, open.actor, entry.chain);
    if (openStatuses.has(status)) {
      to.put(openInvocationTable, { ...open, status, lease_until: leaseOf(entry), head });
    } else to.remove(openInvocationTable, entry.chain);
    return;
  }
  const key = String(entry['key']);
  const tenant = String(entry['tenant']);
  projectSpending(event, { tenant, key, actor: entry.actor }, to);
  to.put(invocationTable, {
    object: objectOf(tenant, key),
    seq: event.seq,
    inv: entry.chain,
    status,
    actor: entry.actor,
    ts: entry.ts,
  });
  const article = typeof entry['article'] === 'string' ? entry['article'] : null;
  if (article !== null)
    projectConformance(
      event,
      article,
      { inv: entry.chain, key, status, actor: entry.actor, ts: entry.ts },
      to,
    );
  if (openStatuses.has(status)) {
    to.put(openInvocationTable, {
      inv: entry.chain,
      tenant,
      key,
      article,
      seq: event.seq,
      status,
      actor: entry.actor,
      ts: entry.ts,
      lease_until: leaseOf(entry),
      head,
    });
  }
  if (status === 'proposed')
    to.put(proposalTable, { fingerprint: entry.actor, inv: entry.chain, key, ts: entry.ts });
  for (const fingerprint of (entry['charged'] as readonly string[] | undefined) ?? []) {
    const row = to.row(capabilityTable, fingerprint);
    if (row !== undefined) to.put(capabilityTable, { ...row, uses: row.uses + 1 });
  }
  if (status === 'denied' && entry.actor.startsWith('cap_')) {
    const row = to.row(capabilityTable, entry.actor);
    if (row !== undefined) to.put(capabilityTable, { ...row, denials: row.denials + 1 });
  }
  if (typeof entry['idem'] === 'string') {
    to.put(idempotencyTable, {
      scope: entry['idem'],
      inv: entry.chain,
      request: String(entry['idem_request']),
      ts: entry.ts,
    });
  }
}

/** Only few calls have counts: those that asked a model, or made an image or a film. */
function projectSpending(
  { sealed: { entry }, seq }: Event,
  { tenant, key, actor }: { readonly tenant: string; readonly key: string; readonly actor: string },
  to: Projection,
): void {
  if (entry['tokens_in'] === undefined) return;
  const { tokensIn, tokensOut, tokensWasted, usdMicros } = usageIn(entry);
  to.put(spendingTable, {
    tenant,
    seq,
    key,
    actor,
    ts: entry.ts,
    tokens: tokensIn + tokensOut,
    wasted: tokensWasted,
    usd_micros: usdMicros,
  });
}

function leaseOf(entry: Entry): string | null {
  return typeof entry['lease_until'] === 'string' ? entry['lease_until'] : null;
}

export function objectOf(tenant: string, key: string): string {
  return `${tenant}/${key}`;
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

/** Beyond its own time limit, an effect has this long to be recorded. */
const leaseGraceMs = 60_000;

/** Until when an effect that starts now counts as alive: ISO 8601. */
export function leaseEnd(nowMs: number, timeoutMs: number): string {
  return new Date(nowMs + timeoutMs + leaseGraceMs).toISOString();
}
