import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPostgres, sharedPostgres, type TestDatabases } from '../support/postgres.ts';

const root = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'colophon-pg-command-'));
const cluster: { server: TestDatabases | undefined; url: string } = { server: undefined, url: '' };

beforeAll(async () => {
  if (!hasPostgres) return;
  cluster.server = await sharedPostgres();
  cluster.url = await cluster.server.database();
  writeFileSync(join(folder, 'notes.md'), '# Notes\n\nOne.\n\nTwo.\n');
}, 60_000);

afterAll(async () => {
  await cluster.server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Ran {
  readonly status: number;
  readonly out: string;
}

function colophon(...argv: string[]): Promise<Ran> {
  const env = {
    ...process.env,
    DATABASE_URL: cluster.url,
    COLOPHON_DATA: join(folder, 'data'),
    COLOPHON_TERMINAL_KEY: 'tk_only-for-tests-0123456789',
    COLOPHON_SECRET_KEY: 'secret-key-of-the-tests-0123456789abcdef',
  };
  return new Promise((done) => {
    execFile(process.execPath, [join(root, 'bin/colophon.js'), ...argv], { env }, (error, stdout, stderr) => {
      done({
        status: error === null ? 0 : typeof error.code === 'number' ? error.code : 1,
        out: stdout + stderr,
      });
    });
  });
}

describe.skipIf(!hasPostgres)('the command line on PostgreSQL', () => {
  it('imports, verifies, detects an alteration, and rebuilds', async () => {
    expect(await colophon('import', join(folder, 'notes.md'))).toMatchObject({ status: 0 });
    const sound = await colophon('verify');
    expect(sound.out).toMatch(/^Sound: \d+ entries/m);
    expect(sound.status).toBe(0);
    expect((await colophon('rebuild', '--check')).out).toMatch(/ 0 differ\./);

    await cluster.server?.query("UPDATE div SET text = 'Tw0.' WHERE text = 'Two.'", [], cluster.url);
    const differs = await colophon('verify');
    expect(differs.status).toBe(1);
    expect(differs.out).toMatch(/projection div, row art_\w+ \/ d3: differs from what the ledger gives/);

    expect(await colophon('rebuild')).toMatchObject({ status: 0 });
    expect((await colophon('verify')).out).toMatch(/^Sound:/m);
    const { out } = await colophon('export', 'notes', '--out', '-');
    expect((JSON.parse(out) as { readonly body: string }).body).toBe('# Notes\n\nOne.\n\nTwo.\n');

    await cluster.server?.query(
      "UPDATE content SET body = replace(body, 'Two', 'Tw0') WHERE body = 'Two.'",
      [],
      cluster.url,
    );
    const altered = await colophon('verify');
    expect(altered.status).toBe(1);
    expect(altered.out).toMatch(
      /entry \d+: art_\w+\.d3#0: the content of text_sha does not match its commitment/,
    );
  }, 120_000);
});
