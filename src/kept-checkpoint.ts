/**
 * The checkpoint that is kept apart from the ledger (contract §6): a ledger that is shorter than it or disagrees with
 * it was set back, and is refused at the start unless somebody accepts that, which is recorded.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Secrets } from './app/credentials/secrets.ts';
import { checkpointFile, RolledBack } from './data-folder.ts';
import type { Store } from './engine/store.ts';
import { openCheckpoint } from './ledger/checkpoint.ts';
import type { VerifierKey } from './ledger/note.ts';
import { isRefusal } from './ledger/refusal.ts';
import { isFault } from './kernel/fault.ts';
import { opaqueId } from './kernel/ids.ts';

const checkpointEveryMs = 1000;

export async function checkRollback(
  folder: string,
  store: Store,
  secrets: Secrets,
  accept: boolean,
): Promise<void> {
  const path = join(folder, checkpointFile);
  const kept = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  const now = await store.read.checkpoint();
  const { key } = secrets.signer;
  const problem =
    (kept === undefined
      ? undefined
      : await disagreement(store, now?.size ?? 0, kept, key, 'kept apart from it')) ??
    (now === null ? undefined : await disagreement(store, now.size, now.note, key, 'stored with it'));
  if (problem === undefined) return;
  if (!accept) {
    throw new RolledBack(
      `${problem} Restore the newer ledger, or start with --accept-rollback to record that this one is accepted. colophon verify says what is wrong with it.`,
    );
  }
  if (kept !== undefined) renameSync(path, `${path}.rejected-${Date.now()}`);
  await recordAcceptance(store, problem, now?.size ?? 0, kept);
}

/** What a signed checkpoint says against the ledger as it is, or nothing. */
async function disagreement(
  store: Store,
  size: number,
  note: string,
  key: VerifierKey,
  which: string,
): Promise<string | undefined> {
  const signed = openCheckpoint(note, [key]);
  if (isRefusal(signed))
    return `The checkpoint ${which} cannot be read: ${signed.refused} (was the secret key changed?).`;
  if (size < signed.size)
    return `The ledger has ${size} entries; the checkpoint ${which} has seen ${signed.size}.`;
  if (signed.size === 0 || Buffer.from(signed.root).equals(await rootAt(store, signed.size)))
    return undefined;
  return `The first ${signed.size} entries of the ledger are not those of the checkpoint ${which}.`;
}

/** On the ledger itself, where nobody can leave it out: from here on another history is signed. */
async function recordAcceptance(
  store: Store,
  problem: string,
  size: number,
  kept: string | undefined,
): Promise<void> {
  const committed = await store.run({
    name: 'ACCEPT_ROLLBACK',
    keys: [],
    decide: (tx) =>
      tx.append({
        draft: {
          chain: opaqueId('rollback_'),
          ts: new Date().toISOString(),
          actor: 'system',
          action: 'accept_rollback',
          size,
        },
        head: null,
        contents: [{ field: 'content_sha', value: { problem, checkpoint: kept ?? null } }],
      }),
  });
  if (isFault(committed)) throw new Error(committed.message);
}

async function rootAt(store: Store, size: number): Promise<Buffer> {
  const { rootFromTiles, tilesForRoot } = await import('./ledger/log.ts');
  const tiles = new Map<string, Uint8Array>();
  for (const { level, n, width } of tilesForRoot(size)) {
    const bytes = await store.read.tile(level, n, width);
    if (bytes !== undefined) tiles.set(`${level}/${n}`, bytes);
  }
  return Buffer.from(
    rootFromTiles(size, (level, n) => {
      const tile = tiles.get(`${level}/${n}`);
      if (tile === undefined) throw new RolledBack(`The ledger has lost tile ${level}/${n}.`);
      return tile;
    }),
  );
}

/** Copies the newest signed checkpoint out of the database, after its commit, at most once a second. */
export function keepCheckpoint(
  folder: string,
  store: Store,
  onTrouble: (error: unknown) => void,
): { stop(): Promise<void> } {
  let written = -1;
  const write = async (): Promise<void> => {
    const checkpoint = await store.read.checkpoint();
    if (checkpoint === null || checkpoint.size === written) return;
    const path = join(folder, checkpointFile);
    writeFileSync(`${path}.new`, checkpoint.note, { mode: 0o600 });
    renameSync(`${path}.new`, path);
    written = checkpoint.size;
  };
  // The ledger goes on without its copy; the next try comes in a second.
  const timer = setInterval(
    () =>
      void write().catch((error: Error) =>
        onTrouble(new Error(`the checkpoint was not copied: ${error.message}`, { cause: error })),
      ),
    checkpointEveryMs,
  );
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await write();
    },
  };
}
