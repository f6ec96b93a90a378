/**
 * Where a run of the tests keeps the one cluster that initdb made for it: `postgres.ts` copies it, which is several
 * times as quick. It is made by whichever file is the first to want PostgreSQL, and goes with the run.
 */
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { opaqueId } from '../../src/kernel/ids.ts';

export default function keepOneCluster(): () => void {
  const made = join(tmpdir(), opaqueId('colophon-pg-made-'));
  process.env['COLOPHON_TEST_CLUSTER'] = made;
  return () => rmSync(made, { recursive: true, force: true });
}
