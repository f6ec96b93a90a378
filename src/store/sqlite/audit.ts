/**
 * `colophon verify` on the embedded store: two threads recompute the whole ledger from its bytes, the tree head is
 * compared with the signed checkpoint, and the file is checked page by page. A damaged file is a finding; what can
 * still be read is audited.
 */
import { extname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { checkReadable } from '../../engine/ledger-version.ts';
import type { Finding } from '../../ledger/audit.ts';
import { tileWidth } from '../../ledger/tiles.ts';
import { rootOf } from '../../ledger/merkle.ts';
import { auditScrubs } from './audit-scrubs.ts';
import { auditRanges, type AuditTask, type RangeReport } from './audit-worker.ts';
import { contentSlots, hasColumn, keyringSum } from './ddl.ts';
import { quote } from '../sql.ts';
import { keyringOf, storedVersion } from './version.ts';

export interface SqliteAudit {
  readonly entries: number;
  readonly contents: number;
  /** 32 bytes: the root of the log as recomputed. */
  readonly root: Uint8Array;
  /** The newest checkpoint as stored; null for an empty ledger. */
  readonly checkpoint: string | null;
  readonly findings: readonly Finding[];
  /** Contents that were scrubbed: their commitments stand, and nothing is left to compare with them. */
  readonly scrubbed: number;
}

/** `location` is what `files-at-rest.ts` says to open. `threads`: this one and workers beside it. `pages` also runs SQLite's own integrity check over every page and index. */
export async function auditSqlite(
  location: string,
  options: {
    readonly threads: number;
    readonly pages: boolean;
    readonly progress: (done: number, of: number) => void;
  },
): Promise<SqliteAudit> {
  const findings: Finding[] = [];
  const say = (reason: string): void => {
    findings.push({ seq: null, chain: null, n: null, reason });
  };
  let size = 0;
  let checkpoint: string | null = null;
  const db = new DatabaseSync(location, { readOnly: true });
  try {
    // One snapshot: a writer beside us must not put its newer checkpoint over an older count.
    reading('the database', say, () => db.exec('BEGIN'));
    const version = reading('the schema version', say, () => storedVersion(db));
    if (version !== undefined && typeof version !== 'string') checkReadable(version);
    size =
      reading(
        'the entries',
        say,
        () => ((db.prepare('SELECT max(seq) AS last FROM entry').get()?.['last'] as number | null) ?? -1) + 1,
      ) ?? 0;
    checkpoint =
      reading(
        'the checkpoint',
        say,
        () =>
          db.prepare("SELECT value FROM meta WHERE name = 'checkpoint'").get()?.['value'] as
            string | undefined,
      ) ?? null;
    if (options.pages) reading('the pages', say, () => auditPages(db, say));
    const done = Array.from({ length: options.threads }, () => 0);
    const reports = await auditedRanges(location, size, options.threads, (thread, count) => {
      done[thread] = count;
      options.progress(
        done.reduce((sum, each) => sum + each, 0),
        size,
      );
    });
    for (const finding of reports.flatMap((report) => report.findings)) findings.push(finding);
    const roots = reports.flatMap((report) => hashesOf(report.tileRoots));
    reading('the tiles', say, () => auditTiles(db, roots, size, say));
    reading('what lies beside the log', say, () => auditStrays(db, size, say));
    reading('the keyring', say, () => auditKeyring(db, say));
    const scrubbed = reading('what was scrubbed', say, () =>
      auditScrubs(db, (finding) => findings.push(finding)),
    );
    return {
      scrubbed: scrubbed ?? 0,
      entries: size,
      contents: reports.reduce((sum, report) => sum + report.contents, 0),
      root: rootFrom(roots, hashesOf(reports[reports.length - 1]?.tail ?? new Uint8Array())),
      checkpoint,
      findings: findings.sort((a, b) => (a.seq ?? -1) - (b.seq ?? -1)),
    };
  } finally {
    db.close();
  }
}

/** Reads something; SQLite's refusal to is a finding. */
function reading<T>(what: string, say: (reason: string) => void, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    say(`${what} cannot be read, the database file is damaged: ${(error as Error).message}`);
    return undefined;
  }
}

const pageFindingsMax = 50;

/** SQLite names trees by their root page; a reader wants the table. */
function auditPages(db: DatabaseSync, say: (reason: string) => void): void {
  const names = new Map(
    (
      db.prepare('SELECT rootpage, name FROM sqlite_schema').all() as {
        readonly rootpage: number;
        readonly name: string;
      }[]
    ).map(({ rootpage, name }) => [rootpage, name]),
  );
  let damaged = false;
  const check = reading(
    'every page',
    say,
    () =>
      db.prepare(`PRAGMA integrity_check(${pageFindingsMax})`).all() as unknown as readonly {
        readonly integrity_check: string;
      }[],
  );
  for (const row of check ?? [{ integrity_check: 'the check itself stopped' }]) {
    if (row.integrity_check === 'ok') continue;
    damaged = true;
    const named = row.integrity_check.replace(/\bTree (\d+)\b/g, (all, page: string) =>
      names.has(Number(page)) ? `table or index ${names.get(Number(page))} (${all})` : all,
    );
    say(`the database file is damaged: ${named}`);
  }
  if (!damaged) return;
  for (const { name } of db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as {
    readonly name: string;
  }[])
    auditRows(db, name, say);
}

