/** Articles exported and imported as bundles (spec §4.3): what is kept, what is left out and what is rejected. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/kernel/json.ts';
import { commitment, leafHash } from '../../src/ledger/entry.ts';
import { verifyBundle } from '../../verify/index.ts';
import { expectRebuilds } from '../support/both-stores.ts';
import { hasPostgres, sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { startServer, terminalKey, type Answer, type TestServer } from '../support/server.ts';
import { storedFolder, storedKeys } from '../support/stored-ledger.ts';
import { seedArticles } from './seed.ts';

const owner = { headers: { 'x-terminal-key': terminalKey } };

async function bundleOf(server: TestServer, slug: string, init: RequestInit = owner): Promise<Answer> {
  const {
    ok: _ok,
    _self,
    ...bundle
  } = await (await server.fetch(`/api/articles/${slug}/bundle`, init)).json();
  return bundle;
}

function chainIn(bundle: Answer, of: string): Answer[] {
  const chains = Object.entries(bundle['chains'] as Record<string, Answer[]>);
  return chains.find(([name]) => name.endsWith(`.${of}`))?.[1] ?? [];
}

/** The answer of an import, refused or not. */
async function take(server: TestServer, bundle: object, more: object = {}): Promise<Answer> {
  const reply = await server.fetch('/api/protocol/import', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...owner.headers },
    body: JSON.stringify({ bundle, ...more }),
  });
  return { status: reply.status, ...((await reply.json()) as Answer) };
}

const stores = { SQLite: {}, PostgreSQL: {} };
type Kind = keyof typeof stores;
const ways: readonly (readonly [Kind, Kind])[] = hasPostgres
  ? [
      ['SQLite', 'PostgreSQL'],
      ['PostgreSQL', 'SQLite'],
    ]
  : [['SQLite', 'SQLite']];

