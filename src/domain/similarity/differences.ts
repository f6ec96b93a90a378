/**
 * What differs between two aligned wordings, one finding for each difference: what kind it is and how much it
 * weighs. `turns` makes a contrary, `doubt` and `content` forbid to call two texts the same, `harmless` does not
 * (contract §5 "Near-duplicates and contraries"). Rules take words out in turn, the surest first.
 */
import type { Gap } from './align.ts';
import { characterDifferences } from './characters.ts';
import { difference, type Difference } from './difference.ts';
import { areOpposites, pointAlike, shareBase, shareRoot, type Form } from './form.ts';
import { countingArticles, functionWords, synonymous } from './function-words.ts';
import { Rest } from './rest.ts';
import { trait, type Token } from './token.ts';
import { directions, quantifiers } from './words/polarity.ts';

/** Where more words are exchanged at one place the two speak of other things, and opposites among them are chance. */
const exchangedMax = 5;

export function differencesIn(gap: Gap, english: boolean): readonly Difference[] {
  const rest = new Rest(gap);
  const fewExchanged = Math.min(gap.left.length, gap.right.length) <= exchangedMax;

  if (rest.has(trait.character)) characterDifferences(rest);
  if (rest.has(trait.number | trait.unit | trait.turningSign | trait.sign)) numbers(rest);
  if (fewExchanged) rest.takePairs(opposed, 'turns', 'antonym');
  if (rest.has(trait.negation)) negated(rest);
  if (english) synonymous(rest);
  turned(rest, gap);
  if (english) functionWords(rest, gap);
  if (fewExchanged) rest.takePairs(related, 'doubt', 'word');
  rest.takePairs(() => true, 'content', 'word');
  for (const { text } of [...rest.left, ...rest.right]) rest.say('content', 'extra word', text);
  return rest.found;
}

/** Two tokens of one stem at the same place, written otherwise. */
export function formDifference(left: Token, right: Token, english: boolean): Difference {
  const detail = `${left.text}/${right.text}`;
  if (left.word === right.word) return difference(english ? 'harmless' : 'doubt', 'spelling', detail);
  if (english && shareBase(left.spelt, right.spelt)) return difference('harmless', 'inflection', detail);
  return difference(shareRoot(left.spelt, right.spelt) ? 'doubt' : 'content', 'word', detail);
}

function numbers(rest: Rest): void {
  for (const kind of [trait.number, trait.unit]) {
    if (rest.bothHave(kind)) rest.takePairs((a, b) => (a.traits & b.traits & kind) !== 0, 'turns', 'number');
  }
  rest.takeEach(trait.number, 'doubt', 'number');
  rest.takeEach(trait.turningSign, 'turns', 'sign');
  rest.takeEach(trait.sign, 'doubt', 'sign');
}

function negated(rest: Rest): void {
  const left = rest.takeFrom(rest.left, trait.negation);
  const right = rest.takeFrom(rest.right, trait.negation);
  if (left.length !== right.length) rest.say('turns', 'negation', [...left, ...right].join(' '));
  else if (left.length > 0) rest.say('doubt', 'negation', `${left.join(' ')}/${right.join(' ')}`);
}

/** Exclusions, quantifiers, directions and modals. A direction that only one side names is no more than a word more. */
function turned(rest: Rest, gap: Gap): void {
  rest.takeEach(trait.exclusion, 'turns', 'exclusion');
  countingArticles(rest, gap);
  if (rest.bothHave(trait.quantifier)) exchanged(rest, quantifiers, 'quantifier');
  rest.takeEach(trait.quantifier, 'turns', 'quantifier');
  if (rest.bothHave(trait.direction)) exchanged(rest, directions, 'direction');
  rest.takeEach(trait.by, 'turns', 'voice');
  rest.takeEach(trait.modal, 'doubt', 'modality');
}

/** Within a group the two may still mean the same; between groups they don't. */
function exchanged(rest: Rest, groups: ReadonlyMap<string, number>, kind: string): void {
  rest.takePairs((a, b) => groups.has(a.word) && groups.get(a.word) === groups.get(b.word), 'doubt', kind);
  rest.takePairs((a, b) => groups.has(a.word) && groups.has(b.word), 'turns', kind);
}

const opposed = either(areOpposites);
const related = either((a, b) => shareRoot(a, b) || pointAlike(a, b));

/** Of words as written, or of their one spelling. */
function either(test: (a: Form, b: Form) => boolean): (a: Token, b: Token) => boolean {
  return (a, b) =>
    test(a.written, b.written) || ((a.text !== a.word || b.text !== b.word) && test(a.spelt, b.spelt));
}
