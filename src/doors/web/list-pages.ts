/** Makes the pages that list things (contract §8): the home page, the page of a workspace, and the search. */
import { listArticles, newestChange } from '../../app/reads/article-list.ts';
import { findFeaturedClaim } from '../../app/reads/featured-claim.ts';
import { workspaceRecord } from '../../app/reads/entry.ts';
import { listCohorts } from '../../app/reads/landscape.ts';
import { workspaceOf, workspacesOf, noWorkspace, tenantOf } from '../../app/reads/workspaces.ts';
import type { Viewed } from '../../app/read-context.ts';
import type { Service } from '../../app/service.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import type { ArticleItem } from '../../model/article.ts';
import type { ListedArticles } from './article-list.tsx';
import { readActivity, type Activity } from '../../app/reads/activity.ts';
import { findArticle } from '../../app/reads/article-access.ts';
import { loadArticle } from '../../app/reads/articles.ts';
import { helpPage } from './help-page.tsx';
import { homePage } from './home-page.tsx';
import { anonymous, cacheable, type MadePage } from './page-cache.ts';
import type { Site } from './site.ts';
import { workspacePage } from './workspace-page.tsx';
import { readKinds, search } from '../../app/reads/search.ts';
import { fingerprintOf } from '../../domain/capabilities/share-codec.ts';
import { scrubText } from '../../guard/secrets.ts';
import type { Query } from '../http/requests.ts';
import { unreadable } from '../http/route.ts';
import { searchPage, type SearchView } from './search-page.tsx';

const listedMax = 100;

/** Articles that the owner marked as starting points (`home`), cached until an article changes. */
export type StartingPoints = () => Promise<readonly ArticleItem[]>;

const startingPointsMax = 5;
/** Articles looked at for the claim of the home page, beside the starting points. */
const featuredAmongMax = 20;
/** Acts that the home page tells of. */
const recentMax = 5;
const actsLookedAt = 40;

/** Pages read for everybody. */
function publicReading(service: Service, tenant = mainTenant): Service & Viewed {
  return { ...service, tenant, viewer: anonymous };
}

export function startingPointsOf({ service }: Site): StartingPoints {
  let known: { readonly stamp: string; readonly articles: readonly ArticleItem[] } | undefined;
  return async () => {
    const stamp = await newestChange(service, mainTenant);
    if (known?.stamp === stamp) return known.articles;
    const list = await listArticles(publicReading(service), startingPointsMax, { home: '1' });
    const articles = isFault(list) ? [] : list.articles;
    known = { stamp, articles };
    return articles;
  };
}

export async function makeHome(
  site: Site,
  after: string | undefined,
  startingPoints: StartingPoints,
): Promise<MadePage | Fault> {
  const listed = await listArticlesPage(site, mainTenant, after);
  if (isFault(listed)) return listed;
  const workspaces = [...(await workspacesOf(site.service)).values()]
    .map(({ state }) => state)
    .filter(({ name, status }) => name !== mainTenant && status === 'open');
  const starting = listed.continued ? [] : await startingPoints();
  const others = listed.articles.filter(({ slug }) => !starting.some((each) => each.slug === slug));
  const featured = listed.continued
    ? undefined
    : await findFeaturedClaim(publicReading(site.service), [starting, others.slice(0, featuredAmongMax)]);
  return cacheable(
    homePage(site, {
      ...listed,
      startingPoints: starting,
      featured,
      workspaces,
      newest: listed.continued ? [] : await differentActs(site),
      size: await sizeOf(site),
    }),
  );
}

/** The newest acts, those of one kind by one person on one article once. */
async function differentActs({ service }: Site): Promise<readonly Activity[]> {
  const { items } = await readActivity(service, mainTenant, {}, actsLookedAt);
  const seen = new Set<string>();
  return items
    .filter(({ actor, name, article, act: { verb } }) => {
      const phrase = JSON.stringify([actor, name, article.slug, verb]);
      return !seen.has(phrase) && seen.add(phrase).size > 0;
    })
    .slice(0, recentMax);
}

