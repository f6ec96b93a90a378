import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkBoundaries,
  withSeparator,
  withSeparators,
  type Layout,
} from '../../../src/domain/articles/boundaries.ts';
import {
  applied,
  layoutOf,
  linkedMarkdown,
  linkedText,
  randomChanges,
  type RandomChange,
} from './boundaries-changes.ts';
import { dividesInto, soundByWholeBody } from './boundaries-oracle.ts';
import { documents, vectors } from './divide-corpus.ts';
import { hostileMarkdown, hostileText } from './divide-hostile.ts';

const slow = { timeout: 60_000 };

type PieceVector = readonly [div_id: string, text: string, sep: string];
interface Vector {
  readonly name: string;
  readonly lead: string;
  readonly before: readonly PieceVector[];
  readonly after: readonly PieceVector[];
  readonly divs: readonly string[];
}

function layout(lead: string, pieces: readonly PieceVector[]): Layout {
  return { lead, pieces: pieces.map(([div_id, text, sep]) => ({ div_id, text, sep })) };
}

describe('boundaries, by the vectors', () => {
  it.each(vectors<Vector>('boundaries'))('$name', ({ lead, before, after, divs }) => {
    const was = layout(lead, before);
    const is = layout(lead, after);
    expect(dividesInto(was)).toBe(true);
    expect(checkBoundaries(was, is, [])).toEqual(divs.length === 0 ? { ok: true } : { ok: false, divs });
    expect(soundByWholeBody(was, is)).toBe(divs.length === 0);
  });
});

interface Tally {
  sound: number;
  unsound: number;
}

/** Walks through changes, applying those that pass, and compares every verdict with the whole body's. */
function walk(start: Layout, changes: readonly RandomChange[], tally: Tally): void {
  let before = start;
  for (const [n, change] of changes.entries()) {
    const made = applied(before, change, `n${n + 1}`);
    if (made === undefined) continue;
    const { after, touched } = made;
    const check = checkBoundaries(before, after, n % 2 === 0 ? touched : []);
    const sound = soundByWholeBody(before, after);
    if (check.ok !== sound) {
      throw new Error(
        `${change.op}: ${JSON.stringify(check)}, the whole body says ${sound}\n${JSON.stringify({ before, after })}`,
      );
    }
    if (!check.ok && after.pieces.length > 0 && check.divs.length === 0) throw new Error('no DIV is named');
    tally[sound ? 'sound' : 'unsound']++;
    if (sound) before = after;
  }
}

describe('boundaries, by random changes', () => {
  it(
    'judges edits, moves, burns, appends and merges of hostile Markdown as dividing the whole body does',
    slow,
    () => {
      const tally: Tally = { sound: 0, unsound: 0 };
      fc.assert(
        fc.property(hostileMarkdown, randomChanges(hostileText), (markdown, changes) =>
          walk(layoutOf(markdown), changes, tally),
        ),
        { numRuns: 1500, seed: 4 },
      );
      expect(tally.sound).toBeGreaterThan(2000);
      expect(tally.unsound).toBeGreaterThan(700);
    },
  );

  it('judges changes of link definitions and front matter as rendering the whole body does', slow, () => {
    const tally: Tally = { sound: 0, unsound: 0 };
    fc.assert(
      fc.property(linkedMarkdown, randomChanges(linkedText), (markdown, changes) =>
        walk(layoutOf(markdown), changes, tally),
      ),
      { numRuns: 2000, seed: 5 },
    );
    expect(tally.sound).toBeGreaterThan(2000);
    expect(tally.unsound).toBeGreaterThan(900);
  });

  it('judges changes of real documents as dividing the whole body does', slow, () => {
    const tally: Tally = { sound: 0, unsound: 0 };
    const short = documents.filter(({ text }) => text.length < 9000);
    fc.assert(
      fc.property(fc.constantFrom(...short), randomChanges(hostileText), ({ text }, changes) =>
        walk(layoutOf(text), changes, tally),
      ),
      { numRuns: 60, seed: 6 },
    );
    expect(tally.sound).toBeGreaterThan(100);
    expect(tally.unsound).toBeGreaterThan(20);
  });

  it('finds a change by itself, whatever the caller says it touched', () => {
    const before = layoutOf('one\n\ntwo\n\nthree\n\nfour\n');
    const after = {
      lead: '',
      pieces: before.pieces.map((each) => (each.div_id === 'd3' ? { ...each, text: '```' } : each)),
    };
    expect(checkBoundaries(before, after, [0])).toEqual({ ok: false, divs: ['d3', 'd4'] });
    expect(checkBoundaries(before, after, [-1, 99])).toEqual({ ok: false, divs: ['d3', 'd4'] });
  });

  it('refuses to judge a changed label in an article of nothing but brackets', () => {
    const before = layoutOf(`${'['.repeat(100_001)}x]\n\nplain [y]\n\n[x]: /x\n`);
    const after = { lead: '', pieces: before.pieces.slice(0, 2) };
    expect(checkBoundaries(before, after, [1])).toEqual({ ok: false, divs: ['d1'] });
    const harmless = layoutOf(`${'['.repeat(100_001)}z]\n\nplain [y]\n\n[x]: /x\n`);
    expect(checkBoundaries(harmless, { lead: '', pieces: harmless.pieces.slice(0, 2) }, [1])).toEqual({
      ok: true,
    });
  });

  it('lets an article become empty and start again', () => {
    const one = layoutOf('\ufeffone\n');
    const none: Layout = { lead: '\ufeff', pieces: [] };
    expect(checkBoundaries(one, none, [])).toEqual({ ok: true });
    expect(checkBoundaries(none, one, [0])).toEqual({ ok: true });
  });
});

