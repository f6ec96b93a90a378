#!/usr/bin/env node
// Runs the compiled command on a Node that is new enough: this one, or the one pinned in node_modules.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const needed = 24;
const root = new URL('../', import.meta.url);
const main = new URL('dist/src/main.js', root);
const major = Number(process.versions.node.split('.')[0]);

if (major < needed) {
  const pinned = fileURLToPath(new URL('node_modules/node/bin/node', root));
  if (!existsSync(pinned)) {
    console.error(
      `colophon needs Node ${needed} or newer and this is ${process.versions.node}: run "npm ci" to get the pinned one, or install Node ${needed}.`,
    );
    process.exit(1);
  }
  // A young generation in which a busy server's requests die: as `npm start` has it, see docs/performance.md.
  const options = ['--max-semi-space-size=64', fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const run = spawnSync(pinned, options, { stdio: 'inherit' });
  process.exit(run.status ?? 1);
} else if (!existsSync(main)) {
  console.error('colophon is not built yet: run "npm run build" first.');
  process.exit(1);
} else {
  const { run } = await import(main.href);
  process.exitCode = await run(process.argv.slice(2));
}