describe.each(ways)('a bundle from %s, imported on %s,', (from, to) => {
  let postgres: TestDatabases | undefined;
  let there: TestServer;
  let here: TestServer;
  let bundle: Answer;

  beforeAll(async () => {
    if (from !== to) postgres = await sharedPostgres();
    const open = async (kind: Kind): Promise<TestServer> =>
      startServer(kind === 'PostgreSQL' ? { DATABASE_URL: (await postgres?.database()) ?? '' } : {});
    [there, here] = [await open(from), await open(to)];
    await seedArticles(there);
    const said = { slug: 'full', actor: 'bo', rationale: 'It should.' };
    const vote = { ...said, target: 'd2', proposal: 'should_split', at: 'edited.' };
    await there.anybody('/api/protocol/voxel-vote', vote);
    const { contribution } = await there.anybody('/api/articles/full/mirror', {
      claim_id: 'c1',
      kind: 'repair',
      actor: 'di',
      body: 'A Merkle tree of two leaves has one inner node only.',
    });
    await there.owner(`/api/articles/full/mirror/${String((contribution as Answer)['id'])}/resolve`, {
      decision: 'accepted',
      note: 'It is shorter.',
    });
    await there.anybody('/api/dispatch', {
      key: 'OBJECTION_LOG',
      body: { slug: 'full', objection: 'Is gnomon-tide-4471 a secret?', surface: 'S1', actor: 'ed' },
    });
    await there.owner('/api/dispatch', { key: 'SECRET_SCRUB', body: { secret: 'gnomon-tide-4471' } });
    bundle = await bundleOf(there, 'full');
    expect(await take(here, bundle)).toMatchObject({ status: 200, slug: 'full', claims: 3, sources: 3 });
  }, 60_000);

  afterAll(async () => {
    await there.stop();
    await here.stop();
    await postgres?.stop();
  });

  const part = (server: TestServer, name: string): Promise<Answer> =>
    server.read(`/api/articles/full/${name}`);

  it('keeps the ids, hashes, texts and authors of the article', async () => {
    const shape = async (server: TestServer): Promise<unknown> => ({
      body: (await server.read('/api/articles/full'))['body'],
      claims: ((await part(server, 'claims'))['claims'] as Answer[]).map(
        ({
          lineage: _l,
          contributions: _c,
          proposed: _w,
          contested: _o,
          extra,
          permalink: _p,
          ...claim
        }) => ({
          ...claim,
          extra: { ...(extra as object), imported_from: null },
        }),
      ),
      sources: ((await part(server, 'sources'))['sources'] as Answer[]).map(
        ({ id, url, quote, claim_ids: ids, source_role: role }) => ({ id, url, quote, ids, role }),
      ),
      divs: ((await part(server, 'voxels?include_inactive=1'))['divs'] as Answer[]).map(
        ({ div_id: id, status, order, text, sep, vx_hash: sha, kind }) => [
          id,
          status,
          order,
          text,
          sep,
          sha,
          kind,
        ],
      ),
    });
    expect(await shape(here)).toEqual(await shape(there));
    const divs = (await part(here, 'voxels?include_inactive=1'))['divs'] as Answer[];
    expect(divs.map((div) => [div['div_id'], div['status']])).toEqual([
      ['d1', 'current'],
      ['d2', 'current'],
      ['d3', 'current'],
      ['d4', 'current'],
      ['d7', 'current'],
      ['d5', 'burned'],
      ['d6', 'consolidated'],
    ]);
    expect((await here.fetch('/a/full/d5')).status).toBe(200);
  });

  it('lists the original provenance, thread, votes, questions and contributions under their own hashes', async () => {
    for (const [name, chain, count] of [
      ['provenance', 'provenance', 13],
      ['discourse', 'thread', 10],
      ['votes', 'votes', 4],
      ['question-graph', 'questions', 3],
      ['contributions', 'mirror', 6],
    ] as const) {
      const { imported } = (await part(here, name)) as { readonly imported: Answer };
      expect([name, imported['from'], imported['count']]).toEqual([
        name,
        { base: there.base, log: there.base.slice('http://'.length), slug: 'full' },
        count,
      ]);
      const [, entries] = Object.entries(bundle['chains'] as Record<string, Answer[]>).find(([each]) =>
        each.endsWith(`.${chain}`),
      ) as [string, Answer[]];
      const hashes = (list: readonly Answer[]): unknown => list.map(({ hash }) => hash as unknown);
      expect(hashes(imported['entries'] as Answer[])).toEqual(hashes(entries));
    }
    const { imported } = (await part(here, 'discourse')) as { readonly imported: Answer };
    expect((imported['entries'] as Answer[]).at(-1)?.['said']).toMatchObject({
      body: 'Is [redacted:secret] a secret?',
    });
    const votes = (await part(here, 'votes')) as { readonly count: number; readonly imported: Answer };
    expect(votes.count).toBe(0);
    expect((votes.imported['entries'] as Answer[]).at(-1)?.['said']).toMatchObject({
      proposal: 'should_split',
      carries: { at: 'edited.' },
    });
  });

  it('verifies in both ledgers, and keeps its imported history in a further export', async () => {
    await expectRebuilds(there);
    await expectRebuilds(here);
    const onward = await bundleOf(here, 'full');
    const report = await verifyBundle(onward);
    expect(report.checks.filter((check) => !check.ok)).toEqual([]);
    expect(await take(there, onward, { slug: 'back' })).toMatchObject({ status: 200, slug: 'back' });
    const { imported } = await there.read('/api/articles/back/provenance');
    expect(imported).toMatchObject({
      from: { base: here.base },
      count: 1,
      imported: { from: { base: there.base }, count: 13 },
    });
    expect((await there.read('/api/articles/back/discourse'))['imported']).toMatchObject({
      from: { base: there.base },
      count: 10,
    });
    await expectRebuilds(there);
  });
});

