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
  subordinators,
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
const asides = /"[^"]*"|“[^“”]*”|‘[^‘’]*’|`[^`]*`|\([^()]*\)|\[[^[\]]*\]/g;
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

/** Hardly ever anything but the beginning of an instruction. */
const instructs =
  /^(?:please|let|let's|don't|never|always|ensure|avoid|consider|remember|consult|verify|configure|remove|revoke|prefer|choose|do not|make sure)$/;
/** Verbs that may as well be nouns or adjectives: `Read replicas lag`, `Test coverage fell`. */
const mayInstruct =
  /^(?:use|take|try|do|note|see|read|stop|start|add|install|run|check|ask|keep|follow|rotate|replace|test|write|set)$/;
/** What only a noun phrase begins with, and so stands behind a verb. */
const beginsPhrase = /^(?:the|an?|your|each|every|this|these|those|its|their|all|any)$/;
/** What may stand before a noun phrase without being a verb. */
const noVerb =
  /(?:ing|ed|ly|[^s]s)$|^(?:both|half|such|what|which|who|only|even|just|not|or|and|but|yet|also|thus|hence|here|there|then|now|given|unlike|worth|plus|minus|versus|per|notwithstanding|in|quite|many|once)$/;

/** `Boil the water`: a verb before its object, with nobody who does it, begins an instruction. */
export function beginsInstruction(text: string): boolean {
  const words = wordsOf(text.slice(0, 400));
  const [first, second] = words;
  if (first === undefined || first.text === first.text.toUpperCase()) return false;
  const { lower } = first;
  const pair = second?.mark === '' ? `${lower} ${second.lower}` : lower;
  if (instructs.test(pair) || (instructs.test(lower) && !isNamed(words))) return true;
  if (second === undefined) return false;
  if (second.mark !== '' || second.text !== second.lower) return mayInstruct.test(lower) && !isNamed(words);
  if (isBase(lower) && beginsObject.has(second.lower)) return true;
  const behind = words[2];
  // `Ivan the Terrible`
  const isEpithet = behind !== undefined && /^\p{Lu}/u.test(behind.text);
  if (beginsPhrase.test(second.lower) && !isEpithet) return !noVerb.test(lower) && !closedClass(lower);
  return mayInstruct.test(lower) && !isNamed(words);
}

/** Whether the first word is part of a subject: a verb follows that can only be the claim's own. */
function isNamed(words: readonly Word[]): boolean {
  const [, second] = words;
  if (second === undefined || second.mark !== '') return false;
  if (second.lower === 'of' || auxiliaries.has(second.lower)) return true;
  if (beginsObject.has(second.lower) || prepositions.has(second.lower) || subordinators.has(second.lower))
    return false;
  for (let i = 2; i < words.length; i++) {
    const { lower, mark } = words[i] as Word;
    if (mark !== '' || subordinators.has(lower)) return false;
    if (finite(words, i) === sure) return true;
    // `Check valves stop water`: a bare word behind a plural is its verb.
    if (isInS((words[i - 1] as Word).lower) || otherPlural.test((words[i - 1] as Word).lower))
      return !closedClass(lower) && !beginsObject.has(lower) && !notVerb.test(lower);
  }
  return false;
}

const otherPlural = /^(?:data|people|children)$/;
const notVerb =
  /^(?:and|or|only|together|everywhere|indoors|outdoors|again|first|twice|once|daily|now|then|\w+ly|not|all)$/;

function closedClass(lower: string): boolean {
  return (
    prepositions.has(lower) || subordinators.has(lower) || determiners.has(lower) || auxiliaries.has(lower)
  );
}
