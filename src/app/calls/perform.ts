/**
 * A call inside its act, in the order of contract §3: admitted (`admit.ts`), its plan carried out, its receipt
 * appended (`record-call.ts`). Everything is read through the transaction, so that a budget, a revocation or a
 * hash is judged by the state that the commit will stand on. A refusal undoes what the call appended and is
 * recorded by itself.
 */
import { actorOf, type Credential } from '../../domain/capabilities/credential.ts';
import type { Context, Result } from '../../domain/context.ts';
import type { Tx } from '../../engine/act.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import { canonicalJson } from '../../kernel/json.ts';
import { currentCredential } from '../credentials/authority.ts';
import type { Service } from '../service.ts';
import { admit, fail, type Admitted } from './admit.ts';
import { decideProposal } from './approvals.ts';
import { assignmentOf, workOnAssignment } from './assignment-work.ts';
import type { Performed, PreparedCall } from './call.ts';
import { executePlan, sayUpdate } from './execute.ts';
import { revokeLeaked } from './leaked.ts';
import { closeLineage, unrepairable } from './lineage.ts';
import { dispatchNested, runBatch } from './nested-calls.ts';
import { recordCall } from './record-call.ts';
import { runThreadUpdate, type ThreadUpdate } from './thread-update.ts';

export function perform(service: Service, tx: Tx, call: PreparedCall): Performed {
  const admitted = admit(service, tx, call);
  if (!('credential' in admitted)) return admitted;
  const { credential, judgement, plan } = admitted;
  const mark = tx.mark();
  const result = run(service, tx, call, admitted);
  if (isFault(result)) {
    tx.rollback(mark);
    return fail(tx, call, credential, judgement, result);
  }
  // A batch takes its uses operation by operation.
  const charged = plan.do === 'batch' ? [] : judgement.charged.map((row) => row.record.fingerprint);
  const entry = recordCall(tx, call, credential, 'success', {
    response: result.result,
    result,
    slug: result.result['slug'],
    charged,
  });
  if (call.repairs !== undefined)
    closeLineage(tx, call.repairs, call.inv, { ts: call.now, actor: actorOf(credential) });
  if (call.leaked !== undefined) revokeLeaked(tx, call.leaked, call.leakedUnused ?? [], call);
  return {
    inv: call.inv,
    status: 'success',
    judgement,
    result,
    refusal: undefined,
    charged: charged.length > 0,
    entry,
  };
}

function run(service: Service, tx: Tx, call: PreparedCall, admitted: Admitted): Result | Fault {
  const { plan, credential } = admitted;
  const assignment = assignmentOf(plan) ?? call.assignment?.id;
  if (assignment === undefined) return runPlan(service, tx, call, admitted);
  const context = contextOf(service, call, credential);
  return workOnAssignment(tx, call, plan, assignment, credential, context, () => {
    // The work may just have begun the draft that its share reaches from then on.
    const now = currentCredential(tx, credential, call);
    return isFault(now) ? now : runPlan(service, tx, call, { ...admitted, credential: now });
  });
}

function runPlan(service: Service, tx: Tx, call: PreparedCall, admitted: Admitted): Result | Fault {
  const { plan, credential } = admitted;
  if (plan.do === 'batch')
    return runBatch(service, call, plan, (operation) => {
      const nested = { source: operation, key: operation.key, body: canonicalJson(operation.args) };
      return dispatchNested(service, call, nested, (each) => perform(service, tx, each));
    });
  if (plan.do === 'thread-update') return updateThread(service, tx, call, plan, admitted);
  if (plan.do === 'decide-proposal')
    return decideProposal(service, tx, call, plan, (proposal, proposer, judgement) => {
      if (isFault(proposal.plan)) return proposal.plan;
      const late = proposal.repairs === undefined ? undefined : unrepairable(tx, proposal.repairs);
      const fired = { plan: proposal.plan, credential: proposer, judgement };
      const result = late ?? run(service, tx, proposal, fired);
      if (!isFault(result) && proposal.repairs !== undefined)
        closeLineage(tx, proposal.repairs, proposal.inv, { ts: call.now, actor: actorOf(proposer) });
      return result;
    });
  return executePlan(service, tx, call, plan, credential, contextOf(service, call, credential));
}

/** The first half of an effect: it is admitted, charged and recorded as running, and has not fired. */
export function intend(service: Service, tx: Tx, call: PreparedCall, leaseUntil: string): Performed {
  const admitted = admit(service, tx, call);
  if (!('credential' in admitted)) return admitted;
  const { credential, judgement } = admitted;
  const charged = judgement.charged.map((row) => row.record.fingerprint);
  const entry = recordCall(tx, call, credential, 'running', { charged, leaseUntil });
  if (call.leaked !== undefined) revokeLeaked(tx, call.leaked, call.leakedUnused ?? [], call);
  return {
    inv: call.inv,
    status: 'running',
    judgement,
    result: undefined,
    refusal: undefined,
    charged: charged.length > 0,
    entry,
  };
}

/** What a decision is told beside its arguments. */
export function contextOf(service: Service, call: PreparedCall, credential: Credential): Context {
  return {
    now: call.now,
    actor: actorOf(credential),
    actorName: call.actorName,
    model: call.modelName,
    channel: call.channel,
    base: service.base,
    tenant: call.tenant,
    workspace: call.workspace,
    inv: call.inv,
    limits: service.limits,
    id: (prefix) => call.draw.id(prefix),
  };
}

/** The tags of the text are calls inside this one, each with its own receipt. */
function updateThread(
  service: Service,
  tx: Tx,
  call: PreparedCall,
  plan: ThreadUpdate,
  { credential, judgement }: Admitted,
): Result | Fault {
  return runThreadUpdate(
    service,
    plan,
    judgement,
    (proposed) => sayUpdate(tx, call, plan, proposed, contextOf(service, call, credential)),
    (tag) => {
      const nested = { source: tag, key: tag.key, body: tag.args };
      return dispatchNested(
        service,
        call,
        nested,
        (each) => perform(service, tx, each),
        call.asked?.get(tag),
      );
    },
  );
}
