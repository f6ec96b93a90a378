/**
 * Word-level differences between two texts, for comparisons of revisions and for merging a stale edit. A change never
 * cuts a word: a word is what its script writes as one, with its accents, apostrophes and hyphens; scripts without
 * spaces are divided by a dictionary.
 */
import { diffArrays } from 'diff';

export type WordChange = { readonly op: 'same' | 'added' | 'removed'; readonly text: string };

/** Words or lines that may differ: comparing takes time with their square. */
const maxEditLength = 1000;

/** A run of words or lines; `before` and `after` are divided into them. */
interface TokenChange {
  readonly op: WordChange['op'];
  readonly tokens: readonly string[];
}

/** Changes in reading order; joining `same` and `removed` gives `before`, `same` and `added` gives `after`. */
export function wordDiff(before: string, after: string): WordChange[] {
  // Lines first: equal lines are never divided into words.
  const lines = diffTokens(linesOf(before), linesOf(after));
  const changes: TokenChange[] = [];
  for (let i = 0; i < lines.length; i++) {
    const [line, next] = [lines[i] as TokenChange, lines[i + 1]];
    if (line.op === 'removed' && next?.op === 'added') {
      changes.push(...diffTokens(wordsOf(line.tokens.join('')), wordsOf(next.tokens.join(''))));
      i++;
    } else changes.push(line);
  }
  return joined(changes).map(({ op, tokens }) => ({ op, text: tokens.join('') }));
}

/** The same over texts that were divided already; neighbouring changes are one, removed before added. */
export function diffTokens(before: readonly string[], after: readonly string[]): readonly TokenChange[] {
  // Texts can be made so that comparing them takes for ever; beyond this one stands whole beside the other.
  const found = diffArrays([...before], [...after], { maxEditLength });
  if (found === undefined)
    return joined([
      { op: 'removed', tokens: before },
      { op: 'added', tokens: after },
    ]);
  return joined(
    found.map(({ value, added, removed }) => ({
      op: added ? 'added' : removed ? 'removed' : 'same',
      tokens: value,
    })),
  );
}

/** A blank between two changed words belongs to the change: five changed words in a row read as one change. */
const bridge = /^[^\S\n\r]+$/;

function joined(changes: readonly TokenChange[]): TokenChange[] {
  const out: TokenChange[] = [];
  const [removed, added]: [string[], string[]] = [[], []];
  const add = (op: WordChange['op'], tokens: readonly string[]): void => {
    const last = out.at(-1);
    if (last?.op === op) out[out.length - 1] = { op, tokens: [...last.tokens, ...tokens] };
    else if (tokens.length > 0) out.push({ op, tokens });
  };
  const flush = (): void => {
    // What both sides begin or end with is no change.
    const [first, last]: [string[], string[]] = [[], []];
    for (; removed.length > 0 && removed[0] === added[0]; added.shift()) first.push(...removed.splice(0, 1));
    for (; removed.length > 0 && removed.at(-1) === added.at(-1); added.pop())
      last.unshift(...removed.splice(-1));
    add('same', first);
    add('removed', removed.splice(0));
    add('added', added.splice(0));
    add('same', last);
  };
  for (const [i, { op, tokens }] of changes.entries()) {
    if (op === 'removed') removed.push(...tokens);
    else if (op === 'added') added.push(...tokens);
    else {
      const ahead = changes.slice(i + 1, i + 3);
      const next = ahead[0]?.op === 'same' ? [] : ahead.map((each) => each.op);
      const [removes, adds] = [
        removed.length > 0 || next.includes('removed'),
        added.length > 0 || next.includes('added'),
      ];
      const isWithin = removed.length + added.length > 0 && next.length > 0 && removes && adds;
      if (isWithin && bridge.test(tokens.join(''))) {
        removed.push(...tokens);
        added.push(...tokens);
        continue;
      }
      flush();
      add(op, tokens);
    }
  }
  flush();
  return out;
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}

const unspaced = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]`;
const letter = String.raw`[[\p{L}\p{M}\p{N}_]--${unspaced}]`;
/** Runs of unspaced scripts, words, blanks, and signs with what is combined with them. */
const token = new RegExp(
  String.raw`(?<run>(?:${unspaced}\p{M}*)+)|${letter}+(?:['’.‐‑\-]${letter}+)*|\s+|[^]\p{M}*(?:\u200d[^]\p{M}*)*`,
  'gv',
);
const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/** A text as words, blanks and signs, which joined give the text. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const match of text.matchAll(token)) {
    if (match.groups?.['run'] === undefined) words.push(match[0]);
    else for (const { segment } of segmenter.segment(match[0])) words.push(segment);
  }
  return words;
}
