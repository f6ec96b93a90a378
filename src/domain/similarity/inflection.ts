/**
 * English inflections: which words are forms of one another, such as `reduces` and `reduced` or `mouse` and `mice`
 * (contract §5, "only inflection differing"). A word has a small set of possible bases, and two words are forms of one
 * word when they share a base. A stemmer alone would merge `plans` and `planes`.
 */
import { LRUCache } from 'lru-cache';

/** Base form first. */
const irregularNouns = `
  man men; woman women; child children; foot feet; tooth teeth; mouse mice; goose geese; person people;
  index indices indexes; matrix matrices; vertex vertices; appendix appendices; analysis analyses; basis bases;
  hypothesis hypotheses; thesis theses; crisis crises; diagnosis diagnoses; axis axes; phenomenon phenomena;
  criterion criteria; datum data; medium media; bacterium bacteria; virus viruses; nucleus nuclei;
  stimulus stimuli; locus loci; fungus fungi; leaf leaves; life lives; knife knives; half halves; wolf wolves;
  wife wives; shelf shelves; mitochondrion mitochondria; ovum ova; antenna antennae; alga algae;
  vertebra vertebrae; larva larvae; ox oxen`;
/** A verb alone on its entry never changes its form. */
const irregularVerbs = `
  go goes went gone; do does did done; have has had; say said; make made; take took taken; give gave given;
  get got gotten; come came; become became; see saw seen; know knew known; think thought; find found;
  tell told; leave left; keep kept; begin began begun; show showed shown; hear heard; run ran; bring brought;
  write wrote written; sit sat; stand stood; lose lost; pay paid; meet met; lead led; grow grew grown;
  speak spoke spoken; spend spent; win won; teach taught; buy bought; send sent; fall fell fallen; build built;
  break broke broken; drive drove driven; catch caught; draw drew drawn; choose chose chosen; rise rose risen;
  hold held; sell sold; eat ate eaten; fight fought; fly flew flown; forget forgot forgotten;
  freeze froze frozen; hide hid hidden; sing sang sung; sink sank sunk; sleep slept; steal stole stolen;
  swim swam swum; throw threw thrown; wear wore worn; feel felt; mean meant; seek sought; shrink shrank shrunk;
  spring sprang sprung; strike struck; swear swore sworn; understand understood; wake woke woken; bind bound;
  bite bit bitten; blow blew blown; breed bred; deal dealt; dig dug; feed fed; forbid forbade forbidden;
  shoot shot; stick stuck; swing swung; undergo undergoes underwent undergone; arise arose arisen;
  overcome overcame; withdraw withdrew withdrawn; uphold upheld; overthrow overthrew overthrown;
  undertake undertook undertaken; weave wove woven; read; beat beaten; use used; die died; lie lied; tie tied;
  cut; put; set; hit; shut; spread; shed; split`;
/** Ends in s and is neither a plural nor a third person; or ends in ed or ing and is not a form of a verb. */
const uninflected =
  wordSet(`news means series species physics mathematics economics politics ethics dynamics genetics mechanics statistics diabetes
  rabies measles always perhaps whereas besides less unless across towards this his its thus plus minus versus is was has as us
  does goods customs arms glasses gas bus lens atlas bias chaos cosmos basis axis alias canvas christmas texas kansas paris
  need seed speed breed bleed feed indeed exceed proceed hundred sacred naked red bed led shed embed thing things nothing
  something anything everything king ring spring string bring wing morning evening during
  ceiling sterling species herring wedding`);

const irregular = new Map<string, string>();
for (const [base, ...forms] of [...wordGroups(irregularNouns), ...wordGroups(irregularVerbs)])
  for (const form of forms) irregular.set(form, base as string);
/** Forms that can follow `was` or `has`. */
const participles = new Set(
  wordGroups(irregularVerbs).flatMap(([base, ...forms]) => (forms.length > 0 ? forms : [base as string])),
);

export function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** Groups are separated by semicolons, their words by spaces. */
export function wordGroups(text: string): string[][] {
  return text.split(';').map((group) => group.trim().split(/\s+/));
}

/** Caches a pure function of one word for the few thousand words that texts share. */
export function memoized<T extends object | string>(of: (word: string) => T): (word: string) => T {
  const cache = new LRUCache<string, T>({ max: 4096 });
  return (word) => {
    const cached = cache.get(word);
    if (cached !== undefined) return cached;
    const answer = of(word);
    // A longer word is not a word of a language, and would only take memory.
    if (word.length <= 64) cache.set(word, answer);
    return answer;
  };
}

/** The word itself and what it may be a plural, third person or past form of. */
export const bases = memoized((word): readonly string[] => {
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
export const roots = memoized((word): readonly string[] => {
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
export const stem = memoized((word) => {
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
