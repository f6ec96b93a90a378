/**
 * A data folder that takes no more bytes: writes are refused as such, the operator is told once, and all goes on by
 * itself when there is room. The kernel keeps the server from making its files longer, as a full disk would.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { png, pngChunk } from '../support/images.ts';
import {
  removeFolders,
  runCommandBeside,
  startServer,
  type RunningServer,
} from '../support/process-server.ts';

afterAll(removeFolders);

function limitFiles({ pid }: RunningServer): (bytes: string) => void {
  return (bytes) =>
    void execFileSync('/bin/sh', ['-c', 'prlimit --pid "$0" --fsize="$1:"', String(pid), bytes]);
}

it.runIf(process.platform === 'linux')(
  'refuses a write on a full disk as retryable, and logs the failure only once',
  async () => {
    const server = await startServer({ env: { COLOPHON_LOG: 'warn' } });
    const growTo = limitFiles(server);
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
    const ready = async (): Promise<unknown[]> => {
      const response = await fetch(`${server.base}/readyz`);
      const { detail } = (await response.json()) as Record<string, unknown>;
      return [response.status, detail];
    };
    expect(await write()).toEqual([200, undefined, undefined]);
    expect(await ready()).toEqual([200, undefined]);
    growTo('4096');
    // Before anybody has tried to write.
    await expect
      .poll(ready)
      .toEqual([503, 'The ledger cannot be reached: its file cannot be written: disk I/O error.']);
    for (let i = 0; i < 20; i++) expect(await write()).toEqual([503, 'overloaded', true]);
    expect((await fetch(`${server.base}/api/articles`)).status).toBe(200);
    expect(lines('request failed').map((line) => (JSON.parse(line) as { level: number }).level)).toEqual([
      50,
    ]);
    expect(lines('request failed')[0]).toContain('its file cannot be written: disk I/O error');
    growTo('unlimited');
    await expect.poll(ready).toEqual([200, undefined]);
    expect(await write()).toEqual([200, undefined, undefined]);
    const { status, stdout } = await runCommandBeside(server.folder, ['verify']);
    expect([status, stdout.slice(0, 6)]).toEqual([0, 'Sound:']);
    expect(await server.stop()).toBe(0);
  },
  30_000,
);

it.runIf(process.platform === 'linux')(
  'says of an image that the disk has no room for it, and leaves nothing of it behind',
  async () => {
    const server = await startServer({ seeds: false });
    const store = async (): Promise<unknown> => {
      const image = png(2, 2, [pngChunk('IDAT', randomBytes(3_000_000))]);
      const response = await fetch(`${server.base}/api/protocol/image`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-terminal-key': server.terminalKey },
        body: JSON.stringify({ data: image.toString('base64') }),
      });
      const { error, detail, fix } = (await response.json()) as Record<string, unknown>;
      return response.status === 200 ? 'stored' : [response.status, error, detail, fix];
    };
    const blobs = (): readonly string[] => {
      const root = join(server.folder, 'blobs');
      return existsSync(root) ? readdirSync(root).flatMap((shelf) => readdirSync(join(root, shelf))) : [];
    };
    // The ledger's files are shorter.
    const growTo = limitFiles(server);
    growTo('2500000');
    expect(await store()).toEqual([
      503,
      'overloaded',
      'The result could not be stored: the data folder cannot be written (EFBIG).',
      'See that the disk of the data folder is sound and has room, and that the server may write there; colophon doctor looks at it. Then repair the invocation.',
    ]);
    expect(blobs()).toEqual([]);
    growTo('unlimited');
    expect(await store()).toBe('stored');
    expect(blobs()).toHaveLength(1);
    expect(await server.stop()).toBe(0);
  },
  30_000,
);
