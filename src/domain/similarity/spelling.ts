/** One form for the spellings of a word: `colour` and `color`, `tumours` and `tumors`. No dictionary form, only one that agrees with itself. */
import { remembering } from './remember.ts';
import { respellings } from './words/spelling.ts';

/** Quick look for what a respelling could touch. */
const respellable = /our|is[ei]|isa|yse|re|ogue|enc|ll|ae|oe|mme|grey|alumin/;

export const respell = remembering((word): string => {
  if (!respellable.test(word)) return word;
  let spelt = word;
  for (const [pattern, to] of respellings) spelt = spelt.replace(pattern, to);
  return spelt;
});
