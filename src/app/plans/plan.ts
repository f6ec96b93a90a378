/**
 * The interface of a plan kind: everything particular to it, called by the steps of the pipeline. Members that a kind
 * does not define are skipped. `registry.ts` lists the kinds.
 */
import type { Credential } from '../../domain/capabilities/credential.ts';
import type { Judgement } from '../../domain/capabilities/gates.ts';
import type { Plan, PlanName, PlanOf } from '../../domain/capabilities/plan.ts';
import type { Usage } from '../../domain/yield.ts';
import type { Context, Result } from '../../domain/context.ts';
import type { Effect, Outside } from '../../domain/outside/outside.ts';
import type { Job } from '../../domain/job.ts';
import type { Appended, Committed, Key, Tx } from '../../engine/act.ts';
import type { PlacedFind } from '../../guard/secrets.ts';
import type { Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Service } from '../service.ts';
import type { ActOutcome, Answer, Call, PlacedCall, PreparedCall } from './call.ts';

/** `I`: the inputs that the kind loads before its act. */
export interface PlanKind<K extends PlanName = PlanName, I = unknown> {
  readonly kind: K;
  /** Refuses what this deployment cannot do, before anything is charged or started. */
  check?(planned: Planned<K>): Fault | undefined | Promise<Fault | undefined>;
  /** Loads inputs for the pure decision. Called only if the gates let the call through. */
  loadInputs?(planned: Planned<K>, steps: LoadingSteps): Promise<I | Fault>;
  /** Keys that the act reads or writes. `inputs` is absent if the gates refuse the call. */
  keys?(
    planned: Planned<K>,
    inputs: I | undefined,
    keysOf: (call: PreparedCall) => Promise<readonly Key[]>,
  ): readonly Key[] | Promise<readonly Key[]>;
  /** Work that is recorded before it starts: external effects, replays, scrubs. */
  effect?(planned: Planned<K>, door: PlacedCall, dispatch: Dispatch): CommittingEffect | undefined;
  /** Calls of the same turn run one after another. */
  turn?(planned: Planned<K>): string | undefined;
  /** Runs the plan in its act. A kind without it always has an effect. */
  run?(act: ActOf<K, I>): Result | Fault;
  /** Runs after the commit. */
  afterAct?(planned: Planned<K>, inputs: I, answer: Answer, start: StartEffect): Promise<Answer | Fault>;
  /** Adds to the answer of a dry run. Called only if the gates let the call through. */
  dryRun?(planned: Planned<K>): Promise<DryRun>;
  /** How the plan works on an assignment; undefined if it does not. */
  readonly work?: AssignmentWork<K>;
  /** Nested calls consume quota; the plan itself does not. */
  readonly chargesNested?: boolean;
  /** A router tag may run it inside a thread update's act. */
  readonly runsInThreadUpdate?: boolean;
}

/** A prepared call with a plan. */
export interface Planned<K extends PlanName = PlanName> {
  readonly service: Service;
  readonly call: PreparedCall;
  readonly plan: PlanOf<K>;
}

/** The same in its transaction, after authorization. */
export interface ActOf<K extends PlanName, I> extends Planned<K> {
  readonly tx: Tx;
  readonly credential: Credential;
  readonly judgement: Judgement;
  readonly context: Context;
  readonly inputs: I;
  /** Runs a nested call through its own gates and with its own receipt. */
  perform(nested: PreparedCall): ActOutcome;
  /** Runs a call that the owner approved, without judging it again. */
  runApproved(approved: PreparedCall, credential: Credential, judgement: Judgement): Result | Fault;
}

/** Pipeline steps that plans need for nested calls; passed in, since plans do not import the pipeline. */
export interface LoadingSteps {
  /** Adds a call's assignment and loads its inputs. */
  load(service: Service, call: PreparedCall): Promise<PreparedCall>;
  kindOf(plan: Plan): PlanKind;
}

export type Dispatch = (service: Service, call: Call) => Promise<Answer | Fault>;

/** Starts a recorded effect; undefined if it outlasts its answer. */
export type StartEffect = (call: PreparedCall, effect: CommittingEffect) => Promise<EffectEnd | undefined>;

export interface DryRun {
  /** Why the call would be refused now. */
  readonly refusal?: Fault | undefined;
  /** Doubts that do not refuse the call. */
  readonly warnings?: readonly JsonObject[] | undefined;
  /** Further members of the answer, or why they cannot be given. */
  readonly more?: JsonObject | Fault | undefined;
}

export interface AssignmentWork<K extends PlanName = PlanName> {
  /** The assignment that the plan names; its answer then includes the assignment's state. */
  named?(plan: PlanOf<K>): string | undefined;
  /** Whether the work creates a missing article: always, only under the share of a lease, or never. */
  readonly opens: 'always' | 'under-lease' | 'never';
  /** The results that count, if the plan has several. */
  results?(result: JsonObject): readonly JsonObject[];
}

/** An effect's result that is still to be decided upon, in the act that records the outcome. */
export interface EffectCommit {
  /** Untrusted: secrets are removed before it is applied. */
  readonly brought: JsonObject;
  readonly keys: readonly Key[];
  /** Appends the events. A Fault rolls them back and becomes the outcome. */
  apply(tx: Tx, nowMs: number, brought: JsonObject): Result | Fault;
}

/** An effect whose outcome may change state. */
export interface CommittingEffect extends Omit<Effect, 'run'> {
  run(signal: AbortSignal, outside: Outside, job: Job): Promise<Result | EffectCommit | Fault>;
}

/** The entry that closed an invocation, and its status. */
export interface ClosedInvocation {
  readonly entry: Appended;
  readonly outcome: Result | Fault;
  readonly scrubbed: readonly PlacedFind[];
}

/** The outcome of an effect, and the act that recorded it. */
export interface EffectEnd {
  readonly outcome: Result | Fault;
  readonly usage: Usage;
  readonly closed: Committed<ClosedInvocation | undefined> | Fault;
}

/** Infers the types of a kind's members from its name and inputs. */
export function definePlan<K extends PlanName, I = undefined>(kind: PlanKind<K, I>): PlanKind<K, I> {
  return kind;
}
