/**
 * Names of two parts that are asked for over and over. A name that is put together anew is copied and hashed anew by
 * every map it is looked up in; one that was made before is found by the hashes of its parts, which the runtime keeps.
 */

/** Names kept by one of these; when there are as many, all are forgotten: strangers choose them. */
const namesMax = 4096;
/** The longest part that is worth keeping. */
const partCharsMax = 128;

export class PairNames {
  readonly #between: string;
  readonly #known = new Map<string, Map<string, string>>();
  #count = 0;

  constructor(between: string) {
    this.#between = between;
  }

  of(left: string, right: string): string {
    return this.#known.get(left)?.get(right) ?? this.#made(left, right);
  }

  #made(left: string, right: string): string {
    const name = `${left}${this.#between}${right}`;
    if (left.length > partCharsMax || right.length > partCharsMax) return name;
    if (this.#count++ === namesMax) {
      this.#known.clear();
      this.#count = 1;
    }
    let names = this.#known.get(left);
    if (names === undefined) this.#known.set(left, (names = new Map<string, string>()));
    names.set(right, name);
    return name;
  }
}
