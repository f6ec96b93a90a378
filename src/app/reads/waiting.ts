/**
 * What waits at the desk (contract §8): a page of the queues with what each decision would change, the newest or oldest
 * first, of one article where the viewer asks for it. It reads as many rows as the page shows, however many wait.
 */
import { actorOf } from '../../domain/capabilities/credential.ts';
import { articleTable, claimTable, divTable, slugPath, slugTable } from '../../domain/articles/tables.ts';
import { invocationTable } from '../../domain/capabilities/tables.ts';
import { objectOf } from '../../domain/capabilities/invocation.ts';
import { isOpen, postTable, voteTable, type PostRow } from '../../domain/discourse/thread.ts';
import { assignmentTable, type AssignmentRow } from '../../domain/landscape/tables.ts';
import { contributionTable } from '../../domain/mirror/tables.ts';
import { isStale } from '../../domain/mirror/resolution.ts';
import { placeOfQueue, waitingTable, type WaitingRow } from '../../domain/waiting/queue.ts';
import type { Condition } from '../../engine/store.ts';
import { type ArticleStatus, queues, type Queue } from '../../model/vocabulary.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import type { Claim } from '../../model/claim.ts';
import type { Contribution } from '../../model/contribution.ts';
import type { Vote } from '../../model/discourse.ts';
import type { CallerContext } from '../read-context.ts';
import { maySeeDraft } from './article-access.ts';
import { callMetadataOf, readInvocation, visibleValue, type Invocation } from './invocation.ts';

export interface WaitingQuery {
  /** One queue; all queues that need a decision if absent. */
  readonly queue?: Queue | undefined;
  /** Of this article only. */
  readonly slug?: string | undefined;
  /** Of this kind only: of contribution, stance, proposal or lane, or the key of a row. */
  readonly kind?: string | undefined;
  /** Of this person only, by the name as it was typed, or a fingerprint. */
  readonly name?: string | undefined;
  /** From this time on, or before it. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly oldestFirst?: boolean;
  /** A `next` of the page before. */
  readonly after?: string | undefined;
  readonly limit: number;
}

export interface WaitingPage {
  readonly items: readonly WaitingItem[];
  /** Behind the last item; undefined at the end. */
  readonly next: string | undefined;
  readonly counts: Readonly<Record<Queue, number>>;
  /** What the queues that are looked at have, the most frequent first. */
  readonly facets: WaitingFacets;
}

export interface WaitingFacets {
  readonly articles: readonly (Facet & { readonly title: string })[];
  readonly kinds: readonly Facet[];
  readonly names: readonly Facet[];
  /** How many items match the query, and whether only the first so many were counted. */
  readonly matching: number;
  readonly isPartial: boolean;
}

export interface Facet {
  readonly value: string;
  readonly count: number;
}

/** Queues whose items are decided; the others tell of work under way. */
export const decisionQueues = ['calls', 'wording', 'sources', 'questions', 'objections', 'votes'] as const;

interface Common {
  /** Unlike every other's on the page. */
  readonly id: string;
  readonly queue: Queue;
  readonly ts: string;
  /** Null where the item is about no article. */
  readonly article: { readonly slug: string; readonly title: string; readonly status: ArticleStatus } | null;
}

/** The claim or block that an item is about, as it reads now. */
export interface Target {
  readonly id: string;
  readonly text: string;
  readonly hash: string;
}

export type WaitingItem = Common &
  (
    | { readonly kind: 'call'; readonly call: WaitingCall }
    | {
        readonly kind: 'contribution';
        readonly contribution: Contribution;
        readonly target: Target | null;
        /** The claim reads otherwise than when the wording was proposed. */
        readonly isStale: boolean;
      }
    | {
        readonly kind: 'entry';
        readonly post: PostRow['post'];
        readonly target: Target | null;
        readonly isStale: boolean;
      }
    | { readonly kind: 'vote'; readonly vote: Vote; readonly target: Target | null }
    | { readonly kind: 'draft'; readonly actor: string; readonly updatedAt: string }
    | { readonly kind: 'assignment'; readonly assignment: AssignmentRow }
  );

export interface WaitingCall {
  readonly inv: string;
  readonly key: string;
  readonly actor: string;
  readonly purpose: string | null;
  /** The recorded body; null if scrubbed. */
  readonly body: JsonValue;
  /** What calls of the same row cost lately, in millionths of a dollar; null where none had a price. */
  readonly usualUsdMicros: number | null;
}

