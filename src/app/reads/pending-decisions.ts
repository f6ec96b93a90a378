/**
 * Decisions that wait for the owner (contract §3, §5, §8): proposed calls, contributions, open votes. Only the
 * console needs them, so they are searched instead of indexed; the search stops at a limit and says so.
 */
import { articleTable, claimTable } from '../../domain/articles/tables.ts';
import { openInvocationTable } from '../../domain/capabilities/tables.ts';
import { threadTable, voteTable } from '../../domain/discourse/tables.ts';
import type { Vote } from '../../model/discourse.ts';
import { contributionTable, mirrorTable } from '../../domain/mirror/tables.ts';
import { isStale, resolutionTable } from '../../domain/mirror/resolution.ts';
import type { RowOf, Table } from '../../engine/tables.ts';
import type { JsonValue } from '../../kernel/json.ts';
import { readInvocation, visibleValue, callMetadataOf } from './invocation.ts';
import type { ReadContext } from '../read-context.ts';
import type { Contribution } from '../../model/contribution.ts';

export interface Waiting<T> {
  /** Newest first. */
  readonly items: readonly T[];
  /** More exist. */
  readonly more: boolean;
}

export interface WaitingCall {
  readonly inv: string;
  readonly key: string;
  readonly actor: string;
  readonly ts: string;
  readonly purpose: string | null;
  /** The recorded body; null if scrubbed. */
  readonly body: JsonValue;
}

const itemsMax = 100;

export async function waitingCalls(context: ReadContext, tenant: string): Promise<Waiting<WaitingCall>> {
  const open: RowOf<typeof openInvocationTable>[] = [];
  for await (const row of scan(context, openInvocationTable))
    if (row.tenant === tenant && row.status === 'proposed') open.push(row);
  const page = newest(open, ({ ts }) => ts);
  const items = await Promise.all(
    page.items.map(async ({ inv, key, actor, ts }) => {
      const called = await readInvocation(context, inv);
      const purpose = called === undefined ? undefined : callMetadataOf(called)['purpose'];
      return {
        inv,
        key,
        actor,
        ts,
        purpose: typeof purpose === 'string' ? purpose : null,
        body: called === undefined ? null : visibleValue(called.request),
      };
    }),
  );
  return { items, more: page.more };
}

export type WaitingContribution = Contribution & {
  readonly slug: string;
  readonly title: string;
  /** The present claim, if the proposed wording was written against another version. */
  readonly changedClaim?: { readonly text: string; readonly hash: string };
};

export async function waitingContributions(
  context: ReadContext,
  tenant: string,
): Promise<Waiting<WaitingContribution>> {
  const { read } = context;
  const waiting: WaitingContribution[] = [];
  for await (const { aid, count } of scan(context, mirrorTable)) {
    if (waiting.length > itemsMax) break;
    const article = await read.row(articleTable, aid);
    if (article?.tenant !== tenant) continue;
    const decided = await read.rows(resolutionTable, aid);
    if (decided.size === count) continue;
    const claims = await read.rows(claimTable, aid);
    for (const row of await read.list(contributionTable, aid, {
      limit: itemsMax + decided.size,
      reverse: true,
    })) {
      if (decided.has(row.id)) continue;
      const claim = isStale(row, undefined, claims) ? claims.get(row.claim_id)?.claim : undefined;
      waiting.push({
        ...row.contribution,
        slug: article.slug,
        title: article.title,
        ...(claim === undefined ? {} : { changedClaim: { text: claim.text, hash: claim.hash } }),
      });
    }
  }
  return newest(waiting, ({ ts }) => ts);
}

export async function waitingVotes(context: ReadContext, tenant: string): Promise<Waiting<Vote>> {
  const { read } = context;
  const open: Vote[] = [];
  for await (const { aid, votes } of scan(context, threadTable)) {
    if (votes === 0) continue;
    if (open.length > itemsMax) break;
    if ((await read.row(articleTable, aid))?.tenant !== tenant) continue;
    for (const { vote, status } of (await read.rows(voteTable, aid)).values())
      if (status === 'open') open.push(vote);
  }
  return newest(open, ({ ts }) => ts);
}

function newest<T>(all: readonly T[], ts: (item: T) => string): Waiting<T> {
  const sorted = all.toSorted((a, b) => (ts(a) < ts(b) ? 1 : -1));
  return { items: sorted.slice(0, itemsMax), more: sorted.length > itemsMax };
}

async function* scan<T extends Table>({ read }: ReadContext, table: T): AsyncIterable<RowOf<T>> {
  for await (const row of read.scan(table)) yield row as RowOf<T>;
}
