import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

interface File {
  readonly status: string;
  readonly tests: readonly string[];
}

interface Outcome {
  readonly files?: readonly File[];
  /** Exit statuses by npm command, such as `ci`, `test` or `lint`; 0 where nothing is said. */
  readonly npm?: Readonly<Record<string, number>>;
  /** Whether the browser, nginx, PgBouncer and Go are there. */
  readonly tools?: boolean;
}

const green: readonly File[] = [{ status: 'passed', tests: ['passed', 'passed', 'passed'] }];
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** Runs `.ci/run` in a folder of its own, with stand-ins for npm, apt-get and the tools of the tests that do as `outcome` says. */
function run({ files = green, npm = {}, tools: present = true }: Outcome): {
  lines: string[];
  status: number | null;
  calls: string;
} {
  const folder = mkdtempSync(join(tmpdir(), 'ci-'));
  folders.push(folder);
  mkdirSync(join(folder, '.ci'));
  mkdirSync(join(folder, 'bin'));
  for (const name of ['run', 'count.mjs']) copyFileSync(join(root, '.ci', name), join(folder, '.ci', name));
  const script = (name: string, text: string): void => {
    writeFileSync(join(folder, 'bin', name), `#!/bin/bash\n${text}\n`);
    chmodSync(join(folder, 'bin', name), 0o755);
  };
  const report = {
    testResults: files.map(({ status, tests }) => ({
      status,
      assertionResults: tests.map((test) => ({ status: test })),
    })),
  };
  writeFileSync(join(folder, 'report.json'), files.length === 0 ? '{"testRes' : JSON.stringify(report));
  const statuses = Object.entries(npm).map(([name, status]) => `${name}) exit ${status};;`);
  script(
    'npm',
    [
      `echo "npm $*" >>"${folder}/calls"`,
      'name="$1"; [ "$1" = run ] && name="$3"',
      `[ "$name" = test ] && cp "${folder}/report.json" "$COLOPHON_TEST_REPORT"`,
      `echo "noise, 7 passed, 7 failed"`,
      `case "$name" in ${statuses.join(' ')} *) exit 0;; esac`,
    ].join('\n'),
  );
  script('apt-get', `echo "apt-get $*" >>"${folder}/calls"; exit 100`);
  if (present)
    for (const tool of ['chromium-headless-shell', 'nginx', 'pgbouncer', 'go']) script(tool, 'exit 0');
  const tools = ['bash', 'dirname', 'mktemp', 'rm', 'cp', 'cat'];
  for (const tool of tools) script(tool, `PATH=/usr/bin:/bin exec ${tool} "$@"`);
  script('node', `exec "${process.execPath}" "$@"`);
  const { stdout, status } = spawnSync('/bin/bash', [join(folder, '.ci/run')], {
    cwd: tmpdir(),
    encoding: 'utf8',
    env: { PATH: join(folder, 'bin') },
  });
  const calls = spawnSync('cat', [join(folder, 'calls')], { encoding: 'utf8' }).stdout;
  return { lines: stdout.trimEnd().split('\n'), status, calls };
}

function lastLine(outcome: Outcome): [string | undefined, number | null] {
  const { lines, status } = run(outcome);
  return [lines.at(-1), status];
}

describe('.ci/run', () => {
  it('runs the test command of the README and then every check', () => {
    const [install, test, ...checks] = run({}).calls.trim().split('\n');
    expect([install, test]).toEqual(['npm ci', 'npm test']);
    expect(checks.toSorted()).toEqual([
      'npm run -s dead-code',
      'npm run -s format:check',
      'npm run -s lint',
      'npm run -s rooms',
      'npm run -s types',
    ]);
  });

  it('counts every test and every check, and reports the counts on its last line only', () => {
    expect(lastLine({})).toEqual(['8 passed, 0 failed', 0]);
  });

  it('names skipped tests, and does not fail for them', () => {
    const files = [
      { status: 'passed', tests: ['passed', 'skipped', 'todo', 'pending'] },
      { status: 'passed', tests: ['skipped'] },
    ];
    expect(lastLine({ files })).toEqual(['6 passed, 0 failed, 4 skipped', 0]);
  });

  it('counts each failed test', () => {
    const files = [
      { status: 'failed', tests: ['passed', 'failed', 'failed', 'skipped'] },
      { status: 'passed', tests: ['passed'] },
    ];
    expect(lastLine({ files, npm: { test: 1 } })).toEqual(['7 passed, 2 failed, 1 skipped', 1]);
  });

  it('counts a test file that could not load, or whose hook failed, as a failure', () => {
    const files = [
      { status: 'failed', tests: [] },
      { status: 'failed', tests: ['skipped', 'skipped'] },
      { status: 'failed', tests: ['passed'] },
      { status: 'passed', tests: ['passed'] },
    ];
    expect(lastLine({ files, npm: { test: 1 } })).toEqual(['7 passed, 3 failed, 2 skipped', 1]);
  });

  it('counts a failure of npm test that no test accounts for', () => {
    expect(lastLine({ npm: { test: 1 } })).toEqual(['8 passed, 1 failed', 1]);
  });

  it('counts an unreadable report as a failure, even if npm test says that all went well', () => {
    expect(lastLine({ files: [] })).toEqual(['5 passed, 1 failed', 1]);
  });

  it('counts a run without a single passed test as a failure', () => {
    expect(lastLine({ files: [{ status: 'passed', tests: ['skipped'] }] })).toEqual([
      '5 passed, 1 failed, 1 skipped',
      1,
    ]);
  });

  it.each(['lint', 'types', 'rooms', 'dead-code', 'format:check'])(
    'fails when %s does, and still runs the rest',
    (name) => {
      const { lines, status, calls } = run({ npm: { [name]: 2 } });
      expect(lines).toContain(`${name} failed`);
      expect([lines.at(-1), status]).toEqual(['7 passed, 1 failed', 1]);
      expect(calls.trim().split('\n')).toHaveLength(7);
    },
  );

  it('stops after npm ci when that fails, with one failure', () => {
    const { lines, status, calls } = run({ npm: { ci: 1 } });
    expect([lines.at(-1), status]).toEqual(['0 passed, 1 failed', 1]);
    expect(calls).toBe('npm ci\n');
  });

  it('goes on without a browser that cannot be installed', () => {
    const { lines, status, calls } = run({ tools: false });
    expect(calls.split('\n')[0]).toBe('apt-get update');
    for (const name of [
      'chromium-headless-shell',
      'nginx-light',
      'pgbouncer',
      'golang-go',
      'golang-golang-x-mod-dev',
    ])
      expect(lines).toContain(`${name} could not be installed; going on without`);
    expect([lines.at(-1), status]).toEqual(['8 passed, 0 failed', 0]);
  });
});
