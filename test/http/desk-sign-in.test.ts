/**
 * Editors and reviewers at the desk (contract §4, §8): who may sign in, what the session shows and calls, and when it
 * ends.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { storeKinds } from '../support/stores.ts';
import { formType, signIn, type SignedIn } from '../support/desk.ts';
import { png } from '../support/images.ts';
import { openLocal, owner, terminalKey, type LocalServer, type Reply } from './local.ts';

describe.each(storeKinds().map(({ name }) => name))('signing in by role on %s', (name) => {
  let server: LocalServer;
  let database: TestDatabases | undefined;
  let own: { origin: string };

  beforeAll(async () => {
    if (name === 'postgres') database = await sharedPostgres();
    server = await openLocal(database === undefined ? {} : { databaseUrl: await database.database() });
    own = { origin: server.base };
    await server.deployment.did('VOXEL_BATCH', {
      document: { slug: 'alpha', title: 'Alpha', markdown: '# Alpha\n\nOne.\n\nTwo.\n' },
    });
  });

  afterAll(async () => {
    await server.end();
    await database?.stop();
  });

  const form = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    server.send({
      path,
      headers: { ...formType, ...own, ...headers },
      body: new URLSearchParams(fields).toString(),
    });
  const page = (path: string, cookie: string): Promise<Reply> => server.send({ path, headers: { cookie } });
  const propose = async (target: string): Promise<string> => {
    const { json } = await server.send({
      path: '/api/protocol/voxel-vote',
      headers: owner,
      body: {
        slug: target,
        target: 'd2',
        proposal: 'should_burn',
        rationale: `Burn ${target}.`,
        actor: 'ada',
      },
    });
    return String(json['vote_id']);
  };
  const ratify = (
    { cookie, formToken }: SignedIn,
    vote: string,
    more: Record<string, string> = {},
  ): Promise<Reply> =>
    form(
      '/owner/call',
      {
        form_token: formToken,
        workspace: 'main',
        section: 'waiting',
        row: 'VOXEL_RATIFY',
        vote_id: vote,
        decision: 'rejected',
        ...more,
      },
      { cookie },
    );

  it('opens the desk for a share and an API key that the owner minted, and for no other', async () => {
    const { share } = await server.mint({ role: 'reviewer', ttl: 600, max_uses: 0 });
    await signIn(server.base, share);
    const key = await server.call('KEY_MINT', { scopes: 'act' }, {}, owner);
    await signIn(server.base, String(key.json['key']));
    const started = await server.send({ path: '/start?slug=alpha' });
    const { token } = started.json['credential'] as { token: string };
    for (const other of [token, `${share.slice(0, -1)}A`, 'ck_nothing', 'sh.nothing', '']) {
      const reply = await form('/owner/login', { key: other });
      expect([other, reply.status >= 400, reply.headers['set-cookie']]).toEqual([other, true, undefined]);
    }
  });

  it('ends in every tab at sign-out, and the browser’s former session at a new sign-in', async () => {
    const first = await signIn(server.base, terminalKey);
    const isOpen = async (cookie: string): Promise<boolean> =>
      (await page('/owner/waiting', cookie)).status === 200;
    const second = await form('/owner/login', { key: terminalKey }, { cookie: first.cookie });
    expect(await isOpen(first.cookie)).toBe(false);
    const [cookie = ''] = String(second.headers['set-cookie']).split(';');
    const { body } = await page('/owner', cookie);
    const token = /name="form_token" value="([0-9a-f]{32})"/.exec(body)?.[1] ?? '';
    expect(await isOpen(cookie)).toBe(true);
    expect((await form('/owner/logout', { form_token: token }, { cookie })).status).toBe(303);
    // Another tab that still has the cookie.
    expect(await isOpen(cookie)).toBe(false);
    const call = { form_token: token, workspace: 'main', section: 'waiting', row: 'CAP_REVOKE' };
    expect((await form('/owner/call', call, { cookie })).status).toBe(401);
  });

  it('tells a share neither the addresses of notifications nor what the calls of others came to', async () => {
    await server.call('NOTIFY_PUT', { feed: true, name: 'Kept apart' }, {}, owner);
    const notified = { act: 'put', workspace: 'main', kind: 'feed' };
    const bound = { role: 'reviewer', article: 'alpha', ttl: 600, max_uses: 0 };
    const guest = await signIn(server.base, (await server.mint(bound)).share);
    const sent = { form_token: guest.formToken, ...notified };
    const refused = await form('/owner/notifications', sent, { cookie: guest.cookie });
    expect([refused.status, refused.body.includes('Kept apart')]).toEqual([403, false]);
    const host = await signIn(server.base, terminalKey);
    const mistyped = { ...notified, form_token: host.formToken, kind: 'webhook', address: 'none' };
    expect((await form('/owner/notifications', mistyped, { cookie: host.cookie })).body).toContain(
      'Kept apart',
    );

    const picture = png().toString('base64');
    const { json } = await server.call('IMAGE_STORE', { data: picture, alt: 'A quiet harbour' }, {}, owner);
    const { id } = json['invocation'] as { id: string };
    const done = `?done=${id}`;
    for (const [path, told] of [
      [`/owner/images${done}`, 'A quiet harbour'],
      [`/owner/waiting${done}`, 'IMAGE_STORE is on the ledger'],
      [`/owner/a/alpha${done}`, id],
    ] as const) {
      expect([path, (await page(path, guest.cookie)).body.includes(told)]).toEqual([path, false]);
      expect([path, (await page(path, host.cookie)).body.includes(told)]).toEqual([path, true]);
    }
  });

  it('reads no form of more fields than a page has, whoever sends it', async () => {
    const fields = (count: number): Record<string, string> =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, '']));
    expect((await form('/owner/login', { key: 'none', ...fields(19_999) })).status).toBe(401);
    const refused = await form('/owner/login', { key: 'none', ...fields(20_000) });
    expect(refused.status).toBe(413);
    expect(refused.body).toContain('more than 20000 fields');
  });

  it('limits failed sign-ins as those with a wrong owner key', async () => {
    const limited = await openLocal({ env: { COLOPHON_RATE_LIMIT: 'on' } });
    const statuses: number[] = [];
    for (let i = 0; i < 40; i++) {
      const { status } = await limited.send({
        path: '/owner/login',
        headers: { ...formType, origin: limited.base },
        body: new URLSearchParams({ key: `sh.${'A'.repeat(46)}${String(10 + i)}` }).toString(),
      });
      statuses.push(status);
    }
    expect([statuses[0], statuses.at(-1)]).toEqual([401, 429]);
    await limited.end();
  });

  it('shows only pages and buttons that the credential permits', async () => {
    const vote = await propose('alpha');
    await server.call('MIRROR_APPEND', 'alpha||question|ada|Which letter follows?');
    const reviewer = await signIn(
      server.base,
      (await server.mint({ role: 'reviewer', ttl: 600, max_uses: 0 })).share,
    );
    const { body } = await page('/owner/waiting', reviewer.cookie);
    expect(body).toContain('Which letter follows?');
    expect(body).toContain('Burn alpha.');
    expect(body).not.toContain('MIRROR_RESOLVE" />');
    expect(body).not.toContain('name="decision"');
    expect(body).not.toContain('href="/owner/access"');
    const others = ['/owner/new', '/owner/images', '/owner/import'];
    for (const closed of ['/owner/access', '/owner/costs', '/owner/landscape', '/owner/scrub', ...others])
      expect([closed, (await page(closed, reviewer.cookie)).status]).toEqual([closed, 403]);
    const judge = await signIn(
      server.base,
      (await server.mint({ scope: 'row', key: 'VOXEL_RATIFY', risk_ceiling: 'high', ttl: 600 })).share,
    );
    const judged = (await page('/owner/waiting', judge.cookie)).body;
    expect(judged).toContain('name="decision" value="ratified"');
    expect(judged).not.toContain('value="MIRROR_RESOLVE"');
    expect((await ratify(judge, vote)).status).toBe(303);
  });

  it('calls with the credential that signed in, through its gates', async () => {
    const vote = await propose('alpha');
    const reviewer = await server.mint({ role: 'reviewer', ttl: 600, max_uses: 0 });
    const denied = await ratify(await signIn(server.base, reviewer.share), vote);
    expect(denied.status).toBe(403);
    expect(denied.body).toContain('The share does not cover VOXEL_RATIFY.');
    const { share, fingerprint } = await server.mint({
      scope: 'row',
      key: 'VOXEL_RATIFY',
      risk_ceiling: 'high',
      ttl: 600,
      max_uses: 2,
    });
    const led = await ratify(await signIn(server.base, share), vote);
    expect(led.status).toBe(303);
    const inv = /done=(inv_[a-z2-7]{16})/.exec(String(led.headers['location']))?.[1] ?? '';
    const receipt = await server.get({ receipt: inv }, owner);
    expect(receipt.json).toMatchObject({
      actor: fingerprint,
      status: 'success',
      authority: { kind: 'share', fingerprint },
    });
  });

  it('takes a use for a call only, and offers nothing once they are spent', async () => {
    const { share } = await server.mint({
      scope: 'row',
      key: 'VOXEL_RATIFY',
      risk_ceiling: 'high',
      ttl: 600,
      max_uses: 1,
    });
    const session = await signIn(server.base, share);
    for (const path of ['/owner', '/owner/waiting', '/owner/waiting']) await page(path, session.cookie);
    expect(await server.explain(share)).toMatchObject({ uses_left: 1 });
    const [vote, another] = [await propose('alpha'), await propose('alpha')];
    expect((await ratify(session, vote)).status).toBe(303);
    expect(await server.explain(share)).toMatchObject({ uses_left: 0 });
    const spent = await page('/owner/waiting', session.cookie);
    expect([spent.status, spent.body.includes('name="decision"')]).toEqual([200, false]);
    const refused = await ratify(session, another);
    expect([refused.status, refused.body.includes('has no uses left')]).toEqual([403, true]);
  });

  it('ends at once when the credential or the one it was cut from is revoked', async () => {
    const grant = { scope: 'rows', keys: ['VOXEL_RATIFY', 'MIRROR_FEED'], risk_ceiling: 'high', max_uses: 0 };
    const parent = await server.mint({ ...grant, ttl: 600 });
    const child = await server.mint({ scope: 'row', key: 'MIRROR_FEED' }, parent.share);
    const sessions = [await signIn(server.base, parent.share), await signIn(server.base, child.share)];
    for (const { cookie } of sessions) expect((await page('/owner/waiting', cookie)).status).toBe(200);
    await server.call('CAP_REVOKE', parent.fingerprint, {}, owner);
    for (const { cookie } of sessions)
      expect(await page('/owner/waiting', cookie)).toMatchObject({
        status: 303,
        headers: { location: '/owner' },
      });
    const late = await ratify(sessions[0] as SignedIn, await propose('alpha'));
    expect(late.status).toBe(401);
  });

  it('stays in the workspace of the credential', async () => {
    const did = server.deployment.did;
    await did('WORKSPACE_CREATE', { name: 'den', title: 'Den', purpose: 'A test', status: 'closed' });
    const document = { slug: 'den--notes', title: 'Notes', markdown: '# Notes\n\nOne.\n' };
    await server.call('VOXEL_BATCH', { document }, { workspace: 'den' }, owner);
    await server.call('MIRROR_APPEND', 'den--notes||question|ada|Who digs?', { workspace: 'den' }, owner);
    const minted = await server.call('CAP_MINT', { role: 'reviewer', ttl: 600 }, { workspace: 'den' }, owner);
    const inside = await signIn(server.base, String(minted.json['share']));
    expect((await page('/owner/waiting', inside.cookie)).body).toContain('Who digs?');
    expect((await page('/owner/waiting?workspace=main', inside.cookie)).status).toBe(404);
    const outside = await signIn(server.base, (await server.mint({ role: 'reviewer', ttl: 600 })).share);
    expect((await page('/owner/waiting?workspace=den', outside.cookie)).status).toBe(404);
    expect((await page('/owner/waiting', outside.cookie)).body).not.toContain('Who digs?');
  });

  it('ends when the credential expires', async () => {
    const { share } = await server.mint({ role: 'reviewer', ttl: 600, max_uses: 0 });
    const { cookie } = await signIn(server.base, share);
    expect((await page('/owner/waiting', cookie)).status).toBe(200);
    server.advance(601_000);
    expect((await page('/owner/waiting', cookie)).status).toBe(303);
  });
});
