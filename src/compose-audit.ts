/**
 * Verifying and rebuilding a deployment from outside: the ledger's bytes are recomputed, the tree head is
 * compared with the signed checkpoints (the stored one and the one kept apart), and projections with their
 * replay. Beside `compose.ts` the only place that knows the stores.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { deriveSecrets } from './app/credentials/secrets.ts';
import { BadConfig, type Config } from './config.ts';
import { fileSecret, logLabel, logOrigin, originOf, secretFile } from './data-folder.ts';
import type { AuditReport, ReplayReport } from './doors/cli/verb.ts';
import type { Schema } from './engine/act.ts';
import { auditReader, type ReaderAudit } from './engine/audit-reader.ts';
import { notUpgraded, projectionStamp, UnsupportedLedger } from './engine/ledger-version.ts';
import type { SearchIndex } from './engine/search-index.ts';
import { aboutThisLog, keptNotes } from './kept-checkpoint.ts';
import { lostCheckpoint, type Reader } from './engine/store.ts';
import { openCheckpoint } from './ledger/checkpoint.ts';
import type { VerifierKey } from './ledger/note.ts';
import { isRefusal } from './ledger/refusal.ts';
import { sayFinding } from './ledger/audit.ts';
import type { Snapshot } from './store/postgres/snapshot.ts';
import type { RowDifference } from './store/rebuild.ts';
import { auditSqlite } from './store/sqlite/audit.ts';
import { databaseName } from './store/sqlite/ddl.ts';
import { withFiles, type LedgerFiles } from './store/sqlite/files-at-rest.ts';
import { readableVersion, type FoundVersion } from './store/sqlite/version.ts';
import { ReadOnlyLedger } from './store/sqlite/read-only.ts';

/** The ledger's bytes are judged without what projects them, serves them and decides upon them: that takes long to load. */
const replaying = async () => ({
  ...(await import('./store/rebuild.ts')),
  ...(await import('./domain/schema.ts')),
});
const composing = () => import('./compose.ts');

export interface AuditOptions {
  readonly ledgerOnly: boolean;
  readonly progress: (done: number, of: number) => void;
}

export async function auditDeployment(config: Config, options: AuditOptions): Promise<AuditReport> {
  return config.databaseUrl === undefined
    ? withFiles(embeddedFolder(config), (files) => auditEmbedded(config, files, options))
    : auditShared(config, config.databaseUrl, options);
}

/** On PostgreSQL the ledger is read as of one moment, over a connection that writes nothing. */
async function auditShared(config: Config, url: string, options: AuditOptions): Promise<AuditReport> {
  // Read before the ledger: beside running nodes the ledger may be longer than this copy, never shorter.
  const before = keptNotes(config);
  const { checkProjections, schema } = await replaying();
  const snapshot = await openSnapshot(url, schema);
  try {
    const { read } = snapshot;
    const checkpoint = await read.checkpoint();
    const key = keyOf(config, await snapshot.keyring(logOrigin), await snapshot.keyring(logLabel));
    const kept = await aboutThisLog(before, read);
    const sizes = [checkpoint?.size ?? 0, ...kept.map(({ note }) => sizeOf(note, key) ?? 0)];
    const report = await auditReader(read, new Set(sizes), (done) =>
      options.progress(done, checkpoint?.size ?? done),
    );
    const pending = await judgePending(snapshot, report);
    const problems = [...report.findings.map(sayFinding), ...(await snapshot.strays())];
    const [reason = ''] = ((await snapshot.keyring(lostCheckpoint)) ?? '').split('\n');
    if (reason !== '') problems.push(`a running node found that the database was set back: ${reason}`);
    const root = report.rootAt(report.entries) as Uint8Array;
    const rootAt = (size: number): Uint8Array => report.rootAt(size) ?? root;
    if (checkpoint !== null || report.entries > 0)
      problems.push(
        ...checkpointProblems(
          'stored in the ledger',
          checkpoint?.note ?? '',
          report.entries,
          rootAt,
          key,
          true,
        ),
      );
    for (const { note } of kept)
      problems.push(...checkpointProblems('kept apart', note, report.entries, rootAt, key, false));
    const common = {
      entries: report.entries,
      pending,
      contents: report.contents,
      scrubbed: report.scrubbed,
      root: Buffer.from(root).toString('base64'),
    };
    if (options.ledgerOnly || problems.length > 0) return { ...common, rows: null, problems };
    const other = incomparable(snapshot.version, schema);
    if (other !== undefined) return { ...common, rows: null, problems, note: leftOut(other) };
    const replay = await checkProjections(snapshot.committed, schema, () => undefined);
    return { ...common, rows: replay.rows, problems: replay.differences.map(sayDifference) };
  } finally {
    snapshot.close();
  }
}

const pendingAtOnce = 2000;

