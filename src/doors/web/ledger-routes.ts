/** The pages about what is on the ledger (contract §8): the log, receipts, shares and cohorts of the landscape. */
import type { FastifyRequest } from 'fastify';
import { withWorkspaceRows } from '../../app/workspace-rows.ts';
import { explainNamed } from '../../app/credentials/explain.ts';
import { compareCohort } from '../../app/reads/comparison.ts';
import { openTenants } from '../../app/reads/events.ts';
import { readInvocation } from '../../app/reads/invocation.ts';
import { readOutcome } from '../../app/reads/outcome.ts';
import { viewLog } from '../../app/reads/log-view.ts';
import { confirmationOf } from '../../app/reads/receipts.ts';
import { viewWitnesses, witnessStamp } from '../../app/reads/witness-view.ts';
import type { Presented } from '../../app/credentials/authenticate.ts';
import { tenantOf } from '../../app/reads/workspaces.ts';
import { articleTable } from '../../domain/articles/tables.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { stringParam } from '../http/parameters.ts';
import { readAction } from '../http/dispatch-reads.ts';
import { pageReply, privateJson } from '../http/replies.ts';
import { countFailedCredential, isCredentialed, prefersJson, presentedInHeaders } from '../http/requests.ts';
import { route } from '../http/route.ts';
import type { RouteAnswer, RouteServer } from '../http/route-declaration.ts';
import { capabilityPage } from './capability-page.tsx';
import { landscapePage } from './landscape-page.tsx';
import { sizeOf } from './list-pages.ts';
import { logPage } from './log-page.tsx';
import { anonymous, cacheable, PageCache, queryParameter } from './page-cache.ts';
import type { Confirmation } from '../../model/invocation.ts';
import { receiptPage, type PublicPages } from './receipt-page.tsx';
import type { Site } from './site.ts';
import { pageDeclaration } from './page-declaration.ts';

const linesMax = 50;
const targetsOnPage = 100;

export function ledgerRoutes(server: RouteServer, site: Site, cache: PageCache): void {
  const { service } = site;
  const page = pageDeclaration(site);
  const { json: _pageOnly, ...negotiated } = page;

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
      const alarms = await service.logAlarms.all();
      return cache.reply(request, {
        name: `log ${before ?? ''}`,
        stamp: `${await sizeOf(site)} ${sha256Hex(JSON.stringify(alarms))} ${witnessStamp(service)}`,
        make: async () => {
          const view = await viewLog(service, first, linesMax);
          const witnesses = viewWitnesses(service, view.checkpoint?.size ?? 0);
          return cacheable(logPage(site, view, { alarms, isNewest: first === undefined, witnesses }));
        },
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
      query: { after: stringParam('where the page before ended') },
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
