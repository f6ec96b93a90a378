/**
 * `colophon transfer` of a large ledger: from a data folder to PostgreSQL and back, each as an operator runs it, with
 * `fsync` on. The ledger is that of `scale.ts`; `COLOPHON_BENCH_LEDGER` names a folder that keeps it between runs.
 */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hasPostgres, startPostgres } from '../test/support/postgres.ts';
import { root, temporaryFolder } from './processes.ts';
import { alone, skipped, type Row, type Settings } from './row.ts';
import { makeLedger } from './scale.ts';

export async function run(settings: Settings): Promise<Row[]> {
  if (!hasPostgres) return [skipped('transfer', 'no PostgreSQL for this platform')];
  const articles = settings.full ? 100_000 : 3_000;
  const kept = process.env['COLOPHON_BENCH_LEDGER'];
  const made = kept === undefined ? temporaryFolder() : join(kept, String(articles));
  const work = temporaryFolder();
  const server = await startPostgres({ fsync: 'on', shared_buffers: '128MB', max_wal_size: '4GB' });
  try {
    if (!existsSync(join(made, 'made.json'))) await makeLedger(made, articles, settings);
    const { entries } = JSON.parse(readFileSync(join(made, 'made.json'), 'utf8')) as { entries: number };
    const source = join(work, 'source');
    cpSync(made, source, { recursive: true });
    const url = await server.database();
    const secret = readFileSync(join(source, 'secret.key'), 'utf8').trim();
    const at = `${entries.toLocaleString('en-US')} entries`;
    settings.say(`to PostgreSQL, ${at}`);
    const there = await timed(['--to', url], { COLOPHON_DATA: source });
    settings.say(`back, ${at}`);
    const env = { COLOPHON_DATA: join(work, 'node'), DATABASE_URL: url, COLOPHON_SECRET_KEY: secret };
    const back = await timed(['--to', join(work, 'back')], env);
    return [
      alone(`transfer to PostgreSQL, ${at}`, there.seconds, 's', '<= 600'),
      alone('its own CPU', there.cpuSeconds, 's', ''),
      alone(`transfer to a data folder, ${at}`, back.seconds, 's', '<= 600'),
      alone('its own CPU', back.cpuSeconds, 's', ''),
    ];
  } finally {
    await server.stop();
    rmSync(work, { recursive: true, force: true });
    if (kept === undefined) rmSync(made, { recursive: true, force: true });
  }
}

/** Throws with what it says unless it ends well. */
async function timed(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ readonly seconds: number; readonly cpuSeconds: number }> {
  const started = performance.now();
  const child = spawn(process.execPath, [join(root, 'bin/colophon.js'), 'transfer', ...args], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  let cpuSeconds = 0;
  const look = setInterval(() => (cpuSeconds = cpuOf(child.pid as number) ?? cpuSeconds), 200);
  const status = await new Promise((done) => child.once('close', done));
  clearInterval(look);
  if (status !== 0) throw new Error(`the transfer ended with status ${String(status)}: ${said}`);
  return { seconds: (performance.now() - started) / 1000, cpuSeconds };
}

/** Undefined where the system does not say, or the process is gone. */
function cpuOf(pid: number): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return undefined;
  }
}
