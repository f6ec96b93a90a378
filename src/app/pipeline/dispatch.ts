/**
 * The one entry point (contract §3). Every door hands a `Call` to `dispatch`, and its steps read in order: authenticate,
 * authorize, validate, plan, act, answer. Nothing is answered before its commit is on disk.
 */
import { mainTenant } from '../../domain/articles/slugs.ts';
import { fault, type Fault, isFault } from '../../kernel/fault.ts';
import { authenticateReader } from '../credentials/authenticate.ts';
import { chargeCall, spentLimit } from '../credentials/rate-limits.ts';
import type { Answer, Call, PreparedCall } from '../plans/call.ts';
import { kindOf } from '../plans/registry.ts';
import { proposalOf, type ReplayOf, resolveReplay } from '../plans/replay.ts';
import { leadOn } from '../refusals/lead-on.ts';
import { withWorkspaceRows } from '../workspace-rows.ts';
import { nameOfTenant } from '../reads/workspaces.ts';
import type { CallReport, Service } from '../service.ts';
import { type Outcome, spanning, tracedIds } from '../tracing.ts';
import { runAct, runSerially } from './act.ts';
import { placeWork } from './assignment-work.ts';
import { authenticateCall } from './authenticate.ts';
import { refuseUnread } from './authorize.ts';
import { runEffect, startEffect } from './effects.ts';
import { keysOf, loadInputs } from './plan.ts';
import { findUnusedTokens } from './token-leaks.ts';
import { unknownKey } from './unknown-key.ts';
import { validate, withoutConfidential } from './validate.ts';
import { slugPath, slugTable } from '../../domain/articles/tables.ts';
import { withInputs } from '../../domain/capabilities/arguments.ts';
import { refusalBody } from '../../domain/capabilities/invocation.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { documentSlug, judgeCall } from '../credentials/authority.ts';

export async function dispatch(deployed: Service, given: Call): Promise<Answer | Fault> {
  let ids: ReturnType<typeof tracedIds> = {};
  const answer = await spanning(
    'colophon.dispatch',
    { 'colophon.row': given.key.slice(0, 80), 'colophon.channel': given.channel },
    () => {
      ids = tracedIds();
      return carryOut(deployed, given);
    },
    spanOutcome,
  );
  deployed.calls.count(answer);
  if (!isFault(answer) && answer.kind === 'called') deployed.onCall(callReport(given, ids, answer));
  return given.root === undefined ? withLeads(deployed, given, answer) : answer;
}

/** The answer of a call contains the refusals of its nested calls. */
async function withLeads(deployed: Service, given: Call, answer: Answer | Fault): Promise<Answer | Fault> {
  const { presented, workspace, key, body, named } = given;
  const request = { presented, workspace, key, body, args: named?.args };
  if (isFault(answer)) return leadOn(deployed, request, answer);
  if (answer.kind === 'shape' || answer.refusal === undefined) return answer;
  return { ...answer, refusal: await leadOn(deployed, request, answer.refusal) };
}

function callReport(
  { channel, root }: Call,
  ids: ReturnType<typeof tracedIds>,
  { inv, key, status, refusal, repeated, durationMs }: Extract<Answer, { kind: 'called' }>,
): CallReport {
  return { ...ids, inv, root, key, channel, status, error: refusal?.fault, repeated, durationMs };
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
  const caller = await authenticateCall(deployed, given);
  if (isFault(caller)) return caller;
  const { service, call, row, credential, metered } = caller;
  if (row === undefined) return (await chargeCall(service, metered)) ?? unknownKey(service, call);
  if (isFault(credential)) return { gate: 'credential', ...credential };

  const unread = await refuseUnread(service, row, call, credential);
  if (unread !== undefined) return (await chargeCall(service, metered)) ?? unread;

  const workspace = await nameOfTenant(service, call.tenant);
  const valid = await validate(service, row, call, credential, workspace);
  const placed = await placeWork(service, valid);
  const limited = await chargeCall(service, metered, row, call.shape === true ? {} : placed.args);
  if (limited !== undefined) return limited;

  const prepared = { ...placed, leakedUnused: await findUnusedTokens(service, placed.leakedTokens ?? []) };
  if (call.shape === true) return { kind: 'shape', shape: await dryRun(service, prepared) };
  const { plan } = prepared;
  if (isFault(plan)) return runAct(service, prepared);
  const kind = kindOf(plan);
  const planned = { service, call: prepared, plan };
  const effect = kind.effect?.(planned, call, dispatch);
  if (effect !== undefined) return runEffect(service, prepared, effect, await keysOf(service, prepared));
  return runSerially(kind.turn?.(planned), () => planAndAct(service, prepared));
}

