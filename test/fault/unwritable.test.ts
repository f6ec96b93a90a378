/**
 * A data folder that takes no more bytes: writes are refused as such, the operator is told once, and all goes on by
 * itself when there is room. The kernel keeps the server from making its files longer, as a full disk would.
 */
import { execFileSync } from 'node:child_process';
import { afterAll, expect, it } from 'vitest';
import { removeFolders, runCommandBeside, startServer } from '../support/process-server.ts';

afterAll(removeFolders);

it.runIf(process.platform === 'linux')(
  'refuses a write on a full disk as retryable, and logs the failure only once',
  async () => {
    const server = await startServer({ env: { COLOPHON_LOG: 'warn' } });
    const growTo = (bytes: string): void =>
      void execFileSync('/bin/sh', ['-c', 'prlimit --pid "$0" --fsize="$1:"', String(server.pid), bytes]);
    const write = async (): Promise<unknown[]> => {
      const response = await fetch(`${server.base}/api/dispatch`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ key: 'PAPER_STATE' }),
      });
      const { error, retryable } = (await response.json()) as Record<string, unknown>;
      return [response.status, error, retryable];
    };
    const lines = (message: string): string[] =>
      server
        .output()
        .split('\n')
        .filter((line) => line.includes(`"msg":"${message}"`));
    expect(await write()).toEqual([200, undefined, undefined]);
    growTo('4096');
    for (let i = 0; i < 20; i++) expect(await write()).toEqual([503, 'overloaded', true]);
    expect((await fetch(`${server.base}/readyz`)).status).toBe(200);
    expect(lines('request failed').map((line) => (JSON.parse(line) as { level: number }).level)).toEqual([
      50,
    ]);
    expect(lines('request failed')[0]).toContain('its file cannot be written: disk I/O error');
    growTo('unlimited');
    expect(await write()).toEqual([200, undefined, undefined]);
    const { status, stdout } = await runCommandBeside(server.folder, ['verify']);
    expect([status, stdout.slice(0, 6)]).toEqual([0, 'Sound:']);
    expect(await server.stop()).toBe(0);
  },
  30_000,
);
