/** The checker of recorded histories: known histories, and random small ones against a search through all orders. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkLinearizable, explainVerdict, type Model, type Operation } from '../support/linearizability.ts';
import {
  budgetModel,
  divModel,
  type BudgetInput,
  type BudgetOutput,
  type DivInput,
  type DivOutput,
} from '../support/linearizable-models.ts';

type DivOperation = Operation<DivInput, DivOutput>;
type Use = Operation<BudgetInput, BudgetOutput>;

const reads = (called: number, returned: number, is: string): DivOperation => ({
  input: { do: 'read' },
  output: { is },
  called,
  returned,
});
const edits = (
  called: number,
  returned: number,
  [expected, text]: readonly [string, string],
  output: DivOutput | undefined = { edited: true },
): DivOperation => ({ input: { do: 'edit', expected, text }, output, called, returned });
/** An edit whose answer never came. */
const tries = (called: number, [expected, text]: readonly [string, string]): DivOperation => ({
  input: { do: 'edit', expected, text },
  output: undefined,
  called,
  returned: called,
});

describe('a history of a DIV under compare-and-set', () => {
  const linearizable: (readonly [string, readonly DivOperation[]])[] = [
    ['nothing', []],
    ['edits one after the other', [edits(0, 1, ['a', 'b']), edits(2, 3, ['b', 'c']), reads(4, 5, 'c')]],
    ['a read beside an edit that sees the old text', [edits(0, 9, ['a', 'b']), reads(1, 2, 'a')]],
    ['a read beside an edit that sees the new text', [edits(0, 9, ['a', 'b']), reads(1, 2, 'b')]],
    [
      'of two edits of one text, one that is refused with the text of the other',
      [edits(0, 5, ['a', 'b']), edits(1, 4, ['a', 'c'], { stale: 'b' })],
    ],
    [
      'edits that returned in the opposite order of their effects',
      [edits(0, 9, ['a', 'b']), edits(1, 2, ['b', 'c']), reads(3, 4, 'c')],
    ],
    ['an edit of unknown outcome without effect', [tries(0, ['a', 'b']), reads(5, 6, 'a')]],
    ['an edit of unknown outcome with effect', [tries(0, ['a', 'b']), reads(5, 6, 'b')]],
    [
      'an edit of unknown outcome that takes effect long after its call',
      [tries(0, ['a', 'b']), reads(1, 2, 'a'), reads(3, 4, 'a'), reads(5, 6, 'b')],
    ],
    [
      'edits of unknown outcome that build on each other',
      [tries(0, ['a', 'b']), tries(1, ['b', 'c']), reads(1, 2, 'a'), reads(5, 6, 'c')],
    ],
  ];
  // Two ways lead from a to b; whichever is taken first, the other is left.
  for (const left of ['x', 'y'])
    linearizable.push([
      `edits of unknown outcome of which that to ${left} is left for later`,
      [
        tries(0, ['a', 'x']),
        tries(0, ['x', 'b']),
        tries(0, ['a', 'y']),
        tries(0, ['y', 'b']),
        reads(1, 2, 'b'),
        edits(3, 4, ['b', 'a']),
        reads(5, 6, left),
      ],
    ]);
  it.each(linearizable)('accepts %s', (_title, history) => {
    expect(explainVerdict(checkLinearizable(divModel('a'), history))).toMatch(/^linearizable/);
  });

  const broken: readonly (readonly [string, readonly DivOperation[]])[] = [
    ['a lost update: two edits of one text', [edits(0, 5, ['a', 'b']), edits(1, 4, ['a', 'c'])]],
    ['a stale read after an acknowledged edit', [edits(0, 1, ['a', 'b']), reads(2, 3, 'a')]],
    [
      'reads that see the new text and then the old one, beside the edit',
      [edits(0, 9, ['a', 'b']), reads(1, 2, 'b'), reads(3, 4, 'a')],
    ],
    ['a read of a text that nobody wrote', [edits(0, 1, ['a', 'b']), reads(0, 1, 'c')]],
    ['a read of a text before its edit was called', [reads(0, 1, 'b'), edits(2, 3, ['a', 'b'])]],
    [
      'an edit of unknown outcome that is seen and then not',
      [tries(0, ['a', 'b']), reads(1, 2, 'b'), reads(3, 4, 'a')],
    ],
    [
      'an edit of unknown outcome that takes effect twice',
      [tries(0, ['a', 'b']), reads(1, 2, 'b'), edits(3, 4, ['b', 'a']), reads(5, 6, 'b')],
    ],
    [
      'an edit of unknown outcome that is seen before its call',
      [reads(0, 1, 'b'), tries(2, ['a', 'b']), reads(3, 4, 'b')],
    ],
    [
      'a refusal although nothing else was written',
      [edits(0, 1, ['a', 'b'], { stale: 'a' }), reads(2, 3, 'a')],
    ],
    [
      'a refusal that shows a text from before an acknowledged edit',
      [edits(0, 1, ['a', 'b']), edits(2, 3, ['b', 'c']), edits(4, 5, ['a', 'd'], { stale: 'b' })],
    ],
    [
      'an acknowledged edit that a failover lost',
      [edits(0, 1, ['a', 'b']), edits(2, 3, ['b', 'c']), reads(4, 5, 'b')],
    ],
    [
      'edits by hashes that the other could only know afterwards',
      [edits(0, 1, ['b', 'c']), edits(2, 3, ['a', 'b'])],
    ],
  ];
  it.each(broken)('rejects %s', (_title, history) => {
    expect(explainVerdict(checkLinearizable(divModel('a'), history))).toMatch(/^not linearizable/);
  });

  it('answers with the order of the effects and the state behind them', () => {
    const history = [
      edits(0, 9, ['a', 'b']),
      tries(0, ['c', 'd']),
      edits(1, 2, ['b', 'c']),
      reads(10, 11, 'd'),
    ];
    const verdict = checkLinearizable(divModel('a'), history);
    expect(verdict).toEqual({ ok: true, order: [0, 2, 1, 3].map((i) => history[i]), final: 'd' });
  });

  it('names the operations at which no order goes on', () => {
    const verdict = checkLinearizable(divModel('a'), [
      edits(0, 1, ['a', 'b']),
      reads(2, 3, 'b'),
      reads(4, 6, 'a'),
      reads(5, 7, 'c'),
    ]);
    expect(explainVerdict(verdict).split('\n')).toEqual([
      'not linearizable: after 2 operations in order, the last of them',
      '  0.0 to 1.0: {"do":"edit","expected":"a","text":"b"} → {"edited":true}',
      '  2.0 to 3.0: {"do":"read"} → {"is":"b"}',
      'the state is "b", which none of these operations may have met:',
      '  4.0 to 6.0: {"do":"read"} → {"is":"a"}',
      '  5.0 to 7.0: {"do":"read"} → {"is":"c"}',
    ]);
  });
});

