/**
 * The plan `decide-proposal` (contract §3): the owner's decision on a proposed call, the next entry of its chain. An
 * approved call runs under the proposer's present authority, so a share that was revoked meanwhile runs nothing. An
 * approved effect starts once its intent is on disk.
 */
import { argumentsOf } from '../../domain/capabilities/arguments.ts';
import { closingEvent, leaseEnd, refusalBody } from '../../domain/capabilities/invocation.ts';
import type { PlanOf } from '../../domain/capabilities/plan.ts';
import { isRedacted } from '../../domain/capabilities/row.ts';
import { openInvocationTable } from '../../domain/capabilities/tables.ts';
import { callYield } from '../../domain/yield.ts';
import type { Result } from '../../domain/context.ts';
import { links } from '../../domain/links.ts';
import { writes } from '../../engine/act.ts';
import { about, fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Head } from '../../ledger/entry.ts';
import { credentialOf } from '../credentials/authenticate.ts';
import { currentCredential, judgeInTx } from '../credentials/authority.ts';
import { withWorkspaceRows } from '../workspace-rows.ts';
import { readInvocation, callMetadataOf } from '../reads/invocation.ts';
import { nameOfTenant } from '../reads/workspaces.ts';
import type { Service } from '../service.ts';
import { nameIn, newEntropy, type PreparedCall } from './call.ts';
import { effectIn } from './effect.ts';
import { definePlan } from './plan.ts';
import { exactly } from '../../model/exact.ts';
import { ProposalDecided } from '../../model/invocation.ts';
import type { InvocationStatus } from '../../model/vocabulary.ts';

declare module '../../domain/capabilities/plan.ts' {
  interface Plans {
    'decide-proposal': { readonly inv: string; readonly approve: boolean; readonly note: string };
  }
}

interface Waiting {
  /** The recorded call, ready to run; undefined if there is none to decide. */
  readonly proposal: PreparedCall | undefined;
}

export const decideProposalPlan = definePlan({
  kind: 'decide-proposal',
  async loadInputs({ service, call, plan }, steps): Promise<Waiting> {
    const proposal = await resumeProposal(service, call, plan.inv);
    return { proposal: proposal === undefined ? undefined : await steps.load(service, proposal) };
  },
  keys: async ({ plan }, inputs, keysOf) => [
    writes(openInvocationTable.name, plan.inv),
    ...(inputs?.proposal === undefined ? [] : await keysOf(inputs.proposal)),
  ],
  run({ service, tx, call, plan, inputs: { proposal }, runApproved }) {
    const open = tx.row(openInvocationTable, plan.inv);
    if (open?.status !== 'proposed' || proposal === undefined)
      return undecidable(plan.inv, proposal !== undefined);
    const withheld = isRedacted(proposal.row);
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
    const judgement = isFault(credential) ? undefined : judgeInTx(tx, proposal, credential);
    const why = isFault(credential) ? credential : judgement?.refused;
    if (isFault(credential) || judgement === undefined || why !== undefined) {
      if (why === undefined) throw new Error('a call is judged or its credential is at fault');
      close({ status: 'denied', error: why.fault, gate: why.gate, response: refusalBody(why) });
      return decided(service, plan, 'denied', why);
    }
    const effect = effectIn(proposal.plan);
    if (effect !== undefined) {
      close({ status: 'running', leaseUntil: leaseEnd(call.nowMs, effect.timeoutMs) });
      return decided(service, plan, 'running', undefined);
    }
    const mark = tx.mark();
    proposal.entropy.restart();
    const outcome = runApproved(proposal, credential, judgement);
    if (isFault(outcome)) {
      tx.rollback(mark);
      close({ status: 'failed', error: outcome.fault, response: refusalBody(outcome) });
      return decided(service, plan, 'failed', outcome);
    }
    const replayResult = proposal.repeatable ? outcome : undefined;
    close({ status: 'success', response: outcome.result, yielded: callYield(outcome), replayResult });
    return decided(service, plan, 'success', undefined, withheld ? undefined : outcome);
  },
  /** Starts an approved effect, whose intent is committed, and records its outcome. */
  async afterAct(_planned, { proposal }, answer, start) {
    if (answer.kind !== 'called' || answer.repeated || proposal === undefined) return answer;
    if (answer.result?.result['status'] !== 'running') return answer;
    const effect = effectIn(proposal.plan);
    const end = effect === undefined ? undefined : await start(proposal, effect);
    if (end === undefined) return answer;
    const { outcome, closed } = end;
    if (isFault(closed)) return closed;
    const shown: JsonObject = isFault(outcome)
      ? { id: proposal.inv, status: 'failed', ran: false, ...refusalBody(outcome) }
      : { id: proposal.inv, status: 'success', ran: true, result: outcome.result };
    return {
      ...answer,
      result: {
        ...answer.result,
        reveal: { ...answer.result.reveal, outcome: shown },
      },
    };
  },
});

