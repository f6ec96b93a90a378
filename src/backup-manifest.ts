/**
 * What a backup consists of: a list of its files with sizes and SHA-256, written last, so that a backup without one
 * was not finished. Whoever restores trusts no name and no byte of it before they were compared.
 */
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

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
  readonly store: 'sqlite' | 'postgres';
  /** What the log is called, which no other deployment may be. */
  readonly origin: string;
  /** Whether the secret key is in the backup, or stands in the environment and must be kept by itself. */
  readonly secret: 'file' | 'environment';
  readonly files: readonly BackupFile[];
}

/** The files that a backup may hold; no other name is ever followed. */
const known = /^(?:colophon\.db|secret\.key|checkpoint|keyring\.json|blobs\/[0-9a-f]{2}\/[0-9a-f]{64})$/;

export class BadBackup extends Error {}

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

/** Throws `BadBackup` with what is wrong and what to do. */
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
  const { files } = manifest;
  const isList =
    Array.isArray(files) &&
    files.every(
      (file: Partial<BackupFile> | null) =>
        typeof file?.path === 'string' &&
        known.test(file.path) &&
        Number.isSafeInteger(file.bytes) &&
        /^[0-9a-f]{64}$/.test(file.sha256 ?? ''),
    );
  if (!isList || (manifest.store !== 'sqlite' && manifest.store !== 'postgres'))
    throw new BadBackup(
      `the ${manifestName} of ${folder} was altered or damaged: it lists what no backup holds.`,
    );
  return manifest as Manifest;
}
