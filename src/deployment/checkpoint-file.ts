/**
 * The checkpoint that is kept apart from the ledger (contract §0, §6): a ledger that is shorter than it or disagrees
 * with it was set back, and is refused at the start. The copy follows each commit within `checkpointEveryMs`, is
 * synced with its folder, and is never replaced by a smaller or an inconsistent one (ADR 47).
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { earlierOrigins, originOfNote, readRollbacks } from '../app/reads/earlier-logs.ts';
import { checkpointFile, type Config } from '../config.ts';
import {
  LedgerRolledBack,
  lostCheckpoint,
  OperatorError,
  type Keyring,
  type ObservedRollback,
  type Reader,
  type Store,
} from '../engine/store.ts';
import { openCheckpoint } from '../ledger/checkpoint.ts';
import { rootFromTiles, tilesForRoot } from '../ledger/log.ts';
import type { VerifierKey } from '../ledger/note.ts';
import { isRefusal } from '../ledger/refusal.ts';

/** The ledger is shorter than, or not a continuation of, the checkpoint that was kept apart from it. */
export class RolledBack extends OperatorError {
  /** What is wrong, without what to do about it. */
  readonly problem: string;
  /** The signed checkpoint that the ledger disagrees with; undefined where nothing else can be opened. */
  readonly lost: string | undefined;

  constructor(problem: string, lost?: string) {
    super(
      `${problem} Restore the newer ledger, or start with --accept-rollback, which begins a new log with a new key. colophon verify says what is wrong with this one.`,
    );
    this.problem = problem;
    this.lost = lost;
  }
}

/** A commit is followed by its checkpoint within this time and one write of a small file. */
export const checkpointEveryMs = 200;

/** How long a stopping node waits for its last entries to be integrated into the log. */
const integrateWithinMs = 2000;

export interface CheckpointCopy {
  readonly path: string;
  readonly note: string;
}

/** Where the newest checkpoint with a quorum of witnesses is kept. */
export function cosignedPath(checkpointPath: string): string {
  return `${checkpointPath}.cosigned`;
}

/**
 * What is kept: where COLOPHON_CHECKPOINT says, and in the data folder, where it was before that was set; behind them
 * the cosigned ones.
 */
export function readCheckpointCopies({ checkpointPath, dataFolder }: Config): readonly CheckpointCopy[] {
  const paths = [...new Set([checkpointPath, join(dataFolder, checkpointFile)])];
  return [...paths, ...paths.map(cosignedPath)]
    .filter((path) => existsSync(path))
    .map((path) => ({ path, note: readFileSync(path, 'utf8') }));
}

/** The size that an unverified checkpoint claims; NaN if it is not a checkpoint. */
export function claimedSize(note: string): number {
  return Number(note.split('\n')[1]);
}

/** Those that are about this log, and not about one that it has replaced. */
export async function copiesOfThisLog(
  kept: readonly CheckpointCopy[],
  read: Pick<Reader, 'entries'>,
): Promise<readonly CheckpointCopy[]> {
  if (kept.length === 0) return kept;
  const earlier = earlierOrigins(await readRollbacks(read));
  return kept.filter(({ note }) => !earlier.has(originOfNote(note)));
}

/** Throws `RolledBack` where the ledger is not what a signed checkpoint says. */
export async function checkRollback(config: Config, read: Reader, key: VerifierKey): Promise<void> {
  const kept = await copiesOfThisLog(readCheckpointCopies(config), read);
  const now = await read.checkpoint();
  const log = logOf(read, now?.size ?? 0);
  for (const { path, note } of kept) {
    const apart = path === join(config.dataFolder, checkpointFile) ? '' : ` in ${path}`;
    const problem = await disagreement(log, note, key, `kept apart from it${apart}`);
    if (problem !== undefined) throw new RolledBack(problem, note);
  }
  if (now === null) return;
  const problem = await disagreement(log, now.note, key, 'stored with it');
  if (problem !== undefined) throw new RolledBack(problem, now.note);
}

/** A log as it is now. */
export interface PresentLog {
  readonly size: number;
  /** Of its first entries, at most as many as it has; undefined where tiles are missing. */
  rootAt(size: number): Promise<Uint8Array | undefined>;
}

/** What a signed checkpoint says against the log as it is, or nothing. */
export async function disagreement(
  { size, rootAt }: PresentLog,
  note: string,
  key: VerifierKey,
  which: string,
): Promise<string | undefined> {
  const signed = openCheckpoint(note, [key]);
  if (isRefusal(signed)) {
    const origin = originOfNote(note);
    const why =
      origin === key.name || origin === ''
        ? 'was the secret key changed?'
        : `it is of the log ${origin}, this ledger is of ${key.name}: was an older copy restored?`;
    return `The checkpoint ${which} cannot be read: ${signed.refused} (${why}).`;
  }
  if (size < signed.size)
    return `The ledger has ${size} entries; the checkpoint ${which} has seen ${signed.size}.`;
  if (signed.size === 0) return undefined;
  const root = await rootAt(signed.size);
  if (root !== undefined && Buffer.from(root).equals(signed.root)) return undefined;
  return `The first ${signed.size} entries of the ledger are not those of the checkpoint ${which}.`;
}

