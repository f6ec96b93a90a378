/**
 * Whether a call may be carried out (contract §3): credential, repetition, gates, arguments and plan, judged in
 * that order over what the transaction holds. Whoever is not admitted leaves with a refusal, recorded where it
 * is that of an authentic credential; a gated call leaves as a proposal.
 */
import { showingInputs } from '../../domain/capabilities/arguments.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import type { Judgement } from '../../domain/capabilities/gates.ts';
import { proposalResult } from '../../domain/capabilities/proposal.ts';
import type { Plan } from '../../domain/capabilities/row.ts';
import { idempotencyTable } from '../../domain/capabilities/tables.ts';
import { directoryTable } from '../../domain/directory/tables.ts';
import type { Tx } from '../../engine/act.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { currentCredential, judgeIn } from '../credentials/authority.ts';
import type { Service } from '../service.ts';
import { unproposable } from './approvals.ts';
import type { Performed, PreparedCall } from './call.ts';
import { misfitOf } from './execute.ts';
import { unrepairable } from './lineage.ts';
import { recordCall } from './record-call.ts';
import { refusalBody } from './recording.ts';
import { withStale } from './stale-reads.ts';

/** Refusals of one token that are recorded one by one (contract §3). */
const denialsMax = 25;

export interface Admitted {
  readonly credential: Credential;
  readonly judgement: Judgement;
  readonly plan: Plan;
}

/** Credential, repetition, gates and arguments; whoever is not admitted leaves with a recorded refusal. */
export function admit(service: Service, tx: Tx, call: PreparedCall): Admitted | Performed {
  const credential = currentCredential(tx, call.credential, call);
  if (isFault(credential)) return refused(credential);
  const first = firstAnswer(tx, call, credential);
  if (first !== undefined)
    return isFault(first) ? refused(first) : { ...refused(undefined), status: 'success', repeats: first };
  const judgement = judgeIn(tx, call, credential);
  if (judgement.refused !== undefined) return deny(tx, call, credential, judgement, judgement.refused);
  const stored = tx.row(directoryTable, call.tenant, call.row.key);
  if (stored?.state.version !== call.row.standing?.version) return refused(changedRow(call.row.key));
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

/** An admitted call that could not be carried out: recorded as failed, with what was read too early. */
export function fail(
  tx: Tx,
  call: PreparedCall,
  credential: Credential,
  judgement: Judgement,
  found: Fault,
): Performed {
  const refusal = showingInputs(call.row, withStale(tx, call, found, credential));
  const entry = recordCall(tx, call, credential, 'failed', { response: refusalBody(refusal), refusal });
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
  const entry = recordCall(tx, call, credential, 'proposed', { charged });
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
  const entry = recordCall(tx, call, credential, 'denied', { response: refusalBody(refusal), refusal });
  return { inv: call.inv, status: 'denied', judgement, result: undefined, refusal, charged: false, entry };
}
