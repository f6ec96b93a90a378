import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storeEnvironments } from '../support/store-environments.ts';
import { startServer, terminalKey, type Answer, type TestServer } from '../support/server.ts';

describe.each(storeEnvironments())('a thread update on $name', (store) => {
  let server: TestServer;

  beforeAll(async () => {
    await store.start();
    server = await startServer(await store.env());
    await server.article('# Talk\n\nOne.\n\nTwo.\n', { slug: 'talk' });
    await server.article('# Other\n\nOne.\n', { slug: 'other' });
    await server.article('# Hidden\n\nOne.\n', { slug: 'hidden', status: 'draft' });
  }, 60_000);

  afterAll(async () => {
    expect(server.errors).toEqual([]);
    await server.stop();
    await store.stop();
  });

  const send = async (body: object, headers: Record<string, string> = {}): Promise<[number, Answer]> => {
    const response = await server.fetch('/api/protocol/thread-update', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return [response.status, (await response.json()) as Answer];
  };
  const update = (rawText: string): Promise<Answer> =>
    server.anybody('/api/protocol/thread-update', { actor: 'ada', target: 'talk', raw_text: rawText });
  const total = async (): Promise<number> =>
    ((await server.read('/api/articles/talk/discourse'))['counts'] as { total: number }).total;
  const receipt = async (id: string): Promise<Answer> =>
    (await (
      await server.fetch(`/api/dispatch?receipt=${id}`, { headers: { 'x-terminal-key': terminalKey } })
    ).json()) as Answer;

  it('becomes one entry of the thread, word for word', async () => {
    const rawText = 'I read it whole.\n\nThe second line | has a pipe.';
    const said = await update(rawText);
    expect(said).toMatchObject({
      slug: 'talk',
      entry: { stance: 'update', body: rawText, actor: 'ada', proposed_calls: [] },
      calls: [],
      proposed_calls: [],
    });
    const discourse = await server.read('/api/articles/talk/discourse');
    expect(discourse).toMatchObject({
      thread_head: said['thread_head'],
      entries: [{ stance: 'update', body: rawText, status: 'settled' }],
      verification: { valid: true, entries: 1 },
    });
  });

  it('runs public low-risk tags as calls of their own, with receipts below that of the update', async () => {
    const said = await update(
      'So: [OBJECTION_LOG]talk|The first line cites nothing.|S2[/OBJECTION_LOG] and ' +
        '[MIRROR_APPEND]talk||question|ada|Is it | so?[/MIRROR_APPEND], see [MIRROR_FEED]talk[/MIRROR_FEED].',
    );
    const calls = said['calls'] as Answer[];
    expect(calls.map(({ key, ok, status }) => [key, ok, status])).toEqual([
      ['OBJECTION_LOG', true, 'success'],
      ['MIRROR_APPEND', true, 'success'],
      ['MIRROR_FEED', true, 'success'],
    ]);
    const root = (said['invocation'] as { id: string }).id;
    for (const { invocation, key } of calls)
      expect(await receipt(String(invocation))).toMatchObject({
        key,
        status: 'success',
        root,
        actor: 'anonymous',
      });
    expect(await server.read('/api/articles/talk/objections')).toMatchObject({
      count: 1,
      objections: [{ body: 'The first line cites nothing.', surface: 'S2' }],
    });
    expect((await server.read('/api/articles/talk/mirror'))['contributions']).toMatchObject([
      { kind: 'question', body: 'Is it | so?', actor: 'ada' },
    ]);
  });

  it('proposes calls that need authority, ready to send, and thread-state lists them', async () => {
    const claim = {
      slug: 'talk',
      text: 'The log has one root.',
      tier: 'system',
      who_claims: 'ada',
      why_material: 'x',
    };
    const said = await update(
      `[CLAIM_POST]${JSON.stringify(claim)}[/CLAIM_POST] [VOXEL_BURN]talk|d2|x[/VOXEL_BURN] ` +
        '[CREATIVE_GENERATE]{}[/CREATIVE_GENERATE] [NO_SUCH_ROW]x[/NO_SUCH_ROW]',
    );
    expect(said['calls']).toEqual([]);
    expect((said['proposed_calls'] as Answer[]).map(({ key }) => key)).toEqual([
      'CLAIM_POST',
      'VOXEL_BURN',
      'CREATIVE_GENERATE',
      'NO_SUCH_ROW',
    ]);
    const state = await server.read('/api/protocol/thread-state?target=talk');
    const proposed = (state['proposed_calls'] as Answer[]).find(({ key }) => key === 'CLAIM_POST') as Answer;
    expect(proposed).toMatchObject({ entry: (said['entry'] as Answer)['id'], actor: 'ada' });
    const { method, url, payload } = proposed['call'] as { method: string; url: string; payload: object };
    expect([method, url]).toEqual(['POST', `${server.base}/api/dispatch`]);
    const posted = await server.owner('/api/dispatch', payload);
    expect(posted['result']).toMatchObject({ claim_id: 'c1', claim: { text: 'The log has one root.' } });
  });

  it('treats quoted, nested and unclosed tags as text', async () => {
    const before = await total();
    const said = await update(
      [
        '> [OBJECTION_LOG]talk|Quoted.[/OBJECTION_LOG]',
        '',
        '`[OBJECTION_LOG]talk|Code.[/OBJECTION_LOG]` and [OBJECTION_LOG]talk|Open.',
        '',
        '[MODEL_CHAT_INTAKE]talk|ada|Inside: [OBJECTION_LOG]talk|Nested.[/OBJECTION_LOG][/MODEL_CHAT_INTAKE]',
        '[THREAD_UPDATE]ada|talk|[OBJECTION_LOG]talk|Deep.[/OBJECTION_LOG][/THREAD_UPDATE]',
      ].join('\n'),
    );
    expect((said['calls'] as Answer[]).map(({ key }) => key)).toEqual(['MODEL_CHAT_INTAKE']);
    expect((said['proposed_calls'] as Answer[]).map(({ key }) => key)).toEqual(['THREAD_UPDATE']);
    expect(await total()).toBe(before + 2);
    const bodies = ((await server.read('/api/articles/talk/objections'))['objections'] as Answer[]).map(
      ({ body }) => body,
    );
    expect(bodies).toEqual(['The first line cites nothing.']);
  });

  it('succeeds although one of its calls is refused, and reports why', async () => {
    const said = await update(
      '[MIRROR_APPEND]absent||question|ada|Where?[/MIRROR_APPEND] [OBJECTION_LOG][/OBJECTION_LOG]',
    );
    const calls = said['calls'] as Answer[];
    expect(calls.map(({ ok, error }) => [ok, error])).toEqual([
      [false, 'not_found'],
      [false, 'body_mismatch'],
    ]);
    expect(await receipt(String(calls[0]?.['invocation']))).toMatchObject({
      status: 'failed',
      error: 'not_found',
    });
  });

  it.each([
    [404, 'not_found', { actor: 'ada', target: 'absent', raw_text: 'x' }],
    [
      404,
      'not_found',
      { actor: 'ada', target: 'hidden', raw_text: 'x [OBJECTION_LOG]talk|Y.[/OBJECTION_LOG]' },
    ],
    [422, 'body_mismatch', { actor: 'ada', target: 'talk', raw_text: ' \n ' }],
    [422, 'body_mismatch', { actor: ' ', target: 'talk', raw_text: 'x' }],
    [422, 'body_mismatch', { actor: 'ada', target: 'talk' }],
    [422, 'body_mismatch', { actor: 'ada', target: 'talk', raw_text: 'x', tags: [] }],
    [413, 'payload_ceiling', { actor: 'ada', target: 'talk', raw_text: 'x'.repeat(8001) }],
    [422, 'batch_limit', { actor: 'ada', target: 'talk', raw_text: '[AB][/AB]'.repeat(21) }],
  ])('is refused with %i %s when it is invalid, and none of its calls run', async (status, error, body) => {
    const before = await total();
    const [got, answer] = await send(body);
    expect([got, answer['error']]).toEqual([status, error]);
    expect(await total()).toBe(before);
  });

  it('runs only calls that its credential may run, and takes no more uses than remain', async () => {
    const mint = async (grant: object): Promise<string> =>
      String(
        (
          await server.owner('/api/dispatch', {
            key: 'CAP_MINT',
            body: { scope: 'rows', ttl: 600, purpose: 'Talks.', ...grant },
          })
        )['share'],
      );
    const narrow = await mint({ keys: ['THREAD_UPDATE'], max_uses: 0 });
    const objection = (n: number): string => `[OBJECTION_LOG]talk|Reason ${n} of several.[/OBJECTION_LOG]`;
    const [, denied] = await send(
      { actor: 'bo', target: 'talk', raw_text: `${objection(1)} [CLAIM_POST]{}[/CLAIM_POST]` },
      { authorization: `Bearer ${narrow}` },
    );
    expect(denied['calls']).toMatchObject([{ key: 'OBJECTION_LOG', ok: false, error: 'scope_denied' }]);
    const three = await mint({ keys: ['THREAD_UPDATE', 'OBJECTION_LOG'], max_uses: 3 });
    const [, counted] = await send(
      { actor: 'bo', target: 'talk', raw_text: [2, 3, 4].map(objection).join(' ') },
      { authorization: `Bearer ${three}` },
    );
    expect((counted['calls'] as Answer[]).map(({ ok }) => ok)).toEqual([true, true]);
    expect(counted['proposed_calls']).toMatchObject([{ key: 'OBJECTION_LOG' }]);
    const explained = await server.read(`/api/dispatch?explain=1&share=${three}`);
    expect(explained).toMatchObject({ uses: 3, uses_left: 0 });
    const bound = await mint({ keys: ['THREAD_UPDATE'], max_uses: 0, article: 'other' });
    const [status, elsewhere] = await send(
      { actor: 'bo', target: 'talk', raw_text: 'x' },
      { authorization: `Bearer ${bound}` },
    );
    expect([status, elsewhere['error']]).toEqual([403, 'scope_denied']);
  });

  it('is replayed under its idempotency key without running its calls again', async () => {
    const body = { actor: 'cy', target: 'talk', raw_text: '[OBJECTION_LOG]talk|Said once.[/OBJECTION_LOG]' };
    const [, first] = await send(body, { 'idempotency-key': 'k1' });
    const before = await total();
    const [, again] = await send(body, { 'idempotency-key': 'k1' });
    expect([again['idempotent_replay'], again['calls']]).toEqual([true, first['calls']]);
    expect(await total()).toBe(before);
  });
});

it('counts its tags against the limits of open intake', async () => {
  const server = await startServer({ COLOPHON_RATE_LIMIT: 'on' });
  try {
    await server.article('# Talk\n\nOne.\n', { slug: 'talk' });
    const rawText = Array.from(
      { length: 10 },
      (_, i) => `[OBJECTION_LOG]talk|Reason ${i}.[/OBJECTION_LOG]`,
    ).join('');
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++) {
      const response = await server.fetch('/api/dispatch', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ key: 'THREAD_UPDATE', body: `ada|talk|${i} ${rawText}` }),
      });
      statuses.push(response.status);
    }
    expect(statuses).toEqual([200, 200, 200, 429]);
  } finally {
    await server.stop();
  }
});
