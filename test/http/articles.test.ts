import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256Hex } from '../../src/kernel/hash.ts';
import { articlesOf, claim, type Div } from './articles.ts';
import { openLocal, type LocalServer, type Reply } from './local.ts';
import { expectProblem } from './problem.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folders = [join(root, 'test/data/markdown'), join(root, '../shared/data/markdown')].filter((folder) =>
  existsSync(folder),
);
/** Other people's documents, each text once. */
const documents = new Map(
  folders.flatMap((folder) =>
    globSync('**/*.md', { cwd: folder }).map(
      (name) => [readFileSync(join(folder, name), 'utf8'), name] as const,
    ),
  ),
);

let server: LocalServer;
const { post, read, make, divsOf } = articlesOf(() => server);

beforeAll(async () => {
  server = await openLocal();
});

afterAll(async () => {
  await server.end();
});

describe('an imported document', () => {
  it('is read back byte for byte as JSON, as Markdown and DIV by DIV', async () => {
    expect(documents.size).toBeGreaterThanOrEqual(45);
    const slugs = new Set<string>();
    for (const [markdown, name] of documents) {
      const made = await post('voxel-batch', { document: { markdown, title: name.replace(/\.md$/, '') } });
      if (Buffer.byteLength(markdown) === 0 || markdown.trim() === '') {
        expectProblem(made, 'body_mismatch');
        continue;
      }
      expect([`${name}: ${made.body.slice(0, 300)}`, made.status]).toEqual([
        `${name}: ${made.body.slice(0, 300)}`,
        200,
      ]);
      const slug = made.json['slug'] as string;
      slugs.add(slug);
      const [json, text, divs] = [
        await read(slug),
        await read(`${slug}?format=markdown&raw=1`),
        await divsOf(slug),
      ];
      expect([name, text.body === markdown]).toEqual([name, true]);
      expect([name, json.json['body'] === markdown]).toEqual([name, true]);
      expect(json.json['content_hash']).toBe(sha256Hex(markdown));
      const { lead } = (await read(`${slug}/voxels`)).json as { lead: string };
      expect([name, lead + divs.map((div) => div.text + div.sep).join('') === markdown]).toEqual([
        name,
        true,
      ]);
      for (const div of divs) expect(div.vx_hash).toBe(sha256Hex(div.text));
    }
    expect(slugs.size).toBeGreaterThanOrEqual(44);
    const listed: string[] = [];
    for (let next: string | null = `${server.base}/api/articles?limit=17`; next !== null;) {
      const { pathname, search } = new URL(next);
      const { json } = await server.send({ path: pathname + search });
      listed.push(...(json['articles'] as { slug: string }[]).map(({ slug }) => slug));
      next = json['next'] as string | null;
    }
    expect(listed.toSorted()).toEqual([...slugs].toSorted());
    expect(listed).toEqual(listed.toSorted());
  }, 120_000);

  it('gets the next free number in its slug when concurrent documents share a title', async () => {
    const titled = (n: number): Promise<Reply> =>
      post('voxel-batch', { document: { markdown: `# Echo\n\nNumber ${n}.\n` } });
    const first = await Promise.all([0, 1, 2].map(titled));
    const more = await Promise.all(Array.from({ length: 37 }, (_, i) => titled(i + 3)));
    expect([...first, ...more].map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => 200));
    expect(new Set([...first, ...more].map(({ json }) => json['slug']))).toEqual(
      new Set(['echo', ...Array.from({ length: 39 }, (_, i) => `echo-${i + 2}`)]),
    );
    for (const [n, { json }] of [...first, ...more].entries())
      expect((await read(json['slug'] as string)).json['body']).toBe(`# Echo\n\nNumber ${n}.\n`);
  });

  it('keeps unusual line endings, byte order marks and whitespace', async () => {
    const texts = [
      '\uFEFF# BOM\r\n\r\nText\r\n',
      '\n\n\n# Late\n',
      'no end',
      'a\rb\r\rc',
      'tabs\t\t\n\n\tcode\n\n\n\n',
      '# a\u2028b\n\n\fpage\n',
      '- a\n\n\n- b\n\n      c\n',
      '```\nopen',
      '<!-- open\n\nnever closed',
      '[a]: /x\n[b]: /y\n\n[a] [b]\n',
      '---\ntitle: t\n---\n\nx\n',
      '| a |\n|---|\n| b |\nc\n',
      '𝕌𝕟𝕚𝕔𝕠𝕕𝕖 🙂\n\n\u0301combining\n',
    ];
    for (const [i, markdown] of texts.entries()) {
      await make(`strange-${i}`, markdown);
      expect((await read(`strange-${i}?format=markdown&raw=1`)).body).toBe(markdown);
      const divided = await post('voxel-divide', { slug: `strange-${i}` });
      expect(divided.json).toMatchObject({ ok: true });
      expect((await read(`strange-${i}`)).json['version']).toBe(1);
    }
  });
});

