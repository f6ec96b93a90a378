/**
 * Conformance of an article (spec §2.1, §4.3 `/invocations`; contract §5): which article an invocation counts for,
 * decided in its act, and the list of outcomes.
 */
import { articleTable, slugPath, slugTable } from '../../domain/articles/tables.ts';
import type { ArticleAccess } from './article-access.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import {
  conformanceEventTable,
  conformancePlace,
  conformanceTable,
  type ConformanceRow,
} from '../../domain/capabilities/conformance.ts';
import { links } from '../../domain/links.ts';
import type { View } from '../../engine/act.ts';
import { mergeRefusals } from '../../domain/violations.ts';
import { fault, type Fault } from '../../kernel/fault.ts';
import type { Answer } from '../../model/exact.ts';
import type { InvocationList } from '../../model/invocation.ts';
import { conformanceEventJson } from '../../represent/conformance.ts';
import type { ReadContext } from '../read-context.ts';
import { alteredCalls } from './call-integrity.ts';
import type { InvocationStatus } from '../../model/vocabulary.ts';

/**
 * The article that an invocation's public entry may name. A failed call on a draft names nothing unless the owner
 * made it: its receipt must not reveal the draft.
 */
export function articleOfCall(
  view: View,
  tenant: string,
  slug: string | undefined,
  status: InvocationStatus,
  credential: Credential,
): string | undefined {
  if (slug === undefined) return undefined;
  const aid = view.row(slugTable, slugPath(tenant, slug))?.aid;
  if (aid === undefined || status === 'success' || credential.kind === 'owner') return aid;
  return view.row(articleTable, aid)?.status === 'draft' ? undefined : aid;
}

export async function readConformance(
  context: ReadContext,
  aid: string,
): Promise<ConformanceRow | undefined> {
  return context.read.row(conformanceTable, aid);
}

/** Finished invocations on the article, newest first, paged. */
export async function listConformance(
  context: ReadContext,
  seen: ArticleAccess,
  asked: { readonly status: string | undefined; readonly limit: number; readonly cursor: string | undefined },
): Promise<Answer<typeof InvocationList> | Fault> {
  const { status, limit, cursor } = asked;
  const outcomes = (['success', 'failure'] as const).filter((each) => (status ?? each) === each);
  const wrong = conformanceFault(status, cursor);
  if (wrong !== undefined) return wrong;
  const range = {
    limit: limit + 1,
    reverse: true,
    ...(cursor === undefined ? {} : { before: Number(cursor) }),
  };
  const lists = await Promise.all(
    outcomes.map((outcome) =>
      context.read.list(conformanceEventTable, conformancePlace(seen.aid, outcome), range),
    ),
  );
  const found = lists.flat().sort((a, b) => b.seq - a.seq);
  const page = found.slice(0, limit);
  const counts = await readConformance(context, seen.aid);
  const url = links.articlePart(context.base, seen.slug, 'invocations');
  return {
    slug: seen.slug,
    count: page.length,
    success_events: counts?.successes ?? 0,
    failure_events: counts?.failures ?? 0,
    invocations: page.map((row) => conformanceEventJson(context.base, row)),
    ...(await alteredCalls(context.read, conformanceEventTable, page)),
    next:
      found.length > limit
        ? `${url}?${status === undefined ? '' : `status=${status}&`}limit=${limit}&cursor=${page[page.length - 1]?.seq}`
        : null,
  };
}

/** All faults of the query. */
export function conformanceFault(status: string | undefined, cursor: string | undefined): Fault | undefined {
  return mergeRefusals(
    '?',
    status === undefined || status === 'success' || status === 'failure'
      ? undefined
      : bad('status', `"${status.slice(0, 40)}" is no outcome.`, 'Use success or failure, or leave it out.'),
    cursor === undefined || /^\d{1,15}$/.test(cursor)
      ? undefined
      : bad('cursor', 'The cursor is not one of ours.', 'Follow next as it was given.'),
  );
}

function bad(parameter: string, message: string, fix: string): Fault {
  return fault('invalid_request', message, fix, { parameter });
}
