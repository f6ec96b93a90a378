/**
 * The built command as a child process on a folder of its own: started, waited for, killed by its id. Tests
 * that need a process to die, or bytes on a real socket, use this; `COLOPHON_BIN` names another build to try.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const command =
  process.env['COLOPHON_BIN'] ?? fileURLToPath(new URL('../../bin/colophon.js', import.meta.url));

export interface ServerOptions {
  /** An empty ledger gets the starter articles. */
  readonly seeds?: boolean;
  /** A folder to start on again; a new one when left out, removed with the server. */
  readonly folder?: string;
  readonly port?: number;
  readonly terminalKey?: string;
  /** Further arguments of `serve`. */
  readonly args?: readonly string[];
  /** Options of the runtime. */
  readonly nodeArgs?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The command of another installation. */
  readonly command?: string;
}

export interface RunningServer {
  readonly base: string;
  readonly port: number;
  readonly folder: string;
  readonly terminalKey: string;
  readonly pid: number;
  /** What the process has written so far, both streams. */
  output(): string;
  /** Ends the process at once, as a power cut would; resolves when it is gone. */
  kill(): Promise<void>;
  /** Asks it to stop; resolves with the exit status. */
  stop(): Promise<number>;
}

/** Starts `colophon serve` and waits until it answers. Throws with its output where it ends before. */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  for (let tries = 1; ; tries++) {
    try {
      return await startOnce(options);
    } catch (error) {
      // Any connection of the machine may have got the port that was free a moment ago.
      const isTaken =
        error instanceof StartRefused && / is taken; set PORT to a free one/.test(error.message);
      if (!isTaken || options.port !== undefined || options.env?.['PORT'] !== undefined || tries === 3)
        throw error;
    }
  }
}

async function startOnce(options: ServerOptions): Promise<RunningServer> {
  const folder = options.folder ?? temporaryFolder();
  const port = options.port ?? (await freePort());
  const terminalKey = options.terminalKey ?? newOwnerKey();
  const child = spawn(
    process.execPath,
    [
      ...(options.nodeArgs ?? []),
      options.command ?? command,
      'serve',
      ...(options.seeds === true ? [] : ['--no-seed']),
      ...(options.args ?? []),
    ],
    {
      env: {
        ...environment(folder, options.env),
        PORT: String(port),
        COLOPHON_TERMINAL_KEY: terminalKey,
        ...options.env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const gone = new Promise<number>((done) => child.once('exit', (code) => done(code ?? -1)));
  await ready(child, gone, () => output);
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<number> => {
    child.kill(signal);
    return gone;
  };
  return {
    base: `http://127.0.0.1:${port}`,
    port,
    folder,
    terminalKey,
    pid: child.pid as number,
    output: () => output,
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
  };
}

async function ready(child: ChildProcess, gone: Promise<number>, output: () => string): Promise<void> {
  const said = new Promise<'ready'>((done) => {
    child.stdout?.on('data', () => {
      if (output().includes('Colophon is at ')) done('ready');
    });
  });
  const first = await Promise.race([said, gone]);
  if (first !== 'ready') throw new StartRefused(first, output());
}

/** The server ended before it answered. */
export class StartRefused extends Error {
  readonly status: number;
  constructor(status: number, output: string) {
    super(`the server ended with status ${status}: ${output}`);
    this.status = status;
  }
}

export interface CommandResult {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs another verb of the command on a folder and waits for its end. */
export function runCommand(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): CommandResult {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    env: { ...environment(folder, env), ...env },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return { status: status ?? -1, stdout, stderr };
}

/** As `runCommand`, without stopping everything else meanwhile. */
export async function runCommandBeside(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  const child = spawn(process.execPath, [command, ...args], {
    env: { ...environment(folder, env), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (part: string) => (text[name] += part));
  const status = await new Promise<number>((done) => child.once('close', (code) => done(code ?? -1)));
  return { status, ...text };
}

/** Nodes that share a database share a secret key. */
export const sharedSecretKey = 'secret-key-of-the-tests-0123456789abcdef';

function environment(folder: string, given: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    ...(given['DATABASE_URL'] === undefined ? {} : { COLOPHON_SECRET_KEY: sharedSecretKey }),
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    TMPDIR: tmpdir(),
    COLOPHON_DATA: folder,
    COLOPHON_RATE_LIMIT: 'off',
    COLOPHON_LOG: 'error',
    NODE_COMPILE_CACHE: join(tmpdir(), 'colophon-compile-cache'),
  };
}

const folders: string[] = [];

/** A folder that `removeFolders` takes away again. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-test-'));
  folders.push(folder);
  return folder;
}

export function removeFolders(): void {
  for (const folder of folders.splice(0))
    if (existsSync(folder)) rmSync(folder, { recursive: true, force: true });
}

export function newOwnerKey(): string {
  return `tk_${randomBytes(32).toString('base64url')}`;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((done) => server.close(() => done()));
  return port;
}
