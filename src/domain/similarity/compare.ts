/**
 * Whether two texts say the same, the contrary, something similar or something different. Similar wording alone decides
 * nothing, since near-identical wording often says the opposite; it only selects the pairs that are compared word by
 * word (contract §5 "Near-duplicates and contraries", spec §4.5.6). In doubt two texts are not duplicates.
 */
import { align, withoutMoved } from './align.ts';
import { difference, differencesIn, formDifference, type Difference } from './differences.ts';
import { wordSet } from './inflection.ts';
import { plainWording } from './normalise.ts';
import { jaccard, trigramsOf } from './trigrams.ts';
import { areEnglish, casedUnits, wordingOf, type Wording } from './wording.ts';
import { articles, directions, exclusions, fillers, formsOfBe, negations, quantifiers } from './words.ts';

export interface Verdict {
  readonly kind: 'duplicate' | 'contrary' | 'similar' | 'different';
  /** Jaccard index of the padded trigrams, three decimals; 1 for equal wording. */
  readonly similarity: number;
  /** What differs, kind first: `negation: not`, `antonym: increases/decreases`, `number: 5/7`; `…` after twelve. */
  readonly differs: readonly string[];
}

/** Below this similarity two texts are `different`. */
export const similarityMin = 0.4;

/** A text prepared for many comparisons. */
export interface Prepared {
  readonly text: string;
  readonly plain: string;
  /** Set by the first comparison that needs it. */
  wording?: Wording;
}

export function prepare(text: string): Prepared {
  return { text, plain: plainWording(text) };
}

/** The same for (a, b) and (b, a). */
export function compare(a: string, b: string): Verdict {
  return comparePrepared(prepare(a), prepare(b));
}

/** `known` is the similarity of the two texts where the caller has it. */
export function comparePrepared(a: Prepared, b: Prepared, known?: number): Verdict {
  // Texts without a word or sign, such as `:-)`, are the same only when they are equal.
  if (a.plain === '' && a.text.trim() !== b.text.trim())
    return { kind: 'different', similarity: 0, differs: [] };
  const similarity = a.plain === b.plain ? 1 : (known ?? jaccard(trigramsOf(a.plain), trigramsOf(b.plain)));
  if (similarity < similarityMin) return { kind: 'different', similarity, differs: [] };
  const differences = a.plain < b.plain ? differencesBetween(a, b) : differencesBetween(b, a);
  const kind = kindOf(differences);
  const units = kind === 'duplicate' ? differentUnits(a, b) : undefined;
  if (units !== undefined) return { kind: 'contrary', similarity, differs: [units] };
  return { kind, similarity, differs: labelsOf(differences) };
}

/** UTF-16 code units. Longer texts are duplicates only when their wording is equal. */
const comparedCharsMax = 10_000;
const beyondComparison = [difference('content', 'word', 'more than is compared')];

function differencesBetween(first: Prepared, second: Prepared): readonly Difference[] {
  if (first.plain === second.plain) return [];
  if (Math.max(first.text.length, second.text.length) > comparedCharsMax) return beyondComparison;
  const spaced = differentSpacing(first.plain, second.plain);
  if (spaced !== undefined) return [difference('harmless', 'spacing', spaced)];
  const a = (first.wording ??= wordingOf(first.plain));
  const b = (second.wording ??= wordingOf(second.plain));
  const english = areEnglish(a, b);
  const alignment = align(a.tokens, b.tokens);
  if (alignment === undefined) return beyondComparison;
  const { gaps, moved } = withoutMoved(alignment.gaps, english);
  return [
    ...alignment.pairs.map(([left, right]) => formDifference(left, right, english)),
    ...(moved.length > 0 ? [difference('reversing', 'word order', moved.slice(0, labelsMax).join(' '))] : []),
    ...gaps.flatMap((gap) => differencesIn(gap, english)),
  ];
}

/** More exchanged words than these, and the two texts no longer speak of one thing. */
const exchangedMax = 2;
/** Chance among many other changes. */
const looseKinds = new Set(['word order', 'voice']);

