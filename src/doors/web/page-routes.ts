/**
 * The pages' door (contract §8): reads a request, asks the application, serves bytes. Pages show what anybody
 * may see and take no credential; those of published state are kept by stamp and shared by caches.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { listArticles, newestChange } from '../../app/reads/article-list.ts';
import { articleStamp, articleStampNow, findArticle } from '../../app/reads/articles.ts';
import { withRows } from '../../app/calls/current-rows.ts';
import { explainNamed } from '../../app/credentials/explain.ts';
import { compareCohort } from '../../app/reads/comparison.ts';
import { landscapeStamp, listCohorts } from '../../app/reads/landscape.ts';
import { compareRevisions, findRevisions } from '../../app/reads/history-view.ts';
import { openTenants } from '../../app/reads/events.ts';
import { viewLog } from '../../app/reads/log-view.ts';
import { askedOf, type Asked } from '../../app/reads/moment.ts';
import { confirmationOf } from '../../app/reads/receipts.ts';
import { workspaceRecord } from '../../app/reads/entry.ts';
import {
  noWorkspace,
  tenantOf,
  workspaceOf,
  workspacesOf,
  workspaceStamp,
} from '../../app/reads/workspaces.ts';
import { readKinds, search } from '../../app/reads/search.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { scrubText } from '../../guard/secrets.ts';
import { fingerprintOf } from '../../domain/capabilities/share-codec.ts';
import { badText } from '../../kernel/json.ts';
import { privateCache, publicCache } from '../http/envelope.ts';
import { readable } from '../http/declare.ts';
import type { WarmReads } from '../http/warm-reads.ts';
import type { Intake } from '../http/intake.ts';
import { ArticlePages } from './article-pages.ts';
import { assetRoute } from './asset-route.ts';
import { capabilityPage, type Explained } from './capability-page.tsx';
import { directoryPage } from './directory-page.tsx';
import { historyPage } from './history-page.tsx';
import { docsPage, errorsPage } from './docs-page.tsx';
import type { ListedArticle, ListedArticles } from './article-list.tsx';
import { homePage } from './home-page.tsx';
import { landscapePage } from './landscape-page.tsx';
import { workspacePage, type WorkspaceView } from './workspace-page.tsx';
import { logPage } from './log-page.tsx';
import { noReceipt, noRow } from './missing.ts';
import { ownerRoutes } from './owner/owner-routes.ts';
import { PageCache, type MadePage } from './page-cache.ts';
import { sendErrorPage, sendFresh, sendShared } from './page-reply.ts';
import { protocolPage } from './protocol-page.tsx';
import { pages } from './page-declared.ts';
import { receiptPage, type Confirmation, type Openable } from './receipt-page.tsx';
import { RenderPool } from './render-pool.ts';
import { rowPage } from './row-page.tsx';
import { searchPage, type SearchView } from './search-page.tsx';
import type { Site } from './site.ts';
import { verifyPage } from './verify-page.tsx';

const listedMax = 100;
const linesMax = 50;
const targetsOnPage = 100;

type Params = Readonly<Record<string, string>>;
type Answer = FastifyReply | Fault;

export function pageRoutes(
  app: FastifyInstance,
  site: Site,
  intake: Intake,
  cacheBytesMax: number,
  reads: WarmReads,
): void {
  const { service } = site;
  const cache = new PageCache(cacheBytesMax);
  const pool = new RenderPool();
  const articles = new ArticlePages(site, pool);
  app.addHook('onClose', () => pool.close());

  const page = (
    path: keyof typeof pages,
    answer: (request: FastifyRequest, reply: FastifyReply) => Promise<Answer>,
  ): void => {
    app.get(path, readable(pages[path]), async (request, reply) => {
      // A share has no business on a page; where one is sent all the same, it goes no further.
      if ('share' in (request.query as object))
        void reply.header('cache-control', privateCache).header('referrer-policy', 'no-referrer');
      const answered = intake.read(request) ?? (await answer(request, reply));
      return isFault(answered) ? sendErrorPage(reply, site, answered) : answered;
    });
  };
  /** A page by its stamp. */
  const shared = (
    path: keyof typeof pages,
    key: (request: FastifyRequest) => Promise<Shared | Fault>,
  ): void => {
    page(path, async (request, reply) => {
      const wanted = await key(request);
      if (isFault(wanted)) return wanted;
      const entry = await cache.get(wanted.name, wanted.stamp, wanted.make);
      if (isFault(entry)) return entry;
      const { name, stampNow } = wanted;
      if (stampNow !== undefined && !reply.hasHeader('cache-control'))
        reads.remember(request.url, { cache: cache.bytes, name, cacheControl: publicCache, stamp: stampNow });
      return sendShared(request, reply, cache.bytes, entry);
    });
  };
  /** A page that only another program can change. */
  const fixed = (path: keyof typeof pages, make: () => string): void => {
    shared(path, async () => ({ name: path, stamp: '', stampNow: () => '', make: async () => kept(make()) }));
  };

  shared('/', async (request) => {
    const after = textOf(request, 'after');
    return {
      name: `home ${after ?? ''}`,
      stamp: `${await sizeOf(site)} ${await newestChange(service, mainTenant)}`,
      make: () => makeHome(site, after),
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
    sendFresh(reply, searchPage(site, await makeSearch(site, request))),
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

interface Shared {
  readonly name: string;
  readonly stamp: string;
  /** The stamp, where it is known without asking the store. */
  stampNow?(): string | undefined;
  make(): Promise<MadePage | Fault>;
}

const anonymous = { kind: 'anonymous' } as const;

function kept(html: string): MadePage {
  return { html, keep: true };
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

/** One well-formed query parameter; repeated and empty ones count as absent. */
function textOf(request: FastifyRequest, name: string): string | undefined {
  const value = (request.query as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' &&
    value !== '' &&
    value.length <= 200 &&
    value.isWellFormed() &&
    !value.includes('\0')
    ? value
    : undefined;
}

/** Entries of the log: what changes with every write. */
async function sizeOf({ service }: Site): Promise<number> {
  return (await service.store.read.checkpoint())?.size ?? 0;
}

async function makeHome(site: Site, after: string | undefined): Promise<MadePage | Fault> {
  const listed = await listedOf(site, mainTenant, after);
  if (isFault(listed)) return listed;
  const workspaces = [...(await workspacesOf(site.service)).values()]
    .map(({ state }) => state)
    .filter(({ name, status }) => name !== mainTenant && status === 'open');
  return kept(homePage(site, { ...listed, workspaces, size: await sizeOf(site) }));
}

async function makeWorkspace(
  site: Site,
  tenant: string,
  after: string | undefined,
): Promise<MadePage | Fault> {
  const listed = await listedOf(site, tenant, after);
  if (isFault(listed)) return listed;
  const record = workspaceRecord(site.service, await workspaceOf(site.service, tenant));
  const { cohorts } = (await listCohorts(site.service, tenant)) as unknown as Pick<WorkspaceView, 'cohorts'>;
  return kept(
    workspacePage(site, {
      ...(record as unknown as WorkspaceView),
      ...listed,
      cohorts: cohorts.slice(0, listedMax),
    }),
  );
}

async function listedOf(
  { service }: Site,
  tenant: string,
  after: string | undefined,
): Promise<ListedArticles | Fault> {
  const asked = after === undefined ? {} : { cursor: after };
  const list = await listArticles(service, tenant, anonymous, listedMax, asked);
  if (isFault(list)) return list;
  return {
    articles: list['articles'] as unknown as readonly ListedArticle[],
    more: list['next'] !== null,
    continued: after !== undefined,
  };
}

const resultsOnPage = 20;

/** What cannot be asked is said beside the form, which stays filled in. */
async function makeSearch({ service }: Site, request: FastifyRequest): Promise<SearchView> {
  const value = (name: string): string => {
    const given = (request.query as Readonly<Record<string, unknown>>)[name];
    // What was asked stands on the page again: a token that slipped in does not.
    return typeof given === 'string' && badText(given) === undefined
      ? scrubText(given, fingerprintOf).value
      : '';
  };
  const q = value('q');
  const kinds = readKinds(value('kind') === '' ? undefined : value('kind'));
  const cursor = /^\d{1,3}$/.test(value('cursor')) ? Number(value('cursor')) : 0;
  const workspace = value('workspace') === '' ? mainTenant : value('workspace');
  const tenant = await tenantOf(service, anonymous, { workspace });
  const workspaces = [...(await workspacesOf(service)).values()]
    .map(({ state }) => state)
    .filter(({ name, status }) => name === mainTenant || status === 'open');
  const view = { q, kind: isFault(kinds) ? undefined : kinds?.[0], workspace, workspaces, cursor };
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
  const found = await search(service, tenant, anonymous, { q, kinds, limit: resultsOnPage, cursor });
  return { ...view, found: isFault(found) ? `${found.message} ${found.fix}` : found };
}
