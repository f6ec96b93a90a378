/**
 * Intent before effect (law 5, contract §3). What reaches outside the store is in the ledger as `running`,
 * its use taken, before it fires; the outcome is the next entry of the same chain. A process that dies in
 * between leaves the intent: nobody fires it again, and whoever finds its lease lapsed closes it as
 * `interrupted`.
 */
import { closingEvent, type InvocationStatus } from '../domain/capabilities/invocation.ts';
import type { Plan } from '../domain/capabilities/row.ts';
import { openInvocationTable } from '../domain/capabilities/tables.ts';
import type { Result } from '../domain/context.ts';
import { writes, type Act, type Appended, type Key } from '../engine/act.ts';
import { scrubJson } from '../guard/secrets.ts';
import { fault, isFault, type Fault } from '../kernel/fault.ts';
import type { JsonObject } from '../kernel/json.ts';
import { fingerprintOf } from '../domain/capabilities/share-codec.ts';
import { answerOf, type Answer } from './answer.ts';
import type { Performed, PreparedCall } from './call.ts';
import { intend } from './perform.ts';
import { repeatedAnswer } from './receipts.ts';
import type { Service } from './service.ts';

type Effect = Extract<Plan, { readonly do: 'effect' }>;

/** Beyond its own time limit, an effect has this long to be recorded. */
const leaseGraceMs = 60_000;

export async function runEffect(
  service: Service,
  call: PreparedCall,
  plan: Effect,
  keys: readonly Key[],
): Promise<Answer | Fault> {
  const leaseUntil = new Date(call.nowMs + plan.timeoutMs + leaseGraceMs).toISOString();
  const intent = await service.store.run({
    name: `${call.row.key} intent`,
    keys: [...keys, writes(openInvocationTable.name, call.inv)],
    decide(tx) {
      call.draw.restart();
      return intend(tx, call, leaseUntil);
    },
  });
  if (isFault(intent)) return intent;
  if (intent.answer.repeats !== undefined) return repeatedAnswer(service, intent.answer.repeats);
  if (intent.answer.status !== 'running') return answerOf(service, call, intent.answer, intent);
  const outcome = await fire(plan);
  const closed = await service.store.run(close(service, call.inv, call.startedMs, outcome));
  if (isFault(closed)) return closed;
  const entry = closed.answer;
  if (entry === undefined) return repeatedAnswer(service, call.inv);
  const performed: Performed = isFault(outcome)
    ? { ...intent.answer, status: 'failed', refusal: outcome, entry }
    : { ...intent.answer, status: 'success', result: outcome, entry };
  return answerOf(service, call, performed, closed);
}

/** Runs what reaches outside, for at most its own time, and turns whatever it throws into a Fault. */
async function fire(plan: Effect): Promise<Result | Fault> {
  const signal = AbortSignal.timeout(plan.timeoutMs);
  try {
    return await Promise.race([plan.run(signal), lapse(signal, plan.timeoutMs)]);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return fault(
      'runner_failed',
      `The runner failed: ${message.slice(0, 500)}`,
      'Read the receipt, correct the body and repair the invocation.',
    );
  }
}

function lapse(signal: AbortSignal, timeoutMs: number): Promise<Fault> {
  return new Promise((resolve) => {
    signal.addEventListener(
      'abort',
      () =>
        resolve(
          fault(
            'runner_timeout',
            `The runner took longer than ${timeoutMs} ms.`,
            'Try again later; the receipt says what was sent.',
          ),
        ),
      { once: true },
    );
  });
}

/** The act that closes an open invocation; nothing happens where somebody else already has. */
function close(
  service: Service,
  inv: string,
  startedMs: number,
  outcome: Result | Fault,
): Act<Appended | undefined> {
  const nowMs = service.now();
  const status: InvocationStatus = isFault(outcome) ? 'failed' : 'success';
  const said: JsonObject = isFault(outcome)
    ? { error: outcome.fault, message: outcome.message, fix: outcome.fix, ...outcome.details }
    : outcome.result;
  const response = scrubJson(said, fingerprintOf).value;
  return {
    name: 'close invocation',
    keys: [writes(openInvocationTable.name, inv)],
    decide(tx) {
      const open = tx.row(openInvocationTable, inv);
      if (open === undefined) return undefined;
      return tx.append(
        closingEvent(
          inv,
          open.head,
          { ts: new Date(nowMs).toISOString(), actor: open.actor },
          {
            status,
            error: isFault(outcome) ? outcome.fault : undefined,
            response,
            durationMs: Math.max(0, nowMs - startedMs),
          },
        ),
      );
    },
  };
}

/**
 * Closes what a process that died left running. `alone` says that no other process shares the store, so that
 * nothing found open can still be alive; otherwise only lapsed leases are closed. Answers with how many.
 */
export async function closeInterrupted(service: Service, alone: boolean): Promise<number> {
  const now = new Date(service.now()).toISOString();
  let closed = 0;
  for await (const row of service.store.read.scan(openInvocationTable)) {
    const {
      inv,
      status,
      lease_until: leaseUntil,
    } = row as { readonly inv: string; readonly status: string; readonly lease_until: string | null };
    if (status !== 'running' || (!alone && leaseUntil !== null && leaseUntil > now)) continue;
    const done = await service.store.run<Appended | undefined>({
      name: 'close interrupted',
      keys: [writes(openInvocationTable.name, inv)],
      decide(tx) {
        const open = tx.row(openInvocationTable, inv);
        if (open === undefined || open.status !== 'running') return undefined;
        return tx.append(
          closingEvent(
            inv,
            open.head,
            { ts: now, actor: 'system' },
            { status: 'failed', error: 'interrupted', response: { error: 'interrupted' } },
          ),
        );
      },
    });
    if (!isFault(done) && done.answer !== undefined) closed++;
  }
  return closed;
}
