import { expect, it } from 'vitest';
import { expectRebuilds, onBothStores } from '../support/both-stores.ts';
import { terminalKey, type Answer, type TestServer } from '../support/server.ts';

/** An article `<slug>` with one sourced-less claim c1. */
async function withClaim(server: TestServer, slug: string): Promise<string> {
  await server.article(`# ${slug}\n\nText.\n`, { slug });
  const { claim } = await server.owner('/api/protocol/claim', {
    slug,
    text: 'Every write leaves a receipt.',
    tier: 'system',
    who_claims: 'Colophon',
    why_material: 'Readers rely on it.',
  });
  return claim.hash as string;
}

async function propose(server: TestServer, slug: string, kind: string, body: string): Promise<Answer> {
  const { contribution } = await server.anybody(`/api/articles/${slug}/mirror`, {
    claim_id: 'c1',
    kind,
    actor: 'ada',
    body,
  });
  return contribution as Answer;
}

async function resolve(
  server: TestServer,
  slug: string,
  id: string,
  decision: string,
  headers: Record<string, string> = { 'x-terminal-key': terminalKey },
  expectedHash?: string,
): Promise<{ status: number; json: Answer }> {
  const response = await server.fetch(`/api/articles/${slug}/mirror/${id}/resolve`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ decision, note: 'weighed', expected_hash: expectedHash }),
  });
  return { status: response.status, json: (await response.json()) as Answer };
}

