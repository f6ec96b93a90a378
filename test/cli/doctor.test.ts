import { chmodSync, copyFileSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../http/client.ts';
import { hasPostgres, sharedPostgres } from '../support/postgres.ts';
import {
  freePort,
  removeFolders,
  runCommandBeside,
  startServer,
  temporaryFolder,
  type RunningServer,
} from '../support/process-server.ts';

interface Finding {
  readonly check: string;
  readonly state: string;
  readonly detail: string;
  readonly fix: string;
}

let server: RunningServer;

beforeAll(async () => {
  server = await startServer();
  chmodSync(server.folder, 0o700);
  const headers = { 'x-terminal-key': server.terminalKey };
  const body = { document: { slug: 'one', markdown: 'One.\n' } };
  expect((await send(server.base, { path: '/api/protocol/voxel-batch', body, headers })).status).toBe(200);
});

afterAll(async () => {
  await server.kill();
  removeFolders();
});

const examine = async (env: Record<string, string> = {}, folder = server.folder) => {
  const { status, stdout } = await runCommandBeside(folder, ['doctor', '--json'], {
    PORT: String(server.port),
    ...env,
  });
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  return { status, of: (check: string) => findings.filter((each) => each.check === check), findings };
};

describe('colophon doctor', () => {
  it('finds no problem in a running deployment', async () => {
    const { status, findings, of } = await examine();
    expect(findings.filter(({ state }) => state === 'fail')).toEqual([]);
    expect(status).toBe(0);
    expect(of('lock')[0]?.detail).toBe('a running server owns the folder and answers on its socket');
    expect(of('log')[0]).toMatchObject({
      state: 'ok',
      detail: expect.stringContaining('the root that its checkpoint signs'),
    });
    const text = await runCommandBeside(server.folder, ['doctor'], { PORT: String(server.port) });
    expect(text.stdout).toMatch(/^ok {4}Node\.js: /);
  });

  it('names an invalid setting that would stop a start', async () => {
    const { status, of } = await examine({ COLOPHON_RATE_LIMIT: 'maybe' });
    expect(status).toBe(1);
    expect(of('settings')[0]).toMatchObject({
      state: 'fail',
      detail: expect.stringContaining('COLOPHON_RATE_LIMIT is "maybe"'),
    });
  });

  it('names files that other users can read, and how to restrict them', async () => {
    chmodSync(server.folder, 0o755);
    chmodSync(join(server.folder, 'secret.key'), 0o644);
    const { status, of } = await examine();
    chmodSync(server.folder, 0o700);
    chmodSync(join(server.folder, 'secret.key'), 0o600);
    expect(status).toBe(1);
    expect(of('data folder')[0]).toMatchObject({ state: 'fail', fix: `Run chmod 700 ${server.folder}` });
    expect(of('secret.key')[0]).toMatchObject({
      state: 'fail',
      fix: `Run chmod 600 ${join(server.folder, 'secret.key')}`,
    });
    expect(of('colophon.db')[0]).toMatchObject({ state: 'ok' });
  });

  it('names a port in use and a missing folder', async () => {
    const port = await freePort();
    const other: Server = createServer();
    await new Promise<void>((done) => other.listen(port, '127.0.0.1', done));
    const empty = join(temporaryFolder(), 'none');
    const { status, of } = await examine({ PORT: String(port), COLOPHON_DATA: empty }, empty);
    other.close();
    expect(status).toBe(1);
    expect(of('address')[0]).toMatchObject({
      state: 'fail',
      detail: `127.0.0.1:${port} is taken by another process`,
    });
    expect(of('data folder')[0]).toMatchObject({ state: 'warn' });
    expect(of('ledger')[0]).toMatchObject({ state: 'warn' });
  });

  it('accepts an open folder since the server creates no file that others can read', async () => {
    expect((await send(server.base, { path: '/api/search?q=one' })).status).toBe(200);
    const names = readdirSync(server.folder);
    expect(names).toEqual(expect.arrayContaining(['colophon.db', 'lock.db', 'search.db']));
    expect(names.filter((name) => (statSync(join(server.folder, name)).mode & 0o077) !== 0)).toEqual([]);
  });

  it('names an altered or rolled back ledger and a missing key', async () => {
    await server.stop();
    const folder = join(temporaryFolder(), 'copy');
    mkdirSync(folder, { mode: 0o700 });
    for (const name of ['colophon.db', 'secret.key', 'checkpoint'])
      copyFileSync(join(server.folder, name), join(folder, name));
    chmodSync(join(folder, 'colophon.db'), 0o600);
    chmodSync(join(folder, 'secret.key'), 0o600);
    const sound = await examine({}, folder);
    expect([sound.status, sound.of('lock')[0]?.detail]).toEqual([0, 'no process owns the folder']);
    const db = new DatabaseSync(join(folder, 'colophon.db'));
    db.exec('DELETE FROM entry WHERE seq = (SELECT max(seq) FROM entry)');
    const back = await examine({}, folder);
    expect(back.status).toBe(1);
    expect(back.of('log')[0]).toMatchObject({ state: 'fail' });
    expect(back.of('checkpoint')[0]?.fix).toContain('--accept-rollback');
    db.close();
    rmSync(join(folder, 'secret.key'));
    expect((await examine({}, folder)).of('secret key')[0]).toMatchObject({ state: 'fail' });
  });

  it.runIf(hasPostgres)('checks the database and reports when it does not answer', async () => {
    const postgres = await sharedPostgres();
    const DATABASE_URL = await postgres.database();
    const node = await startServer({ env: { DATABASE_URL } });
    const there = await examine({ DATABASE_URL, PORT: String(node.port) }, node.folder);
    expect(there.of('PostgreSQL')[0]).toMatchObject({ state: 'ok' });
    expect(there.of('migrations')[0]).toMatchObject({ state: 'ok' });
    expect(there.of('search')[0]).toMatchObject({
      state: 'ok',
      detail: expect.stringMatching(/^the index is \d+ entries behind the log$/),
    });
    await node.stop();
    await postgres.stop();
    const gone = await examine({ DATABASE_URL }, node.folder);
    expect([gone.status, gone.of('PostgreSQL')[0]?.state]).toEqual([1, 'fail']);
  });
});

describe('colophon bench', () => {
  it('runs the benchmarks of the checkout and refuses an unknown one', async () => {
    const refused = await runCommandBeside(server.folder, ['bench', 'nothing']);
    expect([refused.status, refused.stderr.includes('There is no row nothing; there are dispatch')]).toEqual([
      2,
      true,
    ]);
    const help = await runCommandBeside(server.folder, ['bench', '--help']);
    expect([help.status, help.stdout.includes('--quick')]).toEqual([0, true]);
  });
});
