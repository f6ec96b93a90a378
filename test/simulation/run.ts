/**
 * `npm run simulate`: the long form of the simulation. Prints each seed that breaks a law with what leads to it again, and
 * ends with exit status 1; so does a long run in which a class of fault never happened. Options:
 *
 *   --seed N      the first seed (default: of the clock, printed)
 *   --seeds COUNT how many seeds (default 300; with --seed, 1)
 *   --minutes M   seeds until M minutes have passed instead
 *   --broken      the broken builds instead: each must break a law within COUNT seeds (default 240)
 */
import { parseArgs } from 'node:util';
import { faultClasses } from './faults.ts';
import { findBrokenBuilds } from './run-broken.ts';
import { simulate, type Outcome } from './simulate.ts';

/** From so many seeds on, every class of fault must have happened. */
const longRun = 200;

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    minutes: { type: 'string' },
    broken: { type: 'boolean', default: false },
  },
});
const first = wholeNumber('seed') ?? Date.now() % 2 ** 31;
const minutes = wholeNumber('minutes');

process.exitCode = values.broken
  ? await findBrokenBuilds(first, wholeNumber('seeds') ?? 240)
  : await runSeeds(wholeNumber('seeds') ?? (values.seed === undefined ? 300 : 1));

async function runSeeds(count: number): Promise<number> {
  const deadline = minutes === undefined ? Infinity : performance.now() + minutes * 60_000;
  const faults = new Map<string, number>();
  let [runs, steps, seconds, acknowledged] = [0, 0, 0, 0];
  console.log(`seeds from ${first}`);
  for (let seed = first; minutes === undefined ? runs < count : performance.now() < deadline; seed++) {
    const outcome = await simulate(seed);
    runs++;
    steps += outcome.steps;
    seconds += outcome.seconds;
    acknowledged += outcome.acknowledged;
    for (const [name, times] of outcome.faults) faults.set(name, (faults.get(name) ?? 0) + times);
    if (outcome.broken !== undefined) return report(outcome);
    if (count === 1) console.log(`seed ${seed}: trace ${outcome.trace}`);
    else if (runs % 50 === 0) console.log(`${runs} seeds, ${steps} steps`);
  }
  for (const name of new Set([...faultClasses, ...faults.keys()]))
    console.log(`${String(faults.get(name) ?? 0).padStart(8)}  ${name}`);
  console.log(
    `${runs} seeds, ${steps} steps in ${Math.round(seconds)} s of virtual time, ${acknowledged} acts acknowledged: no law is broken.`,
  );
  const absent = faultClasses.filter((name) => !faults.has(name));
  const unknown = [...faults.keys()].filter((name) => !faultClasses.includes(name));
  if (unknown.length > 0) console.log(`Not in faults.ts: ${unknown.join(', ')}.`);
  if (runs < longRun || absent.length === 0) return unknown.length;
  console.log(`Never happened: ${absent.join(', ')}.`);
  return 1;
}

function report({ seed, broken, recent, steps, trace }: Outcome): number {
  console.log(recent.join('\n'));
  console.log(`\nBroken after ${steps} steps: ${broken?.law}.\n${broken?.what}.`);
  console.log(`Seed ${seed}, trace ${trace}. Again: npm run simulate -- --seed ${seed}`);
  return 1;
}

function wholeNumber(name: 'seed' | 'seeds' | 'minutes'): number | undefined {
  const text = values[name];
  if (text === undefined) return undefined;
  if (/^\d{1,10}$/.test(text)) return Number(text);
  console.error(`--${name} must be a whole number; got ${text}.`);
  process.exit(1);
}
