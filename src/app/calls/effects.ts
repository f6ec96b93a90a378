/**
 * Intent before effect (law 5, contract §3). What reaches outside the store is in the ledger as `running`,
 * its use taken, before it fires; the outcome is the next entry of the same chain. A process that dies in
 * between leaves the intent: nobody fires it again, and whoever finds its lease lapsed closes it as
 * `interrupted`.
 */
import { openInvocationTable } from '../../domain/capabilities/tables.ts';
import type { Usage } from '../../domain/capabilities/yield.ts';
import type { Result } from '../../domain/context.ts';
import { links } from '../../domain/links.ts';
import { writes, type Committed, type Key } from '../../engine/act.ts';
import type { Outside } from '../../domain/outside/outside.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { answerOf, type Answer } from './answer.ts';
import type { Performed, PreparedCall } from './call.ts';
import { unusedAmong } from './leaked.ts';
import { jobOf, type CountedJob } from './job.ts';
import {
  close,
  withoutSecrets,
  type Closed,
  type Fired,
  type Landing,
  type LandingEffect,
} from './outcome.ts';
import { intend } from './perform.ts';
import { leaseOf } from './recording.ts';
import { repeatedAnswer } from '../reads/repeated-answer.ts';
import type { Service } from '../service.ts';
import { spanning } from '../tracing.ts';

type Run = (signal: AbortSignal, outside: Outside) => Promise<Result | Landing | Fault>;

export async function runEffect(
  service: Service,
  call: PreparedCall,
  plan: LandingEffect,
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
  const carried = await startEffect(service, call, plan);
  if (carried === undefined)
    return answerOf(service, call, { ...intent.answer, result: underWay(service, call) }, intent);
  const { said, usage, closed } = carried;
  if (isFault(closed)) return closed;
  if (closed.answer === undefined) return repeatedAnswer(service, call.inv);
  const { entry, scrubbed } = closed.answer;
  const performed: Performed = isFault(said)
    ? { ...intent.answer, status: 'failed', refusal: said, usage, entry, scrubbed }
    : { ...intent.answer, status: 'success', result: said, usage, entry, scrubbed };
  return answerOf(service, call, performed, closed);
}

/** What came of an effect, and the act that recorded it. */
export interface Carried {
  readonly said: Result | Fault;
  readonly usage: Usage;
  readonly closed: Committed<Closed | undefined> | Fault;
}

/**
 * Fires an effect whose intent is on the ledger, and waits as long as its caller should; undefined: it runs on, and
 * its receipt tells how it goes.
 */
export function startEffect(
  service: Service,
  call: PreparedCall,
  plan: LandingEffect,
): Promise<Carried | undefined> {
  const job = jobOf(service, call, plan.timeoutMs);
  const firing = carryOut(service, call, plan, job, (signal, outside) => plan.run(signal, outside, job));
  return within(service, firing, plan.answerWithinMs);
}

/** Fires an effect whose intent is on the ledger, and records its outcome. */
export async function carryOut(
  service: Service,
  call: Fired,
  plan: LandingEffect,
  job: CountedJob,
  run: Run,
): Promise<Carried> {
  // A host may show what another one was sent; what asks nobody outside brings nothing that has to be looked through.
  const sent = plan.needs === undefined ? [] : await service.rowSecrets.all();
  const fired = await spanning(
    'colophon.effect',
    { 'colophon.row': call.row.key, 'colophon.invocation': call.inv },
    () => fire(service, plan, run),
    (came) => ({ attributes: {}, error: isFault(came) ? came.fault : undefined }),
  );
  const outcome = withoutSecrets(fired, sent);
  const usage = job.usage();
  // What a process that ends has not brought to its end stays open, for whoever comes next.
  if (service.jobs.signal.aborted) return { said: shuttingDown, usage, closed: shuttingDown };
  const unused = await unusedAmong(service, outcome.leaked);
  const closed = await service.store.run(close(service, call, outcome, usage, unused));
  if (isFault(closed)) return { said: closed, usage, closed };
  return { said: closed.answer?.said ?? closedElsewhere, usage, closed };
}

const shuttingDown = fault(
  'shutting_down',
  'The service stopped while the call was under way.',
  'Read its receipt when the service is back.',
);

/** Never told: a call that somebody else has closed is answered from its receipt. */
const closedElsewhere = fault('already_decided', 'The call was closed before.', 'Read its receipt.');

/** Waits for an effect as long as its caller should; beyond that it runs on among the service's jobs. */
async function within(
  service: Service,
  firing: Promise<Carried>,
  waitMs: number | undefined,
): Promise<Carried | undefined> {
  if (waitMs === undefined) return firing;
  let timer: NodeJS.Timeout | undefined;
  const later = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), waitMs);
  });
  const carried = await Promise.race([firing, later]).finally(() => clearTimeout(timer));
  if (carried === undefined) service.jobs.add(firing);
  return carried;
}

function underWay(service: Service, { inv }: PreparedCall): Result {
  return {
    result: {
      status: 'running',
      invocation: inv,
      poll: links.receiptJson(service.base, inv),
      confirm: links.confirm(service.base, inv),
    },
    text: `Under way as ${inv}; its receipt tells how it goes and what comes of it.`,
    material: [],
  };
}

/** Runs what reaches outside, for at most its own time, and turns whatever it throws into a Fault. */
async function fire(service: Service, plan: LandingEffect, run: Run): Promise<Result | Landing | Fault> {
  const { outside, jobs } = service;
  const timeout = AbortSignal.timeout(plan.timeoutMs);
  const signal = AbortSignal.any([timeout, jobs.signal]);
  const granted = Object.fromEntries((plan.needs ?? []).map((name) => [name, outside[name]]));
  try {
    return await Promise.race([run(signal, granted as unknown as Outside), lapse(signal, plan.timeoutMs)]);
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