describe('writing to an article', () => {
  it('appends a source and a claim that cites it, and returns both in every read', async () => {
    await make('job', '# Job\n\nOne.\n\nTwo.\n\nThree.\n');
    const source = {
      type: 'review',
      url: 'https://www.rfc-editor.org/rfc/rfc6962',
      title: 'RFC 6962',
      quote: 'Merkle Hash Trees',
      summary: 'Defines the tree.',
    };
    const appended = await post('sources', {
      slug: 'job',
      sources: [source, { ...source, quote: 'Merkle Audit Paths' }],
    });
    expect(appended.json).toMatchObject({
      ok: true,
      source_ids: ['s1', 's2'],
      revision: 2,
      receipt: { id: expect.stringMatching(/^inv_/) as string },
    });
    const duplicate = expectProblem(
      await post('sources', {
        slug: 'job',
        sources: [{ ...source, url: `${source.url}#section-2`, quote: ' merkle  hash TREES ' }],
      }),
      'duplicate_source',
    );
    expect(duplicate['canonical']).toMatchObject({ id: 's1' });
    const posted = await post('claim', {
      slug: 'job',
      text: 'A Merkle tree hash of an empty list is the hash of an empty string.',
      source_ids: ['s1'],
      ...claim,
    });
    expect(posted.json).toMatchObject({
      ok: true,
      claim_id: 'c1',
      claim: {
        source_status: 'sourced',
        weight: 0.35,
        status: 'active',
        posted_by: { actor: 'owner', channel: 'http' },
      },
    });
    expectProblem(
      await post('claim', {
        slug: 'job',
        text: 'a merkle tree hash of an empty list is the hash of an EMPTY string!',
        source_ids: ['s1'],
        ...claim,
      }),
      'duplicate_claim',
    );
    const bad = expectProblem(
      await post('claim', {
        slug: 'job',
        text: 'Should you use it? It is amazing. Take 5 mg.',
        source_ids: ['s9'],
        ...claim,
        tier: 'magic',
      }),
      'content_rule',
    );
    expect((bad['violations'] as { code: string }[]).map(({ code }) => code)).toEqual(
      expect.arrayContaining(['several_sentences', 'dose', 'unknown_tier', 'dangling_source']),
    );
    const { json } = await read('job');
    expect(json).toMatchObject({
      version: 3,
      claims: [{ id: 'c1', source_ids: ['s1'] }],
      sources: [
        { id: 's1', claim_ids: ['c1'] },
        { id: 's2', claim_ids: [] },
      ],
    });
  });

  it('applies an edit only with the current hash of its DIV', async () => {
    const [, second, third] = (await divsOf('job')) as [Div, Div, Div, Div];
    const edited = await post('voxel-edit', {
      slug: 'job',
      div_id: 'd2',
      expected_hash: second.vx_hash,
      text: 'One, edited.',
    });
    expect(edited.json).toMatchObject({
      ok: true,
      revision: 4,
      body_regenerated: true,
      div: { vx_hash: sha256Hex('One, edited.') },
      permalink: expect.stringMatching(/\/a\/job\/d2$/) as string,
      chain_entry: { op: 'edit', text_sha: sha256Hex('One, edited.') },
    });
    expect((await read('job?format=markdown&raw=1')).body).toBe('# Job\n\nOne, edited.\n\nTwo.\n\nThree.\n');
    const before = await server.size();
    const stale = expectProblem(
      await post('voxel-edit', {
        slug: 'job',
        div_id: 'd2',
        expected_hash: second.vx_hash,
        text: 'One, by another.',
      }),
      'hash_stale',
    );
    expect(stale).toMatchObject({
      current_text: 'One, edited.',
      current_hash: sha256Hex('One, edited.'),
      base_text: 'One.',
    });
    expect(JSON.stringify(stale['diff'])).toMatch(/edited/);
    expect(await server.size()).toBe(before + 1);
    expectProblem(
      await post('voxel-edit', { slug: 'job', div_id: 'd2', expected_hash: 'f'.repeat(64), text: 'x' }),
      'hash_stale',
    );
    expectProblem(
      await post('voxel-edit', { slug: 'job', div_id: 'd99', expected_hash: 'x', text: 'x' }),
      'not_found',
    );
    expectProblem(
      await post('voxel-edit', { slug: 'job', div_id: 'd3', expected_hash: third.vx_hash, text: ' \n ' }),
      'body_mismatch',
    );
    expect((await read('job?format=markdown&raw=1')).body).toBe('# Job\n\nOne, edited.\n\nTwo.\n\nThree.\n');
  });

  it('applies exactly one of many concurrent edits of a DIV with the same hash', async () => {
    const hash = (await divsOf('job')).find((div) => div.div_id === 'd4')?.vx_hash;
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        post('voxel-edit', {
          slug: 'job',
          div_id: 'd4',
          expected_hash: hash,
          text: `Three, by writer ${i}.`,
        }),
      ),
    );
    const landed = replies.filter(({ status }) => status === 200);
    expect(landed).toHaveLength(1);
    const [winner] = landed as [Reply];
    for (const reply of replies.filter(({ status }) => status !== 200))
      expect(expectProblem(reply, 'hash_stale')['current_text']).toBe((winner.json['div'] as Div).text);
  });

  it('rejects an edit that would change neighbouring DIVs', async () => {
    const hash = (await divsOf('job')).find((div) => div.div_id === 'd3')?.vx_hash;
    for (const text of ['```\nnever closed', '<!-- never closed']) {
      const reply = await post('voxel-edit', { slug: 'job', div_id: 'd3', expected_hash: hash, text });
      if (reply.status === 200)
        throw new Error(`${text} was let in: ${(await read('job?format=markdown&raw=1')).body}`);
      expect(expectProblem(reply, 'boundary_moved')['divs']).toContain('d3');
    }
  });
});

