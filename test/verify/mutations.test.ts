/**
 * No member of a bundle, an article document, a receipt or a confirmation can be changed without the standalone
 * verifier refusing the document or naming the member as one that no entry commits to (contract §6). Which members
 * those are stands here word by word.
 */
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDeployment, type TestDeployment } from '../support/deployment.ts';
import { verifyBundle, verifyReceipt, type Json, type Report } from '../../verify/index.ts';
import { accepted } from './mutations.ts';

let deployment: TestDeployment;
let app: FastifyInstance;
let key: string;
let inv: string;
let failed: string;

beforeAll(async () => {
  deployment = await openDeployment();
  const { did, call } = deployment;
  const markdown = '# Tides\n\nThe moon pulls.\n\n## Sun\n\nThe sun too.\n\nA third é.\n\nA fourth.\n';
  await did('VOXEL_BATCH', { document: { slug: 'tides', title: 'Tides', markdown }, actor: 'a' });
  const source = {
    type: 'review',
    url: 'https://example.com/x',
    title: 't',
    quote: 'The moon pulls the sea.',
    summary: 's',
  };
  const other = { ...source, url: 'https://example.com/y', quote: 'The sun pulls the sea.' };
  await did('SOURCE_POST', { slug: 'tides', sources: [source, other] });
  const claim = { slug: 'tides', tier: 'mechanistic', who_claims: 'Newton', source_ids: ['s1'] };
  const posted = await did('CLAIM_POST', { ...claim, text: 'The moon raises two tides a day.' });
  inv = String(posted['inv']);
  await did('CLAIM_POST', { ...claim, text: 'Spring tides follow the new moon.', source_ids: ['s1', 's2'] });
  const said = await did('MIRROR_APPEND', 'tides|c1|objection|ada|Some coasts have one.');
  await did('MIRROR_RESOLVE', `tides|${(said['contribution'] as { id: string }).id}|accepted|True.`);
  await did('MIRROR_APPEND', 'tides|c1|question|ada|Which coasts have one?');
  await did('OBJECTION_LOG', { slug: 'tides', objection: 'Not on every coast of the world.', actor: 'ada' });
  const objected = await did('OBJECTION_LOG', { slug: 'tides/c1', objection: 'Some coasts have four.' });
  await did('THREAD_SETTLE', `tides|${(objected['entry'] as { id: string }).id}|None has.`);
  await did('OIP_ARTICLE_REVIEW', 'tides|needs_work|The text names no coast.|bob');
  await did('ARTICLE_ASK', { slug: 'tides', question: 'Do all coasts have two tides?' });
  app = deployment.http();
  key = (await text('/.well-known/colophon-key')).trim();
  const { divs } = JSON.parse(await text('/api/articles/tides/voxels')) as {
    divs: { div_id: string; vx_hash: string }[];
  };
  const hashes = (...ids: string[]) => ids.map((id) => divs.find(({ div_id: each }) => each === id)?.vx_hash);
  await did('VOXEL_CONSOLIDATE', {
    slug: 'tides',
    div_ids: ['d4', 'd5'],
    expected_hashes: hashes('d4', 'd5'),
  });
  await did('VOXEL_BURN', {
    slug: 'tides',
    ids: ['d6'],
    expected_hashes: hashes('d6'),
    reason: 'It is empty.',
  });
  const refused = await call('MIRROR_APPEND', {
    slug: 'nowhere',
    kind: 'question',
    actor: 'ada',
    body: 'Why?',
  });
  failed = (refused as unknown as { inv: string }).inv;
});

afterAll(() => deployment.end());

async function text(url: string): Promise<string> {
  const response = await app.inject({ url, headers: { 'x-terminal-key': 'tk_only-for-tests-0123456789' } });
  expect([url, response.statusCode]).toEqual([url, 200]);
  return response.body;
}

const links = ['claims[].permalink', 'contributions[].permalink'];
/** The thread, which contests too, is not part of an article's document. */
const contests = ['claims[].contested', 'contested'];

