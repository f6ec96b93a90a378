/**
 * Functions of the owner's fn rows (contract §3): one file of the configured folder (`COLOPHON_FN_FOLDER`), whose bytes
 * must be those whose hash is on the ledger. It runs in a thread of its own, without this process's environment, and
 * the thread ends with the call or at its time limit.
 */
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { RunModule } from '../../domain/outside/own-rows.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { parseJson, type JsonObject } from '../../kernel/json.ts';

const moduleBytesMax = 1024 * 1024;
const heapMegabytesMax = 128;
const answerCharsMax = 262_144;

/** The hex SHA-256 of a file in the folder, or nothing where there is no such file. */
export async function moduleHash(folder: string | undefined, module: string): Promise<string | undefined> {
  const bytes = await bytesOf(folder, module);
  return bytes === undefined ? undefined : sha256Hex(bytes);
}

export function runModuleFrom(folder: string | undefined): RunModule {
  return async ({ module, sha256, args, signal }) => {
    if (folder === undefined)
      return failed('no folder of modules is configured', 'Set COLOPHON_FN_FOLDER and start again.');
    const bytes = await bytesOf(folder, module);
    if (bytes === undefined)
      return failed(`there is no module ${module}`, 'Put the file into the folder of modules.');
    if (sha256Hex(bytes) !== sha256)
      return failed(
        `${module} is not the file that the row was made with`,
        'Read the file, then PUT the row again with its new hash.',
      );
    const answer = await inThread(bytes, args, signal);
    if (isFault(answer)) return answer;
    const parsed = answer.length > answerCharsMax ? undefined : parseJson(answer);
    if (parsed === undefined || isFault(parsed) || !isObject(parsed.value))
      return failed(
        `${module} answered with no JSON object of at most ${answerCharsMax} characters`,
        'Return one from its default export.',
      );
    const result = parsed.value as JsonObject;
    return { result, text: typeof result['text'] === 'string' ? result['text'] : answer, material: [] };
  };
}

/** The name has been checked: it has no folder in it. */
async function bytesOf(folder: string | undefined, module: string): Promise<Buffer | undefined> {
  if (folder === undefined || !/^[a-z0-9][a-z0-9-]{0,79}\.(?:js|mjs)$/.test(module)) return undefined;
  const bytes = await readFile(join(folder, module)).catch(() => undefined);
  return bytes === undefined || bytes.length > moduleBytesMax ? undefined : bytes;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function inThread(bytes: Buffer, args: JsonObject, signal: AbortSignal): Promise<string | Fault> {
  return new Promise((resolve) => {
    const worker = new Worker(new URL(`./module-worker${extname(import.meta.url)}`, import.meta.url), {
      workerData: { source: bytes.toString('base64'), args },
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytesMax },
    });
    const settle = (answer: string | Fault): void => {
      signal.removeEventListener('abort', stop);
      void worker.terminate();
      resolve(answer);
    };
    const stop = (): void => settle(failed('it was stopped at its time limit', 'Give it less to do.'));
    signal.addEventListener('abort', stop, { once: true });
    worker.once('message', ({ answer, error }: { readonly answer?: string; readonly error?: string }) =>
      settle(answer ?? failed(`it threw: ${String(error).slice(0, 500)}`, 'Correct the body or the module.')),
    );
    worker.once('error', (error) =>
      settle(failed(`it ended: ${String(error).slice(0, 500)}`, 'Correct the module.')),
    );
    worker.once('exit', () => settle(failed('it ended without an answer', 'Correct the module.')));
  });
}

function failed(why: string, fix: string): Fault {
  return fault('runner_failed', `The function did not run to its end: ${why}.`, fix, { reason: 'module' });
}
