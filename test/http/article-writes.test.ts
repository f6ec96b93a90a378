/** Writes to an existing article: preconditions, scopes and validation (spec §4.4, §4.5, §5). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyBundle } from '../../verify/index.ts';
import { articlesOf, claim as anyClaim, expectVerified, type Div } from './articles.ts';
import { openLocal, owner, type LocalServer, type Reply } from './local.ts';
import { expectProblem } from './problem.ts';

let server: LocalServer;
const { post, read, make, divsOf } = articlesOf(() => server);

beforeAll(async () => {
  server = await openLocal();
});

afterAll(async () => {
  await server.end();
});

const violationsOf = (reply: Reply): [string, string][] =>
  (expectProblem(reply, 'content_rule')['violations'] as { code: string; at: string }[]).map(
    ({ code, at }) => [code, at],
  );

describe('a document for an existing article', () => {
  const keyed = async (scopes: string): Promise<Record<string, string>> => {
    const { json } = await server.call('KEY_MINT', { scopes }, {}, owner);
    return { authorization: `Bearer ${String(json['key'])}` };
  };
  const append = async (slug: string, scopes: string): Promise<Reply> =>
    post('voxel-batch', { document: { slug, markdown: `By ${scopes}.\n` } }, await keyed(scopes));

  it('is refused under the scope act, which only creates articles', async () => {
    await make('standing', '# Standing\n\nOne.\n');
    expect((await append('opened-by-act', 'act')).status).toBe(200);
    const refused = expectProblem(await append('standing', 'act'), 'voxel_scope_required');
    expect(refused.gate).toBe('scope');
    const receipt = await server.send({
      path: `/api/dispatch?receipt=${refused.invocation?.id}`,
      headers: owner,
    });
    expect(receipt.json['status']).toBe('denied');
    const { share } = await server.mint({ scope: 'act', max_uses: 0 });
    const shared = { authorization: `Bearer ${share}` };
    expectProblem(
      await post('voxel-batch', { document: { slug: 'standing', markdown: 'By share.\n' } }, shared),
      'voxel_scope_required',
    );
    expectProblem(await append('standing', 'act rows:VOXEL_EDIT@opened-by-act'), 'voxel_scope_required');
    expect((await read('standing')).json['body']).toBe('# Standing\n\nOne.\n');
  });

  it('is appended under a scope that names a row that writes text', async () => {
    await make('scoped', '# Scoped\n\nOne.\n');
    for (const scopes of ['rows:VOXEL_BATCH', 'pfx:VOXEL_', 'act rows:VOXEL_EDIT@scoped'])
      expect([scopes, (await append('scoped', scopes)).status]).toEqual([scopes, 200]);
    expect((await read('scoped')).json['version']).toBe(4);
  });
});

describe('an operation of a batch', () => {
  it('that fails validation has its own receipt beside the successful ones', async () => {
    await make('batched', '# Batched\n\nOne.\n');
    const { json } = await post('voxel-batch', {
      slug: 'batched',
      operations: [
        { op: 'source', url: 'https://example.org/a' },
        { op: 'vote', target: 'd1', proposal: 'should_split', rationale: 'Two ideas.', actor: 'ada' },
      ],
    });
    const [misfit, vote] = json['results'] as { ok: boolean; error?: string; receipt: { url: string } }[];
    expect([misfit?.ok, misfit?.error, vote?.ok]).toEqual([false, 'body_mismatch', true]);
    const { json: receipt } = await server.send({
      path: String(misfit?.receipt.url).replace(server.base, ''),
      headers: owner,
    });
    expect([receipt['key'], receipt['status']]).toEqual(['SOURCE_POST', 'failed']);
  });
});

describe('a move', () => {
  it('requires either a direction or a position', async () => {
    await make('moved', '# Moved\n\nOne.\n\nTwo.\n');
    for (const where of [{}, { direction: 'up', to: 1 }])
      expectProblem(
        await post('voxel-move', { slug: 'moved', div_id: 'd2', expected_order: 2, ...where }),
        'body_mismatch',
      );
    expect((await divsOf('moved')).map((div) => div.div_id)).toEqual(['d1', 'd2', 'd3']);
  });
});

describe('sources', () => {
  it('repeated within one call are rejected with the index of the repetition', async () => {
    await make('twice', '# Twice\n');
    const source = { type: 'review', url: 'https://example.org/a', title: 'A', quote: 'The words.' };
    const again = { ...source, url: 'https://EXAMPLE.org/a#top', quote: 'the  words.' };
    expect(violationsOf(await post('sources', { slug: 'twice', sources: [source, again] }))).toEqual([
      ['repeated_source', '/sources/1'],
    ]);
    expect((await read('twice/sources')).json['sources']).toEqual([]);
  });
});

describe('splitting a DIV', () => {
  const split = (slug: string, div: { div_id: string; vx_hash: string }, at: string): Promise<Reply> =>
    server.call('VOXEL_SPLIT', { slug, div_id: div.div_id, expected_hash: div.vx_hash, at }, {}, owner);

  it('creates two consecutive DIVs whose chains and bundle verify', async () => {
    await make('halves', '# Halves\r\n\r\nOne. Two.\r\n\r\nThree.');
    const [, one] = (await divsOf('halves')) as [Div, Div];
    const { status, json } = await split('halves', one, 'Two.');
    expect([status, (json['result'] as { permalink: string }).permalink]).toEqual([
      200,
      `${server.deployment.service.base}/a/halves/d4`,
    ]);
    expect((await read('halves')).json['body']).toBe('# Halves\r\n\r\nOne.\r\n\r\nTwo.\r\n\r\nThree.');
    const bundle = (await read('halves/bundle')).json;
    const key = (await server.send({ path: '/.well-known/colophon-key' })).body.trim();
    await expectVerified(verifyBundle(bundle as never, key), 'halves');
    const again = await split('halves', { ...one, div_id: 'd2' }, 'One');
    expectProblem(again, 'hash_stale');
  });

  it('is rejected where the cut would change the meaning of a part', async () => {
    await make('fenced', '# Fenced\n\n```\none\n\ntwo\n```\n\nThree.\n');
    const [heading, code] = (await divsOf('fenced')) as [Div, Div];
    expectProblem(await split('fenced', code, 'two'), 'boundary_moved');
    for (const [div, at] of [
      [heading, '# Fenced'],
      [code, 'four'],
      [code, 'o'],
    ] as const)
      expect(violationsOf(await split('fenced', div, at))).toEqual([['place', '/at']]);
    expect((await read('fenced')).json['body']).toBe('# Fenced\n\n```\none\n\ntwo\n```\n\nThree.\n');
  });

  it('requires a scope that names the row or its prefix', async () => {
    await make('scoped-split', 'One. Two.\n');
    const [div] = (await divsOf('scoped-split')) as [Div];
    const call = async (grant: Record<string, unknown>): Promise<number> => {
      const { share } = await server.mint({ max_uses: 0, ...grant });
      const body = { slug: 'scoped-split', div_id: 'd1', expected_hash: div.vx_hash, at: 'Two.' };
      return (await server.call('VOXEL_SPLIT', body, { share })).status;
    };
    expect([await call({ scope: 'act' }), await call({ scope: 'pfx', key: 'VOXEL_' })]).toEqual([403, 200]);
  });
});

describe('metadata', () => {
  it('accept a traversal in the form in which it is read', async () => {
    await make('linked', '# Linked\n');
    const traversal = { hub: { slug: 'twice' }, prev: 'moved', series: 'probes', position: 2, of: 3 };
    expect((await post('article', { slug: 'linked', expected_version: 1, traversal })).status).toBe(200);
    const { json } = await read('linked');
    expect(json['extra']).toEqual({ normandy_v1: { traversal } });
    const back = (json['extra'] as { normandy_v1: { traversal: object } }).normandy_v1.traversal;
    expect((await post('article', { slug: 'linked', expected_version: 2, traversal: back })).status).toBe(
      200,
    );
  });

  it('without a change create a receipt and no version', async () => {
    await make('same', '# Same\n');
    const meta = {
      tags: ['a', 'b'],
      style: { b: 1, a: 2 },
      extra: { x: [1] },
      category: null,
      status: 'published',
    };
    const first = await post('article', { slug: 'same', expected_version: 1, ...meta });
    expect(first.json).toMatchObject({
      version: 2,
      changed: ['tags', 'category', 'style', 'status', 'extra'],
    });
    const entries = (await read('same/provenance')).json['provenance'] as unknown[];
    const again = await post('article', {
      slug: 'same',
      expected_version: 2,
      title: 'Same ',
      ...meta,
      style: { a: 2, b: 1 },
    });
    expect(again.json).toMatchObject({ ok: true, version: 2, changed: [] });
    const { id } = again.json['receipt'] as { id: string };
    expect((await server.get({ confirm: id })).json).toMatchObject({ confirmed: true, status: 'success' });
    expect((await read('same/provenance')).json['provenance']).toEqual(entries);
    const stale = await post('article', { slug: 'same', expected_version: 1, ...meta });
    expectProblem(stale, 'conflict');
    const other = await post('article', { slug: 'same', expected_version: 2, ...meta, tags: ['b', 'a'] });
    expect(other.json).toMatchObject({ version: 3 });
  });

  it('of a wrong type are rejected with the expected types', async () => {
    const { problems } = expectProblem(
      await post('article', { slug: 'linked', expected_version: 3, traversal: { hub: 5 }, home: 'yes' }),
      'body_mismatch',
    );
    expect(problems).toEqual([
      'home must be true or false (1 or 0)',
      'traversal/hub must be string or object or null',
    ]);
  });

  it('accept a valid traversal in extra, and reject an invalid one', async () => {
    await make('placed', '# Placed\n');
    const write = (normandy_v1: unknown, version: number): Promise<Reply> =>
      post('article', { slug: 'placed', expected_version: version, extra: { normandy_v1, mine: [1] } });
    for (const [mark, violations] of [
      ['series', [['traversal', '/extra/normandy_v1']]],
      [{ traversal: {}, more: 1 }, [['traversal', '/extra/normandy_v1']]],
      [{ traversal: [] }, [['traversal', '/extra/normandy_v1/traversal']]],
      [
        { traversal: { prev: 'placed', next: '../x', series: 7, position: 1.5, of: 'two', first: 'a' } },
        [
          ['traversal', '/extra/normandy_v1/traversal/first'],
          ['traversal', '/extra/normandy_v1/traversal/series'],
          ['traversal', '/extra/normandy_v1/traversal/position'],
          ['traversal', '/extra/normandy_v1/traversal/of'],
          ['traversal', '/extra/normandy_v1/traversal/prev'],
          ['traversal', '/extra/normandy_v1/traversal/next'],
        ],
      ],
    ] as const)
      expect(violationsOf(await write(mark, 1))).toEqual(violations);
    expect((await read('placed')).json).toMatchObject({ version: 1, extra: {} });
    const traversal = { prev: { slug: 'linked' }, hub: null, series: 'probes', position: 2, of: 3 };
    expect((await write({ traversal }, 1)).status).toBe(200);
    expect((await read('placed')).json).toMatchObject({
      has_traversal: true,
      extra: { normandy_v1: { traversal }, mine: [1] },
      machine: { traversal: { prev: { slug: 'linked' } }, series: 'probes', position: 2, of: 3 },
    });
    expect((await write(null, 2)).status).toBe(200);
    expect((await read('placed')).json).toMatchObject({ has_traversal: false, machine: { series: null } });
  });

  it('that cannot be displayed are rejected with all violations at once', async () => {
    await make('shown', '# Shown\n');
    const refused = await post('article', {
      slug: 'shown',
      expected_version: 1,
      title: ' ',
      hero: 'javascript:alert(1)',
      images: ['https://example.org/a.png', 'data:text/html,x'],
      embeds: ['//example.org/b'],
      tags: ['shown', ' '],
      status: 'secret',
      traversal: { prev: 'shown', next: '../x', position: 4, of: 3 },
    });
    expect(violationsOf(refused)).toEqual([
      ['empty', '/title'],
      ['url', '/hero'],
      ['url', '/images/1'],
      ['url', '/embeds/0'],
      ['empty', '/tags/1'],
      ['unknown_status', '/status'],
      ['traversal', '/traversal/prev'],
      ['traversal', '/traversal/next'],
      ['traversal', '/traversal/position'],
    ]);
    expect((await read('shown')).json['version']).toBe(1);
  });
});

describe('a claim', () => {
  const claim = { tier: 'human', who_claims: 'ada', why_material: 'A test.' };

  it('with a question anywhere in its text is rejected', async () => {
    await make('asked', '# Asked\n');
    const refused = await post('claim', {
      slug: 'asked',
      text: 'Does zinc work? Zinc shortens colds.',
      ...claim,
    });
    expect(violationsOf(refused)).toEqual([
      ['question', '/text'],
      ['several_sentences', '/text'],
    ]);
  });

  it('repaired into the opposite of another claim is reported as a contradiction', async () => {
    await make('repaired', '# Repaired\n');
    const first = 'Sertraline reduces panic attacks in adults with panic disorder.';
    await post('claim', { slug: 'repaired', text: first, ...claim });
    const { json } = await post('claim', {
      slug: 'repaired',
      text: 'Kettles boil water in minutes.',
      ...claim,
    });
    const reply = await post('repair', {
      slug: 'repaired',
      claim_id: 'c2',
      text: 'Sertraline does not reduce panic attacks in adults with panic disorder.',
      rationale: 'The trial says so.',
      expected_hash: (json['claim'] as { hash: string }).hash,
    });
    expect(reply.json['contrary']).toMatchObject([
      {
        id: 'c1',
        text: first,
        proposal: { key: 'MIRROR_APPEND', body: { claim_id: 'c1', kind: 'contradiction' } },
      },
    ]);
  });

  it('rejects a proposed repair whose expected hash is stale', async () => {
    const refused = await post(
      'repair',
      { slug: 'repaired', claim_id: 'c1', text: 'Sertraline helps.', rationale: 'x', expected_hash: '00' },
      {},
    );
    expect(expectProblem(refused, 'hash_stale').detail).toBe('c1 no longer reads as that hash says.');
  });
});

describe('a dry run', () => {
  it('reports what would reject the write against the current state, and writes nothing', async () => {
    await make('rehearsed', '# Rehearsed\n\nOne.\n');
    const before = await server.size();
    const dry = async (key: string, body: object, headers: Record<string, string> = owner) =>
      (await server.call(key, body, { shape: true }, headers)).json;
    const bad = { slug: 'rehearsed', text: 'You should take 5 mg.', tier: 'gold', who_claims: 'ada' };
    const told = await dry('CLAIM_POST', bad);
    expect(told).toMatchObject({ would_run: false, refusal: { error: 'content_rule' } });
    const { violations } = told['refusal'] as { violations: { code: string }[] };
    expect(violations.map(({ code }) => code)).toEqual([
      'advice',
      'dose',
      'unknown_tier',
      'missing_why_material',
    ]);
    const lake = { ...bad, tier: 'human', why_material: 'it dates the thaw' };
    expect(
      await dry('CLAIM_POST', { ...lake, text: 'The lake froze in January and thawed in March.' }),
    ).toMatchObject({
      would_run: true,
      warnings: [
        {
          code: 'compound_suspected',
          at: '/text#26-45',
          fix: 'If so, post each as its own claim: "The lake froze in January." and "The lake thawed in March."',
        },
      ],
    });
    const describes = 'The format makes addition of signed and unsigned integers the same operation.';
    expect(await dry('CLAIM_POST', { ...lake, text: describes })).toMatchObject({
      would_run: true,
      warnings: [{ code: 'compound_suspected', at: '/text#36-76' }],
    });
    const edit = { slug: 'rehearsed', div_id: 'd2', expected_hash: '00', text: 'Two.' };
    expect(await dry('VOXEL_EDIT', edit)).toMatchObject({
      would_run: false,
      refusal: { error: 'hash_stale', current_text: 'One.' },
    });
    const [, div] = await divsOf('rehearsed');
    expect(await dry('VOXEL_EDIT', { ...edit, expected_hash: div?.vx_hash })).toMatchObject({
      would_run: true,
      problem: null,
    });
    const { share } = await server.mint({ scope: 'act', max_uses: 0 });
    const denied = await dry('VOXEL_EDIT', edit, { authorization: `Bearer ${share}` });
    expect([denied['would_run'], denied['refusal']]).toEqual([false, undefined]);
    expect(await dry('CLAIM_POST', { ...bad, slug: 'absent' })).toMatchObject({
      refusal: { error: 'not_found' },
    });
    expect((await read('rehearsed')).json['version']).toBe(1);
    // Minting the share is the one thing that was written.
    expect(await server.size()).toBe(before + 2);
  });
});

describe('a read', () => {
  it('with both rev and at is rejected, and the error for an unknown parameter lists each known name once', async () => {
    await make('past', '# Past\n');
    expectProblem(await read('past?rev=1&at=5'), 'invalid_request');
    const { known } = expectProblem(
      await server.send({ path: '/api/articles?nonsense=1' }),
      'invalid_request',
    ) as { known?: string[] };
    expect(known?.filter((name) => name === 'workspace')).toEqual(['workspace']);
  });
});

describe('the quality score of a source', () => {
  it('is covered by its hash, between 0 and 1, and null if the poster gave none', async () => {
    await make('scored', '# Scored\n\nOne.\n');
    const source = { type: 'review', url: 'https://example.org/scored', title: 'Scored', quote: 'One.' };
    const wrong = await server.call(
      'SOURCE_POST',
      { slug: 'scored', sources: [{ ...source, quality_score: 1.5 }] },
      {},
      owner,
    );
    const [violation] = expectProblem(wrong, 'body_mismatch')['violations'] as { at: string }[];
    expect(violation?.at).toBe('/sources/0/quality_score');
    const sources = [
      { ...source, quality_score: 0.75 },
      { ...source, quote: 'Two.' },
    ];
    expect((await server.call('SOURCE_POST', { slug: 'scored', sources }, {}, owner)).status).toBe(200);
    const body = JSON.stringify({ ...source, quote: 'Three.', quality_score: 0.5 });
    const proposed = await server.call('MIRROR_APPEND', {
      slug: 'scored',
      claim_id: '',
      kind: 'source',
      actor: 'ada',
      body,
    });
    expect([proposed.body, proposed.status]).toEqual([proposed.body, 200]);
    const { id } = (proposed.json['result'] as { contribution: { id: string } }).contribution;
    await server.call('MIRROR_RESOLVE', `scored|${id}|accepted|Fine.`, {}, owner);
    const { json: listed } = await read('scored/sources');
    const scores = (listed['sources'] as { quality_score: number | null }[]).map(
      (each) => each.quality_score,
    );
    expect(scores).toEqual([0.75, null, 0.5]);
    const key = (await server.send({ path: '/.well-known/colophon-key' })).body.trim();
    const { json: bundle } = await server.send({ path: '/api/articles/scored/bundle' });
    await expectVerified(verifyBundle(bundle as never, key), 'scored');
    expect((await server.send({ path: '/a/scored' })).body).toContain('review, quality 0.75');
  });
});

describe('the answer to an article write', () => {
  it('names the revision that it created or refers to, and a permalink that opens', async () => {
    const slug = 'revised';
    await make(slug, '# Revised\n\nOne.\n\nTwo.\n');
    const [, second, third] = (await divsOf(slug)) as [Div, Div, Div];
    const revisions: [string, unknown][] = [];
    const told = async (what: string, writing: Promise<Reply>): Promise<Record<string, unknown>> => {
      const { status, json, body } = await writing;
      expect([what, status, body]).toEqual([what, 200, body]);
      const { revision, permalink, receipt } = json as {
        revision: unknown;
        permalink: string;
        receipt: { id: string };
      };
      expect([what, receipt.id]).toEqual([what, expect.stringMatching(/^inv_/)]);
      const { pathname: path, hash } = new URL(permalink);
      const page = await server.send({ path });
      expect([what, path, page.status]).toEqual([what, path, 200]);
      if (hash !== '')
        expect([what, page.body]).toEqual([what, expect.stringContaining(`id="${hash.slice(1)}"`)]);
      revisions.push([what, revision]);
      return json;
    };
    const below = (path: string, body: object): Promise<Reply> =>
      server.send({ path: `/api/articles/${slug}/${path}`, body, headers: owner });
    const said = { slug, actor: 'ada' };

    await told('claim', post('claim', { ...anyClaim, slug, text: 'One is odd.', why_material: 'Parity.' }));
    await told(
      'challenge',
      post('voxel-challenge', {
        ...said,
        expected_thread_head: 'genesis',
        target_div: second.div_id,
        expected_hash: second.vx_hash,
        stance: 'challenge',
        body: 'Why one?',
      }),
    );
    const contentHash = (await read(slug)).json['content_hash'];
    await told(
      'attest',
      post('voxel-attest', { ...said, outcome: 'nothing_to_add', content_hash: contentHash }),
    );
    const cast = await told(
      'vote',
      post('voxel-vote', {
        ...said,
        target: third.div_id,
        proposal: 'should_burn',
        rationale: 'It is even.',
      }),
    );
    expect(String(cast['permalink'])).toMatch(/\/a\/revised#vote_[a-z2-7]{16}$/);
    await told('ratify', post('voxel-ratify', { vote_id: cast['vote_id'], decision: 'ratified' }));
    await told('thread-update', post('thread-update', { actor: 'ada', target: slug, raw_text: 'Read.' }));
    await told('objection', below('objections', { actor: 'ada', objection: 'It stops at two.' }));
    const asked = { claim_id: 'c1', kind: 'question', actor: 'ada', body: 'Which one is odd?' };
    const contributed = await told('mirror', below('mirror', asked));
    await told('the same again', below('mirror', asked));
    const { id } = contributed['contribution'] as { id: string };
    await told('resolve', below(`mirror/${id}/resolve`, { decision: 'accepted', note: 'Fair.' }));
    await told('ask', post('ask', { slug, question: 'Which number is odd?' }));
    await told('ingest', post('ingest', { slug, evidence: 'Parity is told at https://example.org/parity.' }));
    await told(
      'edit',
      post('voxel-edit', { slug, div_id: second.div_id, expected_hash: second.vx_hash, text: 'Three.' }),
    );
    expect(revisions).toEqual([
      ['claim', 2],
      ['challenge', 2],
      ['attest', 2],
      ['vote', 2],
      ['ratify', 2],
      ['thread-update', 2],
      ['objection', 2],
      ['mirror', 2],
      ['the same again', 2],
      ['resolve', 2],
      ['ask', 2],
      ['ingest', 2],
      ['edit', 3],
    ]);
  });
});
