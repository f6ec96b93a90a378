/**
 * Point-in-time recovery of PostgreSQL (docs/recovery.md), with the commands of that page word by word on a cluster of
 * this machine's PostgreSQL, and what nodes of Colophon say of the database that they find then.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../http/client.ts';
import {
  freePort,
  newOwnerKey,
  removeFolders,
  runCommandBeside,
  startServer,
  temporaryFolder,
  type RunningServer,
} from '../support/process-server.ts';

const [tools] = globSync('/usr/lib/postgresql/{15,16,17,18}/bin/pg_verifybackup').map((path) =>
  resolve(path, '..'),
);
if (tools === undefined) console.warn('There is no PostgreSQL with its tools here; recovery is not tried.');

const guide = readFileSync(resolve(import.meta.dirname, '../../docs/recovery.md'), 'utf8');

/** The commands below a heading. */
function commandsOf(heading: string): readonly string[] {
  const [, part = ''] = guide.split(`\n## ${heading}\n`);
  return [...(part.split('\n## ')[0] ?? '').matchAll(/^```sh\n([^]*?)^```$/gm)].map(
    ([, text]) => text as string,
  );
}

describe.skipIf(tools === undefined)('recovery of PostgreSQL to a moment', () => {
  const place = mkdtempSync(join(tmpdir(), 'colophon-recovery-'));
  const names = { PGDATA: join(place, 'data'), ARCHIVE: join(place, 'archive'), BASE: join(place, 'base') };
  const terminalKey = newOwnerKey();
  const env: Record<string, string> = {};
  let port = 0;
  let node: RunningServer;

  /** As the user of PostgreSQL, which refuses to run as root. */
  function shell(commands: string, more: Readonly<Record<string, string>> = {}): string {
    const settings = Object.entries({
      ...names,
      ...more,
      PATH: `${tools}:${process.env['PATH'] ?? ''}`,
      PGHOST: '127.0.0.1',
      PGPORT: String(port),
      PGUSER: 'postgres',
    }).map(([name, value]) => `${name}=${value}`);
    const asUser = process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--'] : [];
    const args = [...asUser, 'env', ...settings, 'sh', '-euc', commands];
    // A server that is started keeps the streams that it inherits open.
    return execFileSync('/usr/bin/env', args, {
      cwd: place,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  }

  const write = async (slug: string): Promise<number> => {
    const body = { document: { slug, markdown: `# ${slug}\n\nA text.\n` } };
    const headers = { 'x-terminal-key': terminalKey };
    return (await send(node.base, { path: '/api/protocol/voxel-batch', body, headers })).status;
  };
  const statusOf = async (path: string): Promise<number> => (await send(node.base, { path })).status;

  beforeAll(async () => {
    port = await freePort();
    for (const folder of [names.ARCHIVE, names.BASE]) mkdirSync(folder);
    if (process.getuid?.() === 0) execFileSync('chown', ['-R', 'postgres:', place]);
    else chmodSync(place, 0o700);
    shell(`initdb -D "$PGDATA" -A trust -U postgres --no-sync --locale=C --encoding=UTF8
      printf "port = ${port}\\nlisten_addresses = '127.0.0.1'\\nunix_socket_directories = ''\\nfsync = off\\n" >> "$PGDATA/postgresql.auto.conf"
      pg_ctl start -D "$PGDATA" -w -l "$PGDATA/server.log"
      createdb colophon`);
    env['DATABASE_URL'] = `postgres://postgres@127.0.0.1:${port}/colophon`;
  }, 60_000);

  afterAll(async () => {
    await node?.stop();
    shell('pg_ctl stop -D "$PGDATA" -w -m immediate');
    removeFolders();
    rmSync(place, { recursive: true, force: true });
  });

  it('archives the log, and makes a base backup beside a node that writes', async () => {
    for (const commands of commandsOf('Archive the write-ahead log')) shell(commands);
    node = await startServer({ terminalKey, env });
    expect(await write('before')).toBe(200);
    for (const commands of commandsOf('Make a base backup')) shell(commands);
    expect(await write('after')).toBe(200);
  }, 60_000);

  it('goes back to a moment, and nodes refuse to start until it is accepted', async () => {
    const moment = shell("psql -Atc 'SELECT clock_timestamp()'").trim();
    expect(await write('mistake')).toBe(200);
    await node.stop();
    for (const commands of commandsOf('Go back to a moment')) shell(commands, { TARGET: moment });

    const refused = await runCommandBeside(node.folder, ['serve', '--no-seed'], {
      ...env,
      PORT: String(node.port),
      COLOPHON_TERMINAL_KEY: terminalKey,
    });
    expect([refused.status, refused.stderr]).toEqual([
      2,
      expect.stringMatching(
        /^colophon: The ledger has \d+ entries; the checkpoint kept apart from it has seen \d+\. .*--accept-rollback/,
      ),
    ]);
    const { folder } = node;
    node = await startServer({ terminalKey, env, folder, port: node.port, args: ['--accept-rollback'] });
    expect(
      await Promise.all(['before', 'after', 'mistake'].map((slug) => statusOf(`/api/articles/${slug}`))),
    ).toEqual([200, 200, 404]);
    expect(await write('again')).toBe(200);
    const verified = await runCommandBeside(temporaryFolder(), ['verify'], env);
    expect([verified.status, verified.stdout.slice(0, 6)]).toEqual([0, 'Sound:']);
  }, 120_000);
});
