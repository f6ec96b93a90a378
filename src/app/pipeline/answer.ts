/**
 * The answer of a dispatched call (contract §3): result, receipt and an offline-verifiable proof. A repeated request
 * (contract §3 "A URL fires once") gets the first answer from the ledger, uncharged and marked as a repeat; of a
 * minted token it gets the fingerprint only.
 */
import { proposalResult } from '../../domain/capabilities/proposal.ts';
import { restoreText } from '../../domain/capabilities/result-text.ts';
import { callYield, type Usage } from '../../domain/yield.ts';
import type { Result } from '../../domain/context.ts';
import { links } from '../../domain/links.ts';
import type { Appended, Committed } from '../../engine/act.ts';
import { fault, faultCodes, type Fault, type FaultCode } from '../../kernel/fault.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import type { PlacedFind } from '../../guard/secrets.ts';
import type { Answer, ActOutcome, PreparedCall } from '../plans/call.ts';
import { readInvocation, visibleValue, type Invocation } from '../reads/invocation.ts';
import { proofOf } from '../reads/proof.ts';
import { proofOfInvocation } from '../reads/receipts.ts';
import type { Service } from '../service.ts';
import type { InvocationStatus } from '../../model/vocabulary.ts';

export async function answerOf(
  service: Service,
  call: PreparedCall,
  performed: ActOutcome,
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
    readonly status: InvocationStatus;
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
    resultText: result === undefined ? undefined : entry.contentText(result.result),
    refusal,
    yielded: callYield(result, usage),
    charged,
    proof: await proofOf(service, inv, entry.sealed, index, committed.checkpoint, status),
    repeated: false,
    durationMs,
    scrubbed,
  };
}

/** The first answer of a repeated request, read from the ledger and uncharged. */
export async function repeatedAnswer(service: Service, inv: string): Promise<Answer | Fault> {
  const invocation = await readInvocation(service, inv);
  if (invocation === undefined) throw new Error(`the ledger has lost ${inv}`);
  const response = (visibleValue(invocation.response) ?? {}) as JsonObject;
  const ok = invocation.status === 'success';
  const open = invocation.finishedAt === null;
  // A redacted row has no response; the code of its failure is in its entry.
  const { error = invocation.error, message, fix, gate: _gate, ...details } = response;
  return {
    kind: 'called',
    inv,
    key: invocation.key,
    status: invocation.status,
    ran: ok,
    result: await repeatedResult(service, invocation, response),
    refusal:
      ok || open
        ? undefined
        : invocation.status === 'declined'
          ? declined(inv)
          : fault(
              codeOf(error),
              String(message ?? failureMessage(inv, error)),
              String(fix ?? 'Read the receipt and repair the invocation.'),
              details as Record<string, JsonValue>,
            ),
    yielded: invocation.yielded,
    charged: false,
    proof: await proofOfInvocation(service, invocation),
    repeated: true,
    durationMs: 0,
    scrubbed: invocation.scrubbed,
  };
}

/** The answer of a declined call whose URL is opened again. */
function declined(inv: string): Fault {
  return fault('owner_gate_required', `The owner declined ${inv}.`, 'Read its receipt for the note.');
}

/** For an effect whose end was not observed, only the code is recorded. */
function failureMessage(inv: string, error: JsonValue | undefined): string {
  return error === 'interrupted'
    ? `${inv} was interrupted; whether it happened outside is not known.`
    : `${inv} failed: ${String(error)}.`;
}

/** The error of a receipt need not be a refusal's code: `interrupted` describes an effect. */
function codeOf(error: JsonValue | undefined): FaultCode {
  return (faultCodes as readonly unknown[]).includes(error) ? (error as FaultCode) : 'runner_failed';
}

/** The proposal of a repair that did not fire, beside its result; its repetition shows the same. */
function proposalOf({ fired, proposal }: JsonObject): Pick<Result, 'reveal'> {
  return fired === false && proposal !== undefined ? { reveal: { proposal } } : {};
}

/** The answer of a repeated call: its outcome, or what it waits for. */
async function repeatedResult(
  service: Service,
  invocation: Invocation,
  response: JsonObject,
): Promise<Result | undefined> {
  const { id, key, request, status, yielded, resultText } = invocation;
  switch (status) {
    case 'success':
      return {
        result: response,
        text: restoreText(visibleValue(resultText), response) ?? `Answered before as ${id}.`,
        material: yielded.material,
        ...proposalOf(response),
        ...(await outcomeOf(service, invocation, response)),
      };
    case 'proposed':
      return proposalResult(service.base, id, key, visibleValue(request));
    case 'running':
      return {
        result: { receipt: links.receipt(service.base, id) },
        text: `${key} is still running as ${id}.`,
        material: [],
      };
    default:
      return undefined;
  }
}

/** The outcome of an approved effect is recorded in its own chain, behind the approval; it is read from there. */
async function outcomeOf(
  service: Service,
  { key }: Invocation,
  { decision, id, status }: JsonObject,
): Promise<Pick<Result, 'reveal'>> {
  if (key !== 'OIP_APPROVE' || decision !== 'approved' || status !== 'running') return {};
  const approved = await readInvocation(service, String(id));
  if (approved === undefined) return {};
  const ran = approved.status === 'success';
  const value = visibleValue(approved.response);
  const shown = ran ? { result: value } : { error: approved.error, ...(value as JsonObject | null) };
  return { reveal: { outcome: { id: approved.id, status: approved.status, ran, ...shown } } };
}
