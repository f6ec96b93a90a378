/**
 * The entries that article writes leave. Every write is one provenance entry (what changed) and, where a DIV or a
 * source is touched, an entry on that thing's own chain (contract §1.5). Events record boundaries, kinds and
 * weights as they were decided, so that replaying them never parses Markdown.
 */
import { actEntry } from '../entries.ts';
import type { EventDraft } from '../../engine/act.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Head } from '../../ledger/entry.ts';
import type { Context } from '../context.ts';
import { articleChain, divChain } from './chains.ts';
import type { ArticleState } from './state.ts';
import type { ArticleMeta } from '../../model/article.ts';
import type { Claim } from '../../model/claim.ts';
import type { ContributionEffect } from '../../model/contribution.ts';
import type { Spent } from '../../model/history.ts';
import type { LinkCheck, Source } from '../../model/source.ts';
import type { ArticleStatus } from '../../model/vocabulary.ts';

/** How a DIV stands in its article, apart from its text. */
export type DivLayout = {
  readonly div_id: string;
  readonly pos: number;
  readonly kind: string;
  readonly level: number;
  readonly title: string;
  readonly sep: string;
};

/** What was decided on a mirror contribution. */
type Resolved = {
  readonly id: string;
  readonly kind: string;
  readonly note: string;
  readonly effect: ContributionEffect;
};

/** The entry of the discourse that was settled. */
type Settled = { readonly id: string; readonly note: string };

/** What a provenance entry's content says has changed. Absent members did not. */
export type Change = {
  readonly created?: { readonly tenant: string; readonly slug: string; readonly lead: string };
  readonly title?: string;
  readonly status?: ArticleStatus;
  readonly meta?: ArticleMeta;
  /** DIVs made by this write. */
  readonly made?: readonly DivLayout[];
  /** The highest number that a DIV of an imported article ever had, so that no new one takes it. */
  readonly divs_numbered?: number;
  /** Those of the DIVs made that had left an imported article where it came from. */
  readonly left?: readonly string[];
  /** Layouts that changed; each has its whole new layout. */
  readonly laid?: readonly DivLayout[];
  /** New and changed claims, complete. */
  readonly claims?: readonly { readonly n: number; readonly plain: string; readonly claim: Claim }[];
  readonly sources_made?: number;
  /** What looks at sources found. */
  readonly links?: readonly LinkCheck[];
  readonly reason?: string;
  /** The revision whose text a revert restored. */
  readonly restores?: number;
  /** The mirror contribution that was decided, and what became of it. */
  readonly resolved?: Resolved;
  readonly settled?: Settled;
  /** Where an imported article came from. */
  readonly imported?: JsonObject;
  /** Codes of the content rules that imported claims and sources break, by id, which the owner took in all the same. */
  readonly accepted_violations?: Readonly<Record<string, readonly string[]>>;
  /** Ids of the objects that the write was about, for a reader of the chain. */
  readonly of?: readonly string[];
};

/** What a provenance entry's content says; a replacement of scrubbed content may lack any of it. */
export type ProvenanceContent = Partial<Spent> & { readonly change?: Change };

export const nothingSpent: Spent = {
  model: null,
  prompt: null,
  input: null,
  response: null,
  tokens_in: 0,
  tokens_out: 0,
  cost: 0,
};

/** One provenance entry. Writes that change body, claims, sources or metadata pass the revision they make. */
export function provenance(
  aid: string,
  head: Head | null,
  context: Context,
  action: string,
  rev: number | null,
  change: Change,
  spent: Partial<Spent> = {},
): EventDraft {
  const content = { ...nothingSpent, model: context.model, ...spent, change };
  return actEntry(
    context,
    articleChain(aid, 'provenance'),
    head,
    action,
    content,
    rev === null ? {} : { rev },
  );
}

/** One entry of a DIV's own chain. `text` is given where it is new; `text_sha` commits to it either way. */
export function divEntry(
  aid: string,
  divId: string,
  head: Head | null | 'previous',
  context: Context,
  op: string,
  content: { readonly text: string } | { readonly text_sha: string },
): EventDraft {
  const draft = { chain: divChain(aid, divId), ts: context.now, actor: context.actor, op, inv: context.inv };
  if ('text' in content)
    return { draft, head, contents: [{ field: 'text_sha', value: content.text, plain: true }] };
  return { draft: { ...draft, text_sha: content.text_sha }, head };
}

export function sourceEntry(
  aid: string,
  head: Head | null | 'previous',
  context: Context,
  source: Source,
): EventDraft {
  return actEntry(context, articleChain(aid, 'sources'), head, 'append', source);
}

export function nextRev(article: ArticleState): number {
  return article.row.version + 1;
}
