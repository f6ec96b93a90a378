/**
 * The wording of a text without what carries no meaning: case, punctuation, spacing, markup, character variants.
 * Two texts with the same plain wording say the same (contract §5, first stage), so that everything which can
 * turn a meaning stays in it: minus, comparison and currency signs, exponents, decimal points, `#` and `+`.
 */

/** Scripts written without spaces between words: every character is a token of its own. */
const unspaced = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]`;
const letter = String.raw`[[\p{L}\p{M}]--${unspaced}]`;

const number = String.raw`(?:(?<![\p{L}\p{N}\p{M}\)\]]|\p{Nd} )-)?(?:(?<![\p{L}\p{N}])\.)?\p{Nd}+(?:[.,]\p{Nd}+)*(?!\p{Nd}|${letter})`;
const word = String.raw`(?:${letter}|\p{N})+(?:'${letter}+|(?<=\p{Nd})[.,]\p{Nd}+)*`;
/** Signs that mean something only between digits: ratios, ranges, fractions. */
const between = String.raw`(?<=\p{Nd} ?)[\-:\/](?= ?\p{Nd})`;
const sign = String.raw`[[\p{Sm}\p{Sc}\p{So}%‰#@^′\\]--[\|®©]]|!(?=[\p{L}\p{N}=\(])`;
const token = new RegExp(`${number}|${unspaced}|${word}|${between}|${sign}`, 'gv');

const plainAscii = /^[a-z ]+$/;
const raised = /(?<=[\p{L}\p{N})\]])[⁰¹²³⁴-⁹⁺⁻ⁿ]+/gu;
const fractions = /[¼-¾⅐-⅞]/gu;
const dashes = /[‐-―−﹘﹣－]/gu;
const apostrophes = /[’‘ʼ`´＇]/gu;
const invisible = /\p{Cf}/gu;
/** Marks at the start of a line: quotes, headings, list items. `> 5 %` is no quote. */
const lineMarks = /^[ \t]*(?:(?:>+|#{1,6}|[*+-])[ \t]+(?![\d.]))+/gm;
/** `U.S.`, `e.g.`: the points of abbreviations go, so that the letters stay together. */
const initials = /(?<![\p{L}\p{N}])(?:\p{L}\.)+\p{L}(?![\p{L}\p{N}])/gu;

/** The tokens of a text in order: words and numbers in lower case, single characters, signs. */
export function plainTokens(text: string): string[] {
  const folded = fold(text).toLowerCase();
  if (plainAscii.test(folded)) return folded.split(' ').filter((part) => part !== '');
  return (folded.match(token) ?? []).map((part) => part.replaceAll("'", ''));
}

/** The plain wording: equal for texts that differ in nothing but case, punctuation, spacing and markup. */
export function plainWording(text: string): string {
  return plainTokens(text).join(' ');
}

/** Character variants folded, case kept. */
export function fold(text: string): string {
  return text
    .replace(raised, (run) => `^${run.normalize('NFKC')}`)
    .replace(fractions, (char) => ` ${char.normalize('NFKC').replace('⁄', '/')}`)
    .normalize('NFKC')
    .replace(invisible, '')
    .replace(dashes, '-')
    .replace(apostrophes, "'")
    .replace(lineMarks, '')
    .replace(initials, (run) => run.replaceAll('.', ''))
    .replaceAll('&', ' and ');
}