async function judgePending(snapshot: Snapshot, report: ReaderAudit): Promise<number> {
  for (let count = 0; ;) {
    const entries = await snapshot.pending(count, pendingAtOnce);
    await report.judgePending(entries);
    count += entries.length;
    if (entries.length < pendingAtOnce) return count;
  }
}

/** A database that this version does not read is the operator's to settle, and no damage. */
async function openSnapshot(url: string, schema: Schema): Promise<Snapshot> {
  const postgres = await import('./store/postgres/snapshot.ts');
  try {
    return await postgres.openSnapshot(url, schema);
  } catch (error) {
    throw error instanceof postgres.NoLedger ? new BadConfig(error.message) : error;
  }
}

function sizeOf(note: string, key: VerifierKey): number | undefined {
  const checkpoint = openCheckpoint(note, [key]);
  return isRefusal(checkpoint) ? undefined : checkpoint.size;
}

function sayDifference({ table, key, replayed, live }: RowDifference): string {
  if (replayed === null && live === null) return `projection ${table}: ${key}`;
  return `projection ${table}, row ${key}: ${live === null ? 'missing' : replayed === null ? 'not in the ledger' : 'differs from what the ledger gives'}`;
}

async function auditEmbedded(
  config: Config,
  files: LedgerFiles,
  options: AuditOptions,
): Promise<AuditReport> {
  const location = files.location(databaseName);
  // Read before the ledger: beside a running server the ledger may be longer than this copy, never shorter.
  const before = keptNotes(config);
  const report = await auditSqlite(location, {
    threads: 2,
    pages: !options.ledgerOnly,
    progress: options.progress,
  });
  const problems = report.findings.map(sayFinding);
  const size = report.entries;
  const common = {
    entries: size,
    pending: 0,
    contents: report.contents,
    scrubbed: report.scrubbed,
    root: Buffer.from(report.root).toString('base64'),
  };
  const ledger = new ReadOnlyLedger(config.dataFolder, location);
  try {
    const key = verifierKeyOf(config, ledger);
    const rootAt = (of: number): Uint8Array => (of === size ? report.root : ledger.rootAt(of));
    if (report.checkpoint !== null || size > 0)
      problems.push(
        ...checkpointProblems('stored in the ledger', report.checkpoint ?? '', size, rootAt, key, true),
      );
    for (const { note } of await aboutThisLog(before, ledger))
      problems.push(...checkpointProblems('kept apart', note, size, rootAt, key, false));
    if (report.version === 'unversioned')
      return { ...common, rows: null, problems, note: leftOut(notUpgraded().message) };
    if (options.ledgerOnly || problems.length > 0) return { ...common, rows: null, problems };
    const { checkProjections, schema } = await replaying();
    const reason = incomparable(report.version, schema);
    if (reason !== undefined) return { ...common, rows: null, problems, note: leftOut(reason) };
    const replay = await checkProjections(ledger, schema, () => undefined);
    return { ...common, rows: replay.rows, problems: replay.differences.map(sayDifference) };
  } catch (error) {
    if (error instanceof BadConfig) throw error;
    return {
      ...common,
      rows: null,
      problems: [...problems, `the ledger cannot be read to its end: ${(error as Error).message}`],
    };
  } finally {
    ledger.close();
  }
}

function leftOut(reason: string): string {
  return `The projections were not compared. ${reason}`;
}

/** Why the projections say nothing about the ledger, or nothing: the next start makes them again. */
function incomparable(version: FoundVersion | undefined, schema: Schema): string | undefined {
  if (version === 'unversioned') return notUpgraded().message;
  if (version === undefined || version === 'empty' || version.projections === projectionStamp(schema))
    return undefined;
  return `The projections were made by the projectors of another version (the last was ${version.build}); the next start of colophon serve makes them again, as does colophon rebuild.`;
}

/** The key that must have signed: derived from the deployment's secret and the log's name. */
export function verifierKeyOf(config: Config, ledger: ReadOnlyLedger): VerifierKey {
  return keyOf(config, ledger.keyring(logOrigin), ledger.keyring(logLabel));
}

function keyOf(config: Config, origin: string | undefined, label: string | undefined): VerifierKey {
  // An audit changes nothing: where the secret is gone it must not make another.
  if (config.secretKey === undefined && !existsSync(join(config.dataFolder, secretFile))) {
    throw new BadConfig(
      `${join(config.dataFolder, secretFile)} is missing, so the checkpoints cannot be judged; restore it from the backup, or set COLOPHON_SECRET_KEY.`,
    );
  }
  const secret = config.secretKey ?? fileSecret(config.dataFolder);
  return deriveSecrets(secret, origin ?? originOf(config.baseUrl), '00'.repeat(32), label).signer.key;
}

