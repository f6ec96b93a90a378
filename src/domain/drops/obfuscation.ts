/**
 * Obfuscated words (spec §1, rule 6): homoglyphs, digits for letters, spaced letters, emphasis and list marks are undone
 * before a line is checked. The owner's name is found in any order and case of its parts, with or without accents, run
 * together or apart.
 */
const homoglyphs: Readonly<Record<string, string>> = {
  а: 'a',
  в: 'b',
  с: 'c',
  е: 'e',
  һ: 'h',
  і: 'i',
  ј: 'j',
  к: 'k',
  м: 'm',
  н: 'h',
  о: 'o',
  р: 'p',
  ѕ: 's',
  т: 't',
  у: 'y',
  х: 'x',
  α: 'a',
  β: 'b',
  ε: 'e',
  ι: 'i',
  κ: 'k',
  ν: 'v',
  ο: 'o',
  ρ: 'p',
  τ: 't',
  υ: 'u',
  χ: 'x',
};

export function namesOwner(text: string, ownerName: string | undefined): boolean {
  const parts = partsOf(ownerName ?? '');
  if (parts.length === 0) return false;
  const words = partsOf(text);
  if (parts.every((part) => words.includes(part))) return true;
  // A long last name alone tells who it is.
  const last = parts.at(-1) as string;
  if (last.length >= 5 && words.includes(last)) return true;
  // Run together, the parts are told from chance by their length.
  const joined = parts.join('');
  return joined.length >= 6 && words.join('').includes(joined);
}

/** Letters and digits of each word, foldLetters; initials are too common to mean somebody. */
function partsOf(text: string): string[] {
  return foldLetters(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part.length > 1);
}

function foldLetters(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .toLowerCase()
    .replace(/[^\p{ASCII}]/gu, (letter) => homoglyphs[letter] ?? letter);
}

const leetDigits: Readonly<Record<string, string>> = {
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
const spacedLetters = /(?<![A-Za-z0-9'])(?:[A-Za-z][ .\-_]){2,}[A-Za-z](?![A-Za-z0-9'])/g;
/** A figure between letters, in a word that is no id, no name of an algorithm and no number with its unit. */
const leetWord = /(?<![\w./:=@#-])[A-Za-z]+[013457@$]+[a-z][a-z0134579@$]*(?![\w=@-])/g;

/** Addresses are data: `{}` stands for a template, `<>` for any other. */
export function deobfuscate(line: string): string {
  return line
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/[‘’]/g, "'")
    .replace(/https?:\/\/\S*\{\w+\}\S*/g, ' {} ')
    .replace(/https?:\/\/\S+/g, ' <> ')
    .replace(/\bsh\.[A-Za-z0-9_-]{20,}/g, ' ')
    .replace(listMarks, '')
    .replace(emphasis, '')
    .replace(/\p{L}+/gu, (word) => (isMixedScript(word) ? folded(word) : word))
    .replace(spacedLetters, (letters) => letters.replace(/[ .\-_]/g, ''))
    .replace(leetWord, (word) => word.replace(/[0134579@$]/g, (figure) => leetDigits[figure] ?? figure))
    .trim();
}

/** Letters of two alphabets in one word: those of the other one stand for Latin ones. */
function isMixedScript(word: string): boolean {
  return /[A-Za-z]/.test(word) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(word);
}

function folded(word: string): string {
  return word.replace(/[^\p{ASCII}]/gu, (letter) => {
    const lookalike = homoglyphs[letter.toLowerCase()];
    if (lookalike === undefined) return letter;
    return letter === letter.toLowerCase() ? lookalike : lookalike.toUpperCase();
  });
}
