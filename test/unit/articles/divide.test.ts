import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  divide,
  headingPaths,
  join,
  kindOf,
  type Block,
  type Division,
} from '../../../src/domain/articles/divide.ts';
import { isFault } from '../../../src/kernel/fault.ts';
import { documents, specExamples, variantsOf, vectors } from './divide-corpus.ts';
import { hostileMarkdown } from './divide-hostile.ts';

const slow = { timeout: 60_000 };

interface Vector {
  readonly name: string;
  readonly markdown: string;
  readonly lead: string;
  readonly blocks: readonly Partial<Block>[];
}

function divided(markdown: string): Division {
  const division = divide(markdown);
  if (isFault(division)) throw new Error(division.message);
  return division;
}

/** What holds for the division of any text whatever. */
function checkDivision(markdown: string): Division {
  const { lead, blocks } = divided(markdown);
  let joined = lead;
  for (const block of blocks) joined += block.text + block.sep;
  if (joined !== markdown) throw new Error('joining does not give the text back');
  if (!/^\ufeff?[ \t\r\n]*$/.test(lead)) throw new Error(`the lead ${JSON.stringify(lead)} is not blank`);
  for (const { text, sep } of blocks) {
    if (!/^[ \t\r\n]*$/.test(sep)) throw new Error(`the separator ${JSON.stringify(sep)} is not blank`);
    const lines = text.split(/\r\n?|\n/);
    if (/^[ \t]*$/.test(lines[0] ?? '') || /^[ \t]*$/.test(lines.at(-1) ?? '')) {
      throw new Error(`the text ${JSON.stringify(text)} begins or ends with a blank line`);
    }
  }
  return { lead, blocks };
}

/** Each block by itself is that block again: nothing in its meaning came from its neighbours. */
function checkBlocksAlone({ lead, blocks }: Division): void {
  blocks.forEach((block, i) => {
    const alone = divided(i === 0 ? lead + block.text : `\n${block.text}`).blocks;
    if (
      alone.length !== 1 ||
      alone[0]?.text !== block.text ||
      alone[0].kind !== block.kind ||
      alone[0].level !== block.level
    ) {
      throw new Error(`${JSON.stringify(block)} alone divides into ${JSON.stringify(alone)}`);
    }
  });
}

function outline(blocks: readonly Block[]): string {
  return JSON.stringify(blocks.map(({ text, kind, level }) => ({ text, kind, level })));
}

describe('dividing, by the vectors', () => {
  it.each(vectors<Vector>('divide'))('$name', ({ markdown, lead, blocks }) => {
    const division = divided(markdown);
    expect(division.lead).toBe(lead);
    expect(division.blocks.map(({ text, sep, kind }) => ({ text, sep, kind }))).toEqual(
      blocks.map(({ text, sep, kind }) => ({ text, sep, kind })),
    );
    expect(division.blocks.map(({ level, title }) => [level, title])).toEqual(
      blocks.map(({ level = 0, title = '' }) => [level, title]),
    );
  });
});

