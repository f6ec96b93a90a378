import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256Hex } from '../../src/kernel/hash.ts';
import { verifyBundle, verifyChainList, verifyReceipt, type Report } from '../../verify/index.ts';
import { openLocal, owner, type LocalServer, type Reply } from './local.ts';
import { expectProblem } from './problem.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folders = [join(root, 'test/data/markdown'), join(root, '../shared/data/markdown')].filter((folder) => existsSync(folder));
/** Other people's documents, each text once. */
const documents = new Map(folders.flatMap((folder) => globSync('**/*.md', { cwd: folder }).map((name) => [readFileSync(join(folder, name), 'utf8'), name] as const)));

let server: LocalServer;
let key: string;

beforeAll(async () => {
  server = await openLocal();
  key = (await server.send({ path: '/.well-known/colophon-key' })).body.trim();
});

afterAll(async () => {
  await server.end();
});

const post = (path: string, body: object, headers: Record<string, string> = owner): Promise<Reply> => server.send({ path: `/api/protocol/${path}`, headers, body });
const read = (path: string, headers: Record<string, string> = {}): Promise<Reply> => server.send({ path: `/api/articles/${path}`, headers });

async function make(slug: string, markdown: string, more: object = {}): Promise<Reply> {
  const reply = await post('voxel-batch', { document: { slug, markdown, ...more } });
  expect(reply.status, reply.body.slice(0, 300)).toBe(200);
  return reply;
}

interface Div {
  readonly div_id: string;
  readonly text: string;
  readonly sep: string;
  readonly order: number;
  readonly vx_hash: string;
  readonly status: string;
}

async function divsOf(slug: string, query = ''): Promise<Div[]> {
  return (await read(`${slug}/voxels${query}`)).json['divs'] as Div[];
}

function failures(report: Report): string[] {
  return report.checks.filter(({ ok }) => !ok).map(({ id, detail, at }) => `${id} ${at ?? ''}: ${detail}`);
}

async function expectVerified(check: Promise<Report>, what: string): Promise<void> {
  const report = await check;
  expect(failures(report), what).toEqual([]);
  expect(report.checks.length, what).toBeGreaterThan(0);
}

describe('an imported document', () => {
  it('is read back byte for byte, as JSON, as Markdown and DIV by DIV, whoever wrote it', async () => {
    expect(documents.size).toBeGreaterThanOrEqual(45);
    const slugs = new Set<string>();
    for (const [markdown, name] of documents) {
      const made = await post('voxel-batch', { document: { markdown, title: name.replace(/\.md$/, '') } });
      if (Buffer.byteLength(markdown) === 0 || markdown.trim() === '') {
        expectProblem(made, 'body_mismatch');
        continue;
      }
      expect(made.status, `${name}: ${made.body.slice(0, 300)}`).toBe(200);
      const slug = made.json['slug'] as string;
      slugs.add(slug);
      const [json, text, divs] = [await read(slug), await read(`${slug}?format=markdown`), await divsOf(slug)];
      expect(text.body === markdown, name).toBe(true);
      expect(json.json['body'] === markdown, name).toBe(true);
      expect(json.json['content_hash']).toBe(sha256Hex(markdown));
      const { lead } = (await read(`${slug}/voxels`)).json as { lead: string };
      expect(lead + divs.map((div) => div.text + div.sep).join('') === markdown, name).toBe(true);
      for (const div of divs) expect(div.vx_hash).toBe(sha256Hex(div.text));
    }
    expect(slugs.size).toBeGreaterThanOrEqual(44);
    const listed: string[] = [];
    for (let next: string | null = `${server.base}/api/articles?limit=17`; next !== null; ) {
      const { pathname, search } = new URL(next);
      const { json } = await server.send({ path: pathname + search });
      listed.push(...(json['articles'] as { slug: string }[]).map(({ slug }) => slug));
      next = json['next'] as string | null;
    }
    expect(listed.toSorted()).toEqual([...slugs].toSorted());
    expect(listed).toEqual(listed.toSorted());
  }, 120_000);

  it('keeps strange line ends, marks and blanks', async () => {
    const texts = ['\uFEFF# BOM\r\n\r\nText\r\n', '\n\n\n# Late\n', 'no end', 'a\rb\r\rc', 'tabs\t\t\n\n\tcode\n\n\n\n', '# a\u2028b\n\n\fpage\n', '- a\n\n\n- b\n\n      c\n', '```\nopen', '<!-- open\n\nnever closed', '[a]: /x\n[b]: /y\n\n[a] [b]\n', '---\ntitle: t\n---\n\nx\n', '| a |\n|---|\n| b |\nc\n', '𝕌𝕟𝕚𝕔𝕠𝕕𝕖 🙂\n\n\u0301combining\n'];
    for (const [i, markdown] of texts.entries()) {
      await make(`strange-${i}`, markdown);
      expect((await read(`strange-${i}?format=markdown`)).body).toBe(markdown);
      const divided = await post('voxel-divide', { slug: `strange-${i}` });
      expect(divided.json).toMatchObject({ ok: true });
      expect((await read(`strange-${i}`)).json['version']).toBe(1);
    }
  });
});

