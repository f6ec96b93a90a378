/** Where a scrub would bite, in words (contract §5 "Secrets"): articles with their parts, and calls with their rows. */
import { parseArticleChain, type ChainName } from '../../domain/articles/chains.ts';
import { articleTable } from '../../domain/articles/tables.ts';
import type { Scrubbed } from '../../model/directory.ts';
import type { ReadContext } from '../read-context.ts';
import { readInvocation } from './invocation.ts';

export interface ScrubPlaces {
  readonly articles: readonly ScrubbedArticle[];
  /** Receipts whose request or response holds it. */
  readonly calls: readonly { readonly inv: string; readonly key: string; readonly ts: string }[];
  /** Names of other chains. */
  readonly others: readonly string[];
}

export interface ScrubbedArticle {
  readonly slug: string;
  readonly title: string;
  readonly status: string;
  /** Parts with the number of contents that hold it. */
  readonly parts: readonly { readonly name: string; readonly contents: number }[];
}

const partNames: Readonly<Record<Exclude<ChainName['of'], 'div'>, string>> = {
  provenance: 'claims, title and metadata',
  sources: 'sources',
  thread: 'the discussion',
  mirror: 'contributions',
  votes: 'votes',
  questions: 'questions',
};

export async function scrubPlaces(
  context: ReadContext,
  { places }: Pick<Scrubbed, 'places'>,
): Promise<ScrubPlaces> {
  const byArticle = new Map<string, Map<string, number>>();
  const calls = new Set<string>();
  const others = new Set<string>();
  for (const { chain } of places) {
    const name = parseArticleChain(chain);
    if (name !== undefined) {
      const parts = byArticle.get(name.aid) ?? new Map<string, number>();
      const part = name.of === 'div' ? `block ${name.div}` : partNames[name.of];
      byArticle.set(name.aid, parts.set(part, (parts.get(part) ?? 0) + 1));
    } else if (chain.startsWith('inv_')) calls.add(chain);
    else others.add(chain);
  }
  const articles = await Promise.all(
    [...byArticle].map(async ([aid, parts]) => {
      const row = await context.read.row(articleTable, aid);
      return {
        slug: row?.slug ?? aid,
        title: row?.title ?? aid,
        status: row?.status ?? '',
        parts: [...parts].map(([name, contents]) => ({ name, contents })),
      };
    }),
  );
  const called = await Promise.all(
    [...calls].map(async (inv) => {
      const found = await readInvocation(context, inv);
      return { inv, key: found?.key ?? 'a call', ts: found?.startedAt ?? '' };
    }),
  );
  return { articles, calls: called, others: [...others] };
}
