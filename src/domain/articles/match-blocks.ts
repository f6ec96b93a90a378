/**
 * Matching an edited text to the blocks that it was made from (contract §8, the editor): a block that reads as before
 * keeps its id wherever it stands, a changed one keeps the id of the block that it is an edit of, others are new. What
 * ARTICLE_REWRITE takes as blocks is made of the result. Pure; line ends of the text do not count as changes.
 */
import { diffArrays } from 'diff';
import { isFault, type Fault } from '../../kernel/fault.ts';
import type { BlockChange } from '../../model/article-writes.ts';
import type { Layout } from './blocks-change.ts';
import { divide, join, type DivKind, type Division } from './divide.ts';
import { longestIncreasing } from './increasing.ts';

export interface MatchedBlock {
  /** The block that it keeps; undefined for a new one. */
  readonly div_id: string | undefined;
  readonly text: string;
  readonly change: BlockChange;
  /** Its first line in the edited text, from 0. */
  readonly line: number;
}

export interface MatchedBlocks {
  readonly blocks: readonly MatchedBlock[];
  /** Ids of the blocks that the edited text no longer has. */
  readonly removed: readonly string[];
}

/** The text of an article as an editor has it: without what stands before the first block, every line ended by `\n`. */
export function editableText({ pieces }: Layout): string {
  return withPlainEnds(join('', pieces));
}

/** A Fault for a text that cannot be divided. */
export function matchBlocks(base: Layout, edited: string): MatchedBlocks | Fault {
  const lead = withPlainEnds(base.lead);
  const pieces = base.pieces.map(({ div_id, text, sep }) => ({
    div_id,
    text: withPlainEnds(text),
    sep: withPlainEnds(sep),
  }));
  const former = divide(join(lead, pieces));
  if (isFault(former)) return former;
  const division = divide(lead + withPlainEnds(edited));
  if (isFault(division)) return division;
  const before = unitsOf(former);
  const after = unitsOf(division);
  const pieceOfUnit = ownersOf(before, lead, pieces);
  const units = [...sameUnits(before, after)];
  pairGaps(before, after, units);
  const owners = units.map((unit) => (unit === undefined ? undefined : pieceOfUnit[unit]));
  const source = join(division.lead, division.blocks);
  const runs = runsOf(owners, after, source);
  const stays = longestIncreasing(runs.map(({ piece }) => piece));
  const lineEnd = /\r\n?/.exec(join(base.lead, base.pieces))?.[0] ?? '\n';
  const lineOf = lineCounter(source, division.lead.length);
  const blocks = runs.map(({ piece, text, start }, i): MatchedBlock => {
    const kept = piece === undefined ? undefined : base.pieces[piece];
    const line = lineOf(start);
    if (piece === undefined || kept === undefined)
      return { div_id: undefined, text: text.replaceAll('\n', lineEnd), change: 'made', line };
    return pieces[piece]?.text === text
      ? { div_id: kept.div_id, text: kept.text, change: stays.has(i) ? 'kept' : 'moved', line }
      : { div_id: kept.div_id, text: text.replaceAll('\n', lineEnd), change: 'edited', line };
  });
  const used = new Set(blocks.map(({ div_id }) => div_id));
  return {
    blocks,
    removed: base.pieces.flatMap(({ div_id }) => (used.has(div_id) ? [] : [div_id])),
  };
}

export function withPlainEnds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** A top-level block of a text. A DIV has one of them, or several where it is `mixed`. */
interface Unit {
  readonly text: string;
  readonly kind: DivKind;
  readonly start: number;
  readonly end: number;
}

function unitsOf({ lead, blocks }: Division): readonly Unit[] {
  let at = lead.length;
  return blocks.map(({ text, sep, kind }) => {
    const start = at;
    at += text.length + sep.length;
    return { text, kind, start, end: start + text.length };
  });
}

/** The index of the DIV that each unit is in. */
function ownersOf(
  units: readonly Unit[],
  lead: string,
  pieces: readonly { readonly text: string; readonly sep: string }[],
): readonly number[] {
  let piece = 0;
  let end = lead.length + lengthOf(pieces[0]);
  return units.map(({ start }) => {
    while (start >= end && piece < pieces.length - 1) end += lengthOf(pieces[++piece]);
    return piece;
  });
}

function lengthOf(piece: { readonly text: string; readonly sep: string } | undefined): number {
  return piece === undefined ? 0 : piece.text.length + piece.sep.length;
}

