/**
 * Recent calls with their cost (contract §8). Only the desk needs them, so they are searched up to a limit instead of
 * indexed.
 */
import { remarks } from '../../domain/capabilities/invocation.ts';
import { usageIn } from '../../domain/yield.ts';
import type { Entry } from '../../ledger/entry.ts';
import type { CallerContext } from '../read-context.ts';

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
