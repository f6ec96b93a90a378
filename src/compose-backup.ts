/**
 * Backing a deployment up and putting it back (contract §0). A backup is taken beside a running server, from one
 * moment of the ledger; it is put into an empty data folder only, under another name until every byte was compared
 * and the whole ledger verified. Beside `compose.ts` one of the places that know the stores.
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
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  BadBackup,
  describeFile,
  readManifest,
  writeManifest,
  type BackupFile,
  type Manifest,
} from './backup-manifest.ts';
import { verifierKeyOf } from './compose-audit.ts';
import { BadConfig, checkpointFile, type Config } from './config.ts';
import { beginNewLog } from './compose-rollback.ts';
import { originOf, secretFile } from './data-folder.ts';
import type { AuditReport, BackupReport, RestoreReport } from './doors/cli/verb.ts';
import { aboutThisLog, disagreement, keptNotes, type KeptNote } from './kept-checkpoint.ts';
import { copyLedger } from './store/sqlite/copy.ts';
import { databaseName } from './store/sqlite/ddl.ts';
import { lookAtLedger, rootAt } from './store/sqlite/look.ts';
import { ReadOnlyLedger } from './store/sqlite/read-only.ts';
import { readableVersion } from './store/sqlite/version.ts';

type Progress = (what: string, done: number, of: number) => void;

export async function backupDeployment(
  config: Config,
  to: string,
  progress: Progress,
): Promise<BackupReport> {
  const from = config.dataFolder;
  if (!existsSync(from)) throw new BadConfig(`There is no data folder ${from}; set COLOPHON_DATA.`);
  if (config.databaseUrl === undefined && !existsSync(join(from, databaseName)))
    throw new BadConfig(`There is no ledger in ${from}; set COLOPHON_DATA.`);
  const made = makeEmpty(to);
  try {
    const paths: string[] = [];
    if (copyKept(config.checkpointPath, join(to, checkpointFile))) paths.push(checkpointFile);
    if (copyKept(join(from, secretFile), join(to, secretFile))) paths.push(secretFile);
    const origin =
      config.databaseUrl === undefined
        ? await backupLedger(from, to, paths, progress)
        : await backupKeyring(config, config.databaseUrl, to, paths);
    const files: BackupFile[] = [];
    for (const [i, path] of paths.entries()) {
      files.push(await describeFile(to, path));
      progress('hashing', i + 1, paths.length);
    }
    const manifest: Manifest = {
      format: 1,
      made_at: new Date().toISOString(),
      store: config.databaseUrl === undefined ? 'sqlite' : 'postgres',
      origin,
      secret: config.secretKey === undefined ? 'file' : 'environment',
      files,
    };
    writeManifest(to, manifest);
    return {
      folder: to,
      store: manifest.store,
      secret: manifest.secret,
      files: files.length,
      bytes: sum(files),
    };
  } catch (error) {
    // Half a backup helps nobody, and one without a manifest is none.
    rmSync(to, { recursive: true, force: true });
    if (!made) mkdirSync(to, { mode: 0o700 });
    throw error;
  }
}

async function backupLedger(from: string, to: string, paths: string[], progress: Progress): Promise<string> {
  readableVersion(join(from, databaseName));
  const target = join(to, databaseName);
  await copyLedger(from, target, (done, of) => progress('copying', done, of));
  chmodSync(target, 0o600);
  paths.unshift(databaseName);
  const blobs = join(from, 'blobs');
  for (const shelf of existsSync(blobs) ? readdirSync(blobs) : []) {
    for (const name of readdirSync(join(blobs, shelf))) {
      // What is being written at this moment has another name yet, and no receipt names it.
      if (!/^[0-9a-f]{64}$/.test(name)) continue;
      const path = `blobs/${shelf}/${name}`;
      mkdirSync(join(to, 'blobs', shelf), { recursive: true, mode: 0o700 });
      copyFileSync(join(from, path), join(to, path));
      paths.push(path);
    }
  }
  const { checkpoint, origin } = lookAtLedger(to);
  // The copy kept apart from the ledger may be a second old; this one covers all that was copied.
  if (checkpoint !== undefined) {
    writeFileSync(join(to, checkpointFile), checkpoint, { mode: 0o600 });
    if (!paths.includes(checkpointFile)) paths.push(checkpointFile);
  }
  return origin ?? '';
}

/** The keys that stand in the database; the ledger there is PostgreSQL's own tools' to back up. */
async function backupKeyring(config: Config, url: string, to: string, paths: string[]): Promise<string> {
  const { readKeyring } = await import('./store/postgres/look.ts');
  const keyring = await readKeyring(url);
  writeFileSync(join(to, 'keyring.json'), `${JSON.stringify(keyring, null, 2)}\n`, { mode: 0o600 });
  paths.push('keyring.json');
  return keyring['log_origin'] ?? originOf(config.baseUrl);
}

