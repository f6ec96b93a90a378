/**
 * Long work in slices: an answer that is made of ten thousand parts gives way to other requests every few
 * milliseconds (QUALITY: the largest article), and one of a few parts is made at once.
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
