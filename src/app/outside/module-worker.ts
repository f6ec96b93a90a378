/**
 * The thread in which one call of an owner's function runs. The function is the default export of a module that was
 * handed over as bytes, so that what runs is what was hashed; it can import Node's own modules and no files.
 */
import { parentPort, workerData } from 'node:worker_threads';

interface Task {
  /** The module's text as base64. */
  readonly source: string;
  readonly args: object;
}

const { source, args } = workerData as Task;
try {
  const module = (await import(`data:text/javascript;base64,${source}`)) as { readonly default?: unknown };
  if (typeof module.default !== 'function')
    throw new TypeError('it has no default export that is a function');
  const answer: unknown = await (module.default as (args: object) => unknown)(args);
  parentPort?.postMessage({ answer: JSON.stringify(answer) ?? '' });
} catch (error) {
  parentPort?.postMessage({ error: error instanceof Error ? error.message : String(error) });
}
