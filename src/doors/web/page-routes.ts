/**
 * The pages (contract §8), one route each: what is read for it, and the stamp that it is kept by. `page-door.ts`
 * says how they are asked for and answered.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { withRows } from '../../app/reads/current-rows.ts';
import { explainNamed } from '../../app/credentials/explain.ts';
import { newestChange } from '../../app/reads/article-list.ts';
import { articleStamp, articleStampNow, findArticle } from '../../app/reads/articles.ts';
import { compareCohort } from '../../app/reads/comparison.ts';
import { openTenants } from '../../app/reads/events.ts';
import { compareRevisions, findRevisions } from '../../app/reads/history-view.ts';
import { landscapeStamp } from '../../app/reads/landscape.ts';
import { viewLog } from '../../app/reads/log-view.ts';
import { askedOf, type Asked } from '../../app/reads/moment.ts';
import { confirmationOf } from '../../app/reads/receipts.ts';
import { noWorkspace, tenantOf, workspaceStamp } from '../../app/reads/workspaces.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { Intake } from '../http/intake.ts';
import type { WarmReads } from '../http/warm-reads.ts';
import { ArticlePages } from './article-pages.ts';
import { assetRoute } from './asset-route.ts';
import { capabilityPage, type Explained } from './capability-page.tsx';
import { directoryPage } from './directory-page.tsx';
import { docsPage, errorsPage } from './docs-page.tsx';
import { historyPage } from './history-page.tsx';
import { landscapePage } from './landscape-page.tsx';
import { beginningsOf, makeHome, makeWorkspace, sizeOf } from './list-pages.ts';
import { logPage } from './log-page.tsx';
import { noReceipt, noRow } from './missing.ts';
import { ownerRoutes } from './owner/owner-routes.ts';
import { kept } from './page-cache.ts';
import { anonymous, pageDoor, textOf } from './page-door.ts';
import { sendFresh } from './page-reply.ts';
import { proposeRoutes } from './propose-routes.ts';
import { protocolPage } from './protocol-page.tsx';
import { receiptPage, type Confirmation, type Openable } from './receipt-page.tsx';
import { RenderPool } from './render-pool.ts';
import { rowPage } from './row-page.tsx';
import { searchPage } from './search-page.tsx';
import { viewSearch } from './search-view.ts';
import type { Site } from './site.ts';
import { verifyPage } from './verify-page.tsx';

const linesMax = 50;
const targetsOnPage = 100;

type Params = Readonly<Record<string, string>>;

export function pageRoutes(
  app: FastifyInstance,
  site: Site,
  intake: Intake,
  cacheBytesMax: number,
  reads: WarmReads,
): void {
  const { service } = site;
  const pool = new RenderPool();
  const articles = new ArticlePages(site, pool);
  const { page, shared, fixed } = pageDoor(app, site, intake, cacheBytesMax, reads);
  app.addHook('onClose', () => pool.close());

  const beginnings = beginningsOf(site);
  shared('/', async (request) => {
    const after = textOf(request, 'after');
    return {
      name: `home ${after ?? ''}`,
      stamp: `${await sizeOf(site)} ${await newestChange(service, mainTenant)}`,
      make: () => makeHome(site, after, beginnings),
    };
  });
  shared('/a/:slug', async (request) => {
    const seen = await findArticle(service, (request.params as Params)['slug'] as string, anonymous);
    if (isFault(seen)) return seen;
    const asked = askedIn(request);
    if (isFault(asked)) return asked;
    return {
      name: `article ${seen.aid}${nameOf(asked)}`,
      stamp: await articleStamp(service, seen.aid),
      // An open workspace may close, which is no change of its articles: only main is known to stay open.
      ...(seen.tenant === mainTenant ? { stampNow: () => articleStampNow(service, seen.aid) } : {}),
      make: () => articles.article(seen, asked),
    };
  });
  shared('/a/:slug/:part', async (request) => {
    const { slug = '', part = '' } = request.params as Params;
    const seen = await findArticle(service, slug, anonymous);
    if (isFault(seen)) return seen;
    if (part === 'history') {
      const asked = { from: textOf(request, 'from'), to: textOf(request, 'to') };
      const found = await findRevisions(service, seen, asked);
      if (isFault(found)) return found;
      const { from, to } = found;
      return {
        name: `history ${seen.aid} ${from} ${to}`,
        stamp: await articleStamp(service, seen.aid),
        make: async () => {
          const view = await compareRevisions(service, seen, found);
          return isFault(view) ? view : kept(historyPage(site, view));
        },
      };
    }
    const asked = askedIn(request);
    if (isFault(asked)) return asked;
    return {
      name: `part ${seen.aid} ${part}${nameOf(asked)}`,
      stamp: await articleStamp(service, seen.aid),
      make: () => articles.part(seen, part, asked),
    };
  });
  shared('/workspace/:name', async (request) => {
    const { name = '' } = request.params as Params;
    const tenant = await tenantOf(service, anonymous, { workspace: name });
    if (tenant === undefined) return noWorkspace(name);
    const after = textOf(request, 'after');
    return {
      name: `workspace ${tenant} ${after ?? ''}`,
      stamp: `${await workspaceStamp(service)} ${await newestChange(service, tenant)} ${await landscapeStamp(service, tenant)}`,
      make: () => makeWorkspace(site, tenant, after),
    };
  });
  page('/search', async (request, reply) =>
    sendFresh(reply, searchPage(site, await viewSearch(site, request))),
  );
  shared('/directory', async () => ({
    name: 'directory',
    stamp: String(await service.store.read.stamp('directory', mainTenant)),
    make: async () => kept(directoryPage(site, await withRows(service, mainTenant))),
  }));
  shared('/directory/:key', async (request) => {
    const { key = '' } = request.params as Params;
    const row = (await withRows(service, mainTenant)).rows.get(key);
    if (row === undefined) return noRow(site, key);
    return { name: `row ${key}`, stamp: row.contractHash, make: async () => kept(rowPage(site, row)) };
  });
  fixed('/protocol', () => protocolPage(site));
  fixed('/docs', () => docsPage(site));
  fixed('/docs/errors', () => errorsPage(site));
  fixed('/verify', () => verifyPage(site));
  shared('/log', async (request) => {
    const before = textOf(request, 'before');
    if (before !== undefined && !/^\d{1,15}$/.test(before))
      return fault(
        'invalid_request',
        '“before” is no index of the log.',
        'Follow the links of the log page as they are.',
      );
    return {
      name: `log ${before ?? ''}`,
      stamp: String(await sizeOf(site)),
      make: async () =>
        kept(
          logPage(
            site,
            await viewLog(service, before === undefined ? undefined : Number(before), linesMax),
            before === undefined,
          ),
        ),
    };
  });
  page('/receipt/:inv', async (request, reply) => {
    const { inv = '' } = request.params as Params;
    const receipt = /^inv_[a-z2-7]{16}$/.test(inv) ? await confirmationOf(service, inv) : noReceipt();
    if (isFault(receipt)) return receipt;
    const confirmed = receipt as unknown as Confirmation;
    return sendFresh(reply, receiptPage(site, confirmed, await openableFrom(site, confirmed)));
  });
  page('/cap/:fingerprint', async (request, reply) => {
    const { fingerprint = '' } = request.params as Params;
    const told = await explainNamed(service, anonymous, fingerprint);
    if (isFault(told)) return told;
    const publicRows = new Set((await withRows(service, mainTenant)).rows.keys());
    return sendFresh(reply, capabilityPage(site, told as unknown as Explained, { isOpen: true, publicRows }));
  });
  page('/landscape/:cohort', async (request, reply) => {
    const { cohort = '' } = request.params as Params;
    const after = textOf(request, 'after') ?? '0';
    if (!/^\d{1,6}$/.test(after))
      return fault(
        'invalid_request',
        '“after” is no number of targets.',
        'Follow the links of the page as they are.',
      );
    const tenant = (await tenantOf(service, anonymous, { slug: cohort })) ?? mainTenant;
    const found = await compareCohort(service, tenant, anonymous, cohort, targetsOnPage, Number(after));
    if (isFault(found)) return found;
    const now = new Date(service.now()).toISOString();
    return sendFresh(reply, landscapePage(site, found, now, Number(after) === 0));
  });
  proposeRoutes(app, site, intake);
  ownerRoutes(app, site, intake);
  assetRoute(app, site);
}

async function openableFrom({ service }: Site, { key, entries: [first] }: Confirmation): Promise<Openable> {
  const { rows } = await withRows(service, mainTenant);
  return {
    row: rows.has(key),
    capabilities: (await openTenants(service)).has(String(first?.['tenant'])),
  };
}

/** The past that a page is asked for; what names none is refused rather than shown as today. */
function askedIn(request: FastifyRequest): Asked | Fault | undefined {
  const given = (name: string): string | undefined =>
    name in (request.query as object) ? (textOf(request, name) ?? '') : undefined;
  return askedOf({ rev: given('rev'), at: given('at') });
}

function nameOf(asked: Asked | undefined): string {
  return asked === undefined ? '' : ` ${JSON.stringify(asked)}`;
}
