/** The entries of an article: all its chains, and the entries of the scrubs that changed them. */
import { articlePrefix } from '../../domain/articles/chains.ts';
import type { StoredEvent } from '../../engine/act.ts';
import type { Reader } from '../../engine/store.ts';
import { TimeSlices } from '../../kernel/time-slices.ts';
import type { Entry } from '../../ledger/entry.ts';
import type { ReadContext } from '../read-context.ts';
import { unpublishedContents, unpublishedField } from '../../domain/articles/unpublished-contents.ts';
import type { ArticleAccess } from './article-access.ts';
import { type ArticleRow, type DivRow, revisionTable } from '../../domain/articles/tables.ts';

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

/*
 * Redaction of what was never public (contract §5). Entries of an article from before its publication are listed, so
 * that its chains verify; readers without access to drafts do not get the contents that were replaced or removed by then.
 */

interface RedactionPolicy {
  /** The same entries without the contents that the caller may not see. `events` holds whole chains. */
  redact(events: readonly StoredEvent[]): readonly StoredEvent[];
  /** Whether a removed DIV was ever in a version that the caller may see. */
  showsDiv(div: DivRow, chain: readonly StoredEvent[]): boolean;
}

const noRedaction: RedactionPolicy = { redact: (events) => events, showsDiv: () => true };

export async function redactionPolicyOf(
  context: ReadContext,
  access: ArticleAccess,
  row: ArticleRow,
): Promise<RedactionPolicy> {
  if (access.seesDrafts || row.published_rev === null) return noRedaction;
  const publicFrom = await publicFromSeq(context, row);
  return {
    redact: (events) => redactEvents(publicFrom, events),
    showsDiv: (div, chain) => div.status === 'current' || (chain.at(-1)?.seq ?? 0) >= publicFrom,
  };
}

function redactEvents(publicFrom: number, events: readonly StoredEvent[]): readonly StoredEvent[] {
  const hidden =
    publicFrom === 0
      ? []
      : unpublishedContents(
          publicFrom,
          events.map(({ text, seq, contents }) => ({
            entry: JSON.parse(text) as Entry,
            at: seq,
            opened: contents.length > 0,
          })),
        );
  return events.map((event, i) => {
    if (hidden[i] === true) return { ...event, contents: [] };
    const holds = event.contents.some(({ field }) => field === unpublishedField);
    return holds
      ? { ...event, contents: event.contents.filter(({ field }) => field !== unpublishedField) }
      : event;
  });
}

/** Sequence number of the entry that published the article: its content and all later content is public. */
export async function publicFromSeq(context: ReadContext, row: ArticleRow): Promise<number> {
  if (row.published_rev === null) return Number.POSITIVE_INFINITY;
  if (row.published_rev === 1) return 0;
  const [revision] = await context.read.list(revisionTable, row.aid, {
    after: row.published_rev - 1,
    limit: 1,
  });
  return revision?.seq ?? Number.POSITIVE_INFINITY;
}
