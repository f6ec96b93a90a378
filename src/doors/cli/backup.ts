/**
 * `colophon backup` and `colophon restore` (contract §0, ADR 70): one folder from which a deployment can be restored, a
 * folder of verified backups that a timer adds to, and the drill that shows what is in it.
 */
import { resolve } from 'node:path';
import {
  type BackupReport,
  type BackupSetReport,
  type Command,
  type CommandContext,
  type DrillReport,
  type KeepOptions,
  numberOption,
  readOptions,
  UsageError,
} from './command.ts';

export const backupCommand: Command = {
  name: 'backup',
  what: 'Back up ledger, keys, last checkpoint and large results, also while a server runs.',
  usage:
    'colophon backup FOLDER | colophon backup --into FOLDER [--keep-last N] [--keep-daily N] [--keep-weekly N] [--keep-monthly N]',
  options: [
    [
      '--into FOLDER',
      'Add a backup to a folder of backups and verify it by restoring it; for timers. The folder must exist.',
    ],
    ['--keep-last N', 'Then keep the newest N and remove others; without --keep-… none is removed.'],
    ['--keep-daily N', 'Keep the newest of each of the last N days that have one,'],
    ['--keep-weekly N', '… of N weeks,'],
    ['--keep-monthly N', '… of N months. What any of the options names is kept.'],
    ['--json', 'Print the report as JSON.'],
  ],
  async run(argv, context) {
    const { values, positionals } = readOptions(argv, {
      into: { type: 'string' },
      'keep-last': { type: 'string' },
      'keep-daily': { type: 'string' },
      'keep-weekly': { type: 'string' },
      'keep-monthly': { type: 'string' },
      json: { type: 'boolean' },
    });
    const isJson = values.json === true;
    const keep = keepOptions(values);
    if (values.into !== undefined) {
      if (positionals.length > 0) throw new UsageError('it takes one folder, after --into.');
      return addBackup(context, resolve(values.into), keep, isJson);
    }
    if (keep !== undefined) throw new UsageError('--keep-… goes with --into.');
    const [folder] = positionals;
    if (folder === undefined || positionals.length > 1) throw new UsageError('it takes one folder.');
    const progress = progressLine();
    const report = await context.backup(context.readConfig(process.env), resolve(folder), progress.show);
    progress.end();
    if (isJson) console.log(JSON.stringify({ ok: true, ...report }, null, 2));
    else describeBackup(report);
    return 0;
  },
};

const keepNames = ['last', 'daily', 'weekly', 'monthly'] as const;

function keepOptions(
  values: Readonly<Record<string, string | boolean | undefined>>,
): KeepOptions | undefined {
  const given = keepNames.map((name) => {
    const text = values[`keep-${name}`];
    const count = numberOption(`keep-${name}`, typeof text === 'string' ? text : undefined);
    if (count === 0) throw new UsageError(`--keep-${name} takes a number from 1 on.`);
    return [name, count] as const;
  });
  if (given.every(([, count]) => count === undefined)) return undefined;
  const { last = 0, daily = 0, weekly = 0, monthly = 0 } = Object.fromEntries(given);
  return { last, daily, weekly, monthly };
}

function describeBackup(report: BackupReport): void {
  console.log(
    `Backed up ${report.files} files, ${report.bytes} bytes, to ${report.folder}. It holds secrets: keep it as you keep keys.`,
  );
  if (report.secret === 'environment')
    console.log(
      'COLOPHON_SECRET_KEY stands in the environment and is not in it: keep it apart, nothing can be restored without it.',
    );
}

async function addBackup(
  context: CommandContext,
  folder: string,
  keep: KeepOptions | undefined,
  isJson: boolean,
): Promise<number> {
  const progress = progressLine();
  const report = await context.backupInto(context.readConfig(process.env), folder, keep, progress.show);
  progress.end();
  const ok = report.problems.length === 0;
  if (isJson) console.log(JSON.stringify({ ok, ...report }, null, 2));
  else describeSet(report);
  return ok ? 0 : 1;
}

