/**
 * `/feed.xml` (Atom) and `/sitemap.xml` (contract §7), and `/api/articles/obsidian-vault` (spec §4.3), as a manifest
 * with every file or as a ZIP.
 */
import { newestChange } from '../../app/reads/article-list.ts';
import {
  feedEntries,
  feedFault,
  findFeedPage,
  listsPart,
  sitemapPart,
  wholeSitemap,
} from '../../app/reads/syndication.ts';
import { nameOfTenant } from '../../app/reads/workspaces.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import { links } from '../../domain/links.ts';
import { type Fault, invalidParameter, isFault } from '../../kernel/fault.ts';
import { atomFeed } from '../../represent/syndication.ts';
import { ByteCache } from './cached-bytes.ts';
import { body, publicCache } from './envelope.ts';
import {
  cursor as cursorTaken,
  formatOf,
  slugList,
  stringParam,
  workspace,
  workspaceAndShare,
} from './parameters.ts';
import { cachedBytes, mediaReply } from './replies.ts';
import { listUrl, route } from './route.ts';
import type { RouteServer } from './route-declaration.ts';
import { strToU8, type Zippable, zipSync } from 'fflate';
import { articlesMax, readVault, slugsFault } from '../../app/reads/article-set.ts';
import type { Answer } from '../../model/exact.ts';
import type { Vault } from '../../model/graph.ts';
import { schemaLink } from './schema-routes.ts';

const described = {
  tag: 'discovery',
  caller: 'none',
  limit: 'read',
  json: false,
  cache: publicCache,
} as const;

const atomType = 'application/atom+xml; charset=utf-8';
const mapType = 'application/xml; charset=utf-8';

function partFault(after = '0'): Fault | undefined {
  if (after === listsPart || /^(?:0|[a-z0-9-]{2,120})$/.test(after)) return undefined;
  return invalidParameter('after', '"after" is no slug.', 'Follow the addresses of the index as they stand.');
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
    async ({ query: { cursor }, reading, tenant }) => {
      const page = await findFeedPage(reading, cursor);
      if (isFault(page)) return page;
      const name = tenant === mainTenant ? undefined : await nameOfTenant(service, tenant);
      const at = (from: string | null | undefined): string => {
        const queryText = new URLSearchParams({
          ...(name === undefined ? {} : { workspace: name }),
          ...(from === undefined || from === null ? {} : { cursor: from }),
        }).toString();
        return `${base}/feed.xml${queryText === '' ? '' : `?${queryText}`}`;
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
      summary:
        'The pages of published articles, and those that list them by tag, series and time; an index where they are more than five thousand articles.',
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

export function vaultRoutes(server: RouteServer): void {
  const { service } = server;
  const { base } = service;
  route(
    server,
    {
      get: '/api/articles/obsidian-vault',
      id: 'readVault',
      summary: 'Articles, claims and sources as the notes of an Obsidian vault.',
      tag: 'articles',
      caller: 'optional',
      limit: 'read',
      tenant: 'slugs',
      query: { slugs: slugList, format: formatOf('json', 'zip'), ...workspaceAndShare },
      rules: ({ slugs }) => [slugsFault('slugs', slugs, articlesMax)],
      answers: ['obsidian-vault'],
      types: ['application/zip'],
      etag: true,
      cache: publicCache,
    },
    async ({ query, reading }) => {
      const vault = await readVault(reading, query['slugs']);
      if (isFault(vault)) return vault;
      if (query['format'] === 'zip')
        return mediaReply('application/zip', Buffer.from(zipped(vault)), {
          'content-disposition': 'attachment; filename="colophon-vault.zip"',
        });
      const self = {
        kind: 'vault',
        name: 'obsidian-vault',
        what: 'Articles, claims and sources as notes of an Obsidian vault.',
        read: listUrl(`${base}/api/articles/obsidian-vault`, query, ['slugs', 'workspace']),
        schema: schemaLink(base, 'obsidian-vault'),
      };
      return body(self, vault);
    },
  );
}

/** A constant date, so that the same articles give the same bytes. */
const mtime = new Date(1980, 0, 1);

function zipped({ files }: Answer<typeof Vault>): Uint8Array {
  const entries: Zippable = {};
  for (const { path, content } of files) entries[path] = [strToU8(content), { mtime }];
  return zipSync(entries, { level: 1 });
}