const claim = { tier: 'system', who_claims: 'RFC 6962', rationale: 'A test.' };

describe('the first job: source, claim, edit', () => {
  it('a source and a claim that cites it are appended, and show up where they are read', async () => {
    await make('job', '# Job\n\nOne.\n\nTwo.\n\nThree.\n');
    const source = { type: 'review', url: 'https://www.rfc-editor.org/rfc/rfc6962', title: 'RFC 6962', quote: 'Merkle Hash Trees', summary: 'Defines the tree.' };
    const appended = await post('sources', { slug: 'job', sources: [source, { ...source, quote: 'Merkle Audit Paths' }] });
    expect(appended.json).toMatchObject({ ok: true, source_ids: ['s1', 's2'], revision: 2, receipt: { id: expect.stringMatching(/^inv_/) as string } });
    const duplicate = expectProblem(await post('sources', { slug: 'job', sources: [{ ...source, url: `${source.url}#section-2`, quote: ' merkle  hash TREES ' }] }), 'duplicate_source');
    expect(duplicate['canonical']).toMatchObject({ id: 's1' });
    const posted = await post('claim', { slug: 'job', text: 'A Merkle tree hash of an empty list is the hash of an empty string.', source_ids: ['s1'], ...claim });
    expect(posted.json).toMatchObject({ ok: true, claim_id: 'c1', claim: { source_status: 'sourced', weight: 0.35, status: 'active', posted_by: { actor: 'owner', channel: 'http' } } });
    expectProblem(await post('claim', { slug: 'job', text: 'a merkle tree hash of an empty list is the hash of an EMPTY string!', source_ids: ['s1'], ...claim }), 'duplicate_claim');
    const bad = expectProblem(await post('claim', { slug: 'job', text: 'Should you use it? It is amazing. Take 5 mg.', source_ids: ['s9'], ...claim, tier: 'magic' }), 'content_rule');
    expect((bad['violations'] as { code: string }[]).map(({ code }) => code)).toEqual(expect.arrayContaining(['several_sentences', 'dose', 'unknown_tier', 'dangling_source']));
    const { json } = await read('job');
    expect(json).toMatchObject({ version: 3, claims: [{ id: 'c1', source_ids: ['s1'] }], sources: [{ id: 's1', claim_ids: ['c1'] }, { id: 's2', claim_ids: [] }] });
  });

  it('an edit writes where its hash is the current one, and nowhere else', async () => {
    const [, second, third] = (await divsOf('job')) as [Div, Div, Div, Div];
    const edited = await post('voxel-edit', { slug: 'job', div_id: 'd2', expected_hash: second.vx_hash, text: 'One, edited.' });
    expect(edited.json).toMatchObject({ ok: true, revision: 4, body_regenerated: true, div: { vx_hash: sha256Hex('One, edited.') }, permalink: expect.stringMatching(/\/a\/job\/d2$/) as string, chain_entry: { op: 'edit', text_sha: sha256Hex('One, edited.') } });
    expect((await read('job?format=markdown')).body).toBe('# Job\n\nOne, edited.\n\nTwo.\n\nThree.\n');
    const before = await server.size();
    const stale = expectProblem(await post('voxel-edit', { slug: 'job', div_id: 'd2', expected_hash: second.vx_hash, text: 'One, by another.' }), 'hash_stale');
    expect(stale).toMatchObject({ current_text: 'One, edited.', current_hash: sha256Hex('One, edited.'), base_text: 'One.' });
    expect(JSON.stringify(stale['diff'])).toMatch(/edited/);
    expect(await server.size()).toBe(before + 1);
    expectProblem(await post('voxel-edit', { slug: 'job', div_id: 'd2', expected_hash: 'f'.repeat(64), text: 'x' }), 'hash_stale');
    expectProblem(await post('voxel-edit', { slug: 'job', div_id: 'd99', expected_hash: 'x', text: 'x' }), 'not_found');
    expectProblem(await post('voxel-edit', { slug: 'job', div_id: 'd3', expected_hash: third.vx_hash, text: ' \n ' }), 'body_mismatch');
    expect((await read('job?format=markdown')).body).toBe('# Job\n\nOne, edited.\n\nTwo.\n\nThree.\n');
  });

  it('of many edits of one DIV at once, by the same hash, exactly one lands', async () => {
    const hash = (await divsOf('job')).find((div) => div.div_id === 'd4')?.vx_hash;
    const replies = await Promise.all(Array.from({ length: 40 }, (_, i) => post('voxel-edit', { slug: 'job', div_id: 'd4', expected_hash: hash, text: `Three, by writer ${i}.` })));
    const landed = replies.filter(({ status }) => status === 200);
    expect(landed).toHaveLength(1);
    for (const reply of replies.filter(({ status }) => status !== 200)) expect(expectProblem(reply, 'hash_stale')['current_text']).toBe((landed[0]?.json['div'] as Div).text);
  });

  it('an edit may not leak into its neighbours', async () => {
    const hash = (await divsOf('job')).find((div) => div.div_id === 'd3')?.vx_hash;
    for (const text of ['```\nnever closed', '<!-- never closed']) {
      const reply = await post('voxel-edit', { slug: 'job', div_id: 'd3', expected_hash: hash, text });
      if (reply.status === 200) throw new Error(`${text} was let in: ${(await read('job?format=markdown')).body}`);
      expect(expectProblem(reply, 'boundary_moved')['divs']).toContain('d3');
    }
  });
});

