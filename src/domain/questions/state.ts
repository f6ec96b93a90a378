/** An article's questions as decisions see them, the entries that they leave, and how those become rows. */
import type { Event, EventDraft, Projection, View } from '../../engine/act.ts';
import type { Sub } from '../../engine/tables.ts';
import type { Head } from '../../ledger/entry.ts';
import { articleChain, parseArticleChain } from '../articles/chains.ts';
import type { Context } from '../context.ts';
import type { MirrorState } from '../mirror/contribute.ts';
import { plainWording } from '../similarity/normalise.ts';
import { evidenceTable, questionsTable, questionTable, type QuestionRow } from './tables.ts';
import type { Evidence, QuestionNode } from '../../model/question.ts';
import type { ContributionInput } from '../../model/contribution.ts';

export interface QuestionsState {
  readonly head: Head | null;
  readonly questions: ReadonlyMap<Sub, QuestionRow>;
}

/** What asking and ingesting look at beside the article. */
export interface QuestionContext {
  readonly questions: QuestionsState;
  /** The mirror as it stands for one contribution. */
  mirror(input: ContributionInput): MirrorState;
}

export function questionsOf(view: View, aid: string): QuestionsState {
  return { head: view.row(questionsTable, aid)?.head ?? null, questions: view.rows(questionTable, aid) };
}

/** One entry: a question as it stands from now on, or evidence, or both. */
export function questionEvent(
  aid: string,
  head: Head | null,
  context: Context,
  action: 'ask' | 'accept' | 'ingest',
  said: { readonly node?: QuestionNode | undefined; readonly evidence?: Evidence | undefined },
): EventDraft {
  const { node, evidence } = said;
  return {
    draft: {
      chain: articleChain(aid, 'questions'),
      ts: context.now,
      actor: context.actor,
      action,
      inv: context.inv,
    },
    head,
    contents: [
      ...(node === undefined
        ? []
        : [{ field: 'content_sha', value: { ...node, plain: plainWording(node.question) } }]),
      ...(evidence === undefined ? [] : [{ field: 'evidence_sha', value: evidence }]),
    ],
  };
}

export function projectQuestions(event: Event, to: Projection): void {
  const chain = parseArticleChain(event.sealed.entry.chain);
  if (chain?.of !== 'questions') return;
  const { aid } = chain;
  const { entry, hash } = event.sealed;
  to.put(questionsTable, { aid, head: { n: entry.n, hash, ts: entry.ts } });
  const content = event.contents['content_sha'] as unknown as
    (QuestionNode & { readonly plain: string }) | undefined;
  if (content !== undefined) {
    const { plain, ...node } = content;
    to.put(questionTable, { aid, id: node.id, n: entry.n, plain, node, seq: event.seq });
  }
  const evidence = event.contents['evidence_sha'] as unknown as Evidence | undefined;
  if (evidence !== undefined)
    to.put(evidenceTable, { aid, n: entry.n, id: evidence.id, evidence, seq: event.seq });
}
