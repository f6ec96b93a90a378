/** Starts that cannot be (contract §0): one line that says what is wrong and what to do, and nothing is lost by them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPostgres, sharedPostgres } from '../support/postgres.ts';
import {
  removeFolders,
  runCommand,
  runCommandBeside,
  startServer,
  temporaryFolder,
  type RunningServer,
} from '../support/process-server.ts';

let running: RunningServer;

beforeAll(async () => {
  running = await startServer();
});

afterAll(async () => {
  await running.stop();
  removeFolders();
});

describe('a start that fails', () => {
  it('names the port in use, and prints the new owner key, which stays valid', async () => {
    const folder = temporaryFolder();
    const { status, stdout, stderr } = runCommand(folder, ['serve'], { PORT: String(running.port) });
    expect([status, stderr]).toEqual([
      2,
      `colophon: port ${running.port} on 127.0.0.1 is taken; set PORT to a free one.\n`,
    ]);
    const [, key = ''] = /^Owner key \(shown once, keep it\): (tk_\S+)$/m.exec(stdout) ?? [];
    const server = await startServer({ folder, env: { COLOPHON_TERMINAL_KEY: '' } });
    expect(server.output()).not.toContain('Owner key');
    const response = await fetch(`${server.base}/api/dispatch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-terminal-key': key },
      body: JSON.stringify({ key: 'CAP_MINT', body: { scope: 'row', key: 'MIRROR_FEED' } }),
    });
    expect([key.slice(0, 3), response.status]).toEqual(['tk_', 200]);
    expect(await server.stop()).toBe(0);
  }, 60_000);

  it.each([
    [
      { HOST: '192.0.2.1' },
      'HOST is "192.0.2.1"; it accepts an address of this machine, such as 127.0.0.1 or 0.0.0.0.',
    ],
    [{ HOST: '' }, 'HOST is empty; it accepts an address of this machine. Leave it unset for the usual one.'],
    [{ COLOPHON_DATA: '' }, 'COLOPHON_DATA is empty; it accepts a folder. Leave it unset for the usual one.'],
  ])('reports %j in one line', (env, line) => {
    const { status, stderr } = runCommand(temporaryFolder(), ['serve'], { PORT: '0', ...env });
    expect([status, stderr]).toEqual([2, `colophon: ${line}\n`]);
  });

  it.runIf(hasPostgres)(
    'reports the error of PostgreSQL without the password',
    async () => {
      const postgres = await sharedPostgres();
      try {
        const url = new URL(await postgres.database());
        url.pathname = '/no_such_database';
        const { status, stdout, stderr } = await runCommandBeside(temporaryFolder(), ['serve'], {
          DATABASE_URL: url.href,
        });
        expect([status, stdout, stderr]).toEqual([
          2,
          '',
          'colophon: PostgreSQL refuses: database "no_such_database" does not exist (3D000). Check DATABASE_URL, the server, and who may connect and write.\n',
        ]);
      } finally {
        await postgres.stop();
      }
    },
    60_000,
  );
});
