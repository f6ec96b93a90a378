/** All chains of an article in commit order, read a page at a time so that other requests have their turn (QUALITY.md: the largest article). */
import { articlePrefix } from '../../domain/articles/chains.ts';
import type { StoredEvent } from '../../engine/act.ts';
import type { Reader } from '../../engine/store.ts';
import { TimeSlices } from '../../kernel/time-slices.ts';

const pageEntries = 500;

export async function readChains(
  read: Pick<Reader, 'history'>,
  aid: string,
): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = [];
  const slices = new TimeSlices();
  for (let after = -1; ;) {
    const page = await read.history(articlePrefix(aid), after, pageEntries);
    for (const event of page) events.push(event);
    const last = page.at(-1);
    if (last === undefined || page.length < pageEntries) return events;
    after = last.seq;
    if (slices.isDue) await slices.yieldTurn();
  }
}
