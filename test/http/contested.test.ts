/** A contested claim looks contested in every read (contract §5), and settles alike in all of them. */
import { expect, it } from 'vitest';
import { onBothStores } from '../support/both-stores.ts';
import { connect as connectMcp } from './mcp-client.ts';
import { terminalKey, type Answer, type TestServer } from '../support/server.ts';

const ownerKey = { 'x-terminal-key': terminalKey };

/** An article with two claims, of which the second stands in a section that d4 belongs to. */
async function contestedArticle(server: TestServer, slug: string): Promise<void> {
  await server.article(
    `# ${slug}\n\nNothing disputed here.\n\n## Receipts\n\nA receipt is kept for every write of ${slug}.\n`,
    { slug },
  );
  const posted = { slug, tier: 'system', who_claims: 'Colophon', why_material: 'Readers rely on it.' };
  await server.owner('/api/protocol/claim', { ...posted, text: `Every write of ${slug} is hashed.` });
  await server.owner('/api/protocol/claim', {
    ...posted,
    text: `The log of ${slug} lists receipts in order.`,
    section: 'receipts',
  });
}

async function contribute(server: TestServer, slug: string, kind: string, body: string, claimId = 'c1') {
  const { contribution } = await server.anybody(`/api/articles/${slug}/mirror`, {
    claim_id: claimId,
    kind,
    actor: 'ada',
    body,
  });
  return (contribution as Answer).id as string;
}

async function challenge(server: TestServer, slug: string, divId: string, body: string): Promise<string> {
  const { divs } = await server.read(`/api/articles/${slug}/voxels`);
  const { thread_head: head } = await server.read(`/api/articles/${slug}/discourse`);
  const { entry } = await server.anybody('/api/protocol/voxel-challenge', {
    slug,
    expected_thread_head: head,
    target_div: divId,
    expected_hash: divs.find((div: Answer) => div.div_id === divId).vx_hash,
    stance: 'challenge',
    body,
    actor: 'ada',
  });
  return (entry as Answer).id as string;
}

async function resolve(server: TestServer, slug: string, id: string, decision: string): Promise<void> {
  await server.owner(`/api/articles/${slug}/mirror/${id}/resolve`, { decision, note: 'weighed' });
}

const totals = ({ objections, contradictions, challenges, repairs }: Answer): number[] =>
  [objections, contradictions, challenges, repairs].map(({ total }: Answer) => total);

