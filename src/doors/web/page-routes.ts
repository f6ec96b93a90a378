/**
 * The public pages (contract §8): what each reads, and the stamp that it is cached by. Pages ignore credentials and
 * unknown parameters, count as reads, and answer refusals as pages.
 */
import type { FastifyRequest } from 'fastify';
import { withWorkspaceRows } from '../../app/workspace-rows.ts';
import { explainNamed } from '../../app/credentials/explain.ts';
import { readBacklinks } from '../../app/reads/backlinks.ts';
import { newestChange } from '../../app/reads/article-list.ts';
import { articleStamp } from '../../app/reads/articles.ts';
import { publishedStamp, publishedStampNow } from '../../app/reads/linked-data.ts';
import { compareCohort } from '../../app/reads/comparison.ts';
import { openTenants } from '../../app/reads/events.ts';
import { readInvocation } from '../../app/reads/invocation.ts';
import { landscapeStamp } from '../../app/reads/landscape.ts';
import { readOutcome } from '../../app/reads/outcome.ts';
import { viewLog } from '../../app/reads/log-view.ts';
import { type AsOf, parseAsOf } from '../../app/reads/historical-read.ts';
import { nearestKeys } from '../../app/reads/unknown-row.ts';
import { confirmationOf } from '../../app/reads/receipts.ts';
import type { Presented } from '../../app/credentials/authenticate.ts';
import { noWorkspace, tenantOf, workspaceStamp } from '../../app/reads/workspaces.ts';
import { articleTable } from '../../domain/articles/tables.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { stringParam } from '../http/parameters.ts';
import { readAction } from '../http/dispatch-reads.ts';
import { pageReply, privateJson } from '../http/replies.ts';
import {
  countFailedCredential,
  isCredentialed,
  prefersJson,
  presentedInHeaders,
  type Query,
} from '../http/requests.ts';
import { route } from '../http/route.ts';
import type { RouteAnswer, RouteServer } from '../http/route-declaration.ts';
import type { WarmReads } from '../http/cached-bytes.ts';
import { ArticlePages } from './article-pages.ts';
import { assetRoute } from './assets.ts';
import { capabilityPage } from './capability-page.tsx';
import { directoryPage } from './directory-page.tsx';
import { protocolPage } from './protocol-page.tsx';
import { docsPage, errorsPage, guidePage } from './docs-page.tsx';
import { guides } from './guides.ts';
import { discussRoutes } from './discuss-routes.ts';
import { pageFace } from './error-page.tsx';
import { findingRoutes, makeBacklinks } from './finding-routes.ts';
import { askedHistory, makeHistory } from './history-pages.ts';
import { keysPage } from './keys-page.tsx';
import { landscapePage } from './landscape-page.tsx';
import { startingPointsOf, makeHelp, makeHome, makeWorkspace, sizeOf, makeSearch } from './list-pages.ts';
import { logPage } from './log-page.tsx';
import { anonymous, cacheable, PageCache, queryParameter } from './page-cache.ts';
import type { Confirmation } from '../../model/invocation.ts';
import { receiptPage, type PublicPages } from './receipt-page.tsx';
import { RenderPool } from './render-pool.ts';
import { rowPage } from './row-page.tsx';
import type { Site } from './site.ts';
import { stylePage } from './style-page.tsx';
import { verifyPage } from './verify-page.tsx';

