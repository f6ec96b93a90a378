/**
 * Whether a claim joins two assertions (spec §2.12.1, contract §5 "Claim"): two predicates of one subject, or two
 * clauses that could each be shown wrong alone. The forms of words decide, not their meaning. Refusing a sound claim is
 * worse than accepting a compound one: only what English grammar allows no other reading for is `sure`, and whatever
 * could be a subordinate clause, a quotation or a list is accepted.
 */
import {
  auxiliaries,
  beginsObject,
  determiners,
  type Finite,
  finite,
  isInS,
  isParticiple,
  isPlace,
  likely,
  mainVerb,
  no,
  pasts,
  prepositions,
  presents,
  pronouns,
  reporting,
  subordinators,
  sure,
  type Word,
  wordsOf,
} from './clauses.ts';

/** UTF-16 code units. Longer claims are refused for their length and not analysed. */
const analysedCharsMax = 2000;

export interface Joined {
  /** False if the claim only seems to join two assertions. */
  readonly sure: boolean;
  /** From the joining word to the end of the claim. */
  readonly start: number;
  readonly end: number;
  /** The two assertions, where both could be put into words. */
  readonly split: readonly [string, string] | undefined;
}

export function joinedAssertions(text: string): Joined | undefined {
  if (text.length > analysedCharsMax) return undefined;
  const words = wordsOf(text);
  let suspected: Joined | undefined;
  for (let at = 1; at < words.length; at++) {
    const joint = jointAt(words, at);
    if (joint === undefined) continue;
    const found = joined(text, words, joint);
    if (found?.sure === true) return found;
    suspected ??= found;
  }
  return suspected;
}

interface Joint {
  readonly kind: 'and' | 'while' | 'semicolon' | 'comma' | 'which also';
  /** The first word of what is joined. */
  readonly right: number;
  /** The last word before. */
  readonly left: number;
  readonly start: number;
  readonly comma: boolean;
}

function jointAt(words: readonly Word[], at: number): Joint | undefined {
  const { lower, mark, start } = words[at] as Word;
  const comma = mark.includes(',');
  const joint = { left: at - 1, right: at + 1, start, comma };
  if (mark.includes(';')) return { ...joint, kind: 'semicolon', right: at };
  if (lower === 'and' || lower === 'but') return { ...joint, kind: 'and' };
  if (lower === 'while' || lower === 'whereas')
    return { ...joint, kind: 'while', comma: comma || lower === 'whereas' };
  if (comma && (lower === 'which' || lower === 'who') && words[at + 1]?.lower === 'also')
    return { ...joint, kind: 'which also' };
  if (mark === ',' && (determiners.has(lower) || pronouns.has(lower)))
    return { ...joint, kind: 'comma', right: at };
  return undefined;
}

function joined(text: string, words: readonly Word[], joint: Joint): Joined | undefined {
  const { right } = joint;
  if (right >= words.length) return undefined;
  const verb = mainVerb(words, joint.left);
  const left = verb === undefined ? no : finite(words, verb);
  const end = (words.at(-1) as Word).end;
  const found = (strength: Finite, split?: readonly [string, string]): Joined | undefined =>
    strength === no ? undefined : { sure: strength === sure, start: joint.start, end, split };
  const first = sentence(text.slice(0, (words[joint.left] as Word).end));
  const subject = verb === undefined ? undefined : text.slice(0, (words[verb] as Word).start).trim();
  const rest = text.slice((words[joint.right] as Word).start, end);

  if (joint.kind === 'which also') return found(sure);
  if (joint.kind === 'and' && !hasSubordinator(words, joint.left)) {
    const predicate = predicateAt(words, right, joint.left, verb);
    if (predicate !== no)
      return found(predicate, subject === undefined ? undefined : [first, sentence(`${subject} ${rest}`)]);
  }
  const clause = clauseAt(words, right);
  const split = [first, sentence(rest)] as const;
  if (joint.kind === 'semicolon' && isNoList(words, joint)) return found(sure, split);
  const bare = clause === sure && left === no && isBareClause(words, joint.left, right);
  if (joint.kind === 'and' && (bare || (clause === sure && followsClause(words, joint))))
    return found(sure, split);
  if ((joint.kind === 'and' || joint.kind === 'while') && repeatsVerb(words, joint.left, right))
    return found(sure, split);
  if (clause === no || left === no || hasSubordinator(words, joint.left)) return undefined;
  if (words.slice(0, joint.left + 1).some(({ lower }) => reporting.has(lower)) && joint.kind !== 'semicolon')
    return undefined;
  const strength = joinsModifiers(words, joint) ? likely : left < clause ? left : clause;
  // Without a comma `while` may as well say when.
  if (joint.kind === 'while' && !joint.comma) return undefined;
  // A list may go on behind a comma, and an afterthought may be set between two.
  if (joint.kind === 'comma') return strength === sure ? found(likely, split) : undefined;
  return found(strength, split);
}

