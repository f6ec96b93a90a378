/**
 * A data folder that is touched behind a running server: its lock file deleted, another server started on it, its
 * database replaced or cut. No write is acknowledged upon a file that is not the one the server knows.
 */
import { copyFileSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { send } from '../http/client.ts';
import {
  newOwnerKey,
  removeFolders,
  runCommand,
  startServer,
  type RunningServer,
} from '../support/process-server.ts';

const terminalKey = newOwnerKey();

async function write(server: RunningServer, slug: string): Promise<number> {
  const { status } = await send(server.base, {
    path: '/api/protocol/voxel-batch',
    body: { document: { slug, markdown: `# ${slug}\n\nA text.\n` } },
    headers: { 'x-terminal-key': terminalKey },
  });
  return status;
}

/** Why a second server does not start; one that does is ended. */
async function refusalOf(folder: string): Promise<string> {
  try {
    const second = await startServer({ folder, terminalKey });
    await second.kill();
    return 'it started';
  } catch (error) {
    return (error as Error).message;
  }
}

afterAll(removeFolders);

describe('a data folder that another process changes', () => {
  it('refuses a second server when the lock file is deleted, even if the first is busy', async () => {
    const server = await startServer({ terminalKey });
    rmSync(join(server.folder, 'lock.db'));
    const inUse = `status 2: colophon: another Colophon process owns ${server.folder}; stop it, or set COLOPHON_DATA to another folder.\n`;
    expect(await refusalOf(server.folder)).toContain(inUse);
    expect(await write(server, 'one')).toBe(200);
    expect(runCommand(server.folder, ['key', 'list'], { COLOPHON_TERMINAL_KEY: terminalKey }).status).toBe(0);
    process.kill(server.pid, 'SIGSTOP');
    const third = await refusalOf(server.folder);
    process.kill(server.pid, 'SIGCONT');
    expect(third).toContain(inUse);
    expect(await server.stop()).toBe(0);
  }, 60_000);

  it('keeps one history when lock file and socket are deleted and a second server writes', async () => {
    const first = await startServer({ terminalKey });
    expect(await write(first, 'one')).toBe(200);
    for (const name of ['lock.db', 'owner.sock']) rmSync(join(first.folder, name));
    const second = await startServer({ folder: first.folder, terminalKey });
    expect(await write(second, 'two')).toBe(200);
    expect(await write(first, 'three')).toBe(503);
    expect(await write(first, 'four')).toBe(503);
    const ready = await send(first.base, { path: '/readyz' });
    expect([ready.status, ready.body]).toEqual([
      503,
      expect.stringContaining('another process wrote to the ledger'),
    ]);
    expect(await write(second, 'five')).toBe(200);
    await first.kill();
    await second.stop();
    expect(runCommand(first.folder, ['verify']).status).toBe(0);
  }, 60_000);

  it.each([
    [
      'replaced',
      'was replaced',
      (path: string) => {
        copyFileSync(path, `${path}.copy`);
        renameSync(`${path}.copy`, path);
      },
    ],
    ['deleted', 'was deleted', (path: string) => rmSync(path)],
    ['cut', 'was cut short', (path: string) => truncateSync(path, 0)],
    ['left without its write-ahead log', 'was deleted', (path: string) => rmSync(`${path}-wal`)],
  ])(
    'acknowledges no write once the database is %s',
    async (_, said, harm) => {
      const server = await startServer({ terminalKey });
      expect(await write(server, 'one')).toBe(200);
      harm(join(server.folder, 'colophon.db'));
      expect(await write(server, 'two')).toBe(503);
      expect((await send(server.base, { path: '/readyz' })).body).toContain(said);
      await server.kill();
    },
    60_000,
  );
});
