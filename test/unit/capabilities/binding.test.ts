/** What the share of a lease is bound to (contract §7): the state of its target, the draft it reaches, its verbs. */
import { describe, expect, it } from 'vitest';
import {
  bindingOf,
  outsideBinding,
  reachesDraft,
  type Binding,
  type TargetState,
} from '../../../src/domain/capabilities/binding.ts';
import type { CapabilityRecord } from '../../../src/domain/capabilities/tables.ts';
import type { AssignmentRow } from '../../../src/domain/landscape/tables.ts';
import { isFault } from '../../../src/kernel/fault.ts';
import type { Lane } from '../../../src/model/vocabulary.ts';

const binding = (
  article: TargetState,
  { lane = 'build', ownerMinted = false }: { lane?: Lane; ownerMinted?: boolean } = {},
): Binding =>
  ({ assignment: { id: 'norm_a', lane, item: { article: 'ponds' } }, article, ownerMinted }) as Binding;

describe('the share of a lease', () => {
  it.each<[string, TargetState, string, boolean]>([
    ['reaches the draft of its target that this work began', 'begun', 'ponds', true],
    ['reaches no other draft', 'begun', 'rivers', false],
    ['reaches no draft whose slug begins with that of its target', 'begun', 'ponds-two', false],
    ["reaches no other author's draft of its target", 'hidden', 'ponds', false],
    ['reaches no draft where its target has none', 'absent', 'ponds', false],
    ['reaches no draft where its target is published', 'public', 'ponds', false],
  ])('%s', (_, article, slug, reached) => {
    expect(reachesDraft(binding(article), slug)).toBe(reached);
  });

  const row = (fingerprint: string): AssignmentRow =>
    ({
      id: 'norm_a',
      record: { id: 'norm_a', capability_fingerprint: fingerprint },
    }) as unknown as AssignmentRow;
  const root = (more: object = { assignment: 'norm_a' }): CapabilityRecord =>
    ({ fingerprint: 'cap_0', origin: 'owner', purpose: '', ...more }) as CapabilityRecord;
  const bound = (...given: Parameters<typeof bindingOf>): string => {
    const result = bindingOf(...given);
    if (result === undefined) return 'unbound';
    return isFault(result) ? result.fault : result.article;
  };
  const draft = { aid: 'art_a', status: 'draft' };

  it.each<[string, Parameters<typeof bindingOf>, string]>([
    ['finds no article of its target', [root(), row('cap_0'), undefined, undefined], 'absent'],
    ['finds the draft that its work began', [root(), row('cap_0'), draft, 'art_a'], 'begun'],
    ['finds a draft hidden that other work began', [root(), row('cap_0'), draft, 'art_b'], 'hidden'],
    ['finds a draft hidden that no work began', [root(), row('cap_0'), draft, undefined], 'hidden'],
    [
      'finds a published article',
      [root(), row('cap_0'), { aid: 'art_a', status: 'published' }, 'art_a'],
      'public',
    ],
    ['is good for nothing without its assignment', [root(), undefined, draft, 'art_a'], 'token_revoked'],
    [
      'is good for nothing where its assignment names another share',
      [root(), row('cap_1'), draft, 'art_a'],
      'token_revoked',
    ],
    [
      'is not bound by a purpose that its minter typed',
      [root({ purpose: 'assignment norm_aaaaaaaaaaaaaaaa' }), row('cap_1'), draft, 'art_a'],
      'unbound',
    ],
  ])('%s', (_, given, expected) => {
    expect(bound(...given)).toBe(expected);
  });

  const blocks = { slug: 'ponds', markdown: 'One.' };
  it.each<[string, Binding, string, object | undefined, 'allowed' | 'scope_denied']>([
    ['files claims on a draft', binding('begun', { lane: 'field' }), 'CLAIM_POST', undefined, 'allowed'],
    ['edits no DIV', binding('begun'), 'VOXEL_EDIT', undefined, 'scope_denied'],
    ['attests in opposition', binding('begun', { lane: 'opposition' }), 'VOXEL_ATTEST', undefined, 'allowed'],
    [
      'attests in no other lane',
      binding('begun', { lane: 'synthesis' }),
      'VOXEL_ATTEST',
      undefined,
      'scope_denied',
    ],
    ['votes on a published article', binding('public'), 'VOXEL_VOTE', undefined, 'allowed'],
    ['files no claim on a published article', binding('public'), 'CLAIM_POST', undefined, 'scope_denied'],
    [
      'files claims on a published article for the owner',
      binding('public', { ownerMinted: true }),
      'CLAIM_POST',
      undefined,
      'allowed',
    ],
    ['appends blocks to a draft in build', binding('begun'), 'VOXEL_BATCH', blocks, 'allowed'],
    [
      'appends no blocks in another lane',
      binding('begun', { lane: 'field' }),
      'VOXEL_BATCH',
      blocks,
      'scope_denied',
    ],
    ['appends no blocks to a published article', binding('public'), 'VOXEL_BATCH', blocks, 'scope_denied'],
    [
      'appends no blocks to a published article for the owner',
      binding('public', { ownerMinted: true }),
      'VOXEL_BATCH',
      blocks,
      'scope_denied',
    ],
    ['sets no metadata', binding('begun'), 'VOXEL_BATCH', { ...blocks, title: 'Ponds' }, 'scope_denied'],
  ])('%s', (_, given, key, document, expected) => {
    expect(outsideBinding(given, key, document as never)?.fault ?? 'allowed').toBe(expected);
  });
});
