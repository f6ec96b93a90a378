/**
 * Logs that this ledger was in before it was set back (contract §6). Accepting that begins a new log, whose first
 * entry names the log before it; so these entries stand at the beginning of the log, the newest first.
 */
import type { Reader } from '../../engine/store.ts';
import { upcastContent } from '../../domain/upcast.ts';
import type { JsonValue } from '../../kernel/json.ts';

export interface EarlierLog {
  readonly origin: string;
  /** Verifies receipts and checkpoints that were handed out by that log. */
  readonly verifier_key: string;
  /** Its last signed checkpoint in the ledger as it was found; null where that had none. */
  readonly checkpoint: string | null;
}

/** What the first entry of a log that was begun anew commits to. */
export interface Rollback {
  /** What was wrong, in words. */
  readonly problem: string;
  /** The signed checkpoint that was lost; entry member `checkpoint_hash` is the SHA-256 of its text. */
  readonly checkpoint: string | null;
  readonly earlier: EarlierLog;
}

interface StoredRollback extends Omit<Rollback, 'earlier'> {
  /** Null if the log went on as it was; undefined in altered content. */
  readonly earlier: EarlierLog | null | undefined;
}

export const rollbackAction = 'accept_rollback';
const earlierMax = 64;

/** The rollbacks that this log begins with, the newest first. */
export async function readRollbacks(read: Pick<Reader, 'entries'>): Promise<readonly Rollback[]> {
  const rollbacks: Rollback[] = [];
  try {
    for (const { text, contents } of await read.entries(0, earlierMax)) {
      if ((JSON.parse(text) as { readonly action?: JsonValue }).action !== rollbackAction) break;
      const body = contents.find(({ field }) => field === 'content_sha')?.body;
      const content = upcastContent(rollbackAction, JSON.parse(body ?? 'null') as JsonValue);
      const { earlier, ...rollback } = content as unknown as StoredRollback;
      if (!earlier) break;
      rollbacks.push({ ...rollback, earlier });
    }
  } catch {
    // An altered entry is found by `verify`; here it only ends the list.
  }
  return rollbacks;
}

/** Names of all logs that a rollback was accepted of: a checkpoint of one says nothing about this log. */
export function earlierOrigins(rollbacks: readonly Rollback[]): ReadonlySet<string> {
  return new Set(
    rollbacks.flatMap(({ checkpoint, earlier }) => [
      earlier.origin,
      ...(checkpoint === null ? [] : [originOfNote(checkpoint)]),
    ]),
  );
}

/** The first line of a signed checkpoint. */
export function originOfNote(note: string): string {
  return note.slice(0, Math.max(0, note.indexOf('\n')));
}
