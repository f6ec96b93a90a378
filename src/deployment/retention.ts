/**
 * Which backups of a folder are kept (ADR 70): the newest ones, and the newest of each of the last days, weeks and
 * months that have any. Pure; times are UTC.
 */

export interface Keep {
  readonly last: number;
  readonly daily: number;
  readonly weekly: number;
  readonly monthly: number;
}

export interface DatedBackup {
  readonly name: string;
  readonly madeAtMs: number;
}

/**
 * The names to remove, of backups that were all verified. Those with a time after `nowMs` are neither counted nor
 * removed: one of the clocks was wrong. The newest of the others always stays.
 */
export function expired(backups: readonly DatedBackup[], keep: Keep, nowMs: number): readonly string[] {
  const past = backups
    .filter(({ madeAtMs }) => madeAtMs <= nowMs)
    .sort((a, b) => b.madeAtMs - a.madeAtMs || (a.name < b.name ? 1 : -1));
  const kept = new Set(past.slice(0, Math.max(1, keep.last)));
  for (const [count, periodOf] of [
    [keep.daily, dayOf],
    [keep.weekly, weekOf],
    [keep.monthly, monthOf],
  ] as const) {
    const periods = new Set<string>();
    for (const backup of past) {
      const period = periodOf(backup.madeAtMs);
      if (periods.has(period)) continue;
      if (periods.size === count) break;
      periods.add(period);
      kept.add(backup);
    }
  }
  return past.filter((backup) => !kept.has(backup)).map(({ name }) => name);
}

const dayMs = 86_400_000;

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** The Monday that the week begins with. */
function weekOf(ms: number): string {
  const sinceMonday = (new Date(ms).getUTCDay() + 6) % 7;
  return dayOf(ms - sinceMonday * dayMs);
}

function monthOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7);
}
