/**
 * How the tests run. `COLOPHON_TEST_REPORT` names a file for the machine-readable report that `.ci/run`
 * counts from.
 */
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const report = process.env['COLOPHON_TEST_REPORT'];

/**
 * The files that take longest, so that none of them begins last and runs alone. A fresh clone has no durations of an
 * earlier run, by which vitest would sort.
 */
const longest = [
  'http/tenants',
  'verify/sound',
  'store/postgres-start',
  'e2e/axe',
  'e2e/reading',
  'e2e/editing',
  'verify-cli/verify-command',
  'store/ledger-version',
  'contract/postgres-rollback',
  'contract/postgres-nodes',
  'cli/separate-checkpoint',
  'e2e/verifying',
  'fault/altered-rows',
  'fault/background-pass',
  'fault/kill',
  'fault/linearizability',
  'fault/linearizability-broken',
  'http/historical-reads',
  'verify/mutations',
].map((name) => `/test/${name}.test.ts`);

/** Starts with the longest files, which are all of the first project; the others keep their order. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = longest.findIndex((path) => moduleId.endsWith(path));
      return index === -1 ? longest.length : index;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  test: {
    pool: 'forks',
    // Files that start processes wait for them: three on two cores.
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 10_000,
    sequence: { sequencer: LongestFirst },
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
    // Files of one worker share the modules that they import: loading the service again takes a second of each file.
    isolate: false,
    // In the order of their names.
    projects: [
      {
        extends: true,
        test: {
          name: 'service',
          include: ['test/!(unit)/**/*.test.{ts,tsx}'],
          globalSetup: 'test/support/one-initdb.ts',
        },
      },
      { extends: true, test: { name: 'unit', include: ['test/unit/**/*.test.{ts,tsx}'] } },
    ],
  },
});
