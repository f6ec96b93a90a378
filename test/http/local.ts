/** A deployment in the test's own process behind a real socket, with a clock that the test turns. */
import type { AddressInfo } from 'node:net';
import type { Row } from '../../src/domain/capabilities/row.ts';
import { openDeployment, type TestDeployment } from '../support/deployment.ts';
import { readDeclarations } from '../support/declared-answers.ts';
import { allLogged } from '../support/stores.ts';
import { send, type HttpAnswer, type HttpRequest } from './client.ts';

export const terminalKey = 'tk_only-for-tests-0123456789';
export const owner = { 'x-terminal-key': terminalKey } as const;

export interface Reply extends HttpAnswer {
  readonly json: Record<string, unknown>;
}

export interface LocalServer {
  readonly deployment: TestDeployment;
  readonly base: string;
  /** Moves the server's clock. */
  advance(ms: number): void;
  send(request: HttpRequest): Promise<Reply>;
  /** `POST /api/dispatch`. */
  call(
    key: string,
    body: string | object,
    more?: Record<string, unknown>,
    headers?: Record<string, string>,
  ): Promise<Reply>;
  /** `GET /api/dispatch` with these parameters. */
  get(parameters: Record<string, string>, headers?: Record<string, string>): Promise<Reply>;
  /** Mints as the owner, or under `parent`. Throws where it is refused. */
  mint(
    grant: Record<string, unknown>,
    parent?: string,
  ): Promise<{ readonly share: string; readonly fingerprint: string }>;
  explain(share: string): Promise<Record<string, unknown>>;
  size(): Promise<number>;
  end(): Promise<void>;
}

/** `databaseUrl` takes PostgreSQL instead of the embedded store. */
export async function openLocal(
  options: {
    readonly databaseUrl?: string;
    readonly rows?: readonly Row[];
    readonly env?: Readonly<Record<string, string>>;
  } = {},
): Promise<LocalServer> {
  let offset = 0;
  const errors: unknown[] = [];
  const deployment = await openDeployment({ ...options, now: () => Date.now() + offset });
  const app = deployment.http((error) => errors.push(error));
  await app.listen({ host: '127.0.0.1', port: 0 });
  await readDeclarations(() => deployment.http(() => undefined));
  const base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const local: LocalServer = {
    deployment,
    base,
    advance: (ms) => void (offset += ms),
    async send(request) {
      const answer = await send(base, request);
      let json: Record<string, unknown> = {};
      if (/json/.test(String(answer.headers['content-type'])))
        json = JSON.parse(answer.body) as Record<string, unknown>;
      return { ...answer, json };
    },
    call: (key, body, more = {}, headers = {}) =>
      local.send({ path: '/api/dispatch', headers, body: { key, body, ...more } }),
    get: (parameters, headers = {}) =>
      local.send({ path: `/api/dispatch?${new URLSearchParams(parameters).toString()}`, headers }),
    async mint(grant, parent) {
      const answer = await local.call(
        'CAP_MINT',
        grant,
        parent === undefined ? {} : { share: parent },
        parent === undefined ? owner : {},
      );
      if (answer.status !== 200) throw new Error(`minting was refused: ${answer.body}`);
      const { share, result } = answer.json as { share: string; result: { fingerprint: string } };
      return { share, fingerprint: result.fingerprint };
    },
    explain: async (share) => (await local.get({ explain: '1', share })).json,
    async size() {
      const { store } = deployment.service;
      // What is committed counts, also where the log takes it in a moment later.
      await allLogged(store);
      return (await store.read.checkpoint())?.size ?? 0;
    },
    async end() {
      await app.close();
      await deployment.end();
      if (errors.length > 0)
        throw new Error(`the server had ${errors.length} internal errors`, { cause: errors[0] });
    },
  };
  return local;
}
