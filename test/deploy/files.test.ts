/** The other files of `deploy/`: the settings that they name exist, and the unit is one that systemd accepts. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(resolve(root, path), 'utf8');
const hasSystemd = spawnSync('systemd-analyze', ['--version']).error === undefined;
if (!hasSystemd) console.warn('There is no systemd-analyze here; the unit is not judged.');

const documented = new Set(
  [...read('docs/configuration.md').matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, name]) => name as string),
);

describe('the files to start from', () => {
  it.each([
    'colophon.env',
    'colophon.service',
    'Dockerfile',
    'compose.yaml',
    'kubernetes.yaml',
    'nginx.conf',
  ])('names in %s only settings that exist', (file) => {
    const named = read(`deploy/${file}`).match(/\b(?:COLOPHON_[A-Z_]+|DATABASE_URL)\b/g) ?? [];
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !documented.has(name))).toEqual([]);
  });

  it.each(['compose.yaml', 'kubernetes.yaml'])('writes %s as YAML', (file) => {
    for (const document of parseAllDocuments(read(`deploy/${file}`), { merge: true }))
      expect(document.errors).toEqual([]);
  });

  it('packs the build from what the repository has, without what was built or stored here', () => {
    expect(read('.dockerignore').trim().split('\n')).toEqual(['.git', 'node_modules', 'dist', 'data']);
  });

  it.skipIf(!hasSystemd)('has a unit that systemd accepts, with an exposure below 2', () => {
    const unit = resolve(root, 'deploy/colophon.service');
    const verified = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' });
    expect([verified.status, verified.stderr]).toEqual([0, '']);
    const judged = spawnSync('systemd-analyze', ['security', '--offline=yes', unit], { encoding: 'utf8' });
    const [, exposure] = /Overall exposure level for colophon\.service: ([\d.]+)/.exec(judged.stdout) ?? [];
    expect(Number(exposure)).toBeLessThan(2);
  });
});
