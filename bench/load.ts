/** Runs the load generator against a process that serves, in turns with its peers. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Job, Report } from './load-process.ts';
import type { Serving } from './processes.ts';
import { median } from './row.ts';

export interface Contender {
  readonly name: string;
  readonly server: Serving;
  readonly job: Omit<Job, 'port' | 'seconds' | 'connections'>;
}

export interface Measured {
  readonly name: string;
  readonly perSecond: number;
  /** Milliseconds; medians of the rounds' figures. */
  readonly p50: number;
  readonly p99: number;
  /** CPU microseconds of the server for one call: what another load on the machine does not change. */
  readonly cpuUs: number;
  readonly rounds: readonly (Report & { readonly cpuUs: number })[];
}

export interface Rounds {
  readonly connections: number;
  readonly rounds: number;
  readonly seconds: number;
}

/** A warm-up of each, then rounds in which each has its turn, so that drift of the machine meets all alike. */
export async function inTurns(
  contenders: readonly Contender[],
  { connections, rounds, seconds }: Rounds,
): Promise<Measured[]> {
  const reports = contenders.map((): (Report & { cpuUs: number })[] => []);
  for (const contender of contenders) await once(contender, connections, Math.min(2, seconds));
  for (let round = 0; round < rounds; round++) {
    for (const [i, contender] of contenders.entries())
      reports[i]?.push(await once(contender, connections, seconds));
  }
  return contenders.map(({ name }, i) => {
    const own = reports[i] ?? [];
    return {
      name,
      perSecond: median(own.map((each) => each.calls / each.seconds)),
      p50: median(own.map((each) => each.p50)),
      p99: median(own.map((each) => each.p99)),
      cpuUs: median(own.map((each) => each.cpuUs)),
      rounds: own,
    };
  });
}

async function once(
  { server, job }: Contender,
  connections: number,
  seconds: number,
): Promise<Report & { cpuUs: number }> {
  const before = server.cpuMs();
  const whole: Job = { ...job, port: server.port, connections, seconds };
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(import.meta.dirname, 'load-process.ts'),
    JSON.stringify(whole),
  ]);
  const report = JSON.parse(stdout) as Report;
  return { ...report, cpuUs: ((server.cpuMs() - before) * 1000) / report.calls };
}
