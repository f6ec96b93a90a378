/**
 * What search and retrieval take a text to consist of (ADR 13). One pure function makes the terms of stored
 * texts and of questions alike, whatever store keeps them: so the same words are found everywhere, and every
 * term knows where in the text it stood.
 *
 * Words are runs of letters, marks and digits, each normalised by itself: compatibility forms and case folded,
 * accents of European scripts dropped, English endings taken off. Scripts written without spaces give pairs of
 * neighbouring characters, because their word boundaries are not marked.
 */
import { stem } from '../similarity/inflection.ts';

export interface Term {
  readonly term: string;
  /** Where it stands in the text, in UTF-16 code units; `end` is behind it. */
  readonly start: number;
  readonly end: number;
}

/** Code points of a term; the rest of a longer one says nothing. */
const termCharsMax = 64;

const unspaced = String.raw`[\p{L}&&[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]]`;
const run = new RegExp(
  String.raw`(?<pairs>(?:${unspaced}\p{M}*)+)|(?:[[\p{L}\p{M}]--${unspaced}]|\p{N})+`,
  'gv',
);
const plainWord = /^[a-z0-9]+$/;
const accents = /[̀-ͯ]/g;
const notWordly = /[^\p{L}\p{M}\p{N}]/gu;

/** The terms of a text in reading order. */
export function termsOf(text: string): Term[] {
  const terms: Term[] = [];
  for (const match of text.matchAll(run)) {
    const start = match.index;
    if (match.groups?.['pairs'] !== undefined) addPairs(terms, match[0], start);
    else {
      const term = normalised(match[0]);
      if (term !== '') terms.push({ term, start, end: start + match[0].length });
    }
  }
  return terms;
}

/** The terms alone. */
export function termList(text: string): string[] {
  return termsOf(text).map(({ term }) => term);
}

/** Bytes of a document's different terms together: more than any DIV has. */
const termBytesMax = 512 * 1024;
/** What every store can keep of them with what it puts before each: a vector of PostgreSQL's ends at 1 MiB. */
const keptBytesMax = 1_000_000;
const placeBytes = 8;

/** The terms alone, for an index: by what stands behind those bounds in a text it is not found. */
export function indexedTerms(text: string): string[] {
  const terms = termList(text);
  const different = new Set<string>();
  let bytes = 0;
  const end = terms.findIndex((term) => {
    if (different.has(term)) return false;
    different.add(term);
    bytes += Buffer.byteLength(term);
    return bytes > termBytesMax || bytes + different.size * placeBytes > keptBytesMax;
  });
  return end < 0 ? terms : terms.slice(0, end);
}

/** Words that stand in most English texts: a question is not about them. */
const common: ReadonlySet<string> = new Set(
  `a about an and any are as at be been being but by can could did do does for from had has have how i if in
   into is it its may me might my no not of on or our shall should so than that the their them then there these
   they this those to us was we were what when where which who whom whose why will with would you your`
    .split(/\s+/)
    .map(normalised),
);

/**
 * What a question asks for: each term once, in order, without words that say nothing, unless it has no others.
 * At most `termsMax`.
 */
export function queryTerms(question: string, termsMax = 32): string[] {
  const all = new Set(termList(question));
  const telling = [...all].filter((term) => !common.has(term));
  return (telling.length > 0 ? telling : [...all]).slice(0, termsMax);
}

function normalised(word: string): string {
  if (plainWord.test(word)) return stem(shortened(word));
  const folded = word
    .normalize('NFKD')
    .replace(accents, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(accents, '')
    .replaceAll('ß', 'ss')
    .replaceAll('ς', 'σ')
    .replace(notWordly, '');
  return stem(shortened(folded));
}

function shortened(word: string): string {
  return word.length > termCharsMax ? [...word].slice(0, termCharsMax).join('') : word;
}

/** `公开日志` gives `公开`, `开日`, `日志`; a character by itself stands for itself. */
function addPairs(terms: Term[], text: string, at: number): void {
  const characters = [...text.matchAll(/.\p{M}*/gsu)].map((match) => ({
    text: shortened(match[0].normalize('NFKC').replace(notWordly, '')),
    start: at + match.index,
    end: at + match.index + match[0].length,
  }));
  const [only] = characters;
  if (characters.length === 1 && only !== undefined) {
    terms.push({ term: only.text, start: only.start, end: only.end });
    return;
  }
  for (let i = 1; i < characters.length; i++) {
    const [left, right] = [characters[i - 1], characters[i]] as [
      (typeof characters)[number],
      (typeof characters)[number],
    ];
    terms.push({ term: left.text + right.text, start: left.start, end: right.end });
  }
}
