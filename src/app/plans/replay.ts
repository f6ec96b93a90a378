/**
 * The plan `replay`: replay and repair (spec §2.6.1, §3, contract §3) make a new call from an earlier receipt. Both
 * need the right to read that receipt, and run under the caller's own authority and quota. A replay repeats key and
 * body. A repair corrects them; an omitted key is the failed one, or the only row key within two edits of it.
 */
import { argumentsOf } from '../../domain/capabilities/arguments.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import type { Row } from '../../domain/capabilities/row.ts';
import type { Result } from '../../domain/context.ts';
import { links } from '../../domain/links.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { canonicalJson } from '../../kernel/json.ts';
import { withWorkspaceRows } from '../workspace-rows.ts';
import { editDistance } from '../reads/unknown-row.ts';
import { readInvocation, type Invocation } from '../reads/invocation.ts';
import { mayReadReceipt, noReceipt } from '../reads/receipts.ts';
import type { Service } from '../service.ts';
import { withBody, type Answer, type Call, type PlacedCall } from './call.ts';
import { definePlan, type Dispatch, type Planned } from './plan.ts';
import { exactly } from '../../model/exact.ts';
import { Repaired, RepairProposed, Replayed } from '../../model/invocation.ts';

declare module '../../domain/capabilities/plan.ts' {
  interface Plans {
    replay: { readonly of: ReplayOf };
  }
}

/** The receipt of the original call, and whether this call corrects it. */
export type ReplayOf =
  | { readonly replay: string }
  | { readonly repairs: string; readonly key?: string | undefined; readonly body?: string | undefined };

/** The timeout of the slowest row. */
const timeoutMs = 300_000;

/** Edit distance within which a misspelled key is corrected. */
const keyDistanceMax = 2;

export const replayPlan = definePlan({
  kind: 'replay',
  effect: (planned, door, dispatch) => ({
    do: 'effect',
    timeoutMs,
    run: () => replay(planned, door, dispatch),
  }),
});

/** Dispatches a call under the caller's authority, with its own receipt. */
async function replay(
  { service, call: { inv, credential, leakedTokens: leaked }, plan }: Planned<'replay'>,
  door: Call,
  dispatch: Dispatch,
): Promise<Result | Fault> {
  const meant = await resolveReplay(service, credential, plan.of, {
    ...door,
    method: 'POST',
    idempotencyKey: undefined,
    texts: undefined,
    root: inv,
    leakedTokens: leaked,
  });
  if (isFault(meant)) return meant;
  const row = (await withWorkspaceRows(service, meant.tenant)).rows.get(meant.key);
  if (row?.delegates === true)
    return fault('conflict', `${meant.key} makes a further call itself.`, 'Name the call that it made.');
  if (meant.repairs !== undefined && row?.risk === 'high') return repairProposal(service, meant);
  return replayResult(service, plan.of, await dispatch(service, meant));
}

/** The call that a replay or repair makes, or why there is none. */
export async function resolveReplay(
  service: Service,
  credential: Credential,
  of: ReplayOf,
  call: Call,
): Promise<PlacedCall | Fault> {
  const id = 'replay' in of ? of.replay : of.repairs;
  const earlier = await readInvocation(service, id);
  if (earlier === undefined || !mayReadReceipt(credential, earlier)) return noReceipt(service, id);
  const { tenant } = earlier;
  if ('replay' in of) {
    const body = recordedBody(earlier);
    return isFault(body)
      ? body
      : { ...call, tenant, key: earlier.key, body, bodyRule: earlier.bodyRule, replayOf: id };
  }
  if (earlier.status !== 'failed' && earlier.status !== 'denied') {
    return fault(
      'conflict',
      `${id} did not fail: it is ${earlier.status}.`,
      earlier.status === 'success' ? 'Replay it, or make a new call.' : 'Wait until it has ended.',
    );
  }
  const row = rowMeant(await withWorkspaceRows(service, tenant), of.key ?? earlier.key);
  if (isFault(row)) return row;
  if (of.body !== undefined || call.texts !== undefined)
    return { ...withBody(row, { ...call, body: of.body ?? '' }), tenant, key: row.key, repairs: id };
  const body = recordedBody(earlier);
  return isFault(body)
    ? body
    : { ...call, tenant, key: row.key, body, bodyRule: earlier.bodyRule, repairs: id };
}

