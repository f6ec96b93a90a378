/**
 * Compares what a read of an article shows with the ledger when the answer is built (contract §1.8): chains from
 * genesis, contents against commitments, and rows against a replay. A difference makes `verification.valid` false and
 * is named by chain and entry, or by table, row and member.
 */
import { setImmediate as turnOfOthers } from 'node:timers/promises';
import type { ArticleAccess } from './article-access.ts';
import { articleChain, type ArticleChain } from '../../domain/articles/chains.ts';
import { linkTable } from '../../domain/articles/link-checks.ts';
import {
  articleIndexTable,
  articleRecentTable,
  articleTable,
  claimTable,
  divTable,
  recentPlace,
  revisionTable,
  slugPath,
  sourceTable,
} from '../../domain/articles/tables.ts';
import { postTable, threadTable, voteTable } from '../../domain/discourse/thread.ts';
import { resolutionTable } from '../../domain/mirror/resolution.ts';
import { contributionTable, mirrorTable } from '../../domain/mirror/tables.ts';
import { evidenceTable, questionsTable, questionTable } from '../../domain/questions/state.ts';
import { schema } from '../../domain/schema.ts';
import type { StoredEvent } from '../../engine/act.ts';
import { hashedContent, ScrubbedContentAudit } from '../../engine/audit-reader.ts';
import { eventFrom, MemoryProjection } from '../../engine/memory-projection.ts';
import { differingColumns } from '../../engine/row-difference.ts';
import type { Reader } from '../../engine/store.ts';
import { subOf, type AnyRow, type Sub, type Table } from '../../engine/tables.ts';
import type { Verifications } from '../../model/parts.ts';
import { auditEntry, type Finding } from '../../ledger/audit.ts';
import { leafHash, type Entry } from '../../ledger/entry.ts';
import type { ReadContext } from '../read-context.ts';
import { readChains } from './article-chains.ts';

/** A difference between ledger and store. */
export interface Altered {
  /** Position of an entry in its chain. */
  readonly n: number | null;
  readonly reason: string;
}

const threadTables = [threadTable, postTable];
const mirrorTables = [mirrorTable, contributionTable, resolutionTable];
const all = [
  articleTable,
  divTable,
  claimTable,
  sourceTable,
  linkTable,
  revisionTable,
  ...mirrorTables,
  ...threadTables,
  voteTable,
  questionsTable,
  questionTable,
  evidenceTable,
];

/** The tables that each part shows; parts that are not listed show none. */
const tablesOf: Readonly<Record<string, readonly Table[]>> = {
  article: all,
  bundle: all,
  health: all,
  ledger: [divTable],
  voxels: [articleTable, divTable],
  claims: [claimTable, ...threadTables, ...mirrorTables],
  sources: [sourceTable, claimTable, linkTable],
  provenance: [articleTable],
  mirror: mirrorTables,
  contributions: mirrorTables,
  discourse: [...threadTables, ...mirrorTables, divTable, claimTable],
  objections: [...threadTables, ...mirrorTables, divTable, claimTable],
  votes: [threadTable, voteTable],
  masthead: [articleTable, claimTable, divTable, ...threadTables, ...mirrorTables],
  topology: [articleTable, claimTable, sourceTable, questionTable, ...threadTables, ...mirrorTables],
  'question-graph': [questionsTable, questionTable, evidenceTable],
  'graph-topology': [claimTable, divTable, sourceTable, questionTable],
  prompts: [articleTable, claimTable, questionTable, ...threadTables],
  revisions: [revisionTable],
  compare: [articleTable, divTable, claimTable, sourceTable],
};

/** More rows than one article has. */
const rowsMax = 1_000_000;
/** Entries judged before yielding to requests. */
const sliceEntries = 50;
/** Attempts to read a consistent state while the article is written to. */
const readingsMax = 5;
/** Maximum number of differences in an answer. */
const namedMax = 20;

