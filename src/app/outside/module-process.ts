/**
 * The process in which one call of an fn row runs: the default export of a module that was passed as bytes, so that
 * what runs is what was hashed. Node's permission model allows Node's own modules and no files. The result leaves
 * through its own pipe; printed output is discarded.
 */
import { writeSync } from 'node:fs';

interface Task {
  /** The module's text as base64. */
  readonly source: string;
  readonly args: object;
}

const answerPipe = 3;

/** The permission model does not cover signals: the functions are removed before the module loads. */
const signals = ['kill', '_kill', '_debugProcess', '_debugEnd'];

const report = (outcome: { readonly answer: string } | { readonly error: string }): void => {
  const bytes = Buffer.from(JSON.stringify(outcome));
  for (let sent = 0; sent < bytes.length;) sent += writeSync(answerPipe, bytes, sent);
};

try {
  for (const name of signals) Reflect.deleteProperty(process, name);
  for (const name of Object.keys(process.env)) Reflect.deleteProperty(process.env, name);
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  const { source, args } = JSON.parse(Buffer.concat(chunks).toString()) as Task;
  const module = (await import(`data:text/javascript;base64,${source}`)) as { readonly default?: unknown };
  if (typeof module.default !== 'function')
    throw new TypeError('it has no default export that is a function');
  const answer: unknown = await (module.default as (args: object) => unknown)(args);
  report({ answer: JSON.stringify(answer) ?? '' });
} catch (error) {
  report({ error: error instanceof Error ? error.message : String(error) });
}
// Open handles end with the call.
process.exit();
