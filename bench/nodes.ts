/**
 * One, two and four nodes on one PostgreSQL, all on this machine: contributions a second in sum, spread over 64
 * articles and on a single one. Each number of nodes has a database of its own on the same server with `fsync` on, and
 * 64 connections are divided among its nodes. They take turns, so that drift of the machine meets all alike. Nodes on
 * one machine share its cores: what is measured is what more nodes cost, and the reach is that they cost nothing.
 */
import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hasPostgres, startPostgres, type TestPostgres } from '../test/support/postgres.ts';
import type { Job, Report } from './load-process.ts';
import { startColophon, temporaryFolder, type Colophon } from './processes.ts';
import { alone, median, skipped, versus, type Row, type Settings } from './row.ts';

const title = 'nodes on one PostgreSQL';
const connections = 64;
const articles = 64;
const counts = [1, 2, 4] as const;
const works = ['many articles', 'one article'] as const;

interface Cluster {
  readonly nodes: readonly Colophon[];
  readonly folders: readonly string[];
}

interface Measured {
  readonly perSecond: number;
  readonly p99: number;
  /** CPU microseconds a call, of the nodes and of the server's sessions. */
  readonly nodesUs: number;
  readonly serverUs: number;
  /** Transactions a call. */
  readonly commits: number;
}

export async function run(settings: Settings): Promise<Row[]> {
  if (!hasPostgres) return [skipped(title, 'no PostgreSQL for this platform')];
  const server = await startPostgres({
    fsync: 'on',
    max_connections: '200',
    shared_buffers: '128MB',
    max_wal_size: '4GB',
  });
  const clusters = new Map<number, Cluster>();
  try {
    const measured = new Map<string, Measured[]>();
    for (const count of counts) clusters.set(count, await startCluster(await server.database(), count));
    // The first round warms all up.
    for (let round = settings.quick ? 2 : 7; round >= 0; round--) {
      for (const work of works) {
        for (const [count, { nodes }] of clusters) {
          await quiet([...clusters.values()].flatMap((cluster) => cluster.nodes));
          // Every node compiles its code anew: the first round is as much longer as there are nodes.
          const seconds = (settings.quick ? 1.5 : 3) * (measured.has(`${work} ${count}`) ? 1 : 1 + 2 * count);
          const one = await measure(server, nodes, work, seconds);
          const name = `${work} ${count}`;
          measured.set(name, [...(measured.get(name) ?? []), one]);
          settings.say(
            `${count} nodes, ${work}: ${one.perSecond.toFixed(0)}/s, p99 ${one.p99} ms, CPU of nodes ${one.nodesUs.toFixed(0)} us, of PostgreSQL ${one.serverUs.toFixed(0)} us, ${one.commits.toFixed(3)} transactions a call`,
          );
        }
      }
    }
    return works.flatMap((work) => rowsOf(work, measured));
  } finally {
    for (const { nodes, folders } of clusters.values()) {
      await Promise.all(nodes.map((node) => node.stop()));
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    }
    await server.stop();
  }
}

function rowsOf(work: string, measured: ReadonlyMap<string, readonly Measured[]>): Row[] {
  const of = (count: number): readonly Measured[] => measured.get(`${work} ${count}`)?.slice(1) ?? [];
  const middle = (count: number, what: keyof Measured): number => median(of(count).map((each) => each[what]));
  const one = middle(1, 'perSecond');
  const cpu = (count: number): number => middle(count, 'nodesUs') + middle(count, 'serverUs');
  return [
    alone(`1 node, ${work}`, one, 'calls/s', ''),
    ...counts.slice(1).map((count) => {
      // Each round's own ratio: a round is too short for the machine to drift much within it.
      const ratio = median(of(count).map((each, i) => each.perSecond / (of(1)[i]?.perSecond ?? NaN)));
      return versus(
        `${count} nodes, ${work}`,
        ratio * one,
        'calls/s',
        '1 node',
        one,
        '>= 1',
        Number.isNaN(cpu(count)) ? {} : { cpu: cpu(1) / cpu(count) },
      );
    }),
    ...counts.map((count) => alone(`${count} nodes, ${work}, p99`, middle(count, 'p99'), 'ms', '')),
    ...counts.map((count) =>
      alone(`${count} nodes, ${work}, transactions a call`, middle(count, 'commits'), '', ''),
    ),
  ];
}

