/** The kept index of claims must answer as one made anew of the same state, whatever states came before it. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { claimIndex } from '../../../src/domain/articles/similar-claims.ts';
import type { ArticleState } from '../../../src/domain/articles/state.ts';
import type { ClaimRow } from '../../../src/domain/articles/tables.ts';

const words = ['tea', 'cools', 'warms', 'not', 'mice', 'men', 'the', '5', '7'];
const text = fc
  .array(fc.constantFrom(...words), { minLength: 1, maxLength: 5 })
  .map((each) => each.join(' '));
const claim = fc.record({
  id: fc.constantFrom('c1', 'c2', 'c3', 'c4', 'c5'),
  text,
  status: fc.constantFrom('active', 'active', 'retracted'),
});
/** Each state is the one before with some claims put, some taken away and perhaps another order. */
const step = fc.record({
  put: fc.array(claim, { maxLength: 3 }),
  taken: fc.array(fc.constantFrom('c1', 'c2', 'c3', 'c4', 'c5'), { maxLength: 2 }),
  turned: fc.boolean(),
});

let articles = 0;

function state(aid: string, claims: ReadonlyMap<string, ClaimRow>): ArticleState {
  return { row: { aid }, claims, divs: new Map(), sources: new Map() } as unknown as ArticleState;
}

test('the index matches a new one after claims were posted, repaired, retracted, undone or reordered', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), text, (steps, asked) => {
      const kept = `kept-${articles++}`;
      let claims = new Map<string, ClaimRow>();
      for (const { put, taken, turned } of steps) {
        claims = new Map(turned ? [...claims].reverse() : claims);
        for (const each of put) claims.set(each.id, { claim: each } as unknown as ClaimRow);
        for (const id of taken) claims.delete(id);
        const fresh = claimIndex(state(`fresh-${articles++}`, claims));
        const found = claimIndex(state(kept, claims));
        expect([found.size, found.find(asked)]).toEqual([fresh.size, fresh.find(asked)]);
      }
    }),
  );
});

test('the index finds a claim once after an undone act restored it', () => {
  const row = (id: string, of: string): ClaimRow =>
    ({ claim: { id, text: of, status: 'active' } }) as unknown as ClaimRow;
  const first = row('c1', 'tea cools men');
  claimIndex(
    state(
      'undone',
      new Map([
        ['c1', first],
        ['c2', row('c2', 'tea warms mice')],
      ]),
    ),
  );
  claimIndex(state('undone', new Map([['c1', first]])));
  const index = claimIndex(
    state(
      'undone',
      new Map([
        ['c1', first],
        ['c2', row('c2', 'tea warms men')],
      ]),
    ),
  );
  expect(index.find('tea warms mice').map(({ id, verdict }) => [id, ...verdict.differs])).toEqual([
    ['c2', 'word: men/mice'],
  ]);
});