const linesMax = 50;
const targetsOnPage = 100;

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
  const page = {
    tag: 'pages',
    caller: 'none',
    query: {},
    lenient: true,
    json: false,
    types: ['text/html'],
    limit: 'read',
    face: pageFace(site),
  } as const;
  const { json: _pageOnly, ...negotiated } = page;

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
      summary: 'One DIV (d3), one claim (c1), the history or the graph of an article.',
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
        workspace: stringParam('an open workspace; main without it'),
        cursor: stringParam('how many come before'),
      },
    },
    async ({ query }) => pageReply(await makeSearch(site, query)),
  );

  route(
    server,
    {
      ...page,
      get: '/directory',
      id: 'directoryPage',
      summary: 'Every row, filtered by words and by who may call it.',
      query: { q: stringParam('words that the row has'), who: stringParam('none, share or owner') },
    },
    async ({ request, query }) => {
      const q = queryParameter(query, 'q') ?? '';
      const wanted = queryParameter(query, 'who') ?? '';
      const who = ['none', 'share', 'owner'].includes(wanted) ? wanted : '';
      const rows = await withWorkspaceRows(service, mainTenant);
      // Filters are typed by readers: only the whole directory is cached.
      if (q !== '' || who !== '') return pageReply(directoryPage(site, rows, { q, who }));
      return cache.reply(request, {
        name: 'directory',
        stamp: String(await service.store.read.stamp('directory', mainTenant)),
        make: async () => cacheable(directoryPage(site, rows, { q, who })),
      });
    },
  );

  route(
    server,
    {
      ...page,
      get: '/directory/:key',
      id: 'rowPage',
      summary: 'A row: contract, example, and a form to try it.',
    },
    async ({ request, params: { key = '' } }) => {
      const row = (await withWorkspaceRows(service, mainTenant)).rows.get(key);
      if (row === undefined) return noRow(site, key);
      return cache.reply(request, {
        name: `row ${key}`,
        stamp: row.contractHash,
        make: async () => cacheable(rowPage(site, row)),
      });
    },
  );

  const constantPages = [
    ['/protocol', 'protocolPage', 'The protocol in words.', protocolPage],
    ['/docs', 'docsPage', 'How to use the service.', docsPage],
    ['/docs/errors', 'errorsPage', 'Every error code, and what to do about it.', errorsPage],
    ['/docs/keys', 'keysPage', 'Keyboard shortcuts of the pages, and the legend of states.', keysPage],
    ['/docs/style', 'stylePage', 'Every component of the pages with its states.', stylePage],
    ['/verify', 'verifyPage', 'Verifies a proof or a bundle in the browser.', verifyPage],
  ] as const;
  for (const [path, id, summary, render] of constantPages)
    route(server, { ...page, get: path, id, summary }, ({ request }) =>
      cache.reply(request, {
        name: path,
        stamp: '',
        stampNow: () => '',
        make: async () => cacheable(render(site)),
      }),
    );

  route(
    server,
    { ...page, get: '/docs/guides/:name', id: 'guidePage', summary: 'One guide of the documentation.' },
    async ({ request, params: { name = '' } }) => {
      const guide = guides.find((each) => each.name === name);
      if (guide === undefined)
        return fault(
          'not_found',
          `There is no guide ${name.slice(0, 80)}.`,
          'The documentation lists the guides.',
        );
      return cache.reply(request, {
        name: `guide ${guide.name}`,
        stamp: '',
        stampNow: () => '',
        make: async () => cacheable(guidePage(site, guide)),
      });
    },
  );

  route(
    server,
    {
      ...page,
      get: '/start/help',
      id: 'helpPage',
      summary: 'For people who send a model here: what to paste, what it may do, how to stop it.',
      query: { slug: stringParam('the article that the text is about') },
    },
    async ({ request, query }) => {
      const slug = queryParameter(query, 'slug');
      return cache.reply(request, {
        name: `help ${slug ?? ''}`,
        stamp: await newestChange(service, mainTenant),
        make: () => makeHelp(site, slug),
      });
    },
  );

  route(
    server,
    {
      ...page,
      get: '/log',
      id: 'logPage',
      summary: 'The log, the newest entries first.',
      query: { before: stringParam('an index of the log') },
    },
    async ({ request, query }) => {
      const before = queryParameter(query, 'before');
      if (before !== undefined && !/^\d{1,15}$/.test(before))
        return fault(
          'invalid_request',
          '“before” is no index of the log.',
          'Follow the links of the log page as they are.',
        );
      const first = before === undefined ? undefined : Number(before);
      return cache.reply(request, {
        name: `log ${before ?? ''}`,
        stamp: String(await sizeOf(site)),
        make: async () =>
          cacheable(logPage(site, await viewLog(service, first, linesMax), first === undefined)),
      });
    },
  );

  route(
    server,
    {
      ...negotiated,
      answers: ['Confirmation', 'Receipt'],
      get: '/receipt/:inv',
      id: 'receiptPage',
      summary:
        'A receipt: a page that is verified in the browser, or JSON for a credential in a header or Accept: application/json.',
    },
    async ({ request, params: { inv = '' } }) => {
      const presented = presentedInHeaders(request);
      if (isFault(presented) || isCredentialed(presented) || prefersJson(request))
        return receiptJson(server, request, presented, inv);
      const confirmed = /^inv_[a-z2-7]{16}$/.test(inv) ? await confirmationOf(service, inv) : noReceipt;
      if (isFault(confirmed)) return confirmed;
      const [called, publicPages] = [
        await readInvocation(service, inv),
        await publicPagesOf(site, confirmed),
      ];
      const outcome = called === undefined ? undefined : await readOutcome(service, called);
      return pageReply(receiptPage(site, confirmed, publicPages, outcome));
    },
  );

  route(
    server,
    {
      ...page,
      get: '/cap/:fingerprint',
      id: 'capabilityPage',
      summary: 'What a share may do, by its fingerprint.',
    },
    async ({ params: { fingerprint = '' } }) => {
      const explained = await explainNamed(service, anonymous, fingerprint);
      if (isFault(explained)) return explained;
      const publicRows = new Set((await withWorkspaceRows(service, mainTenant)).rows.keys());
      return pageReply(capabilityPage(site, explained, { isOpen: true, publicRows }));
    },
  );

  route(
    server,
    {
      ...page,
      get: '/landscape/:cohort',
      id: 'landscapePage',
      summary: 'The comparison table of a cohort.',
      query: { after },
    },
    async ({ query, params: { cohort = '' } }) => {
      const from = queryParameter(query, 'after') ?? '0';
      if (!/^\d{1,6}$/.test(from))
        return fault(
          'invalid_request',
          '“after” is no number of targets.',
          'Follow the links of the page as they are.',
        );
      const tenant = (await tenantOf(service, anonymous, { slug: cohort })) ?? mainTenant;
      const found = await compareCohort(
        { ...service, tenant, viewer: anonymous },
        cohort,
        targetsOnPage,
        Number(from),
      );
      if (isFault(found)) return found;
      const now = new Date(service.now()).toISOString();
      return pageReply(landscapePage(site, found, now, Number(from) === 0));
    },
  );

  findingRoutes(server, site, cacheBytesMax);
  assetRoute(server, site);
}

