/**
 * The sentences of a claim (spec §2.12.1). Unicode's rules find where sentences may end (`Intl.Segmenter`, UAX #29);
 * what they can't know is put right here: abbreviations, marks that belong to a name or a piece of code, and a full
 * stop without a space behind it. Every pattern takes time in proportion to the text.
 */
import {
  auxiliaries,
  determiners,
  isInS,
  isParticiple,
  participles,
  pasts,
  prepositions,
  presents,
  pronouns,
} from './clauses.ts';

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** What is quoted, set in parentheses or code; its marks end no sentence but the last one. */
const asides = /"[^"]*"|“[^“”]*”|`[^`]*`|\([^()]*\)|\[[^[\]]*\]/g;
/** `!!` and `?.` as words of their own: the sentence goes on after them. */
const operators = /(?<=\s)[?!.…&|]{1,3}(?=\s+\p{Ll})/gu;
/** The full stop within a name such as `Qx7.Zebra`, where Unicode's rules see an end. */
const dotted = /(?<=\p{L}[\p{N}_]{1,16})\.(?=\p{L})/gu;
/** They stand before a name or a number, so that no sentence ends behind them. */
const titles =
  /(?:^|[\s("“])(?:e\.g|i\.e|vs|cf|al|Dr|Mr|Mrs|Ms|Mt|St|No|Nos|Fig|Figs|Prof|Gen|Sen|Rep|Col|Lt|Capt|Rev|Hon|vol|eq|ed|pp)\.\s*$/i;
const others =
  /(?:^|[\s("“])(?:etc|approx|ca|resp|incl|Inc|Ltd|Co|Corp|Jr|Sr|Ph\.D|a\.m|p\.m|(?:[A-Z]\.){1,4}[A-Z])\.\s*$/;
/** The initial of a name; behind a common noun a letter is a label: `Plan A`, `vitamin C`. */
const initial = /(?:^|[\s("“])([\p{L}.]*)[\s]*\b\p{Lu}\.\s*$/u;
const labelled =
  /^(?:appendix|class|exhibit|figure|grade|group|hepatitis|layer|level|option|part|phase|plan|point|sample|section|series|stage|step|table|team|type|version|vitamin)$/i;
/** A full stop or line break between two words of prose, without the space or mark that should stand there. */
const glued = /([\p{L}\p{N}'’-]*)\s+(\p{Ll}{2,})[.!?…](?=\p{Lu}\p{Ll}*[\s.])/gu;

export function sentencesIn(text: string): readonly string[] {
  const plain = text
    .trim()
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    // An image of Markdown begins with a mark that ends nothing.
    .replaceAll('![', 'x[')
    .replace(asides, masked)
    .replaceAll('…', '.')
    .replace(dotted, 'x')
    .replace(operators, (mark) => 'x'.repeat(mark.length))
    .replace(/\n(?=\s*\p{Ll})/gu, ' ')
    .replace(glued, (whole, before: string) =>
      before === '' || isInS(before.toLowerCase()) || beginsName(before.toLowerCase()) ? whole : `${whole} `,
    );
  const sentences: string[] = [];
  for (const { segment } of segmenter.segment(plain)) {
    const before = sentences.at(-1);
    if (before !== undefined && (goesOn(before, segment) || !/\p{L}/u.test(segment)))
      sentences[sentences.length - 1] = before + segment;
    else sentences.push(segment);
  }
  return sentences.map((sentence) => sentence.trim());
}

/** Whether a sentence asks. What a quotation within it asks is a name or a wording. */
export function isQuestion(sentence: string): boolean {
  return /(?:[?？؟][!?？؟"'”’)\]]*)$/.test(sentence) && !/\S\s+["“(]x*[?？؟]["”)]$/.test(sentence);
}

/** The same length, and the mark that it ends with. */
function masked(aside: string): string {
  const last = aside.at(-2) ?? '';
  const mark = !aside.startsWith('`') && /[.!?…]/.test(last) ? last : 'x';
  return `${aside[0] ?? ''}${'x'.repeat(Math.max(0, aside.length - 3))}${aside.length > 2 ? mark : ''}${aside.at(-1) ?? ''}`;
}

/** Whether what follows a mark is the rest of the same sentence. */
function goesOn(before: string, after: string): boolean {
  if (before.endsWith('\n')) return false;
  const [, first = ''] = /^[\s"'“‘(]*([\p{L}'’]*)/u.exec(after) ?? [];
  const lower = first.toLowerCase();
  if (/^\p{Ll}/u.test(first) && /[!?][^\p{L}]*$/u.test(before)) return isPredicate(lower);
  if (titles.test(before)) return true;
  const opens =
    determiners.has(lower) || pronouns.has(lower) || /^(?:this|that|these|those|then)$/.test(lower);
  if (others.test(before)) return !opens;
  const name = initial.exec(before)?.[1];
  return name !== undefined && !opens && !labelled.test(name) && !/^\p{Ll}/u.test(name);
}

/** What goes on behind a name such as `Yahoo!` or `empty?`. */
function isPredicate(lower: string): boolean {
  return (
    auxiliaries.has(lower) ||
    presents.has(lower) ||
    pasts.has(lower) ||
    participles.has(lower) ||
    prepositions.has(lower) ||
    isInS(lower) ||
    isParticiple(lower) ||
    /^(?:and|or|also|always|first|last|never|often|once|only|still|which|\p{L}+ly)$/u.test(lower)
  );
}

/** `the list.Add`, `in fmt.Println`: a name with a full stop inside stands behind these. */
function beginsName(lower: string): boolean {
  return (
    determiners.has(lower) ||
    prepositions.has(lower) ||
    auxiliaries.has(lower) ||
    /^(?:and|or|class|file|function|method|module|namespace|operator|package|property|type)$/.test(lower)
  );
}