async function startCluster(url: string, count: number): Promise<Cluster> {
  const nodes: Colophon[] = [];
  const folders: string[] = [];
  for (let i = 0; i < count; i++) {
    const folder = temporaryFolder();
    folders.push(folder);
    nodes.push(
      await startColophon({
        folder,
        env: { DATABASE_URL: url, COLOPHON_SECRET_KEY: 'bench-secret-0123456789abcdef-0123456789' },
      }),
    );
  }
  for (let i = 0; i < articles; i++) {
    await nodes[0]?.owner('/api/protocol/voxel-batch', {
      document: { slug: slugOf(i), title: `Article ${i}`, markdown: `# Article ${i}\n\nA block of it.\n` },
    });
  }
  return { nodes, folders };
}

/** Until the nodes have indexed what they were given: that work belongs to no other turn. */
async function quiet(nodes: readonly Colophon[]): Promise<void> {
  const cpu = (): number => nodes.reduce((sum, node) => sum + node.cpuMs(), 0);
  for (let looks = 0; looks < 200; looks++) {
    const before = cpu();
    await new Promise((later) => setTimeout(later, 300));
    if (!(cpu() - before > 60)) return;
  }
}

function slugOf(i: number): string {
  return `article-${i}`;
}

async function measure(
  server: TestPostgres,
  nodes: readonly Colophon[],
  work: (typeof works)[number],
  seconds: number,
): Promise<Measured> {
  const body = (i: number): string =>
    JSON.stringify({
      key: 'MIRROR_APPEND',
      body: `${slugOf(i)}||question|ada|Which entries does the checkpoint of today cover, and who has signed the one before it? Asked as {n}.`,
    });
  const [first, ...others] = nodes.map((node) => node.port);
  const job: Job = {
    port: first as number,
    ports: others,
    connections,
    seconds,
    method: 'POST',
    path: '/api/dispatch',
    headers: { 'content-type': 'application/json' },
    body: body(0),
    ...(work === 'many articles' && { bodies: Array.from({ length: articles }, (_, i) => body(i)) }),
    status: 200,
  };
  const state = async () => {
    const [row] = await server.query<{ readonly commits: string }>(
      'SELECT sum(xact_commit) AS commits FROM pg_stat_database',
    );
    const sessions = await server.query<{ readonly pid: number }>('SELECT pid FROM pg_stat_activity');
    return {
      commits: Number(row?.commits),
      nodesMs: nodes.reduce((sum, node) => sum + node.cpuMs(), 0),
      sessions: new Map(sessions.map(({ pid }) => [pid, sessionMs(pid)])),
    };
  };
  const before = await state();
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(import.meta.dirname, 'load-process.ts'),
    JSON.stringify(job),
  ]);
  const report = JSON.parse(stdout) as Report;
  const after = await state();
  let serverMs = 0;
  for (const [pid, ms] of after.sessions) serverMs += ms - (before.sessions.get(pid) ?? 0);
  return {
    perSecond: report.calls / report.seconds,
    p99: report.p99,
    nodesUs: ((after.nodesMs - before.nodesMs) * 1000) / report.calls,
    serverUs: (serverMs * 1000) / report.calls,
    commits: (after.commits - before.commits) / report.calls,
  };
}

/** CPU milliseconds of a session so far; not a number where the system does not tell. */
function sessionMs(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' && process.platform === 'linux' ? 0 : NaN;
  }
}
