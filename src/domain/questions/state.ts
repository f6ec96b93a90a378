/** An article's questions as decisions see them, the entries that they leave, and how those become rows. */
import type { Event, EventDraft, Projection, View } from '../../engine/act.ts';
import { type RowOf, type Sub, integer, json, nullable, table, text } from '../../engine/tables.ts';
import { type Head, headOf } from '../../ledger/entry.ts';
import { articleChain, parseArticleChain } from '../articles/chains.ts';
import type { Context } from '../context.ts';
import type { MirrorState } from '../mirror/contribute.ts';
import { plainWording } from '../similarity/normalise.ts';
import type { Evidence, QuestionNode } from '../../model/question.ts';
import type { ContributionInput } from '../../model/contribution.ts';

export const questionsTable = table('questions', {
  key: { aid: text() },
  columns: { head: nullable(json<Head>()) },
  aggregate: 'questions',
});

export const questionTable = table('question', {
  key: { aid: text(), id: text() },
  columns: {
    /** Place of its newest entry in the chain. */
    n: integer(),
    /** Plain wording, by which a question that is asked again is known. */
    plain: text(),
    node: json<QuestionNode>(),
    seq: integer(),
  },
  aggregate: 'questions',
});

/** Listed, never decided upon: evidence may be long. */
export const evidenceTable = table('evidence', {
  key: { aid: text(), n: integer() },
  columns: { id: text(), evidence: json<Evidence>(), seq: integer() },
});

export const questionTables = [questionsTable, questionTable, evidenceTable];
export type QuestionRow = RowOf<typeof questionTable>;
export type EvidenceRow = RowOf<typeof evidenceTable>;

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
  update: { readonly node?: QuestionNode | undefined; readonly evidence?: Evidence | undefined },
): EventDraft {
  const { node, evidence } = update;
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
  const { entry } = event.sealed;
  to.put(questionsTable, { aid, head: headOf(event.sealed) });
  const content = event.contents['content_sha'] as (QuestionNode & { readonly plain: string }) | undefined;
  if (content !== undefined) {
    const { plain, ...node } = content;
    to.put(questionTable, { aid, id: node.id, n: entry.n, plain, node, seq: event.seq });
  }
  const evidence = event.contents['evidence_sha'] as Evidence | undefined;
  if (evidence !== undefined)
    to.put(evidenceTable, { aid, n: entry.n, id: evidence.id, evidence, seq: event.seq });
}
