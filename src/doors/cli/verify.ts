/** `colophon verify`: recomputes the whole ledger from its bytes, and reports what does not match. */
import { readFileSync } from 'node:fs';
import { type Command, readOptions, UsageError } from './command.ts';

export const verifyCommand: Command = {
  name: 'verify',
  what: 'Verify a ledger, a running deployment, a bundle or a receipt.',
  usage: 'colophon verify [--data FOLDER | --url URL | FILE] [--key KEY] [--policy FILE] [--previous FILE]',
  options: [
    ['--data FOLDER', 'The data folder; default: the configured one.'],
    ['--url URL', 'A deployment anywhere: its log is fetched and recomputed.'],
    ['--key KEY', 'The verifier key to trust, for --url and files.'],
    ['--policy FILE', 'A trust policy (C2SP tlog-policy): refuses what lacks its quorum of witnesses.'],
    ['--previous FILE', 'A checkpoint kept from before: the log must still contain it (not for files).'],
    ['--ledger-only', 'Skip the replay of projections and the check of database pages.'],
    ['--json', 'Print the report as JSON.'],
  ],
  async run(argv, context) {
    const { values, positionals } = readOptions(argv, {
      data: { type: 'string' },
      url: { type: 'string' },
      key: { type: 'string' },
      policy: { type: 'string' },
      previous: { type: 'string' },
      'ledger-only': { type: 'boolean' },
      json: { type: 'boolean' },
    });
    if (positionals.length > 1) throw new UsageError('it takes one file at most.');
    if (values.previous !== undefined && positionals[0] !== undefined)
      throw new UsageError('--previous takes --url or --data: a file shows no growth.');
    if (values.url !== undefined || positionals[0] !== undefined) {
      const { main } = await import('../../../verify/cli.ts');
      return main([
        ...(positionals[0] === undefined ? [values.url as string] : [positionals[0]]),
        ...(['key', 'policy', 'previous'] as const).flatMap((name) => {
          const given = values[name];
          return given === undefined ? [] : [`--${name}`, given];
        }),
        ...(values.json === true ? ['--json'] : []),
      ]);
    }
    const config = context.readConfig(
      values.data === undefined ? process.env : { ...process.env, COLOPHON_DATA: values.data },
    );
    const started = performance.now();
    const report = await context.audit(config, {
      ledgerOnly: values['ledger-only'] === true,
      policy: values.policy === undefined ? undefined : readGiven('policy', values.policy),
      previous: values.previous === undefined ? undefined : readGiven('previous', values.previous).toString(),
      progress: (done, of) => {
        if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${of} entries`);
      },
    });
    if (process.stderr.isTTY) process.stderr.write('\r');
    const sound = report.problems.length === 0;
    if (values.json === true) console.log(JSON.stringify({ ok: sound, ...report }, null, 2));
    else {
      for (const problem of report.problems) console.log(problem);
      const seconds = ((performance.now() - started) / 1000).toFixed(2);
      console.log(
        sound
          ? `Sound: ${report.entries} entries${report.pending === 0 ? '' : ` (and ${report.pending} not yet in the log)`}, ${report.contents} contents${report.scrubbed === 0 ? '' : ` (${report.scrubbed} scrubbed)`}${report.rows === null ? '' : `, ${report.rows} projected rows`}; root ${report.root} is the signed one (${seconds} s).`
          : `BROKEN: ${report.problems.length} problem${report.problems.length === 1 ? '' : 's'} in ${report.entries} entries (${seconds} s).`,
      );
      if (report.note !== undefined) console.log(report.note);
    }
    return sound ? 0 : 1;
  },
};

function readGiven(name: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(`--${name} takes a file that can be read: ${(error as Error).message}.`);
  }
}
