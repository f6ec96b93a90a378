/**
 * `colophon backup` (contract §0): a folder with what belongs to the ledger, the secret and the last checkpoint, taken
 * beside a running server. The manifest is written last.
 */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { BadConfig, checkpointFile, type Config } from '../config.ts';
import type { BackupReport, Progress } from '../doors/cli/command.ts';
import type { BackupTools, StoreKind } from '../engine/store-kind.ts';
import { BadBackup, describeFile, writeManifest, type BackupFile, type Manifest } from './backup-manifest.ts';
import { originOf, secretFile } from './signing-key.ts';

/** `tools` back up the ledger itself, where the backup has no copy of it. */
export async function backupDeployment(
  config: Config,
  kind: StoreKind,
  to: string,
  progress: Progress,
): Promise<{ readonly report: BackupReport; readonly tools: BackupTools | undefined }> {
  const from = config.dataFolder;
  if (!existsSync(from)) throw new BadConfig(`There is no data folder ${from}; set COLOPHON_DATA.`);
  const wasMade = makeEmpty(to);
  try {
    const paths = new Set<string>();
    if (copyPrivate(config.checkpointPath, join(to, checkpointFile))) paths.add(checkpointFile);
    if (copyPrivate(join(from, secretFile), join(to, secretFile))) paths.add(secretFile);
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
      store: kind.name,
      origin: copied.origin ?? originOf(config.baseUrl),
      secret: config.secretKey === undefined ? 'file' : 'environment',
      files,
    };
    writeManifest(to, manifest);
    const { store, secret } = manifest;
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    return { report: { folder: to, store, secret, files: files.length, bytes }, tools: kind.backupTools };
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
