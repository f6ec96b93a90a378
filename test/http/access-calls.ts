/**
 * A call of every built-in row for the table of access (`access-table.test.ts`): rows that name an article with the
 * slug that is asked about, the others once. Bodies fit their rows, so that what a dry run tells is about authority.
 */

const hash = '0'.repeat(64);
const source = { type: 'review', url: 'https://example.org/one', title: 'One', quote: 'It is one.' };

type Body = string | object;

/** Names in the table: a row's key, with the mode of a batch behind it. */
export const articleCalls: Readonly<Record<string, (slug: string) => Body>> = {
  ARTICLE_ASK: (slug) => `${slug}|What is it?`,
  ARTICLE_IMPORT: (slug) => ({ bundle: {}, slug }),
  ARTICLE_INGEST: (slug) => ({ slug, evidence: 'It is one.' }),
  ARTICLE_INSPECT: (slug) => `${slug}|claims`,
  ARTICLE_META: (slug) => ({ slug, expected_version: 1, tags: ['one'] }),
  ARTICLE_REVERT: (slug) => `${slug}|1|1|It read better.`,
  ARTICLE_REWRITE: (slug) => ({ slug, expected_version: 1, blocks: [{ text: 'One.' }], note: 'Short.' }),
  CLAIM_POST: (slug) => ({
    slug,
    text: 'The gnomon casts a shadow.',
    tier: 'system',
    who_claims: 'A test',
    why_material: 'It shows the time.',
  }),
  CLAIM_REPAIR: (slug) => ({
    slug,
    claim_id: 'c1',
    text: 'It is.',
    rationale: 'Exact.',
    expected_hash: hash,
  }),
  CLAIM_RETRACT: (slug) => `${slug}|c1|Wrong.`,
  MIRROR_APPEND: (slug) => `${slug}||question|ada|Why?`,
  MIRROR_FEED: (slug) => slug,
  MIRROR_RESOLVE: (slug) => `${slug}|mc_aaaaaaaaaaaaaaaa|accepted|It holds.`,
  MODEL_CHAT_INTAKE: (slug) => `${slug}|ada|A turn.`,
  OBJECTION_LOG: (slug) => `${slug}|It is short.`,
  'OBJECTION_LOG part': (slug) => `${slug}/d1|It is short.`,
  OIP_ARTICLE_REVIEW: (slug) => `${slug}|sound|It holds.|ada`,
  PROOF_CERTIFY: (slug) => `${slug}|verified||by hand|All of it.|ada`,
  SOURCE_POST: (slug) => ({ slug, sources: [source] }),
  THREAD_SETTLE: (slug) => `${slug}|dx_aaaaaaaaaaaaaaaa|It is answered.`,
  THREAD_UPDATE: (slug) => `ada|${slug}|A turn.`,
  VOXEL_ATTEST: (slug) => `${slug}|nothing_to_add|${hash}|ada`,
  'VOXEL_BATCH document': (slug) => ({ document: { slug, markdown: 'A block.\n' } }),
  'VOXEL_BATCH operations': (slug) => ({ slug, operations: [{ op: 'source', sources: [source] }] }),
  'VOXEL_BATCH titled': (slug) => ({ document: { slug, title: 'A title', markdown: 'A block.\n' } }),
  VOXEL_BURN: (slug) => ({ slug, ids: ['d1'], reason: 'Wrong.' }),
  VOXEL_CHALLENGE: (slug) => ({
    slug,
    expected_thread_head: 'genesis',
    target_div: 'd1',
    expected_hash: hash,
    stance: 'challenge',
    body: 'No source.',
    actor: 'ada',
  }),
  VOXEL_CONSOLIDATE: (slug) => ({ slug, div_ids: ['d1', 'd2'], expected_hashes: [hash, hash] }),
  VOXEL_DIVIDE: (slug) => slug,
  VOXEL_EDIT: (slug) => `${slug}|d1|${hash}|Text.|ada`,
  VOXEL_MOVE: (slug) => `${slug}|d1|1|down`,
  VOXEL_SPLIT: (slug) => `${slug}|d1|${hash}|Text.|ada`,
  VOXEL_VOTE: (slug) => `${slug}|d1|should_burn|It says nothing.|ada`,
  WEBHOOK_SECRET: (slug) => slug,
};

export const otherCalls: Readonly<Record<string, Body>> = {
  CAP_EXPLAIN: 'cap_0000000000000000',
  CAP_MINT: { purpose: 'narrower' },
  CAP_REVOKE: 'cap_0000000000000000',
  CREATIVE_GENERATE: { engine: 'local', prompt: 'A ledger', size: '640x360' },
  DIRECTORY_PATCH: { key: 'MIRROR_FEED', enabled: true },
  DIRECTORY_PUT: {
    key: 'WEATHER',
    type: 'http',
    url: 'https://api.example.org/$1',
    args: [{ name: 'city' }],
    what: 'Tells the weather.',
    when: 'Before a walk.',
    example: 'Basel',
  },
  IMAGE_STORE: 'https://example.org/one.png|One',
  KEY_MINT: 'act|a script',
  KEY_REVOKE: 'cap_0000000000000000',
  LANDSCAPE_NEXT: 'field',
  LANDSCAPE_QUEUE: {
    cohort: 'more',
    query: 'More',
    captured_at: '2026-03-01T12:00:00Z',
    targets: [{ name: 'A' }],
  },
  LANDSCAPE_RETURN: 'norm_aaaaaaaaaaaaaaaa',
  OIP_APPROVE: 'inv_aaaaaaaaaaaaaaaa|approved|',
  OIP_RECEIPT: 'inv_aaaaaaaaaaaaaaaa',
  OIP_REPAIR: 'inv_aaaaaaaaaaaaaaaa|MIRROR_FEED|alpha',
  OIP_REPLAY: 'inv_aaaaaaaaaaaaaaaa',
  OIP_TREE: '',
  PAPER_GROW: '',
  PAPER_STATE: '',
  REPO_TAIL: '',
  ROW_SECRET: 'WEATHER|KEY|set',
  SECRET_SCRUB: { secret: 'auto' },
  VOXEL_RATIFY: 'vote_aaaaaaaaaaaaaaaa|ratified',
  WEB_FETCH: 'GET|https://example.org/||',
  WORKSPACE_CREATE: 'census|The census|A test|open',
  WORKSPACE_SET: { name: 'survey', status: 'closed' },
};
