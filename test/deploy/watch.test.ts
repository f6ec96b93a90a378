/** Alerts, dashboard and runbook: they name metrics that exist, and each alert and line of doctor has its entry. */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startServer, type TestServer } from '../support/server.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const alerts = parse(read('deploy/alerts.yml')) as {
  groups: { rules: { alert: string; expr: string }[] }[];
};
const rules = alerts.groups.flatMap((group) => group.rules);
const runbook = read('docs/runbook.md');
const hasPromtool = spawnSync('promtool', ['--version']).error === undefined;
if (!hasPromtool) console.warn('There is no promtool here; what the alerts do with samples is not tried.');

/** Names of metrics in expressions; suffixes of histograms belong to their metric. */
function metricsIn(text: string): readonly string[] {
  const named = text.match(/\b(?:colophon|process|nodejs)_[a-z0-9_]+/g) ?? [];
  return [...new Set(named.map((name) => name.replace(/_bucket$/, '')))];
}

describe('what watches a deployment', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  it.each(['deploy/alerts.yml', 'deploy/grafana.json'])(
    'names in %s only metrics that exist',
    async (file) => {
      const served = await (await server.fetch('/metrics')).text();
      const exist = new Set([...served.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name as string));
      const named = metricsIn(read(file)).filter((name) => name !== 'colophon');
      expect(named.length).toBeGreaterThan(10);
      expect(named.filter((name) => !exist.has(name))).toEqual([]);
    },
  );

  it('has an entry of the runbook for each alert, and no other', () => {
    const [, part = ''] = /\n## Alerts\n([^]*?)\n## /.exec(runbook) ?? [];
    expect([...part.matchAll(/^### (\S+)$/gm)].map(([, name]) => name)).toEqual(
      rules.map(({ alert }) => alert),
    );
  });

  it('has a line of the runbook for each line of doctor', () => {
    const named = new Set(
      [...runbook.split('## Lines of doctor')[1]!.matchAll(/^\| (.+?) \|/gm)].flatMap(([, cell]) =>
        [...(cell as string).matchAll(/`([^`]+)`/g)].map(([, name]) => name as string),
      ),
    );
    const sources = [
      'src/deployment/{doctor,host-checks,backup-note,upgrade-plan}.ts',
      'src/store/*/{kind,diagnose}.ts',
    ]
      .flatMap((pattern) => globSync(pattern, { cwd: root }))
      .map(read);
    const lines = sources.flatMap((source) =>
      [...source.matchAll(/\b(?:ok|warn|fail)\(\s*'([^']+)'/g)].map(([, name]) => name as string),
    );
    expect(new Set(lines).size).toBeGreaterThan(12);
    expect([...new Set(lines)].filter((line) => !named.has(line))).toEqual([]);
  });

  it.skipIf(!hasPromtool)('fires each alert on its fault and none on a sound deployment', () => {
    const tried = read('test/deploy/alerts.rules.yml');
    for (const { alert } of rules) expect(tried).toContain(`name: ${alert} fires`);
    const checked = spawnSync('promtool', ['check', 'rules', join(root, 'deploy/alerts.yml')], {
      encoding: 'utf8',
    });
    expect([checked.status, checked.stdout]).toEqual([
      0,
      expect.stringContaining(`${rules.length} rules found`),
    ]);
    const run = spawnSync('promtool', ['test', 'rules', join(root, 'test/deploy/alerts.rules.yml')], {
      encoding: 'utf8',
    });
    expect([run.status, run.stdout + run.stderr]).toEqual([0, expect.stringContaining('SUCCESS')]);
  });
});
