/**
 * Recent changes, tags, series and the feeds of all of them (contract §8). They show what everybody may read, and of one
 * workspace: `main`, or the open one that is named.
 */
import { type Activity, type ActivityPage, readActivityOf } from '../../app/reads/activity.ts';
import { parameterOf, parseRecent, readRecent, type RecentRequest } from '../../app/reads/recent.ts';
import type { ArticleAccess } from '../../app/reads/article-access.ts';
import { articleStamp } from '../../app/reads/articles.ts';
import { readLabels } from '../../app/reads/labels.ts';
import { boundsOf } from '../../app/reads/revisions.ts';
import { feedEntries } from '../../app/reads/syndication.ts';
import { noWorkspace, tenantOf } from '../../app/reads/workspaces.ts';
import { activityKinds } from '../../model/vocabulary.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import type { ArticleIndexRow } from '../../domain/articles/tables.ts';
import { links } from '../../domain/links.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { Answer } from '../../model/exact.ts';
import type { Backlinks } from '../../model/article.ts';
import { atomFeed, type FeedEntry } from '../../represent/syndication.ts';
import { ByteCache } from '../http/cached-bytes.ts';
import { publicCache } from '../http/envelope.ts';
import { stringParam } from '../http/parameters.ts';
import { cachedBytes, pageReply, type Reply } from '../http/replies.ts';
import type { Query } from '../http/requests.ts';
import { route } from '../http/route.ts';
import type { RouteServer } from '../http/route-declaration.ts';
import { backlinksPage } from './backlinks-page.tsx';
import { actorText } from './format-text.ts';
import { articlesOnPage, labelPage, labelsPage } from './label-pages.tsx';
import { anonymous, queryParameter } from './page-cache.ts';
import { pageDeclaration } from './page-declaration.ts';
import { plainText, typedName, wordsOf } from './plain-words.ts';
import { recentPage, recentUrl, restText, type RecentView } from './recent-page.tsx';
import type { Site } from './site.ts';

const actsOnPage = 50;
const entriesInFeed = 50;
/** Tags that the filter of recent changes suggests. */
const tagsOffered = 200;
const atomType = 'application/atom+xml; charset=utf-8';

const filters = {
  kind: stringParam('text, claims, sources, discussion, contributions, decisions or published'),
  article: stringParam('a slug'),
  who: stringParam('owner, contributors, anonymous, or a fingerprint'),
  tag: stringParam('a tag: changes of the articles that have it'),
  since: stringParam('a date: nothing older'),
  workspace: stringParam('an open workspace; main without it'),
};

interface Asked {
  readonly request: RecentRequest;
  readonly view: Pick<RecentView, 'kind' | 'article' | 'who' | 'tag' | 'since' | 'workspace' | 'problems'>;
}

