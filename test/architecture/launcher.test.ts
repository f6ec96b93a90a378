import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

/** Runs the launcher of a folder on this Node, which says that it is another version. */
function runAs(version: string, folder: string): { status: number | null; stderr: string; stdout: string } {
  const pretend = join(folder, 'pretend.mjs');
  writeFileSync(pretend, `Object.defineProperty(process.versions, 'node', { value: '${version}' });\n`);
  const run = spawnSync(process.execPath, ['--import', pretend, join(folder, 'bin/colophon.js'), '--help'], {
    encoding: 'utf8',
  });
  return { status: run.status, stderr: run.stderr, stdout: run.stdout };
}

function copyOfLauncher(): string {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-launcher-'));
  cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  return folder;
}

describe('the launcher', () => {
  it('exits with one line on an old Node.js without the pinned version', () => {
    const folder = copyOfLauncher();
    const { status, stderr, stdout } = runAs('20.20.2', folder);
    rmSync(folder, { recursive: true });
    expect(status).toBe(1);
    expect(stdout).toBe('');
    expect(stderr.trim().split('\n')).toEqual([
      'colophon needs Node 24.6 or newer and this is 20.20.2: install Node 24.6 or newer, or run "npx -y -p node@26 colophon --help".',
    ]);
  });

  it('exits with one line when the service is not built', () => {
    const folder = copyOfLauncher();
    const { status, stderr } = runAs('26.0.0', folder);
    rmSync(folder, { recursive: true });
    expect(status).toBe(1);
    expect(stderr).toBe('colophon is not built yet: run "npm run build" first.\n');
  });

  const old = ['/usr/bin/node', '/usr/local/bin/node'].find(
    (path) =>
      existsSync(path) &&
      Number(execFileSync(path, ['-p', 'process.versions.node.split(".")[0]'], { encoding: 'utf8' })) < 24,
  );

  it('runs on the pinned Node.js when started by an old one', ({ skip }) => {
    if (old === undefined) skip('no Node older than 24 on this machine');
    const run = spawnSync(old as string, [join(root, 'bin/colophon.js'), '--help'], { encoding: 'utf8' });
    expect(run.stderr).toBe('');
    expect(run.status).toBe(0);
    expect(run.stdout).toContain('Usage: colophon <command>');
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'forwards %s from an old Node.js to the pinned one, and exits with its status',
    async (signal) => {
      const folder = copyOfLauncher();
      mkdirSync(join(folder, 'dist/src'), { recursive: true });
      mkdirSync(join(folder, 'node_modules/node/bin'), { recursive: true });
      symlinkSync(process.execPath, join(folder, 'node_modules/node/bin/node'));
      writeFileSync(
        join(folder, 'dist/src/main.js'),
        `export const run = () => new Promise((ended) => {
          const alive = setInterval(() => undefined, 1000);
          process.on('${signal}', () => (clearInterval(alive), ended(7)));
          console.log(process.pid);
        });`,
      );
      const pretend = join(folder, 'pretend.mjs');
      // Only the launcher is old: what it starts has a parent that is no test.
      writeFileSync(
        pretend,
        `if (process.ppid === ${process.pid}) Object.defineProperty(process.versions, 'node', { value: '20.20.2' });`,
      );
      const launcher = [join(folder, 'bin/colophon.js'), 'serve'];
      const child =
        old === undefined
          ? spawn(process.execPath, ['--import', pretend, ...launcher], {
              stdio: ['ignore', 'pipe', 'inherit'],
            })
          : spawn(old, launcher, { stdio: ['ignore', 'pipe', 'inherit'] });
      const [started] = (await once(child.stdout, 'data')) as [Buffer];
      expect(Number(String(started))).not.toBe(child.pid);
      child.kill(signal);
      const [status] = (await once(child, 'exit')) as [number | null];
      expect(status).toBe(7);
      expect(() => process.kill(Number(String(started)), 0)).toThrow('ESRCH');
      rmSync(folder, { recursive: true });
    },
  );

  it('tunes a server for long runs, keeps explicit settings, and changes no other command', () => {
    const folder = copyOfLauncher();
    mkdirSync(join(folder, 'dist/src'), { recursive: true });
    writeFileSync(
      join(folder, 'dist/src/main.js'),
      'export const run = async (argv) => void console.log(JSON.stringify([argv, process.execArgv, process.env.MALLOC_ARENA_MAX ?? null]));',
    );
    const started = (options: readonly string[], verb: string, env: NodeJS.ProcessEnv = {}): unknown =>
      JSON.parse(
        execFileSync(process.execPath, [...options, join(folder, 'bin/colophon.js'), verb, '--port=1'], {
          encoding: 'utf8',
          env: { PATH: process.env['PATH'], ...env },
        }),
      );
    const own = ['--max-semi-space-size=32'];
    const seen = {
      serve: started([], 'serve'),
      own: started(own, 'serve', { MALLOC_ARENA_MAX: '8' }),
      spelled: started(['--max_semi_space_size=32'], 'serve'),
      named: started([], 'serve', { NODE_OPTIONS: '--max-semi-space-size=32' }),
      verify: started([], 'verify'),
    };
    rmSync(folder, { recursive: true });
    const linux = process.platform === 'linux';
    expect(seen).toEqual({
      serve: [['serve', '--port=1'], linux ? ['--max-semi-space-size=64'] : [], linux ? '2' : null],
      own: [['serve', '--port=1'], own, '8'],
      spelled: [['serve', '--port=1'], ['--max_semi_space_size=32'], linux ? '2' : null],
      named: [['serve', '--port=1'], [], linux ? '2' : null],
      verify: [['verify', '--port=1'], [], null],
    });
  });

  it('supports the Node.js that runs the tests', () => {
    expect(Number(process.versions.node.split('.')[0])).toBeGreaterThanOrEqual(24);
  });
});
