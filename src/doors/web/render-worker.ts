/** Renders one article after another off the main thread; `RenderPool` ends it when a text takes too long. */
import { parentPort } from 'node:worker_threads';
import { articleHtml } from '../../represent/article-html.ts';

type Layout = Parameters<typeof articleHtml>[0];

parentPort?.on('message', (layout: Layout) => {
  // The time that a text may take runs from here, not from the start of the thread.
  parentPort?.postMessage('begun');
  parentPort?.postMessage(articleHtml(layout));
});
