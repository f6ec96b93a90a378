import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { removeFolders, startServer, type RunningServer } from '../support/process-server.ts';

const modules = mkdtempSync(join(tmpdir(), 'colophon-modules-'));
writeFileSync(join(modules, 'loop.mjs'), 'export default () => { for (;;); };');

afterAll(() => {
  rmSync(modules, { recursive: true });
  removeFolders();
});

/** Process ids of functions of the built command that run now. */
const running = (): string[] =>
  readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return /permission.*dist\/src\/app\/outside\/module-process/.test(
        readFileSync(`/proc/${pid}/cmdline`, 'utf8'),
      );
    } catch {
      return false;
    }
  });

const until = async (holds: () => boolean, withinMs: number): Promise<boolean> => {
  for (const end = Date.now() + withinMs; Date.now() < end;) {
    if (holds()) return true;
    await new Promise((wait) => setTimeout(wait, 20));
  }
  return holds();
};

const post = (server: RunningServer, method: string, path: string, body: object): Promise<Response> =>
  fetch(server.base + path, {
    method,
    headers: { 'content-type': 'application/json', 'x-terminal-key': server.terminalKey },
    body: JSON.stringify(body),
  });

/** A server with a function that computes for ever under way. */
const looping = async (timeoutMs: number): Promise<RunningServer> => {
  const server = await startServer({ env: { COLOPHON_FN_FOLDER: modules } });
  const row = { type: 'fn', module: 'loop.mjs', what: 'Loops.', when: 'In tests.', example: '', risk: 'low' };
  const put = await post(server, 'PUT', '/api/directory/LOOP', { ...row, timeout_ms: timeoutMs });
  expect(put.status).toBe(200);
  void post(server, 'POST', '/api/dispatch', { key: 'LOOP' }).catch(() => undefined);
  expect(await until(() => running().length === 1, 5000)).toBe(true);
  return server;
};

describe.skipIf(process.platform !== 'linux')('a running function', () => {
  it('is stopped when the service is asked to stop', async () => {
    const server = await looping(30_000);
    await server.stop();
    expect(await until(() => running().length === 0, 2000)).toBe(true);
  });

  it('is killed by the kernel when the service dies first', async () => {
    const server = await looping(1000);
    await server.kill();
    expect(running()).toHaveLength(1);
    expect(await until(() => running().length === 0, 15_000)).toBe(true);
  });
});
