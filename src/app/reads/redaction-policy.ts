/**
 * Redaction of what was never public (contract §5). Entries of an article from before its publication are listed, so
 * that its chains verify; readers without access to drafts do not get the contents that were replaced or removed by then.
 */
import { unpublishedField, unpublishedContents } from '../../domain/articles/unpublished-contents.ts';
import type { ArticleAccess } from './article-access.ts';
import { revisionTable, type ArticleRow, type DivRow } from '../../domain/articles/tables.ts';
import type { StoredEvent } from '../../engine/act.ts';
import type { Entry } from '../../ledger/entry.ts';
import type { ReadContext } from '../read-context.ts';

export interface RedactionPolicy {
  /** The same entries without the contents that the caller may not see. `events` holds whole chains. */
  redact(events: readonly StoredEvent[]): readonly StoredEvent[];
  /** Whether a removed DIV was ever in a version that the caller may see. */
  showsDiv(div: DivRow, chain: readonly StoredEvent[]): boolean;
}

const noRedaction: RedactionPolicy = { redact: (events) => events, showsDiv: () => true };

export async function redactionPolicyOf(
  context: ReadContext,
  seen: ArticleAccess,
  row: ArticleRow,
): Promise<RedactionPolicy> {
  if (seen.seesDrafts || row.published_rev === null) return noRedaction;
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
