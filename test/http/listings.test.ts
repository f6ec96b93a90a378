import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256Hex } from '../../src/kernel/hash.ts';
import { verifyBundle, verifyChainList, verifyReceipt } from '../../verify/index.ts';
import { articlesOf, claim, expectVerified, failures, type Div } from './articles.ts';
import { openLocal, owner, type LocalServer } from './local.ts';

let server: LocalServer;
let key: string;
const { post, read, make, divsOf } = articlesOf(() => server);

beforeAll(async () => {
  server = await openLocal();
  key = (await server.send({ path: '/.well-known/colophon-key' })).body.trim();
});

afterAll(async () => {
  await server.end();
});

/** One article with something on every chain, and one that was a draft before. */
async function writeArticles(): Promise<void> {
  await make('job', '# Job\n\nOne.\n\nTwo.\n\nThree.\n\nFour.\n');
  const source = {
    type: 'review',
    url: 'https://www.rfc-editor.org/rfc/rfc6962',
    title: 'RFC 6962',
    quote: 'Merkle Hash Trees',
  };
  await post('sources', { slug: 'job', sources: [source, { ...source, quote: 'Merkle Audit Paths' }] });
  await post('claim', {
    slug: 'job',
    text: 'A Merkle tree of two leaves has one inner node.',
    source_ids: ['s1'],
    ...claim,
  });
  const [, one, two, three, four] = (await divsOf('job')) as [Div, Div, Div, Div, Div];
  const writes = [
    await post('voxel-edit', { slug: 'job', div_id: 'd2', expected_hash: one.vx_hash, text: 'One, edited.' }),
    await post('voxel-move', { slug: 'job', div_id: 'd3', expected_order: 3, direction: 'down' }),
    await post('voxel-consolidate', {
      slug: 'job',
      div_ids: ['d3', 'd5'],
      expected_hashes: [two.vx_hash, four.vx_hash],
    }),
    await post('voxel-burn', {
      slug: 'job',
      ids: ['d4'],
      expected_hashes: [three.vx_hash],
      reason: 'A test.',
    }),
    await post('voxel-challenge', {
      slug: 'job',
      target_div: 'd2',
      expected_hash: sha256Hex('One, edited.'),
      expected_thread_head: 'genesis',
      stance: 'challenge',
      body: 'It was three.',
      actor: 'ada',
    }),
  ];
  expect(writes.map(({ status, body }) => (status === 200 ? 200 : body))).toEqual([200, 200, 200, 200, 200]);
  await make('grown', '# Grown\n\nFirst words.\n', { status: 'draft' });
  const [heading] = (await read('grown/voxels', owner)).json['divs'] as [Div];
  await post('voxel-edit', {
    slug: 'grown',
    div_id: 'd1',
    expected_hash: heading.vx_hash,
    text: '# Grown up',
  });
  await post('sources', { slug: 'grown', sources: [source] });
  await server.send({
    path: '/api/protocol/article',
    headers: owner,
    body: { slug: 'grown', expected_version: 3, status: 'published' },
  });
  await server.send({
    path: '/api/articles/grown/mirror',
    body: { kind: 'question', actor: 'ada', body: 'Now?' },
  });
  await post('voxel-challenge', {
    slug: 'grown',
    target_div: 'd2',
    expected_hash: sha256Hex('First words.'),
    expected_thread_head: 'genesis',
    stance: 'support',
    body: 'They stand.',
    actor: 'ada',
  });
}

