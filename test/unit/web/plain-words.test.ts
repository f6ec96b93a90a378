/** The names of acts in plain words, and that every built-in row has some. */
import { describe, expect, it } from 'vitest';
import {
  actOfDeed,
  type Act,
  hasWords,
  type Place,
  plainText,
  typedName,
  wordsOf,
} from '../../../src/doors/web/plain-words.ts';
import { builtInRows } from '../../../src/rows/index.ts';

const ants: Place = { slug: 'ants', title: 'Ants' };

const cases: readonly (readonly [act: Act, words: string])[] = [
  [{ kind: 'article', verb: 'write', made: 12 }, 'wrote Ants in 12 blocks'],
  [{ kind: 'article', verb: 'append', made: 1 }, 'added 1 block to Ants'],
  [{ kind: 'article', verb: 'claim', of: ['c3'] }, 'made the claim c3 in Ants'],
  [{ kind: 'article', verb: 'source', of: ['s1', 's2'] }, 'added the sources s1 and s2 to Ants'],
  [{ kind: 'article', verb: 'source', of: ['s1', 's2', 's3', 's4'] }, 'added 4 sources to Ants'],
  [{ kind: 'article', verb: 'voxel_edit', of: ['d3'] }, 'edited block d3 of Ants'],
  [
    { kind: 'article', verb: 'voxel_consolidate', of: ['d3', 'd4', 'd5'] },
    'merged blocks d3, d4 and d5 of Ants',
  ],
  [{ kind: 'article', verb: 'voxel_burn', of: ['d1', 'd2', 'd3', 'd4'] }, 'removed 4 blocks of Ants'],
  [{ kind: 'article', verb: 'rewrite', of: ['d1'] }, 'edited Ants'],
  [{ kind: 'article', verb: 'revert' }, 'went back to an earlier text of Ants'],
  [{ kind: 'article', verb: 'revert', detail: '3' }, 'restored revision 3 of Ants'],
  [{ kind: 'article', verb: 'claim_repair', of: ['c2'] }, 'reworded c2 of Ants'],
  [{ kind: 'article', verb: 'claim_retract', of: ['c2'] }, 'retracted c2 of Ants'],
  [
    { kind: 'article', verb: 'mirror_accept', of: ['mc_aaaaaaaaaaaaaaaa', 'c2'], detail: 'repair' },
    'accepted another wording for c2 of Ants',
  ],
  [{ kind: 'article', verb: 'mirror_reject', of: ['mc_aaaaaaaaaaaaaaaa'] }, 'rejected a proposal for Ants'],
  [
    { kind: 'article', verb: 'thread_settle', target: 'd3' },
    'settled an entry of the discussion on block d3 of Ants',
  ],
  [{ kind: 'article', verb: 'meta', of: ['title', 'tags'] }, 'changed title and tags of Ants'],
  [{ kind: 'article', verb: 'meta', of: ['traversal'] }, 'changed the series of Ants'],
  [{ kind: 'article', verb: 'meta', of: ['status'], detail: 'published' }, 'published Ants'],
  [{ kind: 'div', verb: 'absorb', of: ['d4'] }, 'merged into another block: block d4 of Ants'],
  [{ kind: 'discourse', verb: 'objection', target: '' }, 'objected to Ants'],
  [{ kind: 'discourse', verb: 'challenge', target: 'd3' }, 'challenged block d3 of Ants'],
  [{ kind: 'discourse', verb: 'review', target: '', detail: 'needs_work' }, 'reviewed Ants: needs work'],
  [
    { kind: 'contribution', verb: 'contribute', target: 'c2', detail: 'repair' },
    'proposed another wording of c2 of Ants',
  ],
  [{ kind: 'contribution', verb: 'contribute' }, 'contributed to Ants'],
  [
    { kind: 'vote', verb: 'vote', target: 'c1', detail: 'should_burn' },
    'voted that c1 of Ants should be removed',
  ],
  [{ kind: 'vote', verb: 'decide', target: 'c1', detail: 'ratified' }, 'ratified a vote on c1 of Ants'],
  [{ kind: 'question', verb: 'ask' }, 'asked a question of Ants'],
  [{ kind: 'capability', verb: 'mint' }, 'made a share or key'],
  [{ kind: 'invocation', verb: 'success', key: 'CLAIM_POST' }, 'made a claim'],
  [{ kind: 'invocation', verb: 'failed', key: 'CLAIM_POST' }, 'tried to make a claim, which failed'],
  [{ kind: 'invocation', verb: 'denied', key: 'CLAIM_POST' }, 'was refused: make a claim'],
  [{ kind: 'invocation', verb: 'success', key: 'MY_ROW' }, 'called MY_ROW'],
  [{ kind: 'system', verb: 'something_new' }, 'something new (system)'],
];

describe('the words for an act', () => {
  it.each(cases)('of %j are “%s”', (act, words) => {
    expect(plainText(wordsOf(act, ants))).toBe(words);
  });

  it('say “the article” where no title is known', () => {
    expect(plainText(wordsOf({ kind: 'article', verb: 'write', made: 3 }))).toBe(
      'wrote the article in 3 blocks',
    );
    expect(plainText(wordsOf({ kind: 'article', verb: 'voxel_edit' }))).toBe('edited a block');
    expect(plainText(wordsOf(actOfDeed({ action: 'something_new', of: [], made: 0 })))).toBe(
      'something new the article',
    );
  });

  it('keep ids and titles apart from the text, so that pages can link them', () => {
    expect(wordsOf({ kind: 'article', verb: 'claim_repair', of: ['c2'] }, ants)).toEqual([
      'reworded ',
      { id: 'c2' },
      ' of ',
      { slug: 'ants', title: 'Ants' },
    ]);
  });

  it('exist for every built-in row', () => {
    expect(builtInRows.map((row) => row.key).filter((key) => !hasWords(key))).toEqual([]);
  });

  it('quote a name that somebody typed', () => {
    expect(typedName('the owner')).toBe('“the owner”');
  });
});
