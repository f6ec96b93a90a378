/**
 * Three-way merge of an article (contract §8, "merge on conflict"): the blocks that an edit was made from, those that
 * stand now, and those of the edit. Blocks are merged by their ids, then texts that both sides changed word by word.
 * What cannot be merged is a conflict, with a proposal. Pure.
 */
import { diff3Merge } from 'node-diff3';
import type { MatchedBlock } from './match-blocks.ts';
import { withPlainEnds } from './match-blocks.ts';

interface Standing {
  readonly div_id: string;
  readonly text: string;
}

export interface MergedBlock {
  /** The block that stands now; undefined for one that is new or was removed meanwhile. */
  readonly div_id: string | undefined;
  readonly text: string;
  /** Whose change it has; `none`: it reads as before. */
  readonly by: 'none' | 'theirs' | 'yours' | 'both';
}

/** A block that both sides changed in the same words, or that one side removed and the other changed. */
export interface BlockConflict {
  readonly div_id: string;
  readonly base: string;
  /** Null where that side removed the block. */
  readonly theirs: string | null;
  readonly yours: string | null;
  /** The words of both sides where they agree, yours where they do not. */
  readonly proposal: string;
}

export type Merged = MergedBlock | BlockConflict;

export function isConflict(merged: Merged): merged is BlockConflict {
  return 'proposal' in merged;
}

/** In the order in which the article is to read. */
export function mergeBlocks(
  base: readonly Standing[],
  theirs: readonly Standing[],
  yours: readonly Pick<MatchedBlock, 'div_id' | 'text'>[],
): readonly Merged[] {
  const texts = { base: textsOf(base), theirs: textsOf(theirs), yours: new Map<string, string>() };
  const fresh = new Map<string, string>();
  const keys = yours.map(({ div_id, text }, i) => {
    const key = div_id ?? `new ${i}`;
    (div_id === undefined ? fresh : texts.yours).set(key, text);
    return key;
  });
  const order = mergedOrder(
    base.map(({ div_id }) => div_id),
    theirs.map(({ div_id }) => div_id),
    keys,
    texts,
  );
  // Both sides may have written the same new block.
  const added = new Set(
    theirs.filter(({ div_id }) => !texts.base.has(div_id)).map(({ text }) => plain(text)),
  );
  return order.flatMap((key): Merged[] => {
    const own = fresh.get(key);
    if (own !== undefined)
      return added.has(plain(own)) ? [] : [{ div_id: undefined, text: own, by: 'yours' }];
    const [was, now, mine] = [texts.base.get(key), texts.theirs.get(key), texts.yours.get(key)];
    if (was === undefined) return now === undefined ? [] : [{ div_id: key, text: now, by: 'theirs' }];
    return mergedBlock(key, was, now, mine);
  });
}

function textsOf(blocks: readonly Standing[]): Map<string, string> {
  return new Map(blocks.map(({ div_id, text }) => [div_id, text]));
}

function plain(text: string): string {
  return withPlainEnds(text).trim();
}

/** A block of the base: `theirs` and `yours` are undefined where that side removed it. */
function mergedBlock(
  id: string,
  base: string,
  theirs: string | undefined,
  yours: string | undefined,
): Merged[] {
  const isTheirs = theirs === undefined || plain(theirs) !== plain(base);
  const isYours = yours === undefined || plain(yours) !== plain(base);
  if (theirs === undefined && (yours === undefined || !isYours)) return [];
  if (yours === undefined && !isTheirs) return [];
  if (theirs === undefined || yours === undefined)
    return [
      { div_id: id, base, theirs: theirs ?? null, yours: yours ?? null, proposal: yours ?? theirs ?? '' },
    ];
  if (!isYours) return [{ div_id: id, text: theirs, by: isTheirs ? 'theirs' : 'none' }];
  if (!isTheirs) return [{ div_id: id, text: yours, by: 'yours' }];
  if (plain(theirs) === plain(yours)) return [{ div_id: id, text: theirs, by: 'both' }];
  const { text, isClean } = mergeWords(base, theirs, yours);
  return isClean ? [{ div_id: id, text, by: 'both' }] : [{ div_id: id, base, theirs, yours, proposal: text }];
}

/** Longer texts are merged line by line: the merge takes time with the square of its parts. */
const wordsMax = 4000;

/** Merges what two sides made of a text. Where both changed the same words, `text` has those of `yours`. */
export function mergeWords(
  base: string,
  theirs: string,
  yours: string,
): { readonly text: string; readonly isClean: boolean } {
  const texts = [yours, base, theirs].map(withPlainEnds) as [string, string, string];
  const words = texts.map((text) => text.match(/\s*\S+|\s+$/g) ?? []);
  const parts = words.some(({ length }) => length > wordsMax)
    ? texts.map((text) => text.match(/.*\n|.+$/g) ?? [])
    : words;
  const [mine = [], was = [], other = []] = parts as string[][];
  const regions = diff3Merge(mine, was, other, { excludeFalseConflicts: true });
  return {
    text: regions.map(({ ok, conflict }) => (ok ?? conflict?.a ?? []).join('')).join(''),
    isClean: regions.every(({ conflict }) => conflict === undefined),
  };
}

type Texts = Readonly<Record<'base' | 'theirs' | 'yours', ReadonlyMap<string, string>>>;

/** The keys of all blocks that either side keeps or adds, merged as lists. */
function mergedOrder(
  base: readonly string[],
  theirs: readonly string[],
  yours: readonly string[],
  texts: Texts,
): readonly string[] {
  // A block that one side removed and the other changed stays in its place until it is decided.
  const disputed = base.filter((key) => isDisputed(key, texts));
  const [mine, other] = [yours, theirs].map((keys) => withKeys(keys, disputed, base)) as [string[], string[]];
  const regions = diff3Merge(mine, [...base], other, { excludeFalseConflicts: true });
  // Where both moved or added blocks, theirs come first.
  const listed = regions.flatMap(
    ({ ok, conflict }) => ok ?? [...(conflict?.b ?? []), ...(conflict?.a ?? [])],
  );
  const kept = [...new Set(listed)].filter((key) => !texts.base.has(key) || isKept(key, texts));
  return withKeys(
    kept,
    base.filter((key) => isKept(key, texts)),
    base,
  );
}

/** `keys` with those of `more` that it lacks, each behind the block that it stood behind in the base. */
function withKeys(keys: readonly string[], more: readonly string[], base: readonly string[]): string[] {
  const order = [...keys];
  const known = new Set(keys);
  for (const key of more) {
    if (known.has(key)) continue;
    const behind = base.slice(0, base.indexOf(key)).findLast((each) => known.has(each));
    order.splice(behind === undefined ? 0 : order.indexOf(behind) + 1, 0, key);
    known.add(key);
  }
  return order;
}

function isKept(key: string, texts: Texts): boolean {
  return (texts.theirs.has(key) && texts.yours.has(key)) || isDisputed(key, texts);
}

/** One side removed the block, the other changed it. */
function isDisputed(key: string, { base, theirs, yours }: Texts): boolean {
  const was = base.get(key);
  const left = theirs.get(key) ?? yours.get(key);
  if (was === undefined || left === undefined || (theirs.has(key) && yours.has(key))) return false;
  return plain(left) !== plain(was);
}
