/**
 * The one way in (contract §3). Every door hands a `Call` to `dispatch`: the row is found, what was presented
 * is authenticated, secrets are taken out of the body, arguments are parsed, reads are answered, and one act
 * judges, decides, records and commits. Nothing is answered before the commit is on disk.
 */
import { showingInputs } from '../../domain/capabilities/arguments.ts';
import { judge } from '../../domain/capabilities/gates.ts';
import type { Again, Plan, Row } from '../../domain/capabilities/row.ts';
import { links } from '../../domain/links.ts';
import { roles } from '../../domain/workspaces/roles.ts';
import { slugPath, slugTable } from '../../domain/articles/tables.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import { actorOf, type Credential } from '../../domain/capabilities/credential.ts';
import type { Result } from '../../domain/context.ts';
import type { Act } from '../../engine/act.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { withRows } from './current-rows.ts';
import { answerOf, type Answer } from './answer.ts';
import { askModel } from './ask-model.ts';
import { againResult, callAgain, repairProposal } from './again.ts';
import { authenticate, authenticateReader } from '../credentials/authenticate.ts';
import { documentSlug, judgeCall } from '../credentials/authority.ts';
import { checkEffect } from './check-effect.ts';
import type { Call, Performed, PlacedCall, PreparedCall } from './call.ts';
import { aboutAssignment } from './assignment-work.ts';
import { keysOf } from './keys-of-call.ts';
import { leaseFromClient } from './client-leases.ts';
import { unusedAmong } from './leaked.ts';
import { lookedUp } from './look-up.ts';
import { bodyBytesMaxOf, prepare, withoutConfided } from './prepare.ts';
import { chargeCall, spentLimit } from './rate-limits.ts';
import { perform } from './perform.ts';
import { refusalBody } from './recording.ts';
import { rehearse } from './rehearse.ts';
import { runEffect } from './effects.ts';
import type { LandingEffect } from './outcome.ts';
import { isOpenTo, nameOfTenant } from '../reads/workspaces.ts';
import { tenantOfCall } from './tenant-of-call.ts';
import { repeatedAnswer } from '../reads/repeated-answer.ts';
import { fireApproved, reopen } from './reopen.ts';
import { spanning, type Outcome } from '../tracing.ts';
import type { Service } from '../service.ts';
import { findStored, scrubStored } from './scrub.ts';
import { unknownKey } from './unknown-key.ts';

/** A further call has the time that the slowest row has. */
const furtherCallMs = 300_000;

/** A large ledger is read, rewritten and compacted; whoever waits for it is told that it runs. */
const scrubMs = 6 * 3600_000;
const scrubAnswerMs = 30_000;

export async function dispatch(deployed: Service, given: Call): Promise<Answer | Fault> {
  const answer = await spanning(
    'colophon.dispatch',
    { 'colophon.row': given.key.slice(0, 80), 'colophon.channel': given.channel },
    () => carryOut(deployed, given),
    spanOutcome,
  );
  deployed.calls.count(answer);
  return answer;
}

function spanOutcome(answer: Answer | Fault): Outcome {
  if (isFault(answer)) return { attributes: {}, error: answer.fault };
  if (answer.kind === 'shape') return { attributes: { 'colophon.status': 'shape' } };
  return {
    attributes: { 'colophon.invocation': answer.inv, 'colophon.status': answer.status },
    error: answer.refusal?.fault,
  };
}

