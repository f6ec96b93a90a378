import canonicalize from 'canonicalize';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256Hex } from '../../src/kernel/hash.ts';
import { expectRebuilds } from '../support/both-stores.ts';
import { storeEnvironments } from '../support/store-environments.ts';
import { startServer, terminalKey, type Answer, type TestServer } from '../support/server.ts';

/** No rule knows it, so that it is stored as it was sent. */
const secret = 'Tr0ub4dor&3-of-the-feed';

describe.each(storeEnvironments())('the cached result of MIRROR_FEED on $name', (store) => {
  let nodes: TestServer[];
  let writer: TestServer;

  beforeAll(async () => {
    await store.start();
    const env = { ...(await store.env()), COLOPHON_BASE_URL: 'http://ledger.test' };
    writer = await startServer(env);
    nodes = store.name === 'postgres' ? [writer, await startServer(env)] : [writer];
    await article('fed');
  }, 60_000);

  afterAll(async () => {
    for (const node of nodes) {
      expect(node.errors).toEqual([]);
      await node.stop();
    }
    await store.stop();
  });

  async function article(slug: string, document: object = {}): Promise<void> {
    await writer.article(`# ${slug}\n\nText.\n`, { slug, ...document });
    await writer.owner('/api/protocol/claim', {
      slug,
      text: 'Every write leaves a receipt.',
      tier: 'system',
      who_claims: 'Colophon',
      why_material: 'Readers rely on it.',
    });
  }

  async function propose(slug: string, kind: string, body: string): Promise<string> {
    const answer = await writer.anybody(`/api/articles/${slug}/mirror`, {
      claim_id: 'c1',
      kind,
      actor: 'ada',
      body,
    });
    return String((answer['contribution'] as Answer)['id']);
  }

  const resolve = (slug: string, id: string, decision: string): Promise<Answer> =>
    writer.owner(`/api/articles/${slug}/mirror/${id}/resolve`, { decision, note: 'weighed' });

  /** The same from every node, for the first time since a change and for the second. */
  async function feed(body: string): Promise<Answer> {
    const told: Answer[] = [];
    for (const node of [...nodes, ...nodes])
      told.push(await node.anybody('/api/dispatch', { key: 'MIRROR_FEED', body }));
    const [first] = told as [Answer];
    for (const other of told) {
      expect(other['result']).toEqual(first['result']);
      expect(other['result_text']).toBe(first['result_text']);
    }
    return first['result'] as Answer;
  }

  it('shows a contribution and its decision as soon as the write is acknowledged', async () => {
    expect(await feed('fed')).toEqual({
      slug: 'fed',
      count: 0,
      total: 0,
      by_status: { proposed: [], accepted: [], rejected: [] },
      by_claim: {},
      contributions: [],
    });
    const repair = await propose('fed', 'repair', 'Every accepted write leaves a receipt.');
    expect(await feed('fed')).toMatchObject({
      count: 1,
      by_status: { proposed: [repair], accepted: [], rejected: [] },
      contributions: [{ id: repair, status: 'proposed', permalink: 'http://ledger.test/a/fed/c1' }],
    });
    const question = await propose('fed', 'question', 'Which writes?');
    expect((await feed('fed'))['by_status']).toEqual({
      proposed: [question, repair],
      accepted: [],
      rejected: [],
    });
    await resolve('fed', repair, 'accepted');
    expect(await feed('fed')).toMatchObject({
      by_status: { proposed: [question], accepted: [repair], rejected: [] },
      contributions: [
        { id: question, status: 'proposed' },
        { id: repair, status: 'accepted', note: 'weighed', effect: { claim_id: 'c1', version: 2 } },
      ],
    });
    await resolve('fed', question, 'rejected');
    expect((await feed('fed'))['by_claim']).toEqual({
      c1: { proposed: [], accepted: [repair], rejected: [question] },
    });
  });

  it('is separate for each article and each limit', async () => {
    await article('other');
    await propose('other', 'question', 'The only one?');
    expect((await feed('fed|1'))['contributions']).toMatchObject([{ body: 'Which writes?' }]);
    expect((await feed('fed|50'))['contributions']).toHaveLength(2);
    expect((await feed('other|1'))['contributions']).toMatchObject([{ body: 'The only one?' }]);
    expect(await feed('fed|1')).toMatchObject({ count: 1, total: 2 });
  });

  it('hides a draft, and shows its whole feed once it is published', async () => {
    await article('late', { status: 'draft' });
    const asked = { key: 'MIRROR_FEED', body: 'late' };
    for (const node of [...nodes, ...nodes])
      await expect(node.anybody('/api/dispatch', asked)).rejects.toThrow('not_found');
    await writer.owner('/api/protocol/article', { slug: 'late', expected_version: 2, status: 'published' });
    expect(await feed('late')).toMatchObject({ slug: 'late', count: 0 });
  });

  it('starts empty for an article that is imported under an unused name', async () => {
    const asked = { key: 'MIRROR_FEED', body: 'taken-in' };
    for (const node of nodes) await expect(node.anybody('/api/dispatch', asked)).rejects.toThrow('not_found');
    const { ok: _ok, _self, ...bundle } = await writer.read('/api/articles/other/bundle');
    await writer.owner('/api/protocol/import', { bundle, slug: 'taken-in' });
    expect(await feed('taken-in')).toMatchObject({ slug: 'taken-in', count: 0, contributions: [] });
    const audit = await propose('taken-in', 'audit', 'Read after its journey.');
    expect((await feed('taken-in'))['by_claim']).toEqual({
      c1: { proposed: [audit], accepted: [], rejected: [] },
    });
    expect((await feed('other'))['count']).toBe(1);
  });

  it('is recorded with a salt of its own for every call, also on a cache hit', async () => {
    const node = nodes.at(-1) as TestServer;
    const calls: Answer[] = [];
    for (let n = 0; n < 3; n++)
      calls.push(await node.anybody('/api/dispatch', { key: 'MIRROR_FEED', body: 'fed' }));
    const salts = new Set<string>();
    for (const { invocation, result } of calls) {
      const receipt = await node.fetch(`/api/dispatch?receipt=${invocation.id as string}`, {
        headers: { 'x-terminal-key': terminalKey },
      });
      const { response } = (await receipt.json()) as Answer;
      const { result: value, content_sha: sha, salt } = response as Answer;
      expect(value).toEqual(result);
      expect(sha).toBe(
        sha256Hex(
          Buffer.concat([Buffer.from(salt as string, 'hex'), Buffer.from(canonicalize(value) ?? '')]),
        ),
      );
      salts.add(salt as string);
    }
    expect(salts.size).toBe(3);
    await expectRebuilds(writer);
  });

  it('drops a scrubbed secret from a proposal and from a note', async () => {
    const asked = await propose('other', 'objection', `It tells ${secret} to everybody.`);
    await writer.owner(`/api/articles/other/mirror/${asked}/resolve`, {
      decision: 'rejected',
      note: `Because of ${secret}.`,
    });
    expect(JSON.stringify(await feed('other')).split(secret)).toHaveLength(3);
    await writer.owner('/api/dispatch', { key: 'SECRET_SCRUB', body: secret });
    const after = await feed('other');
    expect(JSON.stringify(after)).not.toContain(secret);
    expect(after['contributions']).toMatchObject([
      { body: 'It tells [redacted:secret] to everybody.', note: 'Because of [redacted:secret].' },
      { body: 'The only one?' },
    ]);
  }, 60_000);
});