describe('an imported bundle', () => {
  let there: TestServer;
  let here: TestServer;
  let bundle: Answer;
  const hidden = 'A wording that nobody was to see.';

  beforeAll(async () => {
    [there, here] = [await startServer(), await startServer()];
    await there.article(`# Shy\n\n${hidden}\n\nTwo.\n\nThree.\n`, { slug: 'shy', status: 'draft' });
    const hashOf = async (id: string): Promise<unknown> =>
      ((await (await there.fetch('/api/articles/shy/voxels', owner)).json()) as Answer)['divs'].find(
        (div: Answer) => div['div_id'] === id,
      )['vx_hash'];
    const write = (path: string, body: object): Promise<Answer> =>
      there.owner(`/api/protocol/${path}`, { slug: 'shy', ...body });
    await write('voxel-edit', { div_id: 'd2', expected_hash: await hashOf('d2'), text: 'One.' });
    await write('voxel-burn', { ids: ['d3'], reason: 'Of no use.' });
    await write('article', { expected_version: 3, status: 'published' });
    await write('claim', {
      text: 'A tree of two leaves has one inner node.',
      tier: 'mechanistic',
      who_claims: 'RFC 6962',
      why_material: 'It is counted.',
    });
    await write('voxel-burn', { ids: ['d4'], reason: 'Of no use either.' });
    bundle = await bundleOf(there, 'shy');
  });

  afterAll(async () => {
    await there.stop();
    await here.stop();
  });

  it('never shows content that was not public at its origin, even after a second import', async () => {
    expect(JSON.stringify(await bundleOf(there, 'shy', {}))).not.toContain(hidden);
    await take(here, bundle, { slug: 'once' });
    await take(here, await bundleOf(here, 'once'), { slug: 'twice' });
    for (const slug of ['once', 'twice']) {
      const parts = ['bundle', 'provenance', 'voxels?include_inactive=1', 'ledger', 'revisions', 'claims'];
      for (const name of parts) {
        const path = `/api/articles/${slug}/${name}`;
        expect([path, await (await here.fetch(path)).text()]).not.toContain(hidden);
      }
      const shown = await bundleOf(here, slug, {});
      expect(JSON.stringify(shown)).not.toContain(hidden);
      expect((await verifyBundle(shown)).ok).toBe(true);
      // What left the article before it was public stays out of sight, what left it later does not.
      const { divs } = await here.read(`/api/articles/${slug}/voxels?include_inactive=1`);
      expect((divs as Answer[]).map((div) => [div['div_id'], div['status']])).toEqual([
        ['d1', 'current'],
        ['d2', 'current'],
        ['d4', 'burned'],
      ]);
      const mine = await bundleOf(here, slug);
      expect(JSON.stringify(mine)).toContain(hidden);
      expect((await verifyBundle(mine)).ok).toBe(true);
    }
    const { imported } = (await (await here.fetch('/api/articles/once/provenance', owner)).json()) as Answer;
    expect(JSON.stringify(imported)).toContain('"slug":"shy"');
    await expectRebuilds(here);
  });

  it('assigns no new DIV the number of a burned one', async () => {
    await take(here, bundle, { slug: 'numbers' });
    await here.owner('/api/protocol/voxel-batch', {
      slug: 'numbers',
      document: { slug: 'numbers', markdown: 'Five.\n' },
    });
    const { divs } = await here.read('/api/articles/numbers/voxels');
    expect((divs as Answer[]).map((div) => [div['div_id'], div['text']])).toEqual([
      ['d1', '# Shy'],
      ['d2', 'One.'],
      ['d5', 'Five.'],
    ]);
  });

  it('is accepted once per slug, and only from the owner', async () => {
    expect(await take(here, bundle, { slug: 'single' })).toMatchObject({ status: 200 });
    expect(await take(here, bundle, { slug: 'single' })).toMatchObject({ status: 409, error: 'conflict' });
    const minted = await here.owner('/api/dispatch', { key: 'CAP_MINT', body: { scope: 'act', ttl: 600 } });
    const { share } = minted['result'] as Answer;
    const credentials: readonly Record<string, string>[] = [{}, { authorization: `Bearer ${String(share)}` }];
    for (const credential of credentials) {
      const reply = await here.fetch('/api/protocol/import', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...credential },
        body: JSON.stringify({ bundle, slug: 'from-a-share' }),
      });
      expect([401, 403]).toContain(reply.status);
    }
    expect((await here.fetch('/api/articles/from-a-share', owner)).status).toBe(404);
  });

  it('is rejected if it was exported without a key and lacks entries', async () => {
    expect(await take(here, await bundleOf(there, 'shy', {}), { slug: 'partial' })).toMatchObject({
      status: 422,
      violations: [
        {
          at: expect.stringMatching(/^\/bundle\/chains\/art_[a-z2-7]{16}\.provenance\/0$/) as string,
          message: 'The bundle leaves out how the article began, which was before it was published.',
          fix: 'Export it with a key of its workspace, as colophon export does.',
        },
      ],
    });
  });

  it.each<readonly [string, RegExp, (all: Answer) => void]>([
    ['a title', /^\/title$/, (all) => (all['title'] = 'Bold')],
    ['a status', /^\/status$/, (all) => (all['status'] = 'draft')],
    ['a tag', /^\/meta$/, (all) => (all['meta'].tags = ['x'])],
    ['a body', /^\/body$/, (all) => (all['body'] += '\nMore.\n')],
    ["a claim's tier", /^\/claims\/0\/tier$/, (all) => (all['claims'][0].tier = 'human')],
    ['who posted a claim', /^\/claims\/0\/posted_by$/, (all) => (all['claims'][0].posted_by.actor = 'x')],
    ["a DIV's status", /^\/voxels\/2$/, (all) => (all['voxels'][2].status = 'consolidated')],
    ["a DIV's chain", /^\/voxels\/1$/, (all) => (all['voxels'][1].chain[0].ts = '2020-01-01T00:00:00Z')],
    ['a change', /^\/provenance\/1\/change$/, (all) => (all['provenance'][1].change = {})],
    ['an actor', /^\/provenance\/1\/actor$/, (all) => (all['provenance'][1].actor = 'anonymous')],
    ['the name of the log', /^\/origin\/log$/, (all) => (all['origin'].log = 'example.org')],
    [
      'the tree head',
      /^\/origin\/checkpoint$/,
      (all) => (all['origin'].checkpoint = String(all['origin'].checkpoint).replace(/\n\d+\n/, '\n1\n')),
    ],
    ['an entry', /\.provenance\/1$/, (all) => (chainIn(all, 'provenance')[1]!['entry'].action = 'write')],
    [
      'a salt',
      /\.provenance\/1$/,
      (all) => (chainIn(all, 'provenance')[1]!['contents'].content_sha.salt = '00'),
    ],
    ['a text', /\.d2\/1$/, (all) => (chainIn(all, 'd2')[1]!['contents'].text_sha.value = 'Won.')],
    [
      'a removed content',
      /\.d2\/0$/,
      (all) => (chainIn(all, 'd2')[0]!['contents'].text_sha = { salt: null, value: null }),
    ],
    [
      'the order of a chain',
      /\.provenance\/2$/,
      (all) => (chainIn(all, 'provenance')[2]!['at'] = chainIn(all, 'provenance')[0]!['at']),
    ],
    ['the name of a chain', /^\/chains\/__proto__$/, (all) => addProto(all['chains'] as object)],
  ])('is rejected with the place named when %s was altered', async (_, at, alter) => {
    const altered = structuredClone(bundle);
    alter(altered);
    const answer = await take(here, altered, { slug: 'altered' });
    expect(answer).toMatchObject({ status: expect.any(Number) as number, ok: false });
    if (answer['error'] !== 'invalid_json') {
      expect(answer['error']).toBe('content_rule');
      expect(
        (answer['violations'] as Answer[]).map((each) => String(each['at']).replace('/bundle', '')).join(' '),
      ).toMatch(new RegExp(at.source.replace(/^\^/, '(?:^| )').replace(/\$$/, '(?: |$)')));
    }
    expect((await here.fetch('/api/articles/altered', owner)).status).toBe(404);
  });
});

