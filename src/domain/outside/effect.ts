/** Effects of rows: work that reaches outside the store, as a plan names it (contract §3). */
import type { Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Result } from '../context.ts';
import type { Job } from '../job.ts';
import type { Outside } from './outside.ts';

/** What reaches outside the store: recorded before it fires, given exactly what it names (law 5). */
export interface Effect {
  readonly do: 'effect';
  readonly needs?: readonly (keyof Outside)[];
  readonly timeoutMs: number;
  /** Work that may outlast a request: after so many milliseconds the caller is told that it is running. */
  readonly answerWithinMs?: number;
  /** What this deployment cannot do as it is asked: refused with the arguments, before a use is taken or anything begun. */
  check?(outside: Outside): Fault | undefined | Promise<Fault | undefined>;
  run(signal: AbortSignal, outside: Outside, job: Job): Promise<Result | Fault>;
  /** Takes up what was submitted by a process that has gone; without it, such work ends as interrupted. */
  resume?(submitted: JsonObject, signal: AbortSignal, outside: Outside, job: Job): Promise<Result | Fault>;
}

/** An effect that sees no more of the outside than it names. */
export function effect<N extends keyof Outside>(
  needs: readonly N[],
  timeoutMs: number,
  run: (signal: AbortSignal, outside: Pick<Outside, N>, job: Job) => Promise<Result | Fault>,
): Effect {
  return { do: 'effect', needs, timeoutMs, run };
}
