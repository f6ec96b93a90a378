#!/usr/bin/env node
// Runs the compiled command on a Node that is new enough: this one, or the one pinned in node_modules.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// ML-DSA is in node:crypto since then.
const needed = '24.6';
const root = new URL('../', import.meta.url);
const main = new URL('dist/src/main.js', root);
const [major, minor] = process.versions.node.split('.').map(Number);
const isOld = major < 24 || (major === 24 && minor < 6);
const serves = process.argv[2] === 'serve';

// For a server that runs for months (docs/performance.md): a young generation in which a busy server's requests die,
const given = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ');
const options = /--max[-_]semi[-_]space[-_]size/.test(given) ? [] : ['--max-semi-space-size=64'];
// and a C library that gives back what it does not need: few arenas, and large buffers in pages of their own.
const env = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '4194304',
  ...process.env,
};
const command = [...options, fileURLToPath(import.meta.url), ...process.argv.slice(2)];

if (isOld) {
  const pinned = fileURLToPath(new URL('node_modules/node/bin/node', root));
  if (!existsSync(pinned)) {
    // A checkout brings its own Node with its development packages; an installed package does not.
    const step = existsSync(new URL('package-lock.json', root))
      ? 'run "npm ci" to get the pinned one'
      : `install Node ${needed} or newer, or run "npx -y -p node@26 colophon ${process.argv[2] ?? 'serve'}"`;
    console.error(`colophon needs Node ${needed} or newer and this is ${process.versions.node}: ${step}.`);
    process.exit(1);
  }
  const child = spawn(pinned, command, { stdio: 'inherit', env });
  // A terminal sends the other signals to the child as well, and a second SIGINT would end a stop that is under way.
  const forwarded = process.stdin.isTTY ? ['SIGTERM'] : ['SIGTERM', 'SIGINT', 'SIGHUP'];
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'])
    process.on(signal, () => forwarded.includes(signal) && child.kill(signal));
  child.on('error', (error) => {
    console.error(`colophon cannot start ${pinned}: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    // Ends by the same signal, so that the parent process sees the same signal.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
} else if (!existsSync(main)) {
  console.error('colophon is not built yet: run "npm run build" first.');
  process.exit(1);
} else {
  // The C library reads its settings when a process begins, so that this one begins again in its own place.
  const begun = process.env.MALLOC_ARENA_MAX !== undefined && options.length === 0;
  if (serves && !begun && process.platform === 'linux' && typeof process.execve === 'function')
    process.execve(process.execPath, [process.execPath, ...process.execArgv, ...command], env);
  const { run } = await import(main.href);
  process.exitCode = await run(process.argv.slice(2));
}
