/** `colophon transfer` (contract §0, ADR 67): moves a stopped deployment to PostgreSQL, or back to a data folder. */
import { join, resolve } from 'node:path';
import { progressLine } from './backup.ts';
import { type Command, readOptions, type TransferReport, UsageError } from './command.ts';

export const transferCommand: Command = {
  name: 'transfer',
  what: 'Move a stopped deployment to PostgreSQL, or from PostgreSQL to a data folder, and verify every entry there.',
  usage: 'colophon transfer --to DATABASE_URL|FOLDER',
  options: [
    [
      '--to PLACE',
      'A postgres:// URL of an empty database, or a data folder that is empty or does not exist.',
    ],
    ['--json', 'Print the report as JSON.'],
  ],
  async run(argv, context) {
    const { values, positionals } = readOptions(argv, { to: { type: 'string' }, json: { type: 'boolean' } });
    const { to = '' } = values;
    if (positionals.length > 0 || to === '') throw new UsageError('it takes one place, with --to.');
    const isUrl = to.includes('://');
    if (isUrl && !/^postgres(?:ql)?:/.test(to))
      throw new UsageError('--to accepts a postgres:// URL or a data folder.');
    const progress = progressLine();
    const report = await context.transfer(
      context.readConfig(process.env),
      isUrl ? { databaseUrl: to } : { dataFolder: resolve(to) },
      progress.show,
    );
    progress.end();
    console.log(values.json === true ? JSON.stringify({ ok: true, ...report }, null, 2) : describe(report));
    return 0;
  },
};

function describe({ from, to, store, secret, entries, verified }: TransferReport): string {
  const done =
    verified === null
      ? `${entries} entries were transferred to ${to} before; it is ready.`
      : `Transferred ${entries} entries, ${verified.contents} contents (${verified.scrubbed} scrubbed) and ${verified.blobs} blobs to ${to}; every one was verified there.`;
  const next =
    store === 'postgres'
      ? secret === 'environment'
        ? 'Start the nodes with DATABASE_URL and the same COLOPHON_SECRET_KEY.'
        : `Start the nodes with DATABASE_URL and COLOPHON_SECRET_KEY, which is in ${join(from, 'secret.key')}: keep it elsewhere, since no backup of a database holds it.`
      : `Start colophon serve with COLOPHON_DATA=${to} and without DATABASE_URL.`;
  return `${done}\n${next}\n${from} takes no writes any more. Keep it until you have a backup of the other, then delete it: scrubs do not reach it.`;
}