/** Differences of this part from the ledger; empty if there are none. */
export async function alteredIn(
  context: ReadContext,
  access: Pick<ArticleAccess, 'aid' | 'tenant' | 'slug'>,
  part: string,
): Promise<readonly Altered[]> {
  const { aid } = access;
  const tables = Object.hasOwn(tablesOf, part) ? tablesOf[part] : undefined;
  if (tables === undefined) return [];
  const { read } = context;
  for (let reading = 1; ; reading++) {
    const stamp = await stampOf(read, aid, tables);
    const events = await eventsOf(read, aid, tables);
    const live = await Promise.all(tables.map((table) => rowsOf(read, table, aid)));
    // Article lists are always read live.
    const listed = tables === all && context.isHistorical !== true ? await listedRows(read, access) : [];
    const isOneMoment = (await stampOf(read, aid, tables)) === stamp;
    if (!isOneMoment && reading < readingsMax) continue;
    const entries = await alteredEntries(read, events);
    const replayed = await replay(events);
    if (typeof replayed === 'string') return [...entries, { n: null, reason: replayed }];
    // Rows that changed between the reads differ without being altered.
    const rows = isOneMoment ? await alteredRows(tables, live, replayed, aid) : [];
    const lines = isOneMoment ? alteredLines(listed, replayed, access) : [];
    return [...entries, ...alteredName(replayed, access), ...rows, ...lines];
  }
}

/** A slug that resolves to another article. */
function alteredName(replayed: MemoryProjection, { aid, tenant, slug }: Named): Altered[] {
  const row = replayed.row(articleTable, aid);
  if (row === undefined || (row.tenant === tenant && row.slug === slug)) return [];
  const reason = `projection slug, row ${slugPath(tenant, slug)}: aid differs from what the ledger gives`;
  return [{ n: null, reason }];
}

type Named = Pick<ArticleAccess, 'aid' | 'tenant' | 'slug'>;

/** The article's lines in lists, by slug and by time. */
async function listedRows(read: Reader, { aid, tenant, slug }: Named): Promise<readonly Listed[]> {
  const row = await read.row(articleTable, aid);
  const places = [
    [articleIndexTable, slug],
    [articleRecentTable, row === undefined ? slug : recentPlace({ ...row, slug })],
  ] as const;
  return Promise.all(
    places.map(async ([table, place]) => {
      // "!" sorts before every character of a slug.
      const [line] = await read.list(table, tenant, {
        limit: 1,
        reverse: true,
        before: `${place}!`,
      });
      return { table, place, line: line !== undefined && subOf(table, line) === place ? line : undefined };
    }),
  );
}

interface Listed {
  readonly table: Table;
  readonly place: string;
  readonly line: AnyRow | undefined;
}

function alteredLines(listed: readonly Listed[], replayed: MemoryProjection, { tenant }: Named): Altered[] {
  return listed.flatMap(({ table, place, line }) => {
    const difference = differingColumns(table, replayed.own(table, tenant, place), line);
    return difference === undefined
      ? []
      : [{ n: null, reason: `projection ${table.name}, row ${tenant} / ${place}: ${difference}` }];
  });
}

/** `verification` of an altered part, in place of what its chains alone give; undefined where nothing is altered. */
export function alteredVerification(
  altered: readonly Altered[],
  chains?: Verifications,
): Verifications | undefined {
  const [first] = altered;
  if (first === undefined) return undefined;
  return {
    valid: false,
    broken_at: altered.find(({ n }) => n !== null)?.n ?? null,
    reason: first.reason,
    ...(chains?.valid === false ? chains : {}),
    altered: altered.slice(0, namedMax).map(({ reason }) => reason),
  };
}

/** A stamp of the tables and chains. */
async function stampOf(read: Reader, aid: string, tables: readonly Table[]): Promise<string> {
  const aggregates = new Set(['article', ...tables.flatMap(({ aggregate }) => aggregate ?? [])]);
  const stamps = await Promise.all([...aggregates].map((aggregate) => read.stamp(aggregate, aid)));
  return stamps.join('.');
}

