/**
 * Every decision on an article and its discourse as a table: what is asked of one state, and the code of the refusal, or
 * the chain and action of the first entry that is appended. Arguments that only a row's schema judges are not repeated here.
 */
import { describe, expect, it } from 'vitest';
import { repairClaim, retractClaim } from '../../../src/domain/articles/amend-claim.ts';
import { appendSources } from '../../../src/domain/articles/append-sources.ts';
import { burnDivs } from '../../../src/domain/articles/burn-divs.ts';
import { consolidateDivs } from '../../../src/domain/articles/consolidate-divs.ts';
import { editDiv } from '../../../src/domain/articles/edit-div.ts';
import { editMeta } from '../../../src/domain/articles/edit-meta.ts';
import { moveDiv } from '../../../src/domain/articles/move-div.ts';
import { postClaim } from '../../../src/domain/articles/post-claim.ts';
import { sameSource } from '../../../src/domain/articles/same-source.ts';
import { splitDiv } from '../../../src/domain/articles/split-div.ts';
import type { ArticleState } from '../../../src/domain/articles/state.ts';
import type { Context, Outcome } from '../../../src/domain/context.ts';
import { challenge } from '../../../src/domain/discourse/challenge.ts';
import { attest, object, review } from '../../../src/domain/discourse/say.ts';
import type { ThreadState } from '../../../src/domain/discourse/thread.ts';
import { sha256Hex } from '../../../src/kernel/hash.ts';
import { isFault, type Fault } from '../../../src/kernel/fault.ts';
import { sizeLimits } from '../../../src/kernel/size-limits.ts';

const now = '2026-01-02T03:04:05.000Z';
const context: Context = {
  now,
  limits: sizeLimits,
  actor: 'owner',
  actorName: null,
  model: null,
  channel: 'test',
  base: 'https://c.test',
  tenant: 'main',
  workspace: 'main',
  inv: 'inv_aaaaaaaaaaaaaaaa',
  id: (prefix) => `${prefix}aaaaaaaaaaaaaaaa`,
};

const head = { n: 0, hash: 'a'.repeat(64), ts: '2026-01-01T00:00:00.000Z' };
const stale = '0'.repeat(64);
const texts = ['First. One.', 'Second.', 'Third.', 'Burned.'];
const hashes = texts.map((text) => sha256Hex(text));
const wording = 'A sundial shows the hour.';
const source = {
  type: 'review',
  url: 'https://example.org/dial',
  title: 'Dials',
  quote: 'It shows the hour.',
  summary: 'Dials.',
};

const article = {
  row: {
    aid: 'art_a',
    tenant: 'main',
    slug: 'dials',
    title: 'Dials',
    status: 'published',
    version: 3,
    published_rev: 1,
    lead: '',
    meta: { tags: [], category: null, extra: {}, traversal: null, images: [] },
    energy: {},
    heads: { provenance: head, sources: head },
    divs_made: 4,
    claims_made: 2,
    sources_made: 1,
  },
  divs: new Map(
    texts.map((text, i) => [
      `d${i + 1}`,
      {
        aid: 'art_a',
        div_id: `d${i + 1}`,
        pos: i + 1,
        kind: 'paragraph',
        level: 0,
        title: '',
        text,
        sep: i === 2 ? '\n' : '\n\n',
        status: i === 3 ? 'burned' : 'current',
        vx_hash: hashes[i],
        head,
      },
    ]),
  ),
  claims: new Map(
    (['active', 'retracted'] as const).map((status, i) => [
      `c${i + 1}`,
      {
        aid: 'art_a',
        claim_id: `c${i + 1}`,
        n: i + 1,
        plain: `plain ${i}`,
        claim: {
          id: `c${i + 1}`,
          text: wording,
          tier: 'system',
          weight: 0.3,
          source_ids: ['s1'],
          source_status: 'sourced',
          who_claims: 'A test',
          status,
          version: 1,
          hash: sha256Hex(wording),
          section: null,
          slot: null,
          extra: {},
        },
      },
    ]),
  ),
  sources: new Map([
    [
      's1',
      {
        aid: 'art_a',
        source_id: 's1',
        n: 1,
        same_as: sameSource(source.url, source.quote),
        source: { id: 's1', ...source },
        prev: 'genesis',
        hash: 'b'.repeat(64),
        seq: 1,
      },
    ],
  ]),
} as unknown as ArticleState;

