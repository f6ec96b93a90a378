/** Our server and its peers as processes of their own, compiled and with production settings. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Serving {
  readonly pid: number;
  readonly port: number;
  readonly url: string;
  /** CPU milliseconds since its start, its threads included. */
  cpuMs(): number;
  residentBytes(): number;
  stop(): Promise<void>;
}

export interface Colophon extends Serving {
  readonly folder: string;
  readonly ownerKey: string;
  /** Milliseconds from the start of the process to its first answer. */
  readonly readyMs: number;
  /** One call with the owner's key; throws unless it is answered with 200. */
  owner(path: string, body: unknown): Promise<Record<string, unknown>>;
}

export const root = join(import.meta.dirname, '..');
const ownerKey = 'tk_bench-owner-key-0123456789abcdef';

export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'colophon-bench-'));
}

/** What `npm start` gives the runtime. */
const asStarted = ['--max-semi-space-size=64'];

export interface ColophonOptions {
  /** A data folder to open; a new one with the starter articles, removed at the end, when left out. */
  readonly folder?: string;
  readonly nodeOptions?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The folder of another build, to compare with. */
  readonly other?: string | undefined;
}

export async function startColophon({
  folder,
  nodeOptions = [],
  env = {},
  other,
}: ColophonOptions = {}): Promise<Colophon> {
  const port = await freePort();
  const data = folder ?? temporaryFolder();
  const started = performance.now();
  const serving = await serve(
    [
      ...asStarted,
      ...nodeOptions,
      join(other ?? root, 'bin/colophon.js'),
      'serve',
      ...(folder === undefined ? [] : ['--no-seed']),
    ],
    port,
    {
      COLOPHON_DATA: data,
      COLOPHON_RATE_LIMIT: 'off',
      COLOPHON_LOG: 'error',
      COLOPHON_TERMINAL_KEY: ownerKey,
      ...env,
    },
    folder === undefined ? /^Seeded /m : undefined,
  );
  const readyMs = performance.now() - started;
  return {
    ...serving,
    folder: data,
    ownerKey,
    readyMs,
    async owner(path, body) {
      const answer = await fetch(serving.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-terminal-key': ownerKey },
        body: JSON.stringify(body),
      });
      const read = (await answer.json()) as Record<string, unknown>;
      if (answer.status !== 200)
        throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(read).slice(0, 400)}`);
      return read;
    },
    async stop() {
      await serving.stop();
      if (folder === undefined) rmSync(data, { recursive: true, force: true });
    },
  };
}

/** A peer: a file of this folder that listens on PORT. */
export async function startPeer(file: string, env: Readonly<Record<string, string>> = {}): Promise<Serving> {
  const port = await freePort();
  return serve([join(import.meta.dirname, file)], port, env);
}

/** Resolves when it answers and, where `until` is given, has said so on its standard output. */
async function serve(
  args: readonly string[],
  port: number,
  env: Readonly<Record<string, string>>,
  until?: RegExp,
): Promise<Serving> {
  const child = spawn(process.execPath, args, {
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: String(port),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  const url = `http://127.0.0.1:${port}`;
  await ready(child, () =>
    fetch(`${url}/healthz`).then(
      (answer) => answer.ok,
      () => false,
    ),
  );
  if (until !== undefined) await ready(child, () => until.test(said));
  const pid = child.pid as number;
  return {
    pid,
    port,
    url,
    cpuMs: () => cpuMsOf(pid),
    residentBytes: () => residentBytesOf(pid),
    stop: () => ended(child),
  };
}

async function ready(child: ChildProcess, isReady: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isReady())) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`a server ended with ${child.exitCode ?? child.signalCode} before it was ready`);
    await new Promise((later) => setTimeout(later, 5));
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((done) => child.once('exit', done));
  child.kill('SIGTERM');
  await gone;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

let tickMs: number | undefined;

/** Fields 14 and 15 of /proc/PID/stat (proc_pid_stat(5)); NaN where there is no such file. */
function cpuMsOf(pid: number): number {
  try {
    tickMs ??= 1000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * tickMs;
  } catch {
    return NaN;
  }
}

function residentBytesOf(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
  } catch {
    return NaN;
  }
}
