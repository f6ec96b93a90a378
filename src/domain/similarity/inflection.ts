/**
 * Which English words are forms of one another: `reduces` and `reduced`, `mouse` and `mice` (contract §5, "only
 * inflection differing"). A word has a small set of possible bases and two words belong together when they share
 * one; so `plans` and `planes` stay apart, which a stemmer would merge.
 */
import { remembering } from './remember.ts';
import { irregularNouns, irregularVerbs, uninflected } from './words/irregular.ts';

const irregular = new Map<string, string>();
for (const line of [...irregularNouns, ...irregularVerbs]) {
  const [base, ...forms] = line.split(' ') as [string, ...string[]];
  for (const form of forms) irregular.set(form, base);
}
/** Forms that can follow `was` or `has`; those of verbs that never change included. */
const participles = new Set(
  irregularVerbs.flatMap((line) => line.split(' ').slice(line.includes(' ') ? 1 : 0)),
);

/** The word itself and what it may be a plural, third person or past form of. */
export const bases = remembering((word): readonly string[] => {
  // `found` is a form of `find` only, lest it be the base of `founded`.
  const found = new Set([irregular.get(word) ?? word]);
  if (!isInflectable(word)) return [...found];
  if (word.endsWith('ies') && word.length > 4) found.add(`${word.slice(0, -3)}y`);
  else if (/(?:ss|sh|ch|x|z|o|[aiu]s)es$/.test(word) && word.length > 4)
    found.add(word.slice(0, -2)).add(word.slice(0, -1));
  else if (/[^sui]s$/.test(word)) found.add(word.slice(0, -1));
  if (word.endsWith('ied') && word.length > 4) found.add(`${word.slice(0, -3)}y`);
  else if (word.endsWith('ed')) addBare(found, word.slice(0, -2));
  return [...found];
});

const derivations = 'ing er est ly ion or ment ation ity al ance ence ive ory'.split(' ');

/** Also what it may be an -ing form, a comparative, an adverb or a noun of; enough to look a meaning up, not to call two words the same. */
export const roots = remembering((word): readonly string[] => {
  const found = new Set([word, ...bases(word)]);
  for (const form of bases(word)) {
    for (const ending of derivations) {
      if (!form.endsWith(ending) || form.length < ending.length + 3) continue;
      const rest = form.slice(0, -ending.length);
      addBare(found, rest);
      found.add(rest);
      if (rest.endsWith('i')) found.add(`${rest.slice(0, -1)}y`);
    }
  }
  return [...found];
});

/** Whether two words can be number, person or tense of one. */
export function isInflection(a: string, b: string): boolean {
  const others = bases(b);
  return bases(a).some((base) => others.includes(base));
}

/** Whether `was` before the word makes a passive and `has` a perfect. */
export function isParticiple(word: string): boolean {
  if (word.endsWith('ed') && word.length > 3) return true;
  return participles.has(word) || participles.has(word.replace(/^(?:re|over|under|out|un|mis)/, ''));
}

/** `reduc` of `reduced` is `reduce`; `stopp` is `stop`; `visit` is itself. A short `fil` would have doubled: it is `file`. */
function addBare(found: Set<string>, rest: string): void {
  found.add(`${rest}e`);
  if (/([bdfgklmnprt])\1$/.test(rest)) found.add(rest.slice(0, -1));
  if (!/^[^aeiou]*[aeiou][bdgklmnprt]$/.test(rest) && rest.length > 2) found.add(rest);
}

/** One key for all that may belong together, so that words can be aligned before they are judged. */
export const stem = remembering((word): string => {
  const base = irregular.get(word) ?? word;
  if (!isInflectable(base)) return base;
  const singular = base
    .replace(/(?<=[a-z]{2})ies$/, 'y')
    .replace(/(?<=ss|sh|ch|x|z)es$/, '')
    .replace(/(?<=[^sui])s$/, '');
  if (!isInflectable(singular)) return singular;
  return singular
    .replace(/(?<=[a-z]{2})ied$/, 'y')
    .replace(/(?<=[a-z]{2})(?:ed|ing)$/, '')
    .replace(/(?<=[a-z]{2})e$/, '')
    .replace(/([bdfgklmnprt])\1$/, '$1');
});

function isInflectable(word: string): boolean {
  return word.length > 3 && !uninflected.has(word) && /^[a-z]+$/.test(word);
}
