/** The paper that the service writes about its own ledger (spec §2.6.1). */
import Type from 'typebox';
import { defineRow, type Row } from '../domain/capabilities/row.ts';
import { PaperGrown, PaperState } from '../model/workspace.ts';

const paperGrow = defineRow({
  key: 'PAPER_GROW',
  category: 'paper',
  target: 'article',
  contract: {
    what: 'Regenerates the paper about this ledger from its live state and appends one growth ring.',
    when: 'When PAPER_STATE shows drift, or a state should be put on record.',
    example: '',
  },
  input: Type.Object({}, { additionalProperties: false }),
  output: PaperGrown,
  auth: 'share',
  risk: 'low',
  safe: false,
  inAct: true,
  plan: () => ({ do: 'grow-paper' }),
});

const paperState = defineRow({
  key: 'PAPER_STATE',
  category: 'paper',
  target: 'article',
  contract: {
    what: "Returns the paper's ring count, its latest ring, live counts, and the drift between the two.",
    when: 'Before growing the paper, or to see how the ledger moved.',
    example: '',
  },
  input: Type.Object({}, { additionalProperties: false }),
  output: PaperState,
  auth: 'none',
  risk: 'low',
  safe: true,
  inAct: true,
  plan: () => ({ do: 'read', question: { name: 'paper-state' } }),
});

export const paperRows: readonly Row[] = [paperGrow, paperState];
