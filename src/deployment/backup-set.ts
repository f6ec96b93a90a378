/**
 * A folder of backups (ADR 70). A new one is written and verified by restoring it under a hidden name, and gets its own
 * name, made of its time, when all of it is on disk: a tool that copies the folder and leaves out `.colophon-*` never
 * sees a partial backup. Only verified backups of the same deployment, with nothing else in them, are ever removed.
 */
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join, sep } from 'node:path';
import { checkpointFile, type Config } from '../config.ts';
import type { BackupSetReport, KeepOptions, Progress } from '../doors/cli/command.ts';
import { syncEntry } from '../doors/cli/sync-tree.ts';
import type { StoreKind } from '../engine/store-kind.ts';
import { sha256Hex } from '../kernel/hash.ts';
import { backupDeployment, BadBackup, manifestName, readManifest } from './backup.ts';
import { updateBackupNote } from './backup-note.ts';
import { restoreDeployment } from './restore.ts';
import { expired } from './retention.ts';

export interface StoredBackup {
  readonly name: string;
  readonly folder: string;
  readonly madeAt: string;
  readonly madeAtMs: number;
  /** Of the log that the deployment began with, whichever log it has now. */
  readonly origin: string;
  readonly entries: number;
  readonly bytes: number;
}

interface Verification {
  readonly verified_at: string;
  readonly entries: number;
  readonly manifest_sha256: string;
}

const namePattern = /^colophon-\d{8}T\d{9}Z$/;
const verificationName = 'verified.json';
const partialPrefix = '.colophon-partial-';
/** How long a partial backup of another machine is left alone. */
const abandonedMs = 2 * 86_400_000;

