/** Arguments named in an address, escapes and placeholders of positional bodies (contract §3). */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { invocationEvent } from '../../src/domain/capabilities/invocation.ts';
import { isFault } from '../../src/kernel/fault.ts';
import { sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { storeKinds } from '../support/stores.ts';
import { openLocal, owner, type LocalServer, type Reply } from './local.ts';
import { expectReplays } from './replays.ts';

const idOf = (reply: Reply): string => (reply.json['invocation'] as { id: string }).id;
const codesOf = ({ json }: Reply): [string, string][] =>
  ((json['violations'] ?? []) as { code: string; at: string }[]).map(({ code, at }) => [code, at]);
const pipes = String.raw`A | pipe, a \| and a \\, "quotes" & = ? # % + ü 🙂`;

describe.each(storeKinds().map(({ name }) => name))('named arguments on %s', (name) => {
  let server: LocalServer;
  let database: TestDatabases | undefined;
  let share: string;

  beforeAll(async () => {
    if (name === 'postgres') database = await sharedPostgres();
    server = await openLocal(database === undefined ? {} : { databaseUrl: await database.database() });
    await server.deployment.did('VOXEL_BATCH', {
      document: { slug: 'alpha', title: 'alpha', markdown: '# alpha\n\nOne.\n' },
    });
    ({ share } = await server.mint({ scope: 'act', max_uses: 0 }));
  });

  afterAll(async () => {
    await expectReplays(server);
    await server.end();
    await database?.stop();
  });

  const invoke = (key: string, texts: Record<string, string>, more: Record<string, string> = {}) =>
    server.get({
      invoke: key,
      ...Object.fromEntries(Object.entries(texts).map(([arg, text]) => [`arg.${arg}`, text])),
      share,
      ...more,
    });
  const receipt = async (id: string) => (await server.get({ receipt: id }, owner)).json;
  const recorded = async (id: string) => ((await receipt(id))['request'] as { body: string }).body;

  it('arrive as they are, are recorded as one JSON object, and fire once in any order', async () => {
    const texts = { slug: 'alpha', objection: pipes, surface: 'S3', actor: 'a|b' };
    const first = await invoke('OBJECTION_LOG', texts);
    expect(first.status).toBe(200);
    expect(JSON.parse(await recorded(idOf(first)))).toEqual(texts);
    expect(JSON.stringify(first.json['result'])).toContain(JSON.stringify(pipes));
    const again = await invoke('OBJECTION_LOG', Object.fromEntries(Object.entries(texts).reverse()));
    expect([idOf(again), again.json['idempotent_replay']]).toEqual([idOf(first), true]);
    const other = await invoke('OBJECTION_LOG', { ...texts, objection: `${pipes}.` });
    expect(idOf(other)).not.toBe(idOf(first));
  });

  it('carry any text byte for byte', async () => {
    const words = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
      .map((each) => each.replaceAll('\0', '').trim())
      .filter((each) => each !== '' && each !== '{text}' && each !== '{actor}' && each !== '{slug}');
    await fc.assert(
      fc.asyncProperty(words, async (text) => {
        const dry = await invoke('MODEL_CHAT_INTAKE', { slug: 'alpha', actor: text, text }, { shape: '1' });
        expect(dry.json['arguments']).toEqual({ slug: 'alpha', actor: text, text });
      }),
      { numRuns: 25 },
    );
  });

  it('are parsed by the types of the row', async () => {
    const feed = await invoke('MIRROR_FEED', { slug: 'alpha', limit: '5' });
    expect([feed.status, await recorded(idOf(feed))]).toEqual([200, '{"limit":5,"slug":"alpha"}']);
    const wrong = await invoke('MIRROR_FEED', { slug: 'alpha', limit: 'five' });
    expect([wrong.status, codesOf(wrong)]).toEqual([422, [['wrong_type', '/limit']]]);
    expect(wrong.json).toMatchObject({ error: 'body_mismatch', example: expect.any(String) });
  });

  it('are refused where the row has none of that name, where one is repeated, and beside a body', async () => {
    const unknown = await invoke('OBJECTION_LOG', { slug: 'alpha', objektion: 'No.' });
    expect([unknown.status, unknown.json['error']]).toEqual([422, 'body_mismatch']);
    expect(codesOf(unknown)).toEqual([
      ['missing', '/objection'],
      ['unknown_argument', '/objektion'],
    ]);
    expect((unknown.json['violations'] as { fix: string }[])[1]?.fix).toBe(
      'Use one of slug, objection, surface, minimum_patch, actor, expected_hash, duplicate_of, or leave it out.',
    );
    const call = `/api/dispatch?invoke=OBJECTION_LOG&arg.slug=alpha&arg.objection=No&share=${share}`;
    const repeated = await server.send({ path: `${call}&arg.objection=Yes` });
    expect([repeated.status, repeated.json['error'], codesOf(repeated)]).toEqual([
      400,
      'invalid_request',
      [['repeated', '?arg.objection']],
    ]);
    const both = await server.send({ path: `${call}&body=alpha%7CNo` });
    expect([both.status, both.json['error'], both.json['parameter']]).toEqual([
      400,
      'invalid_request',
      'body',
    ]);
    for (const path of [
      `/api/dispatch?key=OBJECTION_LOG&arg.slug=alpha`,
      `${call}&arg.=x`,
      `${call}&arg=x`,
    ]) {
      const reply = await server.send({ path });
      expect([reply.status, reply.json['error']]).toEqual([400, 'invalid_request']);
    }
  });

  it('are bound by a fixed body as the JSON object of them, however it is written', async () => {
    const fixed = await server.mint({
      key: 'OBJECTION_LOG',
      max_uses: 0,
      body_fixed: '{"slug": "alpha", "objection": "a|b"}',
    });
    const bound = (texts: Record<string, string>) => invoke('OBJECTION_LOG', texts, { share: fixed.share });
    expect((await bound({ objection: 'a|b', slug: 'alpha' })).status).toBe(200);
    const others: Record<string, string>[] = [
      { slug: 'alpha', objection: 'a' },
      { slug: 'alpha', objection: 'a|b', actor: 'ada' },
      { slug: 'beta', objection: 'a|b' },
    ];
    for (const texts of others) {
      const reply = await bound(texts);
      expect([reply.status, reply.json['error']]).toEqual([403, 'fixed_body_only']);
    }
    const positional = await server.mint({ key: 'OBJECTION_LOG', max_uses: 0, body_fixed: 'alpha|Fixed.' });
    const named = { slug: 'alpha', objection: 'Fixed.' };
    const reply = await invoke('OBJECTION_LOG', named, { share: positional.share });
    expect(reply.json['error']).toBe('fixed_body_only');
  });

  it('repair a failed call, whose key may be left out', async () => {
    const failed = await server.get({
      invoke: 'OIP_ARTICLE_REVIEW',
      body: 'alpha|sound|One | two.|ada',
      share,
    });
    expect([failed.status, failed.json['error']]).toEqual([422, 'body_mismatch']);
    expect(failed.json['fix']).toContain(String.raw`\|`);
    const template = (failed.json['templates'] as string[]).find((url) => url.includes('repairs='));
    expect(template).toBe(
      `${server.deployment.service.base}/api/dispatch?repairs=${idOf(failed)}&arg.slug={slug}&arg.verdict={verdict}&arg.body={body}&arg.actor={actor}&share={token}`,
    );
    const repaired = await server.get({
      repairs: idOf(failed),
      'arg.slug': 'alpha',
      'arg.verdict': 'sound',
      'arg.body': 'One | two.',
      'arg.actor': 'ada',
      share,
    });
    expect([repaired.status, repaired.json['error']]).toEqual([200, undefined]);
    expect(await receipt(idOf(failed))).toMatchObject({ repaired_by: idOf(repaired) });
    const beside = await server.get({ replay: idOf(failed), 'arg.slug': 'alpha', share });
    expect([beside.status, beside.json['error']]).toEqual([400, 'invalid_request']);
  });

  it('are refused while they hold their placeholder, by every form of a body', async () => {
    const wanted = [422, 'body_mismatch', [['placeholder', '/objection']]];
    const seen = (reply: Reply) => [reply.status, reply.json['error'], codesOf(reply)];
    expect(seen(await invoke('OBJECTION_LOG', { slug: 'alpha', objection: '{objection}' }))).toEqual(wanted);
    expect(seen(await server.get({ invoke: 'OBJECTION_LOG', body: 'alpha|{objection}', share }))).toEqual(
      wanted,
    );
    expect(seen(await server.call('OBJECTION_LOG', { slug: 'alpha', objection: '{objection}' }))).toEqual(
      wanted,
    );
    const posted = await server.send({
      path: '/api/articles/alpha/objections',
      body: { actor: 'ada', objection: '{objection}' },
    });
    expect(seen(posted)).toEqual(wanted);
    expect(posted.json).toMatchObject({ inputs: { type: 'object' }, example: expect.any(String) });
  });

  it('leave a receipt from before escapes to replay as it was split then', async () => {
    const { store, rows } = server.deployment.service;
    const body = String.raw`alpha|old \\ ada|{text}`;
    const inv = 'inv_aaaaaaaaaaaaaaaa';
    const stored = await store.run({
      name: 'an invocation of an earlier version',
      keys: [],
      decide: (tx) =>
        tx.append(
          invocationEvent({
            inv,
            key: 'MODEL_CHAT_INTAKE',
            tenant: 'main',
            actor: 'anonymous',
            ts: new Date(server.deployment.service.now()).toISOString(),
            status: 'success',
            contractHash: rows.get('MODEL_CHAT_INTAKE')?.contractHash ?? '',
            request: body,
            response: {},
            durationMs: 0,
          }),
        ),
    });
    expect(isFault(stored)).toBe(false);
    const resultOf = async (id: string) => JSON.stringify((await receipt(id))['response']);
    const [split, escaped] = [String.raw`old \\ ada`, String.raw`old \ ada`].map((each) =>
      JSON.stringify(each),
    );
    const replayed = await server.send({ path: '/api/dispatch', headers: owner, body: { replay: inv } });
    expect(replayed.status).toBe(200);
    expect(await resultOf(idOf(replayed))).toContain(split);
    // A replay of the replay still knows the rule; the same body sent anew has the present one.
    const further = await server.send({
      path: '/api/dispatch',
      headers: owner,
      body: { replay: idOf(replayed) },
    });
    expect(await resultOf(idOf(further))).toContain(split);
    expect((await server.call('MODEL_CHAT_INTAKE', body, {}, owner)).json['error']).toBe('body_mismatch');
    const anew = await server.call('MODEL_CHAT_INTAKE', body.replace('{text}', 'text'), {}, owner);
    expect(await resultOf(idOf(anew))).toContain(escaped);
    const entryOf = async (id: string) => ((await receipt(id))['entries'] as { body_rule?: number }[])[0];
    expect((await entryOf(inv))?.body_rule).toBeUndefined();
    expect((await entryOf(idOf(replayed)))?.body_rule).toBeUndefined();
    expect((await entryOf(idOf(anew)))?.body_rule).toBe(2);
  });
});
