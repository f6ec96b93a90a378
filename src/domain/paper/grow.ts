/**
 * The paper: an article that the service writes about its own ledger (spec §2.6.1). Growing it counts what is
 * there, rewrites the two generated blocks of the article, and appends one ring to a chain of its own, so that
 * every earlier state of the paper stays readable.
 */
import { type Head, headOf } from '../../ledger/entry.ts';
import { actEntry } from '../entries.ts';
import type { Event, EventDraft, Projection } from '../../engine/act.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import type { Context } from '../context.ts';
import type { Counts, Ring } from '../../model/workspace.ts';
import { type RowOf, integer, json, table, text } from '../../engine/tables.ts';

export const paperTable = table('paper', {
  key: { tenant: text() },
  columns: { aid: text(), rings: integer(), latest: json<Ring>(), head: json<Head>() },
  aggregate: 'paper',
});

export const ringTable = table('paper_ring', {
  key: { tenant: text(), n: integer() },
  columns: { ring: json<Ring>(), prev: text(), hash: text() },
});

export const paperTables = [paperTable, ringTable];
export type PaperRow = RowOf<typeof paperTable>;

/** What was measured of the live state before the act: counts, and the log as it stood. */
export interface Measured {
  readonly counts: Counts;
  readonly logSize: number;
  readonly logRoot: string;
}

export const paperSlug = 'growth-of-this-ledger';
export const paperTitle = 'The growth of this ledger';
/** DIVs of the generated article, in the order in which its text is divided. */
export const stateDiv = 'd4';
export const ringsDiv = 'd6';
/** Rings that the article shows; the chain has all. */
const shownMax = 20;

const names: readonly (readonly [keyof Counts, string])[] = [
  ['articles', 'published articles'],
  ['divs', 'text blocks made'],
  ['claims', 'claims posted'],
  ['sources', 'sources appended'],
  ['revisions', 'revisions'],
  ['contributions', 'mirror contributions'],
  ['discourse', 'discourse entries'],
];

const none: Counts = {
  articles: 0,
  divs: 0,
  claims: 0,
  sources: 0,
  revisions: 0,
  contributions: 0,
  discourse: 0,
};

/** What changed between two countings. */
export function countChanges(now: Counts, before: Counts): Counts {
  const gained: Record<string, number> = {};
  for (const [name] of names) gained[name] = now[name] - before[name];
  return gained as Counts;
}

export function nextRing(paper: PaperRow | undefined, measured: Measured, now: string): Ring {
  return {
    ring: (paper?.rings ?? 0) + 1,
    ts: now,
    log_size: measured.logSize,
    log_root: measured.logRoot,
    counts: measured.counts,
    gained: countChanges(measured.counts, paper?.latest.counts ?? none),
  };
}

/** Markdown of the whole article as it is first written. */
export function paperMarkdown(ring: Ring): string {
  return [
    `# ${paperTitle}`,
    'This article is generated from the ledger that it describes. Each growth counts what the ledger holds, rewrites the two tables below and appends a ring; earlier rings stay readable on their chain.',
    '## State at the last growth',
    stateMarkdown(ring),
    '## Rings',
    ringsMarkdown([ring]),
    '',
  ].join('\n\n');
}

export function stateMarkdown({ counts, gained, log_size: size, log_root: root }: Ring): string {
  const rows = names.map(([name, label]) => `| ${label} | ${counts[name]} | ${signed(gained[name])} |`);
  return [
    '| counted | now | since the ring before |',
    '|---|---|---|',
    ...rows,
    `| log entries | ${size} | root \`${root}\` |`,
  ].join('\n');
}

/** Newest first. */
export function ringsMarkdown(rings: readonly Ring[]): string {
  const rows = rings
    .slice(0, shownMax)
    .map(
      ({ ring, ts, log_size: size, counts }) =>
        `| ${ring} | ${ts} | ${size} | ${counts.articles} | ${counts.claims} | ${counts.sources} |`,
    );
  return [
    '| ring | time | log entries | articles | claims | sources |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function signed(count: number): string {
  return count > 0 ? `+${count}` : String(count);
}

/** Chains have opaque names: a workspace's is not shown by the public log. */
function chainOf(tenant: string): string {
  return `paper_${sha256Hex(tenant).slice(0, 16)}`;
}

export function ringEvent(
  paper: PaperRow | undefined,
  aid: string,
  ring: Ring,
  context: Context,
): EventDraft {
  return actEntry(context, chainOf(context.tenant), paper?.head ?? null, 'grow', {
    tenant: context.tenant,
    aid,
    ring,
  });
}

export function projectPaper(event: Event, to: Projection): void {
  const { entry, hash } = event.sealed;
  if (!entry.chain.startsWith('paper_')) return;
  const content = event.contents['content_sha'] as
    { readonly tenant: string; readonly aid: string; readonly ring: Ring } | undefined;
  if (content === undefined) return;
  const { tenant, aid, ring } = content;
  to.put(paperTable, {
    tenant,
    aid,
    rings: ring.ring,
    latest: ring,
    head: headOf(event.sealed),
  });
  to.put(ringTable, { tenant, n: entry.n, ring, prev: entry.prev, hash });
}
