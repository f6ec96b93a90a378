/**
 * Word lists of the comparison, as data (contract §5 "Near-duplicates and contraries"): words that reverse a sentence
 * when they appear, disappear or change; function words that leave it as it is; units; and spellings of one word.
 */
import { memoized, wordGroups, wordSet } from './inflection.ts';

/** Each word with the number of its group, the first one where it is in several. */
function byGroup(groups: readonly (readonly string[])[]): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  for (const [n, group] of groups.entries())
    for (const word of group) if (!numbers.has(word)) numbers.set(word, n);
  return numbers;
}

export const articles = wordSet('the a an');
/** Before these words an article counts: `a few` and `few`, `a number of` and `the number of`. */
export const wordsWithMeaningfulArticle = wordSet('few little number lot majority minority charge question');
/** Harmless where only one text has them. */
export const fillers = wordSet('that do does did also');
/** After these, and after a word in -ing, an `of` is harmless: `all of the`, `processing of data`. */
export const wordsBeforeFreeOf = wordSet('all half both');
export const formsOfBe = wordSet('is are was were be been being am');
export const formsOfHave = wordSet('has have had');
export const pastAuxiliaries = wordSet('was were had');
/** The words of a group may replace one another. */
export const synonyms = byGroup(
  wordGroups(`
  between among amongst; while whilst; toward towards; on upon; around round; all every each; often frequently;
  partly partially; only solely; mostly mainly; before prior; above over; below under beneath; further farther;
  amid amidst; though although`),
);

/** By these words a text is known to be English: `a` is an article in English and a preposition in Spanish. */
export const commonEnglish = wordSet(`
  the of and is are was were to by with for that than from on has have not it its as at be this these which or does an after before
  never cannot
`);
/** Common words of other languages that are not English words. */
export const commonElsewhere = wordSet(`
  der das und ist nicht ein eine einen dem mit von zu auf für sind im wird wurde haben auch bei nach sich werden
  le la les du et est dans une sur par pour qui que avec sont ne pas aux il elle ce cette dans
  el los las un una y es en por del su al lo como fue más está
  di che è gli della nel sono dei alla dos das não em um uma ao mais foi
  het een van niet voor dat zijn met wordt och att det som är på av till inte ikke og af
  z na nie się jest и в не на с как это что
`);

/** Names of one unit, separated by semicolons. */
export const unitNames = wordGroups(`
  percent %; permille ‰; nanosecond ns; microsecond µs μs us; millisecond ms; second s sec; minute min;
  hour h hr; day; week; month; year yr; decade; century; nanometer nanometre nm;
  micrometer micrometre µm μm um; millimeter millimetre mm; centimeter centimetre cm; meter metre m;
  kilometer kilometre km; mile mi; foot ft; inch; yard yd; microgram µg μg ug mcg; milligram mg; gram g;
  kilogram kilo kg; tonne; ton; pound lb; ounce oz; milliliter millilitre ml; centiliter centilitre cl;
  deciliter decilitre dl; liter litre l; gallon; b; byte; bit; kb; kilobyte; mb; megabyte; gb; gigabyte; tb;
  terabyte; kib; mib; gib; hertz hz; khz; mhz; ghz; watt w; kilowatt kw; mw; megawatt; volt v; kv; ampere amp;
  ma; celsius c; fahrenheit f; kelvin k; euro eur €; dollar usd $; gbp £; yen jpy ¥`);

/** One more or one fewer of these makes the contrary. */
export const negations = wordSet(`
  not no never none nobody nothing nowhere neither nor non cannot un hardly scarcely barely unable incapable nought nil
  fail fails failed failing failure lack lacks lacked lacking absence absent false untrue instead impossible
  nicht kein keine keinen keiner keinem keines nie niemals niemand nichts weder nirgends kaum nein
  ne pas non jamais rien aucun aucune personne ni guère nunca jamás nada nadie ningún ninguna ninguno
  mai nessuno nessuna niente não nem nenhum nenhuma ninguém niet geen nooit niemand niets inte ingen inget inga aldrig
  ikke ingen aldri aldrig не нет ни никогда нельзя ничего nie nigdy żaden bez değil yok لا ليس لم لن غير ما לא אין नहीं मत
`);

/** In scripts without spaces between words. */
export const negationCharacters = /[不没沒非无無未否勿莫毋]|ない|なく|なか|ません|せん|ไม่|มิ/gu;
/** A quantifier that only one text has, or of another group, changes the claim. */
export const quantifiers = byGroup(
  wordGroups(`
  all every each everyone everybody everything both alle alles jeder jede jedes sämtliche tous toutes todos todas tutti tutte все;
  some several various someone somebody something partly partially manche einige etliche quelques algunos algunas alcuni alcune некоторые;
  many much numerous often frequently usually generally typically viele beaucoup muchos muchas molti многие;
  most mostly mainly largely majority predominantly primarily meisten plupart mayoría;
  few little fewer seldom rarely occasionally wenige selten peu pocos pocas pochi;
  only solely exclusively merely just nur bloß seulement sólo solo soltanto только;
  always immer toujours siempre sempre всегда; sometimes manchmal parfois; half halb hälfte; once;
  twice double; thrice triple; least mindestens; höchstens; minority`),
);

