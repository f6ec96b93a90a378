/**
 * Every decision on an article and its discourse as a table: what is asked of one state, and the code of the refusal, or
 * the chain and action of every entry that is appended. Arguments that only a row's schema judges are not repeated here.
 */
import { describe, expect, it } from 'vitest';
import { repairClaim, retractClaim } from '../../../src/domain/articles/amend-claim.ts';
import { appendSources } from '../../../src/domain/articles/append-sources.ts';
import { burnDivs } from '../../../src/domain/articles/burn-divs.ts';
import { consolidateDivs } from '../../../src/domain/articles/consolidate-divs.ts';
import { editDiv } from '../../../src/domain/articles/edit-div.ts';
import { editMeta } from '../../../src/domain/articles/edit-meta.ts';
import { moveDiv } from '../../../src/domain/articles/move-div.ts';
import { rewriteArticle } from '../../../src/domain/articles/rewrite-article.ts';
import { postClaim } from '../../../src/domain/articles/post-claim.ts';
import { splitDiv } from '../../../src/domain/articles/split-div.ts';
import type { ArticleState } from '../../../src/domain/articles/state.ts';
import type { Outcome } from '../../../src/domain/context.ts';
import { revertArticle } from '../../../src/domain/revisions/revert-article.ts';
import { challenge } from '../../../src/domain/discourse/challenge.ts';
import { attest, object, review } from '../../../src/domain/discourse/say.ts';
import type { ThreadState } from '../../../src/domain/discourse/thread.ts';
import { sha256Hex } from '../../../src/kernel/hash.ts';
import type { Fault } from '../../../src/kernel/fault.ts';
import { article, context, hashes, source, stale, summarize, wording } from './sundial.ts';

const thread: ThreadState = { head: null, votesHead: null, posts: new Map(), votes: new Map() };
const body = 'First. One.\n\nSecond.\n\nThird.\n';
const alike = () => ({ duplicate: false, similarity: 0, differs: [] });

const rewrite = (blocks: readonly object[], given: object = {}) =>
  rewriteArticle(article, { expected_version: 3, blocks, note: 'Short.', ...given } as never, context);
const revert = (given: object) =>
  revertArticle(article, [], { rev: 1, expected_version: 3, note: 'Better.', ...given }, context);