describe('a history of a register that is overwritten', () => {
  interface Access {
    readonly write?: string;
  }
  const register: Model<string, Access, string> = {
    initial: 'a',
    step: (state, { write }, output) => {
      if (write !== undefined) return [write];
      return output === state ? [state] : [];
    },
  };
  const written: readonly Operation<Access, string>[] = [
    { input: { write: 'b' }, output: 'done', called: 0, returned: 3 },
    { input: { write: 'c' }, output: 'done', called: 1, returned: 2 },
  ];
  const readsAs = (output: string): Operation<Access, string> => ({
    input: {},
    output,
    called: 4,
    returned: 5,
  });

  it.each(['b', 'c'])('may end with %s, whichever of two writes at once came last', (last) => {
    expect(checkLinearizable(register, [...written, readsAs(last)])).toMatchObject({ ok: true, final: last });
  });

  it('cannot end with the text from before', () => {
    expect(checkLinearizable(register, [...written, readsAs('a')]).ok).toBe(false);
  });
});

describe('a history of the budgets of a share and its cuts', () => {
  const model = budgetModel([
    { name: 'whole', max: 3 },
    { name: 'cut', max: 2, parent: 'whole' },
  ]);
  const uses = (
    called: number,
    returned: number,
    share: string,
    output: BudgetOutput | undefined = { used: true },
  ): Use => ({ input: { do: 'use', share }, output, called, returned });
  const unknown = (called: number, share: string): Use => ({
    input: { do: 'use', share },
    output: undefined,
    called,
    returned: called,
  });
  const counts = (called: number, returned: number, share: string, count: number): Use => ({
    input: { do: 'count', share },
    output: { uses: count },
    called,
    returned,
  });
  const inTurn = (...shares: readonly string[]): Use[] =>
    shares.map((share, i) => uses(2 * i, 2 * i + 1, share));

  const linearizable: readonly (readonly [string, readonly Use[]])[] = [
    ['uses up to the budget', inTurn('whole', 'whole', 'whole')],
    [
      'a refusal at a spent cut',
      [...inTurn('cut', 'cut'), uses(8, 9, 'cut', { spent: 'cut' }), uses(10, 11, 'whole')],
    ],
    [
      'a refusal at the spent whole of a cut that has uses left',
      [...inTurn('whole', 'whole', 'cut'), uses(8, 9, 'cut', { spent: 'whole' })],
    ],
    [
      'a refusal beside the last use',
      [uses(0, 9, 'cut'), uses(0, 9, 'cut'), uses(1, 2, 'cut', { spent: 'cut' })],
    ],
    [
      'a refusal that a use of unknown outcome explains',
      [...inTurn('cut'), unknown(1, 'cut'), uses(8, 9, 'cut', { spent: 'cut' })],
    ],
    [
      'uses of unknown outcome beyond the budget',
      [unknown(0, 'cut'), unknown(0, 'cut'), unknown(0, 'cut'), counts(8, 9, 'whole', 2)],
    ],
  ];
  it.each(linearizable)('accepts %s', (_title, history) => {
    expect(explainVerdict(checkLinearizable(model, history))).toMatch(/^linearizable/);
  });

  const broken: readonly (readonly [string, readonly Use[]])[] = [
    ['a double spend of the last use', [...inTurn('cut'), uses(4, 9, 'cut'), uses(5, 8, 'cut')]],
    ['uses of a cut that its whole does not count', inTurn('cut', 'cut', 'whole', 'whole')],
    ['a refusal before the budget is spent', [...inTurn('cut'), uses(8, 9, 'cut', { spent: 'cut' })]],
    [
      'a refusal that names a budget with uses left',
      [...inTurn('cut', 'cut'), uses(8, 9, 'cut', { spent: 'whole' })],
    ],
    ['a use behind a refusal', [...inTurn('cut'), uses(8, 9, 'cut', { spent: 'cut' }), uses(10, 11, 'cut')]],
    ['an acknowledged use that is not counted', [...inTurn('cut', 'whole'), counts(8, 9, 'whole', 1)]],
    ['a count that falls', [unknown(0, 'cut'), counts(1, 2, 'cut', 1), counts(3, 4, 'cut', 0)]],
    ['a use of unknown outcome that was charged twice', [unknown(0, 'cut'), counts(8, 9, 'cut', 2)]],
    ['a request that was charged twice', [...inTurn('cut'), counts(8, 9, 'cut', 2)]],
  ];
  it.each(broken)('rejects %s', (_title, history) => {
    expect(explainVerdict(checkLinearizable(model, history))).toMatch(/^not linearizable/);
  });
});

