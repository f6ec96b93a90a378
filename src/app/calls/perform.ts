/**
 * A call inside its act: gates, arguments, the plan, the receipt, in the order of contract §3. Everything is
 * read through the transaction, so that a budget, a revocation or a hash is judged by the state that the
 * commit will stand on. A refusal undoes what the call appended and is recorded by itself.
 */
import { showingInputs } from '../../domain/capabilities/arguments.ts';
import { actorOf, type Credential } from '../../domain/capabilities/credential.ts';
import type { Judgement } from '../../domain/capabilities/gates.ts';
import { invocationEvent, type InvocationStatus } from '../../domain/capabilities/invocation.ts';
import { proposalResult } from '../../domain/capabilities/proposal.ts';
import type { Plan } from '../../domain/capabilities/row.ts';
import { idempotencyTable } from '../../domain/capabilities/tables.ts';
import { yieldedBy } from '../../domain/capabilities/yield.ts';
import type { Context, Result } from '../../domain/context.ts';
import { directoryTable } from '../../domain/directory/tables.ts';
import type { Appended, EventDraft, Tx } from '../../engine/act.ts';
import type { PlacedFind } from '../../guard/secrets.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonValue } from '../../kernel/json.ts';
import { headOf, type Head } from '../../ledger/entry.ts';
import { unscopedAppend } from './append-scope.ts';
import { decideProposal, unproposable, withholds } from './approvals.ts';
import { currentCredential, judgeCall, slugOf } from '../credentials/authority.ts';
import type { Performed, PreparedCall } from './call.ts';
import { articleOfCall } from '../reads/conformance.ts';
import { assignmentOf, workOnAssignment } from './assignment-work.ts';
import { executePlan, misfitOf, sayUpdate } from './execute.ts';
import { revokeLeaked } from './leaked.ts';
import { closeLineage, unrepairable } from './lineage.ts';
import { nestedCall, runBatch } from './nested-calls.ts';
import { refusalBody } from './recording.ts';
import type { Service } from '../service.ts';
import { withStale } from './stale-reads.ts';
import { runThreadUpdate, type ThreadUpdate } from './thread-update.ts';

/** Refusals of one token that are recorded one by one (contract §3). */
export const denialsMax = 25;

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
  const entry = record(tx, call, credential, 'success', {
    response: result.result,
    result,
    slug: result.result['slug'],
    charged,
  });
  if (call.repairs !== undefined)
    closeLineage(tx, call.repairs, call.inv, { ts: call.now, actor: actorOf(credential) });
  if (call.leaked !== undefined) revokeLeaked(tx, call.leaked, call);
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
  const assignment = assignmentOf(plan);
  if (assignment === undefined || (plan.do !== 'batch' && plan.do !== 'write-document'))
    return runPlan(service, tx, call, admitted);
  const context = contextOf(service, call, credential);
  return workOnAssignment(tx, call, plan, assignment, credential, context, () =>
    runPlan(service, tx, call, admitted),
  );
}

