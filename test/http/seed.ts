/** Articles that show what reads can show: the starters, one with something of everything, one with almost nothing. */
import { readStarters } from '../unit/content/starters.ts';
import { terminalKey, type Answer, type TestServer } from '../support/server.ts';

const claim = { tier: 'system', who_claims: 'RFC 6962', rationale: 'A test.' };

/** The starter articles, written as seeding writes them. Answers with their slugs. */
export async function writeStarters(server: TestServer): Promise<string[]> {
  const starters = readStarters();
  for (const starter of starters) {
    const { slug, title, tags, category, markdown, sources, claims, register, traversal } = starter;
    await server.owner('/api/protocol/voxel-batch', { document: { slug, title, tags, category, markdown } });
    if (sources.length > 0) await server.owner('/api/protocol/sources', { slug, sources });
    for (const each of claims) await server.owner('/api/protocol/claim', { slug, ...each });
    const { version } = await server.read(`/api/articles/${slug}`);
    await server.owner('/api/protocol/article', { slug, expected_version: version, register, traversal });
  }
  return starters.map(({ slug }) => slug);
}

/** The article `full`, which began as a draft, and the bare article `bare`. */
export async function seedArticles(server: TestServer): Promise<void> {
  const slug = 'full';
  const write = (path: string, body: object): Promise<Answer> =>
    server.owner(`/api/protocol/${path}`, { slug, ...body });
  await server.article('\n\nA bare text\u2028with 🙂.', { slug: 'bare', title: 'Bare' });
  await server.article('# Full\n\nOne.\n\n```\ncode\n```\n\nTwo.\n\nThree.\n\nFour.\n\n> Five.\n', {
    slug,
    status: 'draft',
    tags: ['proof'],
    category: 'ledger',
  });
  const rfc = { url: 'https://www.rfc-editor.org/rfc/rfc6962', title: 'RFC 6962' };
  await write('sources', {
    sources: [
      {
        ...rfc,
        type: 'review',
        quote: 'Merkle Hash Trees',
        summary: 'Defines them.',
        source_role: 'primary',
      },
      { ...rfc, type: 'anecdotal', quote: 'It works for me.', platform: 'reddit' },
      {
        ...rfc,
        type: 'software',
        quote: 'release notes',
        software_class: 'release',
        accessed_at: '2026-01-01',
      },
    ],
    actor: 'ada',
  });
  await write('claim', {
    ...claim,
    text: 'A Merkle tree of two leaves has one inner node.',
    source_ids: ['s1'],
  });
  await write('article', {
    expected_version: 3,
    status: 'published',
    hero: 'https://example.org/hero.png',
    images: ['https://example.org/a.png'],
    style: { accent: 'blue' },
    embeds: ['https://example.org/embed'],
    widgets: ['chart'],
    home: true,
    register: 'protocol',
    traversal: { prev: null, next: 'bare', hub: 'bare', series: 'tests', position: 1, of: 2 },
    extra: { kind: 'hub', note: { any: ['thing', 1, null] } },
  });
  await write('claim', {
    ...claim,
    text: 'A tree of four leaves is larger than one of two.',
    tier: 'mechanistic',
    slot: 'mechanism',
    why_material: 'It bounds proofs.',
    falsifier: 'A smaller tree.',
    materiality: false,
    evidence_basis: 'derived_inference',
    evidence_class: 'source_code',
    section: 'Trees',
    source_role: 'adjacent_context',
    model: 'a model',
    actor: 'ada',
    comparison: { population: 'trees', axis: 'leaves', captured_at: '2026-01-01', selection: 'all' },
  });
  await write('claim', {
    ...claim,
    text: 'Leaves are hashed with a zero byte in front.',
    source_ids: ['s1', 's3'],
  });
  const { claims } = await server.read(`/api/articles/${slug}/claims`);
  await write('repair', {
    claim_id: 'c1',
    text: 'A Merkle tree of two leaves has exactly one inner node.',
    rationale: 'Exact.',
    expected_hash: (claims as Answer[])[0]?.['hash'],
  });
  await write('retract', { claim_id: 'c3', reason: 'A test.' });
  const divs = async (): Promise<Answer[]> =>
    (await server.read(`/api/articles/${slug}/voxels`))['divs'] as Answer[];
  const [, one, , two, three, four] = (await divs()) as [Answer, Answer, Answer, Answer, Answer, Answer];
  await write('voxel-edit', {
    div_id: 'd2',
    expected_hash: one['vx_hash'],
    text: 'One, edited.',
    actor: 'ada',
  });
  await write('voxel-move', { div_id: 'd4', expected_order: 4, direction: 'down' });
  await write('voxel-consolidate', {
    div_ids: ['d4', 'd6'],
    expected_hashes: [two['vx_hash'], four['vx_hash']],
  });
  await write('voxel-burn', { ids: ['d5'], expected_hashes: [three['vx_hash']], reason: 'A test.' });
  await talk(server, slug);
}

