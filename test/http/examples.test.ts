/**
 * Calls the served example of every row (spec §2.6 "examples"), on both stores. Placeholders are filled in from reads, as
 * a model would do it, and each call uses the least authority that the row requires.
 */
import { Compile } from 'typebox/compile';
import type { TSchema } from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtInRows } from '../../src/rows/index.ts';
import { readStarters } from '../unit/content/starters.ts';
import { hasPostgres, sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { openWalked, type WalkedServer } from './every-row.ts';
import { owner, type Reply } from './local.ts';

const slug = 'what-the-ledger-is';

/** Rows that change the inputs of other examples; every other row is called before them. */
const last = [
  'VOXEL_MOVE',
  'VOXEL_SPLIT',
  'VOXEL_EDIT',
  'VOXEL_CONSOLIDATE',
  'VOXEL_BURN',
  'CLAIM_REPAIR',
  'CLAIM_RETRACT',
  'ARTICLE_REWRITE',
  'ARTICLE_REVERT',
  'SECRET_SCRUB',
];
/** A target is queued before it is leased. */
const first = ['LANDSCAPE_QUEUE'];

const keys = builtInRows.map(({ key }) => key);
const inOrder = [...first, ...keys.filter((key) => !last.includes(key) && !first.includes(key)), ...last];

describe.each(hasPostgres ? ['sqlite', 'postgres'] : ['sqlite'])('the example on %s of', (store) => {
  let server: WalkedServer;
  let postgres: TestDatabases | undefined;
  const called = new Set<string>();

  beforeAll(async () => {
    postgres = store === 'postgres' ? await sharedPostgres() : undefined;
    server = await openWalked(await postgres?.database());
    const starter = readStarters().find((each) => each.slug === slug);
    const { title, markdown, sources, claims } = starter ?? { sources: [], claims: [] };
    await write('VOXEL_BATCH', { document: { slug, title, markdown } });
    await write('SOURCE_POST', { slug, sources });
    for (const claim of claims) await write('CLAIM_POST', { slug, ...claim });
  });

  afterAll(async () => {
    await server.end();
    await postgres?.stop();
  });

  const write = async (
    key: string,
    body: string | object,
    more = {},
    headers = owner,
  ): Promise<Reply['json']> => {
    const reply = await server.call(key, body, more, headers);
    expect([key, reply.status < 300, reply.body]).toEqual([key, true, reply.body]);
    return reply.json;
  };
  const read = async (part: string): Promise<Reply> => server.send({ path: `/api/articles/${slug}${part}` });
  const find = async (part: string, list: string, id: string, member: string): Promise<string> => {
    const items = (await read(part)).json[list] as Record<string, unknown>[];
    return String(items.find((item) => item['div_id'] === id || item['id'] === id)?.[member]);
  };
  const inv = (reply: Reply['json']): string => (reply['invocation'] as { id: string }).id;
  const result = (reply: Reply['json']): Record<string, string> => reply['result'] as Record<string, string>;

  /** What a caller has read or done before, for each place that an example may have. */
  const places: Readonly<Record<string, () => Promise<string>>> = {
    article_version: async () => String((await read('')).json['version']),
    assignment_id: async () => String(result(await write('LANDSCAPE_NEXT', 'build'))['assignment_id']),
    bundle_json: async () => (await read('/bundle')).body,
    content_hash: async () => String((await read('')).json['content_hash']),
    contribution_id: async () => {
      await write('MIRROR_APPEND', `${slug}|c1|question|ada|Which tree?`);
      return String(((await read('/mirror')).json['contributions'] as { id: string }[])[0]?.id);
    },
    entry_id: async () => {
      const { entry } = result(await write('OBJECTION_LOG', `${slug}/c2|It cites no source.`));
      return (entry as unknown as { id: string }).id;
    },
    failed_invocation_id: async () =>
      inv((await server.call('MIRROR_FEED', 'no-such-article', {}, owner)).json),
    hash_of_c1: () => find('/claims', 'claims', 'c1', 'hash'),
    invocation_id: async () => inv(await write('MIRROR_FEED', slug)),
    hook_id: async () => String(result(await write('NOTIFY_PUT', JSON.stringify({ feed: true })))['id']),
    key_fingerprint: async () => String(result(await write('KEY_MINT', 'read'))['fingerprint']),
    proposal_id: async () => {
      const { share } = await server.mint({ key: 'MIRROR_APPEND', owner_gate: true });
      return inv((await server.call('MIRROR_APPEND', `${slug}||question|ada|May I?`, { share })).json);
    },
    share_fingerprint: async () => (await server.mint({ key: 'MIRROR_FEED' })).fingerprint,
    thread_head: async () => String((await read('/claims')).json['thread_head']),
    vote_id: async () =>
      String(result(await write('VOXEL_VOTE', `${slug}|d5|should_burn|Old.|ada`))['vote_id']),
    vx_hash_of_d2: () => find('/voxels', 'divs', 'd2', 'vx_hash'),
    vx_hash_of_d3: () => find('/voxels', 'divs', 'd3', 'vx_hash'),
  };

  /** The example as it is served, with everything filled in that it says has to be. */
  const filled = async (key: string): Promise<string> => {
    const { json } = await server.send({ path: `/api/directory/${key}` });
    const [example] = json['examples'] as { body: string; replace?: Record<string, string> }[];
    let body = String(example?.body);
    for (const [place, where] of Object.entries(example?.replace ?? {})) {
      expect([key, place, where]).toEqual([key, place, expect.stringMatching(/\w/)]);
      body = body.replaceAll(place, await (places[place.slice(1, -1)] as () => Promise<string>)());
    }
    expect([key, /<\w+>|…/.test(body.replace(/"bundle":\{.*\}/, ''))]).toEqual([key, false]);
    // The one address of the world that examples name; a page of the test stands for it.
    return body.replace('https://example.org/||', `${server.page}||`);
  };

  /** Calls a row without a credential if it requires none, with a share if that is enough, else as the owner. */
  const call = async (key: string, body: string): Promise<Reply> => {
    const row = builtInRows.find((each) => each.key === key);
    const { auth, requiresApproval, risk } = row as NonNullable<typeof row>;
    if (auth === 'owner' || ['CAP_REVOKE', 'LANDSCAPE_RETURN', 'VOXEL_BATCH'].includes(key))
      return server.call(key, body, {}, owner);
    if (auth === 'none' && !requiresApproval) return server.call(key, body);
    // The call that is read, repeated or repaired is one that the share must cover too.
    const about = key.startsWith('OIP_RE') ? ['MIRROR_FEED', 'OIP_RECEIPT'] : [];
    const { share } = await server.mint({
      scope: 'rows',
      keys: [key, ...about],
      risk_ceiling: risk,
      max_uses: 0,
    });
    return server.call(key, body, { share });
  };

  it.each(inOrder)('%s succeeds with a result that fits the output schema of the row', async (key) => {
    const body = await filled(key);
    const reply = await call(key, body);
    expect([body.slice(0, 300), reply.status, reply.status === 200 ? '' : reply.body]).toEqual([
      body.slice(0, 300),
      200,
      '',
    ]);
    expect(reply.json).toMatchObject({ ok: true, ran: true });
    const validator = Compile(builtInRows.find((row) => row.key === key)?.output as TSchema);
    expect([key, [...validator.Errors(reply.json['result'])].slice(0, 5)]).toEqual([key, []]);
    called.add(key);
  });

  it('every row was called', async () => {
    const { json } = await server.get({ registry: '1', limit: '500' });
    const served = (json['rows'] as { key: string }[])
      .map(({ key }) => key)
      .filter((key) => key !== 'WEATHER');
    expect([...called].sort()).toEqual(served);
  });
});
