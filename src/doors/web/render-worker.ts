/** Renders one article after another off the main thread; `RenderPool` ends it when a text takes too long. */
import { parentPort } from 'node:worker_threads';
import { articleHtml } from '../../represent/article-html.ts';

type Layout = Parameters<typeof articleHtml>[0];

parentPort?.on('message', (layout: Layout) => {
  parentPort?.postMessage(articleHtml(layout));
});
