/** PgBouncer in a pool mode of choice, on a free loopback port before a server of the tests. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './process-server.ts';

const command = ['pgbouncer', '/usr/sbin/pgbouncer'].find(
  (each) => spawnSync(each, ['--version']).error === undefined,
);

export const hasPgbouncer = command !== undefined;
if (!hasPgbouncer) console.warn('There is no pgbouncer here; the tests behind it are skipped.');

export interface Pgbouncer {
  /** The URL of a database by way of the pooler. */
  url(of: string): string;
  /** Ends it and every connection through it; `start` begins again on the same port. */
  stop(forGood?: boolean): Promise<void>;
  start(): Promise<void>;
}

export async function startPgbouncer(
  of: string,
  mode: 'session' | 'transaction' | 'statement',
): Promise<Pgbouncer> {
  const { hostname, port: serverPort, username, password } = new URL(of);
  const folder = mkdtempSync(join(tmpdir(), 'colophon-pgbouncer-'));
  chmodSync(folder, 0o755);
  const port = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${serverPort} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = 40
max_client_conn = 100
log_connections = 0
log_disconnections = 0
`,
  );
  let child: ChildProcess;
  const start = async (): Promise<void> => {
    // It refuses to run as root.
    const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
    child = spawn(command as string, ['-q', ...user, file], { stdio: 'ignore' });
    for (let tries = 1; !(await answers(port)); tries++) {
      if (tries === 200) throw new Error('pgbouncer did not start');
      await new Promise((wait) => setTimeout(wait, 25));
    }
  };
  await start();
  return {
    start,
    url(each) {
      const url = new URL(each);
      url.port = String(port);
      return url.href;
    },
    async stop(forGood = true) {
      const gone = new Promise((done) => child.once('exit', done));
      child.kill('SIGKILL');
      await gone;
      if (forGood) rmSync(folder, { recursive: true, force: true });
    },
  };
}

function answers(port: number): Promise<boolean> {
  return new Promise((answer) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => answer(true)).once('error', () => answer(false));
    socket.once('connect', () => socket.destroy());
  });
}
