/** All violations of a call are reported at once, each with its place and a fix (contract §2, spec §7). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtInRows } from '../../src/rows/index.ts';
import { articlesOf } from './articles.ts';
import { openLocal, owner, type LocalServer, type Reply } from './local.ts';
import { expectProblem } from './problem.ts';

let server: LocalServer;
const { post, make, read } = articlesOf(() => server);

interface Violation {
  readonly code: string;
  readonly at: string;
  readonly message: string;
  readonly fix: string;
}

beforeAll(async () => {
  server = await openLocal();
  await make('told', '# Told\n\nOne.\n\nTwo.\n');
});

afterAll(async () => {
  await server.end();
});

const told = (reply: Reply, code: string): [string, string][] =>
  (expectProblem(reply, code)['violations'] as readonly Violation[]).map((each) => {
    expect([each.message, each.fix]).toEqual([expect.stringMatching(/\S/), expect.stringMatching(/\S/)]);
    return [each.code, each.at];
  });

/** What fits no argument of its type. */
const wrongFor = ({ type = 'string' }: { readonly type?: string }): unknown =>
  type === 'string' ? 7 : 'wrong';

describe('arguments of a wrong type', () => {
  // Of what is told in confidence, nothing is said that could quote it.
  const confidential = new Set(['SECRET_SCRUB']);
  const rows = builtInRows.filter(({ key, argNames }) => argNames.length > 1 && !confidential.has(key));

  it.each(rows.map((row) => [row.key, row] as const))('are all reported for %s', async (key, row) => {
    const wrong = Object.entries(row.input.properties as Record<string, { type?: string }>).map(
      ([name, schema]) => [name, wrongFor(schema)],
    );
    const before = await server.size();
    const reply = await server.call(key, Object.fromEntries(wrong) as object, {}, owner);
    const places = told(reply, 'body_mismatch').map(([, at]) => at);
    expect(places).toEqual(expect.arrayContaining(row.argNames.map((name) => `/${name}`)));
    // The failed call leaves its receipt, and nothing else.
    expect(await server.size()).toBe(before + 1);
  });

  it('are reported together with missing and unknown ones, also inside lists', async () => {
    const reply = await server.call(
      'SOURCE_POST',
      { slug: 'told', sources: [{ url: 7, title: 'A' }, 'no source'], size: 3 },
      {},
      owner,
    );
    expect(told(reply, 'body_mismatch')).toEqual([
      ['missing', '/sources/0/type'],
      ['wrong_type', '/sources/0/url'],
      ['missing', '/sources/0/quote'],
      ['wrong_type', '/sources/1'],
      ['unknown_argument', '/size'],
    ]);
    expect(reply.json['problems']).toEqual([
      'unknown: size',
      'sources/0/type is missing',
      'sources/0/url must be string',
      'sources/0/quote is missing',
      'sources/1 must be object',
    ]);
  });
});

interface Breach {
  readonly key: string;
  /** By name, or as a positional body. */
  readonly body: string | object;
  readonly error: string;
  readonly violations: readonly (readonly [code: string, at: string])[];
}

const long = 'x'.repeat(8001);
const said = { slug: 'told', actor: ' ' };

