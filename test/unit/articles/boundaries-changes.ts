/** Random changes of an article: the six ways in which DIVs are written, soundly or not. */
import fc from 'fast-check';
import { withSeparators, type Layout, type Piece } from '../../../src/domain/articles/boundaries.ts';
import { divide } from '../../../src/domain/articles/divide.ts';
import { isFault } from '../../../src/kernel/fault.ts';

export interface RandomChange {
  readonly op: 'edit' | 'append' | 'burn' | 'move' | 'consolidate' | 'rewrite';
  readonly i: number;
  readonly j: number;
  readonly text: string;
  readonly separate: boolean;
}

export function randomChanges(text: fc.Arbitrary<string>): fc.Arbitrary<RandomChange[]> {
  const change = fc.record({
    op: fc.constantFrom<RandomChange['op'][]>('edit', 'append', 'burn', 'move', 'consolidate', 'rewrite'),
    i: fc.nat(),
    j: fc.nat(),
    text,
    separate: fc.boolean(),
  });
  return fc.array(change, { minLength: 1, maxLength: 6 });
}

export function layoutOf(markdown: string): Layout {
  const division = divide(markdown);
  if (isFault(division)) throw new Error(division.message);
  return {
    lead: division.lead,
    pieces: division.blocks.map(({ text, sep }, i) => ({ div_id: `d${i + 1}`, text, sep })),
  };
}

/** The layout after a change and the places it touched; nothing where the change makes no sense. */
export function applied(
  before: Layout,
  change: RandomChange,
  freshId: string,
): { after: Layout; touched: number[] } | undefined {
  const pieces = before.pieces.slice();
  const count = pieces.length;
  if (count === 0 && change.op !== 'append') return undefined;
  const i = change.i % Math.max(1, count);
  const j = change.j % Math.max(1, count);
  const piece = pieces[i] as Piece;
  let touched = [i];
  switch (change.op) {
    case 'edit':
      pieces[i] = { ...piece, text: change.text };
      break;
    case 'append':
      pieces.push({ div_id: freshId, text: change.text, sep: '' });
      touched = [count];
      break;
    case 'burn':
      pieces.splice(i, 1);
      break;
    case 'move':
      pieces.splice(i, 1);
      pieces.splice(j, 0, piece);
      touched = [i, i + 1, j, j + 1];
      break;
    case 'consolidate': {
      const next = pieces[i + 1];
      if (next === undefined) return undefined;
      pieces.splice(i, 2, { div_id: piece.div_id, text: piece.text + piece.sep + next.text, sep: next.sep });
      touched = [i, i + 1];
      break;
    }
    case 'rewrite':
      if (i === j) return undefined;
      pieces[i] = { ...piece, text: change.text };
      pieces.splice(j, 1);
      touched = [i, i - 1, j].filter((index) => index >= 0);
  }
  return {
    after: { lead: before.lead, pieces: change.separate ? withSeparators(pieces, touched) : pieces },
    touched,
  };
}

// prettier-ignore
const linkLine = fc.constantFrom(
  '[a]: /1', '[a]: /2', '[A]: /1 "t"', '[b]: /3', '> [a]: /1', '- [b]: /4', 'see [a]', '![b] and [a][b]', '[x][a]', '> [b]', '*[a]*', '`[a]`', 'p', '\\[a]',
  '# h [b]', '- [a]', '[a]:', '/u', '| [a] |\n|---|', '---', 'key: v', '---\nk: [a]', '> [A\n> b] x', '[a b]: /z', '[a\nb]', '[c]: /c\n[a]: /9', '\ufeff[a]', '...',
  '---\nk: v\n---', '[ς]: /s', '[Σ]',
);
const linkLines = fc.array(fc.tuple(linkLine, fc.constantFrom('\n', '\n\n', '\n\n', '\r\n')), {
  minLength: 1,
  maxLength: 9,
});

/** Articles that are all link definitions, uses of them and front matter. */
export const linkedMarkdown: fc.Arbitrary<string> = linkLines.map((lines) => lines.flat().join(''));
export const linkedText: fc.Arbitrary<string> = linkLines.map((lines) =>
  lines
    .slice(0, 2)
    .flat()
    .join('')
    .replace(/[\r\n]+$/, ''),
);