const postedBy = {
  actor: 'owner',
  channel: 'http',
  ts: '2026-01-01T00:00:00.000Z',
  model: null,
  rationale: null,
};

describe('a bundle from a ledger of version 0.1.0', () => {
  const folder = storedFolder(mkdtempSync(join(tmpdir(), 'colophon-stored-')));
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(['harbour', 'draft'])('is imported with proofs that verify: %s', async (slug) => {
    const there = await startServer({ ...storedKeys, COLOPHON_DATA: folder }, { serves: true });
    const key = { headers: { 'x-terminal-key': storedKeys.COLOPHON_TERMINAL_KEY } };
    const bundle = await bundleOf(there, slug, key);
    await there.stop();
    const here = await startServer();
    expect(await take(here, bundle, { status: 'published' })).toMatchObject({ status: 200 });
    const bundleHere = await bundleOf(here, slug);
    const vkey = await (await here.fetch('/.well-known/colophon-key')).text();
    expect((await verifyBundle(bundleHere, vkey)).ok).toBe(true);
    await here.stop();
  });
});

/** A bundle signed by the operator of another log: every hash in it is valid. */
describe('a forged bundle with valid hashes', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer();
  });

  afterAll(async () => {
    await server.stop();
  });

  /** `alter` changes what the first entry says the article became, and answers with what the bundle shows of it. */
  async function forged(slug: string, alter: (change: Answer) => object): Promise<Answer> {
    await server.article('# Made\n\nOne.\n', { slug });
    const bundle = await bundleOf(server, slug);
    const [first] = chainIn(bundle, 'provenance') as [Answer];
    const { salt, value } = first['contents'].content_sha as { salt: string; value: Answer };
    const shown = alter(value['change'] as Answer) as Answer;
    first['entry'].content_sha = commitment(Buffer.from(salt, 'hex'), canonicalJson(value));
    first['hash'] = Buffer.from(leafHash(canonicalJson(first['entry']))).toString('hex');
    const entry = { entry: first['entry'], hash: first['hash'], change: value['change'] };
    Object.assign((bundle['provenance'] as [Answer])[0], entry);
    for (const [i, { sep }] of (value['change'].made as { sep: unknown }[]).entries())
      (bundle['voxels'] as Answer[])[i]!['sep'] = sep;
    const body = String(shown['body'] ?? bundle['body']);
    return { ...bundle, ...shown, content_hash: createHash('sha256').update(body).digest('hex') };
  }

  it('is imported with its title truncated at the length limit, between two characters', async () => {
    const title = `${'x'.repeat(299)}😀 and more`;
    const bundle = await forged('long', (change) => Object.assign(change, { title }) && { title });
    expect(await take(server, bundle, { slug: 'cut' })).toMatchObject({ status: 200 });
    expect((await server.read('/api/articles/cut'))['title']).toBe(`${'x'.repeat(299)}\ufffd`);
  });

  it('is rejected with every content rule violation, or imported with the claims marked if the owner accepts them', async () => {
    const bundle = await withClaim('doses', { text: 'Adults take 500 mg daily.' });
    const refused = await take(server, bundle, { slug: 'doses-here' });
    expect(refused).toMatchObject({ status: 422, error: 'content_rule' });
    expect(refused['violations'].map(({ code, at }: Answer) => [code, at])).toEqual([
      ['dose', '/bundle/claims/0/text#12-18'],
      ['missing_why_material', '/bundle/claims/0/why_material'],
    ]);
    expect((await server.fetch('/api/articles/doses-here')).status).toBe(404);
    const taken = await take(server, bundle, { slug: 'doses-here', accept_violations: true });
    expect(taken).toMatchObject({ status: 200, accepted_violations: 1 });
    const { claims } = await server.read('/api/articles/doses-here/claims');
    expect(claims[0].extra.violations).toEqual(['dose', 'missing_why_material']);
    const { provenance } = await server.read('/api/articles/doses-here/provenance');
    expect(provenance[0].change.accepted_violations).toEqual({ c1: ['dose', 'missing_why_material'] });
    expect(await (await server.fetch('/a/doses-here/c1')).text()).toContain('Rules that it breaks');
    await expectRebuilds(server);
  });

  /** A bundle with one claim. */
  function withClaim(slug: string, given: Answer): Promise<Answer> {
    const claim = {
      id: 'c1',
      text: 'Water boils.',
      tier: 'human',
      source_ids: [],
      source_status: 'unsourced',
      why_material: null,
      evidence_basis: null,
      materiality: true,
      weight: 0.8,
      status: 'active',
      falsifier: null,
      who_claims: 'a leaflet',
      posted_by: postedBy,
      slot: null,
      section: null,
      source_role: null,
      extra: {},
      version: 1,
      ...given,
    };
    const hash = createHash('sha256').update(claim.text).digest('hex');
    return forged(slug, (change) => {
      change['claims'] = [{ n: 1, plain: claim.text.toLowerCase(), claim: { ...claim, hash } }];
      return { claims: [{ ...claim, hash }] };
    });
  }

  const dose = 'Adults take 500 mg daily.';
  const hidden = 'ad\u202Ea';
  it.each<readonly [string, string, Answer]>([
    ['an unknown member', 'extra/html', { extra: { html: '<b>' } }],
    ['a foreign member', 'posted_by/mail', { posted_by: { ...postedBy, mail: 'x' } }],
    ['an invalid time', 'posted_by/ts', { posted_by: { ...postedBy, ts: 'yesterday' } }],
    ['an invalid actor', 'posted_by/actor', { posted_by: { ...postedBy, actor: 'The Owner' } }],
    ['a number for a text', 'why_material', { why_material: 5 }],
    ['a number for a name', 'extra/actor_name', { extra: { actor_name: 5 } }],
    ['a fractional version', 'version', { version: 1.5 }],
    ['a long source role', 'source_role', { source_role: 'x'.repeat(101) }],
  ])('is rejected with %s in a claim, even if the owner accepts violations', async (what, at, given) => {
    const bundle = await withClaim(what.replaceAll(' ', '-'), given);
    const refused = await take(server, bundle, { slug: 'misfit', accept_violations: true });
    expect(refused).toMatchObject({ status: 422, error: 'content_rule' });
    expect((refused['violations'] as Answer[]).map((each) => each['at'])).toEqual([`/bundle/claims/0/${at}`]);
  });

  it.each<readonly [string, string, Answer]>([
    ['a name', 'extra/actor_name', { extra: { actor_name: hidden } }],
    ['a source role', 'source_role', { source_role: hidden }],
    ['a rationale', 'posted_by/rationale', { posted_by: { ...postedBy, rationale: dose } }],
    ['a model', 'posted_by/model', { posted_by: { ...postedBy, model: hidden } }],
    [
      'a reason',
      'extra/retracted/reason',
      {
        status: 'retracted',
        weight: 0,
        extra: {
          retracted: { reason: dose, at: postedBy.ts, by: 'owner', receipt: `inv_${'a'.repeat(16)}` },
        },
      },
    ],
  ])('is validated in %s of a claim like a posted claim', async (what, at, given) => {
    const sound = { why_material: 'Readers cook.', ...given };
    const bundle = await withClaim(`judged-${what.replaceAll(' ', '-')}`, sound);
    const refused = await take(server, bundle, { slug: 'judged' });
    expect((refused['violations'] as Answer[]).map((each) => String(each['at']).replace(/#.*/, ''))).toEqual([
      `/bundle/claims/0/${at}`,
    ]);
    const taken = await take(server, bundle, {
      slug: `took-${what.replaceAll(' ', '-')}`,
      accept_violations: true,
    });
    expect(taken).toMatchObject({ status: 200, accepted_violations: 1 });
  });

  it('is rejected with an entry whose ts is no timestamp', async () => {
    const bundle = await forged('no-instant', () => ({}));
    const [first] = chainIn(bundle, 'provenance') as [Answer];
    first['entry'].ts = '0';
    first['hash'] = Buffer.from(leafHash(canonicalJson(first['entry']))).toString('hex');
    expect((await take(server, bundle, { slug: 'no-time' }))['violations']).toContainEqual(
      expect.objectContaining({
        at: `/bundle/chains/${String(first['entry'].chain)}/0`,
        message: 'Its ts is no instant in ISO 8601, such as 2026-03-01T12:00:00.000Z.',
      }),
    );
  });

  const body = '# Made\n\nOne.\n';
  const uncounted = 'How many DIVs it has numbered cannot be read.';
  const notBlank = 'What stands behind d1 is not blank.';
  const noText = 'The slug or the lead is no text.';
  it.each<readonly [string, string, (change: Answer) => object]>([
    ['a word as a count', uncounted, (change) => Object.assign(change, { divs_numbered: 'x' }) && {}],
    ['an excessive count', uncounted, (change) => Object.assign(change, { divs_numbered: 1e300 }) && {}],
    ['a fractional count', uncounted, (change) => Object.assign(change, { divs_numbered: 7.5 }) && {}],
    ['text between blocks', notBlank, ({ made }) => ((made[0].sep = ' and '), { body: '# Made and One.\n' })],
    ['no separator', notBlank, ({ made }) => ((made[0].sep = null), { body: '# MadenullOne.\n' })],
    ['no lead', noText, ({ created }) => ((created.lead = null), { lead: null, body: `null${body}` })],
    ['no slug', noText, ({ created }) => ((created.slug = 7), { slug: 7 })],
  ])('is rejected with %s', async (what, message, alter) => {
    const bundle = await forged(what.replaceAll(' ', '-'), alter);
    expect(await take(server, bundle, { slug: 'taken' })).toMatchObject({
      status: 422,
      error: 'content_rule',
      violations: [{ at: '/bundle/chains', message }],
    });
  });
});

/** A member of that name, as JSON can have one. */
function addProto(chains: object): void {
  Object.defineProperty(chains, '__proto__', { value: [], enumerable: true });
}