/** The chains that the tables are projected from, in commit order. */
async function eventsOf(
  read: Reader,
  aid: string,
  tables: readonly Table[],
): Promise<readonly StoredEvent[]> {
  const has = (...some: readonly Table[]): boolean => some.some((table) => tables.includes(table));
  if (has(divTable)) return readChains(read, aid);
  const chains: ArticleChain[] = ['provenance', 'sources'];
  if (has(contributionTable)) chains.push('mirror');
  if (has(threadTable, voteTable)) chains.push('thread', 'votes');
  if (has(questionTable)) chains.push('questions');
  const events = await Promise.all(chains.map((chain) => read.chain(articleChain(aid, chain))));
  return events.flat().sort((a, b) => a.seq - b.seq);
}

async function rowsOf(read: Reader, table: Table, aid: string): Promise<ReadonlyMap<Sub, AnyRow>> {
  if (table.aggregate !== undefined) return read.rows(table, aid);
  const rows: readonly AnyRow[] = await read.list(table, aid, { limit: rowsMax });
  return new Map(rows.map((row) => [subOf(table, row), row]));
}

/** Entries of whole chains, in commit order. */
async function alteredEntries(read: Reader, events: readonly StoredEvent[]): Promise<Altered[]> {
  const altered: Altered[] = [];
  const heads = new Map<string, { readonly n: number; readonly hash: string; readonly ts: string }>();
  const gone = new ScrubbedContentAudit(read);
  for (const [i, { seq, text, contents }] of events.entries()) {
    if (i % sliceEntries === 0) await turnOfOthers();
    const { chain, n, ts } = JSON.parse(text) as Entry;
    const before = heads.get(chain);
    const stored = { seq, text, chain, n, contents: contents.map(hashedContent) };
    const say = (finding: Pick<Finding, 'chain' | 'n' | 'reason'>): void => {
      altered.push({ n: finding.n, reason: `${finding.chain}#${finding.n}: ${finding.reason}` });
    };
    for (const finding of auditEntry(stored, (_, at) => (before?.n === at ? before.hash : undefined)))
      say(finding);
    for (const reason of await gone.check(text, contents, { chain, n })) say({ chain, n, reason });
    if (before !== undefined && ts < before.ts) say({ chain, n, reason: 'ts is before the entry before it' });
    heads.set(chain, { n, ts, hash: Buffer.from(leafHash(text)).toString('hex') });
  }
  return altered;
}

/** The replayed rows, or why the chains cannot be replayed. */
async function replay(events: readonly StoredEvent[]): Promise<MemoryProjection | string> {
  const projection = new MemoryProjection();
  for (const [i, event] of events.entries()) {
    if (i % sliceEntries === 0) await turnOfOthers();
    try {
      schema.project(eventFrom(event), projection);
    } catch (error) {
      return `entry ${event.seq} cannot be replayed: ${(error as Error).message}`;
    }
  }
  return projection;
}

async function alteredRows(
  tables: readonly Table[],
  live: readonly ReadonlyMap<Sub, AnyRow>[],
  replayed: MemoryProjection,
  aid: string,
): Promise<Altered[]> {
  const altered: Altered[] = [];
  let compared = 0;
  for (const [i, table] of tables.entries()) {
    const made = replayed.rows(table, aid) as ReadonlyMap<Sub, AnyRow>;
    const stands = live[i] as ReadonlyMap<Sub, AnyRow>;
    for (const sub of new Set([...made.keys(), ...stands.keys()])) {
      if (compared++ % sliceEntries === 0) await turnOfOthers();
      const difference = differingColumns(table, made.get(sub), stands.get(sub));
      if (difference === undefined) continue;
      const key = [aid, sub].slice(0, table.keyNames.length).join(' / ');
      altered.push({ n: null, reason: `projection ${table.name}, row ${key}: ${difference}` });
    }
  }
  return altered;
}