/** Beyond so many differences, equal units are found by their text alone. */
const editsMax = 1200;

/** For each unit of `after`, the index of the unit of `before` that reads the same; those in order come first. */
function sameUnits(before: readonly Unit[], after: readonly Unit[]): (number | undefined)[] {
  const found: (number | undefined)[] = after.map(() => undefined);
  const taken = new Set<number>();
  const changes = diffArrays(
    before.map(({ text }) => text),
    after.map(({ text }) => text),
    { maxEditLength: editsMax },
  );
  let [b, a] = [0, 0];
  for (const { count, added, removed } of changes ?? []) {
    if (!added && !removed)
      for (let i = 0; i < count; i++) {
        found[a + i] = b + i;
        taken.add(b + i);
      }
    if (!added) b += count;
    if (!removed) a += count;
  }
  const free = Map.groupBy(
    [...before.keys()].filter((i) => !taken.has(i)).toReversed(),
    (i) => (before[i] as Unit).text,
  );
  for (const [i, { text }] of after.entries()) found[i] ??= free.get(text)?.pop();
  return found;
}

/** Pairs that are compared within one gap, at most. */
const comparedMax = 160_000;

/** Gives the units of each stretch between two kept ones the units of `before` that they are edits of. */
function pairGaps(before: readonly Unit[], after: readonly Unit[], found: (number | undefined)[]): void {
  const inOrder = longestIncreasing(found);
  const taken = new Set(found);
  let [fromB, fromA] = [0, 0];
  for (let i = 0; i <= after.length; i++) {
    if (i < after.length && !inOrder.has(i)) continue;
    const toB = i < after.length ? (found[i] as number) : before.length;
    const old = range(fromB, toB).filter((each) => !taken.has(each));
    const fresh = range(fromA, i).filter((each) => found[each] === undefined);
    for (const [one, other] of editsIn(before, after, old, fresh)) found[other] = one;
    [fromB, fromA] = [toB + 1, i + 1];
  }
  pairMoved(before, after, found);
}

/** Pairs what is left over wherever it stands: blocks that were both moved and changed. */
function pairMoved(before: readonly Unit[], after: readonly Unit[], found: (number | undefined)[]): void {
  const taken = new Set(found);
  const old = range(0, before.length).filter((each) => !taken.has(each));
  const fresh = range(0, after.length).filter((each) => found[each] === undefined);
  if (old.length * fresh.length > comparedMax) return;
  const texts = new Map(
    [...old.map((b) => before[b]), ...fresh.map((a) => after[a])].map((unit) => [
      unit,
      comparedBy(unit?.text ?? ''),
    ]),
  );
  const likely = old
    .flatMap((b) =>
      fresh.map((a) => ({
        b,
        a,
        alike: likeness(texts.get(before[b]) as Compared, texts.get(after[a]) as Compared),
      })),
    )
    .filter(({ alike }) => alike >= 0.5)
    .sort((one, other) => other.alike - one.alike);
  for (const { b, a } of likely) {
    if (taken.has(b) || found[a] !== undefined) continue;
    found[a] = b;
    taken.add(b);
  }
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
}

type Pair = readonly [before: number, after: number];

function editsIn(
  before: readonly Unit[],
  after: readonly Unit[],
  old: readonly number[],
  fresh: readonly number[],
): readonly Pair[] {
  if (old.length === 0 || fresh.length === 0) return [];
  const known = new Map<Unit, Compared>();
  const compared = (unit: Unit): Compared => {
    const found = known.get(unit) ?? comparedBy(unit.text);
    known.set(unit, found);
    return found;
  };
  const isAlone = old.length === 1 && fresh.length === 1;
  const score = (b: number, a: number): number => {
    const [one, other] = [before[b] as Unit, after[a] as Unit];
    const alike = likeness(compared(one), compared(other));
    const least = one.kind !== other.kind ? 0.5 : isAlone ? 0.25 : 0.35;
    return alike >= least ? alike : 0;
  };
  // Most edits leave the ends of a stretch as they were but for a few words.
  const found: Pair[] = [];
  let [start, endB, endA] = [0, old.length, fresh.length];
  const isClear = (b: number, a: number): boolean => score(old[b] as number, fresh[a] as number) >= 0.6;
  while (start < endB && start < endA && isClear(start, start)) start++;
  while (endB > start && endA > start && isClear(endB - 1, endA - 1)) {
    endB--;
    endA--;
    found.push([old[endB] as number, fresh[endA] as number]);
  }
  for (let i = 0; i < start; i++) found.push([old[i] as number, fresh[i] as number]);
  const [restB, restA] = [old.slice(start, endB), fresh.slice(start, endA)];
  if (restB.length * restA.length > comparedMax) return found;
  return [...found, ...bestAlignment(restB, restA, score)];
}

