/**
 * Whether two texts say the same, the contrary, something alike or something else. Likeness of wording never
 * decides alone, since near-identical wording often says the opposite; it only decides which pairs are looked at
 * (contract §5 "Near-duplicates and contraries", spec §4.5.6). In stages, from the surest to the least:
 * equal wording, then what differs and how much that weighs. In doubt two texts are never called the same.
 */
import { align } from './align.ts';
import { difference, type Difference } from './difference.ts';
import { differencesIn, formDifference } from './differences.ts';
import { withoutMoved } from './moved.ts';
import { plainWording } from './normalise.ts';
import { differentSpacing } from './spacing.ts';
import { jaccard, trigramsOf } from './trigrams.ts';
import { casedUnits } from './units.ts';
import { areEnglish, wordingOf, type Wording } from './wording.ts';

export interface Verdict {
  readonly kind: 'duplicate' | 'contrary' | 'similar' | 'different';
  /** Jaccard index of the padded trigrams, three decimals; 1 for equal wording. */
  readonly similarity: number;
  /** What differs, kind first: `negation: not`, `antonym: increases/decreases`, `number: 5/7`; `…` after twelve. */
  readonly differs: readonly string[];
}

/** Below this likeness two texts are `different`, whatever they say. */
export const similarityMin = 0.4;

/** A text prepared once for many comparisons. Its words are only read when something like it is met, and kept. */
export interface Prepared {
  readonly text: string;
  /** Its plain wording. */
  readonly plain: string;
  wording?: Wording;
}

export function prepare(text: string): Prepared {
  return { text, plain: plainWording(text) };
}

/** The same for (a, b) and (b, a): the pair is put in one order first. */
export function compare(a: string, b: string): Verdict {
  return comparePrepared(prepare(a), prepare(b));
}

/** Of two prepared texts, with their likeness where it is known already. */
export function comparePrepared(a: Prepared, b: Prepared, known?: number): Verdict {
  // Without a single word or sign, such as `:-)`, only the very same text is the same.
  if (a.plain === '' && a.text.trim() !== b.text.trim())
    return { kind: 'different', similarity: 0, differs: [] };
  if (a.plain === b.plain) return { kind: 'duplicate', similarity: 1, differs: [], ...otherUnits(a, b) };
  const similarity = known ?? jaccard(trigramsOf(a.plain), trigramsOf(b.plain));
  if (similarity < similarityMin) return { kind: 'different', similarity, differs: [] };
  if (isLong(a.text, b.text)) return beyondComparison(similarity);
  const differences = a.plain < b.plain ? between(a, b) : between(b, a);
  const kind = kindOf(differences);
  return {
    kind,
    similarity,
    differs: labelsOf(differences),
    ...(kind === 'duplicate' ? otherUnits(a, b) : {}),
  };
}

/** UTF-16 code units; claims have 280 characters at most, objections seldom a tenth of this. */
const comparedMax = 10_000;

function isLong(a: string, b: string): boolean {
  return a.length > comparedMax || b.length > comparedMax;
}

function beyondComparison(similarity: number): Verdict {
  return { kind: 'similar', similarity, differs: ['word: more than is compared'] };
}

const labelsMax = 12;

/** Of many differences the first that turn the sentence, then the first others. */
function labelsOf(differences: readonly Difference[]): readonly string[] {
  const labels = firstLabels(differences);
  if (labels.length <= labelsMax) return labels;
  const turning = differences.filter((each) => each.weight === 'turns');
  return [...firstLabels([...turning, ...differences]).slice(0, labelsMax), '…'];
}

/** Different ones, one more than may be named. */
function firstLabels(differences: readonly Difference[]): string[] {
  const labels: string[] = [];
  for (const { label } of differences) {
    if (!labels.includes(label)) labels.push(label);
    if (labels.length > labelsMax) break;
  }
  return labels;
}

/** All else is the same, but `5 Mb` is not `5 MB`. */
function otherUnits(a: Prepared, b: Prepared): Partial<Verdict> {
  const [first, second] = [casedUnits(a.text), casedUnits(b.text)].sort() as [string, string];
  return first === '' || first === second
    ? {}
    : { kind: 'contrary', differs: [`number: ${first}/${second}`] };
}

function between(first: Prepared, second: Prepared): readonly Difference[] {
  const a = wordingOfPrepared(first);
  const b = wordingOfPrepared(second);
  const spaced = a.length === b.length ? differentSpacing(first.plain, second.plain) : undefined;
  if (spaced !== undefined) return [difference('harmless', 'spacing', spaced)];
  const english = areEnglish(a, b);
  const alignment = align(a.tokens, b.tokens);
  if (alignment === undefined) return [difference('content', 'word', 'more than is compared')];
  const { gaps, words } = withoutMoved(alignment.gaps, english);
  const found: Difference[] = [];
  for (const [left, right] of alignment.pairs) found.push(formDifference(left, right, english));
  if (words.length > 0) found.push(difference('turns', 'word order', words.slice(0, labelsMax).join(' ')));
  for (const gap of gaps) found.push(...differencesIn(gap, english));
  return found;
}

function wordingOfPrepared(text: Prepared): Wording {
  return (text.wording ??= wordingOf(text.plain.split(' ')));
}

/** So many words may be exchanged beside a turn; with more, the two texts no longer speak of one thing. */
const exchangedMax = 2;
/** Among many other changes these are chance. */
const looseTurns = new Set(['word order', 'voice']);

function kindOf(differences: readonly Difference[]): Verdict['kind'] {
  const contents = differences.filter((each) => each.weight === 'content');
  const exchanged = contents.filter((each) => each.kind === 'word');
  const turns = differences.filter(
    (each) => each.weight === 'turns' && (contents.length <= exchangedMax || !looseTurns.has(each.kind)),
  );
  if (turns.length > 0 && exchanged.length <= exchangedMax && !mayCancelOut(turns)) return 'contrary';
  return differences.every((each) => each.weight === 'harmless') ? 'duplicate' : 'similar';
}

/** `not valid` and `invalid`, `Rome conquered …` and `… was conquered by Rome`: two turns that may undo each other. */
function mayCancelOut(turns: readonly Difference[]): boolean {
  const kinds = new Set(turns.map((each) => each.kind));
  if (turns.length === 2 && kinds.has('negation') && kinds.has('antonym')) return true;
  return kinds.has('word order') && kinds.has('voice') && kinds.isSubsetOf(turnsOfVoice);
}

const turnsOfVoice = new Set(['word order', 'voice', 'direction']);
