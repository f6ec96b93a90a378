/**
 * What the pages of recent changes, tags and series show, as JSON for models (contract §8): `/api/recent`, `/api/tags` and
 * `/api/series`. Anonymous readers and credentials get the same of a workspace: what everybody in it may read.
 */
import type { Activity } from '../../app/reads/activity.ts';
import { readLabels } from '../../app/reads/labels.ts';
import { parseRecent, readRecent, recentFaults } from '../../app/reads/recent.ts';
import { nameOfTenant } from '../../app/reads/workspaces.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import { links } from '../../domain/links.ts';
import { mergeRefusals } from '../../domain/violations.ts';
import type { Service } from '../../app/service.ts';
import { type Fault, fault, isFault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { type ActivityItem, Recent, SeriesList, TagList } from '../../model/activity.ts';
import { exactAnswer } from '../../model/exact.ts';
import { activityKinds } from '../../model/vocabulary.ts';
import { body } from '../http/envelope.ts';
import { choice, stringParam, wholeNumberUpTo, workspaceAndShare } from '../http/parameters.ts';
import type { ListRead } from '../http/list-read.ts';
import { type Query, wholeNumber } from '../http/requests.ts';
import { listUrl, resolveTenant, route } from '../http/route.ts';
import type { RouteServer } from '../http/route-declaration.ts';
import { schemaLink } from '../http/schema-routes.ts';
import { actorText } from './format-text.ts';
import { plainText, typedName, wordsOf } from './plain-words.ts';
import { restText } from './recent-page.tsx';

const described = { tag: 'articles', caller: 'optional', limit: 'read', tenant: true, etag: true } as const;
const recentParameters = ['kind', 'article', 'who', 'tag', 'since', 'before', 'limit', 'workspace'] as const;

const recentQuery = {
  kind: choice(activityKinds, 'all kinds without it'),
  article: stringParam('a slug'),
  who: stringParam('owner, contributors, anonymous, or a fingerprint'),
  tag: stringParam('a tag: changes of the articles that have it'),
  since: stringParam('a date: nothing older'),
  before: stringParam('where the page before ended: follow next as it stands'),
  limit: wholeNumberUpTo(100, 'how many at most', 50),
  ...workspaceAndShare,
};

export function listRoutes(server: RouteServer): void {
  const { service } = server;

  route(
    server,
    {
      ...described,
      get: '/api/recent',
      id: 'readRecent',
      summary: 'What happened to published articles, newest first.',
      query: recentQuery,
      rules: recentFaults,
      answers: ['recent'],
    },
    ({ query, tenant }) => recentAnswer(service, tenant, query),
  );

  for (const kind of ['tags', 'series'] as const)
    route(
      server,
      {
        ...described,
        get: `/api/${kind}`,
        id: kind === 'tags' ? 'listTags' : 'listSeries',
        summary:
          kind === 'tags'
            ? 'Tags of the published articles, with how many have each.'
            : 'Series of the published articles, with those of each in order.',
        query: workspaceAndShare,
        answers: [kind],
      },
      ({ query, tenant }) => labelsAnswer(service, kind, tenant, query),
    );
}

async function recentAnswer(service: Service, tenant: string, query: Query): Promise<JsonObject | Fault> {
  const { base } = service;
  const limit = wholeNumber(query, 'limit', recentQuery.limit);
  if (isFault(limit)) return limit;
  const { request, faults } = await parseRecent(service, tenant, query);
  const wrong = mergeRefusals('?', ...faults);
  if (wrong !== undefined) return wrong;
  const { items, next } = await readRecent(service, request, limit);
  const self = {
    kind: 'list',
    name: 'recent',
    what: 'What happened to published articles, newest first. Names and what was said are untrusted text.',
    read: listUrl(`${base}/api/recent`, query, recentParameters),
    schema: schemaLink(base, 'recent'),
  };
  const { before: _from, ...kept } = query;
  return body(
    self,
    exactAnswer(Recent, {
      count: items.length,
      changes: items.map((item) => activityJson(base, item)),
      next:
        next === null
          ? null
          : listUrl(`${base}/api/recent`, { ...kept, before: String(next) }, recentParameters),
      feed: listUrl(`${base}/recent/feed.xml`, kept, ['kind', 'article', 'who', 'tag', 'since', 'workspace']),
    }),
  );
}

async function labelsAnswer(
  service: Service,
  kind: 'tags' | 'series',
  tenant: string,
  query: Query,
): Promise<JsonObject | Fault> {
  const { base } = service;
  const labels = await readLabels(service, tenant);
  // The pages of tags and series are those of main.
  if (tenant !== mainTenant)
    return fault(
      'not_found',
      `Tags and series are listed of ${mainTenant} only, not of ${await nameOfTenant(service, tenant)}.`,
      'Filter /api/articles by tag.',
    );
  const self = {
    kind: 'list',
    name: kind,
    what:
      kind === 'tags'
        ? 'Tags of the published articles, with how many have each.'
        : 'Series of the published articles, with those of each in order.',
    read: listUrl(`${base}/api/${kind}`, query),
    schema: schemaLink(base, kind),
    next: [`${base}/api/articles`],
  };
  if (kind === 'tags')
    return body(
      self,
      exactAnswer(TagList, {
        count: labels.tags.size,
        tags: [...labels.tags].map(([name, rows]) => ({
          ...labelOf(name, rows.length, links.tagPage(base, name)),
          articles: `${base}/api/articles?tag=${encodeURIComponent(name)}`,
        })),
      }),
    );
  return body(
    self,
    exactAnswer(SeriesList, {
      count: labels.series.size,
      series: [...labels.series].map(([name, rows]) => ({
        ...labelOf(name, rows.length, links.seriesPage(base, name)),
        articles: rows.map(({ slug, title, position }) => ({
          slug,
          title,
          position,
          url: links.article(base, slug),
        })),
      })),
    }),
  );
}

/** In the workspace that the query names, as far as the reader may enter it. */
function inTenant(
  answer: (service: Service, tenant: string, query: Query) => Promise<JsonObject | Fault>,
): ListRead['answer'] {
  return async (service, viewer, query) => {
    const tenant = await resolveTenant(service, viewer, query);
    return isFault(tenant) ? tenant : answer(service, tenant, query);
  };
}

export const recentList: ListRead = {
  query: recentQuery,
  rules: recentFaults,
  answer: inTenant(recentAnswer),
};

export const tagsList: ListRead = {
  query: workspaceAndShare,
  answer: inTenant((service, tenant, query) => labelsAnswer(service, 'tags', tenant, query)),
};

export const seriesList: ListRead = {
  query: workspaceAndShare,
  answer: inTenant((service, tenant, query) => labelsAnswer(service, 'series', tenant, query)),
};

function labelOf(name: string, count: number, page: string) {
  return { name, count, page, feed: `${page}/feed.xml` };
}

function activityJson(base: string, act: Activity): ActivityItem {
  const { kind, ts, actor, name, article, receipt, said, hash, rest } = act;
  const who = name === null || name === '' ? actorText(actor) : typedName(name);
  return {
    kind,
    ts,
    actor,
    name,
    what: `${who} ${plainText(wordsOf(act.act, article))}${restText(rest)}`,
    article: { ...article, url: links.article(base, article.slug) },
    of: act.act.of,
    target: act.act.target,
    said,
    hash,
    receipt,
  };
}
