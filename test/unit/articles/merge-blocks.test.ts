/** Three-way merge of articles: by block, then by words, with conflicts that nothing can decide. */
import { describe, expect, it } from 'vitest';
import {
  isConflict,
  mergeBlocks,
  mergeWords,
  type Merged,
} from '../../../src/domain/articles/merge-blocks.ts';

const blocks = (...pairs: [id: string, text: string][]) => pairs.map(([div_id, text]) => ({ div_id, text }));
const told = (merged: readonly Merged[]) =>
  merged.map((each) =>
    isConflict(each)
      ? `${each.div_id} conflict: ${each.theirs} | ${each.yours} | ${each.proposal}`
      : `${each.div_id ?? 'new'} ${each.by}: ${each.text}`,
  );

const base = blocks(['d1', 'One is one.'], ['d2', 'Two is two.'], ['d3', 'Three is three.']);

describe('mergeBlocks', () => {
  it.each<[string, ReturnType<typeof blocks>, { div_id: string | undefined; text: string }[], string[]]>([
    [
      'takes the change of either side',
      blocks(['d1', 'One is 1.'], ['d2', 'Two is two.'], ['d3', 'Three is three.']),
      blocks(['d1', 'One is one.'], ['d2', 'Two is two.'], ['d3', 'Three is 3.']),
      ['d1 theirs: One is 1.', 'd2 none: Two is two.', 'd3 yours: Three is 3.'],
    ],
    [
      'takes what both sides changed alike',
      blocks(['d1', 'One is 1.'], ['d2', 'Two is two.'], ['d3', 'Three is three.']),
      blocks(['d1', 'One is 1.'], ['d2', 'Two is two.'], ['d3', 'Three is three.']),
      ['d1 both: One is 1.', 'd2 none: Two is two.', 'd3 none: Three is three.'],
    ],
    [
      'merges other words of the same block',
      blocks(['d1', 'One really is one.'], ['d2', 'Two is two.'], ['d3', 'Three is three.']),
      blocks(['d1', 'One is one today.'], ['d2', 'Two is two.'], ['d3', 'Three is three.']),
      ['d1 both: One really is one today.', 'd2 none: Two is two.', 'd3 none: Three is three.'],
    ],
    [
      'leaves the same words to the reader',
      blocks(['d1', 'One is 1.'], ['d2', 'Two is two.'], ['d3', 'Three is three.']),
      blocks(['d1', 'One is single.'], ['d2', 'Two is two.'], ['d3', 'Three is three.']),
      [
        'd1 conflict: One is 1. | One is single. | One is single.',
        'd2 none: Two is two.',
        'd3 none: Three is three.',
      ],
    ],
    [
      'drops what one side removed and the other left',
      blocks(['d2', 'Two is two.'], ['d3', 'Three is three.']),
      blocks(['d1', 'One is one.'], ['d2', 'Two is two.']),
      ['d2 none: Two is two.'],
    ],
    [
      'asks about a block that one side removed and the other changed',
      blocks(['d1', 'One is one.'], ['d3', 'Three is 3.']),
      blocks(['d1', 'One is one.'], ['d2', 'Two is 2.']),
      [
        'd1 none: One is one.',
        'd2 conflict: null | Two is 2. | Two is 2.',
        'd3 conflict: Three is 3. | null | Three is 3.',
      ],
    ],
    [
      'keeps the new blocks of both sides, and once what both wrote',
      blocks(
        ['d1', 'One is one.'],
        ['d4', 'Theirs.'],
        ['d5', 'Shared.'],
        ['d2', 'Two is two.'],
        ['d3', 'Three is three.'],
      ),
      [
        { div_id: 'd1', text: 'One is one.' },
        { div_id: undefined, text: 'Yours.' },
        { div_id: undefined, text: 'Shared.' },
        { div_id: 'd2', text: 'Two is two.' },
        { div_id: 'd3', text: 'Three is three.' },
      ],
      [
        'd1 none: One is one.',
        'd4 theirs: Theirs.',
        'd5 theirs: Shared.',
        'new yours: Yours.',
        'd2 none: Two is two.',
        'd3 none: Three is three.',
      ],
    ],
    [
      'moves a block that one side moved and changes it as the other did',
      blocks(['d3', 'Three is three.'], ['d1', 'One is one.'], ['d2', 'Two is two.']),
      blocks(['d1', 'One is one.'], ['d2', 'Two is two.'], ['d3', 'Three is 3.']),
      ['d3 yours: Three is 3.', 'd1 none: One is one.', 'd2 none: Two is two.'],
    ],
  ])('%s', (_, theirs, yours, expected) => {
    expect(told(mergeBlocks(base, theirs, yours))).toEqual(expected);
  });

  it('loses no block when both sides move blocks', () => {
    const theirs = blocks(['d3', 'Three is three.'], ['d2', 'Two is two.'], ['d1', 'One is one.']);
    const yours = blocks(['d2', 'Two is two.'], ['d1', 'One is one.'], ['d3', 'Three is three.']);
    expect(
      mergeBlocks(base, theirs, yours)
        .map(({ div_id }) => div_id)
        .join(),
    ).toBe('d2,d1,d3');
  });
});

describe('mergeWords', () => {
  it('merges words of one line, with the spaces of each side', () => {
    expect(mergeWords('a b c d', 'a B c d', 'a b c D')).toEqual({ text: 'a B c D', isClean: true });
    expect(mergeWords('a b c', 'a x c', 'a y c')).toEqual({ text: 'a y c', isClean: false });
  });

  it('merges very long texts line by line', () => {
    const lines = Array.from({ length: 3000 }, (_, i) => `line ${i}`);
    const change = (at: number) => lines.with(at, `changed ${at}`).join('\n');
    const { text, isClean } = mergeWords(lines.join('\n'), change(10), change(2900));
    expect(isClean).toBe(true);
    expect(text.split('\n').filter((line) => line.startsWith('changed'))).toEqual([
      'changed 10',
      'changed 2900',
    ]);
  });
});