const [first, second, third] = ['First. One.', 'Second.', 'Third.'].map((text, i) => ({
  div_id: `d${i + 1}`,
  text,
})) as [object, object, object];
const objectTo = (target: string) =>
  object(article, thread, { objection: 'It is short.', actor: 'ada', target }, context);

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
    ['with its current hash', () => edit('d2', hashes[1]), 'provenance voxel_edit, d2 edit'],
    ['with an outdated hash', () => edit('d2'), 'hash_stale'],
    ['that is burned', () => edit('d4', hashes[3]), 'conflict'],
    ['that is absent', () => edit('d9'), 'not_found'],
    ['to an empty text', () => edit('d2', hashes[1], ' '), 'body_mismatch'],
  ],
  'moving a DIV': [
    [
      'from its current position',
      () => move('d1', 1, { direction: 'down' }),
      'provenance voxel_move, d1 move',
    ],
    ['from an outdated position', () => move('d1', 2, { direction: 'down' }), 'order_stale'],
    ['beyond the end', () => move('d3', 3, { direction: 'down' }), 'order_stale'],
    ['that is burned', () => move('d4', 4, { direction: 'up' }), 'conflict'],
    ['without a target position', () => move('d1', 1, {}), 'body_mismatch'],
  ],
  'splitting a DIV': [
    [
      'with its current hash',
      () => splitDiv(article, { div_id: 'd1', expected_hash: hashes[0] as string, at: 'One.' }, context),
      'provenance voxel_split, d1 edit, d5 divide',
    ],
    [
      'with an outdated hash',
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
      'provenance voxel_consolidate, d1 consolidate, d2 absorb',
    ],
    ['one with an outdated hash', () => merge(['d1', 'd2'], [hashes[0] as string, stale]), 'hash_stale'],
    [
      'one of them twice',
      () => merge(['d1', 'd1'], [hashes[0] as string, hashes[0] as string]),
      'body_mismatch',
    ],
    ['with a missing hash', () => merge(['d1', 'd2'], [hashes[0] as string]), 'body_mismatch'],
    ['one that is burned', () => merge(['d1', 'd4'], [hashes[0] as string, hashes[3] as string]), 'conflict'],
  ],
  'burning DIVs': [
    ['by id', () => burn({ ids: ['d1'] }), 'provenance voxel_burn, d1 burn'],
    [
      'with its current hash',
      () => burn({ ids: ['d1'], expected_hashes: [hashes[0]] }),
      'provenance voxel_burn, d1 burn',
    ],
    ['with an outdated hash', () => burn({ ids: ['d1'], expected_hashes: [stale] }), 'hash_stale'],
    ['that are burned', () => burn({ ids: ['d4'] }), 'conflict'],
    ['that are absent', () => burn({ ids: ['d9'] }), 'not_found'],
    [
      'all of them',
      () => burn({ ids: ['d1', 'd2', 'd3'] }),
      'provenance voxel_burn, d1 burn, d2 burn, d3 burn',
    ],
    ['neither by id nor by age', () => burn({}), 'body_mismatch'],
  ],
  'rewriting an article': [
    ['to the same blocks', () => rewrite([first, second, third]), ''],
    [
      'to the same texts without ids',
      () => rewrite([{ text: 'First. One.' }, { text: 'Second.' }, { text: 'Third.' }]),
      '',
    ],
    [
      'with an edited block',
      () => rewrite([first, { div_id: 'd2', expected_hash: hashes[1], text: 'New.' }, third]),
      'provenance rewrite, d2 edit',
    ],
    ['in another order', () => rewrite([third, first, second]), 'provenance rewrite, d3 move'],
    ['without a block', () => rewrite([first, third]), 'provenance rewrite, d2 burn'],
    [
      'with a new block',
      () => rewrite([first, { text: 'New.' }, second, third]),
      'provenance rewrite, d5 divide',
    ],
    [
      'to another text',
      () => rewrite([{ text: 'New.' }]),
      'provenance rewrite, d5 divide, d1 burn, d2 burn, d3 burn',
    ],
    [
      'with an edited block in another place',
      () => rewrite([second, third, { div_id: 'd1', text: 'New.' }]),
      'provenance rewrite, d1 edit',
    ],
    ['of an older version', () => rewrite([first], { expected_version: 2 }), 'conflict'],
    [
      'with an outdated hash of an edited block',
      () => rewrite([{ div_id: 'd2', expected_hash: stale, text: 'New.' }]),
      'hash_stale',
    ],
    [
      'with an outdated hash of a block that stays',
      () => rewrite([{ div_id: 'd2', expected_hash: stale, text: 'Second.' }]),
      'hash_stale',
    ],
    ['with a burned DIV', () => rewrite([{ div_id: 'd4', text: 'Burned.' }]), 'conflict'],
    ['with an absent DIV', () => rewrite([{ div_id: 'd9', text: 'New.' }]), 'not_found'],
    ['with one DIV twice', () => rewrite([first, first]), 'body_mismatch'],
    ['with an empty block', () => rewrite([{ text: ' ' }]), 'body_mismatch'],
    ['without a note', () => rewrite([first], { note: ' ' }), 'body_mismatch'],
    ['with a block that runs into the next', () => rewrite([{ text: '```' }, second]), 'boundary_moved'],
  ],
  'going back to a revision': [
    ['of an older version', () => revert({ expected_version: 2 }), 'conflict'],
    ['that is absent', () => revert({ rev: 4 }), 'not_found'],
    ['that the history does not have', () => revert({}), 'not_found'],
    ['without a note', () => revert({ note: ' ' }), 'body_mismatch'],
  ],
  'repairing a claim': [
    ['with its current hash', () => repair('c1', sha256Hex(wording)), 'provenance claim_repair'],
    ['with an outdated hash', () => repair('c1', stale), 'hash_stale'],
    ['that is retracted', () => repair('c2', sha256Hex(wording)), 'conflict'],
    ['that is absent', () => repair('c9', stale), 'not_found'],
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
      'that is absent',
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
    ['with an absent source', () => post({ source_ids: ['s9'] }), 'content_rule'],
    ['without a source and without a reason', () => post({ source_ids: [] }), 'content_rule'],
  ],
  'appending sources': [
    [
      'a new one',
      () => appendSources(article, [{ ...source, quote: 'A gnomon.' }] as never, context),
      'provenance source, sources append',
    ],
    [
      'one that is already present',
      () => appendSources(article, [source] as never, context),
      'duplicate_source',
    ],
    [
      'one at an address with a password',
      () => appendSources(article, [{ ...source, url: 'https://a:b@example.org/' }] as never, context),
      'content_rule',
    ],
  ],
  'writing metadata': [
    ['of the current version', () => meta({ tags: ['one'] }), 'provenance meta'],
    ['of an older version', () => meta({ expected_version: 2, tags: ['one'] }), 'conflict'],
    ['that turn a published article into a draft', () => meta({ status: 'draft' }), 'conflict'],
    ['that archive it', () => meta({ status: 'archived' }), 'provenance meta'],
    ['that change nothing', () => meta({}), 'body_mismatch'],
  ],
  'challenging a DIV': [
    ['with its current hash', () => oppose({}), 'thread challenge'],
    ['with an outdated hash', () => oppose({ expected_hash: stale }), 'hash_stale'],
    ['with an outdated thread head', () => oppose({ expected_thread_head: stale }), 'thread_moved'],
    ['that is absent', () => oppose({ target_div: 'd9' }), 'not_found'],
    ['without a body', () => oppose({ body: ' ' }), 'body_mismatch'],
  ],
  'posting a message about an article': [
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
      () => object(article, thread, { objection: 'It is short.', actor: 'ada', target: '' }, context),
      'thread objection',
    ],
    ['an objection to a DIV', () => objectTo('d1'), 'thread objection'],
    ['an objection to a claim', () => objectTo('c1'), 'thread objection'],
    ['an objection to a burned DIV', () => objectTo('d4'), 'conflict'],
    ['an objection to a retracted claim', () => objectTo('c2'), 'conflict'],
    ['an objection to an absent DIV', () => objectTo('d9'), 'not_found'],
    ['an objection to an absent claim', () => objectTo('c9'), 'not_found'],
    [
      'an empty objection',
      () => object(article, thread, { objection: ' ', actor: 'ada', target: '' }, context),
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
    expect(summarize(decided())).toBe(outcome);
  });
});
