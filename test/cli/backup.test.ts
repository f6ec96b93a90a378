import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../http/client.ts';
import {
  removeFolders,
  runCommand,
  runCommandBeside,
  startServer,
  StartRefused,
  temporaryFolder,
  type RunningServer,
} from '../support/process-server.ts';

let server: RunningServer;
const elsewhere = temporaryFolder();
const backup = join(elsewhere, 'backup');
const restored = join(elsewhere, 'restored');

const write = async (slug: string): Promise<void> => {
  const headers = { 'x-terminal-key': server.terminalKey };
  const body = { document: { slug, markdown: `# ${slug}\n\nA text.\n` } };
  expect((await send(server.base, { path: '/api/protocol/voxel-batch', body, headers })).status).toBe(200);
};

beforeAll(async () => {
  server = await startServer();
  await write('first');
});

afterAll(async () => {
  await server.kill();
  removeFolders();
});

describe('colophon backup', () => {
  it('copies a running deployment during writes into files that only their owner can read', async () => {
    const writing = new AbortController();
    const writer = (async () => {
      for (let i = 0; !writing.signal.aborted; i++) await write(`while-${i}`);
    })();
    const done = await runCommandBeside(server.folder, ['backup', backup, '--json']);
    writing.abort();
    await writer;
    expect([done.status, done.stderr]).toEqual([0, '']);
    expect(JSON.parse(done.stdout)).toMatchObject({ ok: true, store: 'sqlite', secret: 'file', files: 3 });
    expect(readdirSync(backup).sort()).toEqual(['checkpoint', 'colophon.db', 'manifest.json', 'secret.key']);
    expect(statSync(backup).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(backup)) expect(statSync(join(backup, name)).mode & 0o777).toBe(0o600);
    expect(runCommand(server.folder, ['verify', '--data', backup]).status).toBe(0);
  });

  it('refuses a target folder that is not empty and a deployment that does not exist', () => {
    const again = runCommand(server.folder, ['backup', backup]);
    expect([again.status, again.stderr.includes('is not empty')]).toEqual([2, true]);
    const absent = runCommand(join(elsewhere, 'nowhere'), ['backup', join(elsewhere, 'b2')]);
    expect([absent.status, existsSync(join(elsewhere, 'b2'))]).toEqual([2, false]);
    expect(runCommand(server.folder, ['backup']).status).toBe(2);
  });
});

describe('colophon restore', () => {
  it('restores into an empty folder, and a server started there serves the same ledger', async () => {
    const done = runCommand(restored, ['restore', backup, '--json']);
    expect([done.status, done.stderr]).toEqual([0, '']);
    expect(JSON.parse(done.stdout)).toMatchObject({ ok: true, problems: [], folder: restored });
    expect(statSync(restored).mode & 0o777).toBe(0o700);
    const { port, terminalKey } = server;
    const first = (await send(server.base, { path: '/api/articles/first' })).body;
    expect(await server.stop()).toBe(0);
    const copy = await startServer({ folder: restored, port, terminalKey });
    const read = await send(copy.base, { path: '/api/articles/first' });
    expect(JSON.parse(read.body)).toMatchObject({ body: (JSON.parse(first) as { body: string }).body });
    expect((await send(copy.base, { path: '/healthz' })).status).toBe(200);
    await copy.stop();
    expect(runCommand(restored, ['rebuild', '--check']).status).toBe(0);
  });

  it('refuses a data folder that is not empty', () => {
    const again = runCommand(restored, ['restore', backup]);
    expect([again.status, again.stderr.includes('is not empty')]).toEqual([2, true]);
  });

  it('refuses an altered or incomplete backup or one with unknown files, and writes nothing', () => {
    const target = join(elsewhere, 'target');
    const bad = join(elsewhere, 'bad');
    expect(runCommand(server.folder, ['backup', bad]).status).toBe(0);
    appendFileSync(join(bad, 'secret.key'), 'x');
    const altered = runCommand(target, ['restore', bad]);
    expect([
      altered.status,
      altered.stderr.includes('secret.key of the backup is not what its manifest says'),
    ]).toEqual([2, true]);
    const manifest = readFileSync(join(bad, 'manifest.json'), 'utf8');
    writeFileSync(join(bad, 'manifest.json'), manifest.replace('"secret.key"', '"../secret.key"'));
    expect(runCommand(target, ['restore', bad]).stderr).toContain('lists what no backup holds');
    writeFileSync(join(bad, 'manifest.json'), manifest.slice(0, 40));
    expect(runCommand(target, ['restore', bad]).stderr).toContain('no finished backup');
    writeFileSync(join(bad, 'manifest.json'), manifest.replace('"store": "sqlite"', '"store": "postgres"'));
    expect(runCommand(target, ['restore', bad]).stderr).toContain(
      'holds the keys of a deployment on PostgreSQL',
    );
    writeFileSync(join(bad, 'manifest.json'), manifest);
    const database = runCommand(target, ['restore', bad], {
      DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none',
    });
    expect([database.status, database.stderr]).toEqual([2, expect.stringContaining('unset DATABASE_URL')]);
    expect(existsSync(target)).toBe(false);
    expect(readdirSync(elsewhere).filter((name) => name.includes('restoring'))).toEqual([]);
  });

  it('leads to a refused start when the separate checkpoint is newer, unless --accept-rollback is given', async () => {
    copyFileSync(join(server.folder, 'checkpoint'), join(restored, 'checkpoint'));
    const seen = readFileSync(join(server.folder, 'checkpoint'), 'utf8').split('\n')[1];
    const held = readFileSync(join(backup, 'checkpoint'), 'utf8').split('\n')[1];
    expect(Number(seen)).toBeGreaterThan(Number(held));
    await expect(startServer({ folder: restored, terminalKey: server.terminalKey })).rejects.toThrow(
      StartRefused,
    );
    const accepted = await startServer({
      folder: restored,
      terminalKey: server.terminalKey,
      args: ['--accept-rollback'],
    });
    await accepted.stop();
  });
});
