/** What a call under the share of an assignment leaves out, and what its snapshot fills in (contract §7). */
import { describe, expect, it } from 'vitest';
import { assignedArguments, assignedBody } from '../../../src/domain/capabilities/assigned-arguments.ts';
import type { Binding } from '../../../src/domain/capabilities/binding.ts';
import type { AssignmentRecord } from '../../../src/domain/landscape/tables.ts';
import type { JsonObject } from '../../../src/kernel/json.ts';
import type { Landed } from '../../../src/model/landscape.ts';
import type { Lane } from '../../../src/model/vocabulary.ts';

interface Given {
  readonly lane?: Lane;
  readonly axis?: string | null;
  readonly slot?: string | null;
  readonly url?: string | null;
  readonly repository?: string | null;
  readonly div?: { id: string; hash: string } | null;
  readonly sources?: readonly string[];
  readonly landed?: readonly Landed[];
  readonly contentHash?: string | null;
}

function binding(given: Given = {}): Binding {
  const { lane = 'field', axis = null, slot = null, url = null, repository = null, sources = [] } = given;
  const assignment = {
    id: 'norm_aaaaaaaaaaaaaaaa',
    cohort: 'ponds',
    lane,
    item: {
      n: 1,
      target: { id: 'one', name: 'One', url, repository, rank: null },
      axis,
      slot,
      article: 'ponds-one',
      selection: {
        query: 'Ponds',
        sort: 'depth',
        captured_at: '2026-03-01T12:00:00Z',
        source_url: 'https://example.org/ponds',
      },
    },
    snapshot: { article: { content_hash: given.contentHash ?? null, thread_head: 'head' } },
    footing: {
      div: given.div === undefined ? { id: 'd2', hash: 'two' } : given.div,
      next_source: 's1',
      sources,
    },
  } as unknown as AssignmentRecord;
  return { assignment, article: 'absent', landed: given.landed ?? [], ownerMinted: false };
}

const landed = (kind: Landed['kind'], part: string): Landed => ({
  kind,
  id: `ponds-one/${part}`,
  url: 'https://example.org/',
});
const comparison = {
  population: 'ponds: Ponds',
  captured_at: '2026-03-01T12:00:00Z',
  selection: 'Ponds, sorted by depth, from https://example.org/ponds',
};
const slug = 'ponds-one';

