/**
 * Around the act that decides a proposal (contract §3): what was recorded is made a call again before it, and
 * an approved call that reaches outside fires behind it, when its intent is on disk.
 */
import { argumentsOf } from '../../domain/capabilities/arguments.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Answer } from './answer.ts';
import { credentialOf } from '../credentials/authenticate.ts';
import { nameIn, type PreparedCall } from './call.ts';
import { withRows } from './current-rows.ts';
import { newDraw } from './draw.ts';
import { startEffect } from './effects.ts';
import { readInvocation, wordsOf } from '../reads/invocation.ts';
import { nameOfTenant } from '../reads/workspaces.ts';
import { refusalBody } from './recording.ts';
import type { Service } from '../service.ts';

/** A recorded proposal, prepared to fire; nothing where there is none to decide. */
export async function reopen(
  service: Service,
  call: PreparedCall,
  inv: string,
): Promise<PreparedCall | undefined> {
  const proposed = await readInvocation(service, inv);
  if (proposed === undefined) return undefined;
  // Only the owner decides, and the owner decides in every workspace.
  const row = (await withRows(service, proposed.tenant)).rows.get(proposed.key);
  if (row === undefined) return undefined;
  const credential = await credentialOf(service, proposed.actor);
  if (isFault(credential)) return undefined;
  const body = typeof proposed.request.value === 'string' ? proposed.request.value : '';
  const args = proposed.request.state === 'present' ? argumentsOf(row, body, service.limits) : bodyGone(inv);
  const name = wordsOf(proposed)['actor'];
  return {
    row,
    body,
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
    bodyBytesMax: Number.POSITIVE_INFINITY,
    idempotency: undefined,
    repeatable: proposed.idempotencyKey !== null,
    answered: undefined,
    document: undefined,
    meter: undefined,
    draw: newDraw(),
  };
}

/** Scrubbed since, or never kept. */
function bodyGone(inv: string): Fault {
  return fault(
    'conflict',
    `The body of ${inv} is not on the ledger, so it cannot fire.`,
    'Decline it, and have the call sent again.',
  );
}

/** The second half of an approved effect: its intent is committed, now it fires, and its outcome is recorded. */
export async function fireApproved(
  service: Service,
  call: PreparedCall,
  answer: Answer | Fault,
): Promise<Answer | Fault> {
  const { proposal } = call;
  if (isFault(answer) || answer.kind !== 'called' || answer.repeated || proposal === undefined) return answer;
  if (answer.result?.result['status'] !== 'running') return answer;
  if (isFault(proposal.plan) || proposal.plan.do !== 'effect') return answer;
  const carried = await startEffect(service, proposal, proposal.plan);
  if (carried === undefined) return answer;
  const { said: outcome, closed } = carried;
  if (isFault(closed)) return closed;
  const shown: JsonObject = isFault(outcome)
    ? { id: proposal.inv, status: 'failed', ran: false, ...refusalBody(outcome) }
    : { id: proposal.inv, status: 'success', ran: true, result: outcome.result };
  return { ...answer, result: { ...answer.result, reveal: { ...answer.result.reveal, outcome: shown } } };
}