function checkpointProblems(
  which: string,
  note: string,
  size: number,
  rootAt: (size: number) => Uint8Array,
  key: VerifierKey,
  whole: boolean,
): string[] {
  const checkpoint = openCheckpoint(note, [key]);
  if (isRefusal(checkpoint)) return [`the checkpoint ${which} does not verify: ${checkpoint.refused}`];
  if (checkpoint.size > size)
    return [
      `the checkpoint ${which} covers ${checkpoint.size} entries; the ledger has ${size}: entries are missing at its end`,
    ];
  if (whole && checkpoint.size < size)
    return [
      `the checkpoint ${which} covers ${checkpoint.size} entries; the ledger has ${size}: entries were added that nobody signed`,
    ];
  if (!Buffer.from(rootAt(checkpoint.size)).equals(checkpoint.root))
    return [`the checkpoint ${which} signs another root over the first ${checkpoint.size} entries`];
  return [];
}

/** Compares every projection with its replay, and asks the search index; changes nothing. */
export async function checkDeployment(
  config: Config,
  progress: (done: number) => void,
): Promise<ReplayReport> {
  const { checkProjections, schema } = await replaying();
  if (config.databaseUrl === undefined)
    return withFiles(embeddedFolder(config), async (files) => {
      const { openSearchReader, searchFileName } = await import('./store/sqlite/search-file.ts');
      const location = files.location(databaseName);
      const reason = incomparable(readableVersion(location), schema);
      if (reason !== undefined) throw new UnsupportedLedger(reason);
      const hasSearch = existsSync(join(config.dataFolder, searchFileName));
      // Before the ledger: beside a running server it may be behind what it is compared with, never ahead of it.
      const search = hasSearch ? openSearchReader(files.location(searchFileName)) : undefined;
      const ledger = new ReadOnlyLedger(config.dataFolder, location);
      try {
        const report = await checkProjections(ledger, schema, progress);
        if (search === undefined) return report;
        return await askSearch(report, ledger, {
          followed: async () => search.followed(),
          find: async (wanted) => search.find(wanted),
        });
      } finally {
        ledger.close();
        search?.close();
      }
    });
  const snapshot = await openSnapshot(config.databaseUrl, schema);
  try {
    const reason = incomparable(snapshot.version, schema);
    if (reason !== undefined) throw new UnsupportedLedger(reason);
    const report = await checkProjections(snapshot.committed, schema, progress);
    return await askSearch(report, snapshot.committed, snapshot.search);
  } finally {
    snapshot.close();
  }
}

/** The search index is compared by its answers: it is no table that a replay gives. */
async function askSearch(
  report: ReplayReport,
  read: Pick<Reader, 'entries' | 'row'>,
  index: Pick<SearchIndex, 'followed' | 'find'>,
): Promise<ReplayReport> {
  const { checkSearch } = await import('./app/background/check-search.ts');
  const wrong = await checkSearch(read, index, report.entries);
  const differences = wrong.map(({ key, wanted, answered }) => ({
    table: 'search index',
    key,
    replayed: { ...wanted },
    live: answered === null ? null : { ...answered },
  }));
  return { ...report, differences: [...report.differences, ...differences] };
}

/** Makes every projection again. The server must not be running. */
export async function rebuildDeployment(
  config: Config,
  progress: (done: number) => void,
): Promise<ReplayReport> {
  const { rebuildSqlite, schema } = await replaying();
  const report =
    config.databaseUrl === undefined
      ? rebuildSqlite(embeddedFolder(config), schema, progress)
      : await rebuildShared(config, config.databaseUrl, progress);
  const { removeSearchFile, searchFileName } = await import('./store/sqlite/search-file.ts');
  // The search index, here or in the database, follows the log by itself, from its beginning, at the next start.
  removeSearchFile(join(config.dataFolder, searchFileName));
  return report;
}

async function rebuildShared(
  config: Config,
  url: string,
  progress: (done: number) => void,
): Promise<ReplayReport> {
  const { withReplay, schema } = await replaying();
  const { replaceProjections } = await import('./store/postgres/replace-projections.ts');
  const { compose } = await composing();
  const deployment = await compose(config, { acceptClock: true });
  let open = true;
  try {
    return await withReplay(deployment.service.store.read, schema, progress, async (scratch, entries) => {
      // This process was a node itself until here; what it cached must not outlive the old rows.
      await deployment.close();
      open = false;
      const rows = await replaceProjections(url, schema, (table) => scratch.scan(table));
      return { entries, tables: schema.tables.length, rows, differences: [] };
    });
  } finally {
    if (open) await deployment.close();
  }
}

function embeddedFolder(config: Config): string {
  if (!existsSync(config.dataFolder))
    throw new BadConfig(`There is no data folder ${config.dataFolder}; set COLOPHON_DATA.`);
  if (!existsSync(join(config.dataFolder, databaseName)))
    throw new BadConfig(`There is no ledger in ${config.dataFolder}; set COLOPHON_DATA.`);
  return config.dataFolder;
}
