/**
 * English function words whose coming and going leaves a claim as it is, and the languages' commonest words by
 * which English is told from others: `a` is an article in English and a preposition in Spanish.
 */
const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

export const articles = words('the a an');
/** After these an article counts: `a few` and `few`, `the number of` and `a number of`. */
export const articlesCountBefore = words('few little number lot majority minority');
/** One-sided without effect, beside articles. */
export const fillers = words('that of do does did also');
export const beings = words('is are was were be been being am');
export const havings = words('has have had');
export const past = words('was were had');
/** Each line: words that may stand for one another. */
export const synonyms: readonly ReadonlySet<string>[] = [
  words('between among amongst'), words('while whilst'), words('toward towards'), words('on upon'), words('around round'),
  words('every each'), words('further farther'), words('amid amidst'), words('though although'),
];

export const commonEnglish = words(`
  the of and is are was were to by with for that than from on has have not it its as at be this these which or does an after before
`);
/** None of these is an English word too. */
export const commonElsewhere = words(`
  der das und ist nicht ein eine einen dem mit von zu auf für sind im wird wurde haben auch bei nach sich werden
  le la les du et est dans une sur par pour qui que avec sont ne pas aux il elle ce cette dans
  el los las un una y es en por del su al lo como fue más está
  di che è gli della nel sono dei alla dos das não em um uma ao mais foi
  het een van niet voor dat zijn met wordt och att det som är på av till inte ikke og af
  z na nie się jest и в не на с как это что
`);

/** Units by any of their names; after a number another unit is another amount. */
export const units: readonly ReadonlySet<string>[] = [
  '% percent percentage', '‰ permille', 'ns nanosecond', 'µs us μs microsecond', 'ms millisecond', 's sec second', 'min minute', 'h hr hour',
  'day', 'week', 'month', 'year yr', 'decade', 'century', 'nm nanometre nanometer', 'µm um μm micrometre micrometer', 'mm millimetre millimeter',
  'cm centimetre centimeter', 'm metre meter', 'km kilometre kilometer', 'mi mile', 'ft foot', 'in inch', 'yd yard',
  'µg ug μg mcg microgram', 'mg milligram', 'g gram', 'kg kilogram kilo', 't tonne ton', 'lb pound', 'oz ounce', 'ml millilitre milliliter',
  'cl centilitre', 'dl decilitre', 'l litre liter', 'gallon', 'b byte', 'bit', 'kb kilobyte', 'mb megabyte', 'gb gigabyte', 'tb terabyte',
  'kib', 'mib', 'gib', 'hz', 'khz', 'mhz', 'ghz', 'w watt', 'kw kilowatt', 'mw megawatt', 'v volt', 'kv', 'a ampere amp', 'ma',
  'c celsius', 'f fahrenheit', 'k kelvin', 'euro eur €', 'dollar usd $', 'gbp £', 'yen jpy ¥', 'thousand', 'million', 'billion', 'trillion',
  'times', 'fold',
].map(words);
