/**
 * Earlier logs of this ledger, ended by accepted rollbacks (contract §6). Accepting one begins a new log, whose first
 * entry names the log before it.
 */
import type { Reader } from '../../engine/store.ts';
import { upcastContent } from '../../domain/upcast.ts';
import type { JsonValue } from '../../kernel/json.ts';
import type { Entry } from '../../ledger/entry.ts';

export type EarlierLog = {
  readonly origin: string;
  /** The key that verifies receipts and checkpoints of that log. */
  readonly verifier_key: string;
  /** Its last signed checkpoint as found; null if it had none. */
  readonly checkpoint: string | null;
};

/** Content of the first entry of a log that was begun after a rollback. */
export type Rollback = {
  /** The findings, in words. */
  readonly problem: string;
  /** The lost checkpoint; entry member `checkpoint_hash` is the SHA-256 of its text. */
  readonly checkpoint: string | null;
  readonly earlier: EarlierLog;
};

type StoredRollback = Omit<Rollback, 'earlier'> & {
  /** Null if the log continued; undefined in altered content. */
  readonly earlier: EarlierLog | null | undefined;
};

export const rollbackAction = 'accept_rollback';
const earlierMax = 64;

/** The rollbacks at the beginning of this log, newest first. */
export async function readRollbacks(read: Pick<Reader, 'entries'>): Promise<readonly Rollback[]> {
  const rollbacks: Rollback[] = [];
  try {
    for (const { text, contents } of await read.entries(0, earlierMax)) {
      const entry = JSON.parse(text) as Entry;
      if (entry['action'] !== rollbackAction) break;
      const body = contents.find(({ field }) => field === 'content_sha')?.body;
      const content = upcastContent(entry, JSON.parse(body ?? 'null') as JsonValue);
      const { earlier, ...rollback } = content as StoredRollback;
      if (!earlier) break;
      rollbacks.push({ ...rollback, earlier });
    }
  } catch {
    // An altered entry ends the list; `verify` reports it.
  }
  return rollbacks;
}

/** Origins of the ended logs: their checkpoints say nothing about this one. */
export function earlierOrigins(rollbacks: readonly Rollback[]): ReadonlySet<string> {
  return new Set(
    rollbacks.flatMap(({ checkpoint, earlier }) => [
      earlier.origin,
      ...(checkpoint === null ? [] : [originOfNote(checkpoint)]),
    ]),
  );
}

/** Origin line of a signed checkpoint. */
export function originOfNote(note: string): string {
  return note.slice(0, Math.max(0, note.indexOf('\n')));
}
