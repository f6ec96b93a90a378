/**
 * A linearizability checker (Wing and Gong 1993, with the memoisation of Lowe 2017, as in Porcupine): whether each
 * operation of a recorded history can be given one moment between its call and its return, so that a sequential model
 * gives exactly the recorded answers. An operation without an answer has an open end: it may have taken effect at any
 * moment after its call, or never. Histories of different objects are checked one by one (Herlihy and Wing: a history is
 * linearizable if that of each object is).
 */

/** What one object does while its operations come one after the other. */
export interface Model<State, Input, Output> {
  readonly initial: State;
  /**
   * The states in which an operation may leave the object; none where its answer contradicts `state`. Without an
   * `output`, those in which it leaves the object if it takes effect.
   */
  step(state: State, input: Input, output: Output | undefined): readonly State[];
}

export interface Operation<Input, Output> {
  readonly input: Input;
  /** Undefined where the outcome is unknown. */
  readonly output: Output | undefined;
  /** Of one monotonic clock. */
  readonly called: number;
  /** Not read where the outcome is unknown. */
  readonly returned: number;
}

export interface Linearizable<State, Input, Output> {
  readonly ok: true;
  /** In the order in which they take effect. Operations of unknown outcome that are absent need not have. */
  readonly order: readonly Operation<Input, Output>[];
  readonly final: State;
}

export interface NotLinearizable<State, Input, Output> {
  readonly ok: false;
  /** The longest order that was found. */
  readonly order: readonly Operation<Input, Output>[];
  /** The state behind it. */
  readonly state: State;
  /** Operations of which one must come next, while the model gives each another answer. */
  readonly stuck: readonly Operation<Input, Output>[];
}

export type Verdict<State, Input, Output> =
  Linearizable<State, Input, Output> | NotLinearizable<State, Input, Output>;

/** A search that looks at more is given up: histories of few clients stay far below. */
const configurationsMax = 2_000_000;

/** Which operations were put in order. */
interface Progress {
  /** All answered operations before it are in order. */
  readonly first: number;
  /** Indexes of answered operations from `first` on that are in order, ascending. */
  readonly ahead: readonly number[];
  /** Indexes of operations of unknown outcome that are in order, ascending. */
  readonly effective: readonly number[];
}

/** The state that they lead to. */
interface Configuration<State> extends Progress {
  readonly state: State;
  /** How it was reached. */
  readonly before: Configuration<State> | undefined;
  readonly operation: Operation<unknown, unknown> | undefined;
  readonly length: number;
}

/** Checks the history of one object. Throws where the search exceeds its bound. */
export function checkLinearizable<State, Input, Output>(
  model: Model<State, Input, Output>,
  history: readonly Operation<Input, Output>[],
): Verdict<State, Input, Output> {
  const byCall = history.toSorted((a, b) => a.called - b.called);
  const answered = byCall.filter(({ output }) => output !== undefined);
  const unknown = byCall.filter(({ output }) => output === undefined);
  const inputs = unknown.map(({ input }) => JSON.stringify(input));
  const start: Configuration<State> = {
    state: model.initial,
    first: 0,
    ahead: [],
    effective: [],
    before: undefined,
    operation: undefined,
    length: 0,
  };
  const seen = new Set([keyOf(start)]);
  const open = [start];
  let longest = start;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at.first === answered.length)
      return { ok: true, order: orderOf(at) as Operation<Input, Output>[], final: at.state };
    if (at.length > longest.length) longest = at;
    const next = [
      ...effectsFrom(model, unknown, inputs, answered, at),
      // The one that returned first is tried first: it stands last on the stack.
      ...candidates(answered, at)
        .toSorted((a, b) => b.operation.returned - a.operation.returned)
        .flatMap(({ i, operation }) => successors(model, operation, at, advance(at, i))),
    ];
    for (const each of next) {
      const key = keyOf(each);
      if (seen.has(key)) continue;
      seen.add(key);
      open.push(each);
    }
    if (seen.size > configurationsMax)
      throw new Error(`The history was not decided within ${configurationsMax} configurations.`);
  }
  return {
    ok: false,
    order: orderOf(longest) as Operation<Input, Output>[],
    state: longest.state,
    stuck: candidates(answered, longest).map(({ operation }) => operation),
  };
}

