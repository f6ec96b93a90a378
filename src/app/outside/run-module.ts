/**
 * Runs the function of an fn row (contract §3): a file of `COLOPHON_FN_FOLDER` whose hash is on the ledger. It runs
 * in its own process under Node's permission model, without files, network, child processes or environment, until the
 * call ends or times out (ADR 28).
 */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { ModuleCall, ModuleLacks, RunModule } from '../../domain/outside/outside.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { parseJson } from '../../kernel/json.ts';
import { isObject } from '../../kernel/json-value.ts';

const moduleBytesMax = 1024 * 1024;
const answerCharsMax = 262_144;
/** A result: JSON inside JSON, in UTF-8. */
const saidBytesMax = 8 * answerCharsMax;

const runner = fileURLToPath(new URL(`./module-process${extname(import.meta.url)}`, import.meta.url));
/** No permissions. SQLite and FFI bypass the permission model, so they are removed. */
const permissions = [
  '--permission',
  '--max-old-space-size=128',
  '--no-experimental-sqlite',
  '--no-experimental-ffi',
  '--no-warnings',
];
/** Limits: CPU seconds, no core dumps, no files, 1 GB of data, half of which V8 reserves. */
const limits = 'ulimit -t "$0"; ulimit -c 0; ulimit -f 0; ulimit -d 1000000; exec "$@"';

/** Hex SHA-256 of a file in the folder; undefined if it is missing. */
export async function moduleHash(folder: string | undefined, module: string): Promise<string | undefined> {
  const bytes = await bytesOf(folder, module);
  return bytes === undefined ? undefined : sha256Hex(bytes);
}

export function runModuleFrom(folder: string | undefined): RunModule {
  return async ({ module, sha256, args, signal, timeoutMs }) => {
    const bytes = await pinnedModule(folder, { module, sha256 });
    if (isFault(bytes)) return bytes;
    const answer = await inProcess(bytes, { args, signal, timeoutMs });
    if (isFault(answer)) return answer;
    const parsed = answer.length > answerCharsMax ? undefined : parseJson(answer);
    if (parsed === undefined || isFault(parsed) || !isObject(parsed.value))
      return failed(
        `${module} answered with no JSON object of at most ${answerCharsMax} characters`,
        'Return one from its default export.',
      );
    const result = parsed.value;
    return { result, text: typeof result['text'] === 'string' ? result['text'] : answer, material: [] };
  };
}

/** Missing configuration, refused before the call is charged. */
export function moduleLacksIn(folder: string | undefined): ModuleLacks {
  return async (call) => {
    const bytes = await pinnedModule(folder, call);
    return isFault(bytes) ? bytes : undefined;
  };
}

/** The bytes with the recorded hash, if they may run here. */
async function pinnedModule(
  folder: string | undefined,
  { module, sha256 }: Pick<ModuleCall, 'module' | 'sha256'>,
): Promise<Buffer | Fault> {
  if (folder === undefined)
    return failed('no folder of modules is configured', 'Set COLOPHON_FN_FOLDER and start again.');
  if (!process.allowedNodeEnvironmentFlags.has('--allow-net'))
    return failed(
      'this Node cannot keep a module from the network',
      'Start with Node 26, as the package has it.',
    );
  const bytes = await bytesOf(folder, module);
  if (bytes === undefined)
    return failed(`there is no module ${module}`, 'Put the file into the folder of modules.');
  if (sha256Hex(bytes) !== sha256)
    return failed(
      `${module} is not the file that the row was made with`,
      'Read the file, then PUT the row again with its new hash.',
    );
  return bytes;
}

/** The name was validated and contains no folder. */
async function bytesOf(folder: string | undefined, module: string): Promise<Buffer | undefined> {
  if (folder === undefined || !/^[a-z0-9][a-z0-9-]{0,79}\.(?:js|mjs)$/.test(module)) return undefined;
  const bytes = await readFile(join(folder, module)).catch(() => undefined);
  return bytes === undefined || bytes.length > moduleBytesMax ? undefined : bytes;
}

/**
 * Runs the bytes in a child process and returns the output of its pipe. The shell sets kernel limits, which hold even
 * if this process ends first.
 */
function inProcess(
  bytes: Buffer,
  { args, signal, timeoutMs }: Pick<ModuleCall, 'args' | 'signal' | 'timeoutMs'>,
): Promise<string | Fault> {
  return new Promise((resolve) => {
    const cpuSeconds = Math.ceil(timeoutMs / 1000) + 1;
    const child = spawn(
      '/bin/sh',
      ['-c', limits, String(cpuSeconds), process.execPath, ...permissions, runner],
      { env: {}, cwd: '/', stdio: ['pipe', 'ignore', 'ignore', 'pipe'] },
    );
    const output: Buffer[] = [];
    let chars = 0;
    const settle = (answer: string | Fault): void => {
      signal.removeEventListener('abort', stop);
      child.kill('SIGKILL');
      resolve(answer);
    };
    const stop = (): void => settle(failed('it was stopped at its time limit', 'Give it less to do.'));
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    (child.stdio[3] as Readable).on('data', (chunk: Buffer) => {
      chars += chunk.length;
      if (chars > saidBytesMax) settle(failed('it answered with too much', 'Return less.'));
      else output.push(chunk);
    });
    child.once('error', (error) =>
      settle(failed(`it did not start: ${error.message}`, 'Look at the server.')),
    );
    child.once('close', (_code, killedBy) => settle(parseResult(Buffer.concat(output).toString(), killedBy)));
    // A child that ended early does not read stdin; its exit is reported.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(JSON.stringify({ source: bytes.toString('base64'), args }));
  });
}

function parseResult(output: string, killedBy: NodeJS.Signals | null): string | Fault {
  const parsed = parseJson(output);
  if (isFault(parsed) || !isObject(parsed.value))
    return failed(
      killedBy === null
        ? 'it ended without an answer'
        : `it was ended by ${killedBy}: it took too much memory or time`,
      'Correct the module.',
    );
  const { answer, error } = parsed.value;
  return typeof answer === 'string'
    ? answer
    : failed(`it threw: ${String(error).slice(0, 500)}`, 'Correct the body or the module.');
}

function failed(why: string, fix: string): Fault {
  return fault('runner_failed', `The function did not run to its end: ${why}.`, fix, { reason: 'module' });
}
