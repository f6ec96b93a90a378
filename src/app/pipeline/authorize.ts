/**
 * Decides whether a call may run (contract §3): credential, repetition, gates, arguments and plan, in that order,
 * over the state of the transaction. A refusal is recorded if the credential is authentic; a gated call becomes a
 * proposal. Calls that can be refused without their body are refused before the act.
 */
import type { Credential } from '../../domain/capabilities/credential.ts';
import { judge, type Judgement } from '../../domain/capabilities/gates.ts';
import { proposalResult } from '../../domain/capabilities/proposal.ts';
import { refusalBody } from '../../domain/capabilities/invocation.ts';
import type { Plan } from '../../domain/capabilities/plan.ts';
import { isRedacted, type Row } from '../../domain/capabilities/row.ts';
import { idempotencyTable, proposalTable } from '../../domain/capabilities/tables.ts';
import { roles } from '../../domain/workspaces/roles.ts';
import { directoryTable } from '../../domain/directory/tables.ts';
import type { Tx } from '../../engine/act.ts';
import { about, fault, isFault, type Fault } from '../../kernel/fault.ts';
import { isOpenTo } from '../reads/workspaces.ts';
import { currentCredential, judgeInTx } from '../credentials/authority.ts';
import type { Service } from '../service.ts';
import {
  recordedOutcome,
  unrecordedRefusal,
  type ActOutcome,
  type PlacedCall,
  type PreparedCall,
} from '../plans/call.ts';
import { completeRefusal } from './complete-refusal.ts';
import { checkRepairable, recordCall } from './record-call.ts';
import { bodyBytesMaxOf } from './validate.ts';

/** Number of refusals of one token that are recorded one by one (contract §3). */
const denialsMax = 25;

export interface Authorized {
  readonly credential: Credential;
  readonly judgement: Judgement;
  readonly plan: Plan;
}

/** The authority and plan of the call, or its answer if it does not run. */
export function authorize(service: Service, tx: Tx, call: PreparedCall): Authorized | ActOutcome {
  const credential = currentCredential(tx, call.credential, call);
  if (isFault(credential)) return unrecordedRefusal(credential);
  const first = firstAnswer(tx, call, credential);
  if (first !== undefined)
    return isFault(first)
      ? unrecordedRefusal(first)
      : { ...unrecordedRefusal(undefined), status: 'success', repeats: first };
  const judgement = judgeInTx(tx, call, credential);
  if (judgement.refused !== undefined) return deny(tx, call, credential, judgement, judgement.refused);
  const stored = tx.row(directoryTable, call.tenant, call.row.key);
  if (stored?.state.version !== call.row.rowOverride?.version)
    return unrecordedRefusal(changedRow(call.row.key));
  if (isFault(call.args)) return fail(service, tx, call, credential, judgement, call.args);
  if (isFault(call.plan)) return fail(service, tx, call, credential, judgement, call.plan);
  if (call.repairs !== undefined) {
    const late = checkRepairable(tx, call.repairs);
    if (late !== undefined) return fail(service, tx, call, credential, judgement, late);
  }
  if (judgement.gated) return propose(service, tx, call, credential, judgement);
  return { credential, judgement, plan: call.plan };
}

function changedRow(key: string): Fault {
  return fault('conflict', `${key} was changed while the call was under way.`, 'Send the same call again.');
}

/** A repeated request gets its first answer, unless the credential was revoked since. */
function firstAnswer(tx: Tx, call: PreparedCall, credential: Credential): string | Fault | undefined {
  if (call.idempotency === undefined) return undefined;
  const { scope, request, lifeMs } = call.idempotency;
  const known = tx.row(idempotencyTable, scope);
  if (known === undefined || call.nowMs - Date.parse(known.ts) > lifeMs) return undefined;
  if (known.request !== request) {
    return about(
      fault(
        'idempotency_conflict',
        'The idempotency key was used for another request.',
        'Send a new key with a new request.',
      ),
      { kind: 'receipt', id: known.inv },
    );
  }
  const [own, ...ancestors] = credential.kind === 'share' ? credential.chain : [];
  if (own !== undefined && own.revoked_at !== null) return undefined;
  return ancestors.some((link) => link.revoked_at !== null) ? undefined : known.inv;
}

/** Records an authorized call that cannot run as failed, with its complete refusal. */
export function fail(
  service: Service,
  tx: Tx,
  call: PreparedCall,
  credential: Credential,
  judgement: Judgement,
  found: Fault,
): ActOutcome {
  const refusal = completeRefusal(service, tx, call, found, credential);
  const entry = recordCall(tx, call, credential, 'failed', { response: refusalBody(refusal), refusal });
  return recordedOutcome(call, 'failed', judgement, entry, { refusal });
}

