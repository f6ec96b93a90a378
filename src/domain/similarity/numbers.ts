/** Numbers written out, read as digits: `twenty one` is 21, `1.5 million` 1500000, `second` 2nd, 一九五七 1957. */
import { digitCharacters, numberWords, ordinalWords, scaleWords } from './words/spelling.ts';

/** A word as it stands in the text and the one form it is compared by. */
export interface Piece {
  readonly text: string;
  readonly word: string;
}

const digits = /^\d+(?:\.\d+)?$/;

export function readNumbers(pieces: readonly Piece[]): Piece[] {
  const read: Piece[] = [];
  for (let i = 0; i < pieces.length; i++) {
    const piece = pieces[i] as Piece;
    const ordinal = ordinalWords.get(piece.word);
    if (ordinal !== undefined)
      read.push({ text: piece.text, word: countsTime(piece, read.at(-1)) ? piece.word : ordinal });
    else if (numberWords.has(piece.word) || digits.test(piece.word)) i = readNumber(pieces, i, read);
    else if (isDigitCharacter(piece.word)) i = readCharacters(pieces, i, read);
    else read.push(piece);
  }
  return read;
}

/** `30 second`, not the second of something. */
function countsTime(piece: Piece, before: Piece | undefined): boolean {
  return piece.word === 'second' && before !== undefined && digits.test(before.word);
}

/** Reads from `start` as far as the words make one number; the index of its last word. */
function readNumber(pieces: readonly Piece[], start: number, read: Piece[]): number {
  const first = pieces[start] as Piece;
  const value = numberWords.get(first.word);
  let sum = value ?? Number(first.word);
  let at = start;
  for (let next = pieces[at + 1]; next !== undefined; next = pieces[at + 1]) {
    const scale = scaleWords.get(next.word);
    const unit = numberWords.get(next.word) ?? 0;
    if (scale !== undefined) sum *= scale;
    else if (value !== undefined && unit > 0 && unit < 10 && sum >= 20 && sum < 100 && sum % 10 === 0)
      sum += unit;
    else break;
    at++;
  }
  const text = pieces
    .slice(start, at + 1)
    .map((piece) => piece.text)
    .join(' ');
  read.push({ text, word: at === start && value === undefined ? first.word : String(sum) });
  return at;
}

function isDigitCharacter(word: string): boolean {
  return digitCharacters.includes(word);
}

/** Two or more in a row are read one by one, as years are; a single one stays a numeral. */
function readCharacters(pieces: readonly Piece[], start: number, read: Piece[]): number {
  let end = start;
  while (pieces[end] !== undefined && isDigitCharacter((pieces[end] as Piece).word)) end++;
  const run = pieces.slice(start, end).map((piece) => piece.word);
  if (run.length === 1) read.push(pieces[start] as Piece);
  else read.push({ text: run.join(''), word: run.map((char) => digitCharacters.indexOf(char)).join('') });
  return end - 1;
}