describe('an assigned call of', () => {
  it.each<[string, string, JsonObject, Given, JsonObject]>([
    [
      'SOURCE_POST makes a source of its members',
      'SOURCE_POST',
      { url: 'https://a.example/', title: 'A', quote: 'Deep.', actor: 'ada' },
      {},
      {
        slug,
        actor: 'ada',
        sources: [{ type: 'page', url: 'https://a.example/', title: 'A', quote: 'Deep.' }],
      },
    ],
    [
      'SOURCE_POST calls a page by its address where no title is given',
      'SOURCE_POST',
      { url: 'https://a.example/', quote: 'Deep.', title: '', quality_score: '0.5' },
      {},
      {
        slug,
        sources: [
          {
            type: 'page',
            url: 'https://a.example/',
            title: 'https://a.example/',
            quote: 'Deep.',
            quality_score: 0.5,
          },
        ],
      },
    ],
    [
      "SOURCE_POST takes the target's page where no address is given",
      'SOURCE_POST',
      { quote: 'Deep.', type: 'review' },
      { url: 'https://one.example/' },
      {
        slug,
        sources: [
          { type: 'review', url: 'https://one.example/', title: 'https://one.example/', quote: 'Deep.' },
        ],
      },
    ],
    [
      'SOURCE_POST takes a repository for a page only where it is an address',
      'SOURCE_POST',
      { quote: 'Deep.' },
      { repository: 'one/one' },
      { slug, sources: [{ type: 'page', quote: 'Deep.' }] },
    ],
    [
      'SOURCE_POST leaves a list of sources as it is',
      'SOURCE_POST',
      { sources: [], url: 'https://a.example/' },
      {},
      { slug, sources: [], url: 'https://a.example/' },
    ],
    [
      'CLAIM_POST cites the newest three sources that its work landed',
      'CLAIM_POST',
      { text: 'It is deep.' },
      {
        sources: ['s1'],
        landed: [
          landed('source', 's2'),
          landed('source', 's3'),
          landed('claim', 'c1'),
          landed('source', 's4'),
          landed('source', 's5'),
        ],
      },
      { slug, text: 'It is deep.', source_ids: ['s3', 's4', 's5'] },
    ],
    [
      'CLAIM_POST cites the sources of the snapshot before any landed, and has the slot of its item',
      'CLAIM_POST',
      { text: 'It is deep.' },
      { sources: ['s1', 's2'], slot: 'mechanism' },
      { slug, text: 'It is deep.', source_ids: ['s1', 's2'], slot: 'mechanism' },
    ],
    [
      'CLAIM_POST keeps its own sources and slot',
      'CLAIM_POST',
      { text: 'It is deep.', source_ids: ['s9'], slot: 'limitations' },
      { sources: ['s1'], slot: 'mechanism' },
      { slug, text: 'It is deep.', source_ids: ['s9'], slot: 'limitations' },
    ],
    [
      'CLAIM_POST cites nothing where it says why it has no source',
      'CLAIM_POST',
      { text: 'It is deep.', why_material: 'Boats.' },
      { sources: ['s1'] },
      { slug, text: 'It is deep.', why_material: 'Boats.' },
    ],
    [
      'CLAIM_POST compares on the axis of its item',
      'CLAIM_POST',
      { text: 'It is deep.' },
      { axis: 'depth' },
      { slug, text: 'It is deep.', comparison: { ...comparison, axis: 'depth' } },
    ],
    [
      'CLAIM_POST compares on an axis that it names',
      'CLAIM_POST',
      { text: 'It is deep.', axis: 'Depth in metres' },
      { lane: 'synthesis', axis: 'depth' },
      { slug, text: 'It is deep.', comparison: { ...comparison, axis: 'Depth in metres' } },
    ],
    [
      'CLAIM_POST completes a comparison, and replaces nothing of it',
      'CLAIM_POST',
      { text: 'It is deep.', comparison: { population: 'Lakes', axis: 'width' } },
      { axis: 'depth' },
      { slug, text: 'It is deep.', comparison: { ...comparison, population: 'Lakes', axis: 'width' } },
    ],
    [
      'CLAIM_POST is no comparison without an axis',
      'CLAIM_POST',
      { text: 'It is deep.' },
      { lane: 'synthesis' },
      { slug, text: 'It is deep.' },
    ],
    [
      'VOXEL_BATCH makes a document of its text',
      'VOXEL_BATCH',
      { markdown: 'Deep.', actor: 'ada' },
      { lane: 'build' },
      { actor: 'ada', document: { slug, markdown: 'Deep.' } },
    ],
    [
      'VOXEL_BATCH names the article of a document, and leaves the rest of it to the gates',
      'VOXEL_BATCH',
      { document: { markdown: 'Deep.', title: 'Pond' } },
      { lane: 'build' },
      { document: { slug, markdown: 'Deep.', title: 'Pond' } },
    ],
    [
      'VOXEL_BATCH keeps the slug of a document',
      'VOXEL_BATCH',
      { document: { slug: 'lakes', markdown: 'Deep.' } },
      { lane: 'build' },
      { document: { slug: 'lakes', markdown: 'Deep.' } },
    ],
    [
      'VOXEL_CHALLENGE is about the block, the thread and the text of the snapshot',
      'VOXEL_CHALLENGE',
      { body: 'No source.' },
      { lane: 'opposition' },
      {
        slug,
        stance: 'challenge',
        target_div: 'd2',
        expected_hash: 'two',
        expected_thread_head: 'head',
        body: 'No source.',
      },
    ],
    [
      'VOXEL_CHALLENGE of another block needs its hash',
      'VOXEL_CHALLENGE',
      { target_div: 'd3', stance: 'support' },
      { lane: 'opposition' },
      { slug, stance: 'support', target_div: 'd3', expected_thread_head: 'head' },
    ],
    [
      'VOXEL_VOTE is about the block of the snapshot',
      'VOXEL_VOTE',
      { rationale: 'It says little.' },
      { lane: 'opposition' },
      { slug, target: 'd2', rationale: 'It says little.' },
    ],
    [
      'VOXEL_VOTE is about the article where it has no block',
      'VOXEL_VOTE',
      {},
      { lane: 'opposition', div: null },
      { slug, target: slug },
    ],
    [
      'VOXEL_ATTEST is about the text of the snapshot',
      'VOXEL_ATTEST',
      { outcome: 'novel_objection' },
      { lane: 'opposition', contentHash: 'all' },
      { slug, outcome: 'novel_objection', content_hash: 'all' },
    ],
    [
      'VOXEL_ATTEST has no hash where there was no article',
      'VOXEL_ATTEST',
      {},
      { lane: 'opposition' },
      { slug },
    ],
    [
      'MIRROR_APPEND is the kind that completes its lane, for the article as a whole',
      'MIRROR_APPEND',
      { body: 'Deep?' },
      { lane: 'synthesis' },
      { slug, claim_id: '', kind: 'audit', body: 'Deep?' },
    ],
    [
      'MIRROR_APPEND keeps its kind and claim',
      'MIRROR_APPEND',
      { body: 'Deep?', kind: 'question', claim_id: 'c2' },
      { lane: 'opposition' },
      { slug, claim_id: 'c2', kind: 'question', body: 'Deep?' },
    ],
    [
      'ARTICLE_INSPECT names the article',
      'ARTICLE_INSPECT',
      { part: 'claims' },
      {},
      { slug, part: 'claims' },
    ],
    [
      'LANDSCAPE_RETURN gives its own assignment back',
      'LANDSCAPE_RETURN',
      {},
      {},
      { assignment: 'norm_aaaaaaaaaaaaaaaa' },
    ],
    [
      'LANDSCAPE_RETURN keeps the assignment that it names',
      'LANDSCAPE_RETURN',
      { assignment: 'norm_bbbbbbbbbbbbbbbb' },
      {},
      { assignment: 'norm_bbbbbbbbbbbbbbbb' },
    ],
    [
      'any row about another article stays as it is',
      'CLAIM_POST',
      { slug: 'lakes', text: 'It is deep.', axis: 'depth' },
      { axis: 'depth', sources: ['s1'] },
      { slug: 'lakes', text: 'It is deep.', axis: 'depth' },
    ],
    ['a row that its lane has not stays as it is', 'ARTICLE_META', { title: 'Pond' }, {}, { title: 'Pond' }],
    ['VOXEL_ATTEST stays as it is outside opposition', 'VOXEL_ATTEST', {}, { lane: 'field' }, {}],
  ])('%s', (_, key, given, bound, completed) => {
    expect(assignedArguments(key, given, binding(bound))).toEqual(completed);
  });
});

describe('the body of an assigned call', () => {
  const share = { kind: 'share', fingerprint: 'cap_0', chain: [], binding: binding() } as const;

  it.each<[string, string, Parameters<typeof assignedBody>[2], string]>([
    ['is completed for a JSON object', '{"part":"claims"}', share, '{"part":"claims","slug":"ponds-one"}'],
    ['is completed where there is none', '', share, '{"slug":"ponds-one"}'],
    ['stays as it is where it is positional', 'lakes|claims', share, 'lakes|claims'],
    ['stays as it is where it is broken JSON', '{"part"', share, '{"part"'],
    ['stays as it is for the owner', '{}', { kind: 'owner' }, '{}'],
    ['stays as it is without a credential', '{}', { kind: 'anonymous' }, '{}'],
    ['stays as it is for a share of no lease', '{}', { ...share, binding: undefined }, '{}'],
  ])('%s', (_, body, credential, completed) => {
    expect(assignedBody('ARTICLE_INSPECT', body, credential)).toBe(completed);
  });
});
