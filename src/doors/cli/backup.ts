/** `colophon backup` and `colophon restore` (contract §0): a folder from which a deployment can be restored. */
import { resolve } from 'node:path';
import { type Command, readOptions, UsageError } from './command.ts';

export const backupCommand: Command = {
  name: 'backup',
  what: 'Back up ledger, keys, last checkpoint and large results to a folder, also while a server runs.',
  usage: 'colophon backup FOLDER',
  options: [['--json', 'Print the report as JSON.']],
  async run(argv, context) {
    const { values, positionals } = readOptions(argv, { json: { type: 'boolean' } });
    const [folder] = positionals;
    if (folder === undefined || positionals.length > 1) throw new UsageError('it takes one folder.');
    const progress = progressLine();
    const { report, tools } = await context.backup(
      context.readConfig(process.env),
      resolve(folder),
      progress.show,
    );
    progress.end();
    if (values.json === true) console.log(JSON.stringify({ ok: true, ...report }, null, 2));
    else {
      console.log(
        `Backed up ${report.files} files, ${report.bytes} bytes, to ${report.folder}. It holds secrets: keep it as you keep keys.`,
      );
      if (report.secret === 'environment')
        console.log(
          'COLOPHON_SECRET_KEY stands in the environment and is not in it: keep it apart, nothing can be restored without it.',
        );
      if (tools !== undefined)
        console.log(
          `It holds the keys and the checkpoint. The ledger is in ${tools.place}: back that up with ${tools.save}, after this.`,
        );
    }
    return 0;
  },
};

export const restoreCommand: Command = {
  name: 'restore',
  what: 'Restore a backup into an empty data folder after comparing every byte and verifying the ledger.',
  usage: 'colophon restore FOLDER [--accept-rollback]',
  options: [
    [
      '--accept-rollback',
      'Restore a backup that is older than the last signed checkpoint: begin a new log with a new key.',
    ],
    ['--json', 'Print the report as JSON.'],
  ],
  async run(argv, context) {
    const { values, positionals } = readOptions(argv, {
      'accept-rollback': { type: 'boolean' },
      json: { type: 'boolean' },
    });
    const [folder] = positionals;
    if (folder === undefined || positionals.length > 1)
      throw new UsageError('it takes the folder of one backup.');
    const progress = progressLine();
    const { report, tools } = await context.restore(
      context.readConfig(process.env),
      resolve(folder),
      progress.show,
      values['accept-rollback'] === true,
    );
    progress.end();
    const ok = report.problems.length === 0;
    if (values.json === true) console.log(JSON.stringify({ ok, ...report }, null, 2));
    else if (!ok) {
      for (const problem of report.problems) console.error(problem);
      console.error('The backup was refused; nothing was restored.');
    } else {
      const verified = report.entries === null ? '' : `, ${report.entries} entries verified`;
      console.log(`Restored ${report.files} files of ${report.made_at} to ${report.folder}${verified}.`);
      if (tools !== undefined)
        console.log(
          `The ledger is in ${tools.place}: restore that with ${tools.restore} before you start the server.`,
        );
    }
    return ok ? 0 : 1;
  },
};

export function progressLine(): {
  readonly show: (what: string, done: number, of: number) => void;
  readonly end: () => void;
} {
  let width = 0;
  return {
    show(what, done, of) {
      if (!process.stderr.isTTY) return;
      const line = `${what}: ${of === 0 ? 100 : Math.min(100, Math.floor((100 * done) / of))} %`;
      process.stderr.write(`\r${line.padEnd(width)}`);
      width = line.length;
    },
    end() {
      if (process.stderr.isTTY && width > 0) process.stderr.write(`\r${' '.repeat(width)}\r`);
    },
  };
}
