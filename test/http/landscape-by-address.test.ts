/**
 * Every lane of the landscape, worked on as by a model that can only open addresses of at most 250 characters (contract
 * §7): it leases, fills in the templates of the lease, and reads what became of its work.
 */
import { expect, it } from 'vitest';
import { expectRebuilds, onBothStores } from '../support/both-stores.ts';
import { terminalKey, type Answer, type TestServer } from '../support/server.ts';

const asOwner = { headers: { 'x-terminal-key': terminalKey } };
const urlCharsMax = 250;
const fixedCharsMax = 180;

interface Lease {
  readonly id: string;
  readonly share: string;
  readonly slug: string;
  readonly templates: readonly string[];
  readonly answer: Answer;
}

onBothStores('an assignment by address', (server) => {
  const s = (): TestServer => server();

  async function open(url: string, init?: RequestInit): Promise<Answer> {
    expect([url, url.length <= urlCharsMax]).toEqual([url, true]);
    const response = await fetch(url, init);
    return { ...((await response.json()) as Answer), http: response.status };
  }

  /** Opens the template of a row with everything filled in, and nothing left out. */
  async function say(from: Lease, key: string, values: Readonly<Record<string, string>>): Promise<Answer> {
    const template = from.templates.find((each) => each.includes(`invoke=${key}&`));
    if (template === undefined) throw new Error(`${key} is in none of ${from.templates.join(' ')}`);
    const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name));
    expect(names.sort()).toEqual(Object.keys(values).sort());
    const fixed = template.replaceAll(/\{\w+\}/g, '');
    expect([fixed, fixed.length <= fixedCharsMax]).toEqual([fixed, true]);
    return open(
      template.replaceAll(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(values[name] ?? '')),
    );
  }

  async function queue(cohort: string, target: object = {}, more: object = { open: true }): Promise<void> {
    await s().owner('/api/build-landscape', {
      action: 'queue_targets',
      cohort,
      query: 'Servers',
      sort: 'stars',
      captured_at: '2026-03-01T12:00:00Z',
      targets: [{ id: 'one', name: 'One', ...target }],
      ...more,
    });
  }

  const contributor = async (): Promise<string> =>
    String((await open(`${s().base}/api/workspace/main/enter?role=contributor`))['credential'].token);
  const minted = async (): Promise<string> =>
    String(
      (
        await s().owner('/api/dispatch', {
          key: 'CAP_MINT',
          body: { scope: 'row', key: 'LANDSCAPE_NEXT', ttl: 600, max_uses: 0 },
        })
      )['share'],
    );

  async function lease(cohort: string, lane: string, by: string): Promise<Lease> {
    const query = `next=1&lane=${lane}&cohort=${cohort}&n=1&share=${by}`;
    const answer = await open(`${s().base}/api/build-landscape?${query}`);
    expect(answer).toMatchObject({ http: 200, batch: { method: 'POST' } });
    const { assignment_id: id, share, templates } = answer as unknown as Record<string, string>;
    return {
      id: String(id),
      share: String(share),
      slug: `${cohort}-one`,
      templates: templates as unknown as string[],
      answer,
    };
  }

  const shown = (id: string, init?: RequestInit): Promise<Answer> =>
    open(`${s().base}/api/normandy?assignment=${id}`, init);

  async function publish(slug: string): Promise<void> {
    const { version } = (await (await s().fetch(`/api/articles/${slug}`, asOwner)).json()) as Answer;
    await s().owner('/api/protocol/article', { slug, expected_version: version, status: 'published' });
  }

  const published = (slug: string): Promise<unknown> => s().article('# One\n\nIt serves HTTP.\n', { slug });
  const page = { url: 'https://a.example/one', title: 'One', quote: 'One is MIT licensed.' };
  const finding = { text: 'One is under the MIT licence.', tier: 'system', who_claims: 'One' };

  it('of the lane field is completed by a source, and its claim fills a cell of the table', async () => {
    await queue('field', { axis: 'licence', slot: 'what_is_known' });
    const mine = await lease('field', 'field', await contributor());
    expect(mine.templates.map((each) => each.replace(mine.share, 'sh'))).toEqual([
      `${s().base}/api/dispatch?invoke=SOURCE_POST&share=sh&arg.url={url}&arg.title={title}&arg.quote={quote}`,
      `${s().base}/api/dispatch?invoke=CLAIM_POST&share=sh&arg.text={text}&arg.tier={tier}&arg.who_claims={who_claims}`,
    ]);
    const filed = await say(mine, 'SOURCE_POST', page);
    expect(filed).toMatchObject({
      http: 200,
      result: {
        slug: 'field-one',
        source_ids: ['s1'],
        sources: [{ ...page, type: 'page' }],
        assignment: {
          id: mine.id,
          status: 'completed',
          opened_article: true,
          result: [{ kind: 'source', id: 'field-one/s1' }],
        },
      },
      yield: { material: [{ kind: 'source' }, { kind: 'assignment', id: mine.id }] },
    });
    expect(filed['result_text']).toContain(`${mine.id} is completed.`);
    const claimed = await say(mine, 'CLAIM_POST', finding);
    expect(claimed).toMatchObject({
      http: 200,
      result: {
        claim: {
          source_ids: ['s1'],
          slot: 'what_is_known',
          extra: {
            comparison: {
              population: 'field: Servers',
              axis: 'licence',
              captured_at: '2026-03-01T12:00:00Z',
              selection: 'Servers, sorted by stars',
            },
          },
        },
        assignment: { status: 'completed' },
      },
    });
    // The receipt has the arguments with which the call ran.
    const receipt = await open(
      `${s().base}/api/dispatch?receipt=${claimed['invocation'].id}&share=${mine.share}`,
    );
    expect(JSON.parse(String(receipt['request'].body))).toMatchObject({
      slug: 'field-one',
      source_ids: ['s1'],
    });
    const table = `${s().base}/api/build-landscape?cohort=field&table=1`;
    expect(await open(table)).toMatchObject({ cells: { filled: 0 } });
    await publish('field-one');
    expect(await open(table)).toMatchObject({
      cells: { all: 1, filled: 1 },
      rows: [{ cells: [{ axis: 'licence', claim: { id: 'c1', sources: [{ id: 's1', title: 'One' }] } }] }],
    });
    expect(await shown(mine.id)).toMatchObject({
      assignment: {
        status: 'completed',
        result: [
          { kind: 'source', id: 'field-one/s1' },
          { kind: 'claim', id: 'field-one/c1' },
        ],
      },
      templates: [],
    });
  });

  it('of the lane build is completed by blocks of text, which only its share can read until it is published', async () => {
    await queue('build');
    const mine = await lease('build', 'build', await contributor());
    const built = await say(mine, 'VOXEL_BATCH', { markdown: 'One serves **HTTP**.' });
    expect(built).toMatchObject({
      http: 200,
      result: {
        slug: 'build-one',
        status: 'draft',
        assignment: { status: 'completed', opened_article: true },
      },
    });
    const draft = `${s().base}/api/articles/build-one`;
    expect((await open(draft))['http']).toBe(404);
    const read = await open(`${draft}?share=${mine.share}`);
    expect(read).toMatchObject({ http: 200, title: 'One' });
    expect(String(read['markdown'] ?? read['body'])).toContain('One serves **HTTP**.');
  });

  it('of the lane opposition is completed by a challenge of the snapshot’s block, or by a vote', async () => {
    await queue('oppose', {}, {});
    const mine = await lease('oppose', 'opposition', await minted());
    const said = await say(mine, 'VOXEL_CHALLENGE', { body: 'Stars say nothing of use.', actor: 'ada' });
    expect(said).toMatchObject({
      http: 200,
      result: { entry: { stance: 'challenge', target: 'd2' }, assignment: { status: 'completed' } },
    });
    await queue('oppose-votes', {}, {});
    await published('oppose-votes-one');
    const other = await lease('oppose-votes', 'opposition', await minted());
    const voted = { proposal: 'should_burn', rationale: 'It says little.', actor: 'ada' };
    expect(await say(other, 'VOXEL_VOTE', voted)).toMatchObject({
      http: 200,
      result: { vote: { target: 'd2' }, assignment: { status: 'completed', result: [{ kind: 'vote' }] } },
    });
  });

  it('of the lane opposition is completed by a claim where a contributor works on a draft', async () => {
    await queue('oppose-draft');
    const mine = await lease('oppose-draft', 'opposition', await contributor());
    // A draft cannot be challenged, and a challenge begins none.
    const challenge = `${s().base}/api/dispatch?invoke=VOXEL_CHALLENGE&share=${mine.share}&arg.body=No.&arg.actor=a`;
    expect(await open(challenge)).toMatchObject({ http: 404, error: 'not_found' });
    expect((await open(`${s().base}/api/articles/oppose-draft-one`, asOwner))['http']).toBe(404);
    expect(await say(mine, 'SOURCE_POST', page)).toMatchObject({
      result: { assignment: { status: 'open', needs: expect.stringContaining('challenge') as string } },
    });
    expect(await shown(mine.id)).toMatchObject({ assignment: { status: 'open' } });
    expect(await say(mine, 'CLAIM_POST', finding)).toMatchObject({
      result: {
        claim: { source_ids: ['s1'] },
        assignment: { status: 'completed', result: [{ kind: 'claim' }] },
      },
    });
  });

  it.each([
    ['has an axis', { axis: 'licence' }, finding],
    ['has none, so that the worker names one', {}, { ...finding, axis: 'licence' }],
  ])(
    'of the lane synthesis is completed by a comparison with a source, where its item %s',
    async (name, target, values) => {
      const cohort = `synthesis-${Object.keys(target).length}`;
      await queue(cohort, target);
      const mine = await lease(cohort, 'synthesis', await contributor());
      expect(await say(mine, 'SOURCE_POST', page)).toMatchObject({
        result: { assignment: { status: 'open' } },
      });
      expect([name, await say(mine, 'CLAIM_POST', values)]).toMatchObject([
        name,
        {
          http: 200,
          result: {
            claim: {
              source_ids: ['s1'],
              extra: { comparison: { axis: 'licence', population: `${cohort}: Servers` } },
            },
            assignment: { status: 'completed', result: [{ kind: 'claim' }] },
          },
        },
      ]);
    },
  );

  it.each([
    ['field', 'source'],
    ['build', 'source'],
    ['opposition', 'objection'],
    ['synthesis', 'audit'],
  ])(
    'of the lane %s is completed by a contributor in the mirror of a published article',
    async (lane, kind) => {
      const cohort = `mirror-${lane}`;
      await published(`${cohort}-one`);
      await queue(cohort);
      const mine = await lease(cohort, lane, await contributor());
      // Nothing that the binding denies is offered.
      expect(mine.templates.filter((each) => /SOURCE_POST|CLAIM_POST|VOXEL_BATCH/.test(each))).toEqual([]);
      const body = 'https://a.example says "One is MIT licensed."';
      expect(await say(mine, 'MIRROR_APPEND', { body, actor: 'ada' })).toMatchObject({
        http: 200,
        result: {
          contribution: { kind, claim_id: '', article: `${cohort}-one`, status: 'proposed' },
          assignment: { status: 'completed', result: [{ kind: 'contribution' }] },
        },
      });
    },
  );

  it('gives the addresses to whoever holds the share, and shows the share to nobody', async () => {
    await queue('shown');
    const mine = await lease('shown', 'field', await contributor());
    const read = await shown(mine.id);
    expect(JSON.stringify(read)).not.toContain(mine.share);
    expect(read['templates']).toEqual([
      ...mine.templates.map((each) => each.replace(mine.share, '{share}')),
      `${s().base}/api/dispatch?invoke=LANDSCAPE_RETURN&share={share}`,
    ]);
    const template = String((read['templates'] as string[])[0]).replace('{share}', mine.share);
    const filled = template.replaceAll(/\{(\w+)\}/g, (_all, name: 'url') => encodeURIComponent(page[name]));
    expect(await open(filled)).toMatchObject({ http: 200, result: { assignment: { status: 'completed' } } });
  });

  it('is given back by the address of the lease, which names nothing else', async () => {
    await queue('back');
    const mine = await lease('back', 'field', await contributor());
    expect(await open(String(mine.answer['return_url']))).toMatchObject({
      http: 200,
      result: { assignment_id: mine.id, status: 'returned' },
    });
    expect(await shown(mine.id)).toMatchObject({
      assignment: { status: 'returned' },
      templates: [],
      batch: null,
    });
  });

  it('refuses a template that was not filled in', async () => {
    await queue('unfilled');
    const mine = await lease('unfilled', 'field', await contributor());
    const [source] = mine.templates as [string];
    expect(await open(source.replace('{url}', 'https://a.example').replace('{title}', 'One'))).toMatchObject({
      http: 422,
      error: 'body_mismatch',
      violations: [{ code: 'placeholder', at: '/sources/0/quote' }],
    });
    expect(await shown(mine.id)).toMatchObject({ assignment: { status: 'open' } });
  });

  it('fills in nothing for another article, another credential or another row', async () => {
    await published('bound-other');
    await queue('bound');
    const holder = await contributor();
    const mine = await lease('bound', 'field', holder);
    const call = (key: string, share: string, more: string): Promise<Answer> =>
      open(`${s().base}/api/dispatch?invoke=${key}&share=${share}${more}`);
    const text = '&arg.text=One+serves.&arg.tier=system&arg.who_claims=One&arg.why_material=x';
    expect(await call('CLAIM_POST', mine.share, `&arg.slug=bound-other${text}`)).toMatchObject({
      http: 403,
      error: 'scope_denied',
      gate: 'scope',
    });
    const act = await s().owner('/api/dispatch', { key: 'CAP_MINT', body: { scope: 'act', ttl: 600 } });
    expect(await call('CLAIM_POST', String(act['share']), text)).toMatchObject({
      http: 422,
      violations: [{ code: 'missing', at: '/slug' }],
    });
    expect(await call('LANDSCAPE_RETURN', holder, '')).toMatchObject({ http: 422, error: 'body_mismatch' });
    expect(await call('ARTICLE_META', mine.share, '&arg.title=Pills')).toMatchObject({
      http: 403,
      gate: 'scope',
    });
    // Metadata beside the text is refused as in a document.
    await queue('bound-build');
    const build = await lease('bound-build', 'build', await contributor());
    expect(await call('VOXEL_BATCH', build.share, '&arg.markdown=A.&arg.title=Pills')).toMatchObject({
      http: 422,
      violations: [{ code: 'unknown_argument', at: '/title' }],
    });
    expect(await call('VOXEL_BATCH', mine.share, '&arg.markdown=A.')).toMatchObject({
      http: 403,
      gate: 'scope',
    });
    expect((await open(`${s().base}/api/articles/bound-build-one`, asOwner))['http']).toBe(404);
  });

  it('tells what is wrong with a call of its own work, though it names no article', async () => {
    await queue('wrong');
    const mine = await lease('wrong', 'field', await contributor());
    const bare = `${s().base}/api/dispatch?invoke=CLAIM_POST&share=${mine.share}`;
    expect(await open(`${bare}&arg.tier=system&arg.why_material=x`)).toMatchObject({
      http: 422,
      error: 'body_mismatch',
      violations: [
        { code: 'missing', at: '/text' },
        { code: 'missing', at: '/who_claims' },
      ],
    });
  });

  it('repeats its first answer where an address is opened again', async () => {
    await queue('again');
    const mine = await lease('again', 'field', await contributor());
    const first = await say(mine, 'SOURCE_POST', page);
    const again = await say(mine, 'SOURCE_POST', page);
    expect(again).toMatchObject({
      idempotent_replay: true,
      invocation: { id: first['invocation'].id as string },
    });
    expect(again['result']).toEqual(first['result']);
  });

  it('leaves projections that a ledger replay reproduces', () => expectRebuilds(s()));
});
