/**
 * `npm run bench -- [row ...] [--quick] [--full] [--minutes N] [--json FILE]`: measures each group of rows beside its peers,
 * prints one table, and writes the figures to `bench/results/`. Not a test: nothing fails here.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { isMet, skipped, table, type Row, type Settings } from './row.ts';

type Group = { run(settings: Settings): Promise<Row[]> };

/** Loaded when asked for, so that a group that cannot run takes no other with it. */
const groups: Readonly<Record<string, () => Promise<Group>>> = {
  dispatch: () => import('./dispatch.ts'),
  read: () => import('./read.ts'),
  ledger: () => import('./ledger.ts'),
  divide: () => import('./divide.ts'),
  similarity: () => import('./similarity.ts'),
  postgres: () => import('./postgres.ts'),
  nodes: () => import('./nodes.ts'),
  query: () => import('./query.ts'),
  scale: () => import('./scale.ts'),
  transfer: () => import('./transfer.ts'),
  soak: () => import('./soak.ts'),
  largest: () => import('./largest.ts'),
  weight: () => import('./weight.ts'),
  sizing: () => import('./sizing.ts'),
  partitions: () => import('./partitions.ts'),
  cosigning: () => import('./cosigning.ts'),
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean' },
    full: { type: 'boolean' },
    minutes: { type: 'string' },
    json: { type: 'string' },
  },
});
const unknown = positionals.find((name) => groups[name] === undefined);
if (unknown !== undefined) {
  console.error(`There is no row ${unknown}; there are ${Object.keys(groups).join(', ')}.`);
  process.exit(2);
}

const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
if (minutes !== undefined && !(minutes > 0)) {
  console.error(`--minutes takes a number above 0, such as 60; "${values.minutes}" is none.`);
  process.exit(2);
}

const settings: Settings = {
  minutes,
  quick: values.quick === true,
  full: values.full === true,
  say: (progress) => process.stderr.write(`${progress}\n`),
};
const started = new Date();
const rows: Row[] = [];
for (const name of positionals.length > 0 ? positionals : Object.keys(groups)) {
  settings.say(`${name} …`);
  try {
    rows.push(...(await (await (groups[name] as () => Promise<Group>)()).run(settings)));
  } catch (error) {
    rows.push(skipped(name, (error as Error).message));
  }
}
const machine = `${cpus().length} x ${cpus()[0]?.model ?? 'unknown CPU'}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}`;
console.log(`${table(rows)}\n\n${machine}${settings.quick ? '; a quick look, not figures' : ''}`);

const file =
  values.json ?? join(import.meta.dirname, `results/${started.toISOString().replaceAll(':', '-')}.json`);
mkdirSync(dirname(file), { recursive: true });
writeFileSync(
  file,
  `${JSON.stringify({ started: started.toISOString(), machine, quick: settings.quick, full: settings.full, rows: rows.map((row) => ({ ...row, met: isMet(row) ?? null })) }, null, 2)}\n`,
);
