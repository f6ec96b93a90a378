/** `/api/articles/obsidian-vault` (spec §4.3): the vault as a manifest with every file, or as a ZIP. */
import { strToU8, zipSync, type Zippable } from 'fflate';
import { slugsFault, articlesMax, readVault, type Vault } from '../../app/reads/article-set.ts';
import { isFault } from '../../kernel/fault.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { body, publicCache } from './envelope.ts';
import { formatOf, workspaceAndShare, slugList } from './parameters.ts';
import { mediaReply } from './replies.ts';
import { route, type RouteServer } from './route.ts';
import { schemaLink } from './schema-routes.ts';

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
      caller: 'anybody',
      limit: 'read',
      tenant: 'slugs',
      query: { slugs: slugList, format: formatOf('json', 'zip'), ...workspaceAndShare },
      rules: ({ slugs }) => [slugsFault('slugs', slugs, articlesMax)],
      answers: ['obsidian-vault'],
      types: ['application/zip'],
      etag: true,
      cache: publicCache,
    },
    async ({ query, viewer, tenant }) => {
      const vault = await readVault(service, tenant, viewer, query['slugs']);
      if (isFault(vault)) return vault;
      if (query['format'] === 'zip')
        return mediaReply('application/zip', Buffer.from(zipped(vault)), {
          'content-disposition': 'attachment; filename="colophon-vault.zip"',
        });
      const self = {
        kind: 'vault',
        name: 'obsidian-vault',
        what: 'Articles, claims and sources as notes of an Obsidian vault.',
        read: `${base}/api/articles/obsidian-vault`,
        schema: schemaLink(base, 'obsidian-vault'),
      };
      return body(self, manifest(vault, base));
    },
  );
}

function manifest({ slugs, files }: Vault, base: string) {
  return {
    vault_version: 1,
    slugs,
    count: files.length,
    files: files.map(({ path, content }) => ({
      path,
      bytes: Buffer.byteLength(content),
      sha256: sha256Hex(content),
      content,
    })),
    zip: `${base}/api/articles/obsidian-vault?slugs=${slugs.join(',')}&format=zip`,
  };
}

/** A constant date, so that the same articles give the same bytes. */
const mtime = new Date(1980, 0, 1);

function zipped({ files }: Vault): Uint8Array {
  const entries: Zippable = {};
  for (const { path, content } of files) entries[path] = [strToU8(content), { mtime }];
  return zipSync(entries, { level: 1 });
}