const thread: ThreadState = { head: null, votesHead: null, posts: new Map(), votes: new Map() };
const body = 'First. One.\n\nSecond.\n\nThird.\n';
const alike = () => ({ duplicate: false, similarity: 0, differs: [] });

function told(outcome: Outcome<ArticleState> | Fault): string {
  if (isFault(outcome)) return outcome.fault;
  const [{ draft } = { draft: undefined }] = outcome.events;
  return `${draft?.chain.replace('art_a.', '')} ${String(draft?.action)}`;
}

type Row = readonly [asked: string, decided: () => Outcome<ArticleState> | Fault, outcome: string];

const edit = (div_id: string, expected_hash = stale, text = 'New.') =>
  editDiv(article, { div_id, expected_hash, text }, context);
const move = (div_id: string, expected_order: number, place: object) =>
  moveDiv(article, { div_id, expected_order, ...place }, context);
const merge = (div_ids: string[], expected_hashes: string[]) =>
  consolidateDivs(article, { div_ids, expected_hashes }, context);
const burn = (given: object) => burnDivs(article, { reason: 'Wrong.', ...given }, context);
const repair = (claim_id: string, expected_hash: string, text = 'A sundial shows the time.') =>
  repairClaim(article, { claim_id, expected_hash, text, rationale: 'Exact.' }, context);
const meta = (given: object) => editMeta(article, { expected_version: 3, ...given }, context);
const post = (given: object) =>
  postClaim(
    article,
    {
      text: 'A gnomon casts a shadow.',
      tier: 'system',
      who_claims: 'A test',
      source_ids: ['s1'],
      ...given,
    },
    context,
  );
const oppose = (given: object) =>
  challenge(
    article,
    thread,
    {
      expected_thread_head: 'genesis',
      target_div: 'd1',
      expected_hash: hashes[0] as string,
      stance: 'challenge',
      body: 'No source.',
      actor: 'ada',
      ...given,
    } as never,
    alike,
    context,
  );