/** Words of place, time, role and condition. One of another group reverses the relation. */
export const directions = byGroup(
  wordGroups(`
  to towards toward nach zu; from von aus; into onto; out off; for; against;
  before prior until till vor bevor bis; after since nachdem seit; above over über;
  below under beneath underneath unter; up upward upwards auf; down downward downwards ab; by; because due;
  despite although though notwithstanding; if when whenever; unless; pre; post; anti; pro; sub`),
);

export const exclusions = wordSet(`
  without except excepting excluding exception unless besides apart barring
  ohne außer ausgenommen sans sauf excepté hors sin salvo excepto senza tranne eccetto sem exceto zonder behalve utan utom uten без кроме
`);

/** Signs that compare, negate or raise to a power. */
export const meaningfulSigns = wordSet('< > ≤ ≥ = ≠ ≈ ± ^ ! ¬ ∈ ∉ ⊂ ⊃ ⊆ ⊇ → ← ↑ ↓ ⇒ ⇐ ∀ ∃');

/** Plain wordings have no apostrophes. */
export const contractions: ReadonlyMap<string, readonly string[]> = new Map(
  `dont/do doesnt/does didnt/did isnt/is arent/are wasnt/was werent/were hasnt/has havent/have hadnt/had cant/can cannot/can
  couldnt/could wont/will wouldnt/would shouldnt/should mustnt/must neednt/need mightnt/might`
    .split(/\s+/)
    .map((pair) => pair.split('/') as [string, string])
    .map(([short, verb]) => [short, [verb, 'not']]),
);

/** British and American endings. Both texts are respelled, so that only the agreement counts. */
const respellings: readonly (readonly [RegExp, string])[] = [
  [/^(col|fav|behavi|neighb|hon|lab|tum|flav|harb|hum|rum|vap|od|vig|rig|sav|endeav|arm)our/, '$1or'],
  [/(?<=[a-z]{2})is(e|es|ed|ing|er|ers|ation|ations)$/, 'iz$1'],
  [/yse(|d)$/, 'yze$1'],
  [/^(cent|fib|lit|met|theat|calib|lust|spect)re(s|d|)$/, '$1er$2'],
  [/^((?:kilo|centi|milli|micro|nano)(?:met|lit))re(s|)$/, '$1er$2'],
  [/ogue(s|)$/, 'og$1'],
  [/^(defen|offen|licen|preten)c(e|es|ed)$/, '$1s$2'],
  [/^(mod|trav|lab|canc|lev|fu|jew|tunn|chann|couns|quarr|mars|du)ell(ed|ing|er|ers)$/, '$1el$2'],
  [/^(sign|tot|riv|equ|met|initi)all(ed|ing|er|ers)$/, '$1al$2'],
  [/^(an|leuk|hypoglyc|hyperglyc|isch|ur|sept|bacter)aemi/, '$1emi'],
  [/^(h|p|f|c|gyn|orthop|an|)ae(?=m[aoi]|d[i]|c[ae]|sth|tio)/, '$1e'],
  [/oe(?=str|soph|dem|t(?:us|al)|a$)/, 'e'],
  [/^(program)me(s|)$/, '$1$2'],
  [/^grey/, 'gray'],
  [/^aluminium$/, 'aluminum'],
];
/** What a respelling could apply to. */
const respellable = /our|is[ei]|isa|yse|re|ogue|enc|ll|ae|oe|mme|grey|alumin/;

export const respell = memoized((word) =>
  respellable.test(word)
    ? respellings.reduce((spelt, [pattern, to]) => spelt.replace(pattern, to), word)
    : word,
);

export const numberWords: ReadonlyMap<string, number> = new Map([
  ...`zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
  seventeen eighteen nineteen`
    .split(/\s+/)
    .map((word, value) => [word, value] as const),
  ...'twenty thirty forty fifty sixty seventy eighty ninety'
    .split(' ')
    .map((word, i) => [word, 20 + 10 * i] as const),
]);

export const scaleWords: ReadonlyMap<string, number> = new Map([
  ['hundred', 100],
  ['thousand', 1000],
  ['million', 1e6],
  ['billion', 1e9],
  ['trillion', 1e12],
]);

export const ordinalWords: ReadonlyMap<string, string> = new Map(
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth'
    .split(' ')
    .map((word, i) => [word, `${i + 1}${['st', 'nd', 'rd'][i] ?? 'th'}`]),
);
