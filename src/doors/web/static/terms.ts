/**
 * The words of a text as the search of a static site finds them, and the file that lists a word. Pure, and without Node: the
 * export and the search page of the reader's browser must agree.
 */

const termCharsMax = 40;
/** Scripts without spaces between words: every two characters are a word. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

export function termsOf(text: string): readonly string[] {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .normalize('NFC')
    .toLowerCase();
  const terms: string[] = [];
  for (const [word] of plain.matchAll(/[\p{L}\p{N}]+/gu)) {
    if (!unspaced.test(word)) {
      terms.push(word.slice(0, termCharsMax));
      continue;
    }
    const characters = [...word];
    if (characters.length === 1) terms.push(word);
    for (let i = 1; i < characters.length; i++) terms.push(`${characters[i - 1]}${characters[i]}`);
  }
  return terms;
}

/** Words that begin with the same two letters or digits stand in one file; of other scripts, larger groups do. */
export function shardOf(term: string): string {
  const start = /^[a-z0-9]{1,2}/.exec(term)?.[0];
  if (start !== undefined) return start.padEnd(2, '_');
  return `u${((term.codePointAt(0) ?? 0) >> 8).toString(16)}`;
}

/** Where in an article a word stands, the least telling place first. */
export const fields = ['text', 'claim', 'heading', 'title'] as const;
export type Field = (typeof fields)[number];
