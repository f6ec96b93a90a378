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

/** What the tests read of a manifest. */
interface Json {
  readonly kind: string;
  readonly spec?: {
    readonly jobTemplate?: {
      readonly spec: {
        readonly template: { readonly spec: { readonly containers: { readonly args: string[] }[] } };
      };
    };
  };
}

describe('the files to start from', () => {
  it.each([
    'colophon.env',
    'colophon.service',
    'colophon-backup.service',
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

  it('backs up by an option that the command has, from systemd and Kubernetes', () => {
    const [, unit = ''] =
      /^ExecStart=\/usr\/bin\/env colophon (.+)$/m.exec(read('deploy/colophon-backup.service')) ?? [];
    const jobs = parseAllDocuments(read('deploy/kubernetes.yaml')).map((each) => each.toJSON() as Json);
    const job = jobs.find(({ kind }) => kind === 'CronJob')?.spec?.jobTemplate?.spec.template.spec
      .containers[0];
    for (const args of [unit.split(' '), job?.args ?? []]) {
      const { stderr } = spawnSync(process.execPath, [resolve(root, 'bin/colophon.js'), ...args], {
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], COLOPHON_DATA: '/nonexistent' },
      });
      // Every option was read; only the folder is not here.
      expect(stderr).toMatch(/^colophon: There is no folder \S*\/\S*backups\. Make it, or mount the disk/);
    }
  });

  it.skipIf(!hasSystemd)('has a timer that systemd accepts', () => {
    const timer = resolve(root, 'deploy/colophon-backup.timer');
    const verified = spawnSync('systemd-analyze', ['verify', timer], { encoding: 'utf8' });
    expect([verified.status, verified.stderr]).toEqual([0, '']);
  });

  it.skipIf(!hasSystemd).each(['colophon', 'colophon-backup'])(
    'has a unit %s that systemd accepts, with an exposure below 2',
    (name) => {
      const unit = resolve(root, `deploy/${name}.service`);
      const verified = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' });
      expect([verified.status, verified.stderr]).toEqual([0, '']);
      const judged = spawnSync('systemd-analyze', ['security', '--offline=yes', unit], { encoding: 'utf8' });
      const [, exposure] = /Overall exposure level for \S+: ([\d.]+)/.exec(judged.stdout) ?? [];
      expect(Number(exposure)).toBeLessThan(2);
    },
  );
});
