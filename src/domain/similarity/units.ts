/** Units of amounts: their one name, and those whose letters mean something else in the other case. */
import { fold } from './normalise.ts';
import { units } from './words/harmless.ts';

const names = new Map<string, string>([
  ['feet', 'ft'],
  ['inches', 'in'],
]);
for (const group of units) for (const name of group) names.set(name, [...group][0] as string);

/** `s` for `seconds`; nothing for a word that is no unit. Only asked behind a number, where `s` is one. */
export function unitOf(word: string): string | undefined {
  return (
    names.get(word) ?? (word.length > 3 && word.endsWith('s') ? names.get(word.slice(0, -1)) : undefined)
  );
}

const cased =
  /(?<=\d ?)(?:[kKmMgGtTµnp]?(?:b|B|w|W|g|G|m|M|hz|Hz|HZ|v|V|a|A|pa|Pa)|[kKmMgG]?bps|[kKmMgG]?Bps)(?:\/?s)?(?![\p{L}\p{N}])/gu;

/** The units of a text as they are written: `Mb` and `MB` differ. Nothing where the text has only one case, which says nothing. */
export function casedUnits(text: string): string {
  const folded = fold(text);
  if (folded === folded.toLowerCase() || folded === folded.toUpperCase()) return '';
  return [...folded.matchAll(cased)].join(' ');
}
