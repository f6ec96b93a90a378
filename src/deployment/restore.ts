/**
 * `colophon restore` (contract §0): a backup is put into an empty data folder only, under another name until every byte
 * was compared with the manifest and the whole ledger verified.
 */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { checkpointFile, type Config } from '../config.ts';
import type { Progress, RestoreReport } from '../doors/cli/command.ts';
import { NotUpgraded } from '../engine/ledger-version.ts';
import type { StoreKind } from '../engine/store-kind.ts';
import { syncEntry, syncTree } from '../doors/cli/sync-tree.ts';
import { auditDeployment } from './audit.ts';
import { type BackupFile, BadBackup, describeFile, readManifest } from './backup.ts';
import {
  copiesOfThisLog,
  cosignedPath,
  disagreement,
  readCheckpointCopies,
  type CheckpointCopy,
} from './checkpoint-file.ts';
import { markRestored } from './cosigning.ts';
import { beginNewLog } from './new-log.ts';
import { verifierKeyOf } from './start-keys.ts';
import { beginWitnessAnew } from './witness.ts';

/** `kindOf` selects the store kind of a configuration. */
export async function restoreDeployment(
  config: Config,
  kindOf: (config: Config) => Promise<StoreKind>,
  from: string,
  progress: Progress,
  acceptRollback: boolean,
): Promise<RestoreReport> {
  const manifest = readManifest(from);
  const target = config.dataFolder;
  if (existsSync(target) && (!statSync(target).isDirectory() || readdirSync(target).length > 0))
    throw new BadBackup(
      `the data folder ${target} is not empty; move it away, or set COLOPHON_DATA to a new one.`,
    );
  if (config.databaseUrl !== undefined)
    throw new BadBackup(
      'DATABASE_URL is set, and a backup is restored into a data folder, as an embedded ledger: unset DATABASE_URL, restore, then run colophon transfer --to with that URL.',
    );
  if (manifest.secret === 'environment' && config.secretKey === undefined)
    throw new BadBackup(
      'the secret key of that deployment stood in its environment: set COLOPHON_SECRET_KEY to it.',
    );
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  const staging = mkdtempSync(join(dirname(target), `.${basename(target)}.restoring-`));
  try {
    await copyCompared(from, staging, manifest.files, progress);
    const restored = { ...config, dataFolder: staging, checkpointPath: join(staging, checkpointFile) };
    const kind = await kindOf(restored);
    const verified = await verify(config, restored, kind, progress, acceptRollback);
    let note: Pick<RestoreReport, 'note'> = {};
    if (verified.problems.length === 0) {
      note = await witnessAnew(config, restored, kind);
      if (!acceptRollback) await unlessOld(() => markRestored(kind));
      syncTree(staging);
      if (existsSync(target)) rmdirSync(target);
      renameSync(staging, target);
      syncEntry(dirname(target));
    }
    const { store, taken_of = store, made_at, files } = manifest;
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    return { folder: target, store: taken_of, made_at, files: files.length, bytes, ...verified, ...note };
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Ledgers of 0.1.0 never were witnesses. */
async function witnessAnew(
  config: Config,
  restored: Config,
  kind: StoreKind,
): Promise<Pick<RestoreReport, 'note'>> {
  const note = await unlessOld(() => beginWitnessAnew(config, restored, kind));
  return note === undefined ? {} : { note };
}

async function unlessOld<T>(step: () => Promise<T>): Promise<T | undefined> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof NotUpgraded) return undefined;
    throw error;
  }
}

async function verify(
  config: Config,
  restored: Config,
  kind: StoreKind,
  progress: Progress,
  acceptRollback: boolean,
): Promise<Pick<RestoreReport, 'entries' | 'problems'>> {
  const { entries, problems } = await auditDeployment(restored, kind, {
    ledgerOnly: false,
    progress: (done, of) => progress('verifying', done, of),
  });
  if (problems.length > 0) return { entries, problems };
  const lost = await newerKept(config, restored, kind);
  if (!acceptRollback)
    return {
      entries,
      problems:
        lost === undefined
          ? []
          : [
              `${lost.problem} Restore a newer backup, or repeat with --accept-rollback, which begins a new log with a new key.`,
            ],
    };
  const problem = lost?.problem ?? 'An older backup was restored; what came after it is lost.';
  await beginNewLog(restored, kind, problem, lost?.note);
  return { entries, problems };
}

/** What is kept on another disk and says that the ledger in the backup is an older one. */
async function newerKept(
  { checkpointPath }: Config,
  restored: Config,
  kind: StoreKind,
): Promise<(CheckpointCopy & { readonly problem: string }) | undefined> {
  return kind.withSnapshot(async (ledger) => {
    const copies = await copiesOfThisLog(readCheckpointCopies({ ...restored, checkpointPath }), ledger);
    const { size } = await ledger.head();
    const key = await verifierKeyOf(restored, (name) => ledger.keyring(name));
    const log = { size, rootAt: (of: number) => ledger.rootAt(of) };
    for (const kept of copies) {
      if (kept.path !== checkpointPath && kept.path !== cosignedPath(checkpointPath)) continue;
      const problem = await disagreement(log, kept.note, key, `kept in ${kept.path}`);
      if (problem !== undefined) return { ...kept, problem };
    }
    return undefined;
  });
}

/** Compares the copied bytes, so that a backup that changes meanwhile is detected. */
async function copyCompared(
  from: string,
  to: string,
  files: readonly BackupFile[],
  progress: Progress,
): Promise<void> {
  for (const [i, file] of files.entries()) {
    mkdirSync(dirname(join(to, file.path)), { recursive: true, mode: 0o700 });
    if (!existsSync(join(from, file.path)))
      throw new BadBackup(`the backup has lost ${file.path}. Use another backup.`);
    copyFileSync(join(from, file.path), join(to, file.path));
    chmodSync(join(to, file.path), 0o600);
    const found = await describeFile(to, file.path);
    if (found.sha256 !== file.sha256 || found.bytes !== file.bytes)
      throw new BadBackup(
        `${file.path} of the backup is not what its manifest says: it was altered or damaged. Use another backup.`,
      );
    progress('comparing', i + 1, files.length);
  }
}