describe('moving, consolidating and burning', () => {
  const body = async (slug: string): Promise<string> => (await read(`${slug}?format=markdown`)).body;

  it('a move changes places and no hash', async () => {
    await make('arranged', 'a\n\nb\n\nc\n\nd\n');
    const before = await divsOf('arranged');
    expect((await post('voxel-move', { slug: 'arranged', div_id: 'd3', expected_order: 3, direction: 'up' })).json).toMatchObject({ ok: true, order: 2 });
    expect((await divsOf('arranged')).map(({ div_id: id }) => id)).toEqual(['d1', 'd3', 'd2', 'd4']);
    expect((await divsOf('arranged')).map((div) => div.vx_hash).toSorted()).toEqual(before.map((div) => div.vx_hash).toSorted());
    const stale = expectProblem(await post('voxel-move', { slug: 'arranged', div_id: 'd3', expected_order: 3, direction: 'up' }), 'order_stale');
    expect((stale['current_layout'] as { div_id: string; order: number }[]).map(({ div_id: id, order }) => [id, order])).toEqual([['d1', 1], ['d3', 2], ['d2', 3], ['d4', 4]]);
    expectProblem(await post('voxel-move', { slug: 'arranged', div_id: 'd1', expected_order: 1, direction: 'up' }), 'order_stale');
    expectProblem(await post('voxel-move', { slug: 'arranged', div_id: 'd4', expected_order: 4, direction: 'down' }), 'order_stale');
    expect((await post('voxel-move', { slug: 'arranged', div_id: 'd4', expected_order: 4, to: 1 })).status).toBe(200);
    expect(await body('arranged')).toBe('d\n\na\n\nc\n\nb\n\n');
  });

  it('consolidating keeps the absorbed bytes, hash by hash', async () => {
    const divs = new Map((await divsOf('arranged')).map((div) => [div.div_id, div]));
    const hash = (id: string): string => divs.get(id)?.vx_hash ?? '';
    expectProblem(await post('voxel-consolidate', { slug: 'arranged', div_ids: ['d1', 'd3'], expected_hashes: [hash('d1'), 'stale'] }), 'hash_stale');
    expectProblem(await post('voxel-consolidate', { slug: 'arranged', div_ids: ['d1', 'd1'], expected_hashes: [hash('d1'), hash('d1')] }), 'body_mismatch');
    const merged = await post('voxel-consolidate', { slug: 'arranged', div_ids: ['d1', 'd3'], expected_hashes: [hash('d1'), hash('d3')] });
    expect(merged.json).toMatchObject({ ok: true, absorbed: ['d3'], div: { div_id: 'd1', text: 'a\n\nc' } });
    const all = await divsOf('arranged', '?include_inactive=1');
    expect(all.find((div) => div.div_id === 'd3')).toMatchObject({ status: 'consolidated', text: 'c', order: null });
    expectProblem(await post('voxel-edit', { slug: 'arranged', div_id: 'd3', expected_hash: hash('d3'), text: 'x' }), 'conflict');
    expect(await body('arranged')).toBe('d\n\na\n\nc\n\nb\n\n');
  });

  it('burning takes out of the body, and nothing else', async () => {
    const burned = await post('voxel-burn', { slug: 'arranged', ids: ['d4'], reason: 'A test.' });
    expect(burned.json).toMatchObject({ ok: true });
    expect(await body('arranged')).toBe('a\n\nc\n\nb\n\n');
    expect((await divsOf('arranged', '?include_inactive=1')).find((div) => div.div_id === 'd4')).toMatchObject({ status: 'burned', text: 'd' });
    expectProblem(await post('voxel-burn', { slug: 'arranged', ids: ['d4'], reason: 'Again.' }), 'conflict');
    expectProblem(await post('voxel-burn', { slug: 'arranged', ids: ['d2'], expected_hashes: ['stale'], reason: 'x' }), 'hash_stale');
    expectProblem(await post('voxel-burn', { slug: 'arranged', older_than_days: 1, reason: 'x' }), 'conflict');
    expectProblem(await post('voxel-burn', { slug: 'arranged', ids: ['d2'], older_than_days: 0, reason: 'x' }), 'body_mismatch');
  });
});

