/**
 * The words of a plain wording as tokens. Contractions, spellings, units and numbers get one form, so that `doesn't`
 * and `does not`, or `three` and `3`, are equal in what follows.
 */
import { stem } from './inflection.ts';
import { fold } from './normalise.ts';
import {
  commonElsewhere,
  commonEnglish,
  contractions,
  numberWords,
  ordinalWords,
  respell,
  scaleWords,
  unitNames,
} from './words.ts';

export interface Token {
  /** As it stands in the plain wording. */
  readonly text: string;
  /** The same for all spellings. */
  readonly word: string;
  /** The same for all inflections; tokens are aligned by it. */
  readonly stem: string;
  readonly kind: 'word' | 'number' | 'unit' | 'sign' | 'character';
}

export interface Wording {
  readonly tokens: readonly Token[];
  /** Common English words, less common words of other languages. */
  readonly english: number;
}

interface Piece {
  readonly text: string;
  readonly word: string;
}

export function wordingOf(plain: string): Wording {
  const words = plain.split(' ');
  const english = words.reduce(
    (sum, word) => sum + (commonEnglish.has(word) ? 1 : 0) - (commonElsewhere.has(word) ? 1 : 0),
    0,
  );
  const pieces = english < 0 ? words.map(unchanged) : words.flatMap(englishPieces);
  const read = readNumbers(pieces);
  return { tokens: read.map((piece, i) => tokenOf(piece, read[i - 1]?.word ?? '')), english };
}

/**
 * Whether rules for English words apply to two texts: at least one is known to be English, and neither to be something
 * else. `Juan teme a Ana` and `A Juan teme Ana` are opposites.
 */
export function areEnglish(a: Wording, b: Wording): boolean {
  return a.english >= 0 && b.english >= 0 && a.english + b.english > 0;
}

const thousands = /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;

function unchanged(text: string): Piece {
  return { text, word: text };
}

function englishPieces(text: string): Piece[] {
  const expanded = contractions.get(text);
  if (expanded !== undefined) return expanded.map(unchanged);
  return [{ text, word: thousands.test(text) ? text.replaceAll(',', '') : respell(text) }];
}

const digits = /^\d+(?:\.\d+)?$/;

/** Reads number words as digits: `twenty one` is 21, `1.5 million` is 1500000, `second` is 2nd. */
function readNumbers(pieces: readonly Piece[]): Piece[] {
  const read: Piece[] = [];
  for (let i = 0; i < pieces.length; i++) {
    const piece = pieces[i] as Piece;
    if (numberWords.has(piece.word) || digits.test(piece.word)) i = readNumber(pieces, i, read);
    else read.push({ text: piece.text, word: ordinalWords.get(piece.word) ?? piece.word });
  }
  return read;
}

/** Reads from `start` as far as the words make one number. Returns the index of its last word. */
function readNumber(pieces: readonly Piece[], start: number, read: Piece[]): number {
  const first = pieces[start] as Piece;
  const value = numberWords.get(first.word);
  let sum = value ?? Number(first.word);
  let at = start;
  for (let next = pieces[at + 1]; next !== undefined; next = pieces[at + 1]) {
    const scale = scaleWords.get(next.word);
    const unit = numberWords.get(next.word) ?? 0;
    if (scale !== undefined) sum *= scale;
    else if (value !== undefined && unit > 0 && unit < 10 && sum >= 20 && sum < 100 && sum % 10 === 0)
      sum += unit;
    else break;
    at++;
  }
  const text = pieces.slice(start, at + 1).map((piece) => piece.text);
  read.push({
    text: text.join(' '),
    word: at === start && value === undefined ? first.word : String(sum),
  });
  return at;
}

const unspaced =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const startsWithDigit = /^[-.]?\p{Nd}/u;
const isNumber = /^[-.]?[\p{Nd}.,]+(?:st|nd|rd|th)?$/u;

function tokenOf(piece: Piece, previous: string): Token {
  const { text, word } = piece;
  const afterNumber = startsWithDigit.test(previous) || previous === '°';
  if (/^[a-z]+$/.test(word) && !afterNumber) return { text, word, stem: stem(word), kind: 'word' };
  if (startsWithDigit.test(word))
    return { text, word, stem: word, kind: isNumber.test(word) ? 'number' : 'word' };
  const isSign = !/[\p{L}\p{N}]/u.test(word);
  const unit = isSign || afterNumber ? unitOf(word) : undefined;
  if (unit !== undefined) return { text, word: unit, stem: unit, kind: 'unit' };
  if (isSign) return { text, word, stem: word, kind: 'sign' };
  if (unspaced.test(word)) return { text, word, stem: word, kind: 'character' };
  return { text, word, stem: stem(word), kind: 'word' };
}

const units = new Map<string, string>([
  ['feet', 'ft'],
  ['inches', 'in'],
  ...unitNames.flatMap((names) => names.map((name) => [name, names[0] as string] as const)),
]);

/** The first name of a unit, singular or plural. */
function unitOf(word: string): string | undefined {
  return (
    units.get(word) ?? (word.length > 3 && word.endsWith('s') ? units.get(word.slice(0, -1)) : undefined)
  );
}

const casedUnit =
  /(?<=\d ?)(?:[kKmMgGtTµnp]?(?:b|B|w|W|g|G|m|M|hz|Hz|HZ|v|V|a|A|pa|Pa)|[kKmMgG]?bps|[kKmMgG]?Bps)(?:\/?s)?(?![\p{L}\p{N}])/gu;

/** The units of a text as written, since `Mb` and `MB` differ. Empty for a text in one case, whose case says nothing. */
export function casedUnits(text: string): string {
  const folded = fold(text);
  if (folded === folded.toLowerCase() || folded === folded.toUpperCase()) return '';
  return [...folded.matchAll(casedUnit)].join(' ');
}