export async function readWaiting(context: CallerContext, query: WaitingQuery): Promise<WaitingPage> {
  const { read, tenant, viewer } = context;
  const isOwner = viewer.kind === 'owner';
  // Others see the calls and assignments that are their own.
  const isOwn = !isOwner && (query.queue === 'calls' || query.queue === 'assignments');
  const all = isOwner ? decisionQueues : decisionQueues.filter((queue) => queue !== 'calls');
  const chosen: readonly Queue[] = query.queue === undefined ? all : [query.queue];
  const aid = query.slug === undefined ? undefined : await articleOf(context, query.slug);
  const counts = await countAll(context);
  const ids = chosen.map((queue) => placeOfQueue(tenant, queue));
  const own: Condition[] = isOwn ? [{ column: 'actor', op: '=', value: actorOf(viewer) }] : [];
  const where = [...own, ...conditionsOf(query, aid)];
  const facets = await facetsOf(context, ids, own, where);
  if (aid === null) return { items: [], next: undefined, counts, facets: { ...facets, matching: 0 } };
  const rows = await read.select(waitingTable, {
    ids,
    where,
    order: 'seq',
    reverse: query.oldestFirst !== true,
    after: cursorOf(tenant, query.after),
    limit: query.limit + 1,
  });
  const shown = rows.slice(0, query.limit);
  const items = await Promise.all(shown.map((row) => itemOf(context, row)));
  const last = rows.length > query.limit ? shown.at(-1) : undefined;
  return {
    items: items.filter((item) => item !== undefined),
    next: last === undefined ? undefined : `${last.seq}.${queueOf(last)}.${last.id}`,
    counts,
    facets,
  };
}

function conditionsOf({ kind, name, since, until }: WaitingQuery, aid?: string | null): Condition[] {
  return [
    ...(aid == null ? [] : [{ column: 'aid', op: '=' as const, value: aid }]),
    ...(kind === undefined ? [] : [{ column: 'kind', op: '=' as const, value: kind }]),
    ...(name === undefined ? [] : [{ column: 'name', op: '=' as const, value: name }]),
    ...(since === undefined ? [] : [{ column: 'ts', op: '>=' as const, value: since }]),
    ...(until === undefined ? [] : [{ column: 'ts', op: '<' as const, value: until }]),
  ];
}

/** Rows that facets are counted in, and the most values of one. */
const countedMax = 2000;
const facetMax = 50;

/** What can be filtered by, whatever is filtered by now. Rows are small: two thousand of them are read in milliseconds. */
async function facetsOf(
  { read, viewer, tenant }: CallerContext,
  ids: readonly string[],
  own: readonly Condition[],
  where: readonly Condition[],
): Promise<WaitingFacets> {
  const rowsWhere = (conditions: readonly Condition[]) =>
    read.select(waitingTable, { ids, where: conditions, order: 'seq', reverse: true, limit: countedMax });
  const rows = await rowsWhere(own);
  const matching = where.length === own.length ? rows : await rowsWhere(where);
  const isDrafts = ids.includes(placeOfQueue(tenant, 'drafts'));
  const count = (value: (row: WaitingRow) => string): Facet[] => {
    const counts = new Map<string, number>();
    for (const row of rows) counts.set(value(row), (counts.get(value(row)) ?? 0) + 1);
    counts.delete('');
    const facets = [...counts].map(([each, n]) => ({ value: each, count: n }));
    return facets.toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1)).slice(0, facetMax);
  };
  const articles = await Promise.all(
    count(({ aid }) => aid).map(async ({ value, count: n }) => {
      const article = await read.row(articleTable, value);
      const isHidden = article?.status === 'draft' && !maySeeDraft(viewer, tenant, article.slug);
      return article === undefined || isHidden
        ? []
        : [{ value: article.slug, title: article.title, count: n }];
    }),
  );
  return {
    articles: articles.flat(),
    kinds: count(({ kind }) => kind),
    // Of the drafts of others only the owner learns who writes them.
    names: viewer.kind === 'owner' || own.length > 0 || !isDrafts ? count(({ name }) => name) : [],
    matching: matching.length,
    isPartial: matching.length === countedMax,
  };
}