/** `/start/help`, with the articles to choose from; `slug` is the chosen one. */
export async function makeHelp(site: Site, slug: string | undefined): Promise<MadePage | Fault> {
  const list = await listArticles(publicReading(site.service), listedMax);
  if (isFault(list)) return list;
  const access = slug === undefined ? undefined : await findArticle(site.service, slug, anonymous);
  if (isFault(access)) return access;
  const chosen =
    access === undefined
      ? undefined
      : { slug: access.slug, title: (await loadArticle(site.service, access.aid)).row.title };
  const isListed = list.articles.some((each) => each.slug === chosen?.slug);
  return cacheable(
    helpPage(site, {
      articles: chosen === undefined || isListed ? list.articles : [chosen, ...list.articles],
      chosen,
    }),
  );
}

export async function makeWorkspace(
  site: Site,
  tenant: string,
  after: string | undefined,
): Promise<MadePage | Fault> {
  const listed = await listArticlesPage(site, tenant, after);
  if (isFault(listed)) return listed;
  const record = workspaceRecord(site.service, await workspaceOf(site.service, tenant));
  const { cohorts } = await listCohorts(publicReading(site.service, tenant));
  return cacheable(
    workspacePage(site, {
      ...record,
      ...listed,
      cohorts: cohorts.slice(0, listedMax),
    }),
  );
}

async function listArticlesPage(
  { service }: Site,
  tenant: string,
  after: string | undefined,
): Promise<ListedArticles | Fault> {
  const page = after === undefined ? {} : { cursor: after };
  const list = await listArticles(publicReading(service, tenant), listedMax, page);
  if (isFault(list)) return list;
  return {
    articles: list.articles,
    more: list.next !== null,
    continued: after !== undefined,
  };
}

/** Number of entries in the log, which changes with every write. */
export async function sizeOf({ service }: Site): Promise<number> {
  return (await service.store.read.checkpoint())?.size ?? 0;
}

const articlesOnPage = 10;
/** Where one article is searched. */
const resultsOnPage = 20;

export async function makeSearch(site: Site, query: Query): Promise<string> {
  return searchPage(site, await viewSearch(site, query));
}

/** Invalid searches are explained beside the form, which keeps its fields. */
async function viewSearch({ service }: Site, query: Query): Promise<SearchView> {
  const value = (name: string): string => {
    const given = query[name];
    // The page repeats the search terms; tokens in them are scrubbed.
    return given === undefined || given === unreadable ? '' : scrubText(given, fingerprintOf).value;
  };
  const q = value('q');
  const kinds = readKinds(value('kind') === '' ? undefined : value('kind'));
  const cursor = /^\d{1,3}$/.test(value('cursor')) ? Number(value('cursor')) : 0;
  const workspace = value('workspace') === '' ? mainTenant : value('workspace');
  const article = value('article') === '' ? undefined : value('article').slice(0, 120);
  const tenant = await tenantOf(service, anonymous, { workspace });
  const workspaces = [...(await workspacesOf(service)).values()]
    .map(({ state }) => state)
    .filter(({ name, status }) => name === mainTenant || status === 'open');
  const view = { q, kind: isFault(kinds) ? undefined : kinds?.[0], article, workspace, workspaces, cursor };
  if (tenant === undefined) {
    const missing = noWorkspace(workspace);
    return {
      ...view,
      workspace: mainTenant,
      found: `${missing.message} Choose one of those that there are.`,
    };
  }
  if (isFault(kinds)) return { ...view, found: `${kinds.message} ${kinds.fix}` };
  if (q === '') return { ...view, found: undefined };
  const found = await search(publicReading(service, tenant), {
    q,
    kinds,
    article,
    grouped: article === undefined,
    limit: article === undefined ? articlesOnPage : resultsOnPage,
    cursor,
  });
  if (isFault(found)) return { ...view, article: undefined, found: `${found.message} ${found.fix}` };
  return { ...view, found };
}
