/** Runs the broken builds: parts in this process, sources in a copy of the repository, each in a process of its own. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brokenParts, brokenSources } from './broken.ts';
import { simulate } from './simulate.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Answers with the number of broken builds that were not noticed. */
export async function findBrokenBuilds(first: number, seeds: number): Promise<number> {
  let missed = 0;
  const say = (name: string, found: string | undefined): void => {
    if (found === undefined) missed++;
    console.log(found === undefined ? `MISSED ${name}` : `found  ${name}\n       ${found}`);
  };
  for (const { name, sabotage } of brokenParts) {
    let found: string | undefined;
    for (let seed = first; seed < first + seeds && found === undefined; seed++) {
      const { broken } = await simulate(seed, sabotage);
      if (broken !== undefined) found = `seed ${seed}: ${broken.law}`;
    }
    say(name, found);
  }
  const copy = mkdtempSync(join(tmpdir(), 'colophon-simulate-'));
  try {
    for (const file of ['package.json', 'src', 'test'])
      cpSync(join(root, file), join(copy, file), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    for (const { name, file, from, to } of brokenSources) {
      const path = join(copy, file);
      const text = readFileSync(path, 'utf8');
      if (text.split(from).length !== 2)
        throw new Error(`${name}: ${file} does not hold "${from}" exactly once.`);
      writeFileSync(
        path,
        text.replace(from, () => to),
      );
      say(name, brokenLaw(copy, first, seeds));
      writeFileSync(path, text);
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
  console.log(
    `${brokenParts.length + brokenSources.length - missed} of ${brokenParts.length + brokenSources.length} broken builds were found.`,
  );
  return missed;
}

/** The law that a copy of the repository breaks. */
function brokenLaw(copy: string, first: number, seeds: number): string | undefined {
  const run = [join(copy, 'test', 'simulation', 'run.ts'), '--seed', String(first), '--seeds', String(seeds)];
  const { status, stdout, stderr } = spawnSync(process.execPath, run, { cwd: copy, encoding: 'utf8' });
  if (status === 0) return undefined;
  const [, law] = /^Broken after \d+ steps: (.*)\.$/m.exec(stdout) ?? [];
  const [, seed] = /^Seed (\d+),/m.exec(stdout) ?? [];
  if (law === undefined) throw new Error(`The broken build does not run: ${stderr.slice(0, 500)}`);
  return `seed ${seed}: ${law}`;
}
