/** Reads of an article whole (spec §2.1, contract §5): as JSON, and as Markdown with its claims as they stand. */
import { articleChain, type ArticleChain } from '../../domain/articles/chains.ts';
import { linkTable } from '../../domain/articles/link-checks.ts';
import { bodyOf } from '../../domain/articles/state.ts';
import { postTable } from '../../domain/discourse/thread.ts';
import type { StoredEvent } from '../../engine/act.ts';
import { Article } from '../../model/article.ts';
import { articleJson, divChainsIn } from '../../represent/article-json.ts';
import { articleMarkdown } from '../../represent/article-markdown.ts';
import { conformanceJson } from '../../represent/article-object.ts';
import { reviewList } from '../../represent/discourse-json.ts';
import { byChain, verificationOfAll } from '../../represent/stored-events.ts';
import type { ReadContext } from '../read-context.ts';
import type { ArticleAccess } from './article-access.ts';
import { readChains, redactionPolicyOf, scrubsOf } from './article-chains.ts';
import { alteredIn, alteredVerification } from './article-integrity.ts';
import { loadArticle, readContributions } from './articles.ts';
import { alteredConformance, readConformance } from './conformance.ts';
import { readContests } from './contested.ts';
import { defineRead } from './define-read.ts';

export const readArticle = defineRead(Article, async (context: ReadContext, access: ArticleAccess) => {
  const { read } = context;
  const [state, events, contributions, posts, conformance, looks, contests] = await Promise.all([
    loadArticle(context, access.aid),
    readChains(context.read, access.aid),
    readContributions(context, access),
    read.rows(postTable, access.aid),
    readConformance(context, access.aid),
    read.rows(linkTable, access.aid),
    readContests(context, access.aid),
  ]);
  const chains = await byChain((await redactionPolicyOf(context, access, state.row)).redact(events));
  const chain = (of: ArticleChain): StoredEvent[] => chains.get(articleChain(access.aid, of)) ?? [];
  // Those whose entries this representation holds.
  const shown = new Map([...chains].filter(([name]) => !/\.(?:thread|votes|questions)$/.test(name)));
  const altered = [
    ...(await alteredIn(context, access, 'article')),
    ...(await alteredConformance(read, access.aid, conformance)),
  ];
  const ofChains = await verificationOfAll(shown);
  return articleJson({
    state,
    base: context.base,
    provenance: chain('provenance'),
    sources: chain('sources'),
    contributions,
    reviews: reviewList(
      [...posts.values()].sort((a, b) => a.n - b.n),
      context.base,
    ),
    links: looks,
    contests,
    conformance: conformanceJson(context.base, conformance),
    divs: divChainsIn(chains),
    // The thread's version too, because clients read the thread beside the article.
    scrubs: await scrubsOf(context, [...shown.values(), chain('thread')].flat()),
    verification: alteredVerification(altered, ofChains) ?? ofChains,
  });
});

/** The exact body. */
export async function readMarkdown(context: ReadContext, access: ArticleAccess): Promise<string> {
  return bodyOf(await loadArticle(context, access.aid));
}

/** The body, and its claims with what stands open against them. */
export async function readMarkdownWithClaims(context: ReadContext, access: ArticleAccess): Promise<string> {
  return articleMarkdown(
    await loadArticle(context, access.aid),
    await readContests(context, access.aid),
    context.base,
  );
}
