/**
 * Scripts written without spaces between words: where words begin is not known, so that what differs is searched
 * as a run of characters for negations, opposites and numerals.
 */
import type { Rest } from './rest.ts';
import { trait } from './token.ts';
import { oppositeCharacters } from './words/opposites.ts';
import { negationCharacters } from './words/polarity.ts';
import { numeralCharacters } from './words/spelling.ts';

/** The Chinese particle that comes and goes without effect. */
const particle = '的';

export function characterDifferences(rest: Rest): void {
  const left = rest.takeFrom(rest.left, trait.character).join('');
  const right = rest.takeFrom(rest.right, trait.character).join('');
  if (left === '' && right === '') return;
  const [negatedLeft, negatedRight] = [negationsIn(left), negationsIn(right)];
  const opposite = oppositeIn(left, right);
  const [numeralsLeft, numeralsRight] = [numeralsIn(left), numeralsIn(right)];
  if (negatedLeft.length !== negatedRight.length) {
    rest.say('turns', 'negation', [...negatedLeft, ...negatedRight].join(' '));
  } else if (opposite !== undefined) {
    rest.say('turns', 'antonym', opposite);
  } else if (numeralsLeft !== numeralsRight && numeralsLeft !== '' && numeralsRight !== '') {
    rest.say('turns', 'number', `${numeralsLeft}/${numeralsRight}`);
  } else if (`${left}${right}` === particle) {
    rest.say('harmless', 'function word', particle);
  } else if (left === '' || right === '') {
    rest.say('content', 'extra word', `${left}${right}`);
  } else {
    rest.say('content', 'word', `${left}/${right}`);
  }
}

function negationsIn(run: string): readonly string[] {
  return run.match(negationCharacters) ?? [];
}

function numeralsIn(run: string): string {
  return [...run].filter((char) => numeralCharacters.includes(char)).join('');
}

/** The pair of opposites that stand in two runs, `增/减`. */
function oppositeIn(left: string, right: string): string | undefined {
  for (const [a, b] of oppositeCharacters) {
    if (left.includes(a) && right.includes(b) && !right.includes(a)) return `${a}/${b}`;
    if (left.includes(b) && right.includes(a) && !left.includes(a)) return `${b}/${a}`;
  }
  return undefined;
}
