/**
 * The figures of docs/sizing.md, for either store: resident memory, disk for a million entries, calls a second on one
 * core and on two, and how long each command takes for a million entries. Memory, disk and commands are measured at
 * 20,000 entries (`--full`: 1,000,000; `--quick`: 3,000) and scaled. Linux only: cores are given by `taskset`, to the
 * server and, where it has one, its PostgreSQL; the load generator keeps both.
 */
import { execFile, execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hasPostgres, startPostgres, type TestPostgres } from '../test/support/postgres.ts';
import type { Job, Report } from './load-process.ts';
import { root, startColophon, temporaryFolder, type Colophon } from './processes.ts';
import { alone, median, skipped, type Row, type Settings } from './row.ts';
import { makeLedger, slugOf } from './scale.ts';
import { run as runWeight } from './weight.ts';

const million = 1_000_000;
const secretKey = 'bench-secret-0123456789abcdef-0123456789';

/** One store that is measured. */
interface Place {
  readonly name: 'SQLite' | 'PostgreSQL';
  readonly env: Readonly<Record<string, string>>;
  readonly server: TestPostgres | undefined;
  readonly url: string | undefined;
}

export async function run(settings: Settings): Promise<Row[]> {
  const articles = settings.full ? 100_000 : settings.quick ? 300 : 2_000;
  const rows = await measured(
    { name: 'SQLite', env: {}, server: undefined, url: undefined },
    articles,
    settings,
  );
  if (hasPostgres) {
    const server = await startPostgres({ fsync: 'on', shared_buffers: '128MB', max_wal_size: '4GB' });
    try {
      const url = await server.database();
      const env = { DATABASE_URL: url, COLOPHON_SECRET_KEY: secretKey };
      rows.push(...(await measured({ name: 'PostgreSQL', env, server, url }, articles, settings)));
    } finally {
      await server.stop();
    }
  } else rows.push(skipped('sizing on PostgreSQL', 'no PostgreSQL for this platform'));
  return [...rows, ...(await runWeight())];
}

async function measured(place: Place, articles: number, settings: Settings): Promise<Row[]> {
  const folder = temporaryFolder();
  try {
    settings.say(`${place.name}: making ${articles} articles`);
    const began = performance.now();
    await makeLedger(folder, articles, settings, place.env);
    const made = (performance.now() - began) / 1000;
    const entries = await headSize(place, folder);
    const at = `${place.name}, ${entries.toLocaleString('en-US')} entries`;
    const rows = [
      alone(`${at}: made over HTTP`, (made * million) / entries, 's/million', ''),
      alone(`${at}: disk`, ((await diskBytes(place, folder)) / entries) * million * 1e-9, 'GB/million', ''),
      ...(await serving(place, folder, settings)),
    ];
    settings.say(`${place.name}: commands`);
    return [...rows, ...(await commands(place, folder, settings))];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** After a restart; the folder of PostgreSQL's node holds nothing that counts. */
async function diskBytes({ server, url }: Place, folder: string): Promise<number> {
  if (server === undefined) return bytesBelow(folder);
  const [row] = await server.query<{ bytes: string }>(
    'SELECT pg_database_size(current_database()) AS bytes',
    [],
    url,
  );
  return Number(row?.bytes);
}

function bytesBelow(folder: string): number {
  return Number(execFileSync('du', ['-sb', folder], { encoding: 'utf8' }).split('\t')[0]);
}

// Serving

async function serving(place: Place, folder: string, settings: Settings): Promise<Row[]> {
  const colophon = await startColophon({ folder, env: place.env });
  const seconds = settings.quick ? 2 : 5;
  const rounds = settings.quick ? 1 : 3;
  try {
    await new Promise((later) => setTimeout(later, 3000));
    const idle = colophon.residentBytes() / 2 ** 20;
    const rows = [alone(`${place.name}: resident memory, idle`, idle, 'MB', '')];
    let most = 0;
    const sampling = setInterval(() => (most = Math.max(most, colophon.residentBytes() / 2 ** 20)), 250);
    // The code is compiled by a first round that is not counted.
    await load(colophon, appendJob, seconds);
    for (const [what, job] of [
      ['MIRROR_APPEND', appendJob],
      ['article JSON', readJob],
    ] as const) {
      for (const cores of [1, 2].filter((count) => count <= cpus().length)) {
        const figures: Report[] = [];
        for (let round = 0; round < rounds; round++) {
          const list = cores === 1 ? '0' : `0-${cores - 1}`;
          await pin(place, colophon, list);
          figures.push(await load(colophon, job, seconds));
        }
        await pin(place, colophon, `0-${cpus().length - 1}`);
        const rate = median(figures.map((report) => report.calls / report.seconds));
        const p99 = median(figures.map((report) => report.p99));
        rows.push(
          alone(`${place.name}: ${what}, ${cores} core${cores === 1 ? '' : 's'}`, rate, 'calls/s', '', {
            note: `p99 ${p99.toFixed(1)} ms`,
          }),
        );
        settings.say(`${place.name}: ${what} on ${cores} cores, ${rate.toFixed(0)}/s`);
      }
    }
    clearInterval(sampling);
    rows.push(alone(`${place.name}: resident memory under load, most`, most, 'MB', ''));
    return rows;
  } finally {
    await colophon.stop();
  }
}

type Sent = Omit<Job, 'port' | 'seconds' | 'connections'>;

const appendJob: Sent = {
  method: 'POST',
  path: '/api/dispatch',
  headers: { 'content-type': 'application/json' },
  body: '',
  bodies: Array.from({ length: 64 }, (_, i) =>
    JSON.stringify({
      key: 'MIRROR_APPEND',
      body: `${slugOf(i)}||question|ada|Which entries does the checkpoint of today cover, and who has signed the one before it? Asked as {n}.`,
    }),
  ),
  status: 200,
};

const readJob: Sent = {
  method: 'GET',
  path: `/api/articles/${slugOf(1)}`,
  headers: {},
  body: '',
  status: 200,
};

async function load(colophon: Colophon, job: Sent, seconds: number): Promise<Report> {
  const whole: Job = { ...job, port: colophon.port, connections: 64, seconds };
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(import.meta.dirname, 'load-process.ts'),
    JSON.stringify(whole),
  ]);
  return JSON.parse(stdout) as Report;
}

