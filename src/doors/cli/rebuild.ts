/** `colophon rebuild`: rebuilds projections from the ledger, or checks them against it. */
import { type Command, readOptions } from './command.ts';

export const rebuildCommand: Command = {
  name: 'rebuild',
  what: 'Rebuild every projection and the search index from the ledger, or check that they match it.',
  usage: 'colophon rebuild [--check]',
  options: [
    ['--check', 'Compare without changes; exit status 1 if a row differs.'],
    ['--json', 'Print the report as JSON.'],
  ],
  async run(argv, context) {
    const { values } = readOptions(argv, { check: { type: 'boolean' }, json: { type: 'boolean' } });
    const config = context.readConfig(process.env);
    const progress = (done: number): void => {
      if (process.stderr.isTTY) process.stderr.write(`\r${done} entries`);
    };
    const report =
      values.check === true ? await context.check(config, progress) : await context.rebuild(config, progress);
    if (process.stderr.isTTY) process.stderr.write('\r');
    if (values.json === true) console.log(JSON.stringify(report, null, 2));
    else {
      for (const { table, key, replayed, live } of report.differences) {
        console.log(
          `${table} ${key}: ${live === null ? 'missing' : replayed === null ? 'not in the ledger' : 'differs from its replay'}`,
        );
      }
      console.log(
        values.check === true
          ? `Replayed ${report.entries} entries; ${report.rows} rows in ${report.tables} tables, ${report.differences.length} differ.`
          : `Rebuilt ${report.rows} rows in ${report.tables} tables from ${report.entries} entries.`,
      );
    }
    return report.differences.length === 0 ? 0 : 1;
  },
};
