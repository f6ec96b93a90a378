/** `/api/articles/obsidian-vault` (spec §4.3): the vault as a manifest with every file, or as a ZIP. */
import type { FastifyInstance } from 'fastify';
import { strToU8, zipSync, type Zippable } from 'fflate';
import type { Service } from '../../app/service.ts';
import { slugsFault } from '../../app/reads/article-set.ts';
import { articlesMax, readVault, type Vault } from '../../app/reads/vault.ts';
import { isFault } from '../../kernel/fault.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { body, publicCache, sendProblem, sendTagged } from './envelope.ts';
import type { Intake } from './intake.ts';
import { declare, readable } from './declare.ts';
import { formatOf, place, slugList } from './parameters.ts';
import { readQuery } from './requests.ts';
import { schemaLink } from './schema-routes.ts';
import { placeOf, viewerOf } from './viewer.ts';

const vaultRead = declare({
  id: 'readVault',
  summary: 'Articles, claims and sources as the notes of an Obsidian vault.',
  tag: 'articles',
  caller: 'anybody',
  query: { slugs: slugList, format: formatOf('json', 'zip'), ...place },
  rules: ({ slugs }) => [slugsFault('slugs', slugs, articlesMax)],
  answers: ['obsidian-vault'],
  types: ['application/zip'],
});

export function vaultRoutes(app: FastifyInstance, service: Service, intake: Intake): void {
  const { base } = service;
  app.get('/api/articles/obsidian-vault', readable(vaultRead), async (request, reply) => {
    const query = readQuery(request, vaultRead);
    if (isFault(query)) return sendProblem(reply, request, base, query);
    const viewer = await viewerOf(service, request, reply, intake);
    if (isFault(viewer)) return sendProblem(reply, request, base, viewer);
    const tenant = await placeOf(service, viewer, query, query['slugs']);
    if (isFault(tenant)) return sendProblem(reply, request, base, tenant);
    const vault = await readVault(service, tenant, viewer, query['slugs']);
    if (isFault(vault)) return sendProblem(reply, request, base, vault);
    if (!reply.hasHeader('cache-control')) void reply.header('cache-control', publicCache);
    if (query['format'] === 'zip')
      return reply
        .header('content-type', 'application/zip')
        .header('content-disposition', 'attachment; filename="colophon-vault.zip"')
        .send(Buffer.from(zipped(vault)));
    const self = {
      kind: 'vault',
      name: 'obsidian-vault',
      what: 'Articles, claims and sources as notes of an Obsidian vault.',
      read: `${base}/api/articles/obsidian-vault`,
      schema: schemaLink(base, 'obsidian-vault'),
    };
    return sendTagged(request, reply, body(self, manifest(vault, base)));
  });
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

/** The same articles give the same bytes: every file bears the first date that the format knows. */
const mtime = new Date(1980, 0, 1);

function zipped({ files }: Vault): Uint8Array {
  const entries: Zippable = {};
  for (const { path, content } of files) entries[path] = [strToU8(content), { mtime }];
  return zipSync(entries, { level: 1 });
}
