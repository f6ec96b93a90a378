/** Renders articles one after another off the main thread; `RenderPool` terminates it on timeout. */
import { parentPort } from 'node:worker_threads';
import { articleHtml } from '../../represent/article-html.ts';

type Layout = Parameters<typeof articleHtml>[0];

parentPort?.on('message', (layout: Layout) => {
  // The timeout of a text begins here, not with the start of the thread.
  parentPort?.postMessage('begun');
  parentPort?.postMessage(articleHtml(layout));
});
