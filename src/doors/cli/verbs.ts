/** The verbs of the command (contract §0), and what each says of itself. */
import { capVerb } from './cap.ts';
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

const planned: readonly [string, string][] = [
  ['backup', 'Copy ledger and keyring.'],
  ['restore', 'Restore a backup.'],
  ['doctor', 'Look for what is wrong with this deployment.'],
  ['bench', 'Run the benchmarks.'],
];

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
  ...planned.map(notBuilt),
];

function notBuilt([name, what]: [string, string]): Verb {
  return {
    name,
    what: `${what} (not built yet)`,
    usage: `colophon ${name}`,
    options: [],
    async run() {
      console.error(`colophon ${name}: not_implemented: this verb is not built yet.`);
      return 3;
    },
  };
}

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
    'COLOPHON_TRUST_PROXY, COLOPHON_LOG.',
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
