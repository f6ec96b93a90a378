/**
 * `colophon witness`: what other logs and auditors name this deployment's witness by, and the logs that it cosigns
 * (contract §6).
 */
import { logName } from '../../app/log-alarms.ts';
import { type Command, type PolicyLines, readOptions, UsageError, type WitnessedLog } from './command.ts';

export const witnessCommand: Command = {
  name: 'witness',
  what: "Print the keys of this deployment's witness, or the logs that it cosigns.",
  usage: 'colophon witness keys [--policy-lines] [--data FOLDER] | witness logs [--data FOLDER]',
  options: [
    [
      '--policy-lines',
      'Print lines for policies: of auditors of this log, and of a log that this deployment witnesses.',
    ],
    ['--data FOLDER', 'The data folder; default: the configured one.'],
    ['--json', 'Print the keys or the logs as JSON.'],
  ],
  async run(argv, context) {
    const { values, positionals } = readOptions(argv, {
      'policy-lines': { type: 'boolean' },
      data: { type: 'string' },
      json: { type: 'boolean' },
    });
    const [action] = positionals;
    const asLines = values['policy-lines'] === true;
    if (positionals.length !== 1 || (action !== 'keys' && action !== 'logs'))
      throw new UsageError('it takes "keys" or "logs".');
    if (asLines && action === 'logs') throw new UsageError('--policy-lines belongs to "keys".');
    const config = context.readConfig(
      values.data === undefined ? process.env : { ...process.env, COLOPHON_DATA: values.data },
    );
    const [text, json] =
      action === 'logs'
        ? showLogs(await context.witnessedLogs(config), `${config.baseUrl}/witness/evidence/`)
        : asLines
          ? showLines(await context.policyLines(config))
          : showKeys(await context.witnessKeys(config));
    console.log(values.json === true ? JSON.stringify(json, null, 2) : text);
    return 0;
  },
};

/** As text, and as JSON. */
type Shown = readonly [text: string, json: object];

function showKeys(keys: readonly string[]): Shown {
  return [keys.join('\n'), { keys }];
}

function showLines({ log, witnesses }: PolicyLines): Shown {
  const text = [
    '# For the policies of auditors of this log:',
    log,
    '# For the policy of a log that this deployment witnesses:',
    ...witnesses,
  ];
  return [text.join('\n'), { log, witnesses }];
}

function showLogs(logs: readonly WitnessedLog[], evidenceBase: string): Shown {
  const urlOf = ({ evidence }: WitnessedLog): string | null =>
    evidence === null ? null : evidenceBase + evidence;
  const lines = logs.map((log) => {
    const isOld = log.configured ? '' : '; COLOPHON_WITNESS_LOGS no longer names it';
    const forked = log.evidence === null ? '' : `; signed two histories, see ${urlOf(log)}`;
    const entries = log.size === 1 ? '1 entry' : `${log.size} entries`;
    return `${logName(log.origin)}: cosigned ${entries}${isOld}${forked}`;
  });
  return [
    lines.length === 0
      ? 'This deployment cosigns no log: COLOPHON_WITNESS_LOGS names none.'
      : lines.join('\n'),
    { logs: logs.map((log) => ({ ...log, evidence: urlOf(log) })) },
  ];
}
