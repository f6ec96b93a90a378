/**
 * The process in which one call of an owner's function runs. The function is the default export of a module that was
 * handed over as bytes, so that what runs is what was hashed. Node's permission model holds it: it imports Node's own
 * modules and no files. Its answer leaves through a pipe of its own, so that what the module prints is nobody's.
 */
import { writeSync } from 'node:fs';

interface Task {
  /** The module's text as base64. */
  readonly source: string;
  readonly args: object;
}

const answerPipe = 3;

/** The permission model lets a process signal others of its user: these go, before the module is read. */
const signals = ['kill', '_kill', '_debugProcess', '_debugEnd'];

const report = (told: { readonly answer: string } | { readonly error: string }): void => {
  const bytes = Buffer.from(JSON.stringify(told));
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
// Whatever it left open ends with the call.
process.exit();
