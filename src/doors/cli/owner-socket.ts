/**
 * The owner's Unix socket: the same HTTP handlers on a socket with mode 0600 in the data folder. Commands write
 * through it, so that a running server is never bypassed; with `--url` they write to a deployment elsewhere.
 */
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, rmSync } from 'node:fs';
import type { IncomingMessage, Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { OperatorError } from '../../engine/store.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { type CommandContext, UsageError } from './command.ts';

/** Loaded on demand: most commands make no call. */
const http = () => import('node:http');

/** Socket paths are limited to about 100 bytes; longer folders get a path by hash. */
export function socketPath(folder: string): string {
  const path = join(folder, 'owner.sock');
  return Buffer.byteLength(path) <= 100
    ? path
    : join(tmpdir(), `colophon-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}.sock`);
}

export async function listenForOwner(app: FastifyInstance, folder: string): Promise<Server> {
  await app.ready();
  const { createServer } = await http();
  const path = socketPath(folder);
  rmSync(path, { force: true });
  const server = createServer((request, response) => app.routing(request, response));
  server.on('connection', (socket) => Object.assign(socket, { isOwner: true }));
  await new Promise<void>((done, failed) => {
    server.once('error', failed);
    const mask = process.umask(0o177);
    server.listen(path, () => {
      process.umask(mask);
      chmodSync(path, 0o600);
      done();
    });
  });
  return server;
}

export interface OwnerAnswer {
  readonly status: number;
  readonly body: JsonObject;
}

/**
 * One call through the socket. Throws if no server listens. Each has a connection of its own: while a command works for
 * longer than the server keeps a connection, one that it kept would be closed under the next call.
 */
export async function callOwner(
  folder: string,
  method: string,
  path: string,
  body?: string,
): Promise<OwnerAnswer> {
  const { request: httpRequest } = await http();
  return new Promise((done, failed) => {
    const request = httpRequest(
      {
        socketPath: socketPath(folder),
        agent: false,
        method,
        path,
        headers:
          body === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const answer = jsonOf(text);
          if (answer === undefined)
            failed(new Error(`the server answered ${response.statusCode} with something that is no JSON`));
          else done({ status: response.statusCode ?? 0, body: answer });
        });
        response.on('error', failed);
      },
    );
    request.on('error', failed);
    request.end(body);
  });
}

function jsonOf(text: string): JsonObject | undefined {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return undefined;
  }
}

/** Whether a process listens on the socket, even if it is too busy to answer. */
export async function hasListener(folder: string): Promise<boolean> {
  if (!existsSync(socketPath(folder))) return false;
  const { connect } = await import('node:net');
  return new Promise((done) => {
    const socket = connect(socketPath(folder));
    socket.once('connect', () => done(true)).once('error', () => done(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** Whether a server answers on the socket. */
export async function isServing(folder: string): Promise<boolean> {
  if (!existsSync(socketPath(folder))) return false;
  return callOwner(folder, 'GET', '/healthz').then(
    ({ status }) => status === 200,
    () => false,
  );
}

export interface Owner {
  get(path: string): Promise<OwnerAnswer>;
  post(path: string, body: JsonObject): Promise<OwnerAnswer>;
  /** An answer that is read while it arrives, line by line. Throws an `OperatorError` where it is refused. */
  lines(path: string): AsyncIterable<string>;
}

/** The option of commands that also work on a deployment elsewhere. */
export const urlOption = [
  '--url URL',
  'A deployment elsewhere, as the owner whose key is in COLOPHON_TERMINAL_KEY.',
] as const;

/** Time for the largest import. */
const remoteTimeoutMs = 120_000;

/** The client, loaded on demand, for a deployment elsewhere. */
export async function remoteClient(base: string, credentials: { credential?: string; ownerKey?: string }) {
  const module = await import('../../../client/index.ts');
  try {
    return { ...module, client: new module.Client({ base, timeoutMs: remoteTimeoutMs, ...credentials }) };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

async function remoteOwner(base: string): Promise<Owner> {
  const ownerKey = process.env['COLOPHON_TERMINAL_KEY'] ?? '';
  const remote = await remoteClient(base, ownerKey === '' ? {} : { ownerKey });
  const { client, Refusal, Pending, Unanswered } = remote;
  const answered = async (answer: Promise<JsonObject>): Promise<OwnerAnswer> => {
    try {
      return { status: 200, body: await answer };
    } catch (error) {
      if (error instanceof Refusal) {
        const { status, problem } = error;
        const isKeyRefused = status === 401 || (status === 403 && ownerKey === '');
        return { status, body: isKeyRefused ? { ...problem, fix: keyFix(base) } : problem };
      }
      if (error instanceof Pending) return { status: 202, body: error.answer };
      throw error instanceof Unanswered ? new OperatorError(error.message) : error;
    }
  };
  return {
    get: (path) => answered(client.request('GET', path)),
    post: (path, body) => answered(client.request('POST', path, { body })),
    lines: (path) => linesFrom(base, path, ownerKey),
  };
}

async function* linesOfSocket(folder: string, path: string): AsyncGenerator<string> {
  const { request } = await http();
  const response = await new Promise<IncomingMessage>((done, failed) => {
    request({ socketPath: socketPath(folder), agent: false, path }, done)
      .on('error', failed)
      .end();
  });
  yield* linesOf(response, response.statusCode ?? 0);
}

async function* linesFrom(base: string, path: string, ownerKey: string): AsyncGenerator<string> {
  const headers: Record<string, string> = ownerKey === '' ? {} : { 'x-terminal-key': ownerKey };
  const response = await fetch(`${base.replace(/\/+$/, '')}${path}`, { headers }).catch((error: Error) => {
    throw new OperatorError(`${base} does not answer: ${error.message}.`);
  });
  const isKeyRefused = response.status === 401 || (response.status === 403 && ownerKey === '');
  yield* linesOf(response.body ?? [], response.status, isKeyRefused ? keyFix(base) : undefined);
}

async function* linesOf(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  status: number,
  fix?: string,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let line: string[] = [];
  for await (const chunk of body) {
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n');
    line.push(first);
    for (const next of others) {
      if (status === 200) yield line.join('');
      line = [next];
    }
  }
  if (status === 200) return;
  const problem = jsonOf(line.join('')) ?? {};
  throw new OperatorError(
    `${String(problem['detail'] ?? `the server answered ${status}`)} ${fix ?? String(problem['fix'] ?? '')}`,
  );
}

/** What helps where a deployment elsewhere refuses the key, or the lack of one. */
function keyFix(base: string): string {
  return `Set COLOPHON_TERMINAL_KEY to the owner key of ${base}.`;
}

export async function withOwner<T>(
  context: CommandContext,
  work: (owner: Owner) => Promise<T>,
  url?: string,
): Promise<T> {
  if (url !== undefined) return work(await remoteOwner(url));
  const config = context.readConfig(process.env);
  const folder = config.dataFolder;
  const owner: Owner = {
    get: (path) => callOwner(folder, 'GET', path),
    post: (path, body) => callOwner(folder, 'POST', path, JSON.stringify(body)),
    lines: (path) => linesOfSocket(folder, path),
  };
  if (await isServing(folder)) return work(owner);
  const deployment = await context.compose(config);
  const app = deployment.http((error) => console.error(error));
  const server = await listenForOwner(app, folder);
  try {
    return await work(owner);
  } finally {
    server.closeAllConnections();
    await new Promise<void>((done) => server.close(() => done()));
    await app.close();
    await deployment.close();
    if (deployment.newTerminalKey !== undefined)
      console.error(`Owner key (shown once): ${deployment.newTerminalKey}`);
  }
}
