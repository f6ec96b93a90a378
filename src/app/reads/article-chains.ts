/** The entries of an article: all its chains, and the entries of the scrubs that changed them. */
import { articlePrefix } from '../../domain/articles/chains.ts';
import type { StoredEvent } from '../../engine/act.ts';
import type { Reader } from '../../engine/store.ts';
import { TimeSlices } from '../../kernel/time-slices.ts';
import type { Entry } from '../../ledger/entry.ts';
import type { ReadContext } from '../read-context.ts';

const pageEntries = 500;

/** All chains in commit order, a page at a time, so that a large article does not block other requests. */
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

/**
 * The scrub entries of these events: they name the scrubbed contents and commit to the replacements (contract §1.4).
 * A replacement of a content that is not shown is not shown either.
 */
export async function scrubsOf(context: ReadContext, events: readonly StoredEvent[]): Promise<StoredEvent[]> {
  const known = new Set<string>();
  const shown = new Set<string>();
  const found: StoredEvent[] = [];
  for (let latest = events; latest.length > 0;) {
    const chains = new Set<string>();
    for (const { text, contents } of latest) {
      const { chain, n } = JSON.parse(text) as Entry;
      for (const { field, scrubbedBy } of contents) {
        if (scrubbedBy == null) continue;
        shown.add(`${chain} ${n} ${field}`);
        if (!known.has(scrubbedBy)) chains.add(scrubbedBy);
        known.add(scrubbedBy);
      }
    }
    // A replacement may have been scrubbed too.
    latest = (await Promise.all([...chains].map((chain) => context.read.chain(chain)))).flat();
    latest = latest.map((event) => {
      const { of, of_n: n, field } = JSON.parse(event.text) as Entry;
      return shown.has(`${String(of)} ${String(n)} ${String(field)}`) ? event : { ...event, contents: [] };
    });
    found.push(...latest);
  }
  return found;
}