/** Tries every set of operations that take effect in every order that keeps to their times. */
function isLinearizable<S, I, O>(model: Model<S, I, O>, history: readonly Operation<I, O>[]): boolean {
  const reach = (state: S, left: readonly Operation<I, O>[]): boolean => {
    if (left.every(({ output }) => output === undefined)) return true;
    return left.some((next) => {
      const isLate = left.some(({ output, returned }) => output !== undefined && returned < next.called);
      if (isLate) return false;
      const others = left.filter((each) => each !== next);
      return model.step(state, next.input, next.output).some((then) => reach(then, others));
    });
  };
  return reach(model.initial, history);
}

describe('random small histories', () => {
  const times = fc.tuple(fc.nat(12), fc.nat(6)).map(([called, ms]) => ({ called, returned: called + ms }));
  const text = fc.constantFrom('a', 'b', 'c');
  const divOperation: fc.Arbitrary<DivOperation> = fc
    .tuple(
      times,
      fc.oneof(
        fc.record({ input: fc.constant<DivInput>({ do: 'read' }), output: fc.record({ is: text }) }),
        fc.record({
          input: fc.record({ do: fc.constant('edit' as const), expected: text, text }),
          output: fc.oneof(
            fc.constant({ edited: true as const }),
            fc.constant(undefined),
            fc.record({ stale: text }),
          ),
        }),
      ),
    )
    .map(([at, what]) => ({ ...at, ...what }));
  const share = fc.constantFrom('whole', 'cut');
  const use: fc.Arbitrary<Use> = fc
    .tuple(
      times,
      fc.oneof(
        fc.record({
          input: fc.record({ do: fc.constant('use' as const), share }),
          output: fc.oneof(
            fc.constant({ used: true as const }),
            fc.constant({ used: true as const }),
            fc.constant(undefined),
            fc.record({ spent: share }),
          ),
        }),
        fc.record({
          input: fc.record({ do: fc.constant('count' as const), share }),
          output: fc.record({ uses: fc.nat(3) }),
        }),
      ),
    )
    .map(([at, what]) => ({ ...at, ...what }));
  const budgets = budgetModel([
    { name: 'whole', max: 2 },
    { name: 'cut', max: 1, parent: 'whole' },
  ]);

  it('are judged as by a search through all orders of edits and reads', () => {
    const seen = { true: 0, false: 0 };
    fc.assert(
      fc.property(fc.array(divOperation, { maxLength: 6 }), (history) => {
        const expected = isLinearizable(divModel('a'), history);
        seen[`${expected}`]++;
        expect(checkLinearizable(divModel('a'), history).ok).toBe(expected);
      }),
      { numRuns: 4000, seed: 1 },
    );
    expect(Math.min(seen.true, seen.false)).toBeGreaterThan(200);
  });

  it('are judged as by a search through all orders of uses', () => {
    const seen = { true: 0, false: 0 };
    fc.assert(
      fc.property(fc.array(use, { maxLength: 6 }), (history) => {
        const expected = isLinearizable(budgets, history);
        seen[`${expected}`]++;
        expect(checkLinearizable(budgets, history).ok).toBe(expected);
      }),
      { numRuns: 4000, seed: 1 },
    );
    expect(Math.min(seen.true, seen.false)).toBeGreaterThan(200);
  });

  it('give an order that keeps to their times and that the model allows', () => {
    fc.assert(
      fc.property(fc.array(divOperation, { maxLength: 6 }), (history) => {
        const verdict = checkLinearizable(divModel('a'), history);
        if (!verdict.ok) return;
        const { order } = verdict;
        expect(history.filter((each) => each.output !== undefined && !order.includes(each))).toEqual([]);
        let state = 'a';
        order.forEach(({ input, output, called }, i) => {
          for (const later of order.slice(i + 1))
            if (later.output !== undefined) expect(later.returned).toBeGreaterThanOrEqual(called);
          [state = 'refused'] = divModel(state).step(state, input, output);
        });
        expect(state).toBe(verdict.final);
      }),
      { numRuns: 2000, seed: 2 },
    );
  });
});