export function findingRoutes(server: RouteServer, site: Site, cacheBytesMax: number): void {
  const { service } = site;
  const { base } = service;
  const feeds = new ByteCache(cacheBytesMax);
  const authority = service.secrets.signer.key.name.replace(/[:/].*$/, '');
  const page = pageDeclaration(site);
  // Refusals of a feed are problem details.
  const { face: _pages, ...open } = page;
  const feed = { ...open, types: ['application/atom+xml'], cache: publicCache } as const;

  const feedReply = async (name: string, stamp: string, make: () => Promise<string>): Promise<Reply> =>
    cachedBytes(
      feeds,
      feeds.get(name, stamp) ?? (await feeds.set(name, stamp, await make(), atomType)),
      publicCache,
    );
  const document = (title: string, home: string, self: string, entries: readonly FeedEntry[]): string =>
    atomFeed({ title, authority, home, first: self, self, next: null, entries });

  const asked = async (query: Query): Promise<Asked | Fault> => {
    const given = (name: keyof typeof filters): string => queryParameter(query, name) ?? '';
    const workspace = given('workspace') === '' ? mainTenant : given('workspace');
    const tenant = await tenantOf(service, anonymous, { workspace });
    if (tenant === undefined) return noWorkspace(workspace);
    const view = { article: given('article'), who: given('who'), tag: given('tag'), since: given('since') };
    // A kind that there is not shows all of them.
    const kind = activityKinds.find((each) => each === given('kind'));
    const { request, faults } = await parseRecent(service, tenant, { ...view, kind });
    const problems = new Map(faults.map((each) => [parameterOf(each), `${each.message} ${each.fix}`]));
    return { request, view: { ...view, kind, workspace, problems } };
  };

  const actsFor = async (
    { request, view }: Asked,
    before: number | undefined,
    limit: number,
  ): Promise<ActivityPage> =>
    view.problems.size > 0
      ? { items: [], next: null }
      : readRecent(service, { ...request, filter: { ...request.filter, before } }, limit);

  route(
    server,
    {
      ...page,
      get: '/recent',
      id: 'recentPage',
      summary: 'Recent changes.',
      query: { ...filters, before: stringParam('the number of an entry') },
    },
    async ({ query }) => {
      const ask = await asked(query);
      if (isFault(ask)) return ask;
      const before = queryParameter(query, 'before');
      if (before !== undefined && !/^\d{1,15}$/.test(before))
        return fault(
          'invalid_request',
          '“before” is no number of an entry.',
          'Follow the links of the page as they are.',
        );
      const found = await actsFor(ask, before === undefined ? undefined : Number(before), actsOnPage);
      const tags = [...(await readLabels(service, ask.request.tenant)).tags.keys()].slice(0, tagsOffered);
      return pageReply(recentPage(site, { ...ask.view, ...found, tags, isFirst: before === undefined }));
    },
  );

  route(
    server,
    {
      ...feed,
      get: '/recent/feed.xml',
      id: 'recentFeed',
      summary: 'Recent changes as Atom.',
      query: filters,
    },
    async ({ query }) => {
      const ask = await asked(query);
      if (isFault(ask)) return ask;
      const { items } = await actsFor(ask, undefined, entriesInFeed);
      const self = recentUrl(`${base}/recent/feed.xml`, ask.view);
      return feedReply(self, stampOf(items), async () =>
        document('Colophon: recent changes', recentUrl(`${base}/recent`, ask.view), self, items.map(entryOf)),
      );
    },
  );

  const entryOf = (act: Activity): FeedEntry => {
    const { ts, actor, name, article, said, hash, kind, rest } = act;
    const who = name === null || name === '' ? actorText(actor) : typedName(name);
    const target = [act.act.target, ...act.act.of].find((id) => id !== null && /^[cd]\d+$/.test(id));
    return {
      aid: hash,
      slug: article.slug,
      title: `${who} ${plainText(wordsOf(act.act, article))}${restText(rest)}`,
      summary: said ?? '',
      tags: [kind],
      published: ts,
      updated: ts,
      page: target == null ? links.article(base, article.slug) : links.div(base, article.slug, target),
      json: null,
      author: who,
    };
  };

  route(
    server,
    {
      ...feed,
      get: '/a/:slug/feed.xml',
      id: 'articleFeed',
      summary: 'What happened to an article, as Atom.',
      query: {},
      article: true,
    },
    async ({ access }) => {
      const self = `${links.article(base, access.slug)}/feed.xml`;
      return feedReply(self, await articleStamp(service, access.aid), async () => {
        const { title } = await boundsOf(service, access);
        const { items } = await readActivityOf(service, access.aid, entriesInFeed);
        return document(title, links.article(base, access.slug), self, items.map(entryOf));
      });
    },
  );

  for (const kind of ['tags', 'series'] as const) {
    const [one, many] = kind === 'tags' ? ['tag', 'tags'] : ['series', 'series'];
    const pathOf = kind === 'tags' ? links.tagPage : links.seriesPage;
    const articlesOf = async (label: string): Promise<readonly ArticleIndexRow[] | Fault> =>
      (await readLabels(service, mainTenant))[kind].get(label) ??
      fault(
        'not_found',
        `No published article ${kind === 'tags' ? 'has the tag' : 'is in the series'} “${label.slice(0, 100)}”.`,
        `All ${many} are listed under /${kind}.`,
      );
    route(
      server,
      { ...page, get: `/${kind}`, id: `${kind}Page`, summary: `The ${many} of the articles.` },
      async () => pageReply(labelsPage(site, await readLabels(service, mainTenant), kind)),
    );
    route(
      server,
      {
        ...page,
        get: `/${kind}/:label`,
        id: `${one}LabelPage`,
        summary: `The articles of a ${one}.`,
        query: { from: stringParam('how many come before') },
      },
      async ({ query, params: { label = '' } }) => {
        const articles = await articlesOf(label);
        if (isFault(articles)) return articles;
        const from = queryParameter(query, 'from') ?? '0';
        const at = /^\d{1,6}$/.test(from) ? Number(from) - (Number(from) % articlesOnPage) : 0;
        return pageReply(labelPage(site, { kind, label, articles, from: Math.min(at, articles.length) }));
      },
    );
    route(
      server,
      { ...feed, get: `/${kind}/:label/feed.xml`, id: `${one}LabelFeed`, summary: `A ${one} as Atom.` },
      async ({ params: { label = '' } }) => {
        const articles = await articlesOf(label);
        if (isFault(articles)) return articles;
        const newest = articles
          .toSorted((a, b) => (a.updated_at < b.updated_at ? 1 : -1))
          .slice(0, entriesInFeed);
        const home = pathOf(base, label);
        const self = `${home}/feed.xml`;
        const stamp = newest
          .map(({ slug, updated_at: at, version }) => `${slug} ${at} ${version}`)
          .join('\n');
        return feedReply(self, stamp, async () =>
          document(`Colophon: ${label}`, home, self, await feedEntries(service, newest)),
        );
      },
    );
  }
}

function stampOf(items: readonly Activity[]): string {
  return items.map(({ hash, article, said }) => `${hash} ${article.title} ${said?.length ?? 0}`).join('\n');
}

/** The page of what links to an article. */
export async function makeBacklinks(
  site: Site,
  access: ArticleAccess,
  found: Answer<typeof Backlinks>,
): Promise<string> {
  const { title } = await boundsOf(site.service, access);
  return backlinksPage(site, title, found);
}
