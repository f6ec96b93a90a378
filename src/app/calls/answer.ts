/** What a dispatched call answers with (contract §3): result, receipt, and a proof that stands by itself. */
import type { Performed, PreparedCall } from './call.ts';
import { yieldedBy, type Usage, type Yielded } from '../../domain/capabilities/yield.ts';
import type { Result } from '../../domain/context.ts';
import type { Appended, Committed } from '../../engine/act.ts';
import type { Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { PlacedFind } from '../../guard/secrets.ts';
import { proofOf, type Proof } from '../reads/proof.ts';
import type { Service } from '../service.ts';

export type Answer =
  | { readonly kind: 'shape'; readonly shape: JsonObject }
  | {
      readonly kind: 'called';
      readonly inv: string;
      readonly key: string;
      readonly status: string;
      readonly ran: boolean;
      readonly result: Result | undefined;
      /** JSON of the result's own members, where its entry committed to just them. */
      readonly resultText?: string | undefined;
      /** Set where the row failed or the call was refused: its status is the answer's. */
      readonly refusal: Fault | undefined;
      readonly yielded: Yielded;
      readonly charged: boolean;
      readonly proof: Proof;
      readonly repeated: boolean;
      readonly durationMs: number;
      /** Secrets that were taken out of the request and of the outcome, by place, kind and count. */
      readonly scrubbed: readonly PlacedFind[];
    };

export async function answerOf(
  service: Service,
  call: PreparedCall,
  performed: Performed,
  committed: Committed<unknown>,
): Promise<Answer | Fault> {
  if (performed.entry === undefined || performed.inv === undefined) {
    if (performed.refusal === undefined) throw new Error(`${call.row.key} was neither recorded nor refused`);
    return performed.refusal;
  }
  const { inv, status, result, refusal, usage, charged, entry } = performed;
  const scrubbed = [...call.finds, ...(performed.scrubbed ?? [])];
  const durationMs = Math.max(0, service.now() - call.startedMs);
  return answerRecorded(
    service,
    { inv, key: call.row.key, status, result, refusal, usage, charged, durationMs, scrubbed },
    committed,
    entry,
  );
}

/** The answer of a call whose own entry is among those just committed. */
export async function answerRecorded(
  service: Service,
  call: {
    readonly inv: string;
    readonly key: string;
    readonly status: string;
    readonly result?: Result | undefined;
    readonly refusal?: Fault | undefined;
    readonly usage?: Usage | undefined;
    readonly charged?: boolean;
    readonly durationMs?: number;
    readonly scrubbed?: readonly PlacedFind[];
  },
  committed: Committed<unknown>,
  entry: Appended,
): Promise<Answer> {
  const { inv, key, status, result, refusal, usage, charged = false, durationMs = 0, scrubbed = [] } = call;
  const first = committed.entries[0] as Appended;
  const index = committed.logIndex === null ? null : committed.logIndex + (entry.seq - first.seq);
  return {
    kind: 'called',
    inv,
    key,
    status,
    ran: status === 'success',
    result,
    resultText: result === undefined ? undefined : entry.textOf(result.result),
    refusal,
    yielded: yieldedBy(result, usage),
    charged,
    proof: await proofOf(service, inv, entry.sealed, index, committed.checkpoint, status),
    repeated: false,
    durationMs,
    scrubbed,
  };
}
