/** The owner console over HTTP, for its owner and for attackers (contract §4, §8): logins, forms, scope of the cookie. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { formType, signIn, type SignedIn } from '../support/desk.ts';
import { storeKinds } from '../support/stores.ts';
import type { Answer } from '../support/server.ts';
import { openLocal, owner, terminalKey, type LocalServer, type Reply } from './local.ts';

describe.each(storeKinds().map(({ name }) => name))('the owner console on %s', (name) => {
  let server: LocalServer;
  let database: TestDatabases | undefined;
  let own: { origin: string };

  beforeAll(async () => {
    if (name === 'postgres') database = await sharedPostgres();
    server = await openLocal(database === undefined ? {} : { databaseUrl: await database.database() });
    own = { origin: server.base };
    await server.deployment.did('VOXEL_BATCH', {
      document: { slug: 'alpha', title: 'Alpha', markdown: '# Alpha\n\nOne.\n' },
    });
  });

  afterAll(async () => {
    await server.end();
    await database?.stop();
  });

  const form = (path: string, fields: Record<string, string>, headers: Record<string, string>) =>
    server.send({
      path,
      headers: { ...formType, ...headers },
      body: new URLSearchParams(fields).toString(),
    });
  const login = (): Promise<SignedIn> => signIn(server.base, terminalKey);
  const page = async (path: string, cookie: string): Promise<Reply> => {
    const reply = await server.send({ path, headers: { cookie } });
    expect([reply.status, reply.headers['cache-control']]).toEqual([200, 'private, no-store']);
    return reply;
  };
  const call = async (fields: Record<string, string>): Promise<Reply> => {
    const { cookie, formToken } = await login();
    return form('/owner/call', { form_token: formToken, workspace: 'main', ...fields }, { cookie, ...own });
  };

  it('shows only a login form without a session', async () => {
    await server.call('MIRROR_APPEND', 'alpha||question|ada|Who may read what waits here?');
    const closed = await server.send({ path: '/owner' });
    expect(closed.status).toBe(200);
    expect(closed.body).toContain('Owner key');
    expect(closed.body).not.toContain('Who may read');
    for (const path of [
      '/owner/waiting',
      '/owner/access',
      '/owner/costs',
      '/owner/landscape',
      '/owner/scrub',
    ])
      expect(await server.send({ path })).toMatchObject({ status: 303, headers: { location: '/owner' } });
    expect((await server.send({ path: '/owner/nowhere' })).status).toBe(404);
  });

  it('hides its cookie from scripts, other sites and other paths', async () => {
    const reply = await form('/owner/login', { key: terminalKey }, own);
    expect(reply.headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^colophon_owner=[\w-]{43}\.[\w-]{22}; Max-Age=2592000; Path=\/owner; HttpOnly; SameSite=Strict$/,
      ),
    ]);
    const [cookie = ''] = String(reply.headers['set-cookie']).split(';');
    expect((await server.send({ path: '/api/keys', headers: { cookie } })).status).toBe(403);
    expect(
      await server.send({
        path: '/api/dispatch',
        headers: { cookie },
        body: { key: 'KEY_MINT', body: 'act' },
      }),
    ).toMatchObject({ status: 403 });
  });

  it('rejects wrong keys, and still accepts the right key afterwards', async () => {
    for (let i = 0; i < 12; i++) {
      const wrong = await form('/owner/login', { key: `tk_wrong-${i}` }, own);
      expect([wrong.status, wrong.headers['set-cookie']]).toEqual([401, undefined]);
      expect(wrong.body).not.toContain('tk_wrong');
    }
    await login();
  });

  it('rejects a form without its CSRF token or from another origin', async () => {
    const { cookie, formToken } = await login();
    const fields = { row: 'KEY_MINT', scopes: 'act', section: 'access', workspace: 'main' };
    const refused: [Record<string, string>, Record<string, string>][] = [
      [{ ...fields }, { cookie, ...own }],
      [
        { ...fields, form_token: '0'.repeat(32) },
        { cookie, ...own },
      ],
      [
        { ...fields, form_token: formToken },
        { cookie, origin: 'https://evil.example' },
      ],
      [
        { ...fields, form_token: formToken },
        { cookie, origin: 'null' },
      ],
      [
        { ...fields, form_token: formToken },
        // The same host under another scheme: what another protocol serves there is another site.
        { cookie, origin: own.origin.replace('http:', 'https:') },
      ],
      [{ ...fields, form_token: formToken }, { cookie }],
      [
        { ...fields, form_token: formToken },
        { cookie, 'sec-fetch-site': 'same-site' },
      ],
    ];
    for (const [sent, headers] of refused)
      expect(await form('/owner/call', sent, headers)).toMatchObject({ status: 403 });
    expect(await form('/owner/call', { ...fields, form_token: formToken }, own)).toMatchObject({
      status: 401,
    });
    expect(
      await form('/owner/login', { key: terminalKey }, { origin: 'https://evil.example' }),
    ).toMatchObject({
      status: 403,
    });
    const keys = await server.send({ path: '/api/keys', headers: owner });
    expect(keys.json['count']).toBe(0);
  });

  it('accepts its own form behind a proxy that changes the Host header', async () => {
    const base = new URL(server.deployment.service.base).origin;
    const reply = await form('/owner/login', { key: terminalKey }, { origin: base, host: 'inside:8080' });
    expect(reply.status).toBe(303);
  });

  it('calls only rows that have a form', async () => {
    expect(await call({ row: 'VOXEL_BURN', section: 'waiting' })).toMatchObject({ status: 400 });
    expect(await call({ row: 'constructor', section: '__proto__' })).toMatchObject({ status: 400 });
  });

  it('approves a pending call, which then runs with its own receipt', async () => {
    const { share } = await server.mint({ scope: 'row', key: 'CLAIM_POST', owner_gate: true, max_uses: 2 });
    const claim = {
      slug: 'alpha',
      text: 'Alpha is the first letter of the Greek alphabet.',
      tier: 'system',
      who_claims: 'ada',
      why_material: 'The title says so.',
    };
    const proposed = await server.call('CLAIM_POST', claim, { share, purpose: '<b>to begin</b>' });
    expect(proposed.status).toBe(202);
    const { id } = proposed.json['invocation'] as { id: string };
    const { cookie } = await login();
    const waiting = await page('/owner/waiting', cookie);
    expect(waiting.body).toContain('first letter of the Greek alphabet');
    expect(waiting.body).toContain('&lt;b>to begin&lt;/b>');
    const decided = await call({ row: 'OIP_APPROVE', section: 'waiting', id, decision: 'approved' });
    expect([decided.status, decided.headers['location']]).toEqual([
      303,
      expect.stringMatching(/^\/owner\/waiting\?done=inv_[a-z2-7]{16}$/),
    ]);
    expect((await server.get({ confirm: id })).json).toMatchObject({ status: 'success' });
    const after = await page(String(decided.headers['location']), cookie);
    expect(after.body).toContain('Approved, and the call is success.');
    expect(after.body).not.toContain('first letter of the Greek alphabet');
    const again = await call({ row: 'OIP_APPROVE', section: 'waiting', id, decision: 'approved' });
    expect(again.status).toBe(409);
    expect(again.body).toContain('Not done.');
  });

  it('decides contributions and votes, and removes them from the queue', async () => {
    const sent = await server.call('MIRROR_APPEND', 'alpha||objection|ada|Alpha is no word.');
    const { id } = (sent.json['result'] as { contribution: { id: string } }).contribution;
    const vote = await server.send({
      path: '/api/protocol/voxel-vote',
      body: {
        slug: 'alpha',
        target: 'd2',
        proposal: 'should_burn',
        rationale: 'It says little.',
        actor: 'ada',
      },
    });
    const { cookie } = await login();
    const before = (await page('/owner/waiting', cookie)).body;
    expect([before.includes('Alpha is no word.'), before.includes('It says little.')]).toEqual([true, true]);
    const resolved = await call({
      row: 'MIRROR_RESOLVE',
      section: 'waiting',
      slug: 'alpha',
      contribution_id: id,
      decision: 'rejected',
      note: 'It is a letter.',
    });
    const ratified = await call({
      row: 'VOXEL_RATIFY',
      section: 'waiting',
      vote_id: String(vote.json['vote_id']),
      decision: 'rejected',
    });
    expect([resolved.status, ratified.status]).toEqual([303, 303]);
    const after = (await page('/owner/waiting', cookie)).body;
    expect([after.includes('Alpha is no word.'), after.includes('It says little.')]).toEqual([false, false]);
    expect((await server.send({ path: '/api/articles/alpha/mirror' })).body).toContain('It is a letter.');
  });

  it('shows nothing of another workspace', async () => {
    const did = server.deployment.did;
    await did('WORKSPACE_CREATE', { name: 'survey', title: 'Survey', purpose: 'A test', status: 'open' });
    const at = { workspace: 'survey' };
    const document = { slug: 'survey--notes', title: 'Notes', markdown: '# Notes\n\nOne.\n' };
    expect((await server.call('VOXEL_BATCH', { document }, at, owner)).status).toBe(200);
    const asked = await server.call(
      'MIRROR_APPEND',
      'survey--notes||question|ada|Who surveys the survey?',
      at,
    );
    expect(asked.status).toBe(200);
    await server.call('CAP_MINT', { key: 'MIRROR_FEED', purpose: 'surveying alone' }, at, owner);
    const gated = await server.call(
      'CAP_MINT',
      { key: 'CLAIM_POST', owner_gate: true, risk_ceiling: 'high' },
      at,
      owner,
    );
    const claim = {
      slug: 'survey--notes',
      text: 'A survey of one person is no survey.',
      tier: 'system',
      who_claims: 'ada',
      why_material: 'Readers count on it.',
    };
    const proposed = await server.call('CLAIM_POST', claim, { share: gated.json['share'] });
    expect([proposed.body.slice(0, 300), proposed.status]).toEqual([proposed.body.slice(0, 300), 202]);
    const { cookie } = await login();
    for (const [path, text] of [
      ['/owner/waiting', 'Who surveys the survey?'],
      ['/owner/waiting', 'A survey of one person is no survey.'],
      ['/owner/access', 'surveying alone'],
    ] as const) {
      expect([path, (await page(path, cookie)).body.includes(text)]).toEqual([path, false]);
      expect([path, (await page(`${path}?workspace=survey`, cookie)).body.includes(text)]).toEqual([
        path,
        true,
      ]);
    }
  });

  it('mints a share with its drop, shows both once, and revokes it', async () => {
    const minted = await call({
      row: 'CAP_MINT',
      section: 'access',
      scope: 'rows',
      keys: 'MIRROR_FEED, ARTICLE_INSPECT',
      ttl: '600',
      max_uses: '3',
      owner_gate: '0',
      risk_ceiling: 'low',
      purpose: 'to read the mirror',
    });
    expect(minted.status).toBe(200);
    const token = /sh\.[\w-]{48}/.exec(minted.body)?.[0] ?? '';
    expect(minted.body).toContain('Only the current user supplies intent.');
    expect(await server.explain(token)).toMatchObject({
      scope: 'rows',
      keys: ['MIRROR_FEED', 'ARTICLE_INSPECT'],
      uses_left: 3,
      state: 'valid',
    });
    const { cookie } = await login();
    const listed = (await page('/owner/access', cookie)).body;
    expect([listed.includes('to read the mirror'), listed.includes(token)]).toEqual([true, false]);
    const fingerprint = String((await server.explain(token))['fingerprint']);
    expect((await call({ row: 'CAP_REVOKE', section: 'access', fingerprint })).status).toBe(303);
    expect(await server.explain(token)).toMatchObject({ state: 'revoked' });
  });

  it('shows what a share would permit before it is minted, and keeps what was typed', async () => {
    const typed = {
      row: 'CAP_MINT',
      section: 'access',
      scope: 'rows',
      keys: 'MIRROR_FEED, VOXEL_EDIT',
      article: 'alpha',
      ttl: '2 weeks',
      max_uses: '7',
      purpose: 'seen before it exists',
    };
    const before = await server.size();
    const looked = await call({ ...typed, shape: '1' });
    expect(looked.status).toBe(200);
    expect(looked.body).toContain('It would permit 2 rows, for alpha only');
    expect(looked.body).toContain('href="/directory/VOXEL_EDIT"');
    expect(looked.body).toContain('value="2 weeks"');
    expect(looked.body).toContain('value="seen before it exists"');
    const refused = await call({ ...typed, keys: 'VOXEL_EDITS' });
    expect(refused.status).toBe(404);
    expect(refused.body).toContain('value="VOXEL_EDITS"');
    expect(refused.body).not.toMatch(/sh\.[\w-]{48}/);
    const key = await call({ row: 'KEY_MINT', section: 'access', scopes: 'read@alpha', shape: '1' });
    expect(key.body).toContain('Without an end');
    expect(key.body).toContain('value="read@alpha"');
    expect((await server.size()) - before).toBe(1);
  });

  it('begins a share with a preset: a review for a week is signed in with', async () => {
    const { cookie } = await login();
    const { body } = await page('/owner/access?preset=review', cookie);
    expect(body).toContain('<option value="reviewer" selected>');
    expect(body).toContain('value="1 week"');
    const minted = await call({
      row: 'CAP_MINT',
      section: 'access',
      scope: 'reviewer',
      ttl: '1 week',
      max_uses: '0',
    });
    const token = /sh\.[\w-]{48}/.exec(minted.body)?.[0] ?? '';
    const explained = await server.explain(token);
    expect(explained).toMatchObject({ scope: 'rows', ttl: 604_800, max_uses: 0 });
    expect(explained['verbs']).toContain('VOXEL_ATTEST');
    expect(explained['verbs']).not.toContain('VOXEL_EDIT');
    await server.call('MIRROR_FEED', 'alpha', { share: token });
    await server.call('VOXEL_ATTEST', '{}', { share: token });
    const { body: did } = await page(`/owner/cap/${String(explained['fingerprint'])}`, cookie);
    expect(did).toContain('What it did');
    expect(did).toMatch(/VOXEL_ATTEST: failed[^]*MIRROR_FEED: success/);
    expect((await server.send({ path: `/cap/${String(explained['fingerprint'])}` })).body).not.toContain(
      'What it did',
    );
  });

  it('begins a share with the article that the owner comes from, and says at its field what is wrong', async () => {
    const { cookie } = await login();
    const desk = (await page('/owner/a/alpha', cookie)).body;
    expect(desk).toContain('href="/owner/access?article=alpha#mint"');
    const { body } = await page('/owner/access?article=alpha', cookie);
    expect(body).toContain('One question to this article');
    expect(body).toContain('href="/owner/access?preset=question&amp;article=alpha#mint"');
    const preset = (await page('/owner/access?preset=question&article=alpha', cookie)).body;
    expect(preset).toMatch(/name="article" value="alpha"/);
    expect(preset).toMatch(/name="keys" value="MIRROR_APPEND"/);
    const refused = await call({
      row: 'CAP_MINT',
      section: 'access',
      scope: 'row',
      keys: 'MIRROR_APPEND',
      ttl: 'soon',
      max_uses: 'few',
      purpose: 'kept',
    });
    expect(refused.status).toBe(422);
    expect(refused.body).toMatch(
      /aria-invalid="true"[^>]* name="ttl" value="soon"|name="ttl" value="soon"[^>]*aria-invalid="true"/,
    );
    expect(refused.body).toContain('id="ttl-error"');
    expect(refused.body).toContain('id="max_uses-error"');
    expect(refused.body).toContain('value="kept"');
  });

  it('mints one share however often the response is reloaded, and another from a new form', async () => {
    const { cookie, formToken } = await login();
    const access = (await page('/owner/access', cookie)).body;
    const [once = '', other = ''] = Array.from(
      access.matchAll(/name="once" value="(form_\w+)"/g),
      ([, is]) => is,
    );
    expect(once).not.toBe(other);
    const mint = (sending: string) =>
      form(
        '/owner/call',
        {
          form_token: formToken,
          workspace: 'main',
          once: sending,
          row: 'CAP_MINT',
          section: 'access',
          scope: 'read',
          purpose: 'minted only once',
        },
        { cookie, ...own },
      );
    const shown = (reply: Reply) => /sh\.[\w-]{48}/.test(reply.body);
    const first = await mint(once);
    const again = await mint(once);
    expect([first.status, shown(first), again.status, shown(again)]).toEqual([200, true, 303, false]);
    const listed = (await page('/owner/access', cookie)).body;
    expect(listed.split('minted only once')).toHaveLength(2);
    expect(shown(await mint(other))).toBe(true);
  });

  it('reports invalid form fields, and mints nothing', async () => {
    const refused = await call({ row: 'KEY_MINT', section: 'access', scopes: 'everything' });
    expect(refused.status).toBe(422);
    expect(refused.body).toContain('is no scope');
    expect(refused.body).not.toContain('ck_');
    expect((await call({ row: 'CAP_MINT', section: 'access', scope: 'act', ttl: 'soon' })).status).toBe(422);
  });

  it('links only to existing pages of a closed workspace, also in what a share may do', async () => {
    const act = async (
      key: string,
      body: object,
      headers: Record<string, string> = owner,
    ): Promise<Answer> => {
      const { status, json } = await server.call(key, body, { workspace: 'den' }, headers);
      expect([key, status]).toEqual([key, 200]);
      return json;
    };
    const den = { name: 'den', title: 'Den', status: 'closed' };
    expect((await server.send({ path: '/api/workspace', headers: owner, body: den })).status).toBe(200);
    await act('VOXEL_BATCH', {
      document: { slug: 'den--notes', title: 'Notes', markdown: '# Notes\n\nOne.\n' },
    });
    const row = {
      type: 'http',
      url: 'http://127.0.0.1:9/$1',
      args: [{ name: 'city' }],
      what: 'Tells.',
      when: 'Before.',
      example: 'Bern',
    };
    const put = { method: 'PUT', path: '/api/directory/DEN_TELLS?workspace=den', headers: owner, body: row };
    expect((await server.send(put)).status).toBe(200);
    const key = await act('KEY_MINT', { scopes: 'act' });
    const share = await act('CAP_MINT', { scope: 'row', key: 'DEN_TELLS', max_uses: 5 });
    await act('MIRROR_APPEND', {
      slug: 'den--notes',
      claim_id: '',
      kind: 'question',
      actor: 'ada',
      body: 'Is it open?',
    });
    const vote = {
      slug: 'den--notes',
      target: 'd1',
      proposal: 'should_burn',
      rationale: 'Old.',
      actor: 'ada',
    };
    await act('VOXEL_VOTE', vote);
    // Nothing answers there; the call is counted all the same.
    await server.call('DEN_TELLS', { city: 'Bern' }, { workspace: 'den' }, owner);
    const fingerprint = String(share['result']['fingerprint']);
    const { cookie } = await login();
    const hrefs = new Set<string>();
    const follow = async (path: string): Promise<string> => {
      const { body } = await page(path, cookie);
      for (const [, href = ''] of body.matchAll(/<a [^>]*href="(\/[^"#]*)"/g))
        hrefs.add(href.replaceAll('&amp;', '&'));
      return body;
    };
    for (const path of ['', '/waiting', '/access', '/landscape', '/costs', '/scrub'])
      await follow(`/owner${path}?workspace=den`);
    for (const made of [key, share]) {
      const { fingerprint: named } = made['result'] as { readonly fingerprint: string };
      expect(hrefs).toContain(`/owner/cap/${named}`);
    }
    const shown = await follow(`/owner/cap/${fingerprint}`);
    expect(shown).toContain('DEN_');
    expect(shown).not.toContain('explain=1&amp;share=cap_');
    for (const path of hrefs)
      expect([path, (await server.send({ path, headers: { cookie } })).status]).toEqual([path, 200]);
    expect(await server.send({ path: `/owner/cap/${fingerprint}` })).toMatchObject({
      status: 303,
    });
    expect((await server.send({ path: `/cap/${fingerprint}` })).status).toBe(404);
    expect((await server.send({ path: '/owner/cap/cap_0123456789abcdef', headers: { cookie } })).status).toBe(
      404,
    );
  });

  it('finds a secret without changing anything, and scrubs it on request', async () => {
    await server.deployment.did('VOXEL_BATCH', {
      document: { slug: 'leak', title: 'Leak', markdown: '# Leak\n\nThe word is swordfish-4711 here.\n' },
    });
    const read = async () => (await server.send({ path: '/api/articles/leak', headers: owner })).json['body'];
    const looked = await call({
      row: 'SECRET_SCRUB',
      section: 'scrub',
      secret: 'swordfish-4711',
      shape: '1',
    });
    expect([looked.status, await read()]).toEqual([200, '# Leak\n\nThe word is swordfish-4711 here.\n']);
    expect(looked.body).toContain('Where it stands');
    expect(looked.body).toMatch(/<a href="\/a\/leak"[^>]*>Leak<\/a>:? ?.*block d2/);
    expect(looked.body).toContain('VOXEL_BATCH</a>');
    expect(looked.body).not.toContain('swordfish');
    const scrubbed = await call({
      row: 'SECRET_SCRUB',
      section: 'scrub',
      secret: 'swordfish-4711',
      shape: '0',
    });
    expect(scrubbed.status).toBe(303);
    expect(await read()).toBe('# Leak\n\nThe word is [redacted:secret] here.\n');
  });

  it('ends a session by logout, and after twelve hours', async () => {
    const first = await login();
    const out = await form(
      '/owner/logout',
      { form_token: first.formToken },
      { cookie: first.cookie, ...own },
    );
    expect(out.status).toBe(303);
    expect((await server.send({ path: '/owner', headers: { cookie: first.cookie } })).body).toContain(
      'Owner key',
    );
    const second = await login();
    server.advance(12 * 3600_000 + 1000);
    expect((await server.send({ path: '/owner', headers: { cookie: second.cookie } })).body).toContain(
      'Owner key',
    );
  });
});
