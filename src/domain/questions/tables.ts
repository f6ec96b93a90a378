/**
 * Questions asked of an article and the evidence brought to them (spec §2.11, contract §5 "Ask"), as projections
 * of a chain of their own. Questions never rewrite the article; they say what it answers and what it lacks.
 */
import { integer, json, nullable, table, text, type RowOf } from '../../engine/tables.ts';
import type { Head } from '../../ledger/entry.ts';
import type { Evidence, QuestionNode } from '../../model/question.ts';

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