/** A record that cannot be decoded ends a check without a name; reading the table to its end finds the place. */
function auditRows(db: DatabaseSync, table: string, say: (reason: string) => void): void {
  // What ended the check of the whole file may lie in an index, which reading the table does not touch.
  reading(`an index of table ${table}, or the table itself,`, say, () =>
    db.prepare(`PRAGMA integrity_check(${quote(table)})`).all(),
  );
  let last = 'its beginning';
  try {
    for (const row of db.prepare(`SELECT * FROM ${quote(table)}`).iterate())
      last = `row ${Object.values(row)
        .slice(0, 2)
        .map((value) => (value instanceof Uint8Array ? 'bytes' : String(value)))
        .join(' / ')
        .slice(0, 120)}`;
  } catch (error) {
    say(
      `the database file is damaged: table ${table} cannot be read behind ${last}: ${(error as Error).message}`,
    );
  }
}

/** What no entry leads to: rows before or behind the log, which a reader by chain would still find. */
function auditStrays(db: DatabaseSync, size: number, say: (reason: string) => void): void {
  for (const row of db.prepare('SELECT seq FROM entry WHERE seq < 0 LIMIT 20').all())
    say(`entry ${String(row['seq'])} is stored outside the log`);
  for (const row of db
    .prepare('SELECT id FROM content WHERE id < 0 OR id >= ? LIMIT 20')
    .all(size * contentSlots))
    say(`content row ${String(row['id'])} belongs to no entry of the log`);
}

function auditKeyring(db: DatabaseSync, say: (reason: string) => void): void {
  const keyring = keyringOf(db);
  const sums = hasColumn(db, keyring, 'sum') ? 'sum' : 'NULL AS sum';
  for (const { name, value, sum } of db.prepare(`SELECT name, value, ${sums} FROM ${keyring}`).all() as {
    readonly name: string;
    readonly value: string;
    readonly sum: string | null;
  }[]) {
    if (sum !== null && sum !== keyringSum(name, value))
      say(`keyring row ${name} does not hold what was stored in it`);
  }
}

/** Starting a worker costs more than auditing so few entries here. */
const inlineMax = 4096;

/** The reports of all ranges, in order. This thread takes ranges while the workers beside it still start. */
async function auditedRanges(
  path: string,
  size: number,
  threads: number,
  progress: (thread: number, done: number) => void,
): Promise<RangeReport[]> {
  const task: AuditTask = { path, size, taken: new SharedArrayBuffer(4) };
  const workers = size <= inlineMax ? 0 : threads - 1;
  const running = Array.from({ length: workers }, (_, i) => inWorker(task, (done) => progress(i + 1, done)));
  const own = auditRanges(task, (done) => progress(0, done));
  return [own, ...(await Promise.all(running))].flat().sort((a, b) => a.from - b.from);
}

function inWorker(task: AuditTask, progress: (done: number) => void): Promise<readonly RangeReport[]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(`./audit-worker${extname(import.meta.url)}`, import.meta.url), {
      workerData: task,
      execArgv: [],
    });
    worker.on('message', (message: { readonly reports?: readonly RangeReport[]; readonly done?: number }) => {
      if (message.done !== undefined) progress(message.done);
      if (message.reports !== undefined) resolve(message.reports);
    });
    worker.on('error', reject);
  });
}

/** RFC 6962 §2.1 over nodes of one height: whole tiles split exactly as leaves do, and the unfinished one comes last. */
function rootFrom(roots: readonly Uint8Array[], tail: readonly Uint8Array[]): Uint8Array {
  return rootOf(tail.length === 0 ? roots : [...roots, rootOf(tail)]);
}

/** Stored tiles above the leaves, recomputed from the roots of those below; and those that should not be there. */
function auditTiles(
  db: DatabaseSync,
  tileRoots: readonly Uint8Array[],
  size: number,
  say: (reason: string) => void,
): void {
  const tile = db.prepare('SELECT bytes FROM tile WHERE level = ? AND n = ?');
  let below = tileRoots;
  for (let level = 1; below.length >= tileWidth; level++) {
    const above: Uint8Array[] = [];
    for (let n = 0; (n + 1) * tileWidth <= below.length; n++) {
      const hashes = below.slice(n * tileWidth, (n + 1) * tileWidth);
      const stored = (tile.get(level, n) as { readonly bytes: Uint8Array } | undefined)?.bytes;
      if (stored === undefined || !Buffer.concat(hashes).equals(stored))
        say(`tile ${level}/${n} does not hold the roots of the tiles below it`);
      above.push(rootOf(hashes));
    }
    below = above;
  }
  for (const { level, n } of db.prepare('SELECT level, n FROM tile').iterate() as Iterable<{
    readonly level: number;
    readonly n: number;
  }>) {
    if (level < 0 || n < 0 || (n + 1) * tileWidth ** (level + 1) > size)
      say(`tile ${level}/${n} is stored, and the log has no such tile`);
  }
}

function hashesOf(bytes: Uint8Array): Uint8Array[] {
  const out: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += 32) out.push(bytes.subarray(at, at + 32));
  return out;
}