describe('every mutation of a document is refused or reported', () => {
  const cases: readonly [
    name: string,
    url: () => string,
    verify: (document: Json) => Promise<Report>,
    uncovered: readonly string[],
  ][] = [
    [
      'an article',
      () => '/api/articles/tides',
      (document) => verifyBundle(document, key),
      [
        '_self',
        'trust',
        ...links,
        ...contests,
        'contributions[]',
        'has_traversal',
        'ledger',
        'machine.kind',
        'machine.ledger.claims.url',
        'machine.ledger.provenance.url',
        'machine.ledger.sources.url',
        'machine.ledger.voxels.url',
        'machine.of',
        'machine.position',
        'machine.read',
        'machine.series',
        'machine.shape',
        'machine.terminal',
        'machine.traversal',
        'object.article',
        'object.conformance',
        'object.expressions',
        'object.law',
        'object.ontology',
        'ok',
        'provenance[]',
        'representations',
        'reviews',
        'scrubs',
      ],
    ],
    [
      'a bundle',
      () => '/api/articles/tides/bundle',
      (document) => verifyBundle(document, key),
      [
        '_self',
        'trust',
        ...links,
        'chains.art.mirror[]',
        'chains.art.provenance[]',
        'chains.art.questions[]',
        'chains.art.thread[]',
        'constitution',
        'contributions[]',
        'discourse[]',
        'discourse[].permalink',
        'llm_manifest',
        'ok',
        'origin.article',
        'origin.base',
        'provenance[]',
        'question_graph.edges[]',
        'question_graph.questions[]',
        'voxels[].permalink',
      ],
    ],
    [
      'a slim bundle',
      () => '/api/articles/tides/bundle?format=slim',
      (document) => verifyBundle(document, key),
      [
        '_self',
        'trust',
        'body',
        'bundle_version',
        'claims',
        'constitution',
        'content_hash',
        'contributions[]',
        'contributions[].decided_at',
        'contributions[].decided_by',
        'contributions[].effect',
        'contributions[].note',
        'contributions[].permalink',
        'contributions[].resolution',
        'contributions[].status',
        'counts.divs',
        'counts.provenance',
        'discourse[]',
        'discourse[].decided_at',
        'discourse[].decided_by',
        'discourse[].note',
        'discourse[].permalink',
        'discourse[].resolution',
        'discourse[].status',
        'lead',
        'llm_manifest',
        'meta',
        'ok',
        'origin',
        'provenance',
        'question_graph',
        'slug',
        'sources[]',
        'sources[].claim_ids',
        'status',
        'title',
        'verification',
        'version',
        'voxels',
      ],
    ],
    [
      'a receipt',
      () => `/api/dispatch?receipt=${inv}`,
      (document) => verifyReceipt(document, key),
      [
        '_self',
        'trust',
        'gates[].note',
        'links',
        'object_type',
        'proof.confirm',
        'proof.receipt',
        'proof.say_to_user',
        'templates',
        'verbs',
      ],
    ],
    [
      'the receipt of a call that was refused',
      () => `/api/dispatch?receipt=${failed}`,
      (document) => verifyReceipt(document, key),
      [
        '_self',
        'trust',
        'gates[].note',
        'links',
        'object_type',
        'proof.confirm',
        'proof.receipt',
        'proof.say_to_user',
        'templates',
        'verbs',
      ],
    ],
    [
      'a confirmation',
      () => `/api/dispatch?confirm=${inv}`,
      (document) => verifyReceipt(document, key),
      ['_self', 'ok', 'proof.confirm', 'proof.receipt', 'proof.say_to_user', 'trust', 'written'],
    ],
    [
      'the confirmation of a call that was refused',
      () => `/api/dispatch?confirm=${failed}`,
      (document) => verifyReceipt(document, key),
      ['_self', 'ok', 'proof.confirm', 'proof.receipt', 'proof.say_to_user', 'trust', 'written'],
    ],
  ];

  test.each(cases)('in %s', { timeout: 300_000 }, async (_name, url, verify, uncovered) => {
    const document = JSON.parse(await text(url())) as Json;
    const sound = await verify(document);
    const named = (sound.uncovered ?? []).map((place) => place.replace(/art_[a-z2-7]{16}/, 'art'));
    expect(named.sort()).toEqual([...uncovered].sort());
    const { made, unnamed } = await accepted(document, verify);
    expect([made > 100, unnamed]).toEqual([true, []]);
  });
});