function runPlan(service: Service, tx: Tx, call: PreparedCall, admitted: Admitted): Result | Fault {
  const { plan, credential } = admitted;
  if (plan.do === 'batch') return runBatch(service, call, plan, (nested) => perform(service, tx, nested));
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
  const entry = record(tx, call, credential, 'running', { charged, leaseUntil });
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

interface Admitted {
  readonly credential: Credential;
  readonly judgement: Judgement;
  readonly plan: Plan;
}

/** Credential, repetition, gates and arguments; whoever is not admitted leaves with a recorded refusal. */
function admit(service: Service, tx: Tx, call: PreparedCall): Admitted | Performed {
  const credential = currentCredential(tx, call.credential, call);
  if (isFault(credential)) return refused(credential);
  const first = firstAnswer(tx, call, credential);
  if (first !== undefined)
    return isFault(first) ? refused(first) : { ...refused(undefined), status: 'success', repeats: first };
  const judgement = judgeCall(call, credential);
  if (judgement.refused !== undefined) return deny(tx, call, credential, judgement, judgement.refused);
  const { standing } = call.row;
  if (
    standing !== undefined &&
    tx.row(directoryTable, call.tenant, call.row.key)?.state.version !== standing.version
  )
    return refused(changedRow(call.row.key));
  const unscoped = unscopedAppend(tx, call, call.plan, credential);
  if (unscoped !== undefined) return deny(tx, call, credential, judgement, unscoped);
  if (isFault(call.args))
    return fail(tx, call, credential, judgement, misfitOf(service, tx, call, call.args, credential));
  if (isFault(call.plan)) return fail(tx, call, credential, judgement, call.plan);
  if (call.repairs !== undefined) {
    const late = unrepairable(tx, call.repairs);
    if (late !== undefined) return fail(tx, call, credential, judgement, late);
  }
  if (judgement.gated) return propose(service, tx, call, credential, judgement);
  return { credential, judgement, plan: call.plan };
}

function changedRow(key: string): Fault {
  return fault('conflict', `${key} was changed while the call was under way.`, 'Send the same call again.');
}

function refused(refusal: Fault | undefined): Performed {
  return {
    inv: undefined,
    status: 'denied',
    judgement: undefined,
    result: undefined,
    refusal,
    charged: false,
    entry: undefined,
  };
}

/** A repeated request finds its first answer, unless the credential was revoked since. */
function firstAnswer(tx: Tx, call: PreparedCall, credential: Credential): string | Fault | undefined {
  if (call.idempotency === undefined) return undefined;
  const { scope, request, lifeMs } = call.idempotency;
  const known = tx.row(idempotencyTable, scope);
  if (known === undefined || call.nowMs - Date.parse(known.ts) > lifeMs) return undefined;
  if (known.request !== request) {
    return fault(
      'idempotency_conflict',
      'The idempotency key was used for another request.',
      'Send a new key with a new request.',
    );
  }
  const [own, ...ancestors] = credential.kind === 'share' ? credential.chain : [];
  if (own !== undefined && own.revoked_at !== null) return undefined;
  return ancestors.some((link) => link.revoked_at !== null) ? undefined : known.inv;
}

export function contextOf(service: Service, call: PreparedCall, credential: Credential): Context {
  return {
    now: call.now,
    actor: actorOf(credential),
    actorName: call.actorName,
    channel: call.channel,
    base: service.base,
    tenant: call.tenant,
    workspace: call.workspace,
    inv: call.inv,
    limits: service.limits,
    id: (prefix) => call.draw.id(prefix),
  };
}

// Recording

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
function record(
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

/** Says what was taken out of a request or a response: path, kind and count, never the secret. */
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

function fail(
  tx: Tx,
  call: PreparedCall,
  credential: Credential,
  judgement: Judgement,
  found: Fault,
): Performed {
  const refusal = showingInputs(call.row, withStale(tx, call, found, credential));
  const entry = record(tx, call, credential, 'failed', { response: refusalBody(refusal), refusal });
  return { inv: call.inv, status: 'failed', judgement, result: undefined, refusal, charged: false, entry };
}

/** A gated call is recorded and charged, and waits; nothing else happens. */
function propose(
  service: Service,
  tx: Tx,
  call: PreparedCall,
  credential: Credential,
  judgement: Judgement,
): Performed {
  const refusal = unproposable(tx, call, credential);
  if (refusal !== undefined) return deny(tx, call, credential, judgement, refusal);
  const charged = judgement.charged.map((row) => row.record.fingerprint);
  const entry = record(tx, call, credential, 'proposed', { charged });
  return {
    inv: call.inv,
    status: 'proposed',
    judgement,
    result: proposalResult(service.base, call.inv, call.row.key, call.recorded),
    refusal: undefined,
    charged: charged.length > 0,
    entry,
  };
}

/** Refusals of an authentic credential are invocations, up to a number; refusals of nobody are not. */
function deny(
  tx: Tx,
  call: PreparedCall,
  credential: Credential,
  judgement: Judgement,
  refusal: Fault,
): Performed {
  const own = credential.kind === 'share' ? credential.chain[0] : undefined;
  if (own === undefined) return { ...refused(refusal), judgement };
  if (own.denials >= denialsMax) return { ...refused(refusal), judgement, uncounted: own.record.fingerprint };
  const entry = record(tx, call, credential, 'denied', { response: refusalBody(refusal), refusal });
  return { inv: call.inv, status: 'denied', judgement, result: undefined, refusal, charged: false, entry };
}

// Calls inside a call

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
    (tag) =>
      perform(service, tx, {
        ...nestedCall(service, call, tag.key, tag.args),
        answered: call.asked?.get(tag),
      }),
  );
}
