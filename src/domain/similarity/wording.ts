/**
 * A text prepared for comparison: its plain wording, and its words as tokens with contractions, spellings, units
 * and numbers brought to one form, so that `doesn't` and `does not`, `three` and `3` are equal from here on.
 */
import { readNumbers, type Piece } from './numbers.ts';
import { respell } from './spelling.ts';
import { tokenOf, type Token } from './token.ts';
import { unitOf } from './units.ts';
import { commonElsewhere, commonEnglish } from './words/harmless.ts';
import { contractions } from './words/spelling.ts';

export interface Wording {
  readonly tokens: readonly Token[];
  /** How many of its words are common English ones, less those of other languages. */
  readonly english: number;
  /** How many letters and signs it has, spaces aside. */
  readonly length: number;
}

/** Of the plain tokens of a text. */
export function wordingOf(plain: readonly string[]): Wording {
  const english = balance(plain);
  const pieces = english < 0 ? plain.map((word) => ({ text: word, word })) : plain.flatMap(englishPieces);
  const read = readNumbers(pieces);
  const length = plain.reduce((sum, word) => sum + word.length, 0);
  return { tokens: read.map((piece, i) => tokenOf(piece, read[i - 1]?.word ?? '')), english, length };
}

/**
 * Whether the rules for English inflections and function words may speak for two texts: one must show that it is
 * English and neither that it is something else. `Juan teme a Ana` and `A Juan teme Ana` are opposites.
 */
export function areEnglish(a: Wording, b: Wording): boolean {
  return a.english >= 0 && b.english >= 0 && a.english + b.english > 0;
}

function balance(words: readonly string[]): number {
  let sum = 0;
  for (const word of words) {
    if (commonEnglish.has(word)) sum++;
    if (commonElsewhere.has(word)) sum--;
  }
  return sum;
}

const thousands = /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;

function englishPieces(text: string, i: number, all: readonly string[]): Piece[] {
  const expanded = contractions.get(text);
  if (expanded !== undefined) return expanded.map((word) => ({ text: word, word }));
  if (text === 'cent' && all[i - 1] === 'per') return [];
  if (text === 'per' && all[i + 1] === 'cent') return [{ text: 'per cent', word: '%' }];
  if (thousands.test(text)) return [{ text, word: text.replaceAll(',', '') }];
  // `400mg` is an amount, `p53` and `2nd` are names.
  const [, amount, unit] = /^(\d+(?:[.,]\d+)?)(\p{L}+)$/u.exec(text) ?? [];
  if (amount !== undefined && unit !== undefined && unitOf(unit) !== undefined) {
    return [
      { text: amount, word: amount },
      { text: unit, word: unit },
    ];
  }
  return [{ text, word: respell(text) }];
}
