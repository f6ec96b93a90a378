/** `colophon bench` (contract §0): runs the benchmarks of a source checkout. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { projectFile } from '../project-root.ts';
import { type Command, readOptions } from './command.ts';

export const benchCommand: Command = {
  name: 'bench',
  what: 'Run the benchmarks, from a checkout of the sources.',
  usage: 'colophon bench [ROW ...] [--quick | --full] [--minutes N]',
  options: [
    ['--quick', 'A quick run without reliable figures.'],
    ['--full', 'Include the long benchmarks.'],
    ['--minutes', 'Duration of the soak benchmark; default 2.'],
    ['--json', 'Print the rows as JSON instead of a table.'],
  ],
  async run(argv) {
    const { values, positionals } = readOptions(argv, {
      quick: { type: 'boolean' },
      full: { type: 'boolean' },
      minutes: { type: 'string' },
      json: { type: 'boolean' },
    });
    const script = fileURLToPath(projectFile('bench/run.ts'));
    if (!existsSync(script)) {
      console.error(
        'colophon bench: the benchmarks are part of the source tree, and this is an installed package: run it from a checkout.',
      );
      return 1;
    }
    const flags = [
      ...(['quick', 'full'] as const).filter((name) => values[name] === true).map((name) => `--${name}`),
      ...(values.minutes === undefined ? [] : ['--minutes', values.minutes]),
    ];
    if (values.json !== true) return run([script, ...positionals, ...flags], 'inherit');
    const folder = mkdtempSync(join(tmpdir(), 'colophon-bench-'));
    try {
      const file = join(folder, 'rows.json');
      // The table goes to stderr.
      const status = await run([script, ...positionals, ...flags, '--json', file], process.stderr.fd);
      if (existsSync(file)) process.stdout.write(readFileSync(file));
      return status;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function run(args: readonly string[], stdout: 'inherit' | number): Promise<number> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', stdout, 'inherit'] });
  return new Promise((done, failed) => {
    child.once('error', failed);
    child.once('exit', (code) => done(code ?? 1));
  });
}
