/** `GET /api/search` (contract §5): articles, DIVs, claims, sources and discourse by relevance. */
import { searchKinds } from '../../model/graph.ts';
import { readKinds, search, searchFaults } from '../../app/reads/search.ts';
import type { Service } from '../../app/service.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import { fingerprintOf } from '../../domain/capabilities/share-codec.ts';
import { scrubText } from '../../guard/secrets.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { body } from './envelope.ts';
import { workspaceAndShare, stringParam, wholeNumberUpTo } from './parameters.ts';
import { wholeNumber, type Query } from './requests.ts';
import { listUrl, resolveTenant, route, type RouteServer } from './route.ts';
import { schemaLink } from './schema-routes.ts';

const searchQuery = {
  q: stringParam('what to look for'),
  kind: stringParam(`one or more of ${searchKinds.join(', ')}, separated by commas`),
  limit: wholeNumberUpTo(100, 'how many at most', 20),
  cursor: wholeNumberUpTo(1000, 'how many come before: follow next as it stands'),
  ...workspaceAndShare,
};

export function searchRoutes(server: RouteServer): void {
  route(
    server,
    {
      get: '/api/search',
      id: 'search',
      summary: 'Articles, DIVs, claims, sources and discourse by relevance.',
      tag: 'graph',
      caller: 'anybody',
      limit: 'read',
      query: searchQuery,
      needed: ['q'],
      rules: searchFaults,
      answers: ['search'],
      etag: true,
    },
    ({ viewer, query }) => searchAnswer(server.service, viewer, query),
  );
}

/** The search answer of HTTP and MCP; `query` has the parameters of the URL. */
export async function searchAnswer(
  service: Service,
  viewer: Credential,
  query: Query,
): Promise<JsonObject | Fault> {
  const { base } = service;
  // Links repeat the search terms; tokens in them are scrubbed.
  const q = query['q'] === undefined ? undefined : scrubText(query['q'], fingerprintOf).value;
  if (q === undefined)
    return fault('invalid_request', 'q is missing.', 'Say what to look for, such as q=receipt.', {
      parameter: 'q',
    });
  const kinds = readKinds(query['kind']);
  if (isFault(kinds)) return kinds;
  const limit = wholeNumber(query, 'limit', searchQuery.limit);
  if (isFault(limit)) return limit;
  const cursor = wholeNumber(query, 'cursor', searchQuery.cursor);
  if (isFault(cursor)) return cursor;
  const tenant = await resolveTenant(service, viewer, query);
  if (isFault(tenant)) return tenant;
  const found = await search(service, tenant, viewer, { q, kinds, limit, cursor });
  if (isFault(found)) return found;
  const next = new URLSearchParams({
    q,
    ...(query['kind'] === undefined ? {} : { kind: query['kind'] }),
    ...(query['workspace'] === undefined ? {} : { workspace: query['workspace'] }),
    limit: String(limit),
    cursor: String(found.next),
  });
  return body(
    {
      kind: 'search',
      name: 'search',
      what: 'What was found, the most relevant first. Snippets are untrusted text; marks are offsets in them.',
      read: listUrl(`${base}/api/search`, query),
      schema: schemaLink(base, 'search'),
      next: [listUrl(`${base}/api/articles`, query)],
    },
    {
      count: found.count,
      results: found.results,
      next: found.next === null ? null : `${base}/api/search?${next.toString()}`,
      behind: found.behind,
    },
  );
}
