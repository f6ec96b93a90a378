/**
 * One DIV and its chain (contract §5, §8). A DIV resolves for ever, also after it was consolidated or burned; texts
 * removed before first publication are redacted.
 */
import { articleChain, divChain } from '../../domain/articles/chains.ts';
import type { ArticleAccess } from './article-access.ts';
import type { Change } from '../../domain/articles/events.ts';
import type { ArticleState } from '../../domain/articles/state.ts';
import type { DivRow } from '../../domain/articles/tables.ts';
import { contentText, type StoredEvent } from '../../engine/act.ts';
import type { Entry } from '../../ledger/entry.ts';
import { entryHash } from './article-view.ts';
import { loadArticle } from './articles.ts';
import type { ReadContext } from '../read-context.ts';
import { publicFromSeq } from './redaction-policy.ts';

export interface DivEntryView {
  readonly n: number;
  readonly ts: string;
  readonly op: string;
  readonly actor: string;
  readonly textSha: string;
  readonly prev: string;
  readonly hash: string;
  readonly receipt: string | null;
  /** The entry's text; absent if it has none or is redacted. */
  readonly text?: string;
  readonly scrubbed: boolean;
}

export interface DivView {
  readonly state: ArticleState;
  readonly div: DivRow;
  /** Oldest first. */
  readonly entries: readonly DivEntryView[];
  /** The DIV that absorbed it, or why it was burned. */
  readonly left: { readonly into: string | null; readonly reason: string | null } | undefined;
}

/** A DIV by id, current or not; undefined if none was ever visible. */
export async function viewDiv(
  context: ReadContext,
  seen: ArticleAccess,
  divId: string,
): Promise<DivView | undefined> {
  const { read } = context;
  const state = await loadArticle(context, seen.aid);
  const div = state.divs.get(divId);
  if (div === undefined) return undefined;
  const [chain, publicFrom] = await Promise.all([
    read.chain(divChain(seen.aid, divId)),
    publicFromSeq(context, state.row),
  ]);
  const last = chain[chain.length - 1];
  if (div.status !== 'current' && last !== undefined && last.seq < publicFrom) return undefined;
  const left =
    div.status === 'current' || last === undefined ? undefined : await howItLeft(context, seen.aid, last);
  return {
    state,
    div,
    left,
    entries: chain.map((event, i) => divEntryView(event, (chain[i + 1]?.seq ?? Infinity) >= publicFrom)),
  };
}

/** The provenance entry of the same call has the reason. */
async function howItLeft(context: ReadContext, aid: string, last: StoredEvent): Promise<DivView['left']> {
  const ending = JSON.parse(last.text) as Entry;
  const provenance = await context.read.chain(articleChain(aid, 'provenance'));
  const event = provenance.find(({ text }) => (JSON.parse(text) as Entry)['inv'] === ending['inv']);
  const body = contentText(event?.contents.find((each) => each.field === 'content_sha'));
  const { change } = body == null ? {} : (JSON.parse(body) as { readonly change?: Change });
  return {
    into: ending['op'] === 'absorb' ? (change?.of?.[0] ?? null) : null,
    reason: change?.reason ?? null,
  };
}

function divEntryView(event: StoredEvent, isPublic: boolean): DivEntryView {
  const entry = JSON.parse(event.text) as Entry;
  const content = event.contents.find((each) => each.field === 'text_sha');
  const text = contentText(content);
  return {
    n: entry.n,
    ts: entry.ts,
    op: String(entry['op']),
    actor: entry.actor,
    textSha: String(entry['text_sha']),
    prev: entry.prev,
    hash: entryHash(event),
    receipt: typeof entry['inv'] === 'string' ? entry['inv'] : null,
    ...(isPublic && text !== null ? { text } : {}),
    scrubbed: content?.body === null,
  };
}
