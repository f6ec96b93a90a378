/**
 * What became of something that was said about an article (contract §3, §8), for readers who follow its receipt: the
 * decision, the answers, and whether the text has changed since. Public facts only: nothing about drafts, closed
 * workspaces, or what was written before the article was first published.
 */
import { articleChain } from '../../domain/articles/chains.ts';
import { articleTable } from '../../domain/articles/tables.ts';
import type { Entry } from '../../ledger/entry.ts';
import { provenanceContent } from '../../represent/stored-events.ts';
import type { ReadContext } from '../read-context.ts';
import { findArticle } from './article-access.ts';
import { type DiscussionEntry, readDiscussion, readDiscussionEntry } from './discussion.ts';
import type { Invocation } from './invocation.ts';
import { isFault } from '../../kernel/fault.ts';

/** A step in the life of an entry. */
export interface OutcomeStep {
  /** Unique within the receipt, and stays. */
  readonly id: string;
  readonly kind: 'said' | 'decided' | 'answered' | 'changed';
  readonly ts: string;
  /** The entry that was said, or that answers it. */
  readonly entry: DiscussionEntry;
}

export interface Outcome {
  readonly slug: string;
  readonly title: string;
  readonly entry: DiscussionEntry;
  /** Newest first. */
  readonly steps: readonly OutcomeStep[];
}

/** Undefined for calls that said nothing which is public. */
export async function readOutcome(
  context: ReadContext,
  invocation: Invocation,
): Promise<Outcome | undefined> {
  const aid = invocation.events[0]?.entry['article'];
  const said = invocation.yielded.material.find(({ kind }) => entryKinds.has(kind));
  if (invocation.status !== 'success' || typeof aid !== 'string' || said === undefined) return undefined;
  const row = await context.read.row(articleTable, aid);
  if (row === undefined || row.posted_at === null || invocation.startedAt < row.posted_at) return undefined;
  const access = await findArticle(context, row.slug, { kind: 'anonymous' });
  if (isFault(access) || access.aid !== aid) return undefined;
  const discussion = await readDiscussion(context, access);
  const entry = await readDiscussionEntry(context, access, discussion, said.id);
  // A call that was answered with an earlier entry said nothing itself.
  if (entry === undefined || entry.receipt !== invocation.id) return undefined;
  const changedAt = entry.textChanged ? await changeAfter(context, aid, entry) : undefined;
  const steps: OutcomeStep[] = [
    { id: 'said', kind: 'said', ts: entry.ts, entry },
    ...(entry.decision === undefined
      ? []
      : [{ id: `decided-${entry.decision.at}`, kind: 'decided' as const, ts: entry.decision.at, entry }]),
    ...(discussion.answers.get(entry.id) ?? []).map((answer) => ({
      id: answer.id,
      kind: 'answered' as const,
      ts: answer.ts,
      entry: answer,
    })),
    ...(changedAt === undefined
      ? []
      : [{ id: `changed-${changedAt}`, kind: 'changed' as const, ts: changedAt, entry }]),
  ];
  return {
    slug: row.slug,
    title: row.title,
    entry,
    steps: steps.sort((a, b) => (a.ts < b.ts ? 1 : a.ts > b.ts ? -1 : 0)),
  };
}

const entryKinds: ReadonlySet<string> = new Set(['discourse', 'contribution', 'vote']);

/** When the target was first changed after the entry was made. */
async function changeAfter(
  context: ReadContext,
  aid: string,
  { target, ts }: DiscussionEntry,
): Promise<string | undefined> {
  for (const event of await context.read.chain(articleChain(aid, 'provenance'))) {
    const { ts: at } = JSON.parse(event.text) as Entry;
    if (at >= ts && provenanceContent(event)?.change?.of?.includes(target) === true) return at;
  }
  return undefined;
}
