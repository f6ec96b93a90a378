/**
 * English function words whose coming and going leaves a claim as it is, and the languages' commonest words by
 * which English is told from others: `a` is an article in English and a preposition in Spanish.
 */
import { grouped } from './grouped.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

export const articles = words('the a an');
/** Before these an article counts: `a few` and `few`, `a number of` and `the number of`, `in charge` and `in the charge`. */
export const articlesCountBefore = words('few little number lot majority minority charge question');
/** One-sided without effect, beside articles. */
export const fillers = words('that do does did also');
/** Behind these, and behind a word in -ing, an `of` may go: `all of the`, `processing of data`. */
export const ofFree = words('all half both');
export const beings = words('is are was were be been being am');
export const havings = words('has have had');
export const past = words('was were had');
/** Each line: words that may stand for one another. */
export const synonyms = grouped([
  'between among amongst',
  'while whilst',
  'toward towards',
  'on upon',
  'around round',
  'all every each',
  'often frequently',
  'partly partially',
  'only solely',
  'mostly mainly',
  'before prior',
  'above over',
  'below under beneath',
  'further farther',
  'amid amidst',
  'though although',
]);

export const commonEnglish = words(`
  the of and is are was were to by with for that than from on has have not it its as at be this these which or does an after before
  never cannot
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

/** Units by any of their names, the clearest first; after a number another unit is another amount. */
export const units: readonly ReadonlySet<string>[] = [
  'percent %',
  'permille ‰',
  'nanosecond ns',
  'microsecond µs μs us',
  'millisecond ms',
  'second s sec',
  'minute min',
  'hour h hr',
  'day',
  'week',
  'month',
  'year yr',
  'decade',
  'century',
  'nanometer nanometre nm',
  'micrometer micrometre µm μm um',
  'millimeter millimetre mm',
  'centimeter centimetre cm',
  'meter metre m',
  'kilometer kilometre km',
  'mile mi',
  'foot ft',
  'inch',
  'yard yd',
  'microgram µg μg ug mcg',
  'milligram mg',
  'gram g',
  'kilogram kilo kg',
  'tonne',
  'ton',
  'pound lb',
  'ounce oz',
  'milliliter millilitre ml',
  'centiliter centilitre cl',
  'deciliter decilitre dl',
  'liter litre l',
  'gallon',
  'b',
  'byte',
  'bit',
  'kb',
  'kilobyte',
  'mb',
  'megabyte',
  'gb',
  'gigabyte',
  'tb',
  'terabyte',
  'kib',
  'mib',
  'gib',
  'hertz hz',
  'khz',
  'mhz',
  'ghz',
  'watt w',
  'kilowatt kw',
  'mw',
  'megawatt',
  'volt v',
  'kv',
  'ampere amp',
  'ma',
  'celsius c',
  'fahrenheit f',
  'kelvin k',
  'euro eur €',
  'dollar usd $',
  'gbp £',
  'yen jpy ¥',
].map(words);
