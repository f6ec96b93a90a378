/**
 * English words that carry grammar rather than meaning. Few of them are always harmless: articles, until `few`
 * follows; `of` behind a gerund; forms of `be` and `have` as long as neither side turns passive
 * (contract §5, "harmless function words").
 */
import type { Gap } from './align.ts';
import type { Tell } from './differences.ts';
import { isParticiple } from './inflection.ts';
import { takeEach, takeFrom, takePairs, type Rest } from './rest.ts';
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

/** Asked before all other rules on function words. */
export function synonymous(rest: Rest, tell: Tell): void {
  const areSynonyms = (a: Token, b: Token): boolean =>
    synonyms.has(a.word) && synonyms.get(a.word) === synonyms.get(b.word);
  takePairs(rest, areSynonyms, tell('harmless', 'function word'));
}

/** `a few` and `few`, `a number of` and `the number of`. */
export function countingArticles(rest: Rest, gap: Gap, tell: Tell): void {
  const counted = [...gap.left, ...gap.right, gap.after].find(
    (token) => token !== undefined && articlesCountBefore.has(token.word),
  );
  if (counted === undefined) return;
  const say = tell('turns', 'quantifier');
  takeEach(
    rest,
    (token) => articles.has(token.word),
    (article) => say(`${article} ${counted.word}`),
  );
}

export function functionWords(rest: Rest, gap: Gap, tell: Tell): void {
  auxiliaries(rest, gap, tell);
  const ofIsFree =
    gap.before !== undefined && (gap.before.word.endsWith('ing') || ofFree.has(gap.before.word));
  const isHarmless = ({ word }: Token): boolean =>
    articles.has(word) || fillers.has(word) || (ofIsFree && word === 'of');
  takeEach(rest, isHarmless, tell('harmless', 'function word'));
}

/** `was renamed` and `has been renamed` are one, `conquered` and `was conquered` are not. */
function auxiliaries(rest: Rest, gap: Gap, tell: Tell): void {
  const isBeing = ({ word }: Token): boolean => beings.has(word);
  const isHaving = ({ word }: Token): boolean => havings.has(word);
  const left = { be: takeFrom(rest.left, isBeing), have: takeFrom(rest.left, isHaving) };
  const right = { be: takeFrom(rest.right, isBeing), have: takeFrom(rest.right, isHaving) };
  const detail = `${[...left.have, ...left.be].join(' ')}/${[...right.have, ...right.be].join(' ')}`;
  if (detail === '/') return;

  const beforeParticiple = gap.after !== undefined && isParticiple(gap.after.word);
  const turnsPassive = left.be.length > 0 !== right.be.length > 0;
  const isOtherTense = isPast([...left.be, ...left.have]) !== isPast([...right.be, ...right.have]);
  const isOtherVerb = left.have.length !== right.have.length || isOtherTense;
  if (turnsPassive && beforeParticiple) tell('turns', 'direction')(detail);
  else if (left.be.length !== right.be.length) tell('doubt', 'verb')(detail);
  else if (isOtherVerb && !beforeParticiple) tell('doubt', 'verb')(detail);
  else tell('harmless', 'function word')(detail);
}

function isPast(words: readonly string[]): boolean {
  return words.some((word) => past.has(word));
}
