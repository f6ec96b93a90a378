/**
 * What a backup consists of: a list of its files with sizes and SHA-256, written last, so that a backup without one
 * was not finished. Whoever restores trusts no name and no byte of it before they were compared.
 */
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { checkpointFile } from '../config.ts';
import type { StoreKind } from '../engine/store-kind.ts';
import { OperatorError } from '../engine/store.ts';
import { secretFile } from './signing-key.ts';

export const manifestName = 'manifest.json';

export interface BackupFile {
  /** Below the backup's folder, with slashes. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface Manifest {
  readonly format: 1;
  readonly made_at: string;
  /** Name of the store kind. */
  readonly store: string;
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

export function writeManifest(folder: string, manifest: Manifest): void {
  const path = join(folder, manifestName);
  writeFileSync(`${path}.new`, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/**
 * The manifest of a backup that was taken of the same kind of store. Only paths that such a backup may hold are followed.
 * Throws `BadBackup` with what is wrong and what to do.
 */
export function readManifest(
  folder: string,
  { name, backupPaths }: Pick<StoreKind, 'name' | 'backupPaths'>,
): Manifest {
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
  if (manifest.store !== name)
    throw new BadBackup(
      `the backup is of a deployment whose store is ${String(manifest.store)}, and the settings name ${name}: set DATABASE_URL as it was for that deployment, or unset it.`,
    );
  const { files } = manifest;
  const isList =
    Array.isArray(files) &&
    files.every(
      (file: Partial<BackupFile> | null) =>
        typeof file?.path === 'string' &&
        (file.path === secretFile || file.path === checkpointFile || backupPaths.test(file.path)) &&
        Number.isSafeInteger(file.bytes) &&
        /^[0-9a-f]{64}$/.test(file.sha256 ?? ''),
    );
  if (!isList)
    throw new BadBackup(
      `the ${manifestName} of ${folder} was altered or damaged: it lists what no backup holds.`,
    );
  return manifest as Manifest;
}