onBothStores('the mirror', (server) => {
  it('makes an accepted repair the next version of its claim, with references both ways', async () => {
    const before = await withClaim(server(), 'repairs');
    const { id } = await propose(server(), 'repairs', 'repair', 'Every accepted write leaves a receipt.');
    const { status, json } = await resolve(server(), 'repairs', id, 'accepted');
    expect(status).toBe(200);
    expect(json).toMatchObject({
      decision: 'accepted',
      effect: { claim_id: 'c1', version: 2 },
      contribution: { id, status: 'accepted', claim_hash: before },
      receipt: { id: expect.stringMatching(/^inv_/) as string },
    });
    const { claims } = await server().read('/api/articles/repairs/claims');
    expect(claims[0]).toMatchObject({
      text: 'Every accepted write leaves a receipt.',
      version: 2,
      extra: { contributions: [id] },
      contributions: [{ id, kind: 'repair', status: 'accepted' }],
    });
    expect(claims[0].lineage).toMatchObject([
      { version: 1, text: 'Every write leaves a receipt.', hash: before },
      { version: 2, text: 'Every accepted write leaves a receipt.', contribution: id },
    ]);
    const { provenance, verification } = await server().read('/api/articles/repairs/provenance');
    expect(verification.valid).toBe(true);
    expect(provenance.at(-1)).toMatchObject({
      action: 'mirror_accept',
      entry: { contribution: id, decision: 'accepted' },
    });
  });

  it('appends an accepted source and links it to the claim, whether it came as JSON or as text', async () => {
    await withClaim(server(), 'sourced');
    const asJson = await propose(
      server(),
      'sourced',
      'source',
      JSON.stringify({
        type: 'review',
        url: 'https://www.rfc-editor.org/rfc/rfc6962',
        title: 'RFC 6962',
        quote: 'Merkle audit proofs',
      }),
    );
    const asText = await propose(
      server(),
      'sourced',
      'source',
      'See https://www.rfc-editor.org/rfc/rfc8785, it says "a canonical form".',
    );
    expect((await resolve(server(), 'sourced', asJson['id'], 'accepted')).json['effect']).toMatchObject({
      source_id: 's1',
      claim_id: 'c1',
    });
    expect((await resolve(server(), 'sourced', asText['id'], 'accepted')).json['effect']).toMatchObject({
      source_id: 's2',
    });
    const { sources, verification } = await server().read('/api/articles/sourced/sources');
    expect(verification).toMatchObject({ valid: true, entries: 2 });
    expect(sources).toMatchObject([
      { id: 's1', quote: 'Merkle audit proofs', found_by: 'ada (anonymous)', claim_ids: ['c1'] },
      {
        id: 's2',
        url: 'https://www.rfc-editor.org/rfc/rfc8785',
        quote: 'a canonical form',
        claim_ids: ['c1'],
      },
    ]);
    const { claims } = await server().read('/api/articles/sourced/claims');
    expect(claims[0]).toMatchObject({ source_status: 'sourced', source_ids: ['s1', 's2'], version: 1 });
  });

  it('shows accepted objections, contradictions and audits on the claim, whose text stays', async () => {
    await withClaim(server(), 'shown');
    const kinds = ['objection', 'contradiction', 'audit'];
    for (const kind of kinds) {
      const { id } = await propose(server(), 'shown', kind, `A ${kind} to the claim.`);
      expect((await resolve(server(), 'shown', id, 'accepted')).json['effect']).toEqual({});
    }
    const { claims } = await server().read('/api/articles/shown/claims');
    expect(claims[0]).toMatchObject({ version: 1, text: 'Every write leaves a receipt.' });
    expect(claims[0].contributions.map((each: Answer) => each['kind'])).toEqual(kinds);
  });

  it('adds an accepted question to the question graph with its contribution and claim', async () => {
    await withClaim(server(), 'asked');
    const { id } = await propose(server(), 'asked', 'question', 'Which writes leave a receipt?');
    const { json } = await resolve(server(), 'asked', id, 'accepted');
    const node = String(json['effect'].question_id);
    expect(node).toMatch(/^qn_/);
    const { questions } = await server().read('/api/articles/asked/question-graph');
    expect(questions).toMatchObject([
      { id: node, question: 'Which writes leave a receipt?', contribution: id, claim_id: 'c1' },
    ]);
    const found = await server().read('/api/v1/query?from=asked&kind=question&where=claim_id=c1');
    expect(found['rows']).toMatchObject([{ id: node, asked: 1 }]);
  });

  it('lists rejected contributions in the feed by status and by claim', async () => {
    await withClaim(server(), 'feed');
    const refused = await propose(server(), 'feed', 'objection', 'It names no log.');
    const waiting = await propose(server(), 'feed', 'question', 'Which log?');
    expect((await resolve(server(), 'feed', refused['id'], 'rejected')).status).toBe(200);
    const feed = await server().read('/api/articles/feed/mirror');
    expect(feed).toMatchObject({
      count: 2,
      by_status: { proposed: [waiting['id']], accepted: [], rejected: [refused['id']] },
      by_claim: { c1: { proposed: [waiting['id']], rejected: [refused['id']] } },
      verification: { valid: true, entries: 2 },
    });
    expect(feed['contributions'].map((each: Answer) => [each['status'], each['note']])).toEqual([
      ['proposed', undefined],
      ['rejected', 'weighed'],
    ]);
  });

  it('lets only the owner decide a contribution, once, with accepted or rejected', async () => {
    await withClaim(server(), 'once');
    const { id } = await propose(server(), 'once', 'audit', 'Checked.');
    expect((await resolve(server(), 'once', id, 'accepted', {})).json['error']).toBe('owner_only');
    expect((await resolve(server(), 'once', id, 'perhaps')).json).toMatchObject({
      error: 'invalid_decision',
      status: 422,
    });
    expect((await resolve(server(), 'once', id, 'accepted')).status).toBe(200);
    expect((await resolve(server(), 'once', id, 'rejected')).json).toMatchObject({
      error: 'already_decided',
      status: 409,
      decision: 'accepted',
    });
    expect((await resolve(server(), 'once', 'mc_aaaaaaaaaaaaaaaa', 'accepted')).json['error']).toBe(
      'not_found',
    );
    expect((await resolve(server(), 'feed', id, 'accepted')).json['error']).toBe('not_found');
  });

  it.each([
    ['repair', 'Does every write leave a receipt?', 'content_rule', ['question /body']],
    [
      'repair',
      'Adults take 500 mg daily. It helps.',
      'content_rule',
      ['several_sentences /body', 'dose /body'],
    ],
    ['compression', 'x'.repeat(281), 'content_rule', ['too_long /body']],
    ['repair', 'Every write leaves a receipt.', 'conflict', undefined],
    ['repair', 'Every refusal leaves a receipt.', 'duplicate_claim', undefined],
    [
      'source',
      JSON.stringify({
        url: 'ftp://example.org/',
        quote: 'words',
        title: 'T',
        summary: 'Adults take two pills a day.',
      }),
      'content_rule',
      ['url /body/url', 'dose /body/summary'],
    ],
  ])('rejects a %s that could never be accepted: %s', async (kind, body, error, violations) => {
    const slug = `never-${error.replace('_', '-')}-${kind}-${body.length}`;
    await withClaim(server(), slug);
    const claim = {
      text: 'Every refusal leaves a receipt.',
      tier: 'system',
      who_claims: 'us',
      why_material: 'x',
    };
    await server().owner('/api/protocol/claim', { slug, ...claim });
    const refused = await server().fetch(`/api/articles/${slug}/mirror`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ claim_id: 'c1', kind, actor: 'ada', body }),
    });
    const answer = (await refused.json()) as Answer;
    expect(answer['error']).toBe(error);
    expect(
      answer['violations']?.map(({ code, at }: Answer) => `${code} ${String(at).replace(/#.*/, '')}`),
    ).toEqual(violations);
    expect((await server().read(`/api/articles/${slug}/mirror`))['count']).toBe(0);
  });

  it('answers a decision that names another article with 404 and leaves the contribution proposed', async () => {
    await withClaim(server(), 'its-own');
    await withClaim(server(), 'another');
    const { id } = await propose(server(), 'its-own', 'audit', 'The receipt was looked up.');
    for (const decision of ['accepted', 'rejected'])
      expect(await resolve(server(), 'another', id, decision)).toMatchObject({
        status: 404,
        json: { error: 'not_found', detail: `another has no contribution ${id}.` },
      });
    expect(await server().read('/api/articles/its-own/mirror')).toMatchObject({
      by_status: { proposed: [id], accepted: [], rejected: [] },
    });
    expect((await server().read('/api/articles/another/provenance'))['provenance'].at(-1).action).toBe(
      'claim',
    );
  });

  it('accepts a repair in the wording of the owner, with references both ways', async () => {
    await withClaim(server(), 'mended');
    const { id } = await propose(server(), 'mended', 'repair', 'Every accepted write leaves a receipt.');
    const text = 'Every acknowledged write leaves a receipt.';
    const accepted = await server().owner('/api/dispatch', {
      key: 'MIRROR_RESOLVE',
      body: { slug: 'mended', contribution_id: id, decision: 'accepted', text, note: 'Exact.' },
    });
    expect(accepted['result']).toMatchObject({
      claim: { text, version: 2, extra: { contributions: [id] } },
      effect: { claim_id: 'c1', version: 2, mended: true },
      contribution: { id, status: 'accepted', body: 'Every accepted write leaves a receipt.' },
    });
    const { contributions, verification } = await server().read('/api/articles/mended/mirror');
    expect([contributions, verification]).toMatchObject([
      [{ id, status: 'accepted', effect: { hash: accepted['result'].claim.hash, mended: true } }],
      { valid: true },
    ]);
    const questioned = await propose(server(), 'mended', 'question', 'Which writes are acknowledged?');
    const refused = await server().fetch(`/api/articles/mended/mirror/${questioned['id']}/resolve`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-terminal-key': terminalKey },
      body: JSON.stringify({ decision: 'accepted', text }),
    });
    expect([refused.status, await refused.json()]).toMatchObject([
      422,
      { error: 'body_mismatch', violations: [{ code: 'not_carried', at: '/text' }] },
    ]);
  });

  it('rejects a repair of a retracted claim', async () => {
    await withClaim(server(), 'retracted-claim');
    await server().owner('/api/protocol/retract', {
      slug: 'retracted-claim',
      claim_id: 'c1',
      reason: 'wrong',
    });
    const refused = await server().fetch('/api/articles/retracted-claim/mirror', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        claim_id: 'c1',
        kind: 'repair',
        actor: 'ada',
        body: 'Some writes leave receipts.',
      }),
    });
    expect(await refused.json()).toMatchObject({ error: 'conflict', claim_status: 'retracted' });
  });

  it('marks a repair stale once its claim has changed, and then requires the current hash', async () => {
    const hash = await withClaim(server(), 'stale');
    const older = await propose(server(), 'stale', 'repair', 'Every accepted write leaves one receipt.');
    const newer = await propose(server(), 'stale', 'repair', 'Every durable write leaves a receipt.');
    expect(newer['claim_hash']).toBe(hash);
    expect((await resolve(server(), 'stale', newer['id'], 'accepted')).status).toBe(200);
    const staleOf = async () => {
      const { contributions } = await server().read('/api/articles/stale/mirror');
      return contributions.map(({ id, stale }: Answer) => [id, stale]);
    };
    expect(await staleOf()).toEqual([
      [newer['id'], undefined],
      [older['id'], true],
    ]);
    const refused = await resolve(server(), 'stale', older['id'], 'accepted');
    expect(refused.json).toMatchObject({
      error: 'hash_stale',
      status: 409,
      current_text: 'Every durable write leaves a receipt.',
    });
    const { claims } = await server().read('/api/articles/stale/claims');
    expect(claims[0]).toMatchObject({ version: 2, text: 'Every durable write leaves a receipt.' });
    const current = String(refused.json['current_hash']);
    expect((await resolve(server(), 'stale', older['id'], 'accepted', undefined, hash)).json['error']).toBe(
      'hash_stale',
    );
    expect(
      (await resolve(server(), 'stale', older['id'], 'accepted', undefined, current)).json['claim'],
    ).toMatchObject({ version: 3, text: 'Every accepted write leaves one receipt.' });
    expect(await staleOf()).toEqual([
      [newer['id'], undefined],
      [older['id'], undefined],
    ]);
  });

  it('marks a repair stale when only the tier of its claim has changed', async () => {
    const hash = await withClaim(server(), 'tier-stale');
    const older = await propose(server(), 'tier-stale', 'repair', 'Every accepted write leaves one receipt.');
    await server().owner('/api/protocol/repair', {
      slug: 'tier-stale',
      claim_id: 'c1',
      text: 'Every write leaves a receipt.',
      tier: 'mechanistic',
      rationale: 'A design says so.',
      expected_hash: hash,
    });
    const { contributions } = await server().read('/api/articles/tier-stale/mirror');
    expect(contributions[0]).toMatchObject({ claim_hash: hash, claim_version: 1, stale: true });
    expect((await resolve(server(), 'tier-stale', older['id'], 'accepted')).json).toMatchObject({
      error: 'hash_stale',
      current_hash: hash,
      version: 2,
    });
    expect(
      (await resolve(server(), 'tier-stale', older['id'], 'accepted', undefined, hash)).json,
    ).toMatchObject({
      claim: { version: 3, tier: 'mechanistic' },
      effect: { proposed_on: hash, proposed_on_version: 1 },
    });
  });

  it('marks a repair stale in MIRROR_FEED as soon as its claim has changed', async () => {
    const hash = await withClaim(server(), 'stale-feed');
    await propose(server(), 'stale-feed', 'repair', 'Every durable write leaves a receipt.');
    const feed = async () =>
      (await server().anybody('/api/dispatch', { key: 'MIRROR_FEED', body: 'stale-feed|5' }))['result']
        .contributions[0].stale;
    expect(await feed()).toBeUndefined();
    await server().owner('/api/protocol/repair', {
      slug: 'stale-feed',
      claim_id: 'c1',
      text: 'Each write leaves one receipt.',
      rationale: 'said better',
      expected_hash: hash,
    });
    expect(await feed()).toBe(true);
  });

  it.each([
    ['text without an address', 'I read it somewhere.', 'it names no http(s) address'],
    [
      'text without a quote in quotation marks',
      'It is all in https://www.rfc-editor.org/rfc/rfc6962 as I see it.',
      'it marks no exact quote with quotation marks',
    ],
    [
      'JSON with unknown members',
      '{"url":"https://example.org/","quote":"words","title":"T","found_by":"the owner"}',
      'a source has no member "found_by"',
    ],
    [
      'JSON that cannot be parsed',
      '{"url":"https://example.org/","quote":"words"',
      'its JSON cannot be parsed',
    ],
    ['JSON whose members are not strings', '{"url":["https://example.org/"]}', 'its "url" is no string'],
  ])('rejects a source sent as %s', async (_, body, why) => {
    const slug = `vague-${why.length}`;
    await withClaim(server(), slug);
    const refused = await server().fetch(`/api/articles/${slug}/mirror`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ claim_id: 'c1', kind: 'source', actor: 'ada', body }),
    });
    expect(refused.status).toBe(422);
    expect(await refused.json()).toMatchObject({
      error: 'content_rule',
      violations: [{ code: 'source', at: '/body', message: `The contribution holds no source: ${why}.` }],
    });
    expect((await server().read(`/api/articles/${slug}/mirror`))['count']).toBe(0);
  });

  it('replays the first result for an identical contribution, with its current status', async () => {
    await withClaim(server(), 'again');
    const first = await propose(server(), 'again', 'audit', 'Read whole.');
    await resolve(server(), 'again', first['id'], 'rejected');
    const again = await server().anybody('/api/articles/again/mirror', {
      claim_id: 'c1',
      kind: 'audit',
      actor: 'ada',
      body: 'Read whole.',
    });
    expect(again).toMatchObject({
      repeated: true,
      contribution: { id: first['id'], status: 'rejected', receipt: first['receipt'] },
    });
    expect((await server().read('/api/articles/again/mirror'))['count']).toBe(1);
  });

  it('accepts an identical contribution as new after 32 newer contributions', async () => {
    await withClaim(server(), 'long-ago');
    const said = { claim_id: 'c1', kind: 'question', actor: 'ada', body: 'Is it so?' };
    const ask = () => server().anybody('/api/articles/long-ago/mirror', said);
    const first = await ask();
    for (let i = 1; i < 32; i++) await propose(server(), 'long-ago', 'audit', `Audit ${i}.`);
    expect(await ask()).toMatchObject({ repeated: true, contribution: { id: first['contribution'].id } });
    await propose(server(), 'long-ago', 'audit', 'Audit 32.');
    expect(await ask()).toMatchObject({ repeated: false });
  });

  it('turns a repair without authority into a proposal, and with authority into a new version', async () => {
    const hash = await withClaim(server(), 'authority');
    const repair = {
      slug: 'authority',
      claim_id: 'c1',
      text: 'Every accepted write leaves one receipt.',
      rationale: 'refused writes may leave none',
      expected_hash: hash,
    };
    const proposed = await server().anybody('/api/protocol/repair', repair);
    expect(proposed['contribution']).toMatchObject({ kind: 'repair', status: 'proposed', claim_hash: hash });
    const { share } = await server().owner('/api/dispatch', { key: 'CAP_MINT', body: 'act||600|0' });
    const uncovered = await server().anybody('/api/protocol/repair', { ...repair, key: share, actor: 'bo' });
    expect(uncovered['contribution']).toMatchObject({ actor: 'bo', status: 'proposed' });
    const made = await server().owner('/api/protocol/repair', repair);
    expect(made['claim']).toMatchObject({ version: 2, text: repair.text });
    await expect(server().anybody('/api/protocol/repair', repair)).rejects.toThrow('hash_stale');
    const late = await resolve(server(), 'authority', proposed['contribution'].id, 'accepted');
    expect(late.json['error']).toBe('hash_stale');
  });

  it('proposes the tier of an unauthorized repair, and applies it to the claim on acceptance', async () => {
    const hash = await withClaim(server(), 'tiers');
    const repair = {
      slug: 'tiers',
      claim_id: 'c1',
      text: 'Every accepted write leaves one receipt.',
      rationale: 'measured on a running server',
      expected_hash: hash,
      tier: 'mechanistic',
    };
    const proposed = await server().anybody('/api/protocol/repair', repair);
    expect(proposed['contribution']).toMatchObject({
      kind: 'repair',
      status: 'proposed',
      tier: 'mechanistic',
    });
    const kept = await server().anybody('/api/protocol/repair', { ...repair, tier: undefined });
    expect(kept['contribution']).toMatchObject({ kind: 'repair', status: 'proposed' });
    expect(kept['contribution']).not.toHaveProperty('tier');
    const accepted = await resolve(server(), 'tiers', proposed['contribution'].id, 'accepted');
    expect(accepted.json['claim']).toMatchObject({ version: 2, tier: 'mechanistic', weight: 0.3 });
    await expect(
      server().anybody('/api/protocol/repair', { ...repair, expected_hash: 'x', tier: 'certain' }),
    ).rejects.toThrow('unknown_tier');
  });

  it('lists an unknown claim among other violations, and alone returns not_found', async () => {
    await withClaim(server(), 'unheld');
    const send = async (body: object) => {
      const response = await server().fetch('/api/articles/unheld/mirror', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ claim_id: 'c9', kind: 'question', actor: 'ada', body: 'Why?', ...body }),
      });
      return (await response.json()) as { error: string; violations?: { code: string; at: string }[] };
    };
    expect((await send({})).error).toBe('not_found');
    const blank = await send({ actor: ' ', tier: 'human' });
    expect([blank.error, blank.violations?.map(({ code, at }) => [code, at])]).toEqual([
      'body_mismatch',
      [
        ['blank', '/actor'],
        ['not_carried', '/tier'],
        ['unknown_claim', '/claim_id'],
      ],
    ]);
    const mistyped = await send({ body: 7, size: 3 });
    expect([mistyped.error, mistyped.violations?.map(({ code, at }) => [code, at])]).toEqual([
      'body_mismatch',
      [
        ['wrong_type', '/body'],
        ['unknown_argument', '/size'],
        ['unknown_claim', '/claim_id'],
      ],
    ]);
  });

  it('leaves projections that rebuild identically from the ledger', () => expectRebuilds(server()));
});