describe('moving, consolidating and burning', () => {
  const body = async (slug: string): Promise<string> => (await read(`${slug}?format=markdown&raw=1`)).body;

  it('changes the order and no hash in a move', async () => {
    await make('arranged', 'a\n\nb\n\nc\n\nd\n');
    const before = await divsOf('arranged');
    expect(
      (await post('voxel-move', { slug: 'arranged', div_id: 'd3', expected_order: 3, direction: 'up' })).json,
    ).toMatchObject({ ok: true, order: 2 });
    expect((await divsOf('arranged')).map(({ div_id: id }) => id)).toEqual(['d1', 'd3', 'd2', 'd4']);
    expect((await divsOf('arranged')).map((div) => div.vx_hash).toSorted()).toEqual(
      before.map((div) => div.vx_hash).toSorted(),
    );
    const stale = expectProblem(
      await post('voxel-move', { slug: 'arranged', div_id: 'd3', expected_order: 3, direction: 'up' }),
      'order_stale',
    );
    expect(
      (stale['current_layout'] as { div_id: string; order: number }[]).map(({ div_id: id, order }) => [
        id,
        order,
      ]),
    ).toEqual([
      ['d1', 1],
      ['d3', 2],
      ['d2', 3],
      ['d4', 4],
    ]);
    expectProblem(
      await post('voxel-move', { slug: 'arranged', div_id: 'd1', expected_order: 1, direction: 'up' }),
      'order_stale',
    );
    expectProblem(
      await post('voxel-move', { slug: 'arranged', div_id: 'd4', expected_order: 4, direction: 'down' }),
      'order_stale',
    );
    expect(
      (await post('voxel-move', { slug: 'arranged', div_id: 'd4', expected_order: 4, to: 1 })).status,
    ).toBe(200);
    expect(await body('arranged')).toBe('d\n\na\n\nc\n\nb\n\n');
  });

  it('keeps the absorbed bytes and hashes in a consolidation', async () => {
    const divs = new Map((await divsOf('arranged')).map((div) => [div.div_id, div]));
    const hash = (id: string): string => divs.get(id)?.vx_hash ?? '';
    expectProblem(
      await post('voxel-consolidate', {
        slug: 'arranged',
        div_ids: ['d1', 'd3'],
        expected_hashes: [hash('d1'), 'stale'],
      }),
      'hash_stale',
    );
    expectProblem(
      await post('voxel-consolidate', {
        slug: 'arranged',
        div_ids: ['d1', 'd1'],
        expected_hashes: [hash('d1'), hash('d1')],
      }),
      'body_mismatch',
    );
    const merged = await post('voxel-consolidate', {
      slug: 'arranged',
      div_ids: ['d1', 'd3'],
      expected_hashes: [hash('d1'), hash('d3')],
    });
    expect(merged.json).toMatchObject({ ok: true, absorbed: ['d3'], div: { div_id: 'd1', text: 'a\n\nc' } });
    const all = await divsOf('arranged', '?include_inactive=1');
    expect(await divsOf('arranged', '?include_inactive=true')).toEqual(all);
    expect(all.find((div) => div.div_id === 'd3')).toMatchObject({
      status: 'consolidated',
      text: 'c',
      order: null,
    });
    expectProblem(
      await post('voxel-edit', { slug: 'arranged', div_id: 'd3', expected_hash: hash('d3'), text: 'x' }),
      'conflict',
    );
    expect(await body('arranged')).toBe('d\n\na\n\nc\n\nb\n\n');
  });

  it('removes a burned DIV from the body and from nothing else', async () => {
    const burned = await post('voxel-burn', { slug: 'arranged', ids: ['d4'], reason: 'A test.' });
    expect(burned.json).toMatchObject({ ok: true });
    expect(await body('arranged')).toBe('a\n\nc\n\nb\n\n');
    expect(
      (await divsOf('arranged', '?include_inactive=1')).find((div) => div.div_id === 'd4'),
    ).toMatchObject({ status: 'burned', text: 'd' });
    expectProblem(await post('voxel-burn', { slug: 'arranged', ids: ['d4'], reason: 'Again.' }), 'conflict');
    expectProblem(
      await post('voxel-burn', { slug: 'arranged', ids: ['d2'], expected_hashes: ['stale'], reason: 'x' }),
      'hash_stale',
    );
    expectProblem(
      await post('voxel-burn', { slug: 'arranged', older_than_days: 1, reason: 'x' }),
      'conflict',
    );
    expectProblem(
      await post('voxel-burn', { slug: 'arranged', ids: ['d2'], older_than_days: 0, reason: 'x' }),
      'body_mismatch',
    );
  });
});