const breaches: readonly Breach[] = [
  {
    key: 'VOXEL_CHALLENGE',
    body: {
      ...said,
      expected_thread_head: 'stale',
      target_div: 'd2',
      expected_hash: 'stale',
      stance: 'shout',
      body: ' ',
    },
    error: 'body_mismatch',
    violations: [
      ['not_one_of', '/stance'],
      ['blank', '/body'],
      ['blank', '/actor'],
    ],
  },
  {
    key: 'VOXEL_ATTEST',
    body: 'told|maybe|stale| ',
    error: 'body_mismatch',
    violations: [
      ['not_one_of', '/outcome'],
      ['blank', '/actor'],
    ],
  },
  {
    key: 'VOXEL_VOTE',
    body: { ...said, target: 'd2', proposal: 'should_vanish', rationale: long },
    error: 'body_mismatch',
    violations: [
      ['not_one_of', '/proposal'],
      ['too_much', '/rationale'],
      ['blank', '/actor'],
    ],
  },
  {
    key: 'VOXEL_RATIFY',
    body: 'vote_x|perhaps',
    error: 'body_mismatch',
    violations: [
      ['malformed', '/vote_id'],
      ['invalid_decision', '/decision'],
    ],
  },
  {
    key: 'OBJECTION_LOG',
    body: { slug: 'told', objection: '', surface: 'S9', minimum_patch: 7, actor: 'a\u202eb' },
    error: 'body_mismatch',
    violations: [
      ['not_one_of', '/surface'],
      ['wrong_type', '/minimum_patch'],
      ['blank', '/objection'],
      ['unseen_character', '/actor#1-2'],
    ],
  },
  {
    key: 'OIP_ARTICLE_REVIEW',
    body: { ...said, verdict: 'fine', body: long },
    error: 'body_mismatch',
    violations: [
      ['not_one_of', '/verdict'],
      ['too_much', '/body'],
      ['blank', '/actor'],
    ],
  },
  {
    key: 'MODEL_CHAT_INTAKE',
    body: { ...said, text: ' ' },
    error: 'body_mismatch',
    violations: [
      ['blank', '/text'],
      ['blank', '/actor'],
    ],
  },
  {
    key: 'THREAD_UPDATE',
    body: { actor: '', target: 'told', raw_text: long },
    error: 'body_mismatch',
    violations: [
      ['too_much', '/raw_text'],
      ['blank', '/actor'],
    ],
  },
  {
    key: 'MIRROR_APPEND',
    body: 'told||praise| |',
    error: 'body_mismatch',
    violations: [
      ['not_one_of', '/kind'],
      ['blank', '/actor'],
      ['blank', '/body'],
    ],
  },
  {
    key: 'MIRROR_RESOLVE',
    body: { slug: 'told', contribution_id: 'mc_x', decision: 'perhaps' },
    error: 'body_mismatch',
    violations: [
      ['malformed', '/contribution_id'],
      ['invalid_decision', '/decision'],
    ],
  },
  {
    key: 'CLAIM_POST',
    body: { slug: 'told', text: 'Is it?', tier: 7, who_claims: ' ', source_ids: ['s9', 3], slot: 'nowhere' },
    error: 'body_mismatch',
    violations: [
      ['wrong_type', '/tier'],
      ['wrong_type', '/source_ids/1'],
      ['question', '/text'],
      ['missing_who_claims', '/who_claims'],
      ['unknown_slot', '/slot'],
      // Only the article tells which sources there are.
      ['dangling_source', '/source_ids/0'],
    ],
  },
  {
    key: 'CLAIM_POST',
    body: { slug: 'told', text: 'Use it.', tier: 'sure', who_claims: '', falsifier: 'a\u200bb' },
    error: 'content_rule',
    violations: [
      ['imperative', '/text#0-3'],
      ['unseen_character', '/falsifier#1-2'],
      ['unknown_tier', '/tier'],
      ['missing_who_claims', '/who_claims'],
      ['missing_why_material', '/why_material'],
    ],
  },
  {
    key: 'SOURCE_POST',
    body: {
      slug: 'told',
      sources: [
        { type: 'anecdotal', url: 'ftp://a', title: ' ', quote: '', accessed_at: 'then' },
        { type: 'review', url: 'https://a.example', title: 7, quote: 'Words.' },
      ],
    },
    error: 'body_mismatch',
    violations: [
      ['wrong_type', '/sources/1/title'],
      ['url', '/sources/0/url'],
      ['missing_quote', '/sources/0/quote'],
      ['missing_title', '/sources/0/title'],
      ['missing_platform', '/sources/0/platform'],
      ['accessed_at', '/sources/0/accessed_at'],
    ],
  },
  {
    key: 'CLAIM_RETRACT',
    body: 'told|claim one| ',
    error: 'body_mismatch',
    violations: [
      ['malformed', '/claim_id'],
      ['blank', '/reason'],
    ],
  },
  {
    key: 'CLAIM_REPAIR',
    body: { slug: 'told', claim_id: 'c1', text: 'Why?', rationale: 7, expected_hash: 'stale', tier: 'sure' },
    error: 'body_mismatch',
    violations: [
      ['wrong_type', '/rationale'],
      ['question', '/text'],
      ['unknown_tier', '/tier'],
      // Only the article tells which claims there are.
      ['unknown_claim', '/claim_id'],
    ],
  },
  {
    key: 'CLAIM_REPAIR',
    body: { slug: 'told', claim_id: 'c1', text: 'Why?', rationale: ' ', expected_hash: 'stale', colour: 7 },
    error: 'body_mismatch',
    violations: [
      ['unknown_argument', '/colour'],
      ['blank', '/rationale'],
      ['question', '/text'],
      ['unknown_claim', '/claim_id'],
    ],
  },
  {
    key: 'ARTICLE_META',
    body: { slug: 'told', expected_version: 99, hero: 'javascript:x', status: 'secret', tags: ['a', 7, ' '] },
    error: 'body_mismatch',
    violations: [
      ['wrong_type', '/tags/1'],
      ['url', '/hero'],
      ['empty', '/tags/2'],
      ['unknown_status', '/status'],
    ],
  },
  {
    key: 'VOXEL_EDIT',
    body: { slug: 'told', div_id: 'two', expected_hash: '', text: ' ' },
    error: 'body_mismatch',
    violations: [
      ['malformed', '/div_id'],
      ['out_of_bounds', '/expected_hash'],
      ['blank', '/text'],
    ],
  },
  {
    key: 'VOXEL_MOVE',
    body: { slug: 'told', div_id: 'd2', expected_order: 0 },
    error: 'body_mismatch',
    violations: [
      ['out_of_bounds', '/expected_order'],
      ['one_of_two', '/direction'],
    ],
  },
  {
    key: 'VOXEL_CONSOLIDATE',
    body: { slug: 'told', div_ids: ['d2', 'd2'], expected_hashes: ['a', 'b', 'c'], text: '' },
    error: 'body_mismatch',
    violations: [
      ['malformed', '/div_ids'],
      ['malformed', '/expected_hashes'],
      ['blank', '/text'],
    ],
  },
  {
    key: 'VOXEL_BURN',
    body: { slug: 'told', ids: ['d2'], older_than_days: 3, expected_hashes: [], reason: '' },
    error: 'body_mismatch',
    violations: [
      ['one_of_two', '/older_than_days'],
      ['malformed', '/expected_hashes'],
      ['blank', '/reason'],
    ],
  },
  {
    key: 'VOXEL_BATCH',
    body: {
      document: { slug: 'constitution', markdown: ' ', status: 'secret', title: 'A\u2066B' },
      operations: [],
    },
    error: 'body_mismatch',
    violations: [
      ['not_one_of', '/document/status'],
      ['one_of_two', '/operations'],
      ['missing', '/operations'],
      ['blank', '/document/markdown'],
      ['malformed', '/document/slug'],
      ['unseen_character', '/document/title#1-2'],
    ],
  },
  {
    key: 'CAP_MINT',
    body: { scope: 'all', ttl: 0, max_uses: -1, risk_ceiling: 'none', article: 'No Slug', owner_gate: 'x' },
    error: 'body_mismatch',
    violations: [
      ['wrong_type', '/owner_gate'],
      ['out_of_bounds', '/scope'],
      ['out_of_bounds', '/risk_ceiling'],
      ['out_of_bounds', '/ttl'],
      ['out_of_bounds', '/max_uses'],
      ['out_of_bounds', '/article'],
    ],
  },
  {
    key: 'KEY_MINT',
    body: { scopes: 'all rows:', ttl: 0 },
    error: 'body_mismatch',
    violations: [
      ['out_of_bounds', '/ttl'],
      ['malformed', '/scopes'],
      ['malformed', '/scopes'],
    ],
  },
  {
    key: 'OIP_APPROVE',
    body: 'inv_x|perhaps',
    error: 'body_mismatch',
    violations: [
      ['malformed', '/id'],
      ['invalid_decision', '/decision'],
    ],
  },
  {
    key: 'LANDSCAPE_QUEUE',
    body: {
      cohort: 'No Name',
      query: ' ',
      captured_at: 'then',
      targets: [{ name: '', slot: 'nowhere', rank: 'first' }],
    },
    error: 'body_mismatch',
    violations: [
      ['wrong_type', '/targets/0/rank'],
      ['cohort', '/cohort'],
      ['query', '/query'],
      ['captured_at', '/captured_at'],
      ['name', '/targets/0/name'],
      ['slot', '/targets/0/slot'],
    ],
  },
  {
    key: 'ARTICLE_ASK',
    body: { slug: 'told', question: '', parent: 'qn_x' },
    error: 'body_mismatch',
    violations: [
      ['malformed', '/parent'],
      ['blank', '/question'],
    ],
  },
  {
    key: 'ARTICLE_INGEST',
    body: { slug: 'told', evidence: ' ', question_node_id: 'qn_x' },
    error: 'body_mismatch',
    violations: [
      ['malformed', '/question_node_id'],
      ['blank', '/evidence'],
    ],
  },
  {
    key: 'PROOF_CERTIFY',
    body: { target: 'told', outcome: 'fine', head: 7 },
    error: 'body_mismatch',
    violations: [
      ['not_one_of', '/outcome'],
      ['wrong_type', '/head'],
    ],
  },
  {
    key: 'WORKSPACE_CREATE',
    body: { name: 'no--name', title: ' ', status: 'ajar' },
    error: 'body_mismatch',
    violations: [
      ['not_one_of', '/status'],
      ['malformed', '/name'],
      ['blank', '/title'],
    ],
  },
  {
    key: 'MIRROR_APPEND',
    body: { slug: 'told', claim_id: 'c9', kind: 'audit', actor: 'ada', body: 7, tier: 'sure' },
    error: 'body_mismatch',
    violations: [
      ['wrong_type', '/body'],
      ['not_carried', '/tier'],
      // Only the article tells which claims there are.
      ['unknown_claim', '/claim_id'],
    ],
  },
  {
    key: 'ARTICLE_IMPORT',
    body: { bundle: { bundle_version: 2 }, slug: 'no--', status: 'secret' },
    error: 'body_mismatch',
    violations: [
      ['not_one_of', '/status'],
      ['malformed', '/slug'],
      ['bundle', '/bundle/bundle_version'],
    ],
  },
  {
    key: 'ARTICLE_IMPORT',
    body: { bundle: { bundle_version: 1, body: 'x' }, actor: 7 },
    error: 'body_mismatch',
    violations: [
      ['wrong_type', '/actor'],
      ['bundle', '/bundle/chains'],
    ],
  },
  {
    key: 'WEB_FETCH',
    body: { method: 'PUT', url: 'http://127.0.0.1/', headers: 7 },
    error: 'body_mismatch',
    violations: [
      ['malformed', '/method'],
      ['wrong_type', '/headers'],
      ['malformed', '/url'],
    ],
  },
  {
    key: 'CREATIVE_GENERATE',
    body: { engine: 'nobody', prompt: 7, reference_url: 'ftp://a.example/' },
    error: 'body_mismatch',
    violations: [
      ['wrong_type', '/prompt'],
      ['not_one_of', '/engine'],
      ['malformed', '/reference_url'],
    ],
  },
  {
    key: 'CREATIVE_GENERATE',
    body: { engine: 'local', prompt: 'A', model: 'a', size: '2000x10', resolution: '720p', enhance: true },
    error: 'body_mismatch',
    violations: [
      ['not_carried', '/model'],
      ['not_carried', '/enhance'],
      ['out_of_bounds', '/size'],
      ['out_of_bounds', '/resolution'],
    ],
  },
  {
    key: 'DIRECTORY_PUT',
    body: {
      key: 'TOLD',
      type: 'http',
      url: 'nowhere',
      what: 'Tells.',
      when: '',
      example: 'x',
      auth: 'all',
      args: [{ name: 'A' }],
    },
    error: 'body_mismatch',
    violations: [
      ['out_of_bounds', '/when'],
      ['not_one_of', '/auth'],
      ['malformed', '/args/0/name'],
      ['malformed', '/url'],
    ],
  },
];

