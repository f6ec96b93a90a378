/**
 * A whole deployment for tests: composed in this process, listening on a free loopback port, its ledger in a
 * folder of its own that goes when it stops. The owner's calls carry the terminal key.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compose, type StartOptions, type Deployment } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import { expectDeclared, readDeclarations } from './declared-answers.ts';

export const terminalKey = 'tk_terminal-key-of-the-tests';

export const secretKey = 'secret-key-of-the-tests-0123456789abcdef';

/** A JSON answer; members are looked at, not trusted. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Answer = Record<string, any>;

export interface TestServer {
  readonly base: string;
  readonly deployment: Deployment;
  /** Errors that no answer told: a sound test ends with none. */
  readonly errors: readonly unknown[];
  /** Any request; `path` below the base. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** A read by anybody, as JSON. */
  read(path: string): Promise<Answer>;
  /** A write by the owner. Throws where it is refused. */
  owner(path: string, body: object): Promise<Answer>;
  /** A write by anybody. Throws where it is refused. */
  anybody(path: string, body: object): Promise<Answer>;
  /** Makes an article of a Markdown text; answers with its slug. */
  article(markdown: string, document?: object): Promise<string>;
  stop(): Promise<void>;
  /** The same, of a ledger that was altered: the copied checkpoint may tell so when it is written a last time. */
  stopAltered(): Promise<void>;
}

/**
 * `env` overrides the environment that the server is configured from; nothing is inherited. With `PORT` it listens on that
 * port.
 */
export async function startServer(
  env: Readonly<Record<string, string>> = {},
  options: StartOptions = {},
): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-test-'));
  const port = Number(env['PORT'] ?? (await freePort()));
  const errors: unknown[] = [];
  const deployment = await compose(
    readConfig({
      PORT: String(port),
      COLOPHON_DATA: folder,
      COLOPHON_TERMINAL_KEY: terminalKey,
      COLOPHON_SECRET_KEY: secretKey,
      COLOPHON_RATE_LIMIT: 'off',
      COLOPHON_LOG: 'silent',
      ...env,
    }),
    options,
  );
  const app = deployment.http((error) => errors.push(error));
  await app.listen({ host: '127.0.0.1', port });
  const base = `http://127.0.0.1:${port}`;
  await readDeclarations(() => deployment.http(() => undefined));
  const request = async (path: string, init?: RequestInit): Promise<Response> => {
    const response = await fetch(base + path, init);
    const type = response.headers.get('content-type') ?? '';
    if (init?.method !== 'HEAD') {
      const body = type.includes('json') ? await response.clone().text() : '';
      expectDeclared(init?.method ?? 'GET', path, response.status, type, body);
    }
    return response;
  };
  const call = async (path: string, init?: RequestInit): Promise<Answer> => {
    const response = await request(path, init);
    const answer = (await response.json()) as Answer;
    if (!response.ok)
      throw new Error(`${path} was answered with ${response.status}: ${JSON.stringify(answer)}`);
    return answer;
  };
  const post = (path: string, body: object, headers: Readonly<Record<string, string>>): Promise<Answer> =>
    call(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const owner: TestServer['owner'] = (path, body) => post(path, body, { 'x-terminal-key': terminalKey });
  const stop = async (): Promise<void> => {
    await app.close();
    await deployment.close();
    rmSync(folder, { recursive: true });
  };
  return {
    base,
    deployment,
    errors,
    fetch: request,
    read: call,
    owner,
    anybody: (path, body) => post(path, body, {}),
    async article(markdown, document = {}) {
      const answer = await owner('/api/protocol/voxel-batch', { document: { markdown, ...document } });
      return String(answer['slug']);
    },
    stop,
    stopAltered: () =>
      stop().catch((error: Error) => {
        if (!error.message.includes('It is not replaced.')) throw error;
      }),
  };
}

/** A port that nobody listened on a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((found, failed) => {
    const server = createServer();
    server.once('error', failed);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => found(port));
    });
  });
}
