/**
 * A text prepared for comparison: its plain wording, and its words as tokens with contractions, spellings, units
 * and numbers brought to one form, so that `doesn't` and `does not`, `three` and `3` are equal from here on.
 */
import { stem } from './inflection.ts';
import { fold, plainTokens } from './normalise.ts';
import { commonElsewhere, commonEnglish, units } from './words/harmless.ts';
import { contractions, digitCharacters, numberWords, ordinalWords, respellings, scaleWords } from './words/spelling.ts';

export interface Token {
  /** One form for all spellings. */
  readonly word: string;
  /** What tokens are aligned by: the same for all inflections of a word. */
  readonly stem: string;
  readonly kind: 'word' | 'number' | 'sign' | 'character';
}

export interface Wording {
  readonly plain: string;
  readonly tokens: readonly Token[];
  /** Whether the rules for English inflections and function words may speak. */
  readonly english: boolean;
}

export function wordingOf(text: string): Wording {
  const plain = plainTokens(text);
  const english = isEnglish(plain);
  const words = english ? readNumbers(plain.flatMap((word) => contractions.get(word) ?? [respell(word)])) : plain;
  return { plain: plain.join(' '), tokens: joinDigits(words).map((word, i, all) => tokenOf(word, all[i - 1], english)), english };
}

/** Units whose letters mean something else in the other case (`Mb`, `MB`), as they stand after numbers. */
export function casedUnits(text: string): string {
  const folded = fold(text);
  if (folded === folded.toLowerCase() || folded === folded.toUpperCase()) return '';
  return [...folded.matchAll(/(?<=\d ?)(?:[kKmMgGtTµnp]?(?:b|B|w|W|g|m|M|Hz|hz|HZ|v|V|a|A|pa|Pa|PA)|bps|Bps)(?:\/?s)?(?![\p{L}\p{N}])/gu)].join(' ');
}

function isEnglish(words: readonly string[]): boolean {
  let here = 0;
  let elsewhere = 0;
  for (const word of words) {
    if (commonEnglish.has(word)) here++;
    if (commonElsewhere.has(word)) elsewhere++;
  }
  return here >= elsewhere;
}

function tokenOf(word: string, previous: string | undefined, english: boolean): Token {
  if (/^[-.]?\p{Nd}/u.test(word)) return { word, stem: word, kind: /^[-.]?[\p{Nd}.,]+(?:st|nd|rd|th)?$/u.test(word) ? 'number' : 'word' };
  if (!/[\p{L}\p{N}]/u.test(word)) return { word: unitOf(word) ?? word, stem: unitOf(word) ?? word, kind: 'sign' };
  if (/^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u.test(word)) {
    return { word, stem: word, kind: 'character' };
  }
  const unit = previous !== undefined && (/^[-.]?\p{Nd}/u.test(previous) || previous === '°') ? unitOf(word) : undefined;
  if (unit !== undefined) return { word: unit, stem: unit, kind: 'word' };
  return { word, stem: english ? stem(word) : word, kind: 'word' };
}

const unitNames = new Map(units.flatMap((names) => [...names].map((name) => [name, [...names][0] as string] as const)));

/** The one name of a unit, plurals included. */
export function unitOf(word: string): string | undefined {
  return unitNames.get(word) ?? (word.length > 3 && word.endsWith('s') ? unitNames.get(word.slice(0, -1)) : undefined) ?? (word === 'feet' ? 'ft' : word === 'inches' ? 'in' : undefined);
}

function respell(word: string): string {
  let spelt = word;
  for (const [pattern, to] of respellings) spelt = spelt.replace(pattern, to);
  return spelt;
}

/** `twenty one` becomes 21, `1.5 million` 1500000, `second` 2nd where it counts no time. */
function readNumbers(words: readonly string[]): string[] {
  const read: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i] as string;
    const ordinal = ordinalWords.get(word);
    const before = read.at(-1);
    if (ordinal !== undefined && !(word === 'second' && before !== undefined && /^\d/.test(before))) read.push(ordinal);
    else if (word === 'per' && words[i + 1] === 'cent') read.push('%'), i++;
    else if (!numberWords.has(word) && !/^\d+(?:\.\d+)?$/.test(word)) glued(word, read);
    else i = readNumber(words, i, read);
  }
  return read;
}

/** `400mg` is an amount, `p53` and `2nd` are names. */
function glued(word: string, read: string[]): void {
  const [, amount, unit] = /^(\d+(?:[.,]\d+)?)([a-zµμ]+)$/.exec(word) ?? [];
  if (amount !== undefined && unit !== undefined && unitOf(unit) !== undefined) read.push(amount, unit);
  else read.push(word);
}

function readNumber(words: readonly string[], start: number, read: string[]): number {
  const first = words[start] as string;
  let value = numberWords.get(first) ?? Number(first);
  let at = start;
  let written = !numberWords.has(first);
  for (let next = words[at + 1]; next !== undefined; next = words[at + 1]) {
    const scale = scaleWords.get(next);
    const unit = numberWords.get(next);
    if (scale !== undefined) value *= scale;
    else if (!written && unit !== undefined && unit > 0 && unit < 10 && value >= 20 && value % 10 === 0) value += unit;
    else break;
    written ||= scale !== undefined && scale > 100;
    at++;
  }
  read.push(at === start && !numberWords.has(first) ? first : String(value));
  return at;
}

function joinDigits(words: readonly string[]): string[] {
  const joined: string[] = [];
  let open = false;
  for (const word of words) {
    const digit = word === '零' ? 0 : digitCharacters.indexOf(word);
    const isDigit = digit >= 0 && [...word].length === 1;
    if (isDigit && open) joined[joined.length - 1] += word;
    else joined.push(word);
    open = isDigit;
  }
  return joined.map((word) =>
    word.length > 1 && [...word].every((char) => digitCharacters.includes(char)) ? [...word].map((char) => digitCharacters.indexOf(char)).join('') : word,
  );
}
