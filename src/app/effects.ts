/**
 * Intent before effect (law 5, contract §3). What reaches outside the store is in the ledger as `running`,
 * its use taken, before it fires; the outcome is the next entry of the same chain. A process that dies in
 * between leaves the intent: nobody fires it again, and whoever finds its lease lapsed closes it as
 * `interrupted`.
 */
import { closingEvent, type InvocationStatus } from '../domain/capabilities/invocation.ts';
import type { Effect } from '../domain/capabilities/row.ts';
import { openInvocationTable } from '../domain/capabilities/tables.ts';
import type { Result } from '../domain/context.ts';
import { writes, type Act, type Appended, type Committed, type Key } from '../engine/act.ts';
import type { Outside } from '../domain/outside/outside.ts';
import { scrubJson, type PlacedFind } from '../guard/secrets.ts';
import { fault, isFault, type Fault } from '../kernel/fault.ts';
import type { JsonObject } from '../kernel/json.ts';
import { headOf } from '../ledger/entry.ts';
import { fingerprintOf } from '../domain/capabilities/share-codec.ts';
import { answerOf, type Answer } from './answer.ts';
import type { Performed, PreparedCall } from './call.ts';
import { closeLineage } from './lineage.ts';
import { intend, scrubEvent } from './perform.ts';
import { leaseOf } from './recording.ts';
import { repeatedAnswer } from './receipts.ts';
import type { Service } from './service.ts';

export async function runEffect(
  service: Service,
  call: PreparedCall,
  plan: Effect,
  keys: readonly Key[],
): Promise<Answer | Fault> {
  const leaseUntil = leaseOf(call.nowMs, plan.timeoutMs);
  const intent = await service.store.run({
    name: `${call.row.key} intent`,
    keys: [...keys, writes(openInvocationTable.name, call.inv)],
    decide(tx) {
      call.draw.restart();
      return intend(service, tx, call, leaseUntil);
    },
  });
  if (isFault(intent)) return intent;
  if (intent.answer.repeats !== undefined) return repeatedAnswer(service, intent.answer.repeats);
  if (intent.answer.status !== 'running') return answerOf(service, call, intent.answer, intent);
  const outcome = await fire(service, plan);
  const closed = await closeRunning(service, call, outcome);
  if (isFault(closed)) return closed;
  const entry = closed.answer;
  if (entry === undefined) return repeatedAnswer(service, call.inv);
  const { said } = outcome;
  const performed: Performed = isFault(said)
    ? { ...intent.answer, status: 'failed', refusal: said, entry }
    : { ...intent.answer, status: 'success', result: said, entry };
  return answerOf(service, call, performed, closed);
}

/** Runs what reaches outside, for at most its own time, and turns whatever it throws into a Fault. */
export async function fire(service: Service, plan: Effect): Promise<Told> {
  return withoutSecrets(await run(plan, service.outside));
}

async function run(plan: Effect, outside: Outside): Promise<Result | Fault> {
  const signal = AbortSignal.timeout(plan.timeoutMs);
  const granted = Object.fromEntries((plan.needs ?? []).map((name) => [name, outside[name]]));
  try {
    return await Promise.race([
      plan.run(signal, granted as unknown as Outside),
      lapse(signal, plan.timeoutMs),
    ]);
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

/** What came of an effect, as it may be told and recorded, and the secrets that were taken out of it. */
export interface Told {
  readonly said: Result | Fault;
  readonly finds: readonly PlacedFind[];
}

/** What comes from outside may hold secrets of others, or ours: they end here, before caller and ledger see them. */
function withoutSecrets(outcome: Result | Fault): Told {
  if (isFault(outcome)) {
    const { message, details = {} } = outcome;
    const { value, finds } = scrubJson({ message, details }, fingerprintOf);
    return { said: finds.length === 0 ? outcome : { ...outcome, ...(value as JsonObject) }, finds };
  }
  const { result, text, material } = outcome;
  const { value, finds } = scrubJson({ result, text, material }, fingerprintOf);
  return { said: finds.length === 0 ? outcome : { ...outcome, ...(value as JsonObject) }, finds };
}

/** Enters the outcome of what was running; nothing where somebody else already has. */
export function closeRunning(
  service: Service,
  call: PreparedCall,
  told: Told,
): Promise<Committed<Appended | undefined> | Fault> {
  return service.store.run(close(service, call, told));
}

/** The act that closes an open invocation; nothing happens where somebody else already has. */
function close(
  service: Service,
  { inv, startedMs, row, repairs }: PreparedCall,
  { said: outcome, finds }: Told,
): Act<Appended | undefined> {
  const nowMs = service.now();
  const status: InvocationStatus = isFault(outcome) ? 'failed' : 'success';
  const response: JsonObject = isFault(outcome)
    ? { error: outcome.fault, message: outcome.message, fix: outcome.fix, ...outcome.details }
    : outcome.result;
  return {
    name: 'close invocation',
    keys: [writes(openInvocationTable.name, inv)],
    decide(tx) {
      const open = tx.row(openInvocationTable, inv);
      if (open === undefined) return undefined;
      const ts = new Date(nowMs).toISOString();
      const closed = tx.append(
        closingEvent(
          inv,
          open.head,
          { ts, actor: open.actor },
          {
            status,
            error: isFault(outcome) ? outcome.fault : undefined,
            response,
            durationMs: Math.max(0, nowMs - startedMs),
            withheld: row.standing?.ledgerEnabled === false,
          },
        ),
      );
      if (finds.length > 0) tx.append(scrubEvent(inv, ts, headOf(closed.sealed), finds));
      if (repairs !== undefined && status === 'success')
        closeLineage(tx, repairs, inv, { ts, actor: open.actor });
      return closed;
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
