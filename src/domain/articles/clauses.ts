/**
 * A text read as words, and which of them are finite verbs, as far as their forms and neighbours tell: what
 * `compound.ts` judges by (spec §2.12.1). English only; in other languages it finds next to nothing.
 */
import {
  auxiliaries,
  beginsObject,
  determiners,
  otherBases,
  otherInS,
  participles,
  pasts,
  plainVerbs,
  plurals,
  prepositions,
  presents,
} from './clause-words.ts';

/** How surely a word is a finite verb where it stands. */
export const no = 0;
export const likely = 1;
export const sure = 2;
export type Finite = typeof no | typeof likely | typeof sure;

export interface Word {
  readonly text: string;
  readonly lower: string;
  readonly start: number;
  readonly end: number;
  /** What stands between it and the word before, without spaces. */
  readonly mark: string;
}

/** What is quoted, set in parentheses or code, or said aside between commas, is a single word here. */
const asides = /"[^"]*"|“[^”]*”|‘[^’]*’|`[^`]*`|\([^)]*\)|\[[^\]]*\]/g;
const relativeAsides = /, (?:which|who|whose|where|when)\b[^,;]*,/g;

export function wordsOf(text: string): Word[] {
  const plain = text
    .replace(asides, (aside) => 'x'.repeat(aside.length))
    .replace(relativeAsides, (aside) => `${' '.repeat(aside.length - 1)},`);
  const words: Word[] = [];
  let end = 0;
  for (const { 0: word, index } of plain.matchAll(
    /[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}'’_/.-]*[\p{L}\p{M}\p{N}])?/gu,
  )) {
    const lower = word.toLowerCase().replaceAll('’', "'");
    words.push({
      text: word,
      lower,
      start: index,
      end: index + word.length,
      mark: plain.slice(end, index).replaceAll(/\s/g, ''),
    });
    end = index + word.length;
  }
  return words;
}

export function finite(words: readonly Word[], at: number): Finite {
  const { lower, text, mark } = words[at] as Word;
  const before = words[at - 1]?.lower;
  if (before === undefined) return no;
  if (auxiliaries.has(lower)) return text === lower ? sure : no;
  if (mark === '' && (prepositions.has(before) || determiners.has(before) || auxiliaries.has(before)))
    return no;
  if (presents.has(lower) || pasts.has(lower)) return sure;
  const next = words[at + 1];
  const takes = next !== undefined && next.mark === '' && beginsObject.has(next.lower);
  if (isInS(lower)) return takes ? sure : next?.mark === '' && isPlace(next.lower) ? likely : no;
  if (isBase(lower)) return mark === '' && (plurals.has(before) || isInS(before)) ? sure : no;
  if (!isParticiple(lower)) return no;
  if (takes) return sure;
  return next !== undefined && next.lower !== 'by' && prepositions.has(next.lower) ? likely : no;
}

/** The form that goes with plural subjects, and with `to` and `can`. */
export function isBase(lower: string): boolean {
  return plainVerbs.has(lower) && !otherBases.has(lower);
}

export function isPlace(lower: string): boolean {
  return prepositions.has(lower) && lower !== 'of';
}

export function isInS(lower: string): boolean {
  return /[a-z]{2}s$/.test(lower) && !/(?:ss|us|is|ics)$/.test(lower) && !otherInS.has(lower);
}

export function isParticiple(lower: string): boolean {
  return (/[a-z]{2}ed$/.test(lower) && !lower.endsWith('eed')) || participles.has(lower);
}

/** The first finite verb up to a word: a sure one, or else a likely one. */
export function mainVerb(words: readonly Word[], last: number): number | undefined {
  let second: number | undefined;
  for (let i = 1; i <= last; i++) {
    const strength = finite(words, i);
    if (strength === sure) return i;
    if (strength === likely) second ??= i;
  }
  return second;
}

/** `Verify the hash`: the plain form of a verb that is hardly ever a noun, before its object, begins an instruction. */
export function beginsInstruction(text: string): boolean {
  const [first, second] = wordsOf(text.slice(0, 200));
  return (
    first !== undefined &&
    isBase(first.lower) &&
    first.text !== first.text.toUpperCase() &&
    second?.mark === '' &&
    beginsObject.has(second.lower)
  );
}