/** One item by its queue and id; undefined once it is decided, or where the viewer may not see it. */
export async function readWaitingItem(
  context: CallerContext,
  queue: string,
  id: string,
): Promise<WaitingItem | undefined> {
  if (!queues.some((each) => each === queue)) return undefined;
  const [row] = await context.read.select(waitingTable, {
    ids: [placeOfQueue(context.tenant, queue as Queue)],
    where: [{ column: 'id', op: '=', value: id }],
    order: 'seq',
    limit: 1,
  });
  return row === undefined ? undefined : itemOf(context, row);
}

/** Null where the workspace has no such article. */
async function articleOf({ read, tenant }: CallerContext, slug: string): Promise<string | null> {
  if (!/^[a-z0-9-]{2,120}$/.test(slug)) return null;
  return (await read.row(slugTable, slugPath(tenant, slug)))?.aid ?? null;
}

/** How many wait in each queue; of the calls and assignments of others only the owner learns. */
async function countAll({ read, tenant, viewer }: CallerContext): Promise<Record<Queue, number>> {
  const counted = await Promise.all(
    queues.map(async (queue) => {
      const place = placeOfQueue(tenant, queue);
      if (viewer.kind === 'owner' || (queue !== 'calls' && queue !== 'assignments' && queue !== 'drafts'))
        return [queue, await read.count(waitingTable, place)] as const;
      if (queue === 'drafts') return [queue, 0] as const;
      const own = await read.select(waitingTable, {
        ids: [place],
        where: [{ column: 'actor', op: '=', value: actorOf(viewer) }],
        order: 'seq',
        limit: ownMax,
      });
      return [queue, own.length] as const;
    }),
  );
  return Object.fromEntries(counted) as Record<Queue, number>;
}

/** A credential has at most 20 open proposals and 3 leases. */
const ownMax = 100;

function cursorOf(tenant: string, after: string | undefined): readonly [number, string, string] | undefined {
  const [, seq = '', queue = '', id = ''] = /^(\d{1,15})\.([a-z]+)\.(\w+)$/.exec(after ?? '') ?? [];
  if (seq === '' || !queues.some((each) => each === queue)) return undefined;
  return [Number(seq), placeOfQueue(tenant, queue as Queue), id];
}

function queueOf({ place }: WaitingRow): Queue {
  return place.slice(place.lastIndexOf('/') + 1) as Queue;
}

async function itemOf(context: CallerContext, row: WaitingRow): Promise<WaitingItem | undefined> {
  const { read, viewer, tenant } = context;
  const { aid, id, n } = row;
  const queue = queueOf(row);
  const found = aid === '' ? undefined : await read.row(articleTable, aid);
  if (found?.status === 'draft' && !maySeeDraft(viewer, tenant, found.slug)) return undefined;
  const article = found === undefined ? null : { slug: found.slug, title: found.title, status: found.status };
  const common = { id, queue, article };
  switch (queue) {
    case 'calls': {
      if (viewer.kind !== 'owner' && row.actor !== actorOf(viewer)) return undefined;
      const called = await readInvocation(context, id);
      if (called === undefined) return undefined;
      return { ...common, kind: 'call', ts: called.startedAt, call: await callOf(context, called) };
    }
    case 'wording':
    case 'sources':
    case 'questions':
    case 'objections': {
      if (id.startsWith('dx_')) {
        const entry = await read.row(postTable, aid, n);
        if (entry === undefined || !isOpen(entry)) return undefined;
        const { post } = entry;
        const target = await targetOf(context, aid, post.target);
        const changed = post.target !== '' && post.target_hash !== null && target?.hash !== post.target_hash;
        return { ...common, kind: 'entry', ts: post.ts, post, target, isStale: changed };
      }
      const [contributed] = await read.list(contributionTable, aid, { after: n - 1, limit: 1 });
      if (contributed === undefined) return undefined;
      const { contribution } = contributed;
      const claim = await claimOf(context, aid, contribution.claim_id);
      const claims = new Map(claim === undefined ? [] : [[contribution.claim_id, claim]]);
      const stale = isStale(contributed, undefined, claims);
      const target = claim === undefined ? null : targetFrom(claim.claim);
      return {
        ...common,
        kind: 'contribution',
        ts: contribution.ts,
        contribution,
        target,
        isStale: stale,
      };
    }
    case 'votes': {
      const voted = await read.row(voteTable, aid, id);
      if (voted?.status !== 'open') return undefined;
      const target = await targetOf(context, aid, voted.vote.target);
      return { ...common, kind: 'vote', ts: voted.vote.ts, vote: voted.vote, target };
    }
    case 'drafts': {
      if (found?.status !== 'draft') return undefined;
      return {
        ...common,
        kind: 'draft',
        ts: found.created_at,
        actor: row.actor,
        updatedAt: found.updated_at,
      };
    }
    case 'assignments': {
      const assignment = await read.row(assignmentTable, id);
      if (assignment === undefined) return undefined;
      if (viewer.kind !== 'owner' && row.actor !== actorOf(viewer)) return undefined;
      return { ...common, kind: 'assignment', ts: assignment.record.leased_at, assignment };
    }
  }
}

