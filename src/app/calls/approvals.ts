/**
 * Proposals (contract §3). A call of a gated share is recorded as `proposed` and its use is taken; nothing
 * has happened yet. The owner's decision is the next entry of the same chain: declined, or fired under the
 * proposer's authority as it stands then, so that a share that was revoked in between fires nothing.
 */
import type { Credential } from '../../domain/capabilities/credential.ts';
import type { Judgement } from '../../domain/capabilities/gates.ts';
import { closingEvent } from '../../domain/capabilities/invocation.ts';
import type { Plan, Row } from '../../domain/capabilities/row.ts';
import { yieldedBy } from '../../domain/capabilities/yield.ts';
import { openInvocationTable, proposalTable } from '../../domain/capabilities/tables.ts';
import type { Result } from '../../domain/context.ts';
import { links } from '../../domain/links.ts';
import type { Tx } from '../../engine/act.ts';
import type { Head } from '../../ledger/entry.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { currentCredential, judgeIn } from '../credentials/authority.ts';
import type { PreparedCall } from './call.ts';
import { leaseOf, refusalBody } from './recording.ts';
import type { Service } from '../service.ts';

/** Open proposals of one token (contract §3). */
export const proposalsMax = 20;

type Decision = Extract<Plan, { readonly do: 'decide-proposal' }>;

/** Why a gated call cannot wait for the owner, or nothing. */
export function unproposable(tx: Tx, { row }: PreparedCall, credential: Credential): Fault | undefined {
  if (withholds(row)) return { ...notKept(row), gate: 'owner_gate' };
  return credential.kind === 'share' ? tooManyProposals(tx, credential.fingerprint) : undefined;
}

/** Whether only commitments to a row's calls are kept. */
export function withholds(row: Row): boolean {
  return row.standing?.ledgerEnabled === false;
}

/** What waits has to be kept until it fires: a row whose bodies are not kept cannot make anybody wait. */
function notKept({ key }: Row): Fault {
  return fault(
    'owner_gate_required',
    `${key} keeps no bodies (ledger_enabled is false), so a call of it cannot wait for the owner.`,
    'Ask the owner for a share of this row without the owner gate, or to make the call.',
    { ledger_enabled: false },
  );
}

/** Why a further proposal of this token is not taken, or nothing. */
function tooManyProposals(tx: Tx, fingerprint: string): Fault | undefined {
  const open = tx.rows(proposalTable, fingerprint).size;
  if (open < proposalsMax) return undefined;
  return {
    ...fault(
      'conflict',
      `${open} calls of this share wait for the owner; no more are taken until one is decided.`,
      'Wait for the owner, and send it again then.',
    ),
    gate: 'owner_gate',
  };
}

/** Decides inside the deciding call's act. `run` carries out the plan of the proposal as its proposer. */
export function decideProposal(
  service: Service,
  tx: Tx,
  call: PreparedCall,
  plan: Decision,
  run: (proposal: PreparedCall, credential: Credential, judgement: Judgement) => Result | Fault,
): Result | Fault {
  const { proposal } = call;
  const open = tx.row(openInvocationTable, plan.inv);
  if (open?.status !== 'proposed' || proposal === undefined)
    return undecidable(plan.inv, proposal !== undefined);
  const withheld = withholds(proposal.row);
  const at = {
    ts: call.now,
    actor: call.credential.kind === 'share' ? call.credential.fingerprint : 'owner',
  };
  const close = (outcome: Parameters<typeof closingEvent>[3], head: Head = open.head): void => {
    tx.append(closingEvent(plan.inv, head, at, { ...outcome, withheld, decidedBy: call.inv }));
  };
  if (!plan.approve) {
    close({ status: 'declined', response: { error: 'declined', note: plan.note } });
    return decided(service, plan, 'declined', undefined);
  }
  const credential = currentCredential(tx, proposal.credential, call);
  const judgement = isFault(credential) ? undefined : judgeIn(tx, proposal, credential);
  const why = isFault(credential) ? credential : judgement?.refused;
  if (isFault(credential) || judgement === undefined || why !== undefined) {
    if (why === undefined) throw new Error('a call is judged or its credential is at fault');
    close({ status: 'denied', error: why.fault, gate: why.gate, response: refusalBody(why) });
    return decided(service, plan, 'denied', why);
  }
  const effect = isFault(proposal.plan) || proposal.plan.do !== 'effect' ? undefined : proposal.plan;
  if (effect !== undefined) {
    close({ status: 'running', leaseUntil: leaseOf(call.nowMs, effect.timeoutMs) });
    return decided(service, plan, 'running', undefined);
  }
  const mark = tx.mark();
  proposal.draw.restart();
  const outcome = run(proposal, credential, judgement);
  if (isFault(outcome)) {
    tx.rollback(mark);
    close({ status: 'failed', error: outcome.fault, response: refusalBody(outcome) });
    return decided(service, plan, 'failed', outcome);
  }
  const told = proposal.repeatable ? outcome : undefined;
  close({ status: 'success', response: outcome.result, yielded: yieldedBy(outcome), told });
  return decided(service, plan, 'success', undefined, withheld ? undefined : outcome);
}

function undecidable(inv: string, exists: boolean): Fault {
  return exists
    ? fault(
        'already_decided',
        `${inv} does not wait for a decision.`,
        'Read its receipt to see what became of it.',
      )
    : fault(
        'not_found',
        `There is no proposal ${inv}.`,
        'List them: /api/invocations?object_id=<KEY>&status=proposed.',
      );
}

function decided(
  service: Service,
  plan: Decision,
  status: string,
  why: Fault | undefined,
  outcome?: Result,
): Result {
  return {
    result: {
      decision: plan.approve ? 'approved' : 'declined',
      id: plan.inv,
      status,
      ran: status === 'success',
      result: outcome?.result ?? null,
      ...(why === undefined ? {} : { error: why.fault, message: why.message, fix: why.fix }),
      receipt: links.receiptJson(service.base, plan.inv),
      confirm: links.confirm(service.base, plan.inv),
    },
    text:
      why === undefined
        ? `${plan.approve ? 'Approved' : 'Declined'} ${plan.inv}: ${status}.`
        : `Approved ${plan.inv}, but it did not run (${why.fault}): ${why.message}`,
    material: [
      { kind: 'invocation', id: plan.inv, url: links.receipt(service.base, plan.inv) },
      ...(outcome?.material ?? []),
    ],
  };
}