async function carryOut(deployed: Service, given: Call): Promise<Answer | Fault> {
  const credential = await authenticate(deployed, given.presented);
  const tenant = isFault(credential) ? mainTenant : await tenantOfCall(deployed, given, credential);
  const by = { meter: given.meter, credential, tenant: isFault(tenant) ? mainTenant : tenant };
  if (isFault(tenant)) return (await chargeCall(deployed, by)) ?? tenant;
  const call = { ...given, tenant };
  const service = await withRows(deployed, tenant);
  const row = service.rows.get(call.key);
  const spent = spentLimit(by, row);
  if (spent !== undefined) return spent;
  if (row === undefined) return (await chargeCall(service, by)) ?? unknownKey(service, call);
  if (isFault(credential)) return { gate: 'credential', ...credential };
  const unread = await refusedUnread(service, row, call, credential);
  if (unread !== undefined) return (await chargeCall(service, by)) ?? unread;
  const workspace = await nameOfTenant(service, tenant);
  const checked = await checkEffect(service, prepare(service, row, call, credential, workspace));
  const about = await aboutAssignment(service, checked);
  const limited = await chargeCall(service, by, row, call.shape === true ? {} : about.args);
  if (limited !== undefined) return limited;
  const prepared = { ...about, leakedUnused: await unusedAmong(service, about.leaked ?? []) };
  if (call.shape === true) return { kind: 'shape', shape: await dryRun(service, prepared) };
  const { plan } = prepared;
  const effect = isFault(plan) ? undefined : effectOf(service, call, prepared, plan);
  if (effect !== undefined) return runEffect(service, prepared, effect, await keysOf(service, prepared));
  if (!isFault(plan) && plan.do === 'decide-proposal') return decide(service, prepared, plan.inv);
  const run = async (ready: PreparedCall): Promise<Answer | Fault> =>
    settle(service, await lookedUp(service, ready));
  return !isFault(plan) && plan.do === 'lease-item'
    ? leaseFromClient(service, call.client, prepared, run)
    : run(prepared);
}

/** What must be on the ledger before it happens: it reaches outside, calls again, or rewrites what is stored. */
function effectOf(
  service: Service,
  call: PlacedCall,
  prepared: PreparedCall,
  plan: Plan,
): LandingEffect | undefined {
  const { model } = service.outside;
  switch (plan.do) {
    case 'effect':
      return plan;
    case 'call-again':
      return {
        do: 'effect',
        timeoutMs: furtherCallMs,
        run: () => furtherCall(service, call, prepared, plan.again),
      };
    case 'inquire':
      return plan.asks === undefined || model === undefined
        ? undefined
        : askModel(service, prepared, plan, plan.asks, model);
    case 'scrub': {
      const scrubbing = { inv: prepared.inv, tenant: call.tenant, actor: actorOf(prepared.credential) };
      return {
        do: 'effect',
        timeoutMs: scrubMs,
        answerWithinMs: scrubAnswerMs,
        run: (signal) => scrubStored(service, scrubbing, plan.input, signal),
      };
    }
    default:
      return undefined;
  }
}

/** `POST {replay}` and `{repairs}`: the call itself, linked to the receipt that it was made from. */
export async function dispatchAgain(deployed: Service, call: Call, again: Again): Promise<Answer | Fault> {
  const credential = await authenticateReader(deployed, call.presented);
  if (isFault(credential)) return credential;
  const by = { meter: call.meter, credential, tenant: mainTenant };
  const spent = spentLimit(by);
  if (spent !== undefined) return spent;
  const meant = await callAgain(deployed, credential, again, call);
  if (isFault(meant)) return (await chargeCall(deployed, by)) ?? meant;
  const row = (await withRows(deployed, meant.tenant)).rows.get(meant.key);
  if (meant.repairs !== undefined && row?.risk === 'high' && credential.kind !== 'owner') {
    const limited = await chargeCall(deployed, by);
    if (limited !== undefined) return limited;
    return {
      ...fault(
        'owner_gate_required',
        `${meant.key} is a high-risk row: the owner fires its repair.`,
        'Hand the proposal to the owner.',
        { proposal: { key: meant.key, body: meant.body, repairs: meant.repairs } },
      ),
      gate: 'owner_gate',
    };
  }
  return dispatch(deployed, meant);
}

/** OIP_REPLAY and OIP_REPAIR: another call, under the caller's authority, with a receipt of its own. */
async function furtherCall(
  service: Service,
  call: Call,
  { inv, credential, leaked }: PreparedCall,
  again: Again,
): Promise<Result | Fault> {
  const meant = await callAgain(service, credential, again, {
    ...call,
    method: 'POST',
    idempotencyKey: undefined,
    root: inv,
    leaked,
  });
  if (isFault(meant)) return meant;
  const row = (await withRows(service, meant.tenant)).rows.get(meant.key);
  if (row?.delegates === true)
    return fault('conflict', `${meant.key} makes a further call itself.`, 'Name the call that it made.');
  if (meant.repairs !== undefined && row?.risk === 'high') return repairProposal(service, meant);
  return againResult(service, again, await dispatch(service, meant));
}

