/** `/feed.xml` (Atom) and `/sitemap.xml` (contract §7). */
import { newestChange } from '../../app/reads/article-list.ts';
import { feedEntries, feedFault, findFeedPage } from '../../app/reads/feed.ts';
import { sitemapPart, wholeSitemap } from '../../app/reads/sitemap.ts';
import { nameOfTenant } from '../../app/reads/workspaces.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import { links } from '../../domain/links.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { atomFeed } from '../../represent/feed.ts';
import { ByteCache } from './cached-bytes.ts';
import { publicCache } from './envelope.ts';
import { cursor as cursorTaken, stringParam, workspace } from './parameters.ts';
import { cachedBytes } from './replies.ts';
import { route, type RouteServer } from './route.ts';

const described = {
  tag: 'discovery',
  caller: 'nobody',
  limit: 'read',
  json: false,
  cache: publicCache,
} as const;

const atomType = 'application/atom+xml; charset=utf-8';
const mapType = 'application/xml; charset=utf-8';

function partFault(after = '0'): Fault | undefined {
  if (/^(?:0|[a-z0-9-]{2,120})$/.test(after)) return undefined;
  return fault('invalid_request', '"after" is no slug.', 'Follow the addresses of the index as they stand.', {
    parameter: 'after',
  });
}

export function syndicationRoutes(server: RouteServer, cacheBytesMax: number): void {
  const { service } = server;
  const { base, secrets } = service;
  const feeds = new ByteCache(cacheBytesMax);
  /** A cache of its own, so that reading all parts does not evict the index. */
  const wholes = new ByteCache(cacheBytesMax);
  const parts = new ByteCache(cacheBytesMax);
  // Ids in the feed use the name of the log, which never changes.
  const authority = secrets.signer.key.name.replace(/[:/].*$/, '');

  route(
    server,
    {
      ...described,
      get: '/feed.xml',
      id: 'readFeed',
      summary: 'Published articles by their last change, as an Atom feed of fifty entries a page.',
      query: { cursor: cursorTaken, workspace },
      rules: ({ cursor }) => [feedFault(cursor)],
      types: ['application/atom+xml'],
      tenant: true,
    },
    async ({ query: { cursor }, tenant }) => {
      const page = await findFeedPage(service, tenant, cursor);
      if (isFault(page)) return page;
      const name = tenant === mainTenant ? undefined : await nameOfTenant(service, tenant);
      const at = (from: string | null | undefined): string => {
        const asked = new URLSearchParams({
          ...(name === undefined ? {} : { workspace: name }),
          ...(from === undefined || from === null ? {} : { cursor: from }),
        }).toString();
        return `${base}/feed.xml${asked === '' ? '' : `?${asked}`}`;
      };
      const kept =
        feeds.get(`feed ${at(cursor)}`, page.stamp) ??
        (await feeds.set(
          `feed ${at(cursor)}`,
          page.stamp,
          atomFeed({
            title:
              name === undefined ? 'Colophon: what changed last' : `Colophon: what changed last in ${name}`,
            authority,
            home: name === undefined ? `${base}/` : links.workspacePage(base, name),
            first: at(undefined),
            self: at(cursor),
            next: page.next === null ? null : at(page.next),
            entries: await feedEntries(service, page.rows),
          }),
          atomType,
        ));
      return cachedBytes(feeds, kept);
    },
  );

  let lastChange = { stamp: '', until: 0 };
  /** The stamp of the site maps, refreshed so rarely that making them takes at most 1 % of the time. */
  const stampOf = async (): Promise<string> => {
    if (service.now() >= lastChange.until)
      lastChange = { stamp: await newestChange(service, mainTenant), until: 0 };
    return lastChange.stamp;
  };
  const making = new Map<string, Promise<string>>();
  const make = (name: string, after: string | undefined): Promise<string> => {
    const begun = service.now();
    const made =
      making.get(name) ?? (after === undefined ? wholeSitemap(service) : sitemapPart(service, after));
    making.set(name, made);
    return made.finally(() => {
      making.delete(name);
      lastChange = { ...lastChange, until: service.now() + (service.now() - begun) * 100 };
    });
  };

  route(
    server,
    {
      ...described,
      get: '/sitemap.xml',
      id: 'readSitemap',
      summary: 'The pages of published articles; an index where they are more than five thousand.',
      query: { after: stringParam('a slug: the part behind it, as the index names it') },
      rules: ({ after }) => [partFault(after)],
      types: ['application/xml'],
    },
    async ({ query: { after } }) => {
      const name = `map ${after ?? ''}`;
      const cache = after === undefined ? wholes : parts;
      const stamp = await stampOf();
      const kept = cache.get(name, stamp) ?? (await cache.set(name, stamp, await make(name, after), mapType));
      return cachedBytes(cache, kept);
    },
  );
}
