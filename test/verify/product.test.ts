/** What a whole deployment serves over HTTP, judged by the verifier that knows none of its code. */
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seal, type Draft } from '../../src/ledger/entry.ts';
import { openDeployment, type TestDeployment } from '../support/deployment.ts';
import { verifyBundle, verifyChainList, verifyLogAt, verifyReceipt, type Json } from '../../verify/index.ts';
import { failuresOf } from '../unit/verify/support.ts';

let deployment: TestDeployment;
let app: FastifyInstance;
let key: string;
let inv: string;

type Item = Record<string, Json>;

interface Shown {
  title: string;
  version: number;
  status: string;
  claims: [Item, ...Item[]];
  sources: [Item];
  contributions: [Item];
  provenance: [Item, Item, Item];
}

beforeAll(async () => {
  deployment = await openDeployment();
  const document = {
    slug: 'tides',
    title: 'Tides',
    markdown: '# Tides\n\nThe moon pulls.\n\nThe sun too.\n',
  };
  inv = String((await deployment.did('VOXEL_BATCH', { document, actor: 'a' }))['inv']);
  const source = {
    type: 'review',
    url: 'https://example.com/x',
    title: 't',
    quote: 'The moon pulls the sea.',
    summary: 's',
  };
  await deployment.did('SOURCE_POST', { slug: 'tides', sources: [source] });
  await deployment.did('CLAIM_POST', {
    slug: 'tides',
    text: 'The moon raises two tides a day.',
    tier: 'mechanistic',
    who_claims: 'Newton',
    source_ids: ['s1'],
  });
  await deployment.did('MIRROR_APPEND', 'tides|c1|objection|ada|Some coasts have one.');
  await deployment.did('MIRROR_APPEND', {
    slug: 'tides',
    claim_id: 'c1',
    kind: 'repair',
    actor: 'ada',
    body: 'The moon raises two tides on most days.',
    tier: 'human',
  });
  app = deployment.http();
  key = await body('/.well-known/colophon-key');
});

afterAll(() => deployment.end());

async function body(url: string): Promise<string> {
  const response = await app.inject({ url, headers: { 'x-terminal-key': 'tk_only-for-tests-0123456789' } });
  expect([url, response.statusCode]).toEqual([url, 200]);
  return response.body;
}

