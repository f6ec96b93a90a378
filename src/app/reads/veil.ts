/**
 * What was never public stays with the workspace's keys (contract §5). An article that began as a draft has
 * entries from before its publication: they stand in the public log and are listed, so that its chains verify,
 * but what they brought and what was replaced or taken out again before that day is not shown with them.
 */
import { articleChain, divChain } from '../../domain/articles/chains.ts';
import { revisionTable, type ArticleRow, type DivRow } from '../../domain/articles/tables.ts';
import type { StoredEvent } from '../../engine/act.ts';
import type { Entry } from '../../ledger/entry.ts';
import type { Seen } from '../seen.ts';
import type { Service } from '../service.ts';

export interface Veil {
  /** The same entries; those whose contents the caller may not see come without. `events` holds whole chains. */
  over(events: readonly StoredEvent[]): readonly StoredEvent[];
  /** Whether a DIV that left the article was ever part of what the caller may see. */
  shows(div: DivRow, chain: readonly StoredEvent[]): boolean;
}

const nothingHidden: Veil = { over: (events) => events, shows: () => true };

export async function veilOf(service: Service, seen: Seen, row: ArticleRow): Promise<Veil> {
  if (seen.seesDrafts || row.published_rev === null || row.published_rev === 1) return nothingHidden;
  const publicFrom = await publicFromSeq(service, row);
  const provenance = articleChain(row.aid, 'provenance');
  const questions = articleChain(row.aid, 'questions');
  const divs = divChain(row.aid, 'd');
  return {
    over(events) {
      const replaced = replacedBefore(events, divs, publicFrom);
      return events.map((event) => (hides(event) ? { ...event, contents: [] } : event));
      function hides(event: StoredEvent): boolean {
        const { chain, n } = entryOf(event);
        return chain === provenance || chain === questions
          ? event.seq < publicFrom
          : n < (replaced.get(chain) ?? 0);
      }
    },
    shows: (div, chain) => div.status === 'current' || (chain.at(-1)?.seq ?? 0) >= publicFrom,
  };
}

/** The entry by which the article became public: what stands in it and behind it is everybody's. */
export async function publicFromSeq(service: Service, row: ArticleRow): Promise<number> {
  if (row.published_rev === null) return Number.POSITIVE_INFINITY;
  if (row.published_rev === 1) return 0;
  const [revision] = await service.store.read.list(revisionTable, row.aid, {
    after: row.published_rev - 1,
    limit: 1,
  });
  return revision?.seq ?? Number.POSITIVE_INFINITY;
}

/** Where, in each DIV's chain, the text begins that stood on the day of publication; behind its end where none did. */
function replacedBefore(
  events: readonly StoredEvent[],
  divs: string,
  publicFrom: number,
): Map<string, number> {
  const replaced = new Map<string, number>();
  for (const event of events) {
    const { chain, n, op } = entryOf(event);
    if (!chain.startsWith(divs) || event.seq >= publicFrom) continue;
    if (op === 'absorb' || op === 'burn') replaced.set(chain, n + 1);
    else if (event.contents.length > 0) replaced.set(chain, n);
  }
  return replaced;
}

function entryOf(event: StoredEvent): Entry {
  return JSON.parse(event.text) as Entry;
}