function logOf(read: Reader, size: number): PresentLog {
  return {
    size,
    async rootAt(of) {
      const tiles = new Map<string, Uint8Array>();
      for (const { level, n, width } of tilesForRoot(of)) {
        const bytes = await read.tile(level, n, width);
        if (bytes === undefined) return undefined;
        tiles.set(`${level}/${n}`, bytes);
      }
      return rootFromTiles(of, (level, n) => tiles.get(`${level}/${n}`) as Uint8Array);
    },
  };
}

/** Moves what is kept of an earlier log aside: it stays as evidence of what that log had signed. */
export async function setEarlierCopiesAside(config: Config, read: Pick<Reader, 'entries'>): Promise<void> {
  const kept = readCheckpointCopies(config);
  const current = await copiesOfThisLog(kept, read);
  for (const each of kept)
    if (!current.includes(each)) renameSync(each.path, `${each.path}.rejected-${Date.now()}`);
}

/** Throws `RolledBack` where a running node found that the database was set back behind it. */
export async function refuseLostCheckpoint(keyring: Pick<Keyring, 'get'>): Promise<void> {
  const found = (await keyring.get(lostCheckpoint)) ?? '';
  if (found === '') return;
  const [reason, ...note] = found.split('\n');
  throw new RolledBack(
    `A running node found that the database was set back: ${reason}.`,
    note.join('\n') === '' ? undefined : note.join('\n'),
  );
}

/** What a running node had seen of a ledger that was set back behind it, kept where the next start compares it. */
export function writeLostCheckpoint(path: string, { checkpoint }: ObservedRollback): void {
  if (checkpoint === null) return;
  writeFileSync(`${path}.new`, checkpoint, { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
}

/** Copies the newest signed checkpoint out of the ledger, after its commit. */
export function copyCheckpoints(
  path: string,
  store: Pick<Store, 'read' | 'unlogged' | 'rollback'>,
  key: VerifierKey,
  onTrouble: (error: unknown) => void,
): { stop(): Promise<void> } {
  const { read } = store;
  let written = -1;
  let writing: Promise<void> | undefined;
  const write = async (): Promise<void> => {
    const checkpoint = await read.checkpoint().catch((error: unknown) => {
      // What there was to keep then is kept by `writeLostCheckpoint`.
      if (error instanceof LedgerRolledBack) return null;
      throw error;
    });
    if (checkpoint === null || checkpoint.size === written) return;
    const kept = await noteAt(path);
    if (kept !== undefined && kept !== checkpoint.note)
      await refuseLoss(path, kept, read, checkpoint.size, key);
    if (kept !== checkpoint.note) await replaceDurably(path, checkpoint.note);
    written = checkpoint.size;
  };
  // The ledger goes on without its copy; the next try comes soon.
  const tick = (): void => {
    writing ??= write()
      .catch((error: Error) =>
        onTrouble(new Error(`the checkpoint was not copied: ${error.message}`, { cause: error })),
      )
      .finally(() => (writing = undefined));
  };
  tick();
  const timer = setInterval(tick, checkpointEveryMs);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await writing;
      await untilIntegrated(store);
      await write();
    },
  };
}

/**
 * Waits until every committed entry has its place in the log, so that the last copy covers it. On PostgreSQL that
 * happens shortly after the commit; other nodes that keep writing, or no answer, end the wait.
 */
async function untilIntegrated(store: Pick<Store, 'unlogged' | 'rollback'>): Promise<void> {
  const end = performance.now() + integrateWithinMs;
  const isPending = async (): Promise<boolean> => (await store.unlogged().catch(() => 0)) > 0;
  while (store.rollback === undefined && performance.now() < end && (await isPending())) await sleep(20);
}

/** Read each time: another node, or the server of another folder, may have written it. */
async function noteAt(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

async function refuseLoss(
  path: string,
  kept: string,
  read: Reader,
  size: number,
  key: VerifierKey,
): Promise<void> {
  const problem = await disagreement(logOf(read, size), kept, key, `kept in ${path}`);
  if (problem !== undefined) throw new Error(`${problem} It is not replaced.`);
}

/** The new file is whole on disk before it has the old one's name, and the name is on disk before this resolves. */
export async function replaceDurably(path: string, text: string): Promise<void> {
  const fresh = `${path}.new`;
  const file = await open(fresh, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(fresh, path);
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