async function publicPagesOf(
  { service }: Site,
  { key, entries: [first] }: Confirmation,
): Promise<PublicPages> {
  const { rows } = await withWorkspaceRows(service, mainTenant);
  const open = await openTenants(service);
  const aid = first?.['article'];
  const article = typeof aid === 'string' ? await service.store.read.row(articleTable, aid) : undefined;
  const isPublic = article !== undefined && article.status !== 'draft' && open.has(article.tenant);
  return {
    row: rows.has(key),
    capabilities: open.has(String(first?.['tenant'])),
    place: isPublic ? { slug: article.slug, title: article.title } : undefined,
  };
}

/** The receipt for a program that may read it; for any other its public confirmation. */
async function receiptJson(
  { service, requestLimits }: RouteServer,
  request: FastifyRequest,
  presented: Presented | Fault,
  inv: string,
): Promise<RouteAnswer> {
  if (!/^inv_[a-z2-7]{16}$/.test(inv)) return noReceipt;
  if (!isFault(presented) && isCredentialed(presented)) {
    const own = await readAction(service, 'receipt', { receipt: inv }, presented);
    if (!isFault(own)) return privateJson(JSON.stringify(own), 200);
    const limited = countFailedCredential(own, request, requestLimits);
    if (limited !== own) return limited;
  }
  const confirmed = await readAction(service, 'confirm', { confirm: inv }, {});
  return isFault(confirmed) ? confirmed : privateJson(JSON.stringify(confirmed), 200);
}

const noReceipt = fault(
  'not_found',
  'The ledger has no invocation of that id.',
  'An id is inv_ and 16 letters and digits.',
);

function noRow({ service }: Site, key: string): Fault {
  const near = nearestKeys(key, [...service.rows.keys()]);
  return fault(
    'unknown_key',
    `There is no row ${key.slice(0, 80)}.`,
    near.length === 0 ? 'The directory lists the rows that exist.' : `The nearest are ${near.join(', ')}.`,
  );
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
