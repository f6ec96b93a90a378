/**
 * What differs between two aligned wordings, one finding for each difference: what kind it is and how much it
 * weighs. `turns` makes a contrary, `doubt` and `content` forbid to call two texts the same, `harmless` does not
 * (contract §5 "Near-duplicates and contraries"). Rules take words out in turn, the surest first.
 */
import type { Gap } from './align.ts';
import { characterDifferences } from './characters.ts';
import { countingArticles, functionWords, synonymous } from './function-words.ts';
import { isInflection, isRelated } from './inflection.ts';
import { areOpposites, pointAlike } from './opposite.ts';
import { takeEach, takeFrom, takePairs, type Rest, type Say } from './rest.ts';
import type { Token } from './wording.ts';
import {
  directions,
  exclusions,
  modals,
  negations,
  negationSyllables,
  quantifiers,
  turningSigns,
} from './words/polarity.ts';

export interface Difference {
  readonly weight: Weight;
  readonly kind: string;
  /** Kind and words: `antonym: increases/decreases`. */
  readonly label: string;
}

export type Weight = 'turns' | 'doubt' | 'content' | 'harmless';
export type Tell = (weight: Weight, kind: string) => Say;

/** Where more words are exchanged at one place the two speak of other things, and opposites among them are chance. */
const exchangedMax = 5;

export function differencesIn(gap: Gap, english: boolean): Difference[] {
  const found: Difference[] = [];
  const tell: Tell = (weight, kind) => (detail) => void found.push(difference(weight, kind, detail));
  const rest: Rest = { left: [...gap.left], right: [...gap.right] };
  const fewExchanged = Math.min(rest.left.length, rest.right.length) <= exchangedMax;

  characterDifferences(rest, tell);
  numbers(rest, tell);
  if (fewExchanged) takePairs(rest, either(areOpposites), tell('turns', 'antonym'));
  negated(rest, tell);
  if (english) synonymous(rest, tell);
  turned(rest, gap, tell);
  if (english) functionWords(rest, gap, tell);
  if (fewExchanged) takePairs(rest, either(isRelated, pointAlike), tell('doubt', 'word'));
  takePairs(rest, () => true, tell('content', 'word'));
  takeEach(rest, () => true, tell('content', 'extra word'));
  return found;
}

/** Two tokens of one stem at the same place. */
export function formDifference(left: Token, right: Token, english: boolean): Difference | undefined {
  if (left.text === right.text) return undefined;
  const detail = `${left.text}/${right.text}`;
  if (left.word === right.word) return difference(english ? 'harmless' : 'doubt', 'spelling', detail);
  if (english && isInflection(left.word, right.word)) return difference('harmless', 'inflection', detail);
  return difference(isRelated(left.word, right.word) ? 'doubt' : 'content', 'word', detail);
}

export function difference(weight: Weight, kind: string, detail: string): Difference {
  return { weight, kind, label: `${kind}: ${detail}` };
}

function numbers(rest: Rest, tell: Tell): void {
  for (const kind of ['number', 'unit'] as const) {
    takePairs(rest, (a, b) => a.kind === kind && b.kind === kind, tell('turns', 'number'));
  }
  takeEach(rest, (token) => token.kind === 'number', tell('doubt', 'number'));
  takeEach(rest, (token) => turningSigns.has(token.word), tell('turns', 'sign'));
  takeEach(rest, (token) => token.kind === 'sign', tell('doubt', 'sign'));
}

function negated(rest: Rest, tell: Tell): void {
  const isNegation = ({ word }: Token): boolean => negations.has(word) || negationSyllables.test(word);
  const [left, right] = [takeFrom(rest.left, isNegation), takeFrom(rest.right, isNegation)];
  if (left.length !== right.length) tell('turns', 'negation')([...left, ...right].join(' '));
  else if (left.length > 0) tell('doubt', 'negation')(`${left.join(' ')}/${right.join(' ')}`);
}

/** Exclusions, quantifiers, directions and modals. A direction that only one side names is no more than a word more. */
function turned(rest: Rest, gap: Gap, tell: Tell): void {
  takeEach(rest, ({ word }) => exclusions.has(word), tell('turns', 'exclusion'));
  countingArticles(rest, gap, tell);
  exchanged(rest, quantifiers, tell, 'quantifier');
  takeEach(rest, ({ word }) => quantifiers.has(word), tell('turns', 'quantifier'));
  exchanged(rest, directions, tell, 'direction');
  takeEach(rest, ({ word }) => word === 'by', tell('turns', 'voice'));
  takeEach(rest, ({ word }) => modals.has(word), tell('doubt', 'modality'));
}

/** Within a group the two may still mean the same; between groups they don't. */
function exchanged(rest: Rest, groups: ReadonlyMap<string, number>, tell: Tell, kind: string): void {
  const inGroups = (a: Token, b: Token): boolean => groups.has(a.word) && groups.has(b.word);
  takePairs(rest, (a, b) => inGroups(a, b) && groups.get(a.word) === groups.get(b.word), tell('doubt', kind));
  takePairs(rest, inGroups, tell('turns', kind));
}

/** Of words as written, or of their one spelling. */
function either(...tests: readonly ((a: string, b: string) => boolean)[]): (a: Token, b: Token) => boolean {
  return (a, b) =>
    tests.some((test) => test(a.text, b.text)) ||
    ((a.text !== a.word || b.text !== b.word) && tests.some((test) => test(a.word, b.word)));
}
