/**
 * Intent before effect (law 5, contract §3): an external effect is recorded as `running` and charged before it
 * starts; its outcome is the next entry of the same chain. An effect is never started twice: the process that finds
 * an expired lease closes it as `interrupted`.
 */
import { leaseEnd } from '../../domain/capabilities/invocation.ts';
import { openInvocationTable } from '../../domain/capabilities/tables.ts';
import type { Result } from '../../domain/context.ts';
import { links } from '../../domain/links.ts';
import { writes, type Key } from '../../engine/act.ts';
import type { Outside } from '../../domain/outside/outside.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { Answer, ActOutcome, PreparedCall } from '../plans/call.ts';
import type { CommittingEffect, EffectCommit, EffectEnd } from '../plans/plan.ts';
import type { Service } from '../service.ts';
import { spanning } from '../tracing.ts';
import { recordIntent } from './act.ts';
import { answerOf, repeatedAnswer } from './answer.ts';
import { close, withoutSecrets, type StartedEffect } from './effect-outcome.ts';
import { jobOf, type CountedJob } from './job.ts';
import { findUnusedTokens } from './token-leaks.ts';

type Run = (signal: AbortSignal, outside: Outside) => Promise<Result | EffectCommit | Fault>;

export async function runEffect(
  service: Service,
  call: PreparedCall,
  plan: CommittingEffect,
  keys: readonly Key[],
): Promise<Answer | Fault> {
  const leaseUntil = leaseEnd(call.nowMs, plan.timeoutMs);
  const intent = await service.store.run({
    name: `${call.row.key} intent`,
    keys: [...keys, writes(openInvocationTable.name, call.inv)],
    decide(tx) {
      call.entropy.restart();
      return recordIntent(service, tx, call, leaseUntil);
    },
  });
  if (isFault(intent)) return intent;
  if (intent.answer.repeats !== undefined) return repeatedAnswer(service, intent.answer.repeats);
  if (intent.answer.status !== 'running') return answerOf(service, call, intent.answer, intent);
  const end = await startEffect(service, call, plan);
  if (end === undefined)
    return answerOf(service, call, { ...intent.answer, result: underWay(service, call) }, intent);
  const { outcome, usage, closed } = end;
  if (isFault(closed)) return closed;
  if (closed.answer === undefined) return repeatedAnswer(service, call.inv);
  const { entry, scrubbed } = closed.answer;
  const performed: ActOutcome = isFault(outcome)
    ? { ...intent.answer, status: 'failed', refusal: outcome, usage, entry, scrubbed }
    : { ...intent.answer, status: 'success', result: outcome, usage, entry, scrubbed };
  return answerOf(service, call, performed, closed);
}

/**
 * Starts a recorded effect and waits as long as its caller should. Undefined: it runs on, and its receipt shows its
 * state.
 */
export function startEffect(
  service: Service,
  call: PreparedCall,
  plan: CommittingEffect,
): Promise<EffectEnd | undefined> {
  const job = jobOf(service, call, plan.timeoutMs);
  const firing = completeEffect(service, call, plan, job, (signal, outside) =>
    plan.run(signal, outside, job),
  );
  return within(service, firing, plan.answerWithinMs);
}

/** Starts a recorded effect and records its outcome. */
export async function completeEffect(
  service: Service,
  call: StartedEffect,
  plan: CommittingEffect,
  job: CountedJob,
  run: Run,
): Promise<EffectEnd> {
  // A host may echo a secret that was sent to another host; effects without hosts need no search.
  const sent = plan.needs === undefined ? [] : await service.rowSecrets.all();
  const fired = await spanning(
    'colophon.effect',
    { 'colophon.row': call.row.key, 'colophon.invocation': call.inv },
    () => fire(service, plan, run),
    (came) => ({ attributes: {}, error: isFault(came) ? came.fault : undefined }),
  );
  const scrubbed = await withoutSecrets(fired, sent);
  const usage = job.usage();
  // An effect that ends during shutdown stays open for the next process.
  if (service.jobs.signal.aborted) return { outcome: shuttingDown, usage, closed: shuttingDown };
  const unused = await findUnusedTokens(service, scrubbed.leaked);
  const closed = await service.store.run(close(service, call, scrubbed, usage, unused));
  if (isFault(closed)) return { outcome: closed, usage, closed };
  return { outcome: closed.answer?.outcome ?? closedElsewhere, usage, closed };
}

const shuttingDown = fault(
  'shutting_down',
  'The service stopped while the call was under way.',
  'Read its receipt when the service is back.',
);

/** Internal: the answer of a call that was closed elsewhere comes from its receipt. */
const closedElsewhere = fault('already_decided', 'The call was closed before.', 'Read its receipt.');

/** Waits for an effect as long as its caller should; then it runs on among the service's jobs. */
async function within(
  service: Service,
  firing: Promise<EffectEnd>,
  waitMs: number | undefined,
): Promise<EffectEnd | undefined> {
  if (waitMs === undefined) return firing;
  let timer: NodeJS.Timeout | undefined;
  const later = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), waitMs);
  });
  const end = await Promise.race([firing, later]).finally(() => clearTimeout(timer));
  if (end === undefined) service.jobs.add(firing);
  return end;
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

/** Runs the effect within its timeout and turns exceptions into Faults. */
async function fire(
  service: Service,
  plan: CommittingEffect,
  run: Run,
): Promise<Result | EffectCommit | Fault> {
  const { outside, jobs } = service;
  const timeout = AbortSignal.timeout(plan.timeoutMs);
  const signal = AbortSignal.any([timeout, jobs.signal]);
  const granted = Object.fromEntries((plan.needs ?? []).map((name) => [name, outside[name]]));
  try {
    return await Promise.race([
      run(signal, granted as unknown as Outside),
      failAfter(signal, plan.timeoutMs),
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

function failAfter(signal: AbortSignal, timeoutMs: number): Promise<Fault> {
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
