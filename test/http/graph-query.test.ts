import fc from 'fast-check';
import { expect, it } from 'vitest';
import { evaluate, type Row } from '../../src/domain/query/evaluate.ts';
import { queryFields } from '../../src/model/query-fields.ts';
import { parseOrder, parseWhere } from '../../src/domain/query/grammar.ts';
import { isFault } from '../../src/kernel/fault.ts';
import { expectRebuilds, onBothStores } from '../support/both-stores.ts';
import { terminalKey, type Answer, type TestServer } from '../support/server.ts';

const tiers = ['human', 'preclinical', 'anecdotal', 'mechanistic', 'speculative', 'system'];
const nouns = ['Bread', 'Iron', 'Wool', 'Zinc', 'Éclairs', 'Salt', 'Glass', 'Clay', 'Paper', 'Milk'];

/** Two articles; `stuff` holds ten claims, `other` one, both cite the same page. */
async function fill(server: TestServer): Promise<void> {
  for (const slug of ['stuff', 'other']) {
    await server.article(`# ${slug}\n\nFirst.\n\nSecond.\n`, { slug });
    await server.owner('/api/protocol/sources', {
      slug,
      sources: [
        {
          type: 'review',
          url: 'https://www.rfc-editor.org/rfc/rfc6962',
          title: 'RFC 6962',
          quote: 'Merkle audit proofs',
        },
      ],
    });
  }
  for (const [i, noun] of nouns.entries()) {
    await server.owner('/api/protocol/claim', {
      slug: 'stuff',
      text: `${noun} keeps its ${['form', 'colour', 'weight'][i % 3]} in water.`,
      tier: tiers[i % 6],
      who_claims: 'A test',
      ...(i % 2 === 0 ? { source_ids: ['s1'] } : { why_material: 'Readers ask.' }),
      ...(tiers[i % 6] === 'mechanistic' ? { slot: 'mechanism' } : {}),
    });
  }
  await server.owner('/api/protocol/claim', {
    slug: 'other',
    text: 'The sea holds salt.',
    tier: 'human',
    who_claims: 'A test',
    source_ids: ['s1'],
  });
  await server.owner('/api/protocol/retract', { slug: 'stuff', claim_id: 'c2', reason: 'Wrong.' });
}

async function query(server: TestServer, parameters: Record<string, string>): Promise<Answer> {
  const response = await server.fetch(`/api/v1/query?${new URLSearchParams(parameters).toString()}`);
  return (await response.json()) as Answer;
}

const ids = (answer: Answer): string[] => (answer['rows'] as Answer[]).map((row) => String(row['id']));

