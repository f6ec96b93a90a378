/**
 * A word as two wordings are compared by it, with all that the lists of words know of it: looked up once for a word
 * and not once for every rule and every text that it is compared with.
 */
import { formOf, type Form } from './form.ts';
import { stem } from './inflection.ts';
import { remembering } from './remember.ts';
import { unitOf } from './units.ts';
import type { Piece } from './numbers.ts';
import { articles, articlesCountBefore, beings, fillers, havings, synonyms } from './words/harmless.ts';
import {
  directions,
  exclusions,
  modals,
  negations,
  negationSyllables,
  quantifiers,
  turningSigns,
} from './words/polarity.ts';

type Kind = 'word' | 'number' | 'unit' | 'sign' | 'character';

/** What rules ask of a word, each a bit. */
export const trait = {
  number: 1 << 0,
  unit: 1 << 1,
  sign: 1 << 2,
  character: 1 << 3,
  turningSign: 1 << 4,
  negation: 1 << 5,
  exclusion: 1 << 6,
  quantifier: 1 << 7,
  direction: 1 << 8,
  modal: 1 << 9,
  by: 1 << 10,
  of: 1 << 11,
  article: 1 << 12,
  filler: 1 << 13,
  being: 1 << 14,
  having: 1 << 15,
  synonym: 1 << 16,
  /** Before it an article counts. */
  counted: 1 << 17,
} as const;

export class Token {
  /** As it stands in the plain wording. */
  readonly text: string;
  /** One form for all spellings. */
  readonly word: string;
  /** What tokens are aligned by: the same for all inflections of a word. */
  readonly stem: string;
  /** Bits of `trait`. */
  readonly traits: number;
  #written: Form | undefined;
  #spelt: Form | undefined;

  constructor({ text, word }: Piece, stemmed: string, kind: Kind) {
    this.text = text;
    this.word = word;
    this.stem = stemmed;
    this.traits = traitsOf(word, kind);
  }

  get written(): Form {
    return (this.#written ??= formOf(this.text));
  }

  get spelt(): Form {
    return (this.#spelt ??= this.text === this.word ? this.written : formOf(this.word));
  }
}

function traitsOf(word: string, kind: Kind): number {
  return (
    (kind === 'word' ? 0 : trait[kind]) |
    (turningSigns.has(word) ? trait.turningSign : 0) |
    (negations.has(word) || negationSyllables.test(word) ? trait.negation : 0) |
    (exclusions.has(word) ? trait.exclusion : 0) |
    (quantifiers.has(word) ? trait.quantifier : 0) |
    (directions.has(word) ? trait.direction : 0) |
    (modals.has(word) ? trait.modal : 0) |
    (word === 'by' ? trait.by : 0) |
    (word === 'of' ? trait.of : 0) |
    (articles.has(word) ? trait.article : 0) |
    (fillers.has(word) ? trait.filler : 0) |
    (beings.has(word) ? trait.being : 0) |
    (havings.has(word) ? trait.having : 0) |
    (synonyms.has(word) ? trait.synonym : 0) |
    (articlesCountBefore.has(word) ? trait.counted : 0)
  );
}

/** Of a piece behind another word. */
export function tokenOf(piece: Piece, previous: string): Token {
  const behindNumber = startsWithDigit.test(previous) || previous === '°';
  // No word has a space in it, so that the two are never mixed up.
  const key = piece.text === piece.word ? piece.word : `${piece.text} ${piece.word}`;
  return behindNumber ? amounts(key, piece) : others(key, piece);
}

/** Texts share the tokens of their words. */
const tokensMax = 8192;
const amounts = remembering((_, piece: Piece) => read(piece, true), tokensMax);
const others = remembering((_, piece: Piece) => read(piece, false), tokensMax);

const unspaced =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const plainWord = /^[a-z]+$/;
const startsWithDigit = /^[-.]?\p{Nd}/u;
const onlyNumber = /^[-.]?[\p{Nd}.,]+(?:st|nd|rd|th)?$/u;

function read(piece: Piece, behindNumber: boolean): Token {
  const { text, word } = piece;
  if (plainWord.test(word) && !behindNumber) return new Token(piece, stem(word), 'word');
  if (startsWithDigit.test(word)) return new Token(piece, word, onlyNumber.test(word) ? 'number' : 'word');
  const isSign = !/[\p{L}\p{N}]/u.test(word);
  const unit = isSign || behindNumber ? unitOf(word) : undefined;
  if (unit !== undefined) return new Token({ text, word: unit }, unit, 'unit');
  if (isSign || unspaced.test(word)) return new Token(piece, word, isSign ? 'sign' : 'character');
  return new Token(piece, stem(word), 'word');
}
