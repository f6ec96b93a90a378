/**
 * Draws plots in a worker thread that ends when idle: the plotting library and its DOM take some 80 MB and 200 ms to
 * load, which neither the start nor the memory of a server at rest should pay for.
 */
import { extname } from 'node:path';
import { WorkerQueue } from '../../../app/outside/worker-queue.ts';
import type { Drawn, PlotData } from './plot-data.ts';

export class Plotter {
  readonly #queue = new WorkerQueue<readonly PlotData[], readonly Drawn[]>(
    new URL(`./plot-worker${extname(import.meta.url)}`, import.meta.url),
    { resourceLimits: { maxYoungGenerationSizeMb: 16 } },
  );

  /** Pictures in the order of the plots. Where the thread failed there are none, and the tables say it all. */
  async draw(plots: readonly PlotData[]): Promise<readonly (Drawn | undefined)[]> {
    if (plots.length === 0) return [];
    return this.#queue.run(plots).catch(() => plots.map(() => undefined));
  }

  close(): Promise<void> {
    return this.#queue.close();
  }
}
