/** Draws plots off the main thread; `Plotter` ends the thread when it rests, and its memory with it. */
import { parentPort } from 'node:worker_threads';
import { drawPlot } from './draw-plot.ts';
import type { PlotData } from './plot-data.ts';

parentPort?.on('message', (plots: readonly PlotData[]) => parentPort?.postMessage(plots.map(drawPlot)));