function piece(text: string, sep: string) {
  return { text, sep };
}

describe('separators', () => {
  it('stay unchanged where they suffice', () => {
    expect(withSeparator(piece('# A', '\n'), { text: 'text' })).toBe('\n');
    expect(withSeparator(piece('a', '\n\n\n'), { text: 'b' })).toBe('\n\n\n');
    expect(withSeparator(piece('a', ''), undefined)).toBe('');
    expect(withSeparator(piece('a\n\n', ''), { text: 'b' })).toBe('');
  });

  it('are added where they are missing', () => {
    expect(withSeparator(piece('a', ''), { text: 'b' })).toBe('\n\n');
    expect(withSeparator(piece('# A', ''), { text: 'b' })).toBe('\n\n');
    expect(withSeparator(piece('a', '\n'), { text: 'b' })).toBe('\n\n');
    expect(withSeparator(piece('a', '\n  '), { text: 'b' })).toBe('\n  \n');
    expect(withSeparator(piece('> a', '\n'), { text: 'b' })).toBe('\n\n');
  });

  it('are written in the line ends of the text', () => {
    expect(withSeparator(piece('a', ''), { text: 'b\r\nc' })).toBe('\r\n\r\n');
    expect(withSeparator(piece('a', '\r\n'), { text: 'b' })).toBe('\r\n\r\n');
    expect(withSeparator(piece('a\rb', ''), { text: 'c' })).toBe('\r\r');
  });

  it('cannot separate blocks that no blank line separates', () => {
    expect(withSeparator(piece('```', '\n'), { text: 'b' })).toBe('\n\n\n');
    const before = layoutOf('```\n');
    const after = {
      lead: '',
      pieces: withSeparators([...before.pieces, { div_id: 'd2', text: 'b', sep: '' }], [1]),
    };
    expect(checkBoundaries(before, after, [1])).toEqual({ ok: false, divs: ['d1', 'd2'] });
  });

  it('are added only where a touched DIV meets its neighbours', () => {
    const pieces = [
      { div_id: 'd1', text: 'a', sep: '\n' },
      { div_id: 'd3', text: 'c', sep: '' },
      { div_id: 'd2', text: '# b', sep: '\n' },
      { div_id: 'd4', text: 'd', sep: '' },
    ];
    const out = withSeparators(pieces, [1]);
    expect(out.map(({ sep }) => sep)).toEqual(['\n\n', '\n\n', '\n', '']);
    expect(out[2]).toBe(pieces[2]);
  });
});
