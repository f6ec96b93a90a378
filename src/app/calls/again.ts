/**
 * Replay and repair (spec §2.6.1, §3, contract §3): a new call made from an earlier receipt. Both need the
 * right to read that receipt, and both run under the caller's own authority and budget. A replay has the
 * recorded key and body. A repair corrects them; a key that is left out is the failed one, or the only key
 * within two edits of it, and never a guess between two.
 */
import type { Credential } from '../../domain/capabilities/credential.ts';
import type { Again, Row } from '../../domain/capabilities/row.ts';
import type { Result } from '../../domain/context.ts';
import { links } from '../../domain/links.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { Answer } from './answer.ts';
import type { Call, PlacedCall } from './call.ts';
import { withRows } from './current-rows.ts';
import { editDistance } from '../reads/nearest.ts';
import { readInvocation, type Invocation } from '../reads/invocation.ts';
import { mayReadReceipt, noReceipt } from '../reads/receipts.ts';
import type { Service } from '../service.ts';

/** How far a misspelled key may be from the one that was meant. */
const keyDistanceMax = 2;

/** The call that a replay or repair stands for, or why there is none. */
export async function callAgain(
  service: Service,
  credential: Credential,
  again: Again,
  call: Call,
): Promise<PlacedCall | Fault> {
  const id = 'replay' in again ? again.replay : again.repairs;
  const earlier = await readInvocation(service, id);
  if (earlier === undefined || !mayReadReceipt(credential, earlier)) return noReceipt(service, id);
  const { tenant } = earlier;
  if ('replay' in again) {
    const body = recordedBody(earlier);
    return isFault(body) ? body : { ...call, tenant, key: earlier.key, body, replayOf: id };
  }
  if (earlier.status !== 'failed' && earlier.status !== 'denied') {
    return fault(
      'conflict',
      `${id} did not fail: it is ${earlier.status}.`,
      earlier.status === 'success' ? 'Replay it, or make a new call.' : 'Wait until it has ended.',
    );
  }
  const row = rowMeant(await withRows(service, tenant), again.key ?? earlier.key);
  if (isFault(row)) return row;
  const body = again.body === undefined ? recordedBody(earlier) : again.body;
  return isFault(body) ? body : { ...call, tenant, key: row.key, body, repairs: id };
}

function recordedBody({ id, request }: Invocation): string | Fault {
  if (typeof request.value === 'string') return request.value;
  return fault('conflict', `The recorded body of ${id} was scrubbed.`, 'Send the body with the call.');
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

/** What OIP_REPAIR answers for a high-risk target: nothing fires; the owner gets the payload to send. */
export function repairProposal(service: Service, meant: Call): Result {
  const proposal = { key: meant.key, body: meant.body, repairs: meant.repairs as string };
  return {
    result: { fired: false, ran: false, proposal, send_to: links.dispatch(service.base) },
    text: `Not fired: ${meant.key} is a high-risk row. The owner fires it by posting the proposal as it stands.`,
    material: [],
    reveal: { proposal },
  };
}

/** What OIP_REPLAY and OIP_REPAIR answer of the call that they made. */
export function againResult(service: Service, again: Again, answer: Answer | Fault): Result | Fault {
  if (isFault(answer)) return answer;
  if (answer.kind === 'shape') throw new Error('a further call is never a dry run');
  const lineage: Record<string, string> =
    'replay' in again ? { replay_of: again.replay } : { repairs: again.repairs };
  const made = {
    key: answer.key,
    invocation: { id: answer.inv, status: answer.status, url: links.receipt(service.base, answer.inv) },
    confirm: links.confirm(service.base, answer.inv),
    ran: answer.ran,
    status: answer.status,
  };
  if (answer.refusal !== undefined) {
    const { refusal } = answer;
    return { ...refusal, details: { ...refusal.details, ...lineage, ...made } };
  }
  return {
    result: { ...lineage, ...made, result: answer.result?.result ?? null },
    text: `${answer.key} as ${answer.inv}: ${answer.result?.text ?? answer.status}`,
    material: answer.result?.material ?? [],
    ...(answer.result?.reveal === undefined ? {} : { reveal: answer.result.reveal }),
  };
}