function describeSet({ added, backups, bytes, pruned, left_alone, problems, note }: BackupSetReport): void {
  for (const problem of problems) console.error(problem);
  if (added === null)
    console.error(
      'The backup did not verify and is not kept; no other was removed. Run colophon verify on the deployment, and look at the disks.',
    );
  else {
    describeBackup(added);
    console.log(`Verified by restoring it: ${added.entries} entries.`);
  }
  for (const name of pruned) console.log(`Removed ${name}.`);
  for (const { name, why } of left_alone) console.log(`Left alone: ${name} (${why}).`);
  console.log(`${backups.length} backup${backups.length === 1 ? '' : 's'}, ${megabytes(bytes)} MB.`);
  if (note !== undefined) console.error(note);
}

export const restoreCommand: Command = {
  name: 'restore',
  what: 'Restore a backup into an empty data folder after comparing every byte and verifying the ledger.',
  usage: 'colophon restore FOLDER [--accept-rollback] | colophon restore --drill FOLDER',
  options: [
    [
      '--accept-rollback',
      'Restore a backup that is older than the last signed checkpoint: begin a new log with a new key.',
    ],
    [
      '--drill FOLDER',
      'Restore the newest backup of a folder to a temporary place, serve it there, read from it, and say what a disaster now would lose. Changes nothing.',
    ],
    ['--json', 'Print the report as JSON.'],
  ],
  async run(argv, context) {
    const { values, positionals } = readOptions(argv, {
      'accept-rollback': { type: 'boolean' },
      drill: { type: 'string' },
      json: { type: 'boolean' },
    });
    const isJson = values.json === true;
    if (values.drill !== undefined) {
      if (positionals.length > 0 || values['accept-rollback'] === true)
        throw new UsageError('--drill takes one folder and no other option than --json.');
      return runDrill(context, resolve(values.drill), isJson);
    }
    const [folder] = positionals;
    if (folder === undefined || positionals.length > 1)
      throw new UsageError('it takes the folder of one backup.');
    const progress = progressLine();
    const report = await context.restore(
      context.readConfig(process.env),
      resolve(folder),
      progress.show,
      values['accept-rollback'] === true,
    );
    progress.end();
    const ok = report.problems.length === 0;
    if (isJson) console.log(JSON.stringify({ ok, ...report }, null, 2));
    else if (!ok) {
      for (const problem of report.problems) console.error(problem);
      console.error('The backup was refused; nothing was restored.');
    } else {
      console.log(
        `Restored ${report.files} files of ${report.made_at} to ${report.folder}, ${report.entries} entries verified.`,
      );
      if (report.note !== undefined) console.log(report.note);
    }
    return ok ? 0 : 1;
  },
};

async function runDrill(context: CommandContext, folder: string, isJson: boolean): Promise<number> {
  const progress = progressLine();
  const report = await context.drill(context.readConfig(process.env), folder, progress.show);
  progress.end();
  const ok = report.problems.length === 0;
  if (isJson) console.log(JSON.stringify({ ok, ...report }, null, 2));
  else describeDrill(report);
  return ok ? 0 : 1;
}

function describeDrill({ backup, made_at, steps, loss, problems, note }: DrillReport): void {
  console.log(`Drill with ${backup}, made at ${made_at}.`);
  for (const { step, ms, detail } of steps)
    console.log(`${(ms / 1000).toFixed(2).padStart(8)} s  ${step}: ${detail}`);
  if (loss === null) console.log('Nothing newer could be compared, so what would be lost is not known.');
  else
    console.log(
      `A disaster now would lose ${loss.entries} entries; the backup is ${loss.minutes} minutes old (compared with the ${loss.compared === 'ledger' ? 'ledger of the deployment' : 'checkpoint kept apart'}).`,
    );
  for (const problem of problems) console.error(problem);
  console.log(problems.length === 0 ? 'The backup can be restored.' : 'The drill failed.');
  if (note !== undefined) console.error(note);
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}

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
