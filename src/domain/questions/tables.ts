/**
 * Questions asked of an article and the evidence brought to them (spec §2.11, contract §5 "Ask"), as projections
 * of a chain of their own. Questions never rewrite the article; they say what it answers and what it lacks.
 */
import { integer, json, nullable, table, text, type RowOf } from '../../engine/tables.ts';
import type { Head } from '../../ledger/entry.ts';
import type { QuestionStatus } from '../../model/vocabulary.ts';

/** Something that keeps the ledger from answering better. A type and not an interface, so that it counts as JSON. */
export type Gap = {
  readonly code:
    | 'nothing_found'
    | 'words_not_found'
    | 'prose_only'
    | 'unsourced'
    | 'weak_evidence'
    | 'uncited_dropped'
    | 'foreign_citation';
  readonly detail: string;
  /** The words or claims that it is about. */
  readonly of: readonly string[];
};

export type QuestionNode = {
  readonly id: string;
  readonly slug: string;
  readonly question: string;
  readonly answer_preview: string;
  /** The model that wrote the answer; absent where it is extracted. */
  readonly written_by?: string;
  /** 0 to 1: how much of the question the ledger covers, and how well what covers it is supported. */
  readonly confidence: number;
  readonly status: QuestionStatus;
  /** The question that this one follows from. */
  readonly parent: string | null;
  readonly cited_claim_ids: readonly string[];
  readonly cited_div_ids: readonly string[];
  readonly cited_source_ids: readonly string[];
  readonly gaps: readonly Gap[];
  readonly evidence_ids: readonly string[];
  /** The mirror contribution that it was accepted from, and the claim that one was about. */
  readonly contribution: string | null;
  readonly claim_id: string | null;
  /** How often it was asked. */
  readonly asked: number;
  readonly asked_by: string;
  readonly asked_at: string;
  readonly updated_at: string;
  readonly receipt: string;
};

export type Evidence = {
  readonly id: string;
  readonly slug: string;
  /** Untrusted text, as it was sent. */
  readonly text: string;
  readonly question: string | null;
  /** Words of the question that the ledger lacked and that stand in it. */
  readonly covers: readonly string[];
  readonly proposed: readonly string[];
  readonly actor: string;
  readonly ts: string;
  readonly receipt: string;
};

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
