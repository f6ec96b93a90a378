/**
 * What a workspace cost, yielded, answered and how it grew, in equal steps of time (contract §8). Everything is counted
 * from projections and the log: what calls spent, their outcomes, acts on articles, and the size of the log.
 */
import { activityTable, laneOf } from '../../domain/articles/activity.ts';
import { type ActivityKind, activityKinds } from '../../model/vocabulary.ts';
import { articleIndexTable } from '../../domain/articles/tables.ts';
import { objectOf } from '../../domain/capabilities/invocation.ts';
import { invocationTable, spendingTable } from '../../domain/capabilities/tables.ts';
import { claimFactTable } from '../../domain/query/claim-facts.ts';
import type { Condition, Reader } from '../../engine/store.ts';
import type { RowOf } from '../../engine/tables.ts';
import type { CallerContext, DirectoryContext } from '../read-context.ts';
import { newestIndexBy } from './historical-read.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Spans of time that figures are counted over; the newest step is the one that has begun. */
export const spans = {
  hours: { title: '48 hours', step: 'hour', stepMs: hourMs, steps: 48 },
  month: { title: '30 days', step: 'day', stepMs: dayMs, steps: 30 },
  quarter: { title: '90 days', step: 'day', stepMs: dayMs, steps: 90 },
  year: { title: '52 weeks', step: 'week', stepMs: 7 * dayMs, steps: 52 },
} as const;
export type Span = keyof typeof spans;

/** Values of the steps, oldest first. */
export type Steps = readonly number[];

export interface Growth {
  /** In all, now. */
  readonly total: number;
  /** What each step added. */
  readonly added: Steps;
}

export interface CallsOfRow {
  readonly key: string;
  readonly succeeded: number;
  /** Failed, denied or declined. */
  readonly refused: number;
}

export interface Spent {
  /** A row of the directory, or who called. */
  readonly name: string;
  readonly calls: number;
  readonly tokens: number;
  readonly wasted: number;
  /** Millionths of a dollar. */
  readonly usdMicros: number;
}

export interface Figures {
  readonly span: Span;
  /** When each step begins, ISO 8601. */
  readonly steps: readonly string[];
  readonly spending: {
    /** Most expensive first. */
    readonly byRow: readonly Spent[];
    readonly byCaller: readonly Spent[];
    /** Millionths of a dollar by row and step. */
    readonly usdMicros: ReadonlyMap<string, Steps>;
    readonly used: Steps;
    readonly wasted: Steps;
    /** Calls of providers whose price is not known. */
    readonly unpriced: number;
    /** Older calls of the span were not read. */
    readonly isCut: boolean;
  };
  readonly acts: Readonly<Record<ActivityKind, Steps>>;
  readonly calls: {
    readonly succeeded: Steps;
    readonly failed: Steps;
    /** Denied or declined. */
    readonly denied: Steps;
    /** Most calls first. */
    readonly byRow: readonly CallsOfRow[];
  };
  /** The log is the deployment's, the others the workspace's. */
  readonly growth: Readonly<Record<'articles' | 'claims' | 'contributions' | 'entries', Growth>>;
}

type Context = CallerContext & Pick<DirectoryContext, 'rows'>;

export async function readFigures(context: Context, span: Span): Promise<Figures> {
  const { read } = context;
  const size = (await read.checkpoint())?.size ?? 0;
  const [first] = size === 0 ? [] : await read.texts(0, 1);
  const begun = first === undefined ? undefined : Date.parse((JSON.parse(first.text) as { ts: string }).ts);
  const clock = new StepClock(span, context.now(), begun);
  const recent = await recentOnly(read, clock, size);
  const [spending, acts, calls, articles, claims, contributions, entries] = await Promise.all([
    spendingIn(context, clock),
    actsIn(context, clock, recent),
    callsIn(context, clock, recent),
    articlesIn(context, clock),
    claimsIn(context, clock),
    read.count(activityTable, laneOf(context.tenant, 'contributions')),
    entriesIn(context, clock, size),
  ]);
  const growth = {
    articles,
    claims,
    contributions: { total: contributions, added: acts.contributions },
    entries,
  };
  return { span, steps: clock.starts.map(iso), spending, acts, calls, growth };
}

const iso = (ms: number): string => new Date(ms).toISOString();

/** A young ledger is shown from its first day on, and at least so many steps. */
const leastSteps = 7;

/** Divides the span into steps, and finds the step of a time. */
export class StepClock {
  readonly starts: readonly number[];
  /** Characters of a time that name its hour or day. */
  readonly chars: number;
  readonly #stepMs: number;

