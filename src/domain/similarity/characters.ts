/**
 * Scripts written without spaces between words: where words begin is not known, so that what differs is searched
 * as a run of characters for negations, opposites and numerals.
 */
import type { Tell } from './differences.ts';
import { oppositeIn } from './opposite.ts';
import { takeFrom, type Rest } from './rest.ts';
import type { Token } from './wording.ts';
import { negationCharacters } from './words/polarity.ts';
import { numeralCharacters } from './words/spelling.ts';

/** The Chinese particle that comes and goes without effect. */
const particle = '的';

export function characterDifferences(rest: Rest, tell: Tell): void {
  const isCharacter = (token: Token): boolean => token.kind === 'character';
  const left = takeFrom(rest.left, isCharacter).join('');
  const right = takeFrom(rest.right, isCharacter).join('');
  if (left === '' && right === '') return;
  const [negatedLeft, negatedRight] = [negationsIn(left), negationsIn(right)];
  const opposite = oppositeIn(left, right);
  const [numeralsLeft, numeralsRight] = [numeralsIn(left), numeralsIn(right)];
  if (negatedLeft.length !== negatedRight.length) {
    tell('turns', 'negation')([...negatedLeft, ...negatedRight].join(' '));
  } else if (opposite !== undefined) {
    tell('turns', 'antonym')(opposite);
  } else if (numeralsLeft !== numeralsRight && numeralsLeft !== '' && numeralsRight !== '') {
    tell('turns', 'number')(`${numeralsLeft}/${numeralsRight}`);
  } else if (`${left}${right}` === particle) {
    tell('harmless', 'function word')(particle);
  } else if (left === '' || right === '') {
    tell('content', 'extra word')(`${left}${right}`);
  } else {
    tell('content', 'word')(`${left}/${right}`);
  }
}

function negationsIn(run: string): readonly string[] {
  return run.match(negationCharacters) ?? [];
}

function numeralsIn(run: string): string {
  return [...run].filter((char) => numeralCharacters.includes(char)).join('');
}