describe('dividing any text', () => {
  it(
    'joins every example of the CommonMark and GFM specifications byte for byte, in every variant',
    slow,
    () => {
      let blocks = 0;
      for (const { markdown } of specExamples) {
        for (const variant of variantsOf(markdown)) {
          const division = checkDivision(variant);
          checkBlocksAlone(division);
          blocks += division.blocks.length;
        }
      }
      expect(specExamples).toHaveLength(1328);
      expect(blocks).toBeGreaterThan(1328 * 7);
    },
  );

  it('joins real documents byte for byte, in every variant', slow, () => {
    for (const { text } of documents) {
      for (const variant of variantsOf(text)) checkBlocksAlone(checkDivision(variant));
    }
    expect(documents).toHaveLength(44);
    expect(documents.filter(({ text }) => text.includes('\r\n'))).toHaveLength(2);
  });

  it('joins hostile Markdown byte for byte, and each block divides to itself', slow, () => {
    fc.assert(
      fc.property(hostileMarkdown, (markdown) => checkBlocksAlone(checkDivision(markdown))),
      { numRuns: 4000, seed: 1 },
    );
  });

  it('joins any well-formed string of any characters, and refuses the others', slow, () => {
    let refused = 0;
    fc.assert(
      fc.property(
        fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)), maxLength: 40 }),
        (text) => {
          if (text.isWellFormed() && !text.includes('\0')) {
            checkDivision(text);
            return;
          }
          refused++;
          const fault = divide(text);
          if (!isFault(fault) || fault.fault !== 'invalid_request')
            throw new Error('an ill-formed text was divided');
        },
      ),
      { numRuns: 3000, seed: 2, examples: [['\0'], ['a\ud800b'], ['\udfff'], ['\ud83d\udd25']] },
    );
    expect(refused).toBeGreaterThan(2);
  });

  it('divides the beginning of a text as it divides the whole, block by block', slow, () => {
    fc.assert(
      fc.property(hostileMarkdown, fc.nat(12), (markdown, count) => {
        const { lead, blocks } = divided(markdown);
        const first = blocks.slice(0, count);
        if (first[0]?.kind === 'rule') return; // `---` may open front matter that a later block would close.
        const again = divided(join(lead, first)).blocks;
        if (outline(again) !== outline(first)) throw new Error(JSON.stringify([first, again]));
      }),
      { numRuns: 2000, seed: 3 },
    );
  });

  it('says why it refuses a text', () => {
    expect(divide('a\0b')).toMatchObject({
      fault: 'invalid_request',
      message: 'The Markdown cannot be divided: a string holds a NUL character.',
      fix: 'Send well-formed text without NUL characters.',
    });
    expect(divide('a\ud800')).toMatchObject({
      fault: 'invalid_request',
      message: expect.stringContaining('lone surrogate'),
    });
  });
});

describe('the kind of a text', () => {
  it('is that of its one block', () => {
    expect(kindOf('## A *b*')).toEqual({ kind: 'heading', level: 2, title: 'A b' });
    expect(kindOf('[a]: /b')).toEqual({ kind: 'definition', level: 0, title: '' });
    expect(kindOf('\n> quote\n\n')).toEqual({ kind: 'quote', level: 0, title: '' });
  });

  it('is mixed for several blocks, with the headings among them, and for none', () => {
    expect(kindOf('# A\n\ntext\n\n## B\n')).toEqual({
      kind: 'mixed',
      level: 0,
      title: '',
      headings: [
        { level: 1, title: 'A' },
        { level: 2, title: 'B' },
      ],
    });
    expect(kindOf(' \n')).toEqual({ kind: 'mixed', level: 0, title: '', headings: [] });
  });

  it('is front matter only at the start of an article', () => {
    expect(kindOf('---\na: b\n---', '').kind).toBe('front_matter');
    expect(kindOf('---\na: b\n---', '\ufeff').kind).toBe('front_matter');
    expect(kindOf('---\na: b\n---', '\n').kind).toBe('mixed');
    expect(kindOf('---\na: b\n---').kind).toBe('mixed');
  });
});

describe('headings', () => {
  it('name for each block the headings above it', () => {
    const { blocks } = divided('intro\n\n# A\n\ntext\n\n### B\n\ntext\n\n## C\n\ntext\n\n# D\n');
    expect(headingPaths(blocks)).toEqual([[], [], ['A'], ['A'], ['A', 'B'], ['A'], ['A', 'C'], []]);
  });

  it('inside a mixed DIV stand above the blocks after it', () => {
    const shapes = [
      kindOf('# A'),
      kindOf('text\n\n## B\n\ntext'),
      kindOf('text'),
      kindOf('## C'),
      kindOf('text'),
    ];
    expect(headingPaths(shapes)).toEqual([[], ['A'], ['A', 'B'], ['A'], ['A', 'C']]);
  });

  it('have titles of at most 200 characters, cut between characters', () => {
    expect(kindOf(`# ${'a'.repeat(200)}`).title).toBe('a'.repeat(200));
    expect(kindOf(`# ${'a'.repeat(201)}`).title).toBe(`${'a'.repeat(199)}…`);
    expect(kindOf(`# ${'a'.repeat(198)}🔥🔥`).title).toBe(`${'a'.repeat(198)}…`);
  });
});