interface Candidate<Input, Output> {
  readonly i: number;
  readonly operation: Operation<Input, Output>;
}

/** Answered operations that may come next: those called before the first return among those that remain. */
function candidates<Input, Output>(
  answered: readonly Operation<Input, Output>[],
  { first, ahead }: Progress,
): readonly Candidate<Input, Output>[] {
  const found: Candidate<Input, Output>[] = [];
  let firstReturn = Number.POSITIVE_INFINITY;
  for (let i = first; i < answered.length; i++) {
    const operation = answered[i] as Operation<Input, Output>;
    if (operation.called > firstReturn) break;
    if (ahead.includes(i)) continue;
    found.push({ i, operation });
    firstReturn = Math.min(firstReturn, operation.returned);
  }
  return found;
}

/** Operations of unknown outcome that may take effect next. Of several with one input, only the first. */
function effectsFrom<State, Input, Output>(
  model: Model<State, Input, Output>,
  unknown: readonly Operation<Input, Output>[],
  inputs: readonly string[],
  answered: readonly Operation<Input, Output>[],
  at: Configuration<State>,
): readonly Configuration<State>[] {
  const firstReturn = Math.min(...candidates(answered, at).map(({ operation }) => operation.returned));
  const tried = new Set<string | undefined>();
  return unknown.flatMap((operation, i) => {
    if (operation.called > firstReturn || at.effective.includes(i) || tried.has(inputs[i])) return [];
    tried.add(inputs[i]);
    const effective = [...at.effective, i].toSorted((a, b) => a - b);
    return successors(model, operation, at, { first: at.first, ahead: at.ahead, effective });
  });
}

function successors<State, Input, Output>(
  model: Model<State, Input, Output>,
  operation: Operation<Input, Output>,
  at: Configuration<State>,
  progress: Progress,
): readonly Configuration<State>[] {
  return model
    .step(at.state, operation.input, operation.output)
    .map((state) => ({ ...progress, state, before: at, operation, length: at.length + 1 }));
}

/** With one more answered operation in order. */
function advance({ first, ahead, effective }: Progress, i: number): Progress {
  const done = [...ahead, i].toSorted((a, b) => a - b);
  let next = first;
  while (done[next - first] === next) next++;
  return { first: next, ahead: done.slice(next - first), effective };
}

function keyOf({ state, first, ahead, effective }: Configuration<unknown>): string {
  return JSON.stringify([first, ahead, effective, state]);
}

function orderOf(last: Configuration<unknown>): Operation<unknown, unknown>[] {
  const order: Operation<unknown, unknown>[] = [];
  for (let at: Configuration<unknown> | undefined = last; at?.operation !== undefined; at = at.before)
    order.push(at.operation);
  return order.toReversed();
}

/** The operations around a contradiction, for the message of a test. */
export function explainVerdict({ ok, order, ...rest }: Verdict<unknown, unknown, unknown>): string {
  if (ok) return `linearizable: ${order.length} operations`;
  const { state, stuck } = rest as Pick<NotLinearizable<unknown, unknown, unknown>, 'state' | 'stuck'>;
  return [
    `not linearizable: after ${order.length} operations in order, the last of them`,
    ...order.slice(-6).map(lineOf),
    `the state is ${JSON.stringify(state)}, which none of these operations may have met:`,
    ...stuck.map(lineOf),
  ].join('\n');
}

function lineOf({ input, output, called, returned }: Operation<unknown, unknown>): string {
  const end = output === undefined ? '?' : returned.toFixed(1);
  return `  ${called.toFixed(1)} to ${end}: ${JSON.stringify(input)} → ${JSON.stringify(output) ?? 'unknown'}`;
}
