/** What a whole deployment serves over HTTP, judged by the verifier that knows none of its code. */
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seal, type Draft } from '../../src/ledger/entry.ts';
import { openDeployment, type TestDeployment } from '../support/deployment.ts';
import { verifyBundle, verifyChainList, verifyLogAt, verifyReceipt, type Json } from '../../verify/index.ts';
import { failuresOf } from './support.ts';

let deployment: TestDeployment;
let app: FastifyInstance;
let key: string;
let inv: string;

type Item = Record<string, Json>;

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
  test('has a log that can be computed again from its files', async () => {
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
      'material',
      'entry',
      'signature',
      'inclusion',
    ]);
    expect(failuresOf(await verifyReceipt(await body(`/api/dispatch?confirm=${inv}`), key))).toEqual([]);
  });

  test('proves the newest entry of a receipt too, where the call was repaired since', async () => {
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

  test('gives a receipt that fails once a word of its request is changed', async () => {
    const receipt = (await body(`/api/dispatch?receipt=${inv}`)).replace('The moon pulls', 'The moon falls');
    expect(failuresOf(await verifyReceipt(receipt, key))).toEqual([
      'request: the request is not what entry 0 commits to',
    ]);
  });

  test('gives a bundle whose entries are all in the log, and no bundle that somebody made up', async () => {
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

  test.each(['', '/voxels', '/sources', '/provenance'])(
    'gives chains that verify by themselves at /api/articles/tides%s',
    async (path) => {
      const document = JSON.parse(await body(`/api/articles/tides${path}`)) as Json;
      expect(failuresOf(await verifyBundle(document, key))).toEqual([]);
      expect(failuresOf(await verifyChainList(document))).toEqual([]);
    },
  );
});
