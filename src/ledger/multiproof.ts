/**
 * Merkle multiproof that many leaves are in a log (contract §6): the hashes of the ranges that hold none of them, in tree
 * order (RFC 6962 §2.1). Entries of one act are neighbours, so that a bundle of thousands of entries needs little more than
 * one path for each act.
 */

/** `indexes` ascend below `size`; `lines` gives the proof of one leaf, as `linesOf` writes it. In base64, as there. */
export async function multiproof(
  indexes: readonly number[],
  size: number,
  lines: (index: number) => Promise<string>,
): Promise<string[]> {
  const beside = new Map<string, string>();
  // What lies beside a range that holds leaves is beside the first or the last of neighbours.
  const ends = indexes.filter((index, i) => indexes[i - 1] !== index - 1 || indexes[i + 1] !== index + 1);
  for (const index of ends) {
    const path = (await lines(index)).trimEnd().split('\n');
    for (const [i, range] of rangesBeside(index, size).entries()) beside.set(range, path[i] as string);
  }
  const hashes: string[] = [];
  const gather = (from: number, to: number, held: readonly number[]): void => {
    if (held.length === to - from) return;
    if (held.length === 0) {
      hashes.push(beside.get(`${from} ${to}`) as string);
      return;
    }
    const middle = divided(from, to);
    const right = held.findIndex((index) => index >= middle);
    const left = right < 0 ? held.length : right;
    gather(from, middle, held.slice(0, left));
    gather(middle, to, held.slice(left));
  };
  gather(0, size, indexes);
  return hashes;
}

/** The ranges whose hashes make up the proof of one leaf, from the leaf's sibling up. */
function rangesBeside(index: number, size: number): string[] {
  const ranges: string[] = [];
  for (let from = 0, to = size; to - from > 1;) {
    const middle = divided(from, to);
    ranges.unshift(index < middle ? `${middle} ${to}` : `${from} ${middle}`);
    [from, to] = index < middle ? [from, middle] : [middle, to];
  }
  return ranges;
}

/** Where RFC 6962 divides a range of at least two leaves: behind the largest power of two that is smaller. */
function divided(from: number, to: number): number {
  let half = 1;
  while (half * 2 < to - from) half *= 2;
  return from + half;
}
