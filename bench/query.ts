/**
 * The graph query at 100,000 claims, all of one article, on both stores: the slowest of the questions that a
 * reader may ask, each a median of several. Reach: 50 ms.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimFactTable, projectClaimFacts } from '../src/domain/query/claim-facts.ts';
import type { Act, Schema } from '../src/engine/act.ts';
import type { Condition, Selection, Store } from '../src/engine/store.ts';
import type { JsonValue } from '../src/kernel/json.ts';
import { openPostgres } from '../src/store/postgres/store.ts';
import { openSqlite } from '../src/store/sqlite/store.ts';
import { hasPostgres, startPostgres } from '../test/support/postgres.ts';
import { sign } from '../test/support/stores.ts';
import { alone, median, skipped, type Row, type Settings } from './row.ts';

const claims = 100_000;
const anAct = 500;
const aid = 'art_aaaaaaaaaaaaaaaa';
const schema: Schema = { version: 1, tables: [claimFactTable], project: projectClaimFacts };
const tiers = ['human', 'preclinical', 'anecdotal', 'mechanistic', 'speculative', 'system'];

const questions: readonly { readonly name: string; readonly ask: Partial<Selection> }[] = [
  { name: 'all', ask: {} },
  { name: 'a common tier', ask: { where: [is('tier', 'human')] } },
  { name: 'a rare tier by weight', ask: { where: [is('tier', 'system')], order: 'weight', reverse: true } },
  {
    name: 'a status by time',
    ask: { where: [is('status', 'retracted')], order: 'posted_at', reverse: true },
  },
  { name: 'part of a text', ask: { where: [{ column: 'folded', op: 'contains', value: 'claim 77777 ' }] } },
  { name: 'part of no text', ask: { where: [{ column: 'folded', op: 'contains', value: 'no such words' }] } },
  {
    name: 'part of no text by weight',
    ask: {
      where: [{ column: 'folded', op: 'contains', value: 'no such words' }],
      order: 'weight',
      reverse: true,
    },
  },
  {
    name: 'two conditions',
    ask: { where: [is('tier', 'preclinical'), { column: 'weight', op: '>', value: 0.4 }], order: 'weight' },
  },
];

function is(column: string, value: string): Condition {
  return { column, op: '=', value };
}

function posting(first: number): Act<null> {
  const change = Array.from({ length: anAct }, (_, i) => claimFrom(first + i));
  return {
    name: 'post',
    keys: [],
    decide(tx) {
      tx.append({
        draft: { chain: `${aid}.provenance`, ts: timeOf(first), actor: 'owner', action: 'claim' },
        head: first === 1 ? null : head,
        contents: [{ field: 'content_sha', value: { change: { claims: change } } as unknown as JsonValue }],
      });
      return null;
    },
  };
}

let head: { readonly n: number; readonly hash: string; readonly ts: string } | null = null;

function timeOf(n: number): string {
  return new Date(1_700_000_000_000 + n * 1000).toISOString();
}

function claimFrom(n: number): object {
  const text = `Claim ${n} says that measurement ${(n * 7919) % 100_003} exceeds its mean by ${n % 97} units.`;
  return {
    n,
    plain: text,
    claim: {
      id: `c${n}`,
      text,
      tier: n % 1000 === 0 ? 'system' : tiers[n % 5],
      weight: (n % 9) / 10,
      status: n % 50 === 0 ? 'retracted' : 'active',
      source_status: 'sourced',
      source_ids: ['s1'],
      slot: null,
      section: null,
      who_claims: 'a bench',
      evidence_basis: null,
      version: 1,
      posted_by: { ts: timeOf(n), actor: 'owner' },
      hash: 'f'.repeat(64),
    },
  };
}

async function measure(name: string, store: Store, settings: Settings): Promise<Row> {
  head = null;
  for (let first = 1; first <= claims; first += anAct) {
    const done = await store.run(posting(first));
    if (!('entries' in done)) throw new Error(done.message);
    const [appended] = done.entries;
    if (appended !== undefined)
      head = { n: appended.sealed.entry.n, hash: appended.sealed.hash, ts: appended.sealed.entry.ts };
  }
  const figures: { readonly name: string; readonly ms: number }[] = [];
  for (const { name: question, ask } of questions) {
    const times: number[] = [];
    for (let round = 0; round < (settings.quick ? 5 : 25); round++) {
      const started = performance.now();
      await store.read.select(claimFactTable, { ids: [aid], where: [], order: 'aid', limit: 51, ...ask });
      times.push(performance.now() - started);
    }
    figures.push({ name: question, ms: median(times) });
  }
  const slowest = figures.reduce((a, b) => (b.ms > a.ms ? b : a));
  const note = figures.map((each) => `${each.name} ${each.ms.toFixed(1)}`).join(', ');
  return alone(`query of 100,000 claims, ${name}: ${slowest.name}`, slowest.ms, 'ms', '<= 50', { note });
}

export async function run(settings: Settings): Promise<Row[]> {
  const rows: Row[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'colophon-bench-'));
  const sqlite = openSqlite({ folder, schema, sign });
  try {
    rows.push(await measure('SQLite', sqlite, settings));
  } finally {
    await sqlite.close();
    rmSync(folder, { recursive: true });
  }
  if (!hasPostgres) return [...rows, skipped('query, PostgreSQL', 'there is none for this platform')];
  const server = await startPostgres();
  const postgres = await openPostgres({ url: await server.database(), schema, sign });
  try {
    rows.push(await measure('PostgreSQL', postgres, settings));
  } finally {
    await postgres.close();
    await server.stop();
  }
  return rows;
}
