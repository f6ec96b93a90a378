/**
 * Intent before effect (law 5, contract §3): an external effect is recorded as `running` and charged before it
 * starts; its outcome is the next entry of the same chain. An effect is never started twice: the process that finds
 * an expired lease closes it as `interrupted`. Work that outlasts its request is a job.
 */
import { leaseEnd, submittedEvent } from '../../domain/capabilities/invocation.ts';
import { openInvocationTable } from '../../domain/capabilities/tables.ts';
import type { Result } from '../../domain/context.ts';
import { links } from '../../domain/links.ts';
import { type Key, writes } from '../../engine/act.ts';
import { StoreUnreachable } from '../../engine/store.ts';
import type { Outside } from '../../domain/outside/outside.ts';
import { fault, type Fault, isFault } from '../../kernel/fault.ts';
import type { ActOutcome, Answer, PreparedCall } from '../plans/call.ts';
import type { CommittingEffect, EffectCommit, EffectEnd } from '../plans/plan.ts';
import type { Service } from '../service.ts';
import { spanning } from '../tracing.ts';
import { recordIntent } from './act.ts';
import { answerOf, repeatedAnswer } from './answer.ts';
import { close, type StartedEffect, withoutSecrets } from './effect-outcome.ts';
import { findUnusedTokens } from './token-leaks.ts';
import type { Job } from '../../domain/job.ts';
import { addUsage, noUsage, type Usage } from '../../domain/yield.ts';
import type { JsonObject } from '../../kernel/json.ts';

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
    (result) => ({ attributes: {}, error: isFault(result) ? result.fault : undefined }),
  );
  const scrubbed = await withoutSecrets(fired, sent);
  const usage = job.usage();
  // An effect that ends during shutdown stays open for the next process.
  if (service.jobs.signal.aborted) return { outcome: shuttingDown, usage, closed: shuttingDown };
  const unused = await findUnusedTokens(service, scrubbed.leakedTokens);
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
      poll: links.receipt(service.base, inv),
      confirm: links.confirm(service.base, inv),
    },
    text: `Under way as ${inv}; its receipt shows the progress and the result.`,
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
    if (error instanceof StoreUnreachable)
      return fault(
        'overloaded',
        `The result could not be stored: ${error.message}.`,
        error.fix ?? 'Wait a few seconds, then repair the invocation.',
      );
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

/*
 * Work that outlasts its request (contract §3 "Intent before effect"): running → submitted → outcome, each the next
 * entry of the invocation's chain. After a crash, work that a provider accepted is found by its reference and never
 * sent twice.
 */

/** The job that an effect gets, with its usage so far. */
interface CountedJob extends Job {
  usage(): Usage;
}

interface JobCall {
  readonly inv: string;
  readonly channel: string;
  readonly replayOf?: string | null | undefined;
  readonly repairs?: string | null | undefined;
}

export function jobOf(service: Service, call: JobCall, timeoutMs: number): CountedJob {
  const { inv, channel, replayOf, repairs } = call;
  let usage = noUsage;
  return {
    inv,
    channel,
    parent: replayOf ?? repairs ?? null,
    async submitted(reference) {
      if (!(await appendProgress(service, inv, timeoutMs, reference, undefined)))
        throw new Error('another process closed the invocation');
    },
    spent(more) {
      usage = addUsage(usage, more);
    },
    usage: () => usage,
  };
}

/**
 * Records that a provider accepted the work (`reference`), or that this process resumes it. `leaseBefore` lets one
 * process win among those that found the same expired lease. Returns whether this process has the work.
 */
export async function appendProgress(
  service: Service,
  inv: string,
  timeoutMs: number,
  reference: JsonObject | undefined,
  leaseBefore: string | null | undefined,
): Promise<boolean> {
  const nowMs = service.now();
  const at = { ts: new Date(nowMs).toISOString(), leaseUntil: leaseEnd(nowMs, timeoutMs) };
  const done = await service.store.run<boolean>({
    name: reference === undefined ? 'resume job' : 'job submitted',
    keys: [writes(openInvocationTable.name, inv)],
    decide(tx) {
      const open = tx.row(openInvocationTable, inv);
      if (open?.status !== 'running') return false;
      if (leaseBefore !== undefined && open.lease_until !== leaseBefore) return false;
      tx.append(submittedEvent(inv, open.head, at, reference));
      return true;
    },
  });
  if (isFault(done)) throw new Error(done.message);
  return done.answer;
}
