/** Deployments that tests of `colophon transfer` move: their settings, and what is seen of them from outside. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compose } from '../../src/compose.ts';
import { readConfig, type Config } from '../../src/config.ts';
import { freePort } from './process-server.ts';
import { allLogged } from './stores.ts';

export const terminalKey = 'tk_terminal-key-of-the-tests';
/** The same wherever it is served. */
const port = await freePort();
export const base = `http://127.0.0.1:${port}`;

const folders: string[] = [];

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-transfer-'));
  folders.push(folder);
  return folder;
}

export function removeFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export function inFolder(folder: string): Config {
  return readConfig({ ...common, COLOPHON_DATA: folder });
}

/** A node on a database, with the secret key of an embedded deployment. */
export function inDatabase(url: string, secretOf: string, folder = newFolder()): Config {
  return readConfig({
    ...common,
    COLOPHON_DATA: folder,
    DATABASE_URL: url,
    COLOPHON_SECRET_KEY: readFileSync(join(secretOf, 'secret.key'), 'utf8').trim(),
  });
}

const common = {
  COLOPHON_BASE_URL: base,
  COLOPHON_RATE_LIMIT: 'off',
  COLOPHON_LOG: 'silent',
  COLOPHON_AUDIT: 'off',
};

export interface Served {
  /** The text of an answer with status 200; its bytes as hex where it is no text. */
  read(path: string, headers?: Readonly<Record<string, string>>): Promise<string>;
  status(path: string, headers?: Readonly<Record<string, string>>): Promise<number>;
  /** A call by the owner, or with the given headers. Throws where it is refused. */
  call(key: string, body: unknown, more?: object, headers?: object): Promise<Record<string, unknown>>;
}

/** Serves a deployment while `use` runs, and stops it. */
export async function serving<T>(config: Config, use: (served: Served) => Promise<T>): Promise<T> {
  const errors: unknown[] = [];
  const deployment = await compose({ ...config, terminalKey }, { serves: true });
  const app = deployment.http((error) => errors.push(error));
  try {
    await app.listen({ host: '127.0.0.1', port });
    const read: Served['read'] = async (path, headers = {}) => {
      const answer = await fetch(base + path, { headers });
      const bytes = Buffer.from(await answer.arrayBuffer());
      if (answer.status !== 200)
        throw new Error(`${path} was answered with ${answer.status}: ${bytes.toString('utf8', 0, 400)}`);
      return /json|text|xml/.test(answer.headers.get('content-type') ?? '')
        ? bytes.toString('utf8')
        : bytes.toString('hex');
    };
    const result = await use({
      read,
      status: async (path, headers = {}) =>
        (await fetch(base + path, { headers, redirect: 'manual' })).status,
      async call(key, body, more = {}, headers = { 'x-terminal-key': terminalKey }) {
        const answer = await fetch(`${base}/api/dispatch`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify({ key, body, ...more }),
        });
        const json = (await answer.json()) as Record<string, unknown>;
        if (answer.status !== 200) throw new Error(`${key} was refused: ${JSON.stringify(json)}`);
        return json;
      },
    });
    await allLogged(deployment.service.store);
    if (errors.length > 0) throw new Error('the server had errors', { cause: errors[0] });
    return result;
  } finally {
    await app.close();
    await deployment.close();
  }
}
