/**
 * Size limits of an article (contract §4): every write that adds bytes or current DIVs checks them. An article above the
 * limits stays readable, can shrink, and can be exported and imported.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onBothStores } from '../support/both-stores.ts';
import { startServer as startProcess, type RunningServer } from '../support/process-server.ts';
import { terminalKey, type Answer, type TestServer } from '../support/server.ts';

async function send(server: TestServer, path: string, body: object): Promise<Answer & { status: number }> {
  const answer = await server.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-terminal-key': terminalKey },
    body: JSON.stringify(body),
  });
  return { ...((await answer.json()) as Answer), status: answer.status };
}

const paragraphs = (count: number): string =>
  Array.from({ length: count }, (_, i) => `P${i + 1}.\n`).join('\n');

const refusal = (count: number, max: number): object => ({
  status: 413,
  error: 'payload_ceiling',
  detail: `The article would have ${count} DIVs; it may have at most ${max}.`,
});

async function div(server: TestServer, slug: string, order: number): Promise<Answer> {
  return (await server.read(`/api/articles/${slug}/voxels`))['divs'][order - 1] as Answer;
}

let bundle: Answer;

onBothStores(
  'an article at the DIV limit',
  (server) => {
    it('can be created, while a document with more DIVs is rejected', async () => {
      const more = await send(server(), '/api/protocol/voxel-batch', {
        document: { slug: 'full', title: 'Full', markdown: paragraphs(7) },
      });
      expect(more).toMatchObject(refusal(7, 6));
      expect(await server().article(paragraphs(6), { slug: 'full', title: 'Full' })).toBe('full');
    });

    it('rejects an appended document and the split of a DIV', async () => {
      const document = { slug: 'full', markdown: 'One more.\n' };
      expect(await send(server(), '/api/protocol/voxel-batch', { document })).toMatchObject(refusal(7, 6));
      const first = await div(server(), 'full', 1);
      const edit = {
        div_id: first['div_id'],
        expected_hash: first['vx_hash'],
        text: 'One. Two.',
        actor: 'o',
      };
      const edited = await server().owner('/api/protocol/voxel-edit', { slug: 'full', ...edit });
      const split = {
        slug: 'full',
        div_id: first['div_id'],
        expected_hash: edited['div']['vx_hash'],
        at: 'Two.',
      };
      const call = { key: 'VOXEL_SPLIT', body: split };
      expect(await send(server(), '/api/dispatch', call)).toMatchObject(refusal(7, 6));
      expect((await server().read('/api/articles/full/voxels'))['divs']).toHaveLength(6);
    });

    it('accepts one more DIV after one was burned', async () => {
      const first = await div(server(), 'full', 1);
      await server().owner('/api/protocol/voxel-burn', {
        slug: 'full',
        ids: [first['div_id']],
        reason: 'room',
      });
      const document = { slug: 'full', markdown: 'In its place.\n' };
      expect(await send(server(), '/api/protocol/voxel-batch', { document })).toMatchObject({ status: 200 });
      expect(await send(server(), '/api/protocol/voxel-batch', { document })).toMatchObject(refusal(7, 6));
    });
  },
  { COLOPHON_LIMITS: 'article_divs=6' },
);

onBothStores('an article written under a larger limit', (server) => {
  it('is exported whole', async () => {
    await server().article(paragraphs(9), { slug: 'large', title: 'Large' });
    bundle = await server().read('/api/articles/large/bundle');
    expect(bundle['counts']['divs']).toBe(9);
  });
});

onBothStores(
  'an article larger than the limits',
  (server) => {
    it('can be imported, read and exported again', async () => {
      const taken = await send(server(), '/api/protocol/import', { bundle });
      expect(taken).toMatchObject({ status: 200, slug: 'large' });
      expect((await server().read('/api/articles/large'))['body']).toBe(paragraphs(9));
      expect((await server().read('/api/articles/large/bundle'))['counts']['divs']).toBe(9);
    });

    it('can be edited and moved, but gains no DIV and no byte', async () => {
      const second = await div(server(), 'large', 2);
      const shorter = {
        slug: 'large',
        div_id: second['div_id'],
        expected_hash: second['vx_hash'],
        text: 'P.',
        actor: 'o',
      };
      const edited = await send(server(), '/api/protocol/voxel-edit', shorter);
      expect(edited).toMatchObject({ status: 200 });
      const longer = { ...shorter, expected_hash: edited['div']['vx_hash'], text: 'P2 and more.' };
      expect(await send(server(), '/api/protocol/voxel-edit', longer)).toMatchObject({
        status: 413,
        error: 'payload_ceiling',
        detail: 'The article would have 53 bytes; it may have at most 30.',
      });
      const move = {
        slug: 'large',
        div_id: second['div_id'],
        expected_order: 2,
        direction: 'down',
        actor: 'o',
      };
      expect(await send(server(), '/api/protocol/voxel-move', move)).toMatchObject({ status: 200 });
      const document = { slug: 'large', markdown: 'More.\n' };
      expect(await send(server(), '/api/protocol/voxel-batch', { document })).toMatchObject(refusal(10, 4));
    });

    it('shrinks by consolidating and by burning', async () => {
      const [third, fourth] = [await div(server(), 'large', 4), await div(server(), 'large', 5)];
      const merge = {
        slug: 'large',
        div_ids: [third['div_id'], fourth['div_id']],
        expected_hashes: [third['vx_hash'], fourth['vx_hash']],
        actor: 'o',
      };
      expect(await send(server(), '/api/protocol/voxel-consolidate', merge)).toMatchObject({ status: 200 });
      const burn = { slug: 'large', ids: [(await div(server(), 'large', 1))['div_id']], reason: 'shorter' };
      expect(await send(server(), '/api/protocol/voxel-burn', burn)).toMatchObject({ status: 200 });
      expect((await server().read('/api/articles/large/voxels'))['divs']).toHaveLength(7);
    });
  },
  { COLOPHON_LIMITS: 'article_divs=4, article_bytes=30' },
);

describe('an article with more DIVs than a JavaScript call takes arguments', () => {
  /** On a stack of 128 KiB a call takes some 16,000 arguments instead of some 120,000. */
  const count = 20_000;
  let server: RunningServer;
  beforeAll(async () => {
    server = await startProcess({
      nodeArgs: ['--stack-size=128'],
      env: { COLOPHON_LIMITS: `article_divs=${count}` },
    });
  });
  afterAll(async () => {
    expect(server.output()).not.toMatch(/call stack/i);
    await server.stop();
  });

  const owner = (path: string, body: object): Promise<Response> =>
    fetch(server.base + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-terminal-key': server.terminalKey },
      body: JSON.stringify(body),
    });

  it('can be written, read and shortened', async () => {
    const markdown = 'x\n\n'.repeat(count);
    const document = { slug: 'blocks', title: 'Blocks', markdown };
    expect((await owner('/api/protocol/voxel-batch', { document })).status).toBe(200);
    const article = await fetch(`${server.base}/api/articles/blocks`);
    expect(((await article.json()) as Answer)['body']).toHaveLength(markdown.length);
    for (const path of ['/a/blocks', '/api/articles/blocks/bundle', '/a/blocks/graph', '/a/blocks/d3'])
      expect([path, (await fetch(server.base + path)).status]).toEqual([path, 200]);
    const burned = await owner('/api/protocol/voxel-burn', { slug: 'blocks', ids: ['d1'], reason: 'r' });
    expect(burned.status).toBe(200);
  }, 60_000);

  it('is exported to the vault with as many runs of backticks in its front matter', async () => {
    const markdown = `---\ntitle: Ticks\nnote: "${'` '.repeat(count)}"\n---\n\nText.\n`;
    const document = { slug: 'ticks', title: 'Ticks', markdown };
    expect((await owner('/api/protocol/voxel-batch', { document })).status).toBe(200);
    expect((await fetch(`${server.base}/api/articles/obsidian-vault`)).status).toBe(200);
  });
});
