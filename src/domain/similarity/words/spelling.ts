/** Spellings of one word, as data: contractions, British and American endings, and numbers written out. */

/** Apostrophes are gone by now. */
export const contractions: ReadonlyMap<string, readonly string[]> = new Map(
  `dont/do doesnt/does didnt/did isnt/is arent/are wasnt/was werent/were hasnt/has havent/have hadnt/had cant/can cannot/can
  couldnt/could wont/will wouldnt/would shouldnt/should mustnt/must neednt/need mightnt/might`
    .split(/\s+/)
    .map((pair) => pair.split('/') as [string, string])
    .map(([short, verb]) => [short, [verb, 'not']]),
);

/** Applied to both sides, so that it only has to agree with itself. */
export const respellings: readonly (readonly [RegExp, string])[] = [
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

export const numberWords: ReadonlyMap<string, number> = new Map([
  ...'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'
    .split(' ')
    .map((word, value): [string, number] => [word, value]),
  ...'twenty thirty forty fifty sixty seventy eighty ninety'
    .split(' ')
    .map((word, i): [string, number] => [word, 20 + 10 * i]),
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

/** Digits read one by one, as years are: 一九五七. */
export const numeralCharacters = '〇零一二三四五六七八九十百千万亿两萬億兩';
export const digitCharacters = '〇一二三四五六七八九';