async function claimOf({ read }: CallerContext, aid: string, id: string) {
  return id === '' ? undefined : read.row(claimTable, aid, id);
}

function targetFrom({ id, text, hash }: Claim): Target {
  return { id, text, hash };
}

async function targetOf(context: CallerContext, aid: string, id: string): Promise<Target | null> {
  if (/^c\d+$/.test(id)) {
    const claim = await claimOf(context, aid, id);
    return claim === undefined ? null : targetFrom(claim.claim);
  }
  if (!/^d\d+$/.test(id)) return null;
  const div = await context.read.row(divTable, aid, id);
  return div?.status === 'current' ? { id, text: div.text, hash: div.vx_hash } : null;
}

async function callOf(context: CallerContext, called: Invocation): Promise<WaitingCall> {
  const { purpose } = callMetadataOf(called);
  return {
    inv: called.id,
    key: called.key,
    actor: called.actor,
    purpose: typeof purpose === 'string' ? purpose : null,
    body: visibleValue(called.request),
    usualUsdMicros: await usualCost(context, called.key),
  };
}

/** Calls of a row that its usual cost is taken from. */
const pricedCalls = 5;

async function usualCost({ read, tenant, ...context }: CallerContext, key: string): Promise<number | null> {
  const lately = await read.list(invocationTable, objectOf(tenant, key), {
    limit: pricedCalls,
    reverse: true,
  });
  const costs: number[] = [];
  for (const { inv, status } of lately) {
    if (status !== 'success') continue;
    const cost = (await readInvocation({ read, ...context }, inv))?.yielded.usage.usdMicros;
    if (cost !== undefined && cost !== null) costs.push(cost);
  }
  return costs.length === 0 ? null : Math.round(costs.reduce((sum, cost) => sum + cost, 0) / costs.length);
}

/** A call that the owner approved, with what came of it. */
export interface ApprovedCall {
  readonly inv: string;
  readonly key: string;
  readonly status: string;
  readonly approvedAt: string;
  readonly error: string | null;
  /** The stored picture or film that it made. */
  readonly made: { readonly form: 'image' | 'video'; readonly url: string } | null;
}

const approvalsShown = 6;

/** The newest calls that the owner approved. Only the owner sees them. */
export async function approvedCalls(context: CallerContext): Promise<readonly ApprovedCall[]> {
  const { read, tenant, viewer } = context;
  if (viewer.kind !== 'owner') return [];
  const approvals = await read.list(invocationTable, objectOf(tenant, 'OIP_APPROVE'), {
    limit: approvalsShown,
    reverse: true,
  });
  const calls = await Promise.all(
    approvals.map(async ({ inv, ts, status }): Promise<ApprovedCall | undefined> => {
      if (status !== 'success') return undefined;
      const approval = await readInvocation(context, inv);
      const { id, decision } = (approval?.response.value ?? {}) as JsonObject;
      if (decision !== 'approved' || typeof id !== 'string') return undefined;
      const called = await readInvocation(context, id);
      if (called === undefined) return undefined;
      const made = called.yielded.material.find(({ kind }) => kind === 'image' || kind === 'video');
      return {
        inv: id,
        key: called.key,
        status: called.status,
        approvedAt: ts,
        error: called.error,
        made: made === undefined ? null : { form: made.kind as 'image' | 'video', url: made.url },
      };
    }),
  );
  return calls.filter((call) => call !== undefined);
}
