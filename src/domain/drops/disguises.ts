/**
 * Words that do not look like themselves (spec §1): letters of other alphabets, figures for letters, letters set apart,
 * emphasis and list marks. They are read as what they stand for, so that a command is found however it is written; what
 * stands for nothing is told as it is.
 */
import { lookAlikes } from './owner-name.ts';

const figures: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'l',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
};

/** Checked boxes, bullets, quotes, headings and numbers of lists, one after the other. */
const listMarks = /^(?:[\s>*+•–—#-]+|\[[ xX]?\]\s|\(?\d{1,3}[.)]\s|\(?[a-z][.)]\s)+/u;
/** Emphasis around words; an underscore inside a word belongs to the key of a row. */
const emphasis = /[*`~]+|(?<![A-Za-z0-9])_+(?=[A-Za-z])|(?<=[A-Za-z])_+(?![A-Za-z0-9])/g;
/** "c a l l", "C.A.L.L": three letters or more, each by itself. */
const setApart = /(?<![A-Za-z0-9'])(?:[A-Za-z][ .\-_]){2,}[A-Za-z](?![A-Za-z0-9'])/g;
/** A figure between letters, in a word that is no id, no name of an algorithm and no number with its unit. */
const figured = /(?<![\w./:=@#-])[A-Za-z]+[013457@$]+[a-z][a-z0134579@$]*(?![\w=@-])/g;

/** Addresses are data: `{}` stands for a template, `<>` for any other. */
export function undisguised(line: string): string {
  return line
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/[‘’]/g, "'")
    .replace(/https?:\/\/\S*\{\w+\}\S*/g, ' {} ')
    .replace(/https?:\/\/\S+/g, ' <> ')
    .replace(/\bsh\.[A-Za-z0-9_-]{20,}/g, ' ')
    .replace(listMarks, '')
    .replace(emphasis, '')
    .replace(/\p{L}+/gu, (word) => (isMixed(word) ? folded(word) : word))
    .replace(setApart, (letters) => letters.replace(/[ .\-_]/g, ''))
    .replace(figured, (word) => word.replace(/[0134579@$]/g, (figure) => figures[figure] ?? figure))
    .replace(listMarks, '')
    .trim();
}

/** Letters of two alphabets in one word: those of the other one stand for Latin ones. */
function isMixed(word: string): boolean {
  return /[A-Za-z]/.test(word) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(word);
}

function folded(word: string): string {
  return word.replace(/[^\p{ASCII}]/gu, (letter) => {
    const alike = lookAlikes[letter.toLowerCase()];
    if (alike === undefined) return letter;
    return letter === letter.toLowerCase() ? alike : alike.toUpperCase();
  });
}
