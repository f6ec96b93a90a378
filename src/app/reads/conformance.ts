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
  type ConformanceRow,
  conformanceTable,
} from '../../domain/capabilities/conformance.ts';
import { links } from '../../domain/links.ts';
import type { View } from '../../engine/act.ts';
import { mergeRefusals } from '../../domain/violations.ts';
import { type Fault, invalidParameter } from '../../kernel/fault.ts';
import { InvocationList } from '../../model/invocation.ts';
import { conformanceEventJson } from '../../represent/article-object.ts';
import type { ReadContext } from '../read-context.ts';
import type { InvocationStatus } from '../../model/vocabulary.ts';
import { schema } from '../../domain/schema.ts';
import { eventFrom, MemoryProjection } from '../../engine/memory-projection.ts';
import { differingColumns } from '../../engine/row-difference.ts';
import type { Reader } from '../../engine/store.ts';
import type { AnyRow, Sub, Table } from '../../engine/tables.ts';
import { sameJson } from '../../kernel/json.ts';
import { type Altered, alteredVerification } from './article-integrity.ts';
import type { Verifications } from '../../model/parts.ts';
import { defineRead } from './define-read.ts';

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
export const listConformance = defineRead(
  InvocationList,
  async (
    context: ReadContext,
    access: ArticleAccess,
    query: {
      readonly status: string | undefined;
      readonly limit: number;
      readonly cursor: string | undefined;
    },
  ) => {
    const { status, limit, cursor } = query;
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
        context.read.list(conformanceEventTable, conformancePlace(access.aid, outcome), range),
      ),
    );
    const found = lists.flat().sort((a, b) => b.seq - a.seq);
    const page = found.slice(0, limit);
    const counts = await readConformance(context, access.aid);
    const url = links.articlePart(context.base, access.slug, 'invocations');
    return {
      slug: access.slug,
      count: page.length,
      total:
        (status === 'failure' ? 0 : (counts?.successes ?? 0)) +
        (status === 'success' ? 0 : (counts?.failures ?? 0)),
      success_events: counts?.successes ?? 0,
      failure_events: counts?.failures ?? 0,
      invocations: page.map((row) => conformanceEventJson(context.base, row)),
      ...(await alteredCalls(context.read, conformanceEventTable, page)),
      next:
        found.length > limit
          ? `${url}?${status === undefined ? '' : `status=${status}&`}limit=${limit}&cursor=${page[page.length - 1]?.seq}`
          : null,
    };
  },
);

/** All faults of the query. */
export function conformanceFault(status: string | undefined, cursor: string | undefined): Fault | undefined {
  return mergeRefusals(
    '?',
    status === undefined || status === 'success' || status === 'failure'
      ? undefined
      : invalidParameter(
          'status',
          `"${status.slice(0, 40)}" is no outcome.`,
          'Use success or failure, or leave it out.',
        ),
    cursor === undefined || /^\d{1,15}$/.test(cursor)
      ? undefined
      : invalidParameter('cursor', 'The cursor is not one of ours.', 'Follow next as it was given.'),
  );
}

/*
 * Lists and counts of invocations, compared with the ledger when they are answered (contract §1.8). A row that differs
 * from a replay of its invocation's chain is named in the answer.
 */

/** A row of a table with two keys that names its invocation. */
type CallRow = AnyRow & { readonly inv: string; readonly seq: number };

/** The `verification` member; absent if all rows match. */
export async function alteredCalls(
  read: Reader,
  table: Table,
  rows: readonly CallRow[],
): Promise<{ readonly verification?: Verifications }> {
  const altered: Altered[] = [];
  for (const row of rows) {
    const [id, sub] = table.keyNames.map((name) => row[name]) as [string, Sub];
    let difference = await differenceOf(read, table, row, id, sub);
    // The call may have ended between the two reads.
    if (difference !== undefined) {
      const [again] = await read.list(table, id, { after: row.seq - 1, limit: 1 });
      difference = await differenceOf(read, table, (again as CallRow | undefined) ?? row, id, sub);
    }
    if (difference !== undefined)
      altered.push({ n: null, reason: `projection ${table.name}, row ${id} / ${sub}: ${difference}` });
  }
  const verification = alteredVerification(altered);
  return verification === undefined ? {} : { verification };
}

async function differenceOf(
  read: Reader,
  table: Table,
  row: CallRow,
  id: string,
  sub: Sub,
): Promise<string | undefined> {
  const replayed = new MemoryProjection();
  for (const event of await read.chain(row.inv)) schema.project(eventFrom(event), replayed);
  return differingColumns(table, replayed.own(table, id, sub), row);
}

/** Maximum number of calls that are counted again. */
const countedMax = 200;

/**
 * Compares what an article says of its calls: the newest success and failure with the chains of those calls, and short
 * counts with the list that they count. The background pass compares longer lists.
 */
export async function alteredConformance(
  read: Reader,
  aid: string,
  row: ConformanceRow | undefined,
): Promise<readonly Altered[]> {
  if (row === undefined) return [];
  const stamp = await read.stamp(conformanceTable.aggregate as string, aid);
  const wrong = [
    ...(await differing(read, aid, 'success', row.successes, row.newest_success)),
    ...(await differing(read, aid, 'failure', row.failures, row.newest_failure)),
  ];
  // A call that ended meanwhile is in the list and not in the row.
  const isConsistent =
    (await read.stamp(conformanceTable.aggregate as string, aid)) === stamp &&
    sameJson({ ...(await read.row(conformanceTable, aid)) }, { ...row });
  return isConsistent
    ? wrong.map((column) => ({
        n: null,
        reason: `projection conformance, row ${aid}: ${column} differs from what the ledger gives`,
      }))
    : [];
}

async function differing(
  read: Reader,
  aid: string,
  outcome: 'success' | 'failure',
  count: number,
  newest: ConformanceRow['newest_success'],
): Promise<string[]> {
  const counted = await read.list(conformanceEventTable, conformancePlace(aid, outcome), {
    limit: countedMax + 1,
    reverse: true,
  });
  const countOk = counted.length > countedMax ? count > countedMax : count === counted.length;
  const newestOk =
    newest === null
      ? counted.length === 0
      : counted[0]?.inv === newest.inv && (await isNewest(read, aid, outcome, newest));
  return [
    ...(countOk ? [] : [outcome === 'success' ? 'successes' : 'failures']),
    ...(newestOk ? [] : [`newest_${outcome}`]),
  ];
}

async function isNewest(
  read: Reader,
  aid: string,
  outcome: 'success' | 'failure',
  newest: NonNullable<ConformanceRow['newest_success']>,
): Promise<boolean> {
  const replayed = new MemoryProjection();
  for (const event of await read.chain(newest.inv)) schema.project(eventFrom(event), replayed);
  const replayedNewest = replayed.row(conformanceTable, aid)?.[`newest_${outcome}`] ?? null;
  return replayedNewest !== null && sameJson({ ...replayedNewest }, { ...newest });
}
