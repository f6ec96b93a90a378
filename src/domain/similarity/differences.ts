/**
 * What differs between two aligned wordings, one finding for each difference: what kind it is and how much it
 * weighs. `turns` makes a contrary, `doubt` and `content` forbid to call two texts the same, `harmless` does not
 * (contract §5 "Near-duplicates and contraries").
 */
import type { Gap } from './align.ts';
import { isInflection, isParticiple, isRelated } from './inflection.ts';
import { areOpposites, oppositeIn, pointAlike } from './opposite.ts';
import type { Token } from './wording.ts';
import {
  articles,
  articlesCountBefore,
  beings,
  fillers,
  havings,
  ofFree,
  past,
  synonyms,
} from './words/harmless.ts';
import {
  directions,
  exclusions,
  modals,
  negationCharacters,
  negations,
  quantifiers,
  turningSigns,
} from './words/polarity.ts';
import { numeralCharacters } from './words/spelling.ts';

export interface Difference {
  readonly label: string;
  readonly weight: 'turns' | 'doubt' | 'content' | 'harmless';
  readonly kind: string;
}

/** The words left in a gap, taken out as they are explained. */
interface Rest {
  readonly left: Token[];
  readonly right: Token[];
}

/** Where more words are exchanged at one place, the two speak of other things and opposites among them are chance. */
const exchangedMax = 8;

export function differencesIn(gap: Gap, english: boolean): Difference[] {
  const found: Difference[] = [];
  const rest: Rest = { left: [...gap.left], right: [...gap.right] };
  const say = (weight: Difference['weight'], kind: string, detail: string): void => {
    found.push({ label: `${kind}: ${detail}`, weight, kind });
  };
  characters(rest, say);
  numbers(rest, say);
  const isShort = Math.min(rest.left.length, rest.right.length) <= exchangedMax;
  if (isShort)
    pairs(
      rest,
      (a, b) => either(areOpposites, a, b),
      (a, b) => say('turns', 'antonym', `${a}/${b}`),
    );
  negated(rest, say);
  if (english) pairs(rest, areSynonyms, (a, b) => say('harmless', 'function word', `${a}/${b}`));
  turned(rest, gap, say);
  if (english) functionWords(rest, gap, say);
  if (isShort)
    pairs(
      rest,
      (a, b) => either(isRelated, a, b) || either(pointAlike, a, b),
      (a, b) => say('doubt', 'word', `${a}/${b}`),
    );
  contents(rest, say);
  return found;
}

/** Two forms of one stem that stand at the same place. */
export function formDifference(left: Token, right: Token, english: boolean): Difference | undefined {
  if (left.text === right.text) return undefined;
  const label = `${left.text}/${right.text}`;
  if (left.word === right.word)
    return { label: `spelling: ${label}`, weight: english ? 'harmless' : 'doubt', kind: 'spelling' };
  if (english && isInflection(left.word, right.word))
    return { label: `inflection: ${label}`, weight: 'harmless', kind: 'inflection' };
  return {
    label: `word: ${label}`,
    weight: isRelated(left.word, right.word) ? 'doubt' : 'content',
    kind: 'word',
  };
}

type Say = (weight: Difference['weight'], kind: string, detail: string) => void;

/** Scripts without spaces: the differing runs are searched for negations, numerals and opposites. */
function characters(rest: Rest, say: Say): void {
  const [left, right] = [takeCharacters(rest.left), takeCharacters(rest.right)];
  if (left === '' && right === '') return;
  const numerals = (run: string): string =>
    [...run].filter((char) => numeralCharacters.includes(char)).join('');
  const opposite = oppositeIn(left, right);
  const [a, b] = [left.match(negationCharacters) ?? [], right.match(negationCharacters) ?? []];
  if (a.length !== b.length) say('turns', 'negation', [...a, ...b].join(' '));
  else if (opposite !== undefined) say('turns', 'antonym', opposite);
  else if (numerals(left) !== '' && numerals(right) !== '' && numerals(left) !== numerals(right))
    say('turns', 'number', `${numerals(left)}/${numerals(right)}`);
  else if (`${left}${right}` === '的') say('harmless', 'function word', '的');
  else if (left === '' || right === '') say('content', 'extra word', `${left}${right}`);
  else say('content', 'word', `${left}/${right}`);
}

function takeCharacters(tokens: Token[]): string {
  const run = tokens
    .filter((token) => token.kind === 'character')
    .map((token) => token.word)
    .join('');
  tokens.splice(0, tokens.length, ...tokens.filter((token) => token.kind !== 'character'));
  return run;
}

function numbers(rest: Rest, say: Say): void {
  pairs(
    rest,
    (a, b) => a.kind === 'number' && b.kind === 'number',
    (a, b) => say('turns', 'number', `${a}/${b}`),
  );
  pairs(
    rest,
    (a, b) => a.kind === 'unit' && b.kind === 'unit',
    (a, b) => say('turns', 'number', `${a}/${b}`),
  );
  for (const token of take(rest, (each) => each.kind === 'number')) say('doubt', 'number', token);
  for (const token of take(rest, (each) => turningSigns.has(each.word))) say('turns', 'sign', token);
  for (const token of take(rest, (each) => each.kind === 'sign')) say('doubt', 'sign', token);
}

