/** Makes the pages that list articles (contract §8): the site's front and a workspace's. */
import { listArticles, newestChange } from '../../app/reads/article-list.ts';
import { workspaceRecord } from '../../app/reads/entry.ts';
import { listCohorts } from '../../app/reads/landscape.ts';
import { workspaceOf, workspacesOf } from '../../app/reads/workspaces.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import type { ListedArticle, ListedArticles } from './article-list.tsx';
import { homePage } from './home-page.tsx';
import { anonymous, cacheable, type MadePage } from './page-cache.ts';
import type { Site } from './site.ts';
import { workspacePage, type WorkspaceView } from './workspace-page.tsx';

const listedMax = 100;

/** What the owner marked as places to begin (`home`): looked for again when an article has changed, and not before. */
export type Beginnings = () => Promise<readonly ListedArticle[]>;

const beginningsMax = 5;

export function beginningsOf({ service }: Site): Beginnings {
  let known: { readonly stamp: string; readonly articles: readonly ListedArticle[] } | undefined;
  return async () => {
    const stamp = await newestChange(service, mainTenant);
    if (known?.stamp === stamp) return known.articles;
    const list = await listArticles(service, mainTenant, anonymous, beginningsMax, { home: '1' });
    const articles = isFault(list) ? [] : (list['articles'] as unknown as readonly ListedArticle[]);
    known = { stamp, articles };
    return articles;
  };
}

export async function makeHome(
  site: Site,
  after: string | undefined,
  beginnings: Beginnings,
): Promise<MadePage | Fault> {
  const listed = await listedOf(site, mainTenant, after);
  if (isFault(listed)) return listed;
  const workspaces = [...(await workspacesOf(site.service)).values()]
    .map(({ state }) => state)
    .filter(({ name, status }) => name !== mainTenant && status === 'open');
  const begin = listed.continued ? [] : await beginnings();
  return cacheable(homePage(site, { ...listed, begin, workspaces, size: await sizeOf(site) }));
}

export async function makeWorkspace(
  site: Site,
  tenant: string,
  after: string | undefined,
): Promise<MadePage | Fault> {
  const listed = await listedOf(site, tenant, after);
  if (isFault(listed)) return listed;
  const record = workspaceRecord(site.service, await workspaceOf(site.service, tenant));
  const { cohorts } = (await listCohorts(site.service, tenant)) as unknown as Pick<WorkspaceView, 'cohorts'>;
  return cacheable(
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

/** Entries of the log: what changes with every write. */
export async function sizeOf({ service }: Site): Promise<number> {
  return (await service.store.read.checkpoint())?.size ?? 0;
}