/** A predicate without a subject of its own can only be a second one of the subject before. */
function predicateAt(words: readonly Word[], at: number, left: number, verb: number | undefined): Finite {
  const { lower, text } = words[at] as Word;
  if (left < 1 || finite(words, left) === sure) return no;
  const leftVerb = verb === undefined ? undefined : (words[verb] as Word).lower;
  const next = words[at + 1]?.lower ?? '';
  if (auxiliaries.has(lower) && text === lower) return verb === undefined ? likely : sure;
  if (presents.has(lower) || pasts.has(lower)) return sure;
  if (leftVerb === undefined) return no;
  if (isInS(lower)) {
    if (beginsObject.has(next)) return leftVerb.endsWith('s') || isParticiple(leftVerb) ? sure : no;
    // `closes at … and opens at …`
    const behind = words[(verb as number) + 1]?.lower ?? '';
    return leftVerb.endsWith('s') && isPlace(next) && next === behind ? likely : no;
  }
  if (isParticiple(lower) && !auxiliaries.has(leftVerb)) {
    if (beginsObject.has(next)) return finite(words, verb as number);
    return prepositions.has(next) && next !== 'by' && pasts.has(leftVerb) ? likely : no;
  }
  return no;
}

/**
 * `The lens focuses light and the prism splits it`: a verb before a bare noun shows only by its -s, yet two
 * subjects that `and` joins take no verb in -s, so that another verb must precede it.
 */
function isBareClause(words: readonly Word[], left: number, right: number): boolean {
  const before = words.slice(0, left + 1);
  if (before.some(({ lower }) => prepositions.has(lower) || isParticiple(lower))) return false;
  const object = before.slice(2, -1).some(({ lower, mark }) => isInS(lower) && mark === '');
  const behind = words.slice(right + 1).find((_, i) => finite(words, right + 1 + i) === sure);
  return (
    object && determiners.has((words[right] as Word).lower) && behind !== undefined && isInS(behind.lower)
  );
}

/**
 * `Limpets return to the scar and they graze the rock`: a pronoun after `and` joins no subject, so that the words before
 * it are a clause, whether or not its verb is known.
 */
function followsClause(words: readonly Word[], { left, right }: Joint): boolean {
  const before = words.slice(0, left + 1);
  return (
    left > 1 &&
    pronouns.has((words[right] as Word).lower) &&
    !before.some(({ lower }) => subordinators.has(lower) || reporting.has(lower))
  );
}

/** Words that a subject may have before its verb. */
const subjectWordsMax = 5;

/** A subject and its finite verb, from one word on. */
function clauseAt(words: readonly Word[], at: number): Finite {
  const { lower } = words[at] as Word;
  if (prepositions.has(lower) || subordinators.has(lower) || auxiliaries.has(lower)) return no;
  const isPronoun = pronouns.has(lower);
  const hasDeterminer = determiners.has(lower);
  const first = at + (hasDeterminer ? 2 : 1);
  for (let i = first; i < words.length && i <= first + subjectWordsMax; i++) {
    const word = words[i] as Word;
    if (word.mark !== '') return no;
    if (subordinators.has(word.lower) || determiners.has(word.lower)) return no;
    const strength = finite(words, i);
    if (strength === sure || (isPronoun && takesObject(words, i))) return sure;
    if (strength === likely && (isPronoun || hasDeterminer)) return likely;
    if (prepositions.has(word.lower) && word.lower !== 'of') return no;
  }
  return no;
}

/** `they graze the rock`: a word between a pronoun and an object is a verb, listed or not. */
function takesObject(words: readonly Word[], at: number): boolean {
  const next = words[at + 1];
  return next?.mark === '' && beginsObject.has(next.lower);
}

/** A semicolon stands between two clauses, or between the items of a list that holds commas or follows a colon. */
function isNoList(words: readonly Word[], { left, right }: Joint): boolean {
  const isWord = ({ lower }: Word): boolean => /^\p{L}{2,}$/u.test(lower);
  return (
    words.slice(0, left + 1).filter(isWord).length > 1 &&
    words.slice(right).filter(isWord).length > 1 &&
    !words.some(({ mark }) => /[,:]/.test(mark)) &&
    !/^(?:and|or)$/.test((words[right] as Word).lower)
  );
}

/** `of signed and unsigned integers`: after a preposition, two words before one noun may both describe it. */
function joinsModifiers(words: readonly Word[], { kind, left, right, comma }: Joint): boolean {
  if (kind !== 'and' || comma) return false;
  const pair = [words[left] as Word, words[right] as Word];
  return (
    prepositions.has(words[left - 1]?.lower ?? '') &&
    pair.every(({ text, lower, mark }) => text === lower && mark === '' && !determiners.has(lower)) &&
    !pronouns.has((words[right] as Word).lower)
  );
}

function hasSubordinator(words: readonly Word[], last: number): boolean {
  return words.slice(0, last + 1).some(({ lower }) => subordinators.has(lower));
}

/** The same verb on both sides: `A holds keys while B holds values`. */
function repeatsVerb(words: readonly Word[], left: number, right: number): boolean {
  const before = words.slice(0, left + 1);
  if (before.some(({ lower }) => prepositions.has(lower) || subordinators.has(lower))) return false;
  return words.some(({ lower, mark }, i) => {
    if (i <= right || i + 1 >= words.length || mark !== '' || !isInS(lower)) return false;
    const at = before.findIndex((word) => word.lower === lower);
    return at > 1 && at < left && !prepositions.has((words[i + 1] as Word).lower);
  });
}

function sentence(text: string): string {
  const trimmed = text.trim();
  return `${trimmed.charAt(0).toUpperCase()}${trimmed.slice(1)}.`;
}