describe('a listed chain', () => {
  it('verifies with the standalone verifier in every part, article, bundle and receipt', async () => {
    await writeArticles();
    for (let i = 0; i < 12; i++)
      await server.send({
        path: '/api/articles/job/mirror',
        body: {
          kind: 'question',
          actor: `actor ${i}`,
          body: `Question ${i}?`,
          claim_id: i % 2 === 0 ? 'c1' : '',
        },
      });
    for (const slug of ['job', 'grown']) {
      for (const part of [
        'voxels',
        'voxels?include_inactive=1',
        'sources',
        'provenance',
        'contributions',
        'mirror',
        'discourse',
        'ledger',
      ]) {
        const reply = await read(`${slug}/${part}`);
        expect([`${slug}/${part}`, reply.status]).toEqual([`${slug}/${part}`, 200]);
        const list =
          reply.json['sources'] ??
          reply.json['provenance'] ??
          reply.json['contributions'] ??
          reply.json['divs'] ??
          reply.json['entries'];
        await expectVerified(verifyChainList(list as never), `${slug}/${part}`);
        if (reply.json['verification'] !== undefined)
          expect(reply.json['verification']).toMatchObject({ valid: true });
      }
      await expectVerified(verifyBundle((await read(slug)).json as never, key), slug);
      await expectVerified(verifyBundle((await read(`${slug}/voxels`)).json as never, key), `${slug}/voxels`);
      await expectVerified(verifyBundle((await read(`${slug}/bundle`)).json as never, key), `${slug}/bundle`);
    }
    const { json } = await server.send({
      path: '/api/invocations?object_id=VOXEL_EDIT&limit=20',
      headers: owner,
    });
    for (const { id } of json['invocations'] as { id: string }[])
      await expectVerified(verifyReceipt((await server.get({ receipt: id }, owner)).json as never, key), id);
    for (const { id } of json['invocations'] as { id: string }[])
      await expectVerified(verifyReceipt((await server.get({ confirm: id })).json as never, key), id);
  }, 60_000);

  it('fails verification when one entry is changed', async () => {
    const { provenance } = (await read('job/provenance')).json as { provenance: { entry: { ts: string } }[] };
    (provenance[1] as { entry: { ts: string } }).entry.ts = '2020-01-01T00:00:00.000Z';
    expect(failures(await verifyChainList(provenance as never)).join()).toMatch(/entry 1 of chain/);
  });

  it('is complete with 520 contributions', async () => {
    await make('long-mirror', 'One.\n');
    for (let i = 0; i < 520; i++)
      await server.deployment.did('MIRROR_APPEND', `long-mirror||question|ada|Number ${i}?`, {
        presented: {},
      });
    for (const part of ['contributions', 'mirror']) {
      const { json } = await read(`long-mirror/${part}`);
      expect([part, json['count'], (json['contributions'] as unknown[]).length]).toEqual([part, 520, 520]);
      await expectVerified(verifyChainList(json['contributions'] as never), part);
    }
  }, 30_000);
});

describe('a read during concurrent writes', () => {
  it('never combines a text, a chain and a verdict of different moments', async () => {
    await make('busy', Array.from({ length: 8 }, (_, i) => `Block ${i}.`).join('\n\n'));
    const done = new AbortController();
    const writer = async (n: number): Promise<void> => {
      let hash = (await divsOf('busy')).find((div) => div.div_id === `d${n}`)?.vx_hash;
      for (let i = 0; i < 40; i++) {
        const text = `Block ${n}, edit ${i}.`;
        await post('voxel-edit', { slug: 'busy', div_id: `d${n}`, expected_hash: hash, text });
        hash = sha256Hex(text);
      }
    };
    const reader = async (part: string): Promise<number> => {
      let reads = 0;
      for (; !done.signal.aborted; reads++) {
        const { json } = await read(`busy${part}`);
        await expectVerified(verifyBundle(json as never, key), `busy${part}`);
        if (part === '') expect(json['content_hash']).toBe(sha256Hex(json['body'] as string));
      }
      return reads;
    };
    const readers = Promise.all(['', '/voxels', '/provenance'].map(reader));
    await Promise.all([1, 2, 3].map(writer));
    done.abort();
    for (const reads of await readers) expect(reads).toBeGreaterThan(3);
  }, 60_000);
});
