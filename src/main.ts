/** The command line's entry: finds the verb, runs it, and turns what went wrong into one line and an exit status. */
import { auditDeployment, checkDeployment, rebuildDeployment, Unreplayable } from './compose-audit.ts';
import { compose, LedgerInUse, RolledBack } from './compose.ts';
import { BadConfig, readConfig, type Config } from './config.ts';
import { UsageError } from './doors/cli/options.ts';
import type { House } from './doors/cli/verb.ts';
import { findVerb, help, helpOf } from './doors/cli/verbs.ts';

const house: House<Config> = {
  readConfig: (env) => readConfig(env),
  compose,
  audit: auditDeployment,
  check: checkDeployment,
  rebuild: rebuildDeployment,
};

export async function run(argv: readonly string[]): Promise<number> {
  const [name, ...rest] = argv;
  if (name === undefined || name === '--help' || name === 'help') {
    console.log(help());
    return name === undefined ? 2 : 0;
  }
  const verb = findVerb(name);
  if (verb === undefined) {
    console.error(`colophon: there is no verb "${name}". Run colophon --help.`);
    return 2;
  }
  if (rest.includes('--help')) {
    console.log(helpOf(verb));
    return 0;
  }
  try {
    return await verb.run(rest, house);
  } catch (error) {
    if (error instanceof UsageError)
      console.error(`colophon ${verb.name}: ${error.message} Run colophon ${verb.name} --help.`);
    else if (error instanceof BadConfig || error instanceof RolledBack || error instanceof LedgerInUse)
      console.error(`colophon: ${error.message}`);
    else if (
      error instanceof Unreplayable ||
      (error as { readonly code?: unknown }).code === 'ERR_SQLITE_ERROR'
    ) {
      console.error(`colophon: the ledger cannot be read: ${(error as Error).message}. Run colophon verify.`);
    } else throw error;
    return 2;
  }
}
