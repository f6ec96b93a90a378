/**
 * The port through which projections are made again, beside those that stand (contract §1.8): a scratch database that
 * is gone when it is closed. The store folder implements it.
 */
import type { StoredEvent } from './act.ts';
import type { Reader } from './store.ts';
import type { AnyRow, Sub, Table } from './tables.ts';

export interface RowReplay {
  /** Takes the next entry of the log. Throws `Unreplayable` where the projectors cannot take it. */
  take(entry: StoredEvent): void;
  row(table: Table, id: string, sub: Sub): AnyRow | undefined;
  rows(table: Table): Iterable<AnyRow>;
  count(table: Table): number;
  close(): void;
}

const pageEntries = 2000;

/** Replays every entry that `read` has; returns their number. */
export async function replayLog(
  read: Pick<Reader, 'entries'>,
  replay: RowReplay,
  progress: (done: number) => void,
): Promise<number> {
  for (let entries = 0; ;) {
    const page = await read.entries(entries, pageEntries);
    for (const entry of page) replay.take(entry);
    entries += page.length;
    progress(entries);
    if (page.length < pageEntries) return entries;
  }
}