/** Open proposals of one token (contract §3). */
const proposalsMax = 20;

/** Why a gated call cannot be proposed to the owner. */
function checkProposable(tx: Tx, { row }: PreparedCall, credential: Credential): Fault | undefined {
  // A proposal is kept until it fires, so its row must keep bodies.
  if (isRedacted(row))
    return {
      ...fault(
        'owner_gate_required',
        `${row.key} keeps no bodies (ledger_enabled is false), so a call of it cannot wait for the owner.`,
        'Ask the owner for a share of this row without the owner gate, or to make the call.',
        { ledger_enabled: false },
      ),
      gate: 'owner_gate',
    };
  const open = credential.kind === 'share' ? tx.rows(proposalTable, credential.fingerprint).size : 0;
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

/** Records and charges a gated call as a proposal. */
function propose(
  service: Service,
  tx: Tx,
  call: PreparedCall,
  credential: Credential,
  judgement: Judgement,
): ActOutcome {
  const refusal = checkProposable(tx, call, credential);
  if (refusal !== undefined) return deny(tx, call, credential, judgement, refusal);
  const charged = judgement.charged.map((row) => row.record.fingerprint);
  const entry = recordCall(tx, call, credential, 'proposed', { charged });
  const result = proposalResult(service.base, call.inv, call.row.key, call.recorded);
  return recordedOutcome(call, 'proposed', judgement, entry, { result, charged: charged.length > 0 });
}

/** Records refusals of authentic credentials, up to a number. */
function deny(
  tx: Tx,
  call: PreparedCall,
  credential: Credential,
  judgement: Judgement,
  refusal: Fault,
): ActOutcome {
  const own = credential.kind === 'share' ? credential.chain[0] : undefined;
  if (own === undefined) return { ...unrecordedRefusal(refusal), judgement };
  if (own.denials >= denialsMax)
    return { ...unrecordedRefusal(refusal), judgement, uncounted: own.record.fingerprint };
  const entry = recordCall(tx, call, credential, 'denied', { response: refusalBody(refusal), refusal });
  return recordedOutcome(call, 'denied', judgement, entry, { refusal });
}

// Before the act

/** Why a call is refused before its body is read, scrubbed or divided. */
export async function refuseUnread(
  service: Service,
  row: Row,
  call: PlacedCall,
  credential: Credential,
): Promise<Fault | undefined> {
  if (call.method === 'GET' && !row.safe && credential.kind === 'anonymous' && row.auth === 'none')
    return refusedWrite(service, row, call.tenant);
  const isTooLarge = call.body.length > bodyBytesMaxOf(row.key, service.limits);
  if (
    credential.kind !== 'share' &&
    call.shape !== true &&
    (isTooLarge || (credential.kind === 'anonymous' && row.auth !== 'none'))
  )
    return refusedUnrecorded(service, row, call, credential);
  if (call.method === 'GET' && row.confidential !== undefined)
    return fault(
      'method_not_allowed',
      `${row.key} takes a secret, and proxies, logs and browser histories keep addresses.`,
      'Send it as a POST.',
    );
  return undefined;
}

/**
 * Refuses a GET that would write without a credential; the refusal names an address that gives a share, if there is
 * one.
 */
async function refusedWrite(service: Service, row: Row, tenant: string): Promise<Fault> {
  const writes = `Without a credential a GET runs reads only; ${row.key} writes.`;
  const keys: readonly string[] = roles.contributor.keys;
  if (!keys.includes(row.key) || !(await isOpenTo(service, { kind: 'anonymous' }, tenant)))
    return fault('credential_required', writes, 'Add share=<TOKEN>, or send the call as a POST.');
  return fault(
    'credential_required',
    writes,
    'Add share=<TOKEN>, which the first address in next hands out without a key, or send the call as a POST.',
  );
}

/** Refuses anonymous calls of rows that need a credential, and bodies that are too large for their row. */
function refusedUnrecorded({ limits }: Service, row: Row, call: PlacedCall, credential: Credential): Fault {
  const { refused } = judge({
    row,
    credential,
    tenant: call.tenant,
    slug: undefined,
    body: call.body,
    now: '',
    bodyBytesMax: bodyBytesMaxOf(row.key, limits),
  });
  if (refused === undefined) throw new Error(`${row.key} admitted a call that it refuses`);
  return refused;
}
