/**
 * The act of a call, in the order of contract §3: authorize (`authorize.ts`), run the plan, append the receipt
 * (`record-call.ts`). Everything is read through the transaction, so that budgets, revocations and hashes are judged
 * by the committed state. A refusal rolls back what the call appended and is recorded by itself.
 */
import { actorOf, type Credential } from '../../domain/capabilities/credential.ts';
import type { Judgement } from '../../domain/capabilities/gates.ts';
import type { Result } from '../../domain/context.ts';
import type { Act, Tx } from '../../engine/act.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import { currentCredential } from '../credentials/authority.ts';
import {
  contextOf,
  recordedOutcome,
  type Answer,
  type ActOutcome,
  type PreparedCall,
} from '../plans/call.ts';
import { kindOf } from '../plans/registry.ts';
import type { Service } from '../service.ts';
import { answerOf, repeatedAnswer } from './answer.ts';
import { assignmentOf, workOnAssignment } from './assignment-work.ts';
import { authorize, fail, type Authorized } from './authorize.ts';
import { keysOf } from './plan.ts';
import { checkRepairable, closeLineage, recordCall } from './record-call.ts';
import { revokeLeaked } from './token-leaks.ts';

/** Runs the act of a prepared call and returns its answer. */
export async function runAct(service: Service, call: PreparedCall): Promise<Answer | Fault> {
  const act: Act<ActOutcome> = {
    name: call.row.key,
    keys: await keysOf(service, call),
    decide(tx) {
      call.entropy.restart();
      return perform(service, tx, call);
    },
  };
  const committed = await service.store.run(act);
  if (isFault(committed)) return committed;
  const performed = committed.answer;
  if (performed.uncounted !== undefined) service.denials.count(performed.uncounted);
  if (performed.repeats !== undefined) return repeatedAnswer(service, performed.repeats);
  return answerOf(service, call, performed, committed);
}

function perform(service: Service, tx: Tx, call: PreparedCall): ActOutcome {
  const authorized = authorize(service, tx, call);
  if (!('credential' in authorized)) return authorized;
  const { credential, judgement, plan } = authorized;
  const mark = tx.mark();
  const result = runWork(service, tx, call, authorized);
  if (isFault(result)) {
    tx.rollback(mark);
    return fail(service, tx, call, credential, judgement, result);
  }
  // The operations of a batch consume quota one by one.
  const charged = kindOf(plan).chargesNested === true ? [] : fingerprintsOf(judgement);
  const entry = recordCall(tx, call, credential, 'success', {
    response: result.result,
    result,
    slug: result.result['slug'],
    charged,
  });
  if (call.repairs !== undefined)
    closeLineage(tx, call.repairs, call.inv, { ts: call.now, actor: actorOf(credential) });
  if (call.leakedTokens !== undefined) revokeLeaked(tx, call.leakedTokens, call.leakedUnused ?? [], call);
  return recordedOutcome(call, 'success', judgement, entry, { result, charged: charged.length > 0 });
}

function fingerprintsOf({ charged }: Judgement): readonly string[] {
  return charged.map((row) => row.record.fingerprint);
}

/** Runs the plan, as work on its assignment if it has one. */
function runWork(service: Service, tx: Tx, call: PreparedCall, authorized: Authorized): Result | Fault {
  const { plan, credential } = authorized;
  const assignment = assignmentOf(plan) ?? call.assignment?.id;
  if (assignment === undefined) return runPlan(service, tx, call, authorized);
  const context = contextOf(service, call, credential);
  return workOnAssignment(tx, call, plan, assignment, credential, context, () => {
    // The work may have created the draft that its share reaches from then on.
    const now = currentCredential(tx, credential, call);
    return isFault(now) ? now : runPlan(service, tx, call, { ...authorized, credential: now });
  });
}

function runPlan(
  service: Service,
  tx: Tx,
  call: PreparedCall,
  { plan, credential, judgement }: Authorized,
): Result | Fault {
  const { inputs } = call;
  const kind = kindOf(plan);
  if (kind.run === undefined) throw new Error(`${call.row.key} reaches outside and cannot run inside an act`);
  if (isFault(inputs)) return inputs;
  if (kind.loadInputs !== undefined && !('inputs' in call))
    throw new Error(`${call.row.key} loads inputs before its act`);
  return kind.run({
    service,
    tx,
    call,
    plan,
    credential,
    judgement,
    context: contextOf(service, call, credential),
    inputs,
    perform: (nested) => perform(service, tx, nested),
    runApproved: (approved, proposer, granted) =>
      runApproved(service, tx, approved, { credential: proposer, judgement: granted, at: call.now }),
  });
}

/** A proposal runs as its proposer, and closes the lineage of the call that it repairs. */
function runApproved(
  service: Service,
  tx: Tx,
  call: PreparedCall,
  by: { readonly credential: Credential; readonly judgement: Judgement; readonly at: string },
): Result | Fault {
  const { plan, repairs } = call;
  if (isFault(plan)) return plan;
  const late = repairs === undefined ? undefined : checkRepairable(tx, repairs);
  const result = late ?? runWork(service, tx, call, { plan, ...by });
  if (!isFault(result) && repairs !== undefined)
    closeLineage(tx, repairs, call.inv, { ts: by.at, actor: actorOf(by.credential) });
  return result;
}

/** Records an effect as running: it is authorized and charged, and has not started. */
export function recordIntent(service: Service, tx: Tx, call: PreparedCall, leaseUntil: string): ActOutcome {
  const authorized = authorize(service, tx, call);
  if (!('credential' in authorized)) return authorized;
  const { credential, judgement } = authorized;
  const charged = fingerprintsOf(judgement);
  const entry = recordCall(tx, call, credential, 'running', { charged, leaseUntil });
  if (call.leakedTokens !== undefined) revokeLeaked(tx, call.leakedTokens, call.leakedUnused ?? [], call);
  return recordedOutcome(call, 'running', judgement, entry, { charged: charged.length > 0 });
}

const turns = new Map<string, Promise<unknown>>();

/** Serializes work of the same name; work without a name runs at once. */
export async function runSerially<T>(name: string | undefined, work: () => Promise<T>): Promise<T> {
  if (name === undefined) return work();
  const done = (turns.get(name) ?? Promise.resolve()).then(work);
  const turn = done.catch(() => undefined);
  turns.set(name, turn);
  try {
    return await done;
  } finally {
    if (turns.get(name) === turn) turns.delete(name);
  }
}
