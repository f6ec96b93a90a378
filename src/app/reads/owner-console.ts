/**
 * What the console shows the owner (contract §8): decisions that wait (proposed calls, contributions, open votes),
 * and recent calls with their cost. Only the console needs them, so they are searched up to a limit instead of
 * indexed.
 */
import { remarks } from '../../domain/capabilities/invocation.ts';
import { usageIn } from '../../domain/yield.ts';
import type { Entry } from '../../ledger/entry.ts';
import type { CallerContext } from '../read-context.ts';
import { actorOf, type Credential } from '../../domain/capabilities/credential.ts';
import { articleTable, claimTable } from '../../domain/articles/tables.ts';
import { openInvocationTable } from '../../domain/capabilities/tables.ts';
import { threadTable, voteTable } from '../../domain/discourse/thread.ts';
import type { Vote } from '../../model/discourse.ts';
import { contributionTable, mirrorTable } from '../../domain/mirror/tables.ts';
import { isStale, resolutionTable } from '../../domain/mirror/resolution.ts';
import type { RowOf } from '../../engine/tables.ts';
import type { JsonValue } from '../../kernel/json.ts';
import { callMetadataOf, readInvocation, visibleValue } from './invocation.ts';
import type { Contribution } from '../../model/contribution.ts';

export interface DaySpent {
  /** ISO 8601 date, UTC. */
  readonly day: string;
  readonly success: number;
  /** Failed, denied and declined. */
  readonly failure: number;
  readonly tokens: number;
  /** Millionths of a dollar. */
  readonly usdMicros: number;
}

interface RowSpent {
  readonly key: string;
  readonly calls: number;
  readonly success: number;
  readonly tokens: number;
  readonly wasted: number;
  readonly usdMicros: number;
}

export interface Spending {
  /** Oldest first; days without calls in between are zero. */
  readonly days: readonly DaySpent[];
  /** By number of calls. */
  readonly rows: readonly RowSpent[];
  /** Number of entries read, and whether older ones exist. */
  readonly entries: number;
  readonly older: boolean;
}

const entriesMax = 5000;
const pageEntries = 500;
const daysMax = 60;
const dayMs = 86_400_000;

const none = { calls: 0, success: 0, failure: 0, tokens: 0, wasted: 0, usdMicros: 0 };
type Counts = typeof none;

export async function spendingOf(context: CallerContext): Promise<Spending> {
  const { read, tenant } = context;
  const size = (await read.checkpoint())?.size ?? 0;
  const first = Math.max(0, size - entriesMax);
  const days = new Map<string, Counts>();
  const rows = new Map<string, Counts>();
  /** The row of a call, by the entry that opened it. */
  const opened = new Map<string, string>();
  for (let from = first; from < size; from += pageEntries) {
    for (const { text } of await read.texts(from, Math.min(pageEntries, size - from))) {
      const entry = JSON.parse(text) as Entry;
      if (!entry.chain.startsWith('inv_')) continue;
      if (entry.n === 0 && entry['tenant'] !== tenant) continue;
      const key = entry.n === 0 ? String(entry['key']) : opened.get(entry.chain);
      const status = String(entry['action']);
      if (key === undefined || remarks.has(status)) continue;
      if (status === 'running' || status === 'proposed') {
        opened.set(entry.chain, key);
        continue;
      }
      add(days, entry.ts.slice(0, 10), entry, status);
      add(rows, key, entry, status);
    }
  }
  return {
    days: filled(days),
    rows: [...rows].map(([key, counts]) => ({ key, ...counts })).sort((a, b) => b.calls - a.calls),
    entries: size - first,
    older: first > 0,
  };
}

function add(to: Map<string, Counts>, name: string, entry: Entry, status: string): void {
  const counts = to.get(name) ?? none;
  const usage = usageIn(entry);
  const ran = status === 'success';
  to.set(name, {
    calls: counts.calls + 1,
    success: counts.success + (ran ? 1 : 0),
    failure: counts.failure + (ran ? 0 : 1),
    tokens: counts.tokens + usage.tokensIn + usage.tokensOut,
    wasted: counts.wasted + usage.tokensWasted,
    usdMicros: counts.usdMicros + (usage.usdMicros ?? 0),
  });
}

function filled(days: ReadonlyMap<string, Counts>): DaySpent[] {
  const known = [...days.keys()].sort();
  const last = known.at(-1);
  if (last === undefined) return [];
  const end = Date.parse(last);
  const begin = Math.max(Date.parse(known[0] as string), end - (daysMax - 1) * dayMs);
  const all: DaySpent[] = [];
  for (let at = begin; at <= end; at += dayMs) {
    const day = new Date(at).toISOString().slice(0, 10);
    all.push({ day, ...(days.get(day) ?? none) });
  }
  return all;
}

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

export async function waitingCalls(context: CallerContext): Promise<Waiting<WaitingCall>> {
  const { tenant, viewer } = context;
  const open: RowOf<typeof openInvocationTable>[] = [];
  for await (const row of context.read.scan(openInvocationTable))
    if (row.tenant === tenant && row.status === 'proposed' && maySeeCall(viewer, row)) open.push(row);
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

/** The owner sees every call that waits; others see their own. */
function maySeeCall(viewer: Credential, { actor }: { readonly actor: string }): boolean {
  return viewer.kind === 'owner' || actor === actorOf(viewer);
}

export type WaitingContribution = Contribution & {
  readonly slug: string;
  readonly title: string;
  /** The present claim, if the proposed wording was written against another version. */
  readonly changedClaim?: { readonly text: string; readonly hash: string };
};

export async function waitingContributions(context: CallerContext): Promise<Waiting<WaitingContribution>> {
  const { read, tenant } = context;
  const waiting: WaitingContribution[] = [];
  for await (const { aid, count } of context.read.scan(mirrorTable)) {
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

export async function waitingVotes(context: CallerContext): Promise<Waiting<Vote>> {
  const { read, tenant } = context;
  const open: Vote[] = [];
  for await (const { aid, votes } of context.read.scan(threadTable)) {
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