function recordedBody({ id, request }: Invocation): string | Fault {
  if (typeof request.value === 'string') return request.value;
  return fault('conflict', `The recorded body of ${id} was scrubbed.`, 'Send the body with the call.');
}

/** Key and body to send anew; a body under an earlier rule goes as its arguments by name. */
export function proposalOf(service: Service, { key, body, bodyRule }: Call): { key: string; body: string } {
  const row = service.rows.get(key);
  if (row === undefined || bodyRule !== 1) return { key, body };
  const args = argumentsOf(row, body, service.limits, bodyRule);
  return { key, body: isFault(args) ? body : canonicalJson(args) };
}

/** Exact, else the only one within two edits (contract §3). */
function rowMeant(service: Service, key: string): Row | Fault {
  const exact = service.rows.get(key);
  if (exact !== undefined) return exact;
  const near = [...service.rows.values()]
    .map((row) => ({ row, distance: editDistance(key, row.key, keyDistanceMax) }))
    .filter(({ distance }) => distance <= keyDistanceMax)
    .sort((a, b) => a.distance - b.distance);
  const [first, second] = near;
  if (first !== undefined && first.distance < (second?.distance ?? Infinity)) return first.row;
  const shown = key.slice(0, 80).toWellFormed();
  return fault(
    'unknown_key',
    near.length === 0
      ? `There is no row ${shown}.`
      : `${shown} may mean ${near.length} rows; none is guessed.`,
    'Name the row that is meant.',
    {
      did_you_mean: near.map(({ row }) => ({ key: row.key, url: links.contract(service.base, row.key) })),
      ask: links.ask(service.base, shown),
    },
  );
}

/** The answer of OIP_REPAIR for a high-risk target: nothing runs; the owner gets the payload to send. */
function repairProposal(service: Service, meant: Call): Result {
  const proposal = { ...proposalOf(service, meant), repairs: meant.repairs as string };
  return {
    result: exactly(RepairProposed, {
      fired: false,
      ran: false,
      proposal,
      send_to: links.dispatch(service.base),
    }),
    text: `Not fired: ${meant.key} is a high-risk row. The owner fires it by posting the proposal as it stands.`,
    material: [],
    reveal: { proposal },
  };
}

/** The answer of OIP_REPLAY and OIP_REPAIR about the call that they made. */
function replayResult(service: Service, of: ReplayOf, answer: Answer | Fault): Result | Fault {
  if (isFault(answer)) return answer;
  if (answer.kind === 'shape') throw new Error('a further call is never a dry run');
  const made = {
    key: answer.key,
    invocation: { id: answer.inv, status: answer.status, url: links.receipt(service.base, answer.inv) },
    confirm: links.confirm(service.base, answer.inv),
    ran: answer.ran,
    status: answer.status,
  };
  if (answer.refusal !== undefined) {
    const { refusal } = answer;
    const lineage: Record<string, string> =
      'replay' in of ? { replay_of: of.replay } : { repairs: of.repairs };
    return { ...refusal, details: { ...refusal.details, ...lineage, ...made } };
  }
  const result = answer.result?.result ?? null;
  return {
    result:
      'replay' in of
        ? exactly(Replayed, { replay_of: of.replay, ...made, result })
        : exactly(Repaired, { repairs: of.repairs, ...made, result }),
    text: `${answer.key} as ${answer.inv}: ${answer.result?.text ?? answer.status}`,
    material: answer.result?.material ?? [],
    ...(answer.result?.reveal === undefined ? {} : { reveal: answer.result.reveal }),
  };
}