  /** `begun`: when the ledger began. */
  constructor(span: Span, nowMs: number, begun: number | undefined) {
    const { step, stepMs, steps } = spans[span];
    const unit = step === 'hour' ? hourMs : dayMs;
    // The last step ends with the hour or day that has begun.
    const end = (Math.floor(nowMs / unit) + 1) * unit;
    const known = begun === undefined ? 0 : Math.ceil((end - begun) / stepMs);
    const count = Math.min(steps, Math.max(leastSteps, known));
    this.starts = Array.from({ length: count }, (_, i) => end - (count - i) * stepMs);
    this.chars = step === 'hour' ? 13 : 10;
    this.#stepMs = stepMs;
  }

  get from(): number {
    return this.starts[0] as number;
  }

  get empty(): number[] {
    return this.starts.map(() => 0);
  }

  /** The index of the step of a time or of its first characters; undefined before the first and after the last. */
  stepOf(time: string): number | undefined {
    const ms = Date.parse(time.length === 13 ? `${time}:00:00Z` : time);
    const at = Math.floor((ms - this.from) / this.#stepMs);
    return at >= 0 && at < this.starts.length ? at : undefined;
  }

  /** Adds counts by time to their steps. */
  sumsOf(counts: Iterable<readonly [time: string, n: number]>): Steps {
    const all = this.empty;
    for (const [time, n] of counts) {
      const at = this.stepOf(time);
      if (at !== undefined) all[at] = (all[at] as number) + n;
    }
    return all;
  }
}

/** Entries of concurrent batches may be numbered in another order than their times, by so many numbers at most. */
const disorderMax = 65_536;

/** Conditions that leave out older rows of a table that is kept in the order of `seq`. */
async function recentOnly(read: Reader, clock: StepClock, size: number): Promise<readonly Condition[]> {
  const index = await newestIndexBy({ read }, clock.from - 1, size);
  const [last] = index < 0 ? [] : await read.entries(index, 1);
  return [
    ...(last === undefined ? [] : [{ column: 'seq', op: '>' as const, value: last.seq - disorderMax }]),
    { column: 'ts', op: '>=', value: iso(clock.from) },
  ];
}

async function actsIn(
  { read, tenant }: Context,
  clock: StepClock,
  recent: readonly Condition[],
): Promise<Figures['acts']> {
  const lanes = new Map(activityKinds.map((kind) => [laneOf(tenant, kind), kind]));
  const groups = await read.countBy(activityTable, {
    ids: [...lanes.keys()],
    where: recent,
    by: [{ column: 'lane' }, { column: 'ts', chars: clock.chars }],
  });
  const of = (kind: ActivityKind): Steps =>
    clock.sumsOf(
      groups
        .filter(({ of: [lane = ''] }) => lanes.get(lane) === kind)
        .map(({ of: [, time = ''], n }) => [time, n]),
    );
  return {
    text: of('text'),
    claims: of('claims'),
    sources: of('sources'),
    discussion: of('discussion'),
    contributions: of('contributions'),
    decisions: of('decisions'),
    published: of('published'),
  };
}

async function callsIn(
  { read, tenant, rows }: Context,
  clock: StepClock,
  recent: readonly Condition[],
): Promise<Figures['calls']> {
  const keys = new Map([...rows.keys()].map((key) => [objectOf(tenant, key), key]));
  const groups = await read.countBy(invocationTable, {
    ids: [...keys.keys()],
    where: recent,
    by: [{ column: 'object' }, { column: 'status' }, { column: 'ts', chars: clock.chars }],
  });
  const of = (...statuses: readonly string[]): Steps =>
    clock.sumsOf(
      groups
        .filter(({ of: [, status = ''] }) => statuses.includes(status))
        .map(({ of: [, , time = ''], n }) => [time, n]),
    );
  const byRow = new Map<string, { succeeded: number; refused: number }>();
  for (const { of: group, n } of groups) {
    const [object = '', status = '', time = ''] = group;
    const key = keys.get(object);
    if (key === undefined || openStatuses.has(status) || clock.stepOf(time) === undefined) continue;
    const counts = byRow.get(key) ?? { succeeded: 0, refused: 0 };
    counts[status === 'success' ? 'succeeded' : 'refused'] += n;
    byRow.set(key, counts);
  }
  return {
    succeeded: of('success'),
    failed: of('failed'),
    denied: of('denied', 'declined'),
    byRow: [...byRow]
      .map(([key, counts]) => ({ key, ...counts }))
      .sort((a, b) => b.succeeded + b.refused - a.succeeded - a.refused || (a.key < b.key ? -1 : 1)),
  };
}

/** Neither succeeded nor failed so far. */
const openStatuses: ReadonlySet<string> = new Set(['running', 'proposed']);

const spendingAtOnce = 1000;
const spendingMax = 50_000;
const microsOf = (row: RowOf<typeof spendingTable>): number => row.usd_micros ?? 0;

async function spendingIn({ read, tenant }: Context, clock: StepClock): Promise<Figures['spending']> {
  const rows: RowOf<typeof spendingTable>[] = [];
  const from = iso(clock.from);
  let isCut = false;
  for (let before: number | undefined; ;) {
    const page = await read.list(spendingTable, tenant, {
      limit: spendingAtOnce,
      reverse: true,
      ...(before === undefined ? {} : { before }),
    });
    rows.push(...page.filter(({ ts }) => ts >= from));
    const last = page.at(-1);
    if (page.length < spendingAtOnce || last === undefined || last.ts < from) break;
    before = last.seq;
    if (rows.length < spendingMax) continue;
    isCut = true;
    break;
  }
  const byRow = summed(rows, ({ key }) => key);
  const steps = (value: (row: RowOf<typeof spendingTable>) => number, key?: string): Steps =>
    clock.sumsOf(
      rows.filter((row) => key === undefined || row.key === key).map((row) => [row.ts, value(row)]),
    );
  return {
    byRow,
    byCaller: summed(rows, ({ actor }) => actor),
    usdMicros: new Map(
      byRow.filter(({ usdMicros }) => usdMicros > 0).map(({ name }) => [name, steps(microsOf, name)]),
    ),
    used: steps(({ tokens, wasted }) => tokens - wasted),
    wasted: steps(({ wasted }) => wasted),
    unpriced: rows.filter(({ usd_micros: micros }) => micros === null).length,
    isCut,
  };
}

function summed(
  rows: readonly RowOf<typeof spendingTable>[],
  nameOf: (row: RowOf<typeof spendingTable>) => string,
): readonly Spent[] {
  const sums = new Map<string, Spent>();
  for (const row of rows) {
    const name = nameOf(row);
    const sum = sums.get(name) ?? { name, calls: 0, tokens: 0, wasted: 0, usdMicros: 0 };
    sums.set(name, {
      name,
      calls: sum.calls + 1,
      tokens: sum.tokens + row.tokens,
      wasted: sum.wasted + row.wasted,
      usdMicros: sum.usdMicros + microsOf(row),
    });
  }
  return [...sums.values()].sort(
    (a, b) => b.usdMicros - a.usdMicros || b.tokens - a.tokens || (a.name < b.name ? -1 : 1),
  );
}

async function articlesIn({ read, tenant }: Context, clock: StepClock): Promise<Growth> {
  const [total, groups] = await Promise.all([
    read.count(articleIndexTable, tenant),
    read.countBy(articleIndexTable, {
      ids: [tenant],
      where: [{ column: 'created_at', op: '>=', value: iso(clock.from) }],
      by: [{ column: 'created_at', chars: clock.chars }],
    }),
  ]);
  return { total, added: clock.sumsOf(groups.map(({ of: [time = ''], n }) => [time, n])) };
}

const articlesAtOnce = 1000;

/** Claims that were made, retracted ones included. */
async function claimsIn({ read, tenant }: Context, clock: StepClock): Promise<Growth> {
  let total = 0;
  const counts: [string, number][] = [];
  for (let after: string | undefined; ;) {
    const page = await read.list(articleIndexTable, tenant, {
      limit: articlesAtOnce,
      ...(after === undefined ? {} : { after }),
    });
    const ids = page.map(({ aid }) => aid);
    const from = { column: 'posted_at', value: iso(clock.from) };
    const [before, since] = await Promise.all([
      read.countBy(claimFactTable, { ids, where: [{ ...from, op: '<' }], by: [{ column: 'aid' }] }),
      read.countBy(claimFactTable, {
        ids,
        where: [{ ...from, op: '>=' }],
        by: [{ column: 'posted_at', chars: clock.chars }],
      }),
    ]);
    for (const { n } of [...before, ...since]) total += n;
    counts.push(...since.map(({ of: [time = ''], n }) => [time, n] as [string, number]));
    after = page.at(-1)?.slug;
    if (page.length < articlesAtOnce) break;
  }
  return { total, added: clock.sumsOf(counts) };
}

/** Entries of the log by the times of its entries, found by binary search. */
async function entriesIn(context: Context, clock: StepClock, size: number): Promise<Growth> {
  const until = await Promise.all(
    clock.starts.map(async (start) => (await newestIndexBy(context, start - 1, size)) + 1),
  );
  return { total: size, added: until.map((begin, i) => (until[i + 1] ?? size) - begin) };
}