/** A recorded proposal as a call; undefined if there is none to decide. */
async function resumeProposal(
  service: Service,
  call: PreparedCall,
  inv: string,
): Promise<PreparedCall | undefined> {
  const proposed = await readInvocation(service, inv);
  if (proposed === undefined) return undefined;
  // The owner decides in every workspace.
  const row = (await withWorkspaceRows(service, proposed.tenant)).rows.get(proposed.key);
  if (row === undefined) return undefined;
  const credential = await credentialOf(service, proposed.actor);
  if (isFault(credential)) return undefined;
  const body = typeof proposed.request.value === 'string' ? proposed.request.value : '';
  const args =
    proposed.request.state === 'present'
      ? argumentsOf(row, body, service.limits, proposed.bodyRule)
      : bodyGone(inv);
  const name = callMetadataOf(proposed)['actor'];
  return {
    row,
    body,
    bodyRule: proposed.bodyRule,
    recorded: body,
    finds: [],
    args,
    plan: isFault(args) ? args : row.plan(args),
    credential,
    tenant: proposed.tenant,
    workspace: await nameOfTenant(service, proposed.tenant),
    inv,
    root: undefined,
    replayOf: proposed.replayOf ?? undefined,
    repairs: proposed.repairs ?? undefined,
    approved: true,
    nowMs: call.nowMs,
    now: call.now,
    startedMs: call.startedMs,
    actorName: typeof name === 'string' ? name : null,
    modelName: nameIn(args, 'model'),
    purpose: null,
    channel: call.channel,
    client: call.client,
    bodyBytesMax: Number.POSITIVE_INFINITY,
    idempotency: undefined,
    repeatable: proposed.idempotencyKey !== null,
    meter: undefined,
    entropy: newEntropy(),
  };
}

/** The body was scrubbed since, or never kept. */
function bodyGone(inv: string): Fault {
  return fault(
    'conflict',
    `The body of ${inv} is not on the ledger, so it cannot fire.`,
    'Decline it, and have the call sent again.',
  );
}

function undecidable(inv: string, exists: boolean): Fault {
  return exists
    ? fault(
        'already_decided',
        `${inv} does not wait for a decision.`,
        'Read its receipt to see what became of it.',
      )
    : about(
        fault(
          'not_found',
          `There is no proposal ${inv}.`,
          'List them: /api/invocations?object_id=<KEY>&status=proposed.',
        ),
        { kind: 'receipt', id: inv },
      );
}

function decided(
  service: Service,
  plan: PlanOf<'decide-proposal'>,
  status: InvocationStatus,
  why: Fault | undefined,
  outcome?: Result,
): Result {
  return {
    result: exactly(ProposalDecided, {
      decision: plan.approve ? 'approved' : 'declined',
      id: plan.inv,
      status,
      ran: status === 'success',
      result: outcome?.result ?? null,
      ...(why === undefined ? {} : { error: why.fault, message: why.message, fix: why.fix }),
      receipt: links.receipt(service.base, plan.inv),
      confirm: links.confirm(service.base, plan.inv),
    }),
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
