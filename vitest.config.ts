/**
 * How the tests run. `COLOPHON_TEST_REPORT` names a file for the machine-readable report that `.ci/run`
 * counts from.
 */
import { defineConfig } from 'vitest/config';

const report = process.env['COLOPHON_TEST_REPORT'];

export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    globalSetup: 'test/support/one-initdb.ts',
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 10_000,
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
  },
});
