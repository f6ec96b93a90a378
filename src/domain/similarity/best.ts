/** The few best of many, in order, at the cost of a glance at each: no list of all is kept or sorted. */
export class Best {
  readonly taken: { readonly ordinal: number; readonly similarity: number }[] = [];
  readonly #byOrder: (a: number, b: number) => number;
  readonly #limit: number;

  /** `byOrder` decides between equally similar ones. */
  constructor(byOrder: (a: number, b: number) => number, limit: number) {
    this.#byOrder = byOrder;
    this.#limit = limit;
  }

  offer(ordinal: number, similarity: number): void {
    const last = this.taken.at(-1);
    const isFull = this.taken.length >= this.#limit;
    if (isFull && (last === undefined || !this.#isBefore(ordinal, similarity, last))) return;
    const at = this.taken.findIndex((each) => this.#isBefore(ordinal, similarity, each));
    this.taken.splice(at < 0 ? this.taken.length : at, 0, { ordinal, similarity });
    if (isFull) this.taken.pop();
  }

  #isBefore(
    ordinal: number,
    similarity: number,
    than: { readonly ordinal: number; readonly similarity: number },
  ): boolean {
    return similarity === than.similarity
      ? this.#byOrder(ordinal, than.ordinal) < 0
      : similarity > than.similarity;
  }
}