describe('a live deployment', () => {
  test('serves a log that can be recomputed from its files', async () => {
    const report = await verifyLogAt(
      async (path) => {
        const { statusCode, rawPayload } = await app.inject({ url: `/${path}` });
        return statusCode === 200 ? rawPayload : undefined;
      },
      { verifierKey: key.trim() },
    );
    expect(failuresOf(report)).toEqual([]);
    expect(report.checks.map(({ id }) => id)).toEqual(['key', 'signature', 'root', 'entry', 'chain']);
  });

  test('gives receipts and confirmations that verify offline', async () => {
    const receipt = await verifyReceipt(await body(`/api/dispatch?receipt=${inv}`), key);
    expect(failuresOf(receipt)).toEqual([]);
    expect(receipt.checks.map(({ id }) => id)).toEqual([
      'chain',
      'id',
      'request',
      'response',
      'said',
      'material',
      'entry',
      'signature',
      'inclusion',
    ]);
    expect(failuresOf(await verifyReceipt(await body(`/api/dispatch?confirm=${inv}`), key))).toEqual([]);
  });

  test('proves the newest entry of a receipt too when the call was repaired since', async () => {
    const dispatch = async (call: object): Promise<Item> => {
      const headers = { 'x-terminal-key': 'tk_only-for-tests-0123456789' };
      return (await app.inject({ method: 'POST', url: '/api/dispatch', headers, payload: call })).json();
    };
    const failed = await dispatch({ key: 'MIRROR_APPEND', body: 'nowhere||question|ada|Why?' });
    const { id } = failed['invocation'] as unknown as { id: string };
    await dispatch({ key: 'OIP_REPAIR', body: { id, body: 'tides||question|ada|Why?' } });
    for (const read of ['receipt', 'confirm']) {
      const { latest, ...without } = JSON.parse(await body(`/api/dispatch?${read}=${id}`)) as Item;
      const report = await verifyReceipt({ ...without, latest: latest ?? null }, key);
      expect(failuresOf(report)).toEqual([]);
      expect(report.checks.filter(({ at }) => at === 'latest').map(({ id: check }) => check)).toEqual([
        'entry',
        'signature',
        'inclusion',
      ]);
      expect(failuresOf(await verifyReceipt(without, key))).toEqual([
        'proof: entry 0 is proven; nothing shows that those behind it are in the log',
      ]);
    }
  });

  test('serves a receipt that fails once a word of its request is changed', async () => {
    const receipt = (await body(`/api/dispatch?receipt=${inv}`)).replace('The moon pulls', 'The moon falls');
    expect(failuresOf(await verifyReceipt(receipt, key))).toEqual([
      'request: the request is not what entry 0 commits to',
    ]);
  });

  test('serves a bundle whose entries are all in the log, and an invented bundle fails', async () => {
    const served = await body('/api/articles/tides/bundle');
    const report = await verifyBundle(served, key);
    expect(failuresOf(report)).toEqual([]);
    expect(report.checks.slice(-2)).toEqual([
      expect.objectContaining({ id: 'signature', at: 'origin.checkpoint' }),
      expect.objectContaining({ id: 'inclusion', at: 'origin.inclusion' }),
    ]);
    // Another author, under a hash that fits, in every place that shows the entry.
    const bundle = JSON.parse(served) as { chains: Record<string, [{ entry: Item; hash: string }]> };
    const [name, [{ entry, hash }]] = Object.entries(bundle.chains).find(
      ([, { length }]) => length === 1,
    ) as [string, [{ entry: Item; hash: string }]];
    expect(name).toMatch(/^art_[a-z2-7]{16}\./);
    const { n: _n, prev: _prev, ...draft } = entry;
    const forged = seal({ ...draft, actor: 'cap_0123456789abcdef' } as unknown as Draft, null);
    const text = JSON.stringify(bundle)
      .replaceAll(hash, forged.hash)
      .replaceAll('"actor":"owner","chain":"' + name, '"actor":"cap_0123456789abcdef","chain":"' + name);
    expect(failuresOf(await verifyBundle(text, key))).toEqual([
      'inclusion: the entries do not lead to the signed root',
    ]);
  });

  test.each<[string, (article: Shown) => void, RegExp]>([
    [
      'the quote of a source',
      ({ sources }) => (sources[0]['quote'] = 'The moon pushes the sea.'),
      /^source: source s1 is not what entry 0 of chain art_\w+\.sources commits to$/,
    ],
    [
      'the words of a contribution',
      ({ contributions }) => (contributions[0]['body'] = 'All coasts have two.'),
      /^contribution: contribution mc_\w+ is not what entry 0 of chain art_\w+\.mirror commits to$/,
    ],
    [
      'whose words they are',
      ({ contributions }) => (contributions[0]['actor'] = 'owner'),
      /^contribution: contribution mc_\w+ is not what entry 0 of chain art_\w+\.mirror commits to$/,
    ],
    [
      'what a change was',
      ({ provenance }) => (provenance[2]['tokens_in'] = 7),
      /^provenance: provenance 2 is not what entry 2 of chain art_\w+\.provenance commits to$/,
    ],
    [
      'whether a change can be read',
      ({ provenance }) => (provenance[2]['content'] = 'withheld'),
      /^provenance: provenance 2 is shown with a salt, and as if it were withheld$/,
    ],
    [
      'when it was',
      ({ provenance }) => (provenance[2]['ts'] = '2020-01-01T00:00:00.000Z'),
      /^provenance: provenance 2 is shown with another ts than its entry has$/,
    ],
    [
      'how certain a claim is',
      ({ claims }) => (claims[0]['tier'] = 'human'),
      /^claim: tier of claim c1 is shown otherwise than the provenance has it$/,
    ],
    [
      'the text of a claim and its hash',
      ({ claims }) => {
        claims[0]['text'] = 'The moon raises no tides.';
        claims[0]['hash'] = 'a02fbf3bd3e93b1ab1bbe1db1ee4e32fd56ddf3a27c9fd0e0bb3a4b8f9c0b0d2';
      },
      /^claim: text of claim c1 is shown otherwise than the provenance has it$/,
    ],
    ['that there is a claim', (article) => (article.claims = [] as never), /^claim: claim c1 is left out$/],
    [
      'that there is another',
      ({ claims }) => claims.push({ ...claims[0], id: 'c2' }),
      /^claim: no provenance has claim c2$/,
    ],
    ['the title', (article) => (article.title = 'Ebb'), /^article: title is shown otherwise than the/],
    ['the version', (article) => (article.version = 9), /^article: version is shown otherwise than the/],
    ['the status', (article) => (article.status = 'archived'), /^article: status is shown otherwise than/],
  ])('serves an article and a bundle that fail once %s is changed', async (_what, change, why) => {
    for (const part of ['', '/bundle']) {
      const article = JSON.parse(await body(`/api/articles/tides${part}`)) as Shown;
      change(article);
      const failures = failuresOf(await verifyBundle(article as unknown as Json, key));
      expect(failures.filter((failure) => why.test(failure)).length).toBe(1);
    }
  });

  test.each(['', '/voxels', '/sources', '/provenance'])(
    'serves chains that verify by themselves at /api/articles/tides%s',
    async (path) => {
      const document = JSON.parse(await body(`/api/articles/tides${path}`)) as Json;
      expect(failuresOf(await verifyBundle(document, key))).toEqual([]);
      expect(failuresOf(await verifyChainList(document))).toEqual([]);
    },
  );
});
