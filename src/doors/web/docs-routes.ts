/** The pages that explain the service (contract §8): directory and rows, protocol, documentation, guides, help. */
import { withWorkspaceRows } from '../../app/workspace-rows.ts';
import { newestChange } from '../../app/reads/article-list.ts';
import { nearestKeys } from '../../app/reads/unknown-row.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import { fault, type Fault } from '../../kernel/fault.ts';
import { stringParam } from '../http/parameters.ts';
import { pageReply } from '../http/replies.ts';
import { route } from '../http/route.ts';
import type { RouteServer } from '../http/route-declaration.ts';
import { directoryPage } from './directory-page.tsx';
import { protocolPage } from './protocol-page.tsx';
import { docsPage, errorsPage, guidePage } from './docs-page.tsx';
import { guides } from './guides.ts';
import { keysPage } from './keys-page.tsx';
import { makeHelp } from './list-pages.ts';
import { cacheable, PageCache, queryParameter } from './page-cache.ts';
import { rowPage } from './row-page.tsx';
import type { Site } from './site.ts';
import { stylePage } from './style-page.tsx';
import { verifyPage } from './verify-page.tsx';
import { pageDeclaration } from './page-declaration.ts';

export function docsRoutes(server: RouteServer, site: Site, cache: PageCache): void {
  const { service } = site;
  const page = pageDeclaration(site);

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
        make: async () => cacheable(await render(site)),
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
}

function noRow({ service }: Site, key: string): Fault {
  const near = nearestKeys(key, [...service.rows.keys()]);
  return fault(
    'unknown_key',
    `There is no row ${key.slice(0, 80)}.`,
    near.length === 0 ? 'The directory lists the rows that exist.' : `The nearest are ${near.join(', ')}.`,
  );
}
