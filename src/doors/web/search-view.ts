/** What the search page shows (contract §8): what was asked, and what was found or why nothing could be. */
import { readKinds, search } from '../../app/reads/search.ts';
import { noWorkspace, tenantOf, workspacesOf } from '../../app/reads/workspaces.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import { fingerprintOf } from '../../domain/capabilities/share-codec.ts';
import { scrubText } from '../../guard/secrets.ts';
import { isFault } from '../../kernel/fault.ts';
import type { Query } from '../http/requests.ts';
import { unreadable } from '../http/route.ts';
import { anonymous } from './page-cache.ts';
import type { SearchView } from './search-page.tsx';
import type { Site } from './site.ts';

const resultsOnPage = 20;

/** What cannot be asked is said beside the form, which stays filled in. */
export async function viewSearch({ service }: Site, query: Query): Promise<SearchView> {
  const value = (name: string): string => {
    const given = query[name];
    // The page repeats what was asked, without a token that slipped in.
    return given === undefined || given === unreadable ? '' : scrubText(given, fingerprintOf).value;
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