export async function backupInto(
  config: Config,
  kindOf: (config: Config) => Promise<StoreKind>,
  folder: string,
  keep: KeepOptions | undefined,
  progress: Progress,
): Promise<BackupSetReport> {
  checkSetFolder(folder, config);
  const kind = await kindOf(config);
  removeAbandoned(folder);
  const partial = join(folder, partialName());
  mkdirSync(partial, { mode: 0o700 });
  try {
    const written = join(partial, 'backup');
    const report = await backupDeployment(config, kind, written, progress);
    const { entries, problems } = await verifyByRestoring(config, kindOf, written, progress);
    if (problems.length > 0) {
      await updateBackupNote(kind, (note) => ({ ...note, failed: failure(problems.join('; ')) }));
      return { added: null, ...remaining(folder, undefined), pruned: [], problems };
    }
    const manifest = readFileSync(join(written, manifestName));
    const { made_at: madeAt } = readManifest(written);
    const verification: Verification = {
      verified_at: new Date().toISOString(),
      entries,
      manifest_sha256: sha256Hex(manifest),
    };
    writeFileSync(join(written, verificationName), `${JSON.stringify(verification, null, 2)}\n`, {
      mode: 0o600,
      flush: true,
    });
    syncEntry(written);
    const name = freeName(folder, madeAt);
    renameSync(written, join(folder, name));
    syncEntry(folder);
    const added = { ...report, folder: join(folder, name), made_at: madeAt, entries };
    const notTold = await updateBackupNote(kind, ({ drill }) => ({
      verified: { folder: added.folder, made_at: madeAt, entries, bytes: report.bytes },
      ...(drill === undefined ? {} : { drill }),
    }));
    const origin = deploymentOf(readManifest(added.folder).origin);
    const pruned = keep === undefined ? [] : prune(folder, origin, keep, Date.parse(madeAt));
    return {
      added,
      ...remaining(folder, origin),
      pruned,
      problems: [],
      ...(notTold === undefined ? {} : { note: notTold }),
    };
  } catch (error) {
    const told = describeFailure(error, folder);
    await updateBackupNote(kind, (note) => ({ ...note, failed: failure(told.message) }));
    throw told;
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

/** The newest backup of a folder of backups, or the backup that the folder is. */
export function newestBackup(folder: string): { readonly folder: string; readonly madeAt: string } {
  if (existsSync(join(folder, manifestName))) return { folder, madeAt: readManifest(folder).made_at };
  if (!existsSync(folder)) throw new BadBackup(`There is no folder ${folder}.`);
  const [newest] = look(folder).backups;
  if (newest === undefined)
    throw new BadBackup(
      `${folder} holds no verified backup. Make one with colophon backup --into ${folder}.`,
    );
  return newest;
}

function checkSetFolder(folder: string, { dataFolder }: Config): void {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new BadBackup(
      `There is no folder ${folder}. Make it, or mount the disk that it is on; it is not made here, so that no backup lands on the wrong disk.`,
    );
  if (folder === dataFolder || folder.startsWith(dataFolder + sep))
    throw new BadBackup(`${folder} is in the data folder and would be lost with it. Name another folder.`);
}

/** As `colophon restore` does it, beside the backup. What is kept elsewhere may be newer by now and is not compared. */
async function verifyByRestoring(
  config: Config,
  kindOf: (config: Config) => Promise<StoreKind>,
  backup: string,
  progress: Progress,
): Promise<{ readonly entries: number; readonly problems: readonly string[] }> {
  const to = join(backup, '..', 'restored');
  const place = {
    ...config,
    databaseUrl: undefined,
    dataFolder: to,
    checkpointPath: join(to, checkpointFile),
  };
  const report = await restoreDeployment(place, kindOf, backup, progress, false);
  rmSync(to, { recursive: true, force: true });
  return report;
}

/** A time of the same millisecond, or one that the clock had before, is passed over. */
function freeName(folder: string, madeAt: string): string {
  for (let ms = Date.parse(madeAt); ; ms++) {
    const name = `colophon-${new Date(ms).toISOString().replaceAll(/[-:.]/g, '')}`;
    if (!existsSync(join(folder, name))) return name;
  }
}

/** Removes what is not kept any more; each goes under a hidden name first, so that none is ever half there. */
function prune(folder: string, origin: string, keep: KeepOptions, nowMs: number): string[] {
  const own = look(folder).backups.filter((backup) => backup.origin === origin);
  const pruned: string[] = [];
  for (const name of expired(own, keep, nowMs)) {
    const aside = join(folder, partialName());
    try {
      renameSync(join(folder, name), aside);
    } catch (error) {
      // Another process prunes the same folder.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue;
      throw error;
    }
    rmSync(aside, { recursive: true, force: true });
    pruned.push(name);
  }
  return pruned;
}

function remaining(
  folder: string,
  origin: string | undefined,
): Pick<BackupSetReport, 'backups' | 'bytes' | 'left_alone'> {
  const { backups, others } = look(folder);
  const own = backups.filter((backup) => backup.origin === (origin ?? backup.origin));
  const foreign = backups.filter((backup) => !own.includes(backup));
  return {
    backups: own.map(({ name }) => name),
    bytes: own.reduce((sum, { bytes }) => sum + bytes, 0),
    left_alone: [
      ...foreign.map(({ name, origin: other }) => ({ name, why: `it is a backup of ${other}` })),
      ...others,
    ],
  };
}

/** What stands in a folder: verified backups, newest first, and everything else that is not hidden. */
function look(folder: string): {
  readonly backups: readonly StoredBackup[];
  readonly others: readonly { readonly name: string; readonly why: string }[];
} {
  const backups: StoredBackup[] = [];
  const others: { name: string; why: string }[] = [];
  for (const name of readdirSync(folder)) {
    if (name.startsWith('.')) continue;
    try {
      backups.push(describe(folder, name));
    } catch (error) {
      others.push({ name, why: (error as Error).message });
    }
  }
  return { backups: backups.sort((a, b) => b.madeAtMs - a.madeAtMs || (a.name < b.name ? 1 : -1)), others };
}

/** Throws with the reason where it is anything but a verified backup that holds what its manifest lists and no more. */
function describe(set: string, name: string): StoredBackup {
  const folder = join(set, name);
  if (!namePattern.test(name)) throw new BadBackup('its name is not that of a backup');
  if (!lstatSync(folder).isDirectory()) throw new BadBackup('it is not a folder');
  const { files, made_at: madeAt, origin } = readManifest(folder);
  const verification = verificationOf(folder);
  const listed = new Map(files.map(({ path, bytes }) => [path, bytes]));
  const found = new Set<string>();
  for (const path of pathsIn(folder)) {
    if (path === manifestName || path === verificationName) continue;
    const bytes = listed.get(path);
    if (bytes === undefined) throw new BadBackup(`it holds ${path}, which is not part of the backup`);
    if (lstatSync(join(folder, path)).size !== bytes) throw new BadBackup(`${path} is not complete`);
    found.add(path);
  }
  for (const path of listed.keys()) if (!found.has(path)) throw new BadBackup(`it has lost ${path}`);
  const madeAtMs = Date.parse(madeAt);
  if (Number.isNaN(madeAtMs)) throw new BadBackup('its manifest has no time');
  return {
    name,
    folder,
    madeAt,
    madeAtMs,
    origin: deploymentOf(origin),
    entries: verification.entries,
    bytes: files.reduce((sum, file) => sum + file.bytes, 0),
  };
}

function verificationOf(folder: string): Verification {
  let found: Partial<Verification>;
  try {
    found = JSON.parse(readFileSync(join(folder, verificationName), 'utf8')) as Partial<Verification>;
  } catch {
    throw new BadBackup('it was not verified');
  }
  if (found.manifest_sha256 !== sha256Hex(readFileSync(join(folder, manifestName))))
    throw new BadBackup('its manifest is not the one that was verified');
  return found as Verification;
}

/** Files below a folder, with slashes. Throws at anything that is neither a file nor a folder. */
function pathsIn(folder: string, below = ''): readonly string[] {
  return readdirSync(join(folder, below)).flatMap((name) => {
    const path = below === '' ? name : `${below}/${name}`;
    const stats = lstatSync(join(folder, path));
    if (stats.isDirectory()) return pathsIn(folder, path);
    if (!stats.isFile()) throw new BadBackup(`${path} is not a file`);
    return [path];
  });
}

/** A deployment that accepted a rollback goes on under another name of its log (ADR 47). */
function deploymentOf(origin: string): string {
  return origin.replace(/\/log-[a-z2-7]{16}$/, '');
}

function partialName(): string {
  return `${partialPrefix}${hostname()}-${process.pid}-${randomUUID()}`;
}

/** What ended processes of this machine, and any machine long ago, left behind. */
function removeAbandoned(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, host, pid] =
      /^\.colophon-partial-(.+)-(\d+)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.exec(name) ?? [];
    if (host === undefined) continue;
    const path = join(folder, name);
    const stats = lstatSync(path);
    const isOver = host === hostname() ? !isRunning(Number(pid)) : Date.now() - stats.mtimeMs > abandonedMs;
    if (stats.isDirectory() && isOver) rmSync(path, { recursive: true, force: true });
  }
}

/** Our own number is that of an ended process: nothing was made under it yet. */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function failure(problem: string): { readonly at: string; readonly problem: string } {
  return { at: new Date().toISOString(), problem };
}

/** A full disk, which Node.js and SQLite word in their own ways; anything else as it was. */
function describeFailure(error: unknown, folder: string): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  const isFull = code === 'ENOSPC' || code === 'EDQUOT' || /disk is full/.test(message);
  return isFull
    ? new BadBackup(
        `The disk of ${folder} is full. The backup was not made, and no other was removed. It needs twice the size of the ledger: one copy that stays and one to verify it.`,
        { cause: error },
      )
    : (error as Error);
}
