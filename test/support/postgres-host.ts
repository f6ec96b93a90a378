/**
 * The process that runs the server of `sharedPostgres`: `node postgres-host.ts <file> <pid>`. It writes its port and
 * its own pid to the file, and ends when it is told to, or when the run of tests with that pid is gone.
 */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { startPostgres } from './postgres.ts';

const [, , file = '', run = ''] = process.argv;
const server = await startPostgres({
  autovacuum: 'off',
  full_page_writes: 'off',
  max_connections: '300',
  shared_buffers: '128MB',
});
writeFileSync(`${file}.new`, JSON.stringify({ port: server.port, pid: process.pid }));
renameSync(`${file}.new`, file);

let ending = false;
async function end(): Promise<void> {
  if (ending) return;
  ending = true;
  await server.stop();
  rmSync(file, { force: true });
  process.exit();
}
process.on('SIGTERM', () => void end());
setInterval(() => {
  try {
    process.kill(Number(run), 0);
  } catch {
    void end();
  }
}, 500);
