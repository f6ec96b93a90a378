/** Writes to an article that must be said exactly, or that another's authority must not reach (spec §4.4, §4.5, §5). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { articlesOf } from './articles.ts';
import { openLocal, type LocalServer, type Reply } from './local.ts';
import { expectProblem } from './problem.ts';

let server: LocalServer;
const { post, read, make, divsOf } = articlesOf(() => server);

beforeAll(async () => {
  server = await openLocal();
});

afterAll(async () => {
  await server.end();
});

const violationsOf = (reply: Reply): [string, string][] =>
  (expectProblem(reply, 'content_rule')['violations'] as { code: string; at: string }[]).map(
    ({ code, at }) => [code, at],
  );

describe('a move', () => {
  it('says where to: a direction or a place, and not both', async () => {
    await make('moved', '# Moved\n\nOne.\n\nTwo.\n');
    for (const where of [{}, { direction: 'up', to: 1 }])
      expectProblem(
        await post('voxel-move', { slug: 'moved', div_id: 'd2', expected_order: 2, ...where }),
        'body_mismatch',
      );
    expect((await divsOf('moved')).map((div) => div.div_id)).toEqual(['d1', 'd2', 'd3']);
  });
});

describe('sources', () => {
  it('that a call sends twice are refused by their places, not by an id that nothing has', async () => {
    await make('twice', '# Twice\n');
    const source = { type: 'review', url: 'https://example.org/a', title: 'A', quote: 'The words.' };
    const again = { ...source, url: 'https://EXAMPLE.org/a#top', quote: 'the  words.' };
    expect(violationsOf(await post('sources', { slug: 'twice', sources: [source, again] }))).toEqual([
      ['repeated_source', '/sources/1'],
    ]);
    expect((await read('twice/sources')).json['sources']).toEqual([]);
  });
});

describe('metadata', () => {
  it('take the traversal as it is read', async () => {
    await make('linked', '# Linked\n');
    const traversal = { hub: { slug: 'twice' }, prev: 'moved', series: 'probes', position: 2, of: 3 };
    expect((await post('article', { slug: 'linked', expected_version: 1, traversal })).status).toBe(200);
    const { json } = await read('linked');
    expect(json['extra']).toEqual({ normandy_v1: { traversal } });
    const back = (json['extra'] as { normandy_v1: { traversal: object } }).normandy_v1.traversal;
    expect((await post('article', { slug: 'linked', expected_version: 2, traversal: back })).status).toBe(
      200,
    );
  });

  it('that nobody could show are refused, all at once', async () => {
    await make('shown', '# Shown\n');
    const refused = await post('article', {
      slug: 'shown',
      expected_version: 1,
      title: ' ',
      hero: 'javascript:alert(1)',
      images: ['https://example.org/a.png', 'data:text/html,x'],
      embeds: ['//example.org/b'],
    });
    expect(violationsOf(refused)).toEqual([
      ['empty', '/title'],
      ['url', '/hero'],
      ['url', '/images/1'],
      ['url', '/embeds/0'],
    ]);
    expect((await read('shown')).json['version']).toBe(1);
  });
});
