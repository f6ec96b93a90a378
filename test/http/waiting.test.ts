/** The queue of the desk (contract §8): what waits, page by page, and decisions on one item or on many. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { formType, signIn } from '../support/desk.ts';
import { storeKinds } from '../support/stores.ts';
import { expectRebuilds } from '../support/both-stores.ts';
import { openLocal, owner, terminalKey, type LocalServer, type Reply } from './local.ts';

const claim = (text: string) => ({
  slug: 'alpha',
  text,
  tier: 'system',
  who_claims: 'ada',
  why_material: 'The title says so.',
});

describe.each(storeKinds().map(({ name }) => name))('the queue on %s', (name) => {
  let server: LocalServer;
  let database: TestDatabases | undefined;
  let cookie: string;
  let formToken: string;

  beforeAll(async () => {
    if (name === 'postgres') database = await sharedPostgres();
    server = await openLocal(database === undefined ? {} : { databaseUrl: await database.database() });
    for (const slug of ['alpha', 'beta'])
      await server.deployment.did('VOXEL_BATCH', {
        document: { slug, title: `The ${slug}`, markdown: `# ${slug}\n\nOne stands here.\n\nTwo follows.\n` },
      });
    await server.deployment.did('CLAIM_POST', claim('Alpha is the first letter of the Greek alphabet.'));
    ({ cookie, formToken } = await signIn(server.base, terminalKey));
  });

  afterAll(async () => {
    await expectRebuilds(server);
    await server.end();
    await database?.stop();
  });

  const post = (path: string, fields: Record<string, string>, session = { cookie, formToken }) =>
    server.send({
      path,
      headers: { ...formType, origin: server.base, cookie: session.cookie },
      body: new URLSearchParams({ form_token: session.formToken, workspace: 'main', ...fields }).toString(),
    });
  const page = async (query = '', session = { cookie }): Promise<string> => {
    const reply = await server.send({ path: `/owner/waiting${query}`, headers: { cookie: session.cookie } });
    expect(reply.status).toBe(200);
    return reply.body;
  };
  const propose = async (body: Record<string, string>): Promise<string> => {
    const { json, status } = await server.call('MIRROR_APPEND', { actor: 'zed', claim_id: '', ...body });
    expect(status).toBe(200);
    return (json['result'] as { contribution: { id: string } }).contribution.id;
  };
  const ask = (text: string, slug = 'alpha') => propose({ slug, kind: 'question', body: text });
  const reword = (text: string) => propose({ slug: 'alpha', claim_id: 'c1', kind: 'repair', body: text });
  const object = async (text: string, at = 'alpha/d2'): Promise<string> => {
    const { json } = await server.call('OBJECTION_LOG', { slug: at, objection: text, actor: 'ada' });
    return (json['result'] as { entry: { id: string } }).entry.id;
  };
  const counts = (body: string): Record<string, number> =>
    Object.fromEntries(
      [...body.matchAll(/>([A-Z][a-z]+)<span class="tab-count"> (\d+)<\/span>/g)].map(([, tab = '', n]) => [
        tab,
        Number(n),
      ]),
    );
  const clear = async (): Promise<void> => {
    for (;;) {
      const chosen = [...(await page()).matchAll(/name="(choose [a-z]+ \w+)"/g)].map(
        ([, field = '']) => field,
      );
      if (chosen.length === 0) return;
      const fields = Object.fromEntries(chosen.map((field) => [field, '1']));
      await post('/owner/waiting', { ...fields, decision: 'reject', note: 'cleared' });
      await post('/owner/waiting', { ...fields, decision: 'accept', note: 'cleared' });
    }
  };
  const decide = (fields: Record<string, string>): Promise<Reply> =>
    post('/owner/call', { section: 'waiting', ...fields });

  it('shows the present wording beside the proposed one, and the paragraph of an objection', async () => {
    await reword('Alpha is the first letter of every Greek alphabet.');
    await object('Nobody says where it stands.');
    const body = await page();
    expect(body).toContain('Alpha is the first letter of <del>the</del> Greek alphabet.');
    expect(body).toContain('Alpha is the first letter of <ins>every</ins> Greek alphabet.');
    expect(body).toMatch(/One stands here\.[^]{0,400}Nobody says where it stands\./);
    await clear();
    expect(await page()).toContain('Nothing waits here.');
  });

  it('is read as JSON with what each decision would change, and the call that decides it', async () => {
    const id = await reword('Alpha begins the alphabet of the Greeks.');
    const entry = await object('Its place in the row is not told.');
    const read = async (query: string): Promise<Record<string, never>> =>
      JSON.parse((await server.send({ path: `/api/waiting${query}`, headers: owner })).body) as Record<
        string,
        never
      >;
    const all = await read('?limit=1');
    expect(all['counts']).toMatchObject({ calls: 0, wording: 1, objections: 1 });
    expect(all['items']).toMatchObject([
      {
        id: entry,
        queue: 'objections',
        kind: 'entry',
        article: { slug: 'alpha', title: 'The alpha', url: 'http://127.0.0.1:8787/a/alpha' },
        target: { id: 'd2', text: 'One stands here.' },
        stale: false,
        decide: { key: 'THREAD_SETTLE', args: { slug: 'alpha', entry } },
        entry: { body: 'Its place in the row is not told.' },
      },
    ]);
    const second = await read(String(all['next']).replace('http://127.0.0.1:8787/api/waiting', ''));
    expect(second['next']).toBeNull();
    expect(second['items']).toMatchObject([
      {
        id,
        queue: 'wording',
        target: { id: 'c1', text: 'Alpha is the first letter of the Greek alphabet.' },
        decide: { key: 'MIRROR_RESOLVE', args: { slug: 'alpha', contribution_id: id } },
        contribution: { body: 'Alpha begins the alphabet of the Greeks.' },
      },
    ]);
    expect((await read('?queue=votes'))['items']).toEqual([]);
    expect((await read('?article=beta'))['count']).toBe(0);
    await clear();
  });

  it('is read as JSON by those who may open the desk, each with what the page shows him', async () => {
    const read = async (headers: Record<string, string>): Promise<readonly [number, unknown]> => {
      const reply = await server.send({ path: '/api/waiting', headers });
      const answer = JSON.parse(reply.body) as { counts?: { calls: number }; error?: string };
      return [reply.status, answer.counts?.calls ?? answer.error];
    };
    const gated = { scope: 'row', key: 'CLAIM_POST', owner_gate: true, max_uses: 5 };
    const [mine, theirs] = [await server.mint(gated), await server.mint(gated)];
    const asked = await server.call('CLAIM_POST', claim('Alpha has no dot.'), { share: mine.share });
    expect(asked.status).toBe(202);
    const bearer = ({ share }: { share: string }) => read({ authorization: `Bearer ${share}` });
    expect(await read(owner)).toEqual([200, 1]);
    expect([await bearer(mine), await bearer(theirs)]).toEqual([
      [200, 1],
      [200, 0],
    ]);
    const start = JSON.parse((await server.send({ path: '/start' })).body) as {
      credential: { token: string };
    };
    expect(await read({ authorization: `Bearer ${start.credential.token}` })).toEqual([403, 'scope_denied']);
    expect(await read({})).toEqual([401, 'credential_required']);
    const { id } = asked.json['invocation'] as { id: string };
    await server.call('OIP_APPROVE', { id, decision: 'declined' }, {}, owner);
  });

  it('pages thousands by place, in both orders, and of one article', async () => {
    for (let i = 10; i < 40; i++) await ask(`Which number is ${i}?`);
    await ask('What of the other?', 'beta');
    const first = await page();
    expect(counts(first)).toMatchObject({ All: 31, Questions: 31, Wording: 0 });
    expect([first.includes('What of the other?'), first.includes('Which number is 10?')]).toEqual([
      true,
      false,
    ]);
    const next = /href="([^"]*after=[^"]*)"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const second = await page(next.slice('/owner/waiting'.length));
    expect(second.match(/data-step/g)).toHaveLength(6);
    expect(second).toContain('Which number is 10?');
    const oldest = await page('?order=oldest');
    expect(oldest.indexOf('Which number is 10?')).toBeLessThan(oldest.indexOf('Which number is 11?'));
    const beta = await page('?article=beta');
    expect([beta.match(/data-step/g)?.length, beta.includes('What of the other?')]).toEqual([1, true]);
    expect(await page('?article=gamma')).toContain('Nothing that waits matches.');
    expect(await page('?queue=votes')).toContain('Nothing waits here.');
    await clear();
  });

  it('filters by kind, person and age, counts what matches, and suggests what there is', async () => {
    for (const [actor, kind] of [
      ['zed', 'question'],
      ['maya', 'question'],
      ['maya', 'objection'],
    ] as const)
      await propose({ slug: 'alpha', kind, actor, body: `What does ${actor} mean by ${kind}?` });
    const all = await page();
    expect(all).toContain('<option value="maya">maya (2)</option>');
    expect(all).toContain('<option value="alpha">The alpha (3)</option>');
    expect(all).toContain('<option value="question">question (2)</option>');
    const found = async (query: string): Promise<[number, string]> => {
      const body = await page(query);
      return [body.match(/data-step/g)?.length ?? 0, /[\d,]+ items? match(?:es)?/.exec(body)?.[0] ?? ''];
    };
    expect(await found('?person=maya')).toEqual([2, '2 items match']);
    expect(await found('?person=maya&kind=question')).toEqual([1, '1 item matches']);
    expect(await found('?queue=objections&person=zed')).toEqual([0, '0 items match']);
    expect(await found('?age=new')).toEqual([3, '3 items match']);
    expect(await found('?age=day')).toEqual([0, '0 items match']);
    expect(await found('?age=unheard&kind=')).toEqual([3, '']);
    // A filter is kept from queue to queue.
    expect(await page('?person=maya')).toContain('href="/owner/waiting?person=maya&amp;queue=questions"');
    await clear();
  });

  it('decides many with one note, each by a call of its own, and reports which were refused', async () => {
    const [asked, another] = [await ask('Who counts?'), await ask('Who reads?')];
    const entry = await object('It lacks a date.');
    const decided = await ask('Was it decided?');
    await server.call('MIRROR_RESOLVE', `alpha|${decided}|rejected|no`, {}, owner);
    const before = await server.size();
    const reply = await post('/owner/waiting', {
      [`choose questions ${asked}`]: '1',
      [`choose questions ${another}`]: '1',
      [`choose questions ${decided}`]: '1',
      [`choose objections ${entry}`]: '1',
      decision: 'reject',
      note: 'Out of scope.',
      once: 'form_aaaa',
    });
    expect(reply.status).toBe(200);
    expect(reply.body).toContain('2 of 4 decisions are on the ledger');
    expect(reply.body).toContain('An entry of the discussion is settled, not rejected.');
    expect(reply.body).toContain('It no longer waits: it was decided meanwhile.');
    expect(reply.body.match(/✓ the question/g)).toHaveLength(2);
    const mirror = await server.send({ path: '/api/articles/alpha/mirror' });
    expect(mirror.body.match(/Out of scope\./g)).toHaveLength(2);
    // Each has a receipt of its own: one entry of the article and one of the call.
    expect((await server.size()) - before).toBe(4);
    const settled = await post('/owner/waiting', {
      [`choose objections ${entry}`]: '1',
      decision: 'accept',
      note: 'The date is in d3.',
    });
    expect(settled.body).toContain('1 of 1 decision is on the ledger');
    const { json } = await server.send({ path: '/api/articles/alpha/discourse' });
    expect(json['entries']).toContainEqual(
      expect.objectContaining({ id: entry, note: 'The date is in d3.' }),
    );
    expect((await post('/owner/waiting', { decision: 'accept' })).status).toBe(422);
  });

  it('decides once however often the answer to a form is reloaded', async () => {
    const asked = await ask('Is it sent twice?');
    const fields = { [`choose questions ${asked}`]: '1', decision: 'accept', once: 'form_bbbb' };
    expect((await post('/owner/waiting', fields)).body).toContain('1 of 1 decision is on the ledger');
    expect((await post('/owner/waiting', fields)).body).toContain('It no longer waits');
  });

  it('lists what a wording breaks at its item, keeps what was typed, and accepts it once mended', async () => {
    const id = await reword('Alpha opens the Greek alphabet.');
    const fields = {
      row: 'MIRROR_RESOLVE',
      item: `wording ${id}`,
      slug: 'alpha',
      contribution_id: id,
      decision: 'accepted',
      note: 'Shorter, and as true.',
    };
    const text = 'Alpha opens the alphabet of Greece. It is the first letter.';
    const refused = await decide({ ...fields, text });
    expect(refused.status).toBe(422);
    expect(refused.body).toContain('<strong>Not done.</strong>');
    expect(refused.body).toContain(`>${text}</textarea>`);
    expect(refused.body).toContain('value="Shorter, and as true."');
    expect(refused.body).toContain('<details class="disclosure" open');
    const mended = await decide({ ...fields, text: 'Alpha opens the alphabet of Greece.' });
    expect(mended.status).toBe(303);
    expect(await page(String(mended.headers['location']).slice('/owner/waiting'.length))).toContain(
      'Accepted the repair to c1 of alpha, in your wording.',
    );
    const { json } = await server.send({ path: '/api/articles/alpha/claims' });
    expect(json['claims']).toMatchObject([{ text: 'Alpha opens the alphabet of Greece.', version: 2 }]);
  });

  it('accepts the proposed wording as proposed where the owner left it', async () => {
    const proposed = 'Alpha opens the alphabet that the Greeks write.';
    const id = await reword(proposed);
    const sent = { row: 'MIRROR_RESOLVE', item: `wording ${id}`, slug: 'alpha', contribution_id: id };
    expect((await decide({ ...sent, decision: 'accepted', text: proposed })).status).toBe(303);
    const mirror = await server.send({ path: '/api/articles/alpha/mirror' });
    const view = (mirror.json['contributions'] as { id: string; effect: object }[]).find(
      (each) => each.id === id,
    );
    expect(view?.effect).not.toHaveProperty('mended');
    const other = await reword('Alpha heads the Greek alphabet.');
    const rejected = { ...sent, item: `wording ${other}`, contribution_id: other, decision: 'rejected' };
    expect((await decide({ ...rejected, text: 'Alpha heads it.' })).status).toBe(303);
  });

  it('marks a wording stale whose claim has changed, and accepts it on the wording shown', async () => {
    const [first, second] = [
      await reword('Alpha begins the Greek alphabet.'),
      await reword('Alpha leads the Greek alphabet.'),
    ];
    await server.call('MIRROR_RESOLVE', `alpha|${first}|accepted|yes`, {}, owner);
    const body = await page();
    expect(body).toContain('<span class="chip chip-stale">stale</span>');
    const together = await post('/owner/waiting', { [`choose wording ${second}`]: '1', decision: 'accept' });
    expect(together.body).toContain('0 of 1 decision are on the ledger');
    const [, hash = ''] = /name="expected_hash" value="([0-9a-f]{64})"/.exec(body) ?? [];
    const decided = await decide({
      row: 'MIRROR_RESOLVE',
      item: `wording ${second}`,
      slug: 'alpha',
      contribution_id: second,
      decision: 'accepted',
      expected_hash: hash,
    });
    expect(decided.status).toBe(303);
    expect(await page()).toContain('Nothing waits here.');
  });

  it('keeps the page and the filter that a decision was made on', async () => {
    const id = await ask('Where am I led?');
    const led = await decide({
      row: 'MIRROR_RESOLVE',
      item: `questions ${id}`,
      place: 'queue=questions&order=oldest&elsewhere=1',
      slug: 'alpha',
      contribution_id: id,
      decision: 'rejected',
    });
    expect(led.headers['location']).toMatch(
      /^\/owner\/waiting\?queue=questions&order=oldest&done=inv_\w{16}$/,
    );
  });

  it('shows the request of a call as it is, what it costs, and the picture that came of it', async () => {
    const { share } = await server.mint({
      scope: 'row',
      key: 'CREATIVE_GENERATE',
      risk_ceiling: 'high',
      owner_gate: true,
      max_uses: 5,
    });
    const request = { engine: 'local', prompt: 'A reader & a stream', size: '64x64' };
    const proposed = await server.call('CREATIVE_GENERATE', request, { share });
    const { id } = proposed.json['invocation'] as { id: string };
    const body = await page('?queue=calls');
    expect(body).toContain('<dt>prompt</dt><dd dir="auto">A reader &amp; a stream</dd>');
    expect(body).toContain('Costs nothing: it is drawn on this machine.');
    expect((await decide({ row: 'OIP_APPROVE', item: `calls ${id}`, id, decision: 'approved' })).status).toBe(
      303,
    );
    const after = await page('?queue=calls');
    const [, picture = ''] =
      /<img src="(\/blobs\/[0-9a-f]{64})" alt="The picture that CREATIVE_GENERATE made"/.exec(after) ?? [];
    expect((await server.send({ path: picture })).headers['content-type']).toBe('image/png');
    const policy = (await server.send({ path: '/owner/waiting', headers: { cookie } })).headers[
      'content-security-policy'
    ];
    expect(policy).toContain("img-src 'self'; media-src 'self'");
  });

  it('shows of calls, drafts and assignments what the credential may see', async () => {
    const gated = { scope: 'row', key: 'CLAIM_POST', owner_gate: true, max_uses: 5 };
    const [mine, theirs] = [await server.mint(gated), await server.mint(gated)];
    await server.call('CLAIM_POST', claim('Mine waits for the owner.'), { share: mine.share });
    const other = await server.call('CLAIM_POST', claim('Theirs waits for the owner.'), {
      share: theirs.share,
    });
    const { id } = other.json['invocation'] as { id: string };
    const writer = await server.mint({ scope: 'rows', keys: ['VOXEL_BATCH'], ttl: 600, max_uses: 0 });
    const document = {
      slug: 'plan',
      title: 'A plan of theirs',
      markdown: '# Plan\n\nOne.\n',
      status: 'draft',
    };
    expect((await server.call('VOXEL_BATCH', { document }, { share: writer.share })).status).toBe(200);
    const all = await page('?queue=calls');
    expect([all.includes('Mine waits'), all.includes('Theirs waits')]).toEqual([true, true]);
    expect(await page('?queue=drafts')).toContain('A plan of theirs');
    const holder = await signIn(server.base, mine.share);
    const own = await page('?queue=calls', holder);
    expect([own.includes('Mine waits'), own.includes('Theirs waits')]).toEqual([true, false]);
    expect(counts(own)).toMatchObject({ Calls: 1 });
    const named = await post('/owner/waiting', { [`choose calls ${id}`]: '1', decision: 'accept' }, holder);
    expect([named.body.includes('It no longer waits'), named.body.includes('Theirs waits')]).toEqual([
      true,
      false,
    ]);
    const bound = await signIn(
      server.base,
      (await server.mint({ scope: 'row', key: 'VOXEL_EDIT', article: 'alpha' })).share,
    );
    // Neither in the list nor among the suggestions, which name writers too.
    const drafts = await page('?queue=drafts', bound);
    expect([drafts.includes('A plan of theirs'), drafts.includes(writer.fingerprint)]).toEqual([
      false,
      false,
    ]);
    expect(await page('?queue=drafts')).toContain(`<option value="${writer.fingerprint}">`);
    const refused = await post('/owner/call', { section: 'access', row: 'KEY_MINT', scopes: 'act' }, bound);
    expect([refused.status, refused.body.includes('Waiting</h1>')]).toEqual([403, true]);
    expect(refused.body).not.toContain(mine.fingerprint);
    await server.call('ARTICLE_META', { slug: 'plan', expected_version: 1, status: 'published' }, {}, owner);
    expect(await page('?queue=drafts')).not.toContain('A plan of theirs');
  });
});