/** All threads of the server, and all sessions of its PostgreSQL; what they start later inherits it. */
async function pin({ server }: Place, colophon: Colophon, list: string): Promise<void> {
  const sessions =
    server === undefined ? [] : await server.query<{ pid: number }>('SELECT pid FROM pg_stat_activity');
  for (const pid of [colophon.pid, ...sessions.map((session) => session.pid)]) {
    try {
      execFileSync('taskset', ['-acp', list, String(pid)], { stdio: ['ignore', 'ignore', 'ignore'] });
    } catch {
      // A session that ended since.
    }
  }
}

// Commands

async function commands(place: Place, folder: string, settings: Settings): Promise<Row[]> {
  const backup = `${folder}-backup`;
  const restored = `${folder}-restored`;
  const env = { COLOPHON_DATA: folder, ...place.env };
  const entries = await headSize(place, folder);
  const lines: [name: string, args: readonly string[], env: Readonly<Record<string, string>>][] = [
    ['verify', ['verify'], env],
    ['rebuild --check', ['rebuild', '--check'], env],
    ['rebuild', ['rebuild'], env],
    ['backup', ['backup', backup], env],
  ];
  const target =
    place.server === undefined && hasPostgres && (await has('transfer')) ? await emptyServer() : undefined;
  if (place.server === undefined) lines.push(['restore', ['restore', backup], { COLOPHON_DATA: restored }]);
  if (target !== undefined) lines.push(['transfer', ['transfer', '--to', await target.database()], env]);
  try {
    return await timed(place, lines, entries, settings);
  } finally {
    await target?.stop();
    for (const each of [backup, restored]) rmSync(each, { recursive: true, force: true });
  }
}

function emptyServer(): Promise<TestPostgres> {
  return startPostgres({ fsync: 'on', max_wal_size: '4GB' });
}

async function timed(
  { name }: Place,
  lines: readonly (readonly [name: string, args: readonly string[], env: Readonly<Record<string, string>>])[],
  entries: number,
  settings: Settings,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [what, args, env] of lines) {
    const started = performance.now();
    try {
      await command(args, env);
      const seconds = (performance.now() - started) / 1000;
      rows.push(
        alone(`${name}: ${what}`, (seconds * million) / entries, 's/million', '', {
          note: `${seconds.toFixed(1)} s for ${entries}`,
        }),
      );
    } catch (error) {
      rows.push(
        skipped(`${name}: ${what}`, String((error as { stderr?: string }).stderr ?? error).slice(0, 200)),
      );
    }
    settings.say(`${name}: ${what}, ${((performance.now() - started) / 1000).toFixed(1)} s`);
  }
  return rows;
}

async function command(args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'bin/colophon.js'), ...args], {
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      COLOPHON_TERMINAL_KEY: 'tk_bench-owner-key-0123456789abcdef',
      ...env,
    },
    maxBuffer: 2 ** 26,
  });
  return stdout;
}

async function has(verb: string): Promise<boolean> {
  return (await command(['--help'], {})).includes(`\n  ${verb} `);
}

/** Entries by now, once all are in the log; it is asked of a node of its own. */
async function headSize(place: Place, folder: string): Promise<number> {
  const colophon = await startColophon({ folder, env: place.env });
  try {
    return Number((await (await fetch(`${colophon.url}/checkpoint`)).text()).split('\n')[1]);
  } finally {
    await colophon.stop();
  }
}
