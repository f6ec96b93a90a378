/** What links to an article (contract §8): blocks, claims and sources of other articles that everybody may read. */
import { mentionTable } from '../../domain/articles/mentions.ts';
import { headingPaths } from '../../domain/articles/divide.ts';
import { activeDivs } from '../../domain/articles/state.ts';
import { articleTable } from '../../domain/articles/tables.ts';
import { links } from '../../domain/links.ts';
import { plainText } from '../../domain/retrieval/snippet.ts';
import { Backlinks } from '../../model/article.ts';
import type { ReadContext } from '../read-context.ts';
import { loadArticle } from './articles.ts';
import { defineRead, type PartRequest } from './define-read.ts';
import { openTenants } from './events.ts';
import { excerptOf } from '../../kernel/text.ts';

const rowsMax = 500;
const excerptChars = 240;

export const readBacklinks = defineRead(Backlinks, async ({ context, access }: PartRequest) => {
  const { read } = context;
  const open = await openTenants(context);
  const mentions = await read.list(mentionTable, access.slug, { limit: rowsMax });
  const byArticle = Map.groupBy(mentions, ({ aid }) => aid);
  const articles = [];
  for (const [aid, own] of byArticle) {
    const row = await read.row(articleTable, aid);
    if (row === undefined || aid === access.aid || row.status === 'draft') continue;
    if (row.tenant !== access.tenant && !open.has(row.tenant)) continue;
    const places = await placesIn(
      context,
      aid,
      row.slug,
      access.slug,
      own.map(({ ref }) => ref),
    );
    if (places.length > 0)
      articles.push({ slug: row.slug, title: row.title, url: links.article(context.base, row.slug), places });
  }
  articles.sort((a, b) => a.title.localeCompare(b.title, 'en'));
  return { slug: access.slug, count: articles.length, articles };
});

/** The blocks, claims and sources of an article that link to `slug` here, in the order of the article. */
async function placesIn(
  context: ReadContext,
  aid: string,
  own: string,
  slug: string,
  refs: readonly string[],
) {
  const { base } = context;
  const state = await loadArticle(context, aid);
  const divs = activeDivs(state);
  const paths = headingPaths(divs.map((div) => ({ ...div, kind: div.kind as never })));
  const wanted = new Set(refs);
  const inText = divs.flatMap(({ div_id: id, text }, i) =>
    wanted.has(id) && leadsTo(text, base, slug)
      ? [
          {
            kind: 'div' as const,
            id,
            url: links.div(base, own, id),
            heading_path: [...(paths[i] ?? [])],
            excerpt: excerptOf(plainText(text), excerptChars),
          },
        ]
      : [],
  );
  const inClaims = [...state.claims.values()].flatMap(({ claim: { id, text, status } }) =>
    wanted.has(id) && status === 'active' && leadsTo(text, base, slug)
      ? [
          {
            kind: 'claim' as const,
            id,
            url: links.claim(base, own, id),
            heading_path: [],
            excerpt: excerptOf(text, excerptChars),
          },
        ]
      : [],
  );
  const inSources = [...state.sources.values()].flatMap(({ source: { id, url, title } }) =>
    wanted.has(id) && leadsTo(url, base, slug)
      ? [
          {
            kind: 'source' as const,
            id,
            url: `${links.article(base, own)}#${id}`,
            heading_path: [],
            excerpt: excerptOf(title === '' ? url : title, excerptChars),
          },
        ]
      : [],
  );
  return [...inText, ...inClaims, ...inSources];
}

/** Whether a path of this deployment stands in a text, and not the same path of another host. */
function leadsTo(text: string, base: string, slug: string): boolean {
  const path = `/a/${slug}`;
  for (let at = text.indexOf(path); at >= 0; at = text.indexOf(path, at + 1)) {
    if (/[\w-]/.test(text[at + path.length] ?? '')) continue;
    const before = text.slice(Math.max(0, at - base.length - 1), at);
    if (before.endsWith(base) || !/[\w.:-]$/.test(before)) return true;
  }
  return false;
}