const tables: Readonly<Record<string, readonly Row[]>> = {
  'editing a DIV': [
    ['with the hash that it has', () => edit('d2', hashes[1]), 'provenance voxel_edit'],
    ['with an older hash', () => edit('d2'), 'hash_stale'],
    ['that is burned', () => edit('d4', hashes[3]), 'conflict'],
    ['that is not there', () => edit('d9'), 'not_found'],
    ['to nothing', () => edit('d2', hashes[1], ' '), 'body_mismatch'],
  ],
  'moving a DIV': [
    ['from where it stands', () => move('d1', 1, { direction: 'down' }), 'provenance voxel_move'],
    ['from where it stood', () => move('d1', 2, { direction: 'down' }), 'order_stale'],
    ['beyond the end', () => move('d3', 3, { direction: 'down' }), 'order_stale'],
    ['that is burned', () => move('d4', 4, { direction: 'up' }), 'conflict'],
    ['without a place', () => move('d1', 1, {}), 'body_mismatch'],
  ],
  'splitting a DIV': [
    [
      'with the hash that it has',
      () => splitDiv(article, { div_id: 'd1', expected_hash: hashes[0] as string, at: 'One.' }, context),
      'provenance voxel_split',
    ],
    [
      'with an older hash',
      () => splitDiv(article, { div_id: 'd1', expected_hash: stale, at: 'One.' }, context),
      'hash_stale',
    ],
    [
      'at words that it does not hold',
      () => splitDiv(article, { div_id: 'd1', expected_hash: hashes[0] as string, at: 'Two.' }, context),
      'content_rule',
    ],
  ],
  'consolidating DIVs': [
    [
      'with the hashes that they have',
      () => merge(['d1', 'd2'], [hashes[0] as string, hashes[1] as string]),
      'provenance voxel_consolidate',
    ],
    ['one with an older hash', () => merge(['d1', 'd2'], [hashes[0] as string, stale]), 'hash_stale'],
    [
      'one of them twice',
      () => merge(['d1', 'd1'], [hashes[0] as string, hashes[0] as string]),
      'body_mismatch',
    ],
    ['with a hash too few', () => merge(['d1', 'd2'], [hashes[0] as string]), 'body_mismatch'],
    ['one that is burned', () => merge(['d1', 'd4'], [hashes[0] as string, hashes[3] as string]), 'conflict'],
  ],
  'burning DIVs': [
    ['by id', () => burn({ ids: ['d1'] }), 'provenance voxel_burn'],
    [
      'with the hash that it has',
      () => burn({ ids: ['d1'], expected_hashes: [hashes[0]] }),
      'provenance voxel_burn',
    ],
    ['with an older hash', () => burn({ ids: ['d1'], expected_hashes: [stale] }), 'hash_stale'],
    ['that are burned', () => burn({ ids: ['d4'] }), 'conflict'],
    ['that are not there', () => burn({ ids: ['d9'] }), 'not_found'],
    ['all of them', () => burn({ ids: ['d1', 'd2', 'd3'] }), 'provenance voxel_burn'],
    ['neither by id nor by age', () => burn({}), 'body_mismatch'],
  ],
  'repairing a claim': [
    ['with the hash that it has', () => repair('c1', sha256Hex(wording)), 'provenance claim_repair'],
    ['with an older hash', () => repair('c1', stale), 'hash_stale'],
    ['that is retracted', () => repair('c2', sha256Hex(wording)), 'conflict'],
    ['that is not there', () => repair('c9', stale), 'not_found'],
    ['to the same text', () => repair('c1', sha256Hex(wording), wording), 'conflict'],
  ],
  'retracting a claim': [
    [
      'that is active',
      () => retractClaim(article, { claim_id: 'c1', reason: 'Wrong.' }, context),
      'provenance claim_retract',
    ],
    ['twice', () => retractClaim(article, { claim_id: 'c2', reason: 'Wrong.' }, context), 'conflict'],
    [
      'that is not there',
      () => retractClaim(article, { claim_id: 'c9', reason: 'Wrong.' }, context),
      'not_found',
    ],
    [
      'without a reason',
      () => retractClaim(article, { claim_id: 'c1', reason: ' ' }, context),
      'body_mismatch',
    ],
  ],
  'posting a claim': [
    ['with a source', () => post({}), 'provenance claim'],
    ['with a source that is not there', () => post({ source_ids: ['s9'] }), 'content_rule'],
    ['without a source and without saying why it matters', () => post({ source_ids: [] }), 'content_rule'],
  ],
  'appending sources': [
    [
      'a new one',
      () => appendSources(article, [{ ...source, quote: 'A gnomon.' }] as never, context),
      'provenance source',
    ],
    ['one that is there', () => appendSources(article, [source] as never, context), 'duplicate_source'],
    [
      'one at an address with a password',
      () => appendSources(article, [{ ...source, url: 'https://a:b@example.org/' }] as never, context),
      'content_rule',
    ],
  ],
  'writing metadata': [
    ['of the version that was read', () => meta({ tags: ['one'] }), 'provenance meta'],
    ['of an older version', () => meta({ expected_version: 2, tags: ['one'] }), 'conflict'],
    ['that make a draft of what was public', () => meta({ status: 'draft' }), 'conflict'],
    ['that archive it', () => meta({ status: 'archived' }), 'provenance meta'],
    ['that change nothing', () => meta({}), 'body_mismatch'],
  ],
  'challenging a DIV': [
    ['as it stands', () => oppose({}), 'thread challenge'],
    ['of an older wording', () => oppose({ expected_hash: stale }), 'hash_stale'],
    ['after the thread has moved on', () => oppose({ expected_thread_head: stale }), 'thread_moved'],
    ['that is not there', () => oppose({ target_div: 'd9' }), 'not_found'],
    ['without a word', () => oppose({ body: ' ' }), 'body_mismatch'],
  ],
  'saying something about an article': [
    [
      'an attestation of its text',
      () =>
        attest(
          article,
          thread,
          { outcome: 'nothing_to_add', content_hash: sha256Hex(body), actor: 'ada' } as never,
          context,
        ),
      'thread attestation',
    ],
    [
      'an attestation of another text',
      () =>
        attest(
          article,
          thread,
          { outcome: 'nothing_to_add', content_hash: stale, actor: 'ada' } as never,
          context,
        ),
      'hash_stale',
    ],
    [
      'an objection',
      () => object(article, thread, { objection: 'It is short.', actor: 'ada' }, context),
      'thread objection',
    ],
    [
      'an empty objection',
      () => object(article, thread, { objection: ' ', actor: 'ada' }, context),
      'body_mismatch',
    ],
    [
      'a review',
      () => review(article, thread, { verdict: 'sound', body: 'It holds.', actor: 'ada' } as never, context),
      'thread review',
    ],
  ],
};

describe.each(Object.entries(tables))('%s', (_decision, rows) => {
  it.each(rows)('%s', (_asked, decided, outcome) => {
    expect(told(decided())).toBe(outcome);
  });
});
