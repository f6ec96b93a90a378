/**
 * Time slices: long synchronous work yields to the event loop every few milliseconds, so that other requests are served
 * (QUALITY: the largest article).
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** What one slice may take before others have their turn. */
const sliceMs = 8;

/** One piece of work; `turn` is awaited between its parts wherever `isDue` says so. */
export class TimeSlices {
  #until = performance.now() + sliceMs;

  get isDue(): boolean {
    return performance.now() >= this.#until;
  }

  async yieldTurn(): Promise<void> {
    await nextTurn();
    this.#until = performance.now() + sliceMs;
  }

  async map<T, R>(items: Iterable<T>, make: (item: T, i: number) => R): Promise<R[]> {
    const made: R[] = [];
    for (const item of items) {
      made.push(make(item, made.length));
      if (this.isDue) await this.yieldTurn();
    }
    return made;
  }
}