describe('caches of an article', () => {
  it('are told by ETag, and a write changes it', async () => {
    await make('cached', 'One.\n\nTwo.\n');
    for (const path of ['cached', 'cached?format=markdown', 'cached/voxels', 'cached/claims', 'cached/provenance']) {
      const first = await read(path);
      const etag = String(first.headers['etag']);
      expect(etag, path).toMatch(/^"[\w-]+"$/);
      for (const match of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await read(path, { 'if-none-match': match });
        expect([again.status, again.body, again.headers['etag']], `${path} ${match}`).toEqual([304, '', etag]);
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

describe('a draft', () => {
  it('answers whoever has no key of the workspace as an absent article does', async () => {
    await make('hidden', '# Hidden\n\nNot yet.\n', { status: 'draft' });
    const foreign = await server.mint({ scope: 'read', max_uses: 0, article: 'job' });
    const parts = ['', '/voxels', '/claims', '/sources', '/provenance', '/mirror', '/contributions', '/discourse', '/objections', '/revisions', '/masthead', '/health', '/topology', '/bundle', '/ledger', '/skill', '/votes', '?format=markdown', '?rev=1', '?at=0'];
    for (const part of parts) {
      for (const share of ['', foreign.share]) {
        const query = share === '' ? '' : `${part.includes('?') ? '&' : '?'}share=${share}`;
        const [draft, absent] = [await read(`hidden${part}${query}`), await read(`absent${part}${query}`)];
        expect(draft.status, part).toBe(404);
        expect(draft.body.replaceAll('hidden', 'absent'), part).toBe(absent.body);
        expect(Object.keys(draft.headers).toSorted()).toEqual(Object.keys(absent.headers).toSorted());
      }
    }
    const intake = { kind: 'question', actor: 'ada', body: 'There?' };
    for (const slug of ['hidden', 'absent']) expectProblem(await server.send({ path: `/api/articles/${slug}/mirror`, body: intake }), 'not_found');
    expectProblem(await server.call('MIRROR_FEED', 'hidden'), 'not_found');
    expectProblem(await server.send({ path: '/api/protocol/thread-state?target=hidden' }), 'not_found');
    expect((await server.send({ path: '/api/articles?limit=500' })).body).not.toContain('"hidden"');
    for (const path of ['/a/hidden', '/a/hidden/d1', '/a/hidden/history']) expect((await server.send({ path })).status, path).toBe((await server.send({ path: path.replace('hidden', 'absent') })).status);
    expect((await server.send({ path: '/log' })).body).not.toContain('/a/hidden');
  });

  it('is read by the owner and by the workspace\'s shares, uncached', async () => {
    const { share } = await server.mint({ scope: 'read', max_uses: 0 });
    for (const reply of [await read('hidden', owner), await read(`hidden?share=${share}`), await read('hidden/voxels', { authorization: `Bearer ${share}` })]) {
      expect(reply.status).toBe(200);
      expect(reply.headers['cache-control']).toBe('private, no-store');
    }
    expect((await read('hidden')).status).toBe(404);
  });

  it('keeps what was never public to the workspace after it is published', async () => {
    const secrets = ['Unpublished heading', 'unpublished paragraph', 'unpublished assertion', 'unpublished quote', 'Unpublished title', 'unpublished-tag'];
    await make('grown', '# Unpublished heading\n\nAn unpublished paragraph.\n\nKept.\n', { status: 'draft', title: 'Unpublished title', tags: ['unpublished-tag'] });
    await post('sources', { slug: 'grown', sources: [{ type: 'review', url: 'https://h.test/', title: 'T', quote: 'A quote.', summary: '' }] });
    await post('claim', { slug: 'grown', text: 'An unpublished assertion stands in the draft.', source_ids: ['s1'], ...claim });
    const [heading, paragraph] = ((await read('grown/voxels', owner)).json['divs'] ?? []) as [Div, Div, Div];
    await post('voxel-edit', { slug: 'grown', div_id: 'd1', expected_hash: heading.vx_hash, text: '# Public heading' });
    await post('voxel-edit', { slug: 'grown', div_id: 'd2', expected_hash: paragraph.vx_hash, text: 'A public paragraph.' });
    await post('repair', { slug: 'grown', claim_id: 'c1', text: 'A public assertion stands in the article.', rationale: 'r', expected_hash: sha256Hex('An unpublished assertion stands in the draft.') });
    const version = (await read('grown', owner)).json['version'] as number;
    const published = await post('article', { slug: 'grown', expected_version: version, title: 'Public title', tags: ['public'], status: 'published' });
    expect(published.status, published.body.slice(0, 300)).toBe(200);
    const paths = ['', '/voxels', '/voxels?include_inactive=1', '/claims', '/sources', '/provenance', '/revisions', '/revisions?rev=1', '/revisions?rev=2', '/ledger', '/bundle', '/bundle?format=markdown', '/masthead', '/health', '/topology', '/skill', '/discourse', '?rev=1', '?rev=2', '?rev=3', '?at=100000', '?at=1'];
    for (const path of [...paths.map((part) => `/api/articles/grown${part}`), '/a/grown', '/a/grown/d1', '/a/grown/d2', '/a/grown/history', '/a/grown/c1', '/api/articles?limit=500', '/']) {
      const reply = await server.send({ path });
      for (const secret of secrets) expect(reply.body.includes(secret), `${path} shows "${secret}"`).toBe(false);
    }
    const own = await read('grown?rev=1', owner);
    expect([own.status, own.json['body']]).toEqual([200, '# Unpublished heading\n\nAn unpublished paragraph.\n\nKept.\n']);
  });
});

describe('what is listed verifies by itself', () => {
  it('with the standalone verifier: every chain of every part, article, bundle and receipt', async () => {
    for (let i = 0; i < 12; i++) await server.send({ path: '/api/articles/job/mirror', body: { kind: 'question', actor: `actor ${i}`, body: `Question ${i}?`, claim_id: i % 2 === 0 ? 'c1' : '' } });
    for (const slug of ['job', 'arranged', 'cached', 'grown']) {
      for (const part of ['voxels', 'voxels?include_inactive=1', 'sources', 'provenance', 'contributions', 'mirror', 'discourse', 'ledger']) {
        const reply = await read(`${slug}/${part}`);
        expect(reply.status, `${slug}/${part}`).toBe(200);
        const list = reply.json['sources'] ?? reply.json['provenance'] ?? reply.json['contributions'] ?? reply.json['divs'] ?? reply.json['entries'];
        await expectVerified(verifyChainList(list as never), `${slug}/${part}`);
        if (reply.json['verification'] !== undefined) expect(reply.json['verification']).toMatchObject({ valid: true });
      }
      await expectVerified(verifyBundle((await read(slug)).json as never, key), slug);
      await expectVerified(verifyBundle((await read(`${slug}/voxels`)).json as never, key), `${slug}/voxels`);
      await expectVerified(verifyBundle((await read(`${slug}/bundle`)).json as never, key), `${slug}/bundle`);
    }
    const { json } = await server.send({ path: '/api/invocations?object_id=VOXEL_EDIT&limit=20', headers: owner });
    for (const { id } of json['invocations'] as { id: string }[]) await expectVerified(verifyReceipt((await server.get({ receipt: id }, owner)).json as never, key), id);
    for (const { id } of json['invocations'] as { id: string }[]) await expectVerified(verifyReceipt((await server.get({ confirm: id })).json as never, key), id);
  }, 60_000);

  it('and stops verifying when a byte of it is changed', async () => {
    const { provenance } = (await read('job/provenance')).json as { provenance: { entry: { ts: string } }[] };
    (provenance[1] as { entry: { ts: string } }).entry.ts = '2020-01-01T00:00:00.000Z';
    expect(failures(await verifyChainList(provenance as never)).join()).toMatch(/entry 1 of chain/);
  });

  it('is whole, however long', async () => {
    await make('long-mirror', 'One.\n');
    for (let i = 0; i < 520; i++) await server.deployment.did('MIRROR_APPEND', `long-mirror||question|ada|Number ${i}?`, { presented: {} });
    for (const part of ['contributions', 'mirror']) {
      const { json } = await read(`long-mirror/${part}`);
      expect([part, json['count'], (json['contributions'] as unknown[]).length]).toEqual([part, 520, 520]);
      await expectVerified(verifyChainList(json['contributions'] as never), part);
    }
  }, 30_000);
});

describe('reading beside writing', () => {
  it('never shows a text, a chain and a verdict of different moments', async () => {
    await make('busy', Array.from({ length: 8 }, (_, i) => `Block ${i}.`).join('\n\n'));
    let writing = true;
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
      for (; writing; reads++) {
        const { json } = await read(`busy${part}`);
        await expectVerified(verifyBundle(json as never, key), `busy${part}`);
        if (part === '') expect(json['content_hash']).toBe(sha256Hex(json['body'] as string));
      }
      return reads;
    };
    const readers = Promise.all(['', '/voxels', '/provenance'].map(reader));
    await Promise.all([1, 2, 3].map(writer));
    writing = false;
    for (const reads of await readers) expect(reads).toBeGreaterThan(3);
  }, 60_000);
});