describe('an invisible character', () => {
  // What "user" and then "admin" would look like, and does not say (Trojan Source).
  const turned = 'access \u202e\u2066nimda\u2069 is checked';

  it.each(['\u202e', '\u2066', '\u200b', '\u00ad', '\ufeff', '\u{e0041}', '\u0007', '\ufe0f\ufe0f'])(
    'is rejected in a claim: %j',
    async (character) => {
      const text = `Every entry is hashed${character} with its salt.`;
      const claim = { slug: 'told', text, tier: 'system', who_claims: 'ada', why_material: 'A test.' };
      expect(told(await post('claim', claim), 'content_rule')).toEqual([['unseen_character', '/text#21-22']]);
    },
  );

  it.each(['\u200c', '\u200d', '\u200f', '\ufe0f'])(
    'is accepted where scripts and emoji need it: %j',
    async (mark) => {
      const slug = `mark-${mark.codePointAt(0)}`;
      await make(slug, '# Marks\n');
      const text = `The sign\u2764${mark} stands in entry ${mark.codePointAt(0)}.`;
      const claim = { slug, text, tier: 'system', who_claims: 'ada', why_material: 'A test.' };
      expect((await post('claim', claim)).status).toBe(200);
    },
  );

  it.each([
    [
      'the flag of Wales',
      '\u{1f3f4}\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f} is the flag of Wales.',
    ],
    ['a variant of a Han character', 'The town writes its name as \u845b\u{e0100}\u57ce.'],
    ['Khmer words', '\u1797\u17b6\u179f\u17b6\u200b\u1781\u17d2\u1798\u17c2\u179a'],
    ['a Mongolian vowel', '\u182d\u1820\u180e\u1820'],
  ])('is accepted as part of the spelling: %s', async (name, text) => {
    const slug = `spelt-${name.toLowerCase().replaceAll(' ', '-')}`;
    await make(slug, '# Spelling\n');
    const claim = { slug, text, tier: 'system', who_claims: 'ada', why_material: 'A test.' };
    expect((await post('claim', claim)).status).toBe(200);
  });

  it.each([
    [
      'tag characters after a flag that does not exist',
      'A flag \u{1f3f4}\u{e0068}\u{e0069}\u{e007f} flies.',
      9,
    ],
    [
      'tag characters without a flag',
      'Wales \u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f} is a country.',
      6,
    ],
    ['a variation selector after a Latin letter', 'A letter a\u{e0100} is a letter.', 10],
    ['a zero-width space beside a Latin letter', 'The \u1797a\u200b\u1797 is mixed.', 6],
  ])('is rejected when it is not part of the spelling: %s', async (_, text, at) => {
    const claim = { slug: 'told', text, tier: 'system', who_claims: 'ada', why_material: 'A test.' };
    expect(told(await post('claim', claim), 'content_rule')).toEqual([
      ['unseen_character', `/text#${at}-${at + 1}`],
    ]);
  });

  it('is rejected in tags, register, traversal and comparison', async () => {
    const hidden = 'a\u202eb';
    const meta = { slug: 'told', expected_version: 1, register: hidden, tags: ['plain', hidden] };
    expect(told(await post('article', meta), 'content_rule')).toEqual([
      ['unseen_character', '/register#1-2'],
      ['unseen_character', '/tags/1#1-2'],
    ]);
    const traversal = { series: hidden };
    const place = { slug: 'told', expected_version: 1, traversal, extra: { normandy_v1: { traversal } } };
    expect(told(await post('article', place), 'content_rule')).toEqual([
      ['traversal', '/traversal/series'],
      ['traversal', '/extra/normandy_v1/traversal/series'],
    ]);
    const document = { title: 'Tagged', markdown: 'A text.', tags: [hidden] };
    expect(told(await post('voxel-batch', { document }), 'content_rule')).toEqual([
      ['unseen_character', '/document/tags/0#1-2'],
    ]);
    const claim = {
      slug: 'told',
      text: 'The first store answers faster than the second.',
      tier: 'system',
      who_claims: 'ada',
      why_material: 'A test.',
      comparison: { population: hidden, axis: hidden, captured_at: '2026-01-01', selection: hidden },
    };
    expect(told(await post('claim', claim), 'content_rule')).toEqual([
      ['unseen_character', '/comparison/population#1-2'],
      ['unseen_character', '/comparison/axis#1-2'],
      ['unseen_character', '/comparison/selection#1-2'],
    ]);
  });

  it('is kept in an exact quote, and made visible on its page', async () => {
    await make('quoted', '# Quoted\n');
    const source = { type: 'review', url: 'https://example.org/a', title: 'A', quote: turned };
    expect((await post('sources', { slug: 'quoted', sources: [source] })).status).toBe(200);
    const { sources } = (await read('quoted/sources')).json as { sources: { quote: string }[] };
    expect(sources[0]?.quote).toBe(turned);
    const { body } = await server.send({ path: '/a/quoted' });
    expect(body).toContain('>[U+202E]</span>');
    expect(body).not.toMatch(/[\u202e\u2066\u2069]/);
  });
});

