/** Which credentials write to an article, once the gates let a call through: a draft is its workspace's own. */
import { describe, expect, it } from 'vitest';
import { isPublic, mayWrite } from '../../../src/app/plans/on-article.ts';
import type { ArticleState } from '../../../src/domain/articles/state.ts';
import type { Credential } from '../../../src/domain/capabilities/credential.ts';
import { article } from '../articles/sundial.ts';
import { draftBinding, shareOf } from '../capabilities/shares.ts';

const withStatus = (status: 'draft' | 'published' | 'archived'): ArticleState => ({
  ...article,
  row: { ...article.row, slug: 'ponds', status },
});

describe('a draft', () => {
  it.each<[string, Credential, boolean]>([
    ['is written by the owner', { kind: 'owner' }, true],
    ['is not written by anonymous callers', { kind: 'anonymous' }, false],
    ['is written by a share that the owner minted', shareOf({}), true],
    ['is written by a share cut from one that the owner minted', shareOf({}, {}), true],
    ['is not written by a share that its holder cut', shareOf({ origin: 'self' }), false],
    ['is not written by a share cut from one that its holder cut', shareOf({}, { origin: 'self' }), false],
    ['is written by the lease that began it', draftBinding('main', 'begun', 'ponds'), true],
    ['is not written by a lease of another article', draftBinding('main', 'begun', 'rivers'), false],
    ['is not written by a lease that did not begin it', draftBinding('main', 'hidden', 'ponds'), false],
  ])('%s', (_, credential, expected) => {
    expect(mayWrite(withStatus('draft'), credential)).toBe(expected);
  });

  it('has no public thread', () => {
    expect(isPublic(withStatus('draft'), { kind: 'owner' })).toBe(false);
  });
});

it('leaves a published article to the gates', () => {
  for (const credential of [{ kind: 'anonymous' } as const, shareOf({ origin: 'self' })])
    expect(mayWrite(withStatus('published'), credential)).toBe(true);
  expect(isPublic(withStatus('published'), { kind: 'anonymous' })).toBe(true);
});
