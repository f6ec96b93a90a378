/** What search shows of the documents that an index proposes: an index is not trusted to keep workspaces apart. */
import { expect, it } from 'vitest';
import { search, type SearchAnswer } from '../../../src/app/reads/search.ts';
import { documentKey } from '../../../src/app/reads/search-documents.ts';
import { articleTable, slugPath, slugTable } from '../../../src/domain/articles/tables.ts';
import type { Credential } from '../../../src/domain/capabilities/credential.ts';
import { MemoryProjection } from '../../../src/engine/memory-projection.ts';
import type { SearchQuery } from '../../../src/engine/search-index.ts';
import type { Reader } from '../../../src/engine/store.ts';
import { isFault } from '../../../src/kernel/fault.ts';
import { article } from '../articles/sundial.ts';

const listOf = (tenant: string) =>
  (['published', 'draft'] as const).map((status) => ({
    slug: `${tenant === 'main' ? '' : 'survey--'}${status}-dials`,
    aid: `art_${tenant}_${status}`,
    status,
    tags: [],
    series: null,
  }));

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

type Context = Parameters<typeof search>[0];

/** What `viewer` finds in `tenant` where the index proposes every document of both workspaces for each term. */
async function found(
  tenant: string,
  viewer: Credential,
  { q = 'dials', listed = listOf(tenant) }: { q?: string; listed?: readonly object[] } = {},
): Promise<SearchAnswer> {
  const answer = await search(
    {
      now: () => 0,
      read: {
        row: async (...at: Parameters<Reader['row']>) => rows.row(...at),
        list: async () => listed,
      },
      search: {
        catchUp: async () => 0,
        termsBeginning: async () => ['dial'],
        find: async ({ terms }: SearchQuery) => ({
          documents: proposed.length,
          length: proposed.length,
          frequencies: terms.map(() => proposed.length),
          found: terms.includes('diel') ? [] : proposed.map((key) => ({ key, length: 1, counts: [1] })),
        }),
        passedOver: 0,
      },
      base: 'https://c.test',
      tenant,
      viewer,
    } as unknown as Context,
    { q, limit: 10 },
  );
  if (isFault(answer)) throw new Error(answer.message);
  return answer;
}

const anonymous = { kind: 'anonymous' } as const;

it.each<[string, string, Credential, readonly string[]]>([
  ['published articles of main to anonymous callers', 'main', anonymous, ['published-dials']],
  ['articles of main to the owner', 'main', { kind: 'owner' }, ['draft-dials', 'published-dials']],
  [
    'published articles of another workspace to anonymous callers',
    'survey',
    anonymous,
    ['survey--published-dials'],
  ],
])('shows only %s, whatever an index proposes', async (_, tenant, viewer, slugs) => {
  const { results } = await found(tenant, viewer);
  expect(results.map(({ article: slug }) => slug)).toEqual(slugs);
});

it('counts for anonymous callers only what they may read in the workspace', async () => {
  expect((await found('main', anonymous)).totals).toMatchObject({ all: 1, articles: 1, complete: true });
});

it('suggests a word of a published article, and none of an article that is a draft by now', async () => {
  const published = await found('main', anonymous, { q: 'diels' });
  expect(published.didYouMean).toBe('dials');
  const [, draft] = listOf('main');
  const outdated = [{ ...draft, status: 'published' }];
  expect((await found('main', anonymous, { q: 'diels', listed: outdated })).didYouMean).toBeNull();
});