async function talk(server: TestServer, slug: string): Promise<void> {
  const call = (key: string, body: object): Promise<Answer> =>
    server.anybody('/api/dispatch', { key, body: { slug, ...body } });
  const [, div] = (await server.read(`/api/articles/${slug}/voxels`))['divs'] as Answer[];
  const challenge = async (stance: string, body: string): Promise<Answer> =>
    server.anybody('/api/protocol/voxel-challenge', {
      slug,
      expected_thread_head: (await server.read(`/api/articles/${slug}/claims`))['thread_head'],
      target_div: 'd2',
      expected_hash: div?.['vx_hash'],
      stance,
      body,
      actor: 'bo',
    });
  for (const stance of ['challenge', 'support', 'upgrade'])
    await challenge(stance, `It names no source, says ${stance}.`);
  await call('OBJECTION_LOG', { objection: 'Two is unsourced.', surface: 'S2', minimum_patch: 'Cite one.' });
  await call('OIP_ARTICLE_REVIEW', { verdict: 'needs_work', body: 'Cite more.', actor: 'bo' });
  await call('MODEL_CHAT_INTAKE', { actor: 'bo', text: 'A turn.' });
  const { content_hash: hash } = await server.read(`/api/articles/${slug}`);
  await call('VOXEL_ATTEST', { outcome: 'nothing_to_add', content_hash: hash, actor: 'bo' });
  await server.anybody('/api/protocol/thread-update', {
    actor: 'bo',
    target: slug,
    raw_text: `Then [OBJECTION_LOG]${slug}|Three is gone.[/OBJECTION_LOG] and [VOXEL_BURN]${slug}|d2|x[/VOXEL_BURN].`,
  });
  await server.owner('/api/protocol/ask', { slug, question: 'How many inner nodes has a Merkle tree?' });
  const asked = await server.owner('/api/protocol/ask', { slug, question: 'Which gnomon casts a shadow?' });
  const { id: node } = asked['question_node'] as Answer;
  await server.owner('/api/protocol/ingest', {
    slug,
    evidence: 'A gnomon casts a shadow, says https://example.org/gnomon.',
    question_node_id: node,
  });
  for (const outcome of ['verified', 'broken'])
    await server.anybody('/api/proven-work', { target: slug, outcome, method: 'verify', actor: 'bo' });
  const voted = await call('VOXEL_VOTE', {
    target: 'd2',
    proposal: 'should_split',
    rationale: 'It holds two.',
    actor: 'bo',
  });
  await call('VOXEL_VOTE', {
    target: 'c1',
    proposal: 'should_retier',
    rationale: 'It is known.',
    actor: 'bo',
  });
  const { vote_id: id } = voted['result'] as Answer;
  await server.owner('/api/protocol/voxel-ratify', { vote_id: id, decision: 'rejected' });
  for (const kind of ['question', 'objection', 'audit'])
    await call('MIRROR_APPEND', { claim_id: 'c1', kind, actor: 'bo', body: `A ${kind}.` });
  await call('MIRROR_APPEND', { claim_id: '', kind: 'question', actor: 'bo', body: 'What is missing?' });
  await server.fetch('/api/protocol/voxel-edit', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-terminal-key': terminalKey },
    body: JSON.stringify({ slug, div_id: 'd2', expected_hash: 'stale', text: 'x' }),
  });
}

/** A cohort with a filled and an empty cell, an assignment that is complete and one that is still leased. */
export async function seedLandscape(
  server: TestServer,
): Promise<{ readonly leased: string; readonly complete: string }> {
  await server.owner('/api/build-landscape', {
    action: 'queue_targets',
    cohort: 'makers',
    query: 'Makers of sundials',
    captured_at: '2026-03-01',
    targets: [
      {
        name: 'Gnomon',
        axis: 'material',
        slot: 'what_is_known',
        rank: 1.5,
        url: 'https://example.org/gnomon',
      },
      { name: 'Dial', axis: 'material' },
      { name: 'Hour line' },
    ],
  });
  const next = (): Promise<Answer> => server.owner('/api/build-landscape', { action: 'next', lane: 'field' });
  const done = await next();
  const { operations, ...frame } = done['batch'].body as Answer & { operations: Answer[] };
  await server.anybody('/api/protocol/voxel-batch', {
    ...frame,
    actor: 'bo',
    operations: [
      {
        op: 'source',
        sources: [{ type: 'review', url: 'https://example.org/brass', title: 'Brass', quote: 'brass' }],
      },
      { ...operations[1], text: 'The gnomon is made of brass.', tier: 'human', who_claims: 'A review' },
    ],
  });
  // The second lane on the same target begins from a graph that is there already.
  const { assignment_id: leased } = await server.owner('/api/build-landscape', {
    action: 'next',
    lane: 'opposition',
  });
  return { leased: String(leased), complete: String(done['assignment_id']) };
}
