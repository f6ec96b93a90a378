/**
 * The answer of a request that came again (contract §3 "A URL fires once"): what the ledger kept of the first one,
 * uncharged and marked as a repeat. Of a minted token there is only the fingerprint.
 */
import { faultCodes, fault, type Fault, type FaultCode } from '../../kernel/fault.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import { proposalResult } from '../../domain/capabilities/proposal.ts';
import { toldAgain } from '../../domain/capabilities/told.ts';
import type { Result } from '../../domain/context.ts';
import { links } from '../../domain/links.ts';
import type { Answer } from '../calls/answer.ts';
import { readInvocation, shownOf, type Invocation } from './invocation.ts';
import { proofOfInvocation } from './receipts.ts';
import type { Service } from '../service.ts';

/** The first answer of a request that came again: read from the ledger, uncharged. */
export async function repeatedAnswer(service: Service, inv: string): Promise<Answer | Fault> {
  const invocation = await readInvocation(service, inv);
  if (invocation === undefined) throw new Error(`the ledger has lost ${inv}`);
  const response = (shownOf(invocation.response) ?? {}) as JsonObject;
  const ok = invocation.status === 'success';
  const open = invocation.finishedAt === null;
  // What a row withholds is not in its response; the code of its failure is in its entry.
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
              String(message ?? whyEnded(inv, error)),
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

/** What a declined call is answered with when its URL is opened again. */
function declined(inv: string): Fault {
  return fault('owner_gate_required', `The owner declined ${inv}.`, 'Read its receipt for the note.');
}

/** Of an effect that nobody saw end, only its code is recorded. */
function whyEnded(inv: string, error: JsonValue | undefined): string {
  return error === 'interrupted'
    ? `${inv} was interrupted; whether it happened outside is not known.`
    : `${inv} failed: ${String(error)}.`;
}

/** What a receipt calls an error may be no code of a refusal: `interrupted` is what became of an effect. */
function codeOf(error: JsonValue | undefined): FaultCode {
  return (faultCodes as readonly unknown[]).includes(error) ? (error as FaultCode) : 'runner_failed';
}

/** A repair that did not fire shows its proposal beside its result, and so does its repetition. */
function proposedIn({ fired, proposal }: JsonObject): Pick<Result, 'reveal'> {
  return fired === false && proposal !== undefined ? { reveal: { proposal } } : {};
}

/** What a call that came again is told: what came of it, or what it waits for. */
async function repeatedResult(
  service: Service,
  invocation: Invocation,
  response: JsonObject,
): Promise<Result | undefined> {
  const { id, key, request, status, yielded, told } = invocation;
  switch (status) {
    case 'success':
      return {
        result: response,
        text: toldAgain(shownOf(told), response) ?? `Answered before as ${id}.`,
        material: yielded.material,
        ...proposedIn(response),
        ...(await outcomeOf(service, invocation, response)),
      };
    case 'proposed':
      return proposalResult(service.base, id, key, shownOf(request));
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

/**
 * An approved call that reaches outside ends behind its approval, which was recorded while it ran: what it came to
 * stands in its own chain, and is shown as it is now.
 */
async function outcomeOf(
  service: Service,
  { key }: Invocation,
  { decision, id, status }: JsonObject,
): Promise<Pick<Result, 'reveal'>> {
  if (key !== 'OIP_APPROVE' || decision !== 'approved' || status !== 'running') return {};
  const approved = await readInvocation(service, String(id));
  if (approved === undefined) return {};
  const ran = approved.status === 'success';
  const came = shownOf(approved.response);
  const shown = ran ? { result: came } : { error: approved.error, ...(came as JsonObject | null) };
  return { reveal: { outcome: { id: approved.id, status: approved.status, ran, ...shown } } };
}