/** The pairs in order whose scores have the greatest sum. */
function bestAlignment(
  old: readonly number[],
  fresh: readonly number[],
  score: (b: number, a: number) => number,
): readonly Pair[] {
  const width = fresh.length + 1;
  const best = new Float64Array((old.length + 1) * width);
  const scores = old.map((b) => fresh.map((a) => score(b, a)));
  const at = (b: number, a: number): number => best[b * width + a] as number;
  for (let b = old.length - 1; b >= 0; b--)
    for (let a = fresh.length - 1; a >= 0; a--) {
      const alike = (scores[b] as number[])[a] as number;
      best[b * width + a] = Math.max(at(b + 1, a), at(b, a + 1), alike === 0 ? 0 : alike + at(b + 1, a + 1));
    }
  const found: Pair[] = [];
  for (let b = 0, a = 0; b < old.length && a < fresh.length;) {
    const alike = (scores[b] as number[])[a] as number;
    if (alike > 0 && at(b, a) === alike + at(b + 1, a + 1))
      found.push([old[b++] as number, fresh[a++] as number]);
    else if (at(b, a) === at(b + 1, a)) b++;
    else a++;
  }
  return found;
}

interface Bag {
  readonly counts: ReadonlyMap<string, number>;
  readonly size: number;
}

/** What a text is compared by. */
interface Compared {
  readonly words: Bag;
  /** Pairs of characters, for short texts. */
  pairs(): Bag;
}

/** Texts of fewer words are compared by pairs of characters. */
const wordsMin = 6;

function comparedBy(text: string): Compared {
  const lower = text.toLowerCase();
  const words = lower.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}]+/gu) ?? [];
  let pairs: Bag | undefined;
  return {
    words: bagOf(words),
    pairs() {
      const characters = [...lower];
      pairs ??= bagOf(characters.slice(1).map((character, i) => `${characters[i]}${character}`));
      return pairs;
    },
  };
}

function bagOf(parts: readonly string[]): Bag {
  const counts = new Map<string, number>();
  for (const part of parts) counts.set(part, (counts.get(part) ?? 0) + 1);
  return { counts, size: parts.length };
}

function likeness(one: Compared, other: Compared): number {
  return Math.min(one.words.size, other.words.size) < wordsMin
    ? overlap(one.pairs(), other.pairs())
    : overlap(one.words, other.words);
}

/** Twice what both have, over what they have together: 0 for nothing in common, 1 for the same words. */
function overlap(one: Bag, other: Bag): number {
  const [small, large] = one.counts.size < other.counts.size ? [one, other] : [other, one];
  let common = 0;
  for (const [part, count] of small.counts) common += Math.min(count, large.counts.get(part) ?? 0);
  return one.size + other.size === 0 ? 0 : (2 * common) / (one.size + other.size);
}

interface Run {
  /** Index of the DIV that it is; undefined for a new one. */
  readonly piece: number | undefined;
  readonly text: string;
  readonly start: number;
}

/** Units in the order of the edited text; those of one `mixed` DIV that still stand together are one. */
function runsOf(
  owners: readonly (number | undefined)[],
  units: readonly Unit[],
  source: string,
): readonly Run[] {
  const used = new Set<number>();
  const runs: Run[] = [];
  for (let i = 0; i < units.length; i++) {
    const owner = owners[i];
    const piece = owner === undefined || used.has(owner) ? undefined : owner;
    let last = i;
    if (piece !== undefined) {
      used.add(piece);
      for (let j = i + 1; j < units.length && (owners[j] === undefined || owners[j] === piece); j++)
        if (owners[j] === piece) last = j;
    }
    const { start } = units[i] as Unit;
    runs.push({ piece, text: source.slice(start, (units[last] as Unit).end), start });
    i = last;
  }
  return runs;
}

/** Lines before an offset, asked for in rising order. */
function lineCounter(source: string, from: number): (offset: number) => number {
  let [at, line] = [from, 0];
  return (offset) => {
    for (; at < offset; at++) if (source.charCodeAt(at) === 10) line++;
    return line;
  };
}