/** Answers with whether the folder had to be made. */
function makeEmpty(folder: string): boolean {
  if (!existsSync(folder)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return true;
  }
  if (!statSync(folder).isDirectory() || readdirSync(folder).length > 0)
    throw new BadBackup(`${folder} is not empty; name a folder that is empty or does not exist.`);
  chmodSync(folder, 0o700);
  return false;
}

function copyKept(from: string, to: string): boolean {
  if (!existsSync(from)) return false;
  copyFileSync(from, to);
  chmodSync(to, 0o600);
  return true;
}

function sum(files: readonly BackupFile[]): number {
  return files.reduce((bytes, file) => bytes + file.bytes, 0);
}

// Restoring

/** `audit` verifies the ledger of a configuration; nothing is restored where it finds anything. */
export async function restoreDeployment(
  config: Config,
  from: string,
  audit: (config: Config) => Promise<AuditReport>,
  progress: Progress,
  acceptRollback: boolean,
): Promise<RestoreReport> {
  const manifest = readManifest(from);
  const target = config.dataFolder;
  if (existsSync(target) && (!statSync(target).isDirectory() || readdirSync(target).length > 0))
    throw new BadBackup(
      `the data folder ${target} is not empty; move it away, or set COLOPHON_DATA to a new one.`,
    );
  if ((config.databaseUrl === undefined) !== (manifest.store === 'sqlite'))
    throw new BadBackup(
      `the backup is of a deployment on ${manifest.store === 'sqlite' ? 'the embedded store: unset DATABASE_URL' : 'PostgreSQL: set DATABASE_URL'}.`,
    );
  if (acceptRollback && manifest.store === 'postgres')
    throw new BadBackup(
      'the ledger is in PostgreSQL: restore that with pg_restore, then start with colophon serve --accept-rollback.',
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
    const report = manifest.store === 'sqlite' ? await audit(restored) : undefined;
    const problems = [...(report?.problems ?? [])];
    // On PostgreSQL the start compares it with the database.
    if (report !== undefined && problems.length === 0) {
      const lost = await newerKept(config, restored);
      if (acceptRollback)
        await beginNewLog(
          restored,
          lost?.problem ?? 'An older backup was restored; what came after it is lost.',
          lost?.note,
        );
      else if (lost !== undefined) problems.push(`${lost.problem} ${orAccept}`);
    }
    if (problems.length === 0) {
      if (existsSync(target)) rmdirSync(target);
      renameSync(staging, target);
    }
    return {
      folder: target,
      store: manifest.store,
      made_at: manifest.made_at,
      files: manifest.files.length,
      bytes: sum(manifest.files),
      entries: report?.entries ?? null,
      problems,
    };
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

const orAccept =
  'Restore a newer backup, or repeat with --accept-rollback, which begins a new log with a new key.';

/** What is kept on another disk and says that the ledger in the backup is an older one. */
async function newerKept(
  { checkpointPath }: Config,
  restored: Config,
): Promise<(KeptNote & { readonly problem: string }) | undefined> {
  const folder = restored.dataFolder;
  const ledger = new ReadOnlyLedger(folder);
  try {
    const [kept] = await aboutThisLog(keptNotes({ ...restored, checkpointPath }), ledger);
    if (kept?.path !== checkpointPath) return undefined;
    const { entries } = lookAtLedger(folder);
    const log = { size: entries, rootAt: async (size: number) => rootAt(folder, size) };
    const key = verifierKeyOf(restored, ledger);
    const problem = await disagreement(log, kept.note, key, `kept in ${checkpointPath}`);
    return problem === undefined ? undefined : { ...kept, problem };
  } finally {
    ledger.close();
  }
}

/** What was copied is what is compared: a backup that changes meanwhile fools nobody. */
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