function negated(rest: Rest, say: Say): void {
  const isNegation = (token: Token): boolean => negations.has(token.word);
  const [a, b] = [takeFrom(rest.left, isNegation), takeFrom(rest.right, isNegation)];
  if (a.length !== b.length) say('turns', 'negation', [...a, ...b].join(' '));
  else if (a.length > 0) say('doubt', 'negation', `${a.join(' ')}/${b.join(' ')}`);
}

/** Exclusions, quantifiers, directions and modals. */
function turned(rest: Rest, gap: Gap, say: Say): void {
  for (const token of take(rest, (each) => exclusions.has(each.word))) say('turns', 'exclusion', token);
  const few = [...gap.left, ...gap.right, gap.after].find(
    (token) => token !== undefined && articlesCountBefore.has(token.word),
  );
  if (few !== undefined)
    for (const token of take(rest, (each) => articles.has(each.word)))
      say('turns', 'quantifier', `${token} ${few.word}`);
  grouped(rest, quantifiers, 'quantifier', say);
  for (const token of take(rest, (each) => quantifiers.has(each.word))) say('turns', 'quantifier', token);
  grouped(rest, directions, 'direction', say);
  for (const token of take(rest, (each) => each.word === 'by')) say('turns', 'voice', token);
  for (const token of take(rest, (each) => modals.has(each.word))) say('doubt', 'modality', token);
}

/** Within a group the two may still mean the same; between groups they don't. */
function grouped(rest: Rest, groups: ReadonlyMap<string, number>, kind: string, say: Say): void {
  pairs(
    rest,
    (a, b) => groups.has(a.word) && groups.get(a.word) === groups.get(b.word),
    (a, b) => say('doubt', kind, `${a}/${b}`),
  );
  pairs(
    rest,
    (a, b) => groups.has(a.word) && groups.has(b.word),
    (a, b) => say('turns', kind, `${a}/${b}`),
  );
}

function functionWords(rest: Rest, gap: Gap, say: Say): void {
  verbs(rest, gap, say);
  const isFree = gap.before !== undefined && (gap.before.word.endsWith('ing') || ofFree.has(gap.before.word));
  for (const token of take(
    rest,
    (each) => articles.has(each.word) || fillers.has(each.word) || (isFree && each.word === 'of'),
  )) {
    say('harmless', 'function word', token);
  }
}

function areSynonyms(a: Token, b: Token): boolean {
  return synonyms.has(a.word) && synonyms.get(a.word) === synonyms.get(b.word);
}

/** Forms of `be` make a passive, forms of `have` a perfect: harmless only while there are as many on both sides. */
function verbs(rest: Rest, gap: Gap, say: Say): void {
  const participle = gap.after !== undefined && isParticiple(gap.after.word);
  const isBeing = (token: Token): boolean => beings.has(token.word);
  const isHaving = (token: Token): boolean => havings.has(token.word);
  const [a, b] = [takeFrom(rest.left, isBeing), takeFrom(rest.right, isBeing)];
  const [c, d] = [takeFrom(rest.left, isHaving), takeFrom(rest.right, isHaving)];
  const label = `${[...c, ...a].join(' ')}/${[...d, ...b].join(' ')}`;
  const passive = a.length > 0 !== b.length > 0;
  const changed =
    a.length !== b.length || c.length !== d.length || tenseOf([...a, ...c]) !== tenseOf([...b, ...d]);
  if (label === '/') return;
  if (passive && participle) say('turns', 'direction', label);
  else if (passive || a.length !== b.length || (changed && !participle)) say('doubt', 'verb', label);
  else say('harmless', 'function word', label);
}

function tenseOf(words: readonly string[]): string {
  return words.some((word) => past.has(word)) ? 'past' : '';
}

function contents(rest: Rest, say: Say): void {
  const many = Math.max(rest.left.length, rest.right.length);
  for (let i = 0; i < many; i++) {
    const [a, b] = [rest.left[i]?.text, rest.right[i]?.text];
    if (a === undefined || b === undefined) say('content', 'extra word', a ?? b ?? '');
    else say('content', 'word', `${a}/${b}`);
  }
}

/** Takes every pair for which `fits` holds out of the rest, first come first served. */
function pairs(rest: Rest, fits: (a: Token, b: Token) => boolean, say: (a: string, b: string) => void): void {
  for (let i = 0; i < rest.left.length; i++) {
    const a = rest.left[i] as Token;
    const j = rest.right.findIndex((b) => fits(a, b));
    if (j < 0) continue;
    say(a.text, (rest.right[j] as Token).text);
    rest.left.splice(i--, 1);
    rest.right.splice(j, 1);
  }
}

/** By the words as written, or by their one spelling. */
function either(test: (a: string, b: string) => boolean, a: Token, b: Token): boolean {
  return test(a.text, b.text) || ((a.text !== a.word || b.text !== b.word) && test(a.word, b.word));
}

function take(rest: Rest, which: (token: Token) => boolean): string[] {
  return [...takeFrom(rest.left, which), ...takeFrom(rest.right, which)];
}

function takeFrom(tokens: Token[], which: (token: Token) => boolean): string[] {
  const taken = tokens.filter(which).map((token) => token.word);
  if (taken.length > 0) tokens.splice(0, tokens.length, ...tokens.filter((token) => !which(token)));
  return taken;
}
