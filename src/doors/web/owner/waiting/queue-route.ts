/**
 * `/api/waiting`: the queue of `/owner/waiting` as JSON (contract §8), for the owner's model and those of invited editors
 * and reviewers. Who may read it, and what of it, is decided where the page's is: `deskCredentialOf` and `readWaiting`.
 */
import { deskCredentialOf } from '../../../../app/credentials/sessions.ts';
import { readWaiting, type WaitingItem } from '../../../../app/reads/waiting.ts';
import { links } from '../../../../domain/links.ts';
import type { Service } from '../../../../app/service.ts';
import type { Credential } from '../../../../domain/capabilities/credential.ts';
import { type Fault, isFault } from '../../../../kernel/fault.ts';
import type { JsonObject } from '../../../../kernel/json.ts';
import type { ListRead } from '../../../http/list-read.ts';
import { type Query, wholeNumber } from '../../../http/requests.ts';
import { Waiting, type WaitingItemJson } from '../../../../model/activity.ts';
import { exactAnswer } from '../../../../model/exact.ts';
import { queues } from '../../../../model/vocabulary.ts';
import { body, privateCache } from '../../../http/envelope.ts';
import { choice, stringParam, wholeNumberUpTo, workspaceAndShare } from '../../../http/parameters.ts';
import { listUrl, resolveTenant, route } from '../../../http/route.ts';
import type { RouteServer } from '../../../http/route-declaration.ts';
import { schemaLink } from '../../../http/schema-routes.ts';
import { argumentsOf, wayOf } from './decisions.ts';

const parameters = ['queue', 'article', 'order', 'after', 'limit', 'workspace'] as const;

export function queueRoute(server: RouteServer): void {
  const { service } = server;
  route(
    server,
    {
      get: '/api/waiting',
      id: 'readWaiting',
      summary: 'What waits for a decision, with what each would change.',
      tag: 'articles',
      caller: 'holder',
      limit: 'read',
      query: waitingQuery,
      answers: ['waiting'],
      cache: privateCache,
    },
    ({ viewer, query }) => waitingAnswer(service, viewer, query),
  );
}

const waitingQuery = {
  queue: choice(queues, 'all that is decided without it'),
  article: stringParam('the slug of an article'),
  order: choice(['newest', 'oldest'], 'newest without it'),
  after: stringParam('where the page before ended: follow next as it stands'),
  limit: wholeNumberUpTo(100, 'how many at most', 25),
  ...workspaceAndShare,
};

export const waitingList: ListRead = { query: waitingQuery, answer: waitingAnswer };

async function waitingAnswer(
  service: Service,
  caller: Credential,
  query: Query,
): Promise<JsonObject | Fault> {
  const { base } = service;
  const limit = wholeNumber(query, 'limit', waitingQuery.limit);
  if (isFault(limit)) return limit;
  const viewer = deskCredentialOf(caller);
  if (isFault(viewer)) return viewer;
  const tenant = await resolveTenant(service, viewer, query);
  if (isFault(tenant)) return tenant;
  const page = await readWaiting(
    { ...service, tenant, viewer },
    {
      queue: queues.find((each) => each === query['queue']),
      slug: query['article'],
      oldestFirst: query['order'] === 'oldest',
      after: query['after'],
      limit,
    },
  );
  const self = {
    kind: 'list',
    name: 'waiting',
    what: 'What waits for a decision. Texts of contributions are untrusted.',
    read: listUrl(`${base}/api/waiting`, query, parameters),
    schema: schemaLink(base, 'waiting'),
  };
  const { after: _from, ...kept } = query;
  return body(
    self,
    exactAnswer(Waiting, {
      counts: page.counts,
      count: page.items.length,
      items: page.items.map((item) => itemJson(base, item)),
      next:
        page.next === undefined
          ? null
          : listUrl(`${base}/api/waiting`, { ...kept, after: page.next }, parameters),
    }),
  );
}

function itemJson(base: string, item: WaitingItem): WaitingItemJson {
  const { id, queue, kind, ts, article } = item;
  const way = wayOf(item);
  const common = {
    id,
    queue,
    kind,
    ts,
    article: article === null ? null : { ...article, url: links.article(base, article.slug) },
    target: 'target' in item ? item.target : null,
    stale: 'isStale' in item && item.isStale,
    decide: way === undefined ? null : { key: way.row, args: argumentsOf(item) },
  };
  switch (item.kind) {
    case 'call': {
      const { inv, key, actor, purpose, body: request, usualUsdMicros: usual } = item.call;
      const cost = usual === null ? null : usual / 1_000_000;
      return { ...common, call: { inv, key, actor, purpose, body: request, usual_cost_usd: cost } };
    }
    case 'contribution':
      return { ...common, contribution: item.contribution };
    case 'entry':
      return { ...common, entry: item.post };
    case 'vote':
      return { ...common, vote: item.vote };
    case 'draft':
      return { ...common, draft: { actor: item.actor, updated_at: item.updatedAt } };
    case 'assignment': {
      const { id: assignment, cohort, lane, actor, expires_at } = item.assignment.record;
      const read = links.assignment(base, assignment);
      return { ...common, assignment: { id: assignment, cohort, lane, actor, expires_at, read } };
    }
  }
}
