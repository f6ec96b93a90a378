/**
 * What differs between two aligned texts, one finding for each difference, with its kind and weight (contract §5
 * "Near-duplicates and contraries"). Rules explain the words of a gap in turn, the most certain rule first, and take
 * the explained words out of it.
 */
import type { Gap } from './align.ts';
import { isInflection, isParticiple } from './inflection.ts';
import { areOpposites, oppositeCharacters } from './opposites.ts';
import type { Token } from './wording.ts';
import {
  articles,
  directions,
  exclusions,
  fillers,
  formsOfBe,
  formsOfHave,
  meaningfulSigns,
  negationCharacters,
  negations,
  pastAuxiliaries,
  quantifiers,
  synonyms,
  wordsBeforeFreeOf,
  wordsWithMeaningfulArticle,
} from './words.ts';

export interface Difference {
  readonly weight: Weight;
  readonly kind: string;
  /** Kind and words: `antonym: increases/decreases`. */
  readonly label: string;
}

/** `reversing` makes a contrary; `doubtful` and `content` rule out a duplicate; `harmless` does not. */
export type Weight = 'reversing' | 'doubtful' | 'content' | 'harmless';

export function difference(weight: Weight, kind: string, detail: string): Difference {
  return { weight, kind, label: `${kind}: ${detail}` };
}

/** Two texts that exchange more words at one place speak of different things; opposites among them are chance. */
const exchangedMax = 5;

export function differencesIn(gap: Gap, english: boolean): readonly Difference[] {
  const open = new OpenWords(gap);
  compareCharacters(open);
  compareNumbers(open);
  if (Math.min(gap.left.length, gap.right.length) <= exchangedMax)
    open.takePairs((a, b) => areOpposites(a.word, b.word), 'reversing', 'antonym');
  compareNegations(open);
  if (english) open.takePairs(inOneGroup(synonyms), 'harmless', 'function word');
  open.takeEach(({ word }) => exclusions.has(word), 'reversing', 'exclusion');
  compareCountedArticles(open, gap);
  comparePairs(open, quantifiers, 'quantifier');
  open.takeEach(({ word }) => quantifiers.has(word), 'reversing', 'quantifier');
  comparePairs(open, directions, 'direction');
  open.takeEach(({ word }) => word === 'by', 'reversing', 'voice');
  if (english) compareFunctionWords(open, gap);
  open.takePairs(() => true, 'content', 'word');
  open.takeEach(() => true, 'content', 'extra word');
  return open.found;
}

/** Two tokens with one stem at the same place and different texts. */
export function formDifference(left: Token, right: Token, english: boolean): Difference {
  const detail = `${left.text}/${right.text}`;
  if (left.word === right.word) return difference(english ? 'harmless' : 'doubtful', 'spelling', detail);
  if (english && isInflection(left.word, right.word)) return difference('harmless', 'inflection', detail);
  return difference('content', 'word', detail);
}

type Test = (token: Token) => boolean;
type PairTest = (left: Token, right: Token) => boolean;

/** The words of a gap that no rule has explained yet, and the differences found. */
class OpenWords {
  left: readonly Token[];
  right: readonly Token[];
  readonly found: Difference[] = [];

  constructor({ left, right }: Gap) {
    this.left = left;
    this.right = right;
  }

  report(weight: Weight, kind: string, detail: string): void {
    this.found.push(difference(weight, kind, detail));
  }

  /** Takes out every pair that passes the test, each left word with the first right word that fits. */
  takePairs(test: PairTest, weight: Weight, kind: string): void {
    if (this.left.length === 0 || this.right.length === 0) return;
    const right = [...this.right];
    this.left = this.left.filter((a) => {
      const at = right.findIndex((b) => test(a, b));
      if (at < 0) return true;
      this.report(weight, kind, `${a.text}/${right[at]?.text}`);
      right.splice(at, 1);
      return false;
    });
    this.right = right;
  }

  /** Takes out every word that passes the test, on either side. */
  takeEach(test: Test, weight: Weight, kind: string): void {
    const [left, right] = this.take(test);
    for (const text of [...left, ...right]) this.report(weight, kind, text);
  }

  take(test: Test): [left: readonly string[], right: readonly string[]] {
    const taken = [this.left.filter(test), this.right.filter(test)] as const;
    if (taken[0].length > 0) this.left = this.left.filter((token) => !test(token));
    if (taken[1].length > 0) this.right = this.right.filter((token) => !test(token));
    return [taken[0].map(({ text }) => text), taken[1].map(({ text }) => text)];
  }
}