async function planAndAct(service: Service, call: PreparedCall): Promise<Answer | Fault> {
  const loaded = await loadInputs(service, call);
  const answer = await runAct(service, loaded);
  const { plan, inputs } = loaded;
  const afterAct = isFault(plan) ? undefined : kindOf(plan).afterAct;
  if (isFault(plan) || afterAct === undefined || isFault(answer) || isFault(inputs)) return answer;
  return afterAct({ service, call: loaded, plan }, inputs, answer, (started, effect) =>
    startEffect(service, started, effect),
  );
}

/** `POST {replay}` and `{repairs}`: the call itself, linked to the receipt that it was made from. */
export async function dispatchReplay(deployed: Service, call: Call, of: ReplayOf): Promise<Answer | Fault> {
  const answer = await replay(deployed, call, of);
  return isFault(answer) ? leadOn(deployed, { presented: call.presented, key: call.key }, answer) : answer;
}

async function replay(deployed: Service, call: Call, of: ReplayOf): Promise<Answer | Fault> {
  const credential = await authenticateReader(deployed, call.presented);
  if (isFault(credential)) return credential;
  const metered = { meter: call.meter, credential, tenant: mainTenant };
  const spent = spentLimit(metered);
  if (spent !== undefined) return spent;
  const meant = await resolveReplay(deployed, credential, of, call);
  if (isFault(meant)) return (await chargeCall(deployed, metered)) ?? meant;
  const row = (await withWorkspaceRows(deployed, meant.tenant)).rows.get(meant.key);
  if (meant.repairs !== undefined && row?.risk === 'high' && credential.kind !== 'owner') {
    const limited = await chargeCall(deployed, metered);
    if (limited !== undefined) return limited;
    return {
      ...fault(
        'owner_gate_required',
        `${meant.key} is a high-risk row: the owner fires its repair.`,
        'Hand the proposal to the owner.',
        { proposal: { ...proposalOf(deployed, meant), repairs: meant.repairs } },
      ),
      gate: 'owner_gate',
    };
  }
  return dispatch(deployed, meant);
}

/**
 * The answer of a dry run (contract §3 `shape`): the judgement of the gates and, if they let the call through, what the
 * plan adds. A refusal by the plan may quote what the gates hide.
 */
async function dryRun(service: Service, call: PreparedCall): Promise<JsonObject> {
  const slug = documentSlug(call);
  const appends =
    slug !== undefined &&
    (await service.store.read.row(slugTable, slugPath(call.tenant, slug))) !== undefined;
  const judgement = judgeCall(call, call.credential, appends);
  const { plan, args } = call;
  const authorized = judgement.refused === undefined && !judgement.gated;
  const misfit = isFault(args) ? args : isFault(plan) ? withInputs(call.row, plan) : undefined;
  const planned = !authorized || isFault(plan) ? {} : await kindOf(plan).dryRun?.({ service, call, plan });
  const {
    refusal,
    warnings = [],
    more,
  } = { ...planned, ...(authorized && misfit ? { refusal: misfit } : {}) };
  const problem = misfit ?? judgement.refused ?? refusal ?? (isFault(more) ? more : undefined);
  return {
    key: call.row.key,
    ran: false,
    gates: judgement.trace,
    would_run: authorized && refusal === undefined,
    arguments: isFault(args) ? null : withoutConfidential(args, call.row.confidential ?? []),
    problem: problem?.message ?? null,
    ...(refusal === undefined ? {} : { refusal: refusalBody(refusal) }),
    ...(warnings.length === 0 ? {} : { warnings }),
    charged: false,
    ...(isFault(more) ? {} : more),
  };
}
