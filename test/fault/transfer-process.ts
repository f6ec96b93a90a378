/** A transfer that is killed when it begins a step: `node transfer-process.ts TO STEP`, with the settings of the source. */
import { operations } from '../../src/compose.ts';

const [, , to = '', step = ''] = process.argv;
await operations.transfer(
  operations.readConfig(process.env),
  to.includes('://') ? { databaseUrl: to } : { dataFolder: to },
  (what) => {
    if (what === step) process.kill(process.pid, 'SIGKILL');
  },
);
