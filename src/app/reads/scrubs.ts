/** The entries that a reader needs to judge scrubbed contents (contract §1.4), beside those that committed to them. */
import type { StoredEvent } from '../../engine/act.ts';
import type { Entry } from '../../ledger/entry.ts';
import type { ReadContext } from '../read-context.ts';

/**
 * The entries that say what was scrubbed and commit to what stands in its place: without them nobody could tell.
 * Of what is not shown, what replaced it is not shown either.
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
    // What replaced a content may have been scrubbed in its turn.
    latest = (await Promise.all([...chains].map((chain) => context.read.chain(chain)))).flat();
    latest = latest.map((event) => {
      const { of, of_n: n, field } = JSON.parse(event.text) as Entry;
      return shown.has(`${String(of)} ${String(n)} ${String(field)}`) ? event : { ...event, contents: [] };
    });
    found.push(...latest);
  }
  return found;
}