describe('content rules', () => {
  it.each(breaches)(
    'for $key are reported together with all other violations: $error',
    async ({ key, body, error, violations }) => {
      const before = await server.size();
      expect(told(await server.call(key, body, {}, owner), error)).toEqual(violations);
      expect(await server.size()).toBe(before + 1);
    },
  );

  it('are reported by routes below /api/protocol and /api/articles as by dispatch', async () => {
    const claimed = await post('claim', { slug: 'told', text: 'Is it?', tier: 'sure', who_claims: 7 });
    expect(told(claimed, 'body_mismatch')).toEqual([
      ['wrong_type', '/who_claims'],
      ['question', '/text'],
      ['unknown_tier', '/tier'],
      ['missing_why_material', '/why_material'],
    ]);
    const objected = await server.send({
      path: '/api/articles/told/objections',
      body: { actor: 7, objection: ' ', surface: 'S0' },
    });
    expect(told(objected, 'body_mismatch')).toEqual([
      ['not_one_of', '/surface'],
      ['wrong_type', '/actor'],
      ['blank', '/objection'],
    ]);
    const mirrored = await server.send({
      path: '/api/articles/told/mirror',
      body: { kind: 'praise', actor: '', body: '' },
    });
    expect(told(mirrored, 'body_mismatch')).toEqual([
      ['not_one_of', '/kind'],
      ['blank', '/actor'],
      ['blank', '/body'],
    ]);
  });

  it('return payload_ceiling when text is only too long, and invalid_decision for a decision', async () => {
    const objected = await server.call('OBJECTION_LOG', { slug: 'told', objection: long });
    expect(told(objected, 'payload_ceiling')).toEqual([['too_much', '/objection']]);
    const decided = await server.call('VOXEL_RATIFY', 'vote_abcdefgh23456723|perhaps', {}, owner);
    expect(told(decided, 'invalid_decision')).toEqual([['invalid_decision', '/decision']]);
  });

  it('are checked before hashes, so a stale hash is a conflict only without violations', async () => {
    const edit = { slug: 'told', div_id: 'd2', expected_hash: 'stale' };
    expect(told(await post('voxel-edit', { ...edit, text: '' }), 'body_mismatch')).toEqual([
      ['blank', '/text'],
    ]);
    expectProblem(await post('voxel-edit', { ...edit, text: 'New.' }), 'hash_stale');
    expect((await read('told')).json['body']).toBe('# Told\n\nOne.\n\nTwo.\n');
  });

  it('reveal nothing about a draft to a caller who may not write to it', async () => {
    await make('hidden-draft', '# Draft\n', { status: 'draft' });
    const body = { slug: 'hidden-draft', text: 'It stands.', tier: 7, who_claims: 'ada', source_ids: ['s9'] };
    const asOwner = told(await server.call('CLAIM_POST', body, {}, owner), 'body_mismatch');
    expect(asOwner.map(([code]) => code)).toContain('dangling_source');
    const { share } = await server.mint({ scope: 'row', key: 'CLAIM_POST', max_uses: 0 });
    const elsewhere = told(
      await server.call('CLAIM_POST', { ...body, slug: 'nowhere' }, { share }),
      'body_mismatch',
    );
    expect(elsewhere.map(([code]) => code)).not.toContain('dangling_source');
  });
});
