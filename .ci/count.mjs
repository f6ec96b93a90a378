/**
 * Adds up a run of the tests and of the checks after it:
 *
 *   node .ci/count.mjs <vitest's JSON report> <exit status of npm test> [<name>=<exit status>]…
 *
 * Prints one line, `N passed, N failed` (and `, N skipped` if any were), and exits with 1 if anything failed.
 * What cannot be counted has failed: no report, a test file that could not load, an error outside every test.
 */
import { readFileSync } from 'node:fs';

const skipped = new Set(['skipped', 'pending', 'todo', 'disabled']);

function countTests(path, status) {
  const count = { passed: 0, failed: 0, skipped: 0 };
  for (const file of readReport(path)) {
    const statuses = file.assertionResults.map((test) => test.status);
    const passed = statuses.filter((one) => one === 'passed').length;
    const left = statuses.filter((one) => skipped.has(one)).length;
    const failed = statuses.length - passed - left;
    count.passed += passed;
    count.skipped += left;
    count.failed += failed === 0 && file.status !== 'passed' ? 1 : failed;
  }
  if (count.failed === 0 && (status !== '0' || count.passed === 0)) count.failed = 1;
  return count;
}

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).testResults;
  } catch {
    return [];
  }
}

const [report = '', testStatus = '', ...checks] = process.argv.slice(2);
const count = countTests(report, testStatus);
for (const check of checks) {
  if (check.endsWith('=0')) count.passed++;
  else count.failed++;
}
const tail = count.skipped === 0 ? '' : `, ${count.skipped} skipped`;
console.log(`${count.passed} passed, ${count.failed} failed${tail}`);
process.exitCode = count.failed === 0 ? 0 : 1;