describe('the size of an article', () => {
  it('is limited to two mebibytes when appending, editing and consolidating', async () => {
    const words = 'Words and words. '.repeat(60_000);
    await make('grows', words);
    expect((await post('voxel-batch', { document: { slug: 'grows', markdown: words } })).status).toBe(200);
    expectProblem(
      await post('voxel-batch', { document: { slug: 'grows', markdown: words } }),
      'payload_ceiling',
    );
    expect(
      (
        await post('voxel-batch', {
          document: {
            slug: 'grows',
            markdown: `${'x'.repeat(2 * 1024 * 1024 - 2 * words.length - 40)}\n\nsmall\n`,
          },
        })
      ).status,
    ).toBe(200);
    const divs = await divsOf('grows');
    const last = divs.at(-1) as Div;
    expectProblem(
      await post('voxel-edit', {
        slug: 'grows',
        div_id: last.div_id,
        expected_hash: last.vx_hash,
        text: 'y'.repeat(60),
      }),
      'payload_ceiling',
    );
    expect(
      (
        await post('voxel-edit', {
          slug: 'grows',
          div_id: last.div_id,
          expected_hash: last.vx_hash,
          text: 'tiny',
        })
      ).status,
    ).toBe(200);
    const [first, second] = divs as [Div, Div];
    expectProblem(
      await post('voxel-consolidate', {
        slug: 'grows',
        div_ids: ['d1', 'd2'],
        expected_hashes: [first.vx_hash, second.vx_hash],
        text: 'z'.repeat(66_000),
      }),
      'payload_ceiling',
    );
    expect(
      (
        await post('voxel-consolidate', {
          slug: 'grows',
          div_ids: ['d1', 'd2'],
          expected_hashes: [first.vx_hash, second.vx_hash],
        })
      ).status,
    ).toBe(200);
    expect(Buffer.byteLength((await read('grows?format=markdown&raw=1')).body)).toBeLessThanOrEqual(
      2 * 1024 * 1024,
    );
  }, 30_000);
});

describe('caching of an article', () => {
  it('uses an ETag that changes with every write', async () => {
    await make('cached', 'One.\n\nTwo.\n');
    for (const path of [
      'cached',
      'cached?format=markdown',
      'cached/voxels',
      'cached/claims',
      'cached/provenance',
    ]) {
      const first = await read(path);
      const etag = String(first.headers['etag']);
      expect(`${path} ${etag}`).toMatch(/ "[\w-]+"$/);
      for (const match of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await read(path, { 'if-none-match': match });
        expect([`${path} ${match}`, [again.status, again.body, again.headers['etag']]]).toEqual([
          `${path} ${match}`,
          [304, '', etag],
        ]);
      }
      expect((await read(path, { 'if-none-match': '"other"' })).status).toBe(200);
    }
    const etag = String((await read('cached')).headers['etag']);
    await server.call('MIRROR_APPEND', 'cached||question|ada|Does this change it?');
    expect((await read('cached', { 'if-none-match': etag })).status).toBe(200);
    const next = String((await read('cached')).headers['etag']);
    const [div] = await divsOf('cached');
    await post('voxel-edit', { slug: 'cached', div_id: 'd1', expected_hash: div?.vx_hash, text: 'Changed.' });
    const changed = await read('cached', { 'if-none-match': next });
    expect([changed.status, changed.json['body']]).toEqual([200, 'Changed.\n\nTwo.\n']);
  });
});
