/**
 * The public pages (contract §8): what each reads, and the stamp that it is cached by. Pages ignore credentials and
 * unknown parameters, count as reads, and answer refusals as pages.
 */
import { readBacklinks } from '../../app/reads/backlinks.ts';
import { newestChange } from '../../app/reads/article-list.ts';
import { articleStamp } from '../../app/reads/articles.ts';
import { publishedStamp, publishedStampNow } from '../../app/reads/linked-data.ts';
import { landscapeStamp } from '../../app/reads/landscape.ts';
import { type AsOf, parseAsOf } from '../../app/reads/historical-read.ts';
import { noWorkspace, tenantOf, workspaceStamp } from '../../app/reads/workspaces.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import { stringParam } from '../http/parameters.ts';
import { pageReply } from '../http/replies.ts';
import { type Query } from '../http/requests.ts';
import { route } from '../http/route.ts';
import type { RouteServer } from '../http/route-declaration.ts';
import type { WarmReads } from '../http/cached-bytes.ts';
import { ArticlePages } from './article-pages.ts';
import { assetRoute } from './assets.ts';
import { discussRoutes } from './discuss-routes.ts';
import { findingRoutes, makeBacklinks } from './finding-routes.ts';
import { listRoutes } from './list-routes.ts';
import { askedHistory, makeHistory } from './history-pages.ts';
import { startingPointsOf, makeHome, makeWorkspace, sizeOf, makeSearch } from './list-pages.ts';
import { anonymous, PageCache, queryParameter } from './page-cache.ts';
import { RenderPool } from './render-pool.ts';
import type { Site } from './site.ts';
import { pageDeclaration } from './page-declaration.ts';
import { docsRoutes } from './docs-routes.ts';
import { ledgerRoutes } from './ledger-routes.ts';

const after = stringParam('where the page before ended');
/** Either one selects an earlier moment. */
const moment = {
  rev: stringParam('a revision'),
  at: stringParam('a place in the log or an ISO 8601 time'),
};

export function pageRoutes(server: RouteServer, site: Site, cacheBytesMax: number, reads: WarmReads): void {
  const { service } = site;
  const pool = new RenderPool();
  server.app.addHook('onClose', () => pool.close());
  const articles = new ArticlePages(site, pool);
  const cache = new PageCache(cacheBytesMax, reads);
  const startingPoints = startingPointsOf(site);
  const page = pageDeclaration(site);

  route(
    server,
    { ...page, get: '/', id: 'homePage', summary: 'What this is, and the articles.', query: { after } },
    async ({ request, query }) => {
      const from = queryParameter(query, 'after');
      return cache.reply(request, {
        name: `home ${from ?? ''}`,
        stamp: `${await sizeOf(site)} ${await newestChange(service, mainTenant)}`,
        make: () => makeHome(site, from, startingPoints),
      });
    },
  );

  route(
    server,
    {
      ...page,
      get: '/a/:slug',
      id: 'articlePage',
      summary: 'An article with its claims, sources and discourse.',
      query: moment,
      article: true,
    },
    async ({ request, query, access }) => {
      const asOf = asOfIn(query);
      if (isFault(asOf)) return asOf;
      return cache.reply(request, {
        name: `article ${access.aid}${nameOf(asOf)}`,
        stamp: await publishedStamp(service, access.aid),
        // Only articles of main are remembered; the others are authorized on every request.
        ...(access.tenant === mainTenant ? { stampNow: () => publishedStampNow(service, access.aid) } : {}),
        make: () => articles.article(access, asOf),
      });
    },
  );

  route(
    server,
    {
      ...page,
      get: '/a/:slug/:part',
      id: 'partPage',
      summary: 'One DIV (d3), one claim (c1), one source (s1), the history or the graph of an article.',
      query: {
        from: stringParam('a revision, for the history'),
        to: stringParam('a revision, for the history'),
        before: stringParam('a revision: the page of the history behind it'),
        view: stringParam('sides: two revisions side by side'),
        ...moment,
      },
      article: true,
    },
    async ({ request, query, access, params: { part = '' } }) => {
      if (part === 'history') {
        const asked = askedHistory(query);
        if (isFault(asked)) return asked;
        return cache.reply(request, {
          name: `history ${access.aid} ${JSON.stringify(asked)}`,
          stamp: await articleStamp(service, access.aid),
          make: () => makeHistory(site, pool, access, asked),
        });
      }
      if (part === 'links') {
        const found = await readBacklinks({ context: service, access, query: {} });
        return pageReply(await makeBacklinks(site, access, found));
      }
      const asOf = asOfIn(query);
      if (isFault(asOf)) return asOf;
      return cache.reply(request, {
        name: `part ${access.aid} ${part}${nameOf(asOf)}`,
        stamp: await articleStamp(service, access.aid),
        make: () => articles.part(access, part, asOf),
      });
    },
  );

  discussRoutes(server, site, cache);

  route(
    server,
    {
      ...page,
      get: '/workspace/:name',
      id: 'workspacePage',
      summary: 'A workspace, its articles and cohorts.',
      query: { after },
    },
    async ({ request, query, params: { name = '' } }) => {
      const tenant = await tenantOf(service, anonymous, { workspace: name });
      if (tenant === undefined) return noWorkspace(name);
      const from = queryParameter(query, 'after');
      return cache.reply(request, {
        name: `workspace ${tenant} ${from ?? ''}`,
        stamp: `${await workspaceStamp(service)} ${await newestChange(service, tenant)} ${await landscapeStamp(service, tenant)}`,
        make: () => makeWorkspace(site, tenant, from),
      });
    },
  );

  route(
    server,
    {
      ...page,
      get: '/search',
      id: 'searchPage',
      summary: 'What was found.',
      query: {
        q: stringParam('what to look for'),
        kind: stringParam('a kind of result'),
        article: stringParam('a slug: results in this article only'),
        workspace: stringParam('an open workspace; main without it'),
        cursor: stringParam('how many come before'),
      },
    },
    async ({ query }) => pageReply(await makeSearch(site, query)),
  );

  docsRoutes(server, site, cache);
  ledgerRoutes(server, site, cache);
  findingRoutes(server, site, cacheBytesMax);
  listRoutes(server);
  assetRoute(server, site);
}

/** The requested moment; an invalid one is refused rather than ignored. */
function asOfIn(query: Query): AsOf | Fault | undefined {
  const given = (name: string): string | undefined =>
    query[name] === undefined ? undefined : (queryParameter(query, name) ?? '');
  return parseAsOf({ rev: given('rev'), at: given('at') });
}

function nameOf(asOf: AsOf | undefined): string {
  return asOf === undefined ? '' : ` ${JSON.stringify(asOf)}`;
}
