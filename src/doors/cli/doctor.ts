/** `colophon doctor` (contract §0): diagnoses a deployment, one finding per line with its fix. */
import { isServing } from './owner-socket.ts';
import { type Command, type CommandContext, readOptions, type Settings, UsageError } from './command.ts';
import type { Diagnosis } from '../../engine/store-kind.ts';

export const doctorCommand: Command = {
  name: 'doctor',
  what: 'Look for what is wrong with this deployment; changes nothing.',
  usage: 'colophon doctor',
  options: [['--json', 'Print the findings as JSON.']],
  async run(argv, context) {
    const { values, positionals } = readOptions(argv, { json: { type: 'boolean' } });
    if (positionals.length > 0) throw new UsageError('it takes no arguments.');
    const findings = await examine(context);
    const failed = findings.filter(({ state }) => state === 'fail').length;
    const warned = findings.filter(({ state }) => state === 'warn').length;
    if (values.json === true) console.log(JSON.stringify({ ok: failed === 0, findings }, null, 2));
    else {
      for (const { check, state, detail, fix } of findings)
        console.log(`${state.padEnd(4)}  ${check}: ${detail}${fix === '' ? '' : `\n      ${fix}`}`);
      console.log(failed + warned === 0 ? 'Nothing is wrong.' : `${failed} failed, ${warned} to look at.`);
    }
    return failed === 0 ? 0 : 1;
  },
};

/** An invalid setting that prevents every start is reported as the only finding. */
async function examine(context: CommandContext): Promise<readonly Diagnosis[]> {
  let config: Settings;
  try {
    config = context.readConfig(process.env);
  } catch (error) {
    return [
      { check: 'settings', state: 'fail', detail: (error as Error).message, fix: 'Correct the variable.' },
    ];
  }
  return context.examine(config, await isServing(config.dataFolder));
}
