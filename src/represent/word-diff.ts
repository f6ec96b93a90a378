/**
 * Word-level differences between two texts, for comparisons of revisions and for merging a stale edit. A change never
 * cuts a word: a word is what its script writes as one, with its accents, apostrophes and hyphens; scripts without
 * spaces are divided by a dictionary.
 */
import { diffArrays } from 'diff';

export type WordChange = { readonly op: 'same' | 'added' | 'removed'; readonly text: string };

/** Words or lines that may differ: comparing takes time with their square. */
const maxEditLength = 1000;

/** Changes in reading order; joining `same` and `removed` gives `before`, `same` and `added` gives `after`. */
export function wordDiff(before: string, after: string): WordChange[] {
  // Lines first: equal lines are never divided into words.
  const lines = diffTokens(linesOf(before), linesOf(after));
  const changes: WordChange[] = [];
  for (let i = 0; i < lines.length; i++) {
    const [line, next] = [lines[i] as WordChange, lines[i + 1]];
    if (line.op === 'removed' && next?.op === 'added') {
      changes.push(...diffTokens(wordsOf(line.text), wordsOf(next.text)));
      i++;
    } else changes.push(line);
  }
  return joined(changes);
}

/** The same over texts that were divided already; neighbouring changes are one, removed before added. */
export function diffTokens(before: readonly string[], after: readonly string[]): WordChange[] {
  // Texts can be made so that comparing them takes for ever; beyond this one stands whole beside the other.
  const found = diffArrays([...before], [...after], { maxEditLength });
  if (found === undefined)
    return joined([
      { op: 'removed', text: before.join('') },
      { op: 'added', text: after.join('') },
    ]);
  return joined(
    found.map(({ value, added, removed }) => ({
      op: added ? 'added' : removed ? 'removed' : 'same',
      text: value.join(''),
    })),
  );
}

/** A blank between two changed words belongs to the change: five changed words in a row read as one change. */
const bridge = /^[^\S\n\r]+$/;

function joined(changes: readonly WordChange[]): WordChange[] {
  const out: WordChange[] = [];
  let [removed, added] = ['', ''];
  const flush = (): void => {
    if (removed !== '') out.push({ op: 'removed', text: removed });
    if (added !== '') out.push({ op: 'added', text: added });
    [removed, added] = ['', ''];
  };
  for (const [i, { op, text }] of changes.entries()) {
    if (op === 'removed') removed += text;
    else if (op === 'added') added += text;
    else {
      const isBridge = removed !== '' && added !== '' && bridge.test(text);
      const [next, second] = [changes[i + 1], changes[i + 2]];
      if (isBridge && next?.op === 'removed' && second?.op === 'added') {
        removed += text;
        added += text;
        continue;
      }
      flush();
      const last = out.at(-1);
      if (last?.op === 'same') out[out.length - 1] = { op, text: last.text + text };
      else if (text !== '') out.push({ op, text });
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
