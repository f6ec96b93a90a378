/**
 * Reads the whole log past entries whose contents were altered so that they cannot be parsed. `verify` and the background
 * audit report such entries (contract §1.8); here they are skipped.
 */
import { UnreplayableEntry, type LogEntry, type LogText, type Reader } from './store.ts';

/** An entry of the log; without contents where the store could not tell them apart. */
export type ReadableEntry = LogEntry | (LogText & { readonly contents: undefined });

/** As `Reader.entries`, and never `Unreplayable`. */
export async function readableEntries(
  read: Pick<Reader, 'entries' | 'texts'>,
  from: number,
  limit: number,
): Promise<readonly ReadableEntry[]> {
  const page = await readIfReadable(read.entries(from, limit));
  if (page !== undefined) return page;
  const each: ReadableEntry[] = [];
  for (const { index, text } of await read.texts(from, limit)) {
    const [entry] = (await readIfReadable(read.entries(index, 1))) ?? [];
    each.push(entry ?? { index, text, contents: undefined });
  }
  return each;
}

/** What a store reads; undefined where contents were altered so that it cannot tell them apart. */
export async function readIfReadable<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof UnreplayableEntry) return undefined;
    throw error;
  }
}
