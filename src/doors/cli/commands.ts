/** The commands of the command line (contract §0) and their help texts. */
import { backupCommand, restoreCommand } from './backup.ts';
import { benchCommand } from './bench.ts';
import { capCommand } from './cap.ts';
import { doctorCommand } from './doctor.ts';
import { exportCommand } from './export.ts';
import { importCommand } from './import.ts';
import { dropCommand } from './drop.ts';
import { keyCommand } from './key.ts';
import { lintCommand } from './lint.ts';
import { monitorCommand } from './monitor.ts';
import { rebuildCommand } from './rebuild.ts';
import { scrubCommand } from './scrub.ts';
import { serveCommand } from './serve.ts';
import type { Command } from './command.ts';
import { transferCommand } from './transfer.ts';
import { verifyCommand } from './verify.ts';
import { witnessCommand } from './witness.ts';

const commands: readonly Command[] = [
  serveCommand,
  importCommand,
  exportCommand,
  verifyCommand,
  rebuildCommand,
  lintCommand,
  scrubCommand,
  capCommand,
  keyCommand,
  dropCommand,
  backupCommand,
  restoreCommand,
  transferCommand,
  doctorCommand,
  witnessCommand,
  monitorCommand,
  benchCommand,
];

export function findCommand(name: string): Command | undefined {
  return commands.find((command) => command.name === name);
}

export function help(): string {
  const width = Math.max(...commands.map((command) => command.name.length));
  return [
    'colophon: an article ledger and capability dispatch service',
    '',
    'Usage: colophon <command> [options]',
    '',
    ...commands.map((command) => `  ${command.name.padEnd(width)}  ${command.what}`),
    '',
    'Every command has --help. Settings come from the environment: HOST, PORT, COLOPHON_BASE_URL, COLOPHON_DATA,',
    'DATABASE_URL, COLOPHON_TERMINAL_KEY, COLOPHON_SECRET_KEY, COLOPHON_OWNER_NAME, COLOPHON_RATE_LIMIT,',
    'COLOPHON_LIMITS, COLOPHON_TRUST_PROXY, COLOPHON_LOG and more: docs/configuration.md lists them all.',
  ].join('\n');
}

export function helpOf(command: Command): string {
  const width = Math.max(0, ...command.options.map(([name]) => name.length));
  return [
    command.what,
    '',
    `Usage: ${command.usage}`,
    '',
    ...[...command.options, ['--help', 'This text.'] as const].map(
      ([name, what]) => `  ${name.padEnd(Math.max(width, 6))}  ${what}`,
    ),
  ].join('\n');
}
