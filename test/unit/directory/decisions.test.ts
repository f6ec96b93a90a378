/** Making and revising rows of the directory (contract §3): the code of the refusal, or the version that is written. */
import { describe, expect, it } from 'vitest';
import { compileRow } from '../../../src/domain/directory/compile-row.ts';
import type { DirectoryRow, RowState } from '../../../src/domain/directory/tables.ts';
import {
  putRow,
  type PutRowInput,
  reviseRow,
  type ReviseRowInput,
  type RowBefore,
  type RowWritten,
} from '../../../src/domain/directory/write-row.ts';
import { type Fault, isFault } from '../../../src/kernel/fault.ts';
import { builtInRows } from '../../../src/rows/index.ts';
import { context, head } from '../articles/sundial.ts';

const weather: PutRowInput = {
  key: 'WEATHER',
  what: 'Tells the weather of a place.',
  when: 'When the weather matters.',
  example: 'Bern',
  type: 'http',
  args: [{ name: 'place' }],
  url: 'https://weather.example/{place}',
  auth: 'none',
  risk: 'low',
};

const none: RowBefore = { stored: undefined, running: undefined };
const builtIn: RowBefore = {
  stored: undefined,
  running: builtInRows.find(({ key }) => key === 'MIRROR_APPEND'),
};

const made = (): RowBefore => {
  const done = putRow(weather, none, context);
  if (isFault(done)) throw new Error(done.message);
  const [value] = done.events.flatMap(({ contents = [] }) => contents.map((each) => each.value));
  const { state } = value as unknown as { readonly state: RowState };
  const stored = { key: 'WEATHER', state, chain: 'row_a', head } as unknown as DirectoryRow;
  return { stored, running: compileRow('main', state, undefined) };
};
const summary = (done: RowWritten | Fault) =>
  isFault(done) ? done.fault : [done.events.map(({ draft }) => draft.action), done.result.result['version']];

describe('putRow', () => {
  it.each<[string, object, () => RowBefore, unknown]>([
    ['creates version 1 of a new row', {}, () => none, [['create'], 1]],
    ['creates a new row that is expected at version 0', { expected_version: 0 }, () => none, [['create'], 1]],
    ['rejects a new row that is expected at version 1', { expected_version: 1 }, () => none, 'conflict'],
    ['replaces an own row by version 2', { what: 'Tells the weather.' }, made, [['replace'], 2]],
    [
      'rejects an own row that is expected at version 2',
      { what: 'Tells.', expected_version: 2 },
      made,
      'conflict',
    ],
    ['rejects the key of a built-in row', { key: 'MIRROR_APPEND' }, () => builtIn, 'conflict'],
    [
      'rejects a URL that is not http or https',
      { url: 'ftp://weather.example/{place}' },
      () => none,
      'body_mismatch',
    ],
    ['rejects an example that lacks an argument', { example: '' }, () => none, 'body_mismatch'],
  ])('%s', (_name, given, before, expected) => {
    expect(summary(putRow({ ...weather, ...given }, before(), context))).toEqual(expected);
  });
});

describe('reviseRow', () => {
  it.each<[string, Omit<ReviseRowInput, 'key'>, () => RowBefore, unknown]>([
    ['writes version 2 of an own row', { enabled: false }, made, [['revise'], 2]],
    ['writes version 2 of a built-in row', { enabled: false }, () => builtIn, [['revise'], 2]],
    ['accepts the current version', { enabled: false, expected_version: 1 }, made, [['revise'], 2]],
    ['rejects a row that does not exist', { enabled: false }, () => none, 'unknown_key'],
    ['rejects a revision without a change', { expected_version: 1 }, made, 'body_mismatch'],
    ['rejects a stale version', { enabled: false, expected_version: 2 }, made, 'conflict'],
  ])('%s', (_name, given, before, expected) => {
    const running = before();
    expect(summary(reviseRow({ key: running.running?.key ?? 'GONE', ...given }, running, context))).toEqual(
      expected,
    );
  });

  it('rejects removing the credential that the contract of a row needs', () => {
    const running = builtInRows.find(({ key }) => key === 'CAP_MINT');
    const done = reviseRow(
      { key: 'CAP_MINT', authority_required: false },
      { stored: undefined, running },
      context,
    );
    expect(summary(done)).toBe('body_mismatch');
  });
});
