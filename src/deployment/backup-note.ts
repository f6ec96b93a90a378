/**
 * What is known of the backups of a deployment (ADR 70): a note that `colophon backup --into` and `colophon restore
 * --drill` leave with the store, for `colophon doctor` and the metrics of every node. A database that is set back
 * brings an older note back with it.
 */
import type { Diagnosis, StoreKind } from '../engine/store-kind.ts';
import { ok, warn } from '../engine/store-kind.ts';

export interface BackupNote {
  /** The newest backup that was verified by restoring it. */
  readonly verified?: {
    readonly folder: string;
    readonly made_at: string;
    readonly entries: number;
    readonly bytes: number;
  };
  /** The last attempt, if it failed. */
  readonly failed?: { readonly at: string; readonly problem: string };
  readonly drill?: { readonly at: string; readonly ok: boolean };
}

const noteName = 'backups';
/** Nightly backups are a day old before the next one; one may fail. */
const ageMaxMs = 2 * 86_400_000;

/** An unreadable note says nothing. */
export async function readBackupNote(kind: Pick<StoreKind, 'readNote'>): Promise<BackupNote> {
  const text = await kind.readNote(noteName);
  try {
    const found: unknown = JSON.parse(text ?? '{}');
    return typeof found === 'object' && found !== null ? found : {};
  } catch {
    return {};
  }
}

/** Answers with why the note was not written, if it was not: the backup or drill is what it is without it. */
export async function updateBackupNote(
  kind: Pick<StoreKind, 'readNote' | 'writeNote'>,
  change: (note: BackupNote) => BackupNote,
): Promise<string | undefined> {
  try {
    await kind.writeNote(noteName, JSON.stringify(change(await readBackupNote(kind))));
    return undefined;
  } catch (error) {
    return `The nodes were not told, so that doctor and metrics do not know of it: ${(error as Error).message}`;
  }
}

/** 0 where none is known. */
export function verifiedAtMs({ verified }: BackupNote): number {
  return Date.parse(verified?.made_at ?? '') || 0;
}

export function diagnoseBackups(note: BackupNote, nowMs: number): Diagnosis {
  const { verified, failed, drill } = note;
  if (verified === undefined)
    return warn(
      'backups',
      failed === undefined ? 'no verified one is known' : `the last one failed: ${failed.problem}`,
      'Run colophon backup --into FOLDER --keep-daily 7 every night, by a timer.',
    );
  const ageMs = nowMs - verifiedAtMs(note);
  const drilled =
    drill === undefined ? 'no drill yet' : `last drill ${drill.at}${drill.ok ? '' : ', failed'}`;
  const detail = `the newest verified one is ${age(ageMs)} old, ${verified.entries} entries, in ${verified.folder}; ${drilled}`;
  if (failed !== undefined)
    return warn(
      'backups',
      `the last one failed: ${failed.problem} ${detail}`,
      'Mend what it names, then run colophon backup --into again.',
    );
  if (ageMs > ageMaxMs)
    return warn('backups', detail, 'See why the timer of colophon backup --into does not run.');
  return drill?.ok === false
    ? warn('backups', detail, 'Run colophon restore --drill FOLDER, which says what is wrong.')
    : ok('backups', detail);
}

function age(ms: number): string {
  const hours = Math.max(0, Math.floor(ms / 3_600_000));
  return hours < 48 ? `${hours} hours` : `${Math.floor(hours / 24)} days`;
}
