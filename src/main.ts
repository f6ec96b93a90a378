/** The command line's entry: runs a command, and reports failures in one line and an exit status. */
import { operations } from './compose.ts';
import { UsageError } from './doors/cli/command.ts';
import { findCommand, help, helpOf } from './doors/cli/commands.ts';
import { OperatorError, StoreUnreachable, UnreplayableEntry } from './engine/store.ts';
import { buildVersion } from './kernel/build.ts';

export async function run(argv: readonly string[]): Promise<number> {
  const [name, ...rest] = argv;
  if (name === undefined || name === '--help' || name === 'help') {
    console.log(help());
    return name === undefined ? 2 : 0;
  }
  if (name === '--version') {
    console.log(buildVersion);
    return 0;
  }
  const command = findCommand(name);
  if (command === undefined) {
    console.error(`colophon: there is no command "${name}". Run colophon --help.`);
    return 2;
  }
  if (rest.includes('--help')) {
    console.log(helpOf(command));
    return 0;
  }
  try {
    return await command.run(rest, operations);
  } catch (error) {
    if (error instanceof UsageError)
      console.error(`colophon ${command.name}: ${error.message} Run colophon ${command.name} --help.`);
    else if (error instanceof OperatorError) console.error(`colophon: ${error.message}`);
    else {
      const trouble = describeStoreTrouble(error);
      if (trouble === undefined) throw error;
      console.error(`colophon: ${trouble}`);
    }
    return 2;
  }
}

/** What a folder, a file or a database that cannot be used says of itself; undefined for what is a defect of ours. */
function describeStoreTrouble(error: unknown): string | undefined {
  const { code, severity, syscall, message, cause } = error as NodeJS.ErrnoException & {
    readonly severity?: string;
  };
  if (error instanceof StoreUnreachable) {
    const why = error.fix === undefined && cause instanceof Error ? ` (${cause.message})` : '';
    return `the ledger cannot be reached: ${message}${why}. ${error.fix ?? checkDatabase}`;
  }
  // As PostgreSQL words what it refuses.
  if (severity !== undefined) return `PostgreSQL refuses: ${message} (${code}). ${checkDatabase}`;
  if (error instanceof UnreplayableEntry || code === 'ERR_SQLITE_ERROR')
    return `the ledger cannot be read: ${message}. Run colophon verify.`;
  return syscall === undefined
    ? undefined
    : `${message}. Run colophon doctor, which looks at the folder and its disk.`;
}

const checkDatabase = 'Check DATABASE_URL, the server, and who may connect and write.';
