/** What the page of one source shows beside the article (contract §5, §8): its entry, and the newest look at its page. */
import { articleChain } from '../../domain/articles/chains.ts';
import { type LinkRow, linkTable } from '../../domain/articles/link-checks.ts';
import type { Entry } from '../../ledger/entry.ts';
import type { Source } from '../../model/source.ts';
import type { ReadContext } from '../read-context.ts';
import type { ArticleAccess } from './article-access.ts';
import { type ArticleView, viewArticle } from './article-view.ts';

export interface SourceView {
  readonly article: ArticleView;
  readonly source: Source;
  /** Its entry in the chain of sources. */
  readonly entry: {
    readonly n: number;
    readonly ts: string;
    readonly actor: string;
    readonly receipt: string | null;
    readonly hash: string;
  };
  /** The newest check of its page; undefined if the page was never checked. */
  readonly look: LinkRow | undefined;
}

/** Undefined if the article has no such source. */
export async function viewSource(
  context: ReadContext,
  access: ArticleAccess,
  id: string,
): Promise<SourceView | undefined> {
  const { read } = context;
  const article = await viewArticle(context, access);
  const row = article.state.sources.get(id);
  if (row === undefined) return undefined;
  const [chain, looks] = await Promise.all([
    read.chain(articleChain(access.aid, 'sources')),
    read.rows(linkTable, access.aid),
  ]);
  const event = chain.find(({ seq }) => seq === row.seq);
  if (event === undefined) return undefined;
  const entry = JSON.parse(event.text) as Entry;
  return {
    article,
    source: row.source,
    entry: {
      n: entry.n,
      ts: entry.ts,
      actor: entry.actor,
      receipt: typeof entry['inv'] === 'string' ? entry['inv'] : null,
      hash: row.hash,
    },
    look: looks.get(id),
  };
}