onBothStores('a contested claim', (server) => {
  it('shows objections, contradictions, challenges and repairs in every read of its article', async () => {
    const slug = 'disputed';
    const base = server().deployment.service.base;
    await contestedArticle(server(), slug);
    const objection = await contribute(server(), slug, 'objection', 'Reads are not hashed.');
    const contradiction = await contribute(server(), slug, 'contradiction', 'Source s9 says otherwise.');
    const repair = await contribute(server(), slug, 'repair', `Every accepted write of ${slug} is hashed.`);
    await contribute(server(), slug, 'question', 'Which hash?');
    const challenged = await challenge(server(), slug, 'd4', 'Which receipts are meant?');
    const { entry } = await server().anybody(`/api/articles/${slug}/objections`, {
      actor: 'bob',
      objection: 'It has no sources at all.',
    });

    const { claims, contested } = await server().read(`/api/articles/${slug}/claims`);
    expect(claims[0].contested).toMatchObject({
      objections: {
        count: 1,
        total: 1,
        entries: [
          {
            id: objection,
            target: 'c1',
            status: 'proposed',
            permalink: `${base}/a/${slug}/c1#${objection}`,
          },
        ],
      },
      contradictions: { count: 1, entries: [{ id: contradiction, status: 'proposed' }] },
      challenges: { count: 0, total: 0, entries: [] },
      repairs: { count: 1, entries: [{ id: repair, status: 'proposed' }] },
    });
    expect(claims[0].proposed.map(({ id, kind }: Answer) => [id, kind])).toEqual([
      [objection, 'objection'],
      [contradiction, 'contradiction'],
      [repair, 'repair'],
      [claims[0].proposed[3].id, 'question'],
    ]);
    expect(claims[0].contributions).toEqual([]);
    // The challenged block stands in the section that the claim names.
    expect(claims[1].contested.challenges).toMatchObject({
      count: 1,
      entries: [
        { id: challenged, target: 'd4', status: 'open', permalink: `${base}/a/${slug}#${challenged}` },
      ],
    });
    expect([totals(claims[0].contested), totals(claims[1].contested), totals(contested)]).toEqual([
      [1, 1, 0, 1],
      [0, 0, 1, 0],
      [2, 1, 1, 1],
    ]);

    const masthead = await server().read(`/api/articles/${slug}/masthead`);
    expect(
      masthead.standing_objections.map(({ kind, target, text, status }: Answer) => [
        kind,
        target,
        text,
        status,
      ]),
    ).toEqual([
      ['objection', '', 'It has no sources at all.', 'open'],
      ['challenge', 'd4', 'Which receipts are meant?', 'open'],
      ['contradiction', 'c1', 'Source s9 says otherwise.', 'proposed'],
      ['objection', 'c1', 'Reads are not hashed.', 'proposed'],
    ]);
    expect(masthead.standing_objections[0].permalink).toBe(`${base}/a/${slug}#${entry.id}`);
    expect(masthead.load_bearing.map((each: Answer) => totals(each.contested))).toEqual([
      [1, 1, 0, 1],
      [0, 0, 1, 0],
    ]);

    const state = await server().read(`/api/protocol/thread-state?target=${slug}`);
    expect(state.open.map(({ id }: Answer) => id)).toEqual([
      entry.id,
      challenged,
      repair,
      contradiction,
      objection,
    ]);
    expect([state.counts, state.settled, totals(state.contested)]).toEqual([
      {
        total: 5,
        open: 5,
        settled: 0,
        by_stance: { objection: 2, challenge: 1, repair: 1, contradiction: 1 },
      },
      [],
      [2, 1, 1, 1],
    ]);

    const { count, objections } = await server().read(`/api/articles/${slug}/objections`);
    expect([count, objections.map(({ id }: Answer) => id)]).toEqual([2, [entry.id, objection]]);

    for (const part of ['masthead', 'claims', 'sources', 'voxels', 'discourse', 'health']) {
      const { result, result_text: text } = await server().read(
        `/api/dispatch?invoke=ARTICLE_INSPECT&body=${slug}%7C${part}`,
      );
      expect([part, totals(result.contested)]).toEqual([part, [2, 1, 1, 1]]);
      expect(text).toBe(
        `The ${part} of ${slug}. It stands contested: 2 objections, 1 contradiction, 1 challenge, 1 proposed repair.`,
      );
    }

    const article = await server().read(`/api/articles/${slug}`);
    expect([totals(article.contested), article.claims.map((each: Answer) => totals(each.contested))]).toEqual(
      [
        [2, 1, 1, 1],
        [
          [1, 1, 0, 1],
          [0, 0, 1, 0],
        ],
      ],
    );
    const topology = await server().read(`/api/articles/${slug}/topology`);
    expect(topology.claims.map((each: Answer) => totals(each.contested))).toEqual([
      [1, 1, 0, 1],
      [0, 0, 1, 0],
    ]);
    const graph = await server().read(`/api/graph?slugs=${slug}`);
    expect(
      graph.nodes.filter(({ kind }: Answer) => kind === 'claim').map((node: Answer) => node.contested),
    ).toEqual([3, 1]);

    const { results } = await server().read(`/api/search?q=${slug}+hashed&kind=claim`);
    expect(results.map(({ id, contested: found }: Answer) => [id, totals(found)])).toEqual([
      ['c1', [1, 1, 0, 1]],
      ['c2', [0, 0, 1, 0]],
    ]);

    const line = `- c1 (system, weight 0.35): Every write of ${slug} is hashed.\n  - contested: 1 objection, 1 contradiction, 1 proposed repair\n  - ${objection} (proposed): ${base}/a/${slug}/c1#${objection}\n`;
    for (const path of [`?format=markdown`, '/skill']) {
      const text = await (await server().fetch(`/api/articles/${slug}${path}`)).text();
      expect(text).toContain(line);
    }
    const exact = await (await server().fetch(`/api/articles/${slug}?format=markdown&raw=1`)).text();
    expect(exact).not.toContain('contested');
    const page = await (await server().fetch(`/a/${slug}`)).text();
    expect(page).toContain('1 objection, 1 contradiction, 1 proposed repair');

    const mcp = await connectMcp(base);
    const told = await mcp.call('read', { target: slug });
    expect(told.texts.join('\n')).toContain(line);
    const claim = await mcp.call('read', { target: `${base}/a/${slug}/c1` });
    expect(totals(claim.answer['contested'] as Answer)).toEqual([1, 1, 0, 1]);
    await mcp.client.close();
  });

  it('shows an accepted objection as standing, and no rejected one and no applied repair', async () => {
    const slug = 'decided';
    await contestedArticle(server(), slug);
    const accepted = await contribute(server(), slug, 'objection', 'Reads are not hashed.');
    const rejected = await contribute(server(), slug, 'contradiction', 'Another page says otherwise.');
    const repair = await contribute(server(), slug, 'repair', `Every accepted write of ${slug} is hashed.`);
    await resolve(server(), slug, accepted, 'accepted');
    await resolve(server(), slug, rejected, 'rejected');
    await resolve(server(), slug, repair, 'accepted');
    const { claims } = await server().read(`/api/articles/${slug}/claims`);
    expect(totals(claims[0].contested)).toEqual([1, 0, 0, 0]);
    expect(claims[0].contested.objections.entries).toMatchObject([
      // The claim was repaired since.
      { id: accepted, status: 'accepted', text_changed: true },
    ]);
    expect(claims[0].contributions.map(({ id, status }: Answer) => [id, status])).toEqual([
      [accepted, 'accepted'],
      [repair, 'accepted'],
    ]);
    expect(claims[0].proposed).toEqual([]);
    const state = await server().read(`/api/protocol/thread-state?target=${slug}`);
    const ids = (list: Answer[]): Set<string> => new Set(list.map(({ id }) => id));
    expect([ids(state.open), ids(state.settled)]).toEqual([new Set([accepted]), new Set([rejected, repair])]);
    const { standing_objections: standing } = await server().read(`/api/articles/${slug}/masthead`);
    expect(standing.map(({ id, status }: Answer) => [id, status])).toEqual([[accepted, 'accepted']]);
  });

  it('changes the answer and its ETag with each write to mirror and thread', async () => {
    const slug = 'fresh';
    await contestedArticle(server(), slug);
    const paths = [
      `/api/articles/${slug}`,
      `/api/articles/${slug}?format=markdown`,
      `/api/articles/${slug}/claims`,
      `/api/articles/${slug}/masthead`,
      `/api/articles/${slug}/topology`,
      `/api/articles/${slug}/skill`,
      `/api/protocol/thread-state?target=${slug}`,
      `/a/${slug}`,
    ];
    const tags = async (): Promise<(string | null)[]> =>
      Promise.all(paths.map(async (path) => (await server().fetch(path)).headers.get('etag')));
    const before = await tags();
    expect(await tags()).toEqual(before);
    await contribute(server(), slug, 'objection', 'Reads are not hashed.');
    const proposed = await tags();
    expect(proposed.filter((tag, i) => tag === null || tag === before[i])).toEqual([]);
    await challenge(server(), slug, 'd4', 'Which receipts are meant?');
    const challenged = await tags();
    expect(challenged.filter((tag, i) => tag === proposed[i])).toEqual([]);
    const { results } = await server().read(`/api/search?q=${slug}+order&kind=claim`);
    expect(totals(results[0].contested)).toEqual([0, 0, 1, 0]);
  });

  it('is as it stood at an earlier moment', async () => {
    const slug = 'earlier';
    await contestedArticle(server(), slug);
    await contribute(server(), slug, 'objection', 'Reads are not hashed.');
    await server().owner('/api/protocol/claim', {
      slug,
      text: 'A later claim about nothing else.',
      tier: 'system',
      who_claims: 'Colophon',
      why_material: 'It makes a revision.',
    });
    const past = await server().read(`/api/articles/${slug}/claims?rev=3`);
    const now = await server().read(`/api/articles/${slug}/claims`);
    expect([past.claims.length, now.claims.length, totals(past.contested), totals(now.contested)]).toEqual([
      2,
      3,
      [0, 0, 0, 0],
      [1, 0, 0, 0],
    ]);
  });

  it('answers the mirror of a draft to its owner alone', async () => {
    await server().article('# draft\n\nText.\n', { slug: 'unpublished', status: 'draft' });
    const path = '/api/articles/unpublished/mirror';
    const own = await server().fetch(path, { headers: ownerKey });
    expect([own.status, ((await own.json()) as Answer).count]).toEqual([200, 0]);
    expect((await server().fetch(path)).status).toBe(404);
  });
});
