/** Histogram of durations: counters that are incremented in place, so that recording is cheap. */

/** Upper bounds in seconds; what took longer is beyond the last. */
const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10] as const;

export class DurationHistogram {
  readonly #counts = new Float64Array(bounds.length + 1);
  #count = 0;
  #sum = 0;

  add(ms: number): void {
    const seconds = ms / 1000;
    let i = 0;
    while (i < bounds.length && seconds > (bounds[i] as number)) i++;
    this.#counts[i] = (this.#counts[i] as number) + 1;
    this.#count += 1;
    this.#sum += seconds;
  }

  get count(): number {
    return this.#count;
  }

  get sumSeconds(): number {
    return this.#sum;
  }

  /** How many took no longer than each bound. */
  cumulative(): { readonly seconds: number; readonly count: number }[] {
    let count = 0;
    return bounds.map((seconds, i) => ({ seconds, count: (count += this.#counts[i] as number) }));
  }
}
