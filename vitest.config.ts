/**
 * How the tests run. `COLOPHON_TEST_REPORT` names a file for the machine-readable report that `.ci/run`
 * counts from.
 */
import { defineConfig } from 'vitest/config';

const report = process.env['COLOPHON_TEST_REPORT'];

export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  test: {
    pool: 'forks',
    // Files that start processes wait for them: three on two cores.
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 10_000,
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
    projects: [
      {
        // Pure functions: files of one worker share the modules that they import, which saves a third of their time.
        extends: true,
        test: { name: 'unit', include: ['test/unit/**/*.test.{ts,tsx}'], isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'whole',
          include: ['test/!(unit)/**/*.test.{ts,tsx}'],
          globalSetup: 'test/support/one-initdb.ts',
        },
      },
    ],
  },
});
