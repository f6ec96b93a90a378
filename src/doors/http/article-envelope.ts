/**
 * `_self` of article reads, and the article that they read: now or as of an earlier moment (contract §5). Shared by
 * HTTP and MCP.
 */
import { type AsOf, readAsOf, withAsOf } from '../../app/reads/historical-read.ts';
import type { ArticleAccess } from '../../app/reads/article-access.ts';
import type { ReadContext } from '../../app/read-context.ts';
import type { Service } from '../../app/service.ts';
import { links } from '../../domain/links.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Self } from './envelope.ts';
import type { Query } from './requests.ts';
import { schemaLink } from './schema-routes.ts';

export function selfOfArticle(service: Service, access: ArticleAccess) {
  const { base } = service;
  return {
    kind: 'article',
    name: access.slug,
    what: 'An article as a graph of claims, sources and hashed text blocks.',
    read: links.articleJson(base, access.slug),
    write: `${base}/api/protocol/voxel-batch`,
    schema: schemaLink(base, 'article'),
    next: ['masthead', 'voxels', 'claims', 'sources', 'provenance', 'mirror', 'discourse'].map((part) =>
      links.articlePart(base, access.slug, part),
    ),
  };
}

export function selfOfPart({ base }: Service, { slug }: ArticleAccess, part: string, query: Query) {
  return {
    kind: part,
    name: slug,
    what: `The ${part} of ${slug}.`,
    read: links.articlePart(base, slug, part),
    schema: schemaLink(base, schemaOfPart(part, query)),
    next: [links.articleJson(base, slug)],
  };
}

/** A part with two shapes has two schemas. */
function schemaOfPart(part: string, query: Readonly<Record<string, string>>): string {
  if (part === 'bundle' && query['format'] === 'slim') return 'bundle-slim';
  return part === 'revisions' && query['rev'] !== undefined ? 'revision' : part;
}

export interface ArticleAsOf {
  readonly context: ReadContext;
  readonly access: ArticleAccess;
  self(self: Self): Self;
  /** The same, with a next page of the same moment. */
  paged(read: JsonObject): JsonObject;
}

/** The article now, or as of the requested moment. */
export async function articleAsOf(
  service: Service,
  access: ArticleAccess,
  asOf: AsOf | undefined,
): Promise<ArticleAsOf | Fault> {
  if (asOf === undefined) return { context: service, access, self: (self) => self, paged: (read) => read };
  const historical = await readAsOf(service, access, asOf);
  if (isFault(historical)) return historical;
  return {
    context: historical.context,
    access: historical.access,
    self: (self) => ({
      ...self,
      what: `${self.what.replace(/\.$/, '')}, as it stood in revision ${historical.access.version}, ${historical.ts}.`,
      read: withAsOf(self.read ?? links.articleJson(service.base, access.slug), asOf),
    }),
    paged: (read) =>
      typeof read['next'] === 'string' ? { ...read, next: withAsOf(read['next'], asOf) } : read,
  };
}
