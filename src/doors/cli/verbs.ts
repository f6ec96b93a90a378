/** The verbs of the command (contract §0), and what each says of itself. */
import { backupVerb, restoreVerb } from './backup.ts';
import { benchVerb } from './bench.ts';
import { capVerb } from './cap.ts';
import { doctorVerb } from './doctor.ts';
import { exportVerb } from './export.ts';
import { importVerb } from './import.ts';
import { dropVerb } from './drop.ts';
import { keyVerb } from './key.ts';
import { lintVerb } from './lint.ts';
import { rebuildVerb } from './rebuild.ts';
import { scrubVerb } from './scrub.ts';
import { serveVerb } from './serve.ts';
import type { Verb } from './verb.ts';
import { verifyVerb } from './verify.ts';

const verbs: readonly Verb[] = [
  serveVerb,
  importVerb,
  exportVerb,
  verifyVerb,
  rebuildVerb,
  lintVerb,
  scrubVerb,
  capVerb,
  keyVerb,
  dropVerb,
  backupVerb,
  restoreVerb,
  doctorVerb,
  benchVerb,
];

export function findVerb(name: string): Verb | undefined {
  return verbs.find((verb) => verb.name === name);
}

export function help(): string {
  const width = Math.max(...verbs.map((verb) => verb.name.length));
  return [
    'colophon: an article ledger and capability dispatch service',
    '',
    'Usage: colophon <verb> [options]',
    '',
    ...verbs.map((verb) => `  ${verb.name.padEnd(width)}  ${verb.what}`),
    '',
    'Every verb has --help. Settings come from the environment: HOST, PORT, COLOPHON_BASE_URL, COLOPHON_DATA,',
    'DATABASE_URL, COLOPHON_TERMINAL_KEY, COLOPHON_SECRET_KEY, COLOPHON_OWNER_NAME, COLOPHON_RATE_LIMIT,',
    'COLOPHON_LIMITS, COLOPHON_TRUST_PROXY, COLOPHON_LOG and more: README.md lists them all.',
  ].join('\n');
}

export function helpOf(verb: Verb): string {
  const width = Math.max(0, ...verb.options.map(([name]) => name.length));
  return [
    verb.what,
    '',
    `Usage: ${verb.usage}`,
    '',
    ...[...verb.options, ['--help', 'This text.'] as const].map(
      ([name, what]) => `  ${name.padEnd(Math.max(width, 6))}  ${what}`,
    ),
  ].join('\n');
}
