/** Atomic batches (contract §2, §5): what the refusal of a batch reports, on both stores. */
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { onBothStores } from '../support/both-stores.ts';
import { terminalKey, type TestServer } from '../support/server.ts';
import { send } from './client.ts';
import { expectProblem, type Problem } from './problem.ts';

const owner = { 'x-terminal-key': terminalKey };
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

interface Told {
  readonly operation: object;
  readonly operations: readonly Record<string, unknown>[];
  readonly violations: readonly { readonly code: string; readonly at: string; readonly operation: number }[];
  readonly unjudged?: readonly { readonly i: number; readonly waits_for: readonly number[] }[];
}

function client(server: TestServer) {
  const batch = (slug: string, operations: readonly unknown[], more: object = {}, headers: object = owner) =>
    send(server.base, {
      path: '/api/protocol/voxel-batch',
      headers: headers as Record<string, string>,
      body: { slug, atomic: true, actor: 'ada', operations, ...more },
    });
  return {
    batch,
    async make(slug: string): Promise<void> {
      const document = { slug, markdown: '# Told\n\nOne.\n\nTwo.\n' };
      const path = '/api/protocol/voxel-batch';
      expect((await send(server.base, { path, headers: owner, body: { document } })).status).toBe(200);
    },
    async refused(slug: string, operations: readonly object[], code: string): Promise<Problem & Told> {
      return expectProblem(await batch(slug, operations), code) as unknown as Problem & Told;
    },
    async bodyOf(slug: string): Promise<unknown> {
      const answer = await send(server.base, { path: `/api/articles/${slug}` });
      return (JSON.parse(answer.body) as { body: unknown }).body;
    },
  };
}

const claim = { op: 'claim', tier: 'system', who_claims: 'ada', why_material: 'A test.' };
const judged = (told: Told): unknown[] => told.operations.map(({ i, op, error }) => [i, op, error]);
const placed = (told: Told): unknown[] =>
  told.violations.map(({ code, at, operation }) => [code, at, operation]);

