/**
 * Going back to the text of an old revision (contract §3 ARTICLE_REVERT): a rewrite to its blocks, as the article's chains
 * give them. What was scrubbed since stays scrubbed. Title, claims and metadata stay as they are.
 */
import { eventFrom, MemoryProjection } from '../../engine/memory-projection.ts';
import type { StoredEvent } from '../../engine/act.ts';
import { fault, type Fault } from '../../kernel/fault.ts';
import type { RevertInput } from '../../model/article-writes.ts';
import { articleChain } from '../articles/chains.ts';
import { projectArticle } from '../articles/project-article.ts';
import {
  keptByText,
  layOut,
  noteRules,
  rewritten,
  staleVersion,
  type Block,
} from '../articles/rewrite-article.ts';
import { activeDivs, articleOf, type ArticleState } from '../articles/state.ts';
import type { DivRow } from '../articles/tables.ts';
import { checkRestored } from '../articles/write-document.ts';
import type { Context, Outcome } from '../context.ts';
import { upcast } from '../upcast.ts';
import { refusalOf } from '../violations.ts';

type Revert = Omit<RevertInput, 'slug'>;

/** `history` is all entries of the article's chains, in commit order. */
export function revertArticle(
  article: ArticleState,
  history: readonly StoredEvent[],
  revert: Revert,
  context: Context,
): Outcome<ArticleState> | Fault {
  const bad = checkRevert(article, revert);
  if (bad !== undefined) return bad;
  const past = articleAtRevision(history, article.row.aid, revert.rev);
  if (past === undefined) return noRevision(article, revert.rev);
  const laid = layOut(article, restoredBlocks(article, activeDivs(past)));
  const unfit = checkRestored(article, activeDivs(article), laid.pieces, context.limits);
  if (unfit !== undefined) return unfit;
  const { rev, note } = revert;
  return rewritten(article, laid, { action: 'revert', note, restores: rev }, context);
}

/** What can be said before the history is read. */
export function checkRevert(
  article: ArticleState,
  { rev, expected_version, note }: Revert,
): Fault | undefined {
  return (
    refusalOf(noteRules(note)) ??
    staleVersion(article, expected_version) ??
    (rev > article.row.version ? noRevision(article, rev) : undefined)
  );
}

function noRevision({ row: { slug, version } }: ArticleState, rev: number): Fault {
  return fault(
    'not_found',
    `${slug} has no revision ${rev}.`,
    `Use a revision from 1 to ${version}; /revisions lists them.`,
    { first_revision: 1, last_revision: version },
  );
}

/** The article as a revision left it, with everything that the call which made it wrote; undefined without one. */
export function articleAtRevision(
  history: readonly StoredEvent[],
  aid: string,
  rev: number,
): ArticleState | undefined {
  const events = history.map((event) => eventFrom(event));
  const chain = articleChain(aid, 'provenance');
  const made = events.find(({ sealed: { entry } }) => entry.chain === chain && entry['rev'] === rev);
  if (made === undefined) return undefined;
  const projection = new MemoryProjection();
  for (const event of events)
    if (event.seq <= made.seq || event.sealed.entry['inv'] === made.sealed.entry['inv'])
      projectArticle(upcast(event), projection);
  return articleOf(projection, aid);
}

/**
 * Blocks that read as a current one does keep its id, their own one first. Another block is the DIV that it was, where
 * that still stands and is in no other place; what is left over is new.
 */
function restoredBlocks(article: ArticleState, past: readonly DivRow[]): Block[] {
  const current = activeDivs(article);
  const standing = new Map(current.map((div) => [div.div_id, div]));
  const taken = new Set<DivRow | undefined>();
  const take = (div: DivRow | undefined): DivRow | undefined => {
    const free = taken.has(div) ? undefined : div;
    taken.add(free);
    return free;
  };
  const equal = past.map(({ div_id: id, text }) => {
    const own = standing.get(id);
    return own?.text === text ? take(own) : undefined;
  });
  const alike = keptByText(
    current,
    taken,
    past.map(({ text }, i) => ({ div_id: equal[i]?.div_id, text })),
  );
  for (const div of alike) taken.add(div);
  return past.map(({ div_id: id, text, sep }, i) => ({
    div: equal[i] ?? alike[i] ?? take(standing.get(id)),
    text,
    sep,
  }));
}
