/**
 * `npm run mutate`: breaks one check at a time in a copy of the repository and runs the tests that hold it. A broken
 * build that its tests accept has survived; the exit status is 1 if any has. `npm run mutate -- gate tenants.test` takes
 * only those whose name, or the path of one of their tests, contains one of the words.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mutations } from './list.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const words = process.argv.slice(2);
const wanted = mutations.filter(
  ({ name, tests }) =>
    words.length === 0 || words.some((word) => [name, ...tests].some((text) => text.includes(word))),
);
const copy = mkdtempSync(join(tmpdir(), 'colophon-mutate-'));
const survivors: string[] = [];

try {
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0');
  for (const file of files) if (file !== '') cpSync(join(root, file), join(copy, file));
  // `dist` holds what pages serve to browsers; no test reads a broken file from there.
  for (const folder of ['node_modules', 'dist']) symlinkSync(join(root, folder), join(copy, folder));
  const every = [...new Set(wanted.flatMap(({ tests }) => tests))];
  if (firstFailure(every) !== undefined)
    throw new Error('The tests fail without any mutation; run npm test first.');
  for (const { name, file, from, to, tests } of wanted) {
    const path = join(copy, file);
    const text = readFileSync(path, 'utf8');
    if (text.split(from).length !== 2)
      throw new Error(`${name}: ${file} does not hold "${from}" exactly once.`);
    writeFileSync(
      path,
      text.replace(from, () => to),
    );
    const failure = firstFailure(tests);
    writeFileSync(path, text);
    console.log(failure === undefined ? `SURVIVED ${name}` : `killed   ${name}\n         ${failure}`);
    if (failure === undefined) survivors.push(name);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
console.log(`${wanted.length - survivors.length} of ${wanted.length} broken builds were noticed.`);
process.exitCode = survivors.length === 0 ? 0 : 1;

/** The first test that fails, as Vitest names it; undefined where all pass. */
function firstFailure(tests: readonly string[]): string | undefined {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [vitest, 'run', '--bail=1', ...tests], {
    cwd: copy,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
    maxBuffer: 2 ** 28,
  });
  if (status === 0) return undefined;
  return /^ FAIL +(.*)$/m.exec(`${stdout}\n${stderr}`)?.[1] ?? `no test named: ${stderr.slice(0, 300)}`;
}
