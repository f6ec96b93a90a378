/**
 * One kind of plan: everything that is particular to it, for the steps of the pipeline to call. A kind defines what it
 * has; the pipeline skips the rest. `registry.ts` lists the kinds.
 */
import type { Credential } from '../../domain/capabilities/credential.ts';
import type { Judgement } from '../../domain/capabilities/gates.ts';
import type { Plan, PlanName, PlanOf } from '../../domain/capabilities/plan.ts';
import type { Usage } from '../../domain/yield.ts';
import type { Context, Result } from '../../domain/context.ts';
import type { Effect } from '../../domain/outside/effect.ts';
import type { Job } from '../../domain/job.ts';
import type { Outside } from '../../domain/outside/outside.ts';
import type { Appended, Committed, Key, Tx } from '../../engine/act.ts';
import type { PlacedFind } from '../../guard/secrets.ts';
import type { Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Service } from '../service.ts';
import type { Answer, Call, Performed, PlacedCall, PreparedCall } from './call.ts';

/** `I` is what the kind loads before its act. */
export interface PlanKind<K extends PlanName = PlanName, I = unknown> {
  readonly kind: K;
  /** What this deployment cannot do is refused before anything is charged or begun. */
  check?(planned: Planned<K>): Fault | undefined | Promise<Fault | undefined>;
  /** What a decision, being pure, cannot look up itself. Called only if the gates let the call through. */
  loadInputs?(planned: Planned<K>, steps: LoadingSteps): Promise<I | Fault>;
  /** What the act reads for its decision or writes. `inputs` is absent if the gates refuse the call. */
  keys?(
    planned: Planned<K>,
    inputs: I | undefined,
    keysOf: (call: PreparedCall) => Promise<readonly Key[]>,
  ): readonly Key[] | Promise<readonly Key[]>;
  /** Work that is recorded before it starts: it reaches outside, calls again, or rewrites what is stored. */
  effect?(planned: Planned<K>, door: PlacedCall, dispatch: Dispatch): CommittingEffect | undefined;
  /** Calls of one turn run one after another. */
  turn?(planned: Planned<K>): string | undefined;
  /** Carries the plan out inside its act. A kind without it always has an effect. */
  run?(act: ActOf<K, I>): Result | Fault;
  /** What remains once the act is committed. */
  afterAct?(planned: Planned<K>, inputs: I, answer: Answer, start: StartEffect): Promise<Answer | Fault>;
  /** What a dry run adds to the gates' answer. Called only if the gates let the call through. */
  dryRun?(planned: Planned<K>): Promise<DryRun>;
  /** How the plan adds to the article of an assignment; a kind without it adds nothing. */
  readonly work?: AssignmentWork<K>;
  /** The calls inside take the uses of the credential; the plan itself takes none. */
  readonly chargesNested?: boolean;
  /** A router tag of a thread update may cause it inside the update's act. */
  readonly runsInThreadUpdate?: boolean;
}

/** A prepared call whose arguments made a plan. */
export interface Planned<K extends PlanName = PlanName> {
  readonly service: Service;
  readonly call: PreparedCall;
  readonly plan: PlanOf<K>;
}

/** The same inside its transaction, once it is authorized. */
export interface ActOf<K extends PlanName, I> extends Planned<K> {
  readonly tx: Tx;
  readonly credential: Credential;
  readonly judgement: Judgement;
  readonly context: Context;
  readonly inputs: I;
  /** A call inside this one, through its own gates and with its own receipt. */
  perform(nested: PreparedCall): Performed;
  /** Carries out a call that the owner approved, without judging it again. */
  runApproved(approved: PreparedCall, credential: Credential, judgement: Judgement): Result | Fault;
}

/** Steps that a plan needs for a call inside its own; handed in, since no plan imports the pipeline. */
export interface LoadingSteps {
  /** Places a call with its assignment and loads its inputs. */
  load(service: Service, call: PreparedCall): Promise<PreparedCall>;
  kindOf(plan: Plan): PlanKind;
}

export type Dispatch = (service: Service, call: Call) => Promise<Answer | Fault>;

/** Starts an effect whose intent is committed; undefined if it runs on behind its answer. */
export type StartEffect = (call: PreparedCall, effect: CommittingEffect) => Promise<EffectEnd | undefined>;

export interface DryRun {
  /** Why the call would be refused as things stand. */
  readonly refusal?: Fault | undefined;
  /** What is doubtful in it and no reason to refuse it. */
  readonly warnings?: readonly JsonObject[] | undefined;
  /** What else the answer holds, or why it cannot be told. */
  readonly more?: JsonObject | Fault | undefined;
}

export interface AssignmentWork<K extends PlanName = PlanName> {
  /** The assignment that the plan names; only a plan that can name one is answered with what became of it. */
  named?(plan: PlanOf<K>): string | undefined;
  /** Whether the work opens an article that does not exist: always, only under the share of a lease, or never. */
  readonly opens: 'always' | 'under-lease' | 'never';
  /** The single results that count, if there are several in one. */
  results?(result: JsonObject): readonly JsonObject[];
}

/** What an effect brought that is still to be decided upon, in the act that records the outcome. */
export interface EffectCommit {
  /** From outside, and untrusted: secrets are taken out before it is applied. */
  readonly brought: JsonObject;
  readonly keys: readonly Key[];
  /** Appends what comes of it. A Fault undoes that and is the outcome. */
  apply(tx: Tx, nowMs: number, brought: JsonObject): Result | Fault;
}

/** An effect whose outcome may change state. */
export interface CommittingEffect extends Omit<Effect, 'run'> {
  run(signal: AbortSignal, outside: Outside, job: Job): Promise<Result | EffectCommit | Fault>;
}

/** The entry that closed an invocation, and what it closed as. */
export interface Closed {
  readonly entry: Appended;
  readonly outcome: Result | Fault;
  readonly scrubbed: readonly PlacedFind[];
}

/** What came of an effect, and the act that recorded it. */
export interface EffectEnd {
  readonly outcome: Result | Fault;
  readonly usage: Usage;
  readonly closed: Committed<Closed | undefined> | Fault;
}

/** Types the members of a kind by its name and by what it loads. */
export function definePlan<K extends PlanName, I = undefined>(kind: PlanKind<K, I>): PlanKind<K, I> {
  return kind;
}