function inOneGroup(groups: ReadonlyMap<string, number>): PairTest {
  return (a, b) => groups.has(a.word) && groups.get(a.word) === groups.get(b.word);
}

/** Words of one group may mean the same; words of two groups do not. */
function comparePairs(open: OpenWords, groups: ReadonlyMap<string, number>, kind: string): void {
  open.takePairs(inOneGroup(groups), 'doubtful', kind);
  open.takePairs((a, b) => groups.has(a.word) && groups.has(b.word), 'reversing', kind);
}

/** Scripts without spaces: where words begin is unknown, so that negations and opposites are looked for in the run. */
function compareCharacters(open: OpenWords): void {
  const [left, right] = open.take(({ kind }) => kind === 'character').map((run) => run.join('')) as [
    string,
    string,
  ];
  if (left === '' && right === '') return;
  const negated = [left, right].map((run) => run.match(negationCharacters) ?? []);
  const opposites = oppositeCharacters
    .flatMap(([a, b]) => [[a, b] as const, [b, a] as const])
    .find(([a, b]) => left.includes(a) && right.includes(b) && !right.includes(a));
  if (negated[0]?.length !== negated[1]?.length)
    open.report('reversing', 'negation', negated.flat().join(' '));
  else if (opposites !== undefined) open.report('reversing', 'antonym', opposites.join('/'));
  else if (left === '' || right === '') open.report('content', 'extra word', `${left}${right}`);
  else open.report('content', 'word', `${left}/${right}`);
}

function compareNumbers(open: OpenWords): void {
  for (const kind of ['number', 'unit'])
    open.takePairs((a, b) => a.kind === kind && b.kind === kind, 'reversing', 'number');
  open.takeEach(({ kind }) => kind === 'number', 'doubtful', 'number');
  open.takeEach(({ word }) => meaningfulSigns.has(word), 'reversing', 'sign');
  open.takeEach(({ kind }) => kind === 'sign', 'doubtful', 'sign');
}

function compareNegations(open: OpenWords): void {
  const [left, right] = open.take(({ word }) => negations.has(word));
  if (left.length !== right.length) open.report('reversing', 'negation', [...left, ...right].join(' '));
  else if (left.length > 0) open.report('doubtful', 'negation', `${left.join(' ')}/${right.join(' ')}`);
}

/** `a few` and `few`, `a number of` and `the number of`. */
function compareCountedArticles(open: OpenWords, gap: Gap): void {
  const counted = [...gap.left, ...gap.right, gap.after].find(
    (token) => token !== undefined && wordsWithMeaningfulArticle.has(token.word),
  );
  if (counted === undefined) return;
  for (const article of open.take(({ word }) => articles.has(word)).flat())
    open.report('reversing', 'quantifier', `${article} ${counted.word}`);
}

/** Articles and fillers are harmless, and so are forms of `be` and `have` unless one text turns passive. */
function compareFunctionWords(open: OpenWords, gap: Gap): void {
  compareAuxiliaries(open, gap);
  const { before } = gap;
  const ofIsFree =
    before !== undefined && (before.word.endsWith('ing') || wordsBeforeFreeOf.has(before.word));
  open.takeEach(
    ({ word }) => articles.has(word) || fillers.has(word) || (ofIsFree && word === 'of'),
    'harmless',
    'function word',
  );
}

/** `was renamed` and `has been renamed` say the same, `conquered` and `was conquered` do not. */
function compareAuxiliaries(open: OpenWords, { after }: Gap): void {
  const [leftBe, rightBe] = open.take(({ word }) => formsOfBe.has(word));
  const [leftHave, rightHave] = open.take(({ word }) => formsOfHave.has(word));
  const [left, right] = [
    [...leftHave, ...leftBe],
    [...rightHave, ...rightBe],
  ];
  if (left.length + right.length === 0) return;
  const detail = `${left.join(' ')}/${right.join(' ')}`;
  const beforeParticiple = after !== undefined && isParticiple(after.word);
  const isPast = (words: readonly string[]): boolean => words.some((word) => pastAuxiliaries.has(word));
  const isOtherVerb = leftHave.length !== rightHave.length || isPast(left) !== isPast(right);
  if (beforeParticiple && leftBe.length > 0 !== rightBe.length > 0)
    open.report('reversing', 'direction', detail);
  else if (leftBe.length !== rightBe.length || (isOtherVerb && !beforeParticiple))
    open.report('doubtful', 'verb', detail);
  else open.report('harmless', 'function word', detail);
}
