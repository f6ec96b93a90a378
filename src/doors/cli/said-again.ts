/** What is said over and over, such as that a disk is full: once a minute is enough for whoever reads the log. */

const everyMs = 60_000;
/** Different things that are remembered; beyond, all are forgotten. */
const rememberedMax = 100;

export class SaidAgain {
  readonly #said = new Map<string, { readonly at: number; left: number }>();

  /** How often the same was left out since it was last said; undefined where it is to be left out now too. */
  due(what: string, nowMs = performance.now()): number | undefined {
    const before = this.#said.get(what);
    if (before !== undefined && nowMs - before.at < everyMs) {
      before.left++;
      return undefined;
    }
    if (this.#said.size >= rememberedMax) this.#said.clear();
    this.#said.set(what, { at: nowMs, left: 0 });
    return before?.left ?? 0;
  }
}
