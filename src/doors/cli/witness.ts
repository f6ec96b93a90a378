/** `colophon witness keys`: what other logs and auditors name this deployment's witness by (contract §6). */
import { type Command, readOptions, UsageError } from './command.ts';

export const witnessCommand: Command = {
  name: 'witness',
  what: "Print the verifier keys of this deployment's witness.",
  usage: 'colophon witness keys [--data FOLDER]',
  options: [
    ['--data FOLDER', 'The data folder; default: the configured one.'],
    ['--json', 'Print the keys as JSON.'],
  ],
  async run(argv, context) {
    const { values, positionals } = readOptions(argv, {
      data: { type: 'string' },
      json: { type: 'boolean' },
    });
    if (positionals.length !== 1 || positionals[0] !== 'keys') throw new UsageError('it takes "keys".');
    const config = context.readConfig(
      values.data === undefined ? process.env : { ...process.env, COLOPHON_DATA: values.data },
    );
    const keys = await context.witnessKeys(config);
    console.log(values.json === true ? JSON.stringify({ keys }, null, 2) : keys.join('\n'));
    return 0;
  },
};
