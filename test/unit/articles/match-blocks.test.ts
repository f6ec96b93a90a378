/** Matching an edited text to the blocks it was made from: which keep their ids, which are new, which are gone. */
import { describe, expect, it } from 'vitest';
import { editableText, matchBlocks, type MatchedBlocks } from '../../../src/domain/articles/match-blocks.ts';
import { isFault } from '../../../src/kernel/fault.ts';

/** Blocks of one line each, with blank lines between. */
const layout = (...texts: string[]) => ({
  lead: '',
  pieces: texts.map((text, i) => ({ div_id: `d${i + 1}`, text, sep: '\n\n' })),
});

function matched(base: ReturnType<typeof layout>, edited: string): MatchedBlocks {
  const found = matchBlocks(base, edited);
  if (isFault(found)) throw new Error(found.message);
  return found;
}

const told = ({ blocks, removed }: MatchedBlocks) => [
  ...blocks.map(({ div_id, change, text }) => `${div_id ?? 'new'} ${change}: ${text}`),
  ...removed.map((id) => `${id} removed`),
];

const bees = layout(
  '# Bees',
  'Bees dance to tell where food is.',
  'They see ultraviolet light.',
  'Wasps do not dance.',
);

describe('matchBlocks', () => {
  it.each<[string, string, string[]]>([
    [
      'keeps every block of an unchanged text',
      '# Bees\n\nBees dance to tell where food is.\n\nThey see ultraviolet light.\n\nWasps do not dance.\n',
      [
        'd1 kept: # Bees',
        'd2 kept: Bees dance to tell where food is.',
        'd3 kept: They see ultraviolet light.',
        'd4 kept: Wasps do not dance.',
      ],
    ],
    [
      'keeps the id of an edited block',
      '# Bees\n\nBees dance to tell the hive where food is.\n\nThey see ultraviolet light.\n\nWasps do not dance.\n',
      [
        'd1 kept: # Bees',
        'd2 edited: Bees dance to tell the hive where food is.',
        'd3 kept: They see ultraviolet light.',
        'd4 kept: Wasps do not dance.',
      ],
    ],
    [
      'gives a new block no id, and names what is gone',
      '# Bees\n\nThey see ultraviolet light.\n\nQueens live for years.\n\nWasps do not dance.\n',
      [
        'd1 kept: # Bees',
        'd3 kept: They see ultraviolet light.',
        'new made: Queens live for years.',
        'd4 kept: Wasps do not dance.',
        'd2 removed',
      ],
    ],
    [
      'keeps the id of a moved block',
      '# Bees\n\nWasps do not dance.\n\nBees dance to tell where food is.\n\nThey see ultraviolet light.\n',
      [
        'd1 kept: # Bees',
        'd4 moved: Wasps do not dance.',
        'd2 kept: Bees dance to tell where food is.',
        'd3 kept: They see ultraviolet light.',
      ],
    ],
    [
      'gives a split paragraph its id once',
      '# Bees\n\nBees dance to tell where\n\nfood is.\n\nThey see ultraviolet light.\n\nWasps do not dance.\n',
      [
        'd1 kept: # Bees',
        'd2 edited: Bees dance to tell where',
        'new made: food is.',
        'd3 kept: They see ultraviolet light.',
        'd4 kept: Wasps do not dance.',
      ],
    ],
    [
      'gives two joined paragraphs the id of the one they resemble more',
      '# Bees\n\nBees dance to tell where food is. They see ultraviolet light.\n\nWasps do not dance.\n',
      [
        'd1 kept: # Bees',
        'd2 edited: Bees dance to tell where food is. They see ultraviolet light.',
        'd4 kept: Wasps do not dance.',
        'd3 removed',
      ],
    ],
    [
      'takes a paragraph with nothing in common for another one',
      '# Bees\n\nQueens live for years.\n\nThey see ultraviolet light.\n\nWasps do not dance.\n',
      [
        'd1 kept: # Bees',
        'new made: Queens live for years.',
        'd3 kept: They see ultraviolet light.',
        'd4 kept: Wasps do not dance.',
        'd2 removed',
      ],
    ],
    [
      'keeps the id of a heading that got longer',
      '# Beeswax\n\nBees dance to tell where food is.\n\nThey see ultraviolet light.\n\nWasps do not dance.\n',
      [
        'd1 edited: # Beeswax',
        'd2 kept: Bees dance to tell where food is.',
        'd3 kept: They see ultraviolet light.',
        'd4 kept: Wasps do not dance.',
      ],
    ],
  ])('%s', (_, edited, expected) => {
    expect(told(matched(bees, edited))).toEqual(expected);
  });

  it('keeps the blocks around one of several equal ones that is removed', () => {
    const rules = layout('One.', '---', 'Two.', '---', 'Three.');
    expect(told(matched(rules, 'One.\n\nTwo.\n\n---\n\nThree.\n'))).toEqual([
      'd1 kept: One.',
      'd3 kept: Two.',
      'd4 kept: ---',
      'd5 kept: Three.',
      'd2 removed',
    ]);
  });

  it('keeps a DIV of several blocks together, also where a block was added inside', () => {
    const mixed = layout('# Bees', 'First.\n\nSecond.', 'Third.');
    expect(told(matched(mixed, '# Bees\n\nFirst.\n\nSecond.\n\nThird.\n'))).toEqual([
      'd1 kept: # Bees',
      'd2 kept: First.\n\nSecond.',
      'd3 kept: Third.',
    ]);
    expect(told(matched(mixed, '# Bees\n\nFirst.\n\nBetween.\n\nSecond.\n\nThird.\n'))).toEqual([
      'd1 kept: # Bees',
      'd2 edited: First.\n\nBetween.\n\nSecond.',
      'd3 kept: Third.',
    ]);
  });

  it('keeps carriage returns where a browser sent none, and writes them into changed blocks', () => {
    const crlf = {
      lead: '',
      pieces: [
        { div_id: 'd1', text: 'One\r\nand one.', sep: '\r\n\r\n' },
        { div_id: 'd2', text: 'Two\r\nand two.', sep: '\r\n' },
      ],
    };
    expect(editableText(crlf)).toBe('One\nand one.\n\nTwo\nand two.\n');
    expect(told(matched(crlf, 'One\nand one.\n\nTwo\nand two more.\n'))).toEqual([
      'd1 kept: One\r\nand one.',
      'd2 edited: Two\r\nand two more.',
    ]);
  });

  it('says on which line each block begins', () => {
    const { blocks } = matched(
      bees,
      '# Bees\n\n\nBees dance to tell where food is.\n\nNew\nlines.\n\nEnd.\n',
    );
    expect(blocks.map(({ line }) => line)).toEqual([0, 3, 5, 8]);
  });

  it('knows front matter only where the article begins with it', () => {
    const front = layout('---\ntitle: Bees\n---', 'Bees dance.');
    expect(told(matched(front, '---\ntitle: Wasps\n---\n\nBees dance.\n'))).toEqual([
      'd1 edited: ---\ntitle: Wasps\n---',
      'd2 kept: Bees dance.',
    ]);
  });

  it('pairs a thousand paragraphs that all changed by a word', () => {
    const many = layout(
      ...Array.from({ length: 1000 }, (_, i) => `Paragraph ${i} says that bees number ${i} dance.`),
    );
    const { blocks, removed } = matched(many, editableText(many).replaceAll('bees', 'wasps'));
    expect(blocks.every(({ div_id, change }, i) => div_id === `d${i + 1}` && change === 'edited')).toBe(true);
    expect(removed).toEqual([]);
  });

  it('refuses a text that no article can hold', () => {
    expect(matchBlocks(bees, 'NUL \0')).toMatchObject({ fault: 'invalid_request' });
  });
});
