/**
 * `colophon backup` (contract §0): a folder with what belongs to the ledger, the secret and the last checkpoint, taken
 * beside a running server. The ledger has the form of the embedded store, whatever the store. The manifest is written
 * last, when everything else is on disk.
 */
import {
  chmodSync,
  copyFileSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { BadConfig, checkpointFile, type Config } from '../config.ts';
import type { BackupReport, Progress } from '../doors/cli/command.ts';
import type { StoreKind } from '../engine/store-kind.ts';
import { syncEntry, syncTree } from '../doors/cli/sync-tree.ts';
import { originOf, secretFile } from './start-keys.ts';
import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { OperatorError } from '../engine/store.ts';

export async function backupDeployment(
  config: Config,
  kind: StoreKind,
  to: string,
  progress: Progress,
): Promise<BackupReport> {
  const from = config.dataFolder;
  // On a database it holds only what this node keeps.
  if (!existsSync(from) && !kind.isShared)
    throw new BadConfig(`There is no data folder ${from}; set COLOPHON_DATA.`);
  const wasMade = makeEmpty(to);
  try {
    const paths = new Set<string>();
    if (copyPrivate(config.checkpointPath, join(to, checkpointFile))) paths.add(checkpointFile);
    // A database has its secret in the environment; a file may be left of another ledger.
    if (!kind.isShared && copyPrivate(join(from, secretFile), join(to, secretFile))) paths.add(secretFile);
    const copied = await kind.backup(to, (done, of) => progress('copying', done, of));
    for (const path of copied.paths) paths.add(path);
    // The copy kept apart from the ledger may be a second old; this one covers all that was copied.
    if (copied.checkpoint !== undefined) {
      writeFileSync(join(to, checkpointFile), copied.checkpoint, { mode: 0o600 });
      paths.add(checkpointFile);
    }
    const files: BackupFile[] = [];
    for (const path of paths) {
      files.push(await describeFile(to, path));
      progress('hashing', files.length, paths.size);
    }
    const manifest: Manifest = {
      format: 1,
      made_at: new Date().toISOString(),
      store: storeOfBackups,
      taken_of: kind.name,
      origin: copied.origin ?? originOf(config.baseUrl),
      secret: config.secretKey === undefined ? 'file' : 'environment',
      files,
    };
    syncTree(to);
    writeManifest(to, manifest);
    const { secret } = manifest;
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    return { folder: to, store: kind.name, secret, files: files.length, bytes };
  } catch (error) {
    // An incomplete backup is removed; without a manifest it is not a backup.
    rmSync(to, { recursive: true, force: true });
    if (!wasMade) mkdirSync(to, { mode: 0o700 });
    throw error;
  }
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

function copyPrivate(from: string, to: string): boolean {
  if (!existsSync(from)) return false;
  copyFileSync(from, to);
  chmodSync(to, 0o600);
  return true;
}

export const manifestName = 'manifest.json';

/** The form of the ledger in a backup. */
const storeOfBackups = 'sqlite';
const ledgerPath = /^(?:colophon\.db|blobs\/[0-9a-f]{2}\/[0-9a-f]{64})$/;

export interface BackupFile {
  /** Below the backup's folder, with slashes. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface Manifest {
  readonly format: 1;
  readonly made_at: string;
  /** The store kind whose form the ledger has. */
  readonly store: string;
  /** The store kind that it was copied from; the same one where it is left out. */
  readonly taken_of?: string;
  /** What the log is called, which no other deployment may be. */
  readonly origin: string;
  /** Whether the secret key is in the backup, or stands in the environment and must be kept by itself. */
  readonly secret: 'file' | 'environment';
  readonly files: readonly BackupFile[];
}

export class BadBackup extends OperatorError {}

export async function describeFile(folder: string, path: string): Promise<BackupFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  await pipeline(createReadStream(join(folder, path)), async function (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      hash.update(chunk);
    }
  });
  return { path, bytes, sha256: hash.digest('hex') };
}

function writeManifest(folder: string, manifest: Manifest): void {
  const path = join(folder, manifestName);
  writeFileSync(`${path}.new`, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
  syncEntry(folder);
}

/**
 * The manifest of a backup. Only paths that a backup may hold are followed. Throws `BadBackup` with what is wrong and
 * what to do.
 */
export function readManifest(folder: string): Manifest {
  let manifest: Partial<Manifest>;
  try {
    manifest = JSON.parse(readFileSync(join(folder, manifestName), 'utf8')) as Partial<Manifest>;
  } catch (error) {
    throw new BadBackup(
      `${folder} is no finished backup: its ${manifestName} cannot be read (${(error as Error).message}). Use another backup.`,
    );
  }
  if (manifest.format !== 1)
    throw new BadBackup(`the backup has format ${String(manifest.format)}; this version restores format 1.`);
  if (manifest.store !== storeOfBackups)
    throw new BadBackup(
      `${folder} holds the keys of a deployment on PostgreSQL and not its ledger, as backups of older versions did. Restore the database with pg_restore, and start with the COLOPHON_SECRET_KEY of that deployment.`,
    );
  const { files } = manifest;
  const isList =
    Array.isArray(files) &&
    files.every(
      (file: Partial<BackupFile> | null) =>
        typeof file?.path === 'string' &&
        (file.path === secretFile || file.path === checkpointFile || ledgerPath.test(file.path)) &&
        Number.isSafeInteger(file.bytes) &&
        /^[0-9a-f]{64}$/.test(file.sha256 ?? ''),
    );
  if (!isList)
    throw new BadBackup(
      `the ${manifestName} of ${folder} was altered or damaged: it lists what no backup holds.`,
    );
  return manifest as Manifest;
}