function kindOf(differences: readonly Difference[]): Verdict['kind'] {
  if (differences.every(({ weight }) => weight === 'harmless')) return 'duplicate';
  const contents = differences.filter(({ weight }) => weight === 'content');
  const exchanged = contents.filter(({ kind }) => kind === 'word');
  const reversing = differences.filter(
    ({ weight, kind }) =>
      weight === 'reversing' && (contents.length <= exchangedMax || !looseKinds.has(kind)),
  );
  const isContrary = reversing.length > 0 && exchanged.length <= exchangedMax && !mayCancelOut(reversing);
  return isContrary ? 'contrary' : 'similar';
}

/** `not valid` and `invalid`, or `Rome conquered …` and `… was conquered by Rome`. */
function mayCancelOut(reversing: readonly Difference[]): boolean {
  const kinds = new Set(reversing.map(({ kind }) => kind));
  if (reversing.length === 2 && kinds.has('negation') && kinds.has('antonym')) return true;
  return kinds.has('word order') && kinds.has('voice') && kinds.isSubsetOf(kindsOfVoice);
}

const kindsOfVoice = new Set(['word order', 'voice', 'direction']);

const labelsMax = 12;

/** Of many differences, first those that reverse the sentence. */
function labelsOf(differences: readonly Difference[]): readonly string[] {
  const labels = new Set(differences.map(({ label }) => label));
  if (labels.size <= labelsMax) return [...labels];
  const reversing = differences.filter(({ weight }) => weight === 'reversing').map(({ label }) => label);
  return [...[...new Set([...reversing, ...labels])].slice(0, labelsMax), '…'];
}

/** `number: MB/Mb` for texts that are otherwise the same. */
function differentUnits(a: Prepared, b: Prepared): string | undefined {
  const [first, second] = [casedUnits(a.text), casedUnits(b.text)].sort() as [string, string];
  return first === '' || first === second ? undefined : `number: ${first}/${second}`;
}

/** Never words of their own, so that `non toxic` can only be `nontoxic`. */
const boundParts = wordSet('non un dis mis pre post anti pro sub');
/** Words of their own that change the meaning: `a typical` is not `atypical`, `no table` is not `notable`. */
const meaningfulParts = new Set([
  ...wordSet(
    'in re en on with less more most full must shall may might can could should ought will would need',
  ),
  ...[articles, fillers, formsOfBe, negations, exclusions].flatMap((list) => [...list]),
  ...[quantifiers, directions].flatMap((groups) => [...groups.keys()]),
]);

/**
 * Where the same letters are separated differently, `data base/database`. Undefined where the letters differ or the
 * separation may change the meaning.
 */
function differentSpacing(plainLeft: string, plainRight: string): string | undefined {
  const [left, right] = [plainLeft.split(' '), plainRight.split(' ')];
  if (left.join('') !== right.join('')) return undefined;
  const found: string[] = [];
  for (let i = 0, j = 0; i < left.length;) {
    const [a, b] = [[left[i++] as string], [right[j++] as string]];
    for (let ahead = 1; ahead !== 0;) {
      ahead = a.join('').length - b.join('').length;
      if (ahead > 0) b.push(right[j++] as string);
      else if (ahead < 0) a.push(left[i++] as string);
    }
    if (a.length === 1 && b.length === 1) continue;
    if (![...a, ...b].every((part) => boundParts.has(part) || !meaningfulParts.has(part))) return undefined;
    if (!isHarmlessSeparation(a) || !isHarmlessSeparation(b)) return undefined;
    found.push(`${a.join(' ')}/${b.join(' ')}`);
  }
  return found.join(', ');
}

/** A space between two digits makes other numbers, and a sign has a meaning of its own. */
function isHarmlessSeparation(parts: readonly string[]): boolean {
  return parts.every((part, i) => {
    if (!/^[\p{L}\p{N}\p{M}.,]+$/u.test(part)) return parts.length === 1;
    return !/\p{Nd}$/u.test(parts[i - 1] ?? '') || !/^[\p{Nd}.,]/u.test(part);
  });
}
