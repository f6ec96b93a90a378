import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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

describe('the command', () => {
  it('on a too old Node without the pinned one says so in one line', () => {
    const folder = copyOfLauncher();
    const { status, stderr, stdout } = runAs('20.20.2', folder);
    rmSync(folder, { recursive: true });
    expect(status).toBe(1);
    expect(stdout).toBe('');
    expect(stderr.trim().split('\n')).toEqual([
      'colophon needs Node 24 or newer and this is 20.20.2: run "npm ci" to get the pinned one, or install Node 24.',
    ]);
  });

  it('that is not built says so in one line', () => {
    const folder = copyOfLauncher();
    const { status, stderr } = runAs('26.0.0', folder);
    rmSync(folder, { recursive: true });
    expect(status).toBe(1);
    expect(stderr).toBe('colophon is not built yet: run "npm run build" first.\n');
  });

  it('on a too old Node runs on the pinned one', ({ skip }) => {
    const old = ['/usr/bin/node', '/usr/local/bin/node'].find(
      (path) =>
        existsSync(path) &&
        Number(execFileSync(path, ['-p', 'process.versions.node.split(".")[0]'], { encoding: 'utf8' })) < 24,
    );
    if (old === undefined) skip('no Node older than 24 on this machine');
    const run = spawnSync(old as string, [join(root, 'bin/colophon.js'), '--help'], { encoding: 'utf8' });
    expect(run.stderr).toBe('');
    expect(run.status).toBe(0);
    expect(run.stdout).toContain('Usage: colophon <verb>');
  });

  it('and the tests run on a Node that is new enough', () => {
    expect(Number(process.versions.node.split('.')[0])).toBeGreaterThanOrEqual(24);
  });
});
