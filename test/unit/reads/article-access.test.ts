/** Who sees the drafts of a workspace: its own credentials, within what they are bound to (contract §2). */
import { expect, it } from 'vitest';
import { maySeeDraft } from '../../../src/app/reads/article-access.ts';
import { draftBinding, shareOf } from '../capabilities/shares.ts';
import type { Credential } from '../../../src/domain/capabilities/credential.ts';

it.each<[string, Credential, boolean]>([
  ['opens to the owner', { kind: 'owner' }, true],
  ['stays closed to anonymous callers', { kind: 'anonymous' }, false],
  ['opens to a share of its workspace', shareOf({}), true],
  ['stays closed to a share of another workspace', shareOf({ tenant: 'survey' }), false],
  ['stays closed to a share cut from one of another workspace', shareOf({}, { tenant: 'survey' }), false],
  ['opens to a share of this article', shareOf({ article: 'ponds' }), true],
  ['stays closed to a share of another article', shareOf({ article: 'rivers' }), false],
  ['stays closed to a share cut from one of another article', shareOf({}, { article: 'rivers' }), false],
  ['stays closed to a share that its holder cut', shareOf({ origin: 'self' }), false],
  ['stays closed to a share cut from one that its holder cut', shareOf({}, { origin: 'self' }), false],
  ['opens to the share of the lease that began it', draftBinding('main', 'begun', 'ponds'), true],
  ['stays closed to a lease in another workspace', draftBinding('survey', 'begun', 'ponds'), false],
  ['stays closed to a lease of another article', draftBinding('main', 'begun', 'rivers'), false],
  ['stays closed to a lease that did not begin it', draftBinding('main', 'hidden', 'ponds'), false],
])('a draft %s', (_, viewer, seen) => {
  expect(maySeeDraft(viewer, 'main', 'ponds')).toBe(seen);
});