/** The owner's decision: one act for both receipts; what reaches outside fires when that act is on disk. */
async function decide(service: Service, call: PreparedCall, inv: string): Promise<Answer | Fault> {
  const waiting = await reopen(service, call, inv);
  const reopened = waiting === undefined ? undefined : await aboutAssignment(service, waiting);
  const proposal = reopened === undefined ? undefined : await lookedUp(service, reopened);
  const prepared = { ...call, proposal };
  return fireApproved(service, prepared, await settle(service, prepared));
}

/** A GET that would write for nobody. Whoever has nothing but addresses is told one that gives a share for it. */
async function refusedWrite(service: Service, row: Row, tenant: string): Promise<Fault> {
  const writes = `Without a credential a GET runs reads only; ${row.key} writes.`;
  const keys: readonly string[] = roles.contributor.keys;
  if (!keys.includes(row.key) || !(await isOpenTo(service, { kind: 'anonymous' }, tenant)))
    return fault('credential_required', writes, 'Add share=<TOKEN>, or send the call as a POST.');
  const workspace = links.workspace(service.base, await nameOfTenant(service, tenant));
  return fault(
    'credential_required',
    writes,
    'Add share=<TOKEN>, which the first address in next gives to anybody, or send the call as a POST.',
    { next: [`${workspace}/enter?role=contributor`, links.contract(service.base, row.key)] },
  );
}

/** Why a call is refused before its body is read, scrubbed or divided. */
async function refusedUnread(
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
      `${row.key} is told a secret, and addresses are kept by everybody whom they pass.`,
      'Send it as a POST.',
    );
  return undefined;
}

/** An anonymous call of a row that needs a credential, or a call of one that takes a smaller body. */
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

/** Runs the act of a prepared call and answers it. */
async function settle(service: Service, prepared: PreparedCall): Promise<Answer | Fault> {
  const act: Act<Performed> = {
    name: prepared.row.key,
    keys: await keysOf(service, prepared),
    decide(tx) {
      prepared.draw.restart();
      return perform(service, tx, prepared);
    },
  };
  const committed = await service.store.run(act);
  if (isFault(committed)) return committed;
  const performed = committed.answer;
  if (performed.uncounted !== undefined) service.denials.count(performed.uncounted);
  if (performed.repeats !== undefined) return repeatedAnswer(service, performed.repeats);
  return answerOf(service, prepared, performed, committed);
}

async function dryRun(service: Service, call: PreparedCall): Promise<JsonObject> {
  const slug = documentSlug(call);
  const appends =
    slug !== undefined &&
    (await service.store.read.row(slugTable, slugPath(call.tenant, slug))) !== undefined;
  const judgement = judgeCall(call, call.credential, appends);
  const { plan } = call;
  const admitted = judgement.refused === undefined && !judgement.gated;
  const scrub =
    !isFault(plan) && plan.do === 'scrub' && admitted
      ? await findStored(service, call.tenant, plan.input)
      : undefined;
  const misfit = isFault(call.args) ? call.args : isFault(plan) ? showingInputs(call.row, plan) : undefined;
  const { refusal, warnings } = !admitted
    ? {}
    : misfit === undefined
      ? await rehearse(service, call)
      : { refusal: misfit };
  return {
    key: call.row.key,
    gates: judgement.trace,
    would_run: admitted && refusal === undefined,
    arguments: isFault(call.args) ? null : withoutConfided(call.args, call.row.confidential ?? []),
    problem:
      (misfit ?? judgement.refused ?? refusal ?? (isFault(scrub) ? scrub : undefined))?.message ?? null,
    ...(refusal === undefined ? {} : { refusal: refusalBody(refusal) }),
    ...(warnings === undefined ? {} : { warnings }),
    charged: false,
    ...(scrub === undefined || isFault(scrub) ? {} : { would_scrub: scrub }),
  };
}
