/**
 * English words that carry grammar rather than meaning. Few of them are always harmless: articles, until `few`
 * follows; `of` behind a gerund; forms of `be` and `have` as long as neither side turns passive
 * (contract §5, "harmless function words").
 */
import type { Gap } from './align.ts';
import { isParticiple } from './inflection.ts';
import type { Rest } from './rest.ts';
import { trait, type Token } from './token.ts';
import { ofFree, past, synonyms } from './words/harmless.ts';

/** Asked before all other rules on function words. */
export function synonymous(rest: Rest): void {
  if (!rest.bothHave(trait.synonym)) return;
  const areSynonyms = (a: Token, b: Token): boolean =>
    synonyms.has(a.word) && synonyms.get(a.word) === synonyms.get(b.word);
  rest.takePairs(areSynonyms, 'harmless', 'function word');
}

/** `a few` and `few`, `a number of` and `the number of`. */
export function countingArticles(rest: Rest, gap: Gap): void {
  if (!rest.has(trait.article)) return;
  const counted = [...gap.left, ...gap.right, gap.after].find(
    (token) => token !== undefined && (token.traits & trait.counted) !== 0,
  );
  if (counted === undefined) return;
  for (const article of rest.takeBoth(trait.article))
    rest.say('turns', 'quantifier', `${article} ${counted.word}`);
}

export function functionWords(rest: Rest, gap: Gap): void {
  if (rest.has(trait.being | trait.having)) auxiliaries(rest, gap);
  const ofIsFree =
    gap.before !== undefined && (gap.before.word.endsWith('ing') || ofFree.has(gap.before.word));
  const harmless = trait.article | trait.filler | (ofIsFree ? trait.of : 0);
  rest.takeEach(harmless, 'harmless', 'function word');
}

/** `was renamed` and `has been renamed` are one, `conquered` and `was conquered` are not. */
function auxiliaries(rest: Rest, gap: Gap): void {
  const taken = (side: Token[]): Auxiliaries => ({
    be: rest.takeFrom(side, trait.being),
    have: rest.takeFrom(side, trait.having),
  });
  const [left, right] = [taken(rest.left), taken(rest.right)];
  const detail = `${[...left.have, ...left.be].join(' ')}/${[...right.have, ...right.be].join(' ')}`;
  if (detail === '/') return;

  const beforeParticiple = gap.after !== undefined && isParticiple(gap.after.word);
  const turnsPassive = left.be.length > 0 !== right.be.length > 0;
  const isOtherTense = isPast([...left.be, ...left.have]) !== isPast([...right.be, ...right.have]);
  const isOtherVerb = left.have.length !== right.have.length || isOtherTense;
  if (turnsPassive && beforeParticiple) rest.say('turns', 'direction', detail);
  else if (left.be.length !== right.be.length) rest.say('doubt', 'verb', detail);
  else if (isOtherVerb && !beforeParticiple) rest.say('doubt', 'verb', detail);
  else rest.say('harmless', 'function word', detail);
}

function isPast(words: readonly string[]): boolean {
  return words.some((word) => past.has(word));
}

interface Auxiliaries {
  readonly be: readonly string[];
  readonly have: readonly string[];
}
