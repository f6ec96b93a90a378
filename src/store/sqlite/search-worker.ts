/** The worker that owns the search file. It handles requests one at a time, in order. */
import { parentPort, workerData } from 'node:worker_threads';
import type { IndexCursor, SearchQuery, TermsQuery } from '../../engine/search-index.ts';
import { openSearchFile, type FiledDocument } from './search-file.ts';

export type SearchTask =
  | { readonly task: 'cursor' }
  | { readonly task: 'write'; readonly documents: readonly FiledDocument[]; readonly cursor: IndexCursor }
  | { readonly task: 'clear'; readonly scrubsApplied: number }
  | { readonly task: 'find'; readonly wanted: SearchQuery }
  | { readonly task: 'terms'; readonly wanted: TermsQuery };

/** What came of a task: JSON, which crosses over to another thread faster than thousands of objects. */
export type SearchReport = { readonly json: string } | { readonly failed: unknown };

const port = parentPort;
if (port !== null) {
  const file = openSearchFile(workerData as string);
  const run = (task: SearchTask): unknown => {
    switch (task.task) {
      case 'cursor':
        return file.cursor();
      case 'write':
        file.write(task.documents, task.cursor);
        return null;
      case 'clear':
        file.clear(task.scrubsApplied);
        return null;
      case 'find':
        return file.find(task.wanted);
      case 'terms':
        return file.termsBeginning(task.wanted);
    }
  };
  port.on('message', (task: SearchTask | 'close') => {
    if (task === 'close') {
      file.close();
      port.close();
      return;
    }
    try {
      port.postMessage({ json: JSON.stringify(run(task)) } satisfies SearchReport);
    } catch (failed) {
      port.postMessage({ failed } satisfies SearchReport);
    }
  });
}
