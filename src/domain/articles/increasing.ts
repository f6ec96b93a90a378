/** The longest increasing subsequence: of numbers that were reordered, the most that kept their order. */

/** The places of its numbers; absent ones are in none. Of several, the one that ends lowest. O(n log n). */
export function longestIncreasing(numbers: readonly (number | undefined)[]): ReadonlySet<number> {
  const before: (number | undefined)[] = [];
  /** By length, the place of the lowest number that ends a subsequence of it. */
  const ends: number[] = [];
  for (const [i, number] of numbers.entries()) {
    if (number === undefined) continue;
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((numbers[ends[middle] as number] as number) < number) low = middle + 1;
      else high = middle;
    }
    before[i] = ends[low - 1];
    ends[low] = i;
  }
  const found = new Set<number>();
  for (let at = ends.at(-1); at !== undefined; at = before[at]) found.add(at);
  return found;
}