onBothStores(
  'open intake',
  (server) => {
    it('is limited per client address, whatever actor name and endpoint the client uses', async () => {
      await withClaim(server(), 'busy');
      const statuses: number[] = [];
      for (let i = 0; i < 34; i++) {
        const said = { claim_id: 'c1', kind: 'audit', actor: `name ${i}`, body: `Audit ${i}.` };
        const [path, body]: [string, object] =
          i % 2 === 0
            ? ['/api/articles/busy/mirror', said]
            : ['/api/dispatch', { key: 'MIRROR_APPEND', body: { ...said, slug: 'busy' } }];
        const response = await server().fetch(path, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-forwarded-for': '192.0.2.77' },
          body: JSON.stringify(body),
        });
        await response.body?.cancel();
        statuses.push(response.status);
      }
      expect(statuses.slice(0, 30)).toEqual(Array.from({ length: 30 }, () => 200));
      expect(statuses.slice(30)).toEqual([429, 429, 429, 429]);
    });

    it('is limited per article across many client addresses and all endpoints', async () => {
      await withClaim(server(), 'crowded');
      let landed = 0;
      for (let i = 0; i < 210; i++) {
        const said = { claim_id: '', kind: 'audit', actor: 'x', body: `Audit ${i}.` };
        const [path, body]: [string, object] =
          i % 3 === 0
            ? ['/api/articles/crowded/mirror', said]
            : ['/api/dispatch', { key: 'MIRROR_APPEND', body: { ...said, slug: 'crowded' } }];
        const response = await server().fetch(path, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-forwarded-for': `198.51.100.${i}` },
          body: JSON.stringify(body),
        });
        await response.body?.cancel();
        landed += response.status === 200 ? 1 : 0;
      }
      expect(landed).toBe(200);
    });
  },
  { COLOPHON_RATE_LIMIT: 'on', COLOPHON_TRUST_PROXY: '127.0.0.0/8' },
);