onBothStores('the graph query', (server) => {
  it('rejects a value outside an enumeration, with its position and the allowed values', async () => {
    const wrong = async (kind: string, where: string): Promise<unknown[]> => {
      const answer = await query(server(), { from: '*', kind, where });
      return [answer['error'], answer['at'], answer['detail'], answer['expected']];
    };
    expect(await wrong('claim', 'weight>0, tier = bogus')).toEqual([
      'invalid_request',
      18,
      '"where" is wrong at character 18: tier is never "bogus".',
      ['human', 'preclinical', 'anecdotal', 'mechanistic', 'speculative', 'system'],
    ]);
    expect((await query(server(), { from: '*', kind: 'claim', where: 'weight>heavy' }))['fix']).toBe(
      'Write a number there.',
    );
    expect((await wrong('question', 'status!=open'))[3]).toEqual(['gap', 'answered', 'enriched']);
    expect((await wrong('contribution', 'status="Accepted"'))[3]).toEqual([
      'proposed',
      'accepted',
      'rejected',
    ]);
    expect((await wrong('invocation', 'status=failure'))[3]).toContain('failed');
    expect((await wrong('div', 'kind=paragraphs'))[1]).toBe(6);
    for (const [kind, where] of [
      ['claim', 'section=bogus,who_claims=bogus'],
      ['claim', 'slot=""'],
      ['div', 'kind~para'],
      ['article', 'category=bogus'],
    ] as const)
      expect(await query(server(), { from: '*', kind, where })).toMatchObject({ ok: true });
  });

  it('filters claims by tier, weight, text and status, and returns them with the requested order and fields', async () => {
    await fill(server());
    const human = await query(server(), { from: 'stuff', kind: 'claim', where: 'tier=human' });
    expect(human).toMatchObject({ ok: true, kind: 'claim', count: 2, next: null });
    expect(ids(human)).toEqual(['c1', 'c7']);
    expect(human['rows'][0]).toMatchObject({
      kind: 'claim',
      slug: 'stuff',
      text: 'Bread keeps its form in water.',
      weight: 0.8,
      sources: 1,
      permalink: `${server().base}/a/stuff/c1`,
    });
    expect(ids(await query(server(), { from: 'stuff', where: 'text~ÉCLAIRS' }))).toEqual(['c5']);
    expect(ids(await query(server(), { from: 'stuff', where: 'status=retracted' }))).toEqual(['c2']);
    expect(ids(await query(server(), { from: 'stuff', where: 'version>0.5,version<1.5' }))).toHaveLength(10);
    const heavy = await query(server(), {
      from: 'stuff,other',
      where: 'weight>=0.5',
      order: '-weight',
      fields: 'id,slug,weight',
    });
    expect(heavy['rows'].slice(-1)).toEqual([{ id: 'c8', slug: 'stuff', weight: 0.5 }]);
    expect(heavy['count']).toBe(4);
    expect(ids(await query(server(), { from: '*', where: 'text~salt' })).sort()).toEqual(['c1', 'c6']);
  });

  it('returns every claim once across pages, in each sort order and with ties', async () => {
    for (const order of ['weight', '-weight', 'tier', '-posted_at', '']) {
      const seen: string[] = [];
      let url: string | null =
        `${server().base}/api/v1/query?from=stuff&limit=3${order === '' ? '' : `&order=${order}`}`;
      while (url !== null) {
        const page = (await (await fetch(url)).json()) as Answer;
        seen.push(...ids(page));
        url = page['next'] as string | null;
      }
      expect([...new Set(seen)]).toHaveLength(10);
      expect(seen).toHaveLength(10);
    }
  });

  it('returns every substring match once across pages, in each sort order', async () => {
    for (const order of ['weight', '-weight', 'tier', '-posted_at', '-id', '']) {
      const asked = { from: 'stuff', where: 'text~e', ...(order === '' ? {} : { order }) };
      const whole = ids(await query(server(), asked));
      expect(whole.length).toBeGreaterThan(3);
      const seen: string[] = [];
      let page = await query(server(), { ...asked, limit: '2' });
      seen.push(...ids(page));
      while (page['next'] !== null) {
        page = (await (await fetch(String(page['next']))).json()) as Answer;
        seen.push(...ids(page));
      }
      expect([order, seen]).toEqual([order, whole]);
    }
    const weights = (
      await query(server(), { from: 'stuff', where: 'text~e', order: '-weight', fields: 'weight' })
    )['rows'].map(({ weight }: Answer) => weight as number);
    expect(weights).toEqual(weights.toSorted((a: number, b: number) => b - a));
  });

  it('returns the same claims as filtering and sorting in memory', async () => {
    const all = (await query(server(), { from: 'stuff' }))['rows'] as Answer[];
    const rows: Row[] = all.map((value, n) => ({ key: ['stuff', n + 1], value }));
    const condition = fc.oneof(
      fc.tuple(
        fc.constantFrom('tier', 'status', 'slot', 'id'),
        fc.constantFrom('<', '>='),
        fc.constantFrom('human', 'active', 'mechanism', 'c5', 'm'),
      ),
      fc
        .tuple(
          fc.constantFrom(
            ['tier', 'human'],
            ['status', 'active'],
            ['slot', 'mechanism'],
            ['id', 'c5'],
            ['id', 'm'],
          ),
          fc.constantFrom('=', '!='),
        )
        .map(([[field, value], op]) => [field, op, value]),
      fc.tuple(
        fc.constantFrom('weight', 'sources', 'version'),
        fc.constantFrom('=', '!=', '>', '<='),
        fc.constantFrom('0.3', '1', '0', '0.05'),
      ),
      fc.tuple(fc.constant('text'), fc.constantFrom('~', '!='), fc.constantFrom('WATER', 'form', 'zzz')),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(condition, { maxLength: 3 }),
        fc.constantFrom('weight', '-tier', '-id', 'text'),
        async (conditions, order) => {
          const where = conditions.map((parts) => parts.join('')).join(',');
          const filters = parseWhere(where, queryFields.claim);
          const by = parseOrder(order, queryFields.claim);
          if (isFault(filters) || isFault(by)) throw new Error('it was not read');
          const expected = evaluate(rows, filters, by, undefined, 50).map(({ value }) => value['id']);
          expect(ids(await query(server(), { from: 'stuff', where, order }))).toEqual(expected);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('filters articles, sources, DIVs, contributions, discourse and votes', async () => {
    await server().anybody('/api/articles/stuff/mirror', {
      claim_id: 'c1',
      kind: 'audit',
      actor: 'ada',
      body: 'Read.',
    });
    await server().anybody('/api/articles/stuff/objections', { objection: 'Which water?', surface: 'S1' });
    await server().anybody('/api/protocol/voxel-vote', {
      slug: 'stuff',
      target: 'd2',
      proposal: 'should_split',
      rationale: 'Two subjects.',
      actor: 'ada',
    });
    const from = 'stuff';
    expect(ids(await query(server(), { from: '*', kind: 'article', order: 'title' }))).toEqual([
      'other',
      'stuff',
    ]);
    expect((await query(server(), { from, kind: 'source', where: 'claims>4' }))['rows']).toMatchObject([
      { id: 's1', claims: 5 },
    ]);
    expect(ids(await query(server(), { from, kind: 'div', where: 'kind=paragraph,text~second' }))).toEqual([
      'd3',
    ]);
    expect((await query(server(), { from, kind: 'contribution', where: 'status=proposed' }))['count']).toBe(
      1,
    );
    expect(
      (await query(server(), { from, kind: 'discourse', where: 'stance=objection,status=open' }))['count'],
    ).toBe(1);
    expect((await query(server(), { from, kind: 'vote', where: 'proposal=should_split' }))['count']).toBe(1);
  });

  it.each([
    [{ from: 'stuff', where: 'teir=human' }, 'where'],
    [{ from: 'stuff', order: 'x' }, 'order'],
    [{ from: 'stuff', fields: 'x' }, 'fields'],
    [{ from: 'stuff', kind: 'planet' }, 'kind'],
    [{ from: 'stuff', cursor: 'abc' }, 'cursor'],
    [{ from: 'stuff', order: 'weight', cursor: 'WyJhIiwiYiIsMV0' }, 'cursor'],
    [{ where: 'tier=human' }, 'from'],
    [{ from: 'stuff', limit: '0' }, 'limit'],
  ])('rejects %j and names the parameter', async (parameters, parameter) => {
    expect(await query(server(), parameters as Record<string, string>)).toMatchObject({
      ok: false,
      error: 'invalid_request',
      status: 400,
      parameter,
    });
  });

  it('hides drafts from anonymous callers, and treats SQL in a filter as text', async () => {
    await server().article('# Draft\n\nHidden.\n', { slug: 'hidden', status: 'draft' });
    expect((await query(server(), { from: 'hidden' }))['error']).toBe('not_found');
    expect(ids(await query(server(), { from: '*', kind: 'article' }))).not.toContain('hidden');
    expect((await query(server(), { from: 'stuff', where: `section="' OR 1=1 --"` }))['count']).toBe(0);
    expect((await query(server(), { from: `stuff' OR '1'='1` }))['error']).toBe('not_found');
  });

  it('leaves projections that a ledger replay reproduces', () => expectRebuilds(server()));
});

onBothStores('the graph query over invocations', (server) => {
  it('returns the public fields of each invocation, newest first, without its request', async () => {
    await fill(server());
    const response = await server().fetch('/api/protocol/claim', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-terminal-key': terminalKey },
      body: JSON.stringify({
        slug: 'other',
        text: 'Is it salt?',
        tier: 'human',
        who_claims: 'A secret name',
      }),
    });
    expect(response.status).toBe(422);
    const all = await query(server(), { from: 'other', kind: 'invocation' });
    expect(all['rows']).toMatchObject([
      { kind: 'invocation', slug: 'other', key: 'CLAIM_POST', status: 'failed', actor: 'owner' },
      { key: 'CLAIM_POST', status: 'success' },
      { key: 'SOURCE_POST', status: 'success' },
      { key: 'VOXEL_BATCH', status: 'success' },
    ]);
    expect(JSON.stringify(all)).not.toMatch(/salt|secret name/);
    const [failed] = all['rows'] as Answer[];
    expect(Object.keys(failed as Answer).sort()).toEqual([
      'actor',
      'id',
      'key',
      'kind',
      'permalink',
      'slug',
      'status',
      'ts',
    ]);
    const where = `id=${String(failed?.['id'])}`;
    expect((await query(server(), { from: '*', kind: 'invocation', where }))['count']).toBe(1);
  });

  it('filters and orders invocations, and returns each once across pages', async () => {
    const posted = { from: 'stuff', kind: 'invocation', where: 'key=CLAIM_POST,status=success' };
    expect((await query(server(), posted))['count']).toBe(10);
    for (const order of ['', '-ts', 'key', '-status']) {
      const seen: string[] = [];
      let page = await query(server(), {
        from: 'stuff,other',
        kind: 'invocation',
        limit: '3',
        ...(order === '' ? {} : { order }),
      });
      for (;;) {
        seen.push(...ids(page));
        if (page['next'] === null) break;
        page = (await (await fetch(String(page['next']))).json()) as Answer;
      }
      expect([order, seen.length, new Set(seen).size]).toEqual([order, 17, 17]);
    }
    expect(await query(server(), { from: 'stuff', kind: 'invocation', where: 'body~x' })).toMatchObject({
      error: 'invalid_request',
      at: 1,
    });
  });
});

onBothStores('the graph', (server) => {
  it('contains claims, the sources they cite, and links between sources that articles share', async () => {
    await fill(server());
    const graph = await server().read('/api/graph?slugs=stuff,other&layer=evidence');
    expect(graph).toMatchObject({ ok: true, layer: 'evidence', count: { nodes: 15 }, next: null });
    expect(graph['nodes']).toContainEqual({
      id: 'claim:stuff/c1',
      kind: 'claim',
      label: 'Bread keeps its form in water.',
      url: `${server().base}/a/stuff/c1`,
      tier: 'human',
      weight: 0.8,
      status: 'active',
    });
    expect(graph['edges']).toContainEqual({ from: 'claim:stuff/c1', rel: 'cites', to: 'source:stuff/s1' });
    expect(graph['edges']).toContainEqual({ from: 'source:other/s1', rel: 'same_as', to: 'source:stuff/s1' });
    const divs = await server().read('/api/graph?slugs=stuff&kinds=article,div');
    expect(divs['nodes'].map((node: Answer) => node['id'])).toEqual([
      'article:stuff',
      'div:stuff/d1',
      'div:stuff/d2',
      'div:stuff/d3',
    ]);
  });

  it('contains every node and edge once across pages, and rejects a depth of 9', async () => {
    const whole = await server().read('/api/graph?slugs=stuff');
    const nodes: string[] = [];
    const edges: string[] = [];
    let url: string | null = `${server().base}/api/graph?slugs=stuff&limit=4`;
    while (url !== null) {
      const page = (await (await fetch(url)).json()) as Answer;
      nodes.push(...page['nodes'].map((node: Answer) => String(node['id'])));
      edges.push(...page['edges'].map((edge: Answer) => JSON.stringify(edge)));
      url = page['next'] as string | null;
    }
    expect(nodes).toEqual(whole['nodes'].map((node: Answer) => node['id']));
    expect(edges.sort()).toEqual(whole['edges'].map((edge: Answer) => JSON.stringify(edge)).sort());
    const response = await server().fetch('/api/graph?slugs=stuff&depth=9');
    expect(response.status).toBe(400);
  });

  it('names in the yield layer which invocations created which objects, and their cost', async () => {
    const { nodes, edges, totals } = await server().read('/api/graph?slugs=other&layer=yield');
    const landed = (edges as Answer[]).filter((edge) => edge['rel'] === 'landed').map((edge) => edge['to']);
    expect(landed.map(String).sort((a, b) => (a < b ? -1 : 1))).toEqual([
      'claim:other/c1',
      'div:other/d1',
      'div:other/d2',
      'div:other/d3',
      'source:other/s1',
    ]);
    expect((nodes as Answer[]).filter((node) => node['kind'] === 'invocation')).toHaveLength(3);
    expect(totals).toEqual({
      landed: 5,
      tokens: 0,
      cost_usd: 0,
      tokens_per_object: 0,
      cost_usd_per_object: 0,
    });
  });

  it('contains in the reflex layer objections, proposed repairs and the claims they changed', async () => {
    const { contribution } = await server().anybody('/api/articles/other/mirror', {
      claim_id: 'c1',
      kind: 'repair',
      actor: 'ada',
      body: 'Sea water holds dissolved salt.',
    });
    await server().owner(`/api/articles/other/mirror/${contribution.id}/resolve`, { decision: 'accepted' });
    await server().anybody('/api/articles/other/objections', { objection: 'Which sea?', surface: 'S2' });
    const { nodes, edges } = await server().read('/api/graph?slugs=other&layer=reflex');
    const id = `contribution:other/${contribution.id}`;
    expect(edges).toContainEqual({ from: id, rel: 'proposes_repair_of', to: 'claim:other/c1' });
    expect(edges).toContainEqual({ from: id, rel: 'changed', to: 'claim:other/c1', version: 2 });
    expect((nodes as Answer[]).find((node) => node['id'] === id)).toMatchObject({ status: 'accepted' });
    expect((edges as Answer[]).map((edge) => edge['rel'])).toContain('objects_to');
  });
});
