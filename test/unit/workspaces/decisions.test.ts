/** Making and changing workspaces (contract §7): the code of the refusal, or the state that is written. */
import { describe, expect, it } from 'vitest';
import {
  createWorkspace,
  setWorkspace,
  type WorkspaceInput,
  type WorkspaceRow,
  type WorkspaceWrite,
} from '../../../src/domain/workspaces/write-workspace.ts';
import { type Fault, isFault } from '../../../src/kernel/fault.ts';
import { context, head } from '../articles/sundial.ts';

const notes: WorkspaceRow = {
  directory: 'all',
  name: 'notes',
  tenant: 'ws_a',
  state: { name: 'notes', title: 'Notes', purpose: 'Field notes.', status: 'open' },
  chain: 'ws_a',
  head,
};
const summary = (done: WorkspaceWrite | Fault) =>
  isFault(done) ? done.fault : [done.event.draft.action, done.event.contents?.map(({ value }) => value)];

describe('WORKSPACE_CREATE', () => {
  const open = { name: 'notes', title: '', purpose: '', status: 'open' };
  it.each<[string, WorkspaceInput, WorkspaceRow | undefined, unknown]>([
    [
      'writes an open workspace from a name alone',
      { name: 'notes' },
      undefined,
      ['create', [{ tenant: 'ws_aaaaaaaaaaaaaaaa', state: open }]],
    ],
    [
      'writes the given status and trims texts',
      { name: 'notes', title: ' Notes ', status: 'closed' },
      undefined,
      ['create', [{ tenant: 'ws_aaaaaaaaaaaaaaaa', state: { ...open, title: 'Notes', status: 'closed' } }]],
    ],
    ['rejects a name that is taken', { name: 'notes' }, notes, 'conflict'],
    ['rejects the name main', { name: 'main' }, undefined, 'conflict'],
    ['rejects a name of one character', { name: 'n' }, undefined, 'body_mismatch'],
    ['rejects a name with capitals', { name: 'Notes' }, undefined, 'body_mismatch'],
    ['rejects a name with two hyphens in a row', { name: 'field--notes' }, undefined, 'body_mismatch'],
    ['rejects a name of 33 characters', { name: 'n'.repeat(33) }, undefined, 'body_mismatch'],
    [
      'rejects an invisible character in the title',
      { name: 'notes', title: 'A\u200bB' },
      undefined,
      'content_rule',
    ],
  ])('%s', (_name, input, before, expected) => {
    expect(summary(createWorkspace(input, before, context))).toEqual(expected);
  });
});

describe('WORKSPACE_SET', () => {
  it.each<[string, WorkspaceInput, WorkspaceRow | undefined, unknown]>([
    [
      'changes the status and keeps title and purpose',
      { name: 'notes', status: 'closed' },
      notes,
      ['set', [{ tenant: 'ws_a', state: { ...notes.state, status: 'closed' } }]],
    ],
    [
      'changes the title and keeps the rest',
      { name: 'notes', title: 'Field notes' },
      notes,
      ['set', [{ tenant: 'ws_a', state: { ...notes.state, title: 'Field notes' } }]],
    ],
    ['rejects a workspace that does not exist', { name: 'notes', title: 'N' }, undefined, 'not_found'],
    [
      'rejects an invisible character in the purpose',
      { name: 'notes', purpose: 'A\u200bB' },
      notes,
      'content_rule',
    ],
  ])('%s', (_name, input, before, expected) => {
    expect(summary(setWorkspace(input, before, context))).toEqual(expected);
  });

  it('changes the title of main before its first entry', () => {
    const done = setWorkspace({ name: 'main', title: 'Home' }, undefined, context);
    expect(isFault(done) ? done.fault : done.result.result['workspace']).toMatchObject({
      id: 'main',
      title: 'Home',
      status: 'open',
    });
  });

  it('rejects closing main', () => {
    const done = setWorkspace({ name: 'main', status: 'closed' }, undefined, context);
    expect(isFault(done) && done.details?.['violations']).toMatchObject([{ at: '/status' }]);
  });
});
