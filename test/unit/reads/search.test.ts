/** What search shows of the documents that an index proposes: an index is not trusted to keep workspaces apart. */
import { expect, it } from 'vitest';
import { documentKey, search } from '../../../src/app/reads/search.ts';
import { articleTable, slugPath, slugTable } from '../../../src/domain/articles/tables.ts';
import type { Credential } from '../../../src/domain/capabilities/credential.ts';
import { MemoryProjection } from '../../../src/engine/memory-projection.ts';
import type { Reader } from '../../../src/engine/store.ts';
import { isFault } from '../../../src/kernel/fault.ts';
import { article } from '../articles/sundial.ts';

const rows = new MemoryProjection();
const proposed = (['main', 'survey'] as const).flatMap((tenant) =>
  (['published', 'draft'] as const).map((status) => {
    const aid = `art_${tenant}_${status}`;
    const slug = `${tenant === 'main' ? '' : 'survey--'}${status}-dials`;
    rows.put(articleTable, { ...article.row, aid, tenant, slug, status });
    rows.put(slugTable, { path: slugPath(tenant, slug), aid });
    return documentKey({ aid, kind: 'article', ref: '' });
  }),
);

/** The slugs found by `viewer` in `tenant` where the index proposes every document of both workspaces. */
async function found(tenant: string, viewer: Credential): Promise<readonly string[]> {
  const answer = await search(
    {
      read: { row: async (...at: Parameters<Reader['row']>) => rows.row(...at) },
      search: {
        catchUp: async () => 0,
        find: async () => ({
          documents: proposed.length,
          length: proposed.length,
          frequencies: [proposed.length],
          found: proposed.map((key) => ({ key, length: 1, counts: [1] })),
        }),
        passedOver: 0,
      },
      base: 'https://c.test',
      tenant,
      viewer,
    } as unknown as Parameters<typeof search>[0],
    { q: 'dials', limit: 10 },
  );
  if (isFault(answer)) throw new Error(answer.message);
  return answer.results.map(({ article: slug }) => slug);
}

it.each<[string, string, Credential, readonly string[]]>([
  ['published articles of main to anonymous callers', 'main', { kind: 'anonymous' }, ['published-dials']],
  ['articles of main to the owner', 'main', { kind: 'owner' }, ['draft-dials', 'published-dials']],
  [
    'published articles of another workspace to anonymous callers',
    'survey',
    { kind: 'anonymous' },
    ['survey--published-dials'],
  ],
])('shows only %s, whatever an index proposes', async (_, tenant, viewer, slugs) => {
  expect(await found(tenant, viewer)).toEqual(slugs);
});
