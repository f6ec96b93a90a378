/**
 * `colophon verify` on the embedded store: the whole ledger recomputed from its bytes by two workers, the
 * tree head compared with the signed checkpoint, and the file itself checked page by page.
 */
import { extname, join } from 'node:path';
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import type { Finding } from '../../ledger/audit.ts';
import { tileWidth } from '../../ledger/tiles.ts';
import { rootOf } from '../../ledger/merkle.ts';
import type { AuditRange, RangeReport } from './audit-worker.ts';
import { databaseName } from './ddl.ts';

export interface AuditReport {
  readonly entries: number;
  readonly contents: number;
  /** 32 bytes: the root of the log as recomputed. */
  readonly root: Uint8Array;
  /** The newest checkpoint as stored; null for an empty ledger. */
  readonly checkpoint: string | null;
  readonly findings: readonly Finding[];
}

/** `pages` also runs SQLite's own integrity check over every page and index. */
export async function auditSqlite(folder: string, options: { readonly workers: number; readonly pages: boolean; readonly progress: (done: number, of: number) => void }): Promise<AuditReport> {
  const path = join(folder, databaseName);
  if (!existsSync(path)) throw new Error(`there is no ledger in ${folder}`);
  const db = new DatabaseSync(path, { readOnly: true });
  const size = ((db.prepare('SELECT max(seq) AS last FROM entry').get()?.['last'] as number | null) ?? -1) + 1;
  const checkpoint = (db.prepare("SELECT value FROM meta WHERE name = 'checkpoint'").get()?.['value'] as string | undefined) ?? null;
  const findings: Finding[] = [];
  if (options.pages) {
    for (const row of db.prepare('PRAGMA integrity_check(50)').iterate() as unknown as Iterable<{ readonly integrity_check: string }>) {
      if (row.integrity_check !== 'ok') findings.push({ seq: null, chain: null, n: null, reason: `the database file is damaged: ${row.integrity_check}` });
    }
  }
  const tiles = Math.ceil(size / tileWidth);
  const workers = Math.max(1, Math.min(options.workers, tiles));
  const share = Math.ceil(tiles / workers) * tileWidth;
  const done = Array.from({ length: workers }, () => 0);
  const reports = await Promise.all(
    Array.from({ length: workers }, (_, i) =>
      runRange({ path, from: Math.min(i * share, size), to: Math.min((i + 1) * share, size) }, (count) => {
        done[i] = count;
        options.progress(done.reduce((sum, each) => sum + each, 0), size);
      }),
    ),
  );
  for (const report of reports) findings.push(...report.findings);
  const roots = reports.flatMap((report) => hashesOf(report.tileRoots));
  findings.push(...auditUpperTiles(db, roots));
  db.close();
  return {
    entries: reports.reduce((sum, report) => sum + report.entries, 0),
    contents: reports.reduce((sum, report) => sum + report.contents, 0),
    root: rootFrom(roots, hashesOf(reports[reports.length - 1]?.tail ?? new Uint8Array())),
    checkpoint,
    findings: findings.sort((a, b) => (a.seq ?? -1) - (b.seq ?? -1)),
  };
}

function runRange(range: AuditRange, progress: (done: number) => void): Promise<RangeReport> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(`./audit-worker${extname(import.meta.url)}`, import.meta.url), { workerData: range, execArgv: [] });
    worker.on('message', (message: { readonly report?: RangeReport; readonly done?: number }) => {
      if (message.done !== undefined) progress(message.done);
      if (message.report !== undefined) resolve(message.report);
    });
    worker.on('error', reject);
  });
}

/** RFC 6962 §2.1 over nodes of one height: whole tiles split exactly as leaves do, and the unfinished one comes last. */
function rootFrom(roots: readonly Uint8Array[], tail: readonly Uint8Array[]): Uint8Array {
  return rootOf(tail.length === 0 ? roots : [...roots, rootOf(tail)]);
}

/** Stored tiles above the leaves, recomputed from the roots of those below. */
function auditUpperTiles(db: DatabaseSync, tileRoots: readonly Uint8Array[]): Finding[] {
  const findings: Finding[] = [];
  const tile = db.prepare('SELECT bytes FROM tile WHERE level = ? AND n = ?');
  let below = tileRoots;
  for (let level = 1; below.length >= tileWidth; level++) {
    const above: Uint8Array[] = [];
    for (let n = 0; (n + 1) * tileWidth <= below.length; n++) {
      const hashes = below.slice(n * tileWidth, (n + 1) * tileWidth);
      const stored = (tile.get(level, n) as { readonly bytes: Uint8Array } | undefined)?.bytes;
      if (stored === undefined || !Buffer.concat(hashes).equals(stored)) findings.push({ seq: null, chain: null, n: null, reason: `tile ${level}/${n} does not hold the roots of the tiles below it` });
      above.push(rootOf(hashes));
    }
    below = above;
  }
  return findings;
}

function hashesOf(bytes: Uint8Array): Uint8Array[] {
  const out: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += 32) out.push(bytes.subarray(at, at + 32));
  return out;
}
