/**
 * What the editor reads (contract §8): the article that an edit was made from, what was done to it since and by whom,
 * and claims that read like a text. The caller was authorized before (`article-access.ts`).
 */
import { articleChain, divChain } from '../../domain/articles/chains.ts';
import type { Verdict } from '../../domain/similarity/compare.ts';
import { claimIndex } from '../../domain/articles/similar-claims.ts';
import { activeDivs, type ArticleState } from '../../domain/articles/state.ts';
import { revisionTable } from '../../domain/articles/tables.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import type { Entry } from '../../ledger/entry.ts';
import { provenanceContent } from '../../represent/stored-events.ts';
import type { ReadContext } from '../read-context.ts';
import type { ArticleAccess } from './article-access.ts';
import { loadArticle } from './articles.ts';
import { readAsOf } from './historical-read.ts';

/** The article as one of its revisions left it; a Fault where it has none of that number. */
export async function loadRevision(
  context: ReadContext,
  access: ArticleAccess,
  rev: number,
): Promise<ArticleState | Fault> {
  const past = await readAsOf(context, access, { rev: String(rev) });
  return isFault(past) ? past : loadArticle(past.context, access.aid);
}

/** An entry of the provenance. */
export interface LaterChange {
  readonly rev: number;
  readonly ts: string;
  readonly actor: string;
  readonly action: string;
  /** Ids of the claims, sources or blocks that it concerns. */
  readonly of: readonly string[];
  readonly note: string | null;
}

const changesMax = 50;

/** What was done to the article after a revision, newest first. */
export async function changesSince(
  { read }: ReadContext,
  access: ArticleAccess,
  rev: number,
): Promise<readonly LaterChange[]> {
  const rows = await read.list(revisionTable, access.aid, { after: rev, limit: changesMax });
  if (rows.length === 0) return [];
  const chain = new Map(
    (await read.chain(articleChain(access.aid, 'provenance'))).map((event) => [event.seq, event]),
  );
  return rows
    .map((row) => {
      const event = chain.get(row.seq);
      const { of, reason } = (event === undefined ? undefined : provenanceContent(event)?.change) ?? {};
      return {
        rev: row.rev,
        ts: row.ts,
        actor: row.actor,
        action: row.action,
        of: of ?? [],
        note: reason ?? null,
      };
    })
    .toReversed();
}

/** Who changed a block last, and when. */
export async function lastChangeOf(
  { read }: ReadContext,
  access: ArticleAccess,
  divId: string,
): Promise<{ readonly actor: string; readonly ts: string } | undefined> {
  const last = (await read.chain(divChain(access.aid, divId))).at(-1);
  if (last === undefined) return undefined;
  const { actor, ts } = JSON.parse(last.text) as Entry;
  return { actor, ts };
}

export interface LikeClaim {
  readonly id: string;
  readonly text: string;
  readonly kind: Verdict['kind'];
  readonly differs: readonly string[];
}

/** Claims that repeat, contradict or resemble a text, the most alike first; `except` is the claim itself. */
export function likeClaims(article: ArticleState, text: string, except?: string): readonly LikeClaim[] {
  return claimIndex(article)
    .find(text)
    .filter(({ id }) => id !== except)
    .slice(0, 5)
    .map(({ id, verdict }) => ({
      id,
      text: article.claims.get(id)?.claim.text ?? '',
      kind: verdict.kind,
      differs: verdict.differs,
    }));
}

/** Whether two states of an article have the same blocks in the same order with the same texts. */
export function readsAlike(one: ArticleState, other: ArticleState): boolean {
  const [before, after] = [activeDivs(one), activeDivs(other)];
  return (
    before.length === after.length &&
    before.every(({ div_id, vx_hash }, i) => after[i]?.div_id === div_id && after[i]?.vx_hash === vx_hash)
  );
}
