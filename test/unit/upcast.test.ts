import { describe, expect, it } from 'vitest';
import { readRollbacks } from '../../src/app/reads/earlier-logs.ts';
import { project } from '../../src/domain/schema.ts';
import type { Upcasters } from '../../src/domain/upcast.ts';
import { workspaceTable } from '../../src/domain/workspaces/tables.ts';
import type { Event } from '../../src/engine/act.ts';
import { MemoryProjection } from '../../src/engine/memory-projection.ts';
import type { Reader } from '../../src/engine/store.ts';
import type { JsonValue } from '../../src/kernel/json.ts';

/** An earlier version that knew no open workspaces. */
const sample: Upcasters = new Map([
  ['create', (content) => ({ ...content, state: { status: 'closed', ...(content['state'] as object) } })],
]);

function created(content: JsonValue): Event {
  const entry = {
    v: 1,
    chain: 'ws_abcdefghijklmnop',
    n: 0,
    prev: 'genesis',
    ts: '2026-01-01T00:00:00.000Z',
    actor: 'owner',
    action: 'create',
  };
  return {
    seq: 1,
    sealed: { entry, text: '', leaf: new Uint8Array(), hash: 'aa' },
    contents: { content_sha: content },
  };
}

/** The state of the workspace that comes of an entry. */
function projected(content: JsonValue): unknown {
  const projection = new MemoryProjection();
  project(created(content), projection, sample);
  return [...projection.all()].find(({ table }) => table === workspaceTable)?.row['state'];
}

describe('an entry of an earlier shape', () => {
  it('is projected with what its version left out', () => {
    expect(projected({ tenant: 'tn_a', state: { name: 'survey' } })).toEqual({
      name: 'survey',
      status: 'closed',
    });
  });

  it('is projected as it is when it has the present shape', () => {
    const state = { name: 'survey', status: 'open' };
    expect(projected({ tenant: 'tn_a', state })).toEqual(state);
  });
});

describe('rollbacks that a ledger tells of', () => {
  const rollback = { problem: 'The ledger is shorter.', checkpoint: null };
  const earlier = { origin: 'log.test', verifier_key: 'log.test+1+x', checkpoint: null };
  const reader = (content: JsonValue): Pick<Reader, 'entries'> => ({
    entries: async () => [
      {
        index: 0,
        act: 0,
        seq: 1,
        text: JSON.stringify({ action: 'accept_rollback' }),
        contents: [{ field: 'content_sha', salt: null, body: JSON.stringify(content) }],
      },
    ],
  });

  it('are those that began the log', async () => {
    await expect(readRollbacks(reader({ ...rollback, earlier }))).resolves.toEqual([
      { ...rollback, earlier },
    ]);
  });

  it('are not those that 0.1.0 appended to the log as it was', async () => {
    await expect(readRollbacks(reader(rollback))).resolves.toEqual([]);
  });

  it.each([['[redacted]'], [null], [[1]]])('are none when the content is %j', async (content) => {
    await expect(readRollbacks(reader(content))).resolves.toEqual([]);
  });
});
