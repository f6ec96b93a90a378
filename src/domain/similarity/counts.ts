/**
 * In how many of some sets each of many numbers is, counted 32 numbers at a time. The counts lie in planes of bits:
 * the first holds the last binary digit of every count, the next the one before it. So a set given as bits is added
 * by a few logical operations on whole words, as an adder made of gates does it, and no number is looked at alone.
 */

export class Counts {
  /** Plane after plane, `#words` each. */
  readonly #planes: Int32Array;
  readonly #words: number;
  readonly #depth: number;

  /** Of the numbers below `size`, each counted `most` times at most. */
  constructor(size: number, most: number) {
    this.#words = Math.ceil(size / 32);
    // Eight sets at once reach the third plane, whatever is in them.
    this.#depth = Math.max(3, 32 - Math.clz32(most));
    this.#planes = new Int32Array(this.#words * this.#depth);
  }

  /** A set by its members. */
  addMembers(members: readonly number[]): void {
    const planes = this.#planes;
    const words = this.#words;
    for (const member of members) {
      const bit = 1 << (member & 31);
      let at = member >> 5;
      while (((planes[at] as number) & bit) !== 0) {
        planes[at] = (planes[at] as number) ^ bit;
        at += words;
      }
      planes[at] = (planes[at] as number) | bit;
    }
  }

  /** Sets of one bit for every number, 32 in a word; each at least as long as the counts. */
  addSets(sets: readonly Int32Array[]): void {
    const none = new Int32Array(this.#words);
    const at = (n: number): Int32Array => sets[n] ?? none;
    for (let n = 0; n < sets.length; n += 8)
      this.#addEight(at(n), at(n + 1), at(n + 2), at(n + 3), at(n + 4), at(n + 5), at(n + 6), at(n + 7));
  }

  /** Shows `visit` every number that is counted at least so often, with its count. */
  atLeast(least: number, visit: (member: number, count: number) => void): void {
    const planes = this.#planes;
    const words = this.#words;
    if (least >> this.#depth !== 0) return;
    for (let word = 0; word < words; word++) {
      let above = 0;
      let level = -1;
      for (let plane = this.#depth - 1; plane >= 0; plane--) {
        const digits = planes[plane * words + word] as number;
        if (((least >> plane) & 1) === 0) {
          above |= level & digits;
          level &= ~digits;
        } else level &= digits;
      }
      for (let left = above | level; left !== 0; left &= left - 1) {
        const bit = 31 - Math.clz32(left & -left);
        visit((word << 5) | bit, this.#countAt(word, bit));
      }
    }
  }

  #countAt(word: number, bit: number): number {
    let count = 0;
    for (let plane = 0; plane < this.#depth; plane++)
      count |= (((this.#planes[plane * this.#words + word] as number) >>> bit) & 1) << plane;
    return count;
  }

  /** By full adders: of three digits of one worth one stays in its plane, and one goes to the next. */
  #addEight(
    a: Int32Array,
    b: Int32Array,
    c: Int32Array,
    d: Int32Array,
    e: Int32Array,
    f: Int32Array,
    g: Int32Array,
    h: Int32Array,
  ): void {
    const planes = this.#planes;
    const words = this.#words;
    for (let word = 0; word < words; word++) {
      let ones = planes[word] as number;
      let twos = planes[words + word] as number;
      let fours = planes[2 * words + word] as number;
      let [first, second] = [a[word] as number, b[word] as number];
      let odd = ones ^ first;
      const ab = (ones & first) | (odd & second);
      ones = odd ^ second;
      [first, second] = [c[word] as number, d[word] as number];
      odd = ones ^ first;
      const cd = (ones & first) | (odd & second);
      ones = odd ^ second;
      [first, second] = [e[word] as number, f[word] as number];
      odd = ones ^ first;
      const ef = (ones & first) | (odd & second);
      ones = odd ^ second;
      [first, second] = [g[word] as number, h[word] as number];
      odd = ones ^ first;
      const gh = (ones & first) | (odd & second);
      ones = odd ^ second;

      odd = twos ^ ab;
      const abcd = (twos & ab) | (odd & cd);
      twos = odd ^ cd;
      odd = twos ^ ef;
      const efgh = (twos & ef) | (odd & gh);
      twos = odd ^ gh;

      odd = fours ^ abcd;
      let carried = (fours & abcd) | (odd & efgh);
      fours = odd ^ efgh;
      planes[word] = ones;
      planes[words + word] = twos;
      planes[2 * words + word] = fours;
      for (let at = 3 * words + word; carried !== 0; at += words) {
        const digits = planes[at] as number;
        planes[at] = digits ^ carried;
        carried &= digits;
      }
    }
  }
}