onBothStores('a refused atomic batch', (server) => {
  it('reports the faults of every operation by index, and writes none', async () => {
    const { make, refused, bodyOf } = client(server());
    await make('every');
    const told = await refused(
      'every',
      [
        { op: 'edit', div_id: 'two', text: ' ' },
        { op: 'edit', div_id: 'd3', expected_hash: hashOf('Two.'), text: 'This one would have landed.' },
        { ...claim, text: 'Is it?', tier: 'sure' },
        { op: 'dance' },
        { op: 'vote', target: 'd2', proposal: 'should_vanish', rationale: 'x' },
      ],
      'body_mismatch',
    );
    expect(judged(told)).toEqual([
      [0, 'edit', 'body_mismatch'],
      [2, 'claim', 'content_rule'],
      [3, 'dance', 'body_mismatch'],
      [4, 'vote', 'body_mismatch'],
    ]);
    expect(placed(told)).toEqual([
      ['malformed', '/operations/0/div_id', 0],
      ['missing', '/operations/0/expected_hash', 0],
      ['blank', '/operations/0/text', 0],
      ['question', '/operations/2/text', 2],
      ['unknown_tier', '/operations/2/tier', 2],
      ['not_one_of', '/operations/3/op', 3],
      ['not_one_of', '/operations/4/proposal', 4],
    ]);
    expect(told).toMatchObject({ landed: 0, of: 5, operation: { i: 0, op: 'edit' } });
    expect(told).not.toHaveProperty('unjudged');
    expect(await bodyOf('every')).toBe('# Told\n\nOne.\n\nTwo.\n');
  });

  it('returns the current text and hash of every DIV with a stale hash', async () => {
    const { make, refused } = client(server());
    await make('stale');
    const told = await refused(
      'stale',
      [
        { op: 'edit', div_id: 'd2', expected_hash: hashOf('Once.'), text: 'New.' },
        { op: 'edit', div_id: 'd3', expected_hash: hashOf('Twice.'), text: 'New.' },
      ],
      'hash_stale',
    );
    expect(told.operations).toMatchObject([
      { i: 0, div_id: 'd2', current_text: 'One.', current_hash: hashOf('One.') },
      { i: 1, div_id: 'd3', current_text: 'Two.', current_hash: hashOf('Two.') },
    ]);
  });

  it('lists operations that depend on a refused one as unjudged, with the operations they wait for', async () => {
    const { make, refused } = client(server());
    await make('waits');
    const source = { type: 'review', url: 'https://a.example', title: 'A', quote: '' };
    const told = await refused(
      'waits',
      [
        { op: 'edit', div_id: 'd2', expected_hash: hashOf('One.'), text: ' ' },
        { op: 'edit', div_id: 'd2', expected_hash: hashOf('Newer.'), text: 'Newest.' },
        { op: 'edit', div_id: 'd3', expected_hash: hashOf('Twice.'), text: 'New.' },
        { op: 'source', sources: [source] },
        { ...claim, text: 'The ledger keeps one head.', source_ids: ['s1'] },
        { ...claim, text: 'Is it?', source_ids: ['s1'] },
        { op: 'attest', outcome: 'nothing_to_add', content_hash: hashOf('Newer.') },
      ],
      'body_mismatch',
    );
    expect(judged(told)).toEqual([
      [0, 'edit', 'body_mismatch'],
      [2, 'edit', 'hash_stale'],
      [3, 'source', 'content_rule'],
      [5, 'claim', 'content_rule'],
    ]);
    expect(placed(told)).toEqual([
      ['blank', '/operations/0/text', 0],
      ['missing_quote', '/operations/3/sources/0/quote', 3],
      ['question', '/operations/5/text', 5],
    ]);
    expect(told.unjudged?.map(({ i, waits_for: waitsFor }) => [i, waitsFor])).toEqual([
      [1, [0]],
      [4, [3]],
      [6, [0, 1, 2]],
    ]);
  });

  it('omits faults of an invalid operation that a refused operation might have corrected', async () => {
    const { make, refused } = client(server());
    await make('beside');
    const told = await refused(
      'beside',
      [
        { op: 'edit', div_id: 'd2', expected_hash: hashOf('One.'), text: ' ' },
        { op: 'edit', div_id: 'd2', expected_hash: hashOf('Newer.'), text: '' },
        { ...claim, text: 'Is it?' },
        { op: 'vote', target: 'c1', proposal: 'should_burn', rationale: '' },
        { op: 'edit', div_id: 'd3', expected_hash: hashOf('Twice.'), text: '' },
      ],
      'body_mismatch',
    );
    expect(placed(told)).toEqual([
      ['blank', '/operations/0/text', 0],
      ['blank', '/operations/1/text', 1],
      ['question', '/operations/2/text', 2],
      ['blank', '/operations/3/rationale', 3],
      ['blank', '/operations/4/text', 4],
    ]);
    const [, edit, , vote, stale] = told.operations;
    expect([edit?.['message'], vote?.['message']]).toEqual(['The text is empty.', 'The rationale is empty.']);
    expect(edit).not.toHaveProperty('stale');
    expect(stale?.['stale']).toEqual([{ at: '/expected_hash', div_id: 'd3', current_hash: hashOf('Two.') }]);
  });

  it('validates against the effects of its valid operations, separately for each article', async () => {
    const { make, refused } = client(server());
    await make('left');
    await make('right');
    const told = await refused(
      'left',
      [
        { op: 'edit', div_id: 'd2', expected_hash: hashOf('One.'), text: 'Newer.' },
        { op: 'edit', div_id: 'd2', expected_hash: hashOf('Newer.'), text: 'Newest.' },
        { op: 'edit', slug: 'right', div_id: 'd2', expected_hash: hashOf('One.'), text: '' },
        { op: 'edit', div_id: 'd2', expected_hash: hashOf('Newer.'), text: 'Last.' },
      ],
      'body_mismatch',
    );
    expect(told.operations).toMatchObject([
      { i: 2, error: 'body_mismatch' },
      { i: 3, error: 'hash_stale', current_text: 'Newest.' },
    ]);
    expect(told).not.toHaveProperty('unjudged');
  });

  it('with invalid members of its own also reports the faults of its operations', async () => {
    const { make, batch } = client(server());
    await make('itself');
    const operations = [{ op: 'edit', div_id: 'two', text: ' ' }, { op: 'dance' }, 7];
    const told = expectProblem(
      await batch('itself', operations, { slug: 7, size: 3 }),
      'body_mismatch',
    ) as unknown as Told;
    expect(told.violations.map(({ code, at }) => [code, at])).toEqual([
      ['wrong_type', '/slug'],
      ['wrong_type', '/operations/2'],
      ['unknown_argument', '/size'],
      ['malformed', '/operations/0/div_id'],
      ['missing', '/operations/0/expected_hash'],
      ['blank', '/operations/0/text'],
      ['not_one_of', '/operations/1/op'],
    ]);
  });
});
