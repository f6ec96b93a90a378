/**
 * Questions asked of an article and the evidence brought to them (spec §2.11, §4.3, §4.4; contract §5 "Ask"): inputs of
 * the rows, what the ledger keeps, what reads and rows answer.
 */
import Type from 'typebox';
import { optionalActor, slug as slugArgument, words } from './arguments.ts';
import type { Of } from './exact.ts';
import {
  actor,
  alteredPart,
  claimId,
  count,
  divId,
  flag,
  hash,
  imported,
  inv,
  list,
  oneOf,
  open,
  openedEntry,
  orNull,
  questionId,
  read,
  shape,
  slug,
  sourceId,
  text,
  time,
  url,
  verification,
} from './parts.ts';
import { questionStatuses } from './vocabulary.ts';

const questionArgument = (description: string) =>
  Type.Optional(Type.String({ pattern: '^qn_[a-z2-7]{16}$', description }));
const closed = { additionalProperties: false };
/** What ARTICLE_ASK takes. */
export const QuestionInput = Type.Object(
  {
    slug: slugArgument,
    question: words(4000, 'the question'),
    parent: questionArgument('the question that it follows from'),
    actor: optionalActor,
  },
  closed,
);
export type QuestionInput = Of<typeof QuestionInput>;
/** What ARTICLE_INGEST takes. */
export const EvidenceInput = Type.Object(
  {
    slug: slugArgument,
    evidence: words(200_000, 'the text'),
    question_node_id: questionArgument('the question that it bears on'),
    actor: optionalActor,
  },
  closed,
);
export type EvidenceInput = Of<typeof EvidenceInput>;

/** 0 to 1: how much of a question the ledger covers, and how well what covers it is supported. */
const confidence = Type.Number({ minimum: 0, maximum: 1 });
const status = oneOf(questionStatuses);
const edge = shape({ from: text, rel: text, to: text });
export type QuestionEdge = Of<typeof edge>;
const gap = shape({
  code: oneOf([
    'nothing_found',
    'words_not_found',
    'prose_only',
    'unsourced',
    'weak_evidence',
    'uncited_dropped',
    'foreign_citation',
  ]),
  detail: text,
  /** The words or claims that it is about. */
  of: list(text),
});
/** Something that keeps the ledger from answering better. */
export type Gap = Of<typeof gap>;

const nodeMembers = {
  id: questionId,
  slug,
  question: text,
  answer_preview: text,
  /** The model that wrote the answer; absent where it is extracted. */
  written_by: Type.Optional(text),
  confidence,
  status,
  /** The question that this one follows from. */
  parent: orNull(questionId),
  cited_claim_ids: list(claimId),
  cited_div_ids: list(divId),
  cited_source_ids: list(sourceId),
  gaps: list(gap),
  evidence_ids: list(text),
  /** The mirror contribution that it was accepted from, and the claim that one was about. */
  contribution: orNull(text),
  claim_id: orNull(claimId),
  /** How often it was asked. */
  asked: count,
  asked_by: actor,
  asked_at: time,
  updated_at: time,
  receipt: inv,
};
const node = shape(nodeMembers);
export type QuestionNode = Of<typeof node>;

/** The part that bundle and topology carry. */
export const QuestionSlice = shape({ questions: list(node), edges: list(edge) });
export type QuestionSlice = Of<typeof QuestionSlice>;

const evidenceMembers = {
  id: Type.String({ pattern: '^ev_[a-z2-7]+$' }),
  slug,
  /** Untrusted, as it was sent. */
  text,
  question: orNull(questionId),
  /** Words of the question that the ledger lacked and that the text has. */
  covers: list(text),
  proposed: list(text),
  actor,
  ts: time,
  receipt: inv,
};
const evidence = shape(evidenceMembers);
export type Evidence = Of<typeof evidence>;

export const QuestionGraph = read({
  slug,
  count,
  by_status: shape({ gap: list(questionId), answered: list(questionId), enriched: list(questionId) }),
  questions: list(shape({ ...nodeMembers, entry_hash: orNull(hash) })),
  edges: list(edge),
  evidence: list(shape({ ...evidenceMembers, untrusted: flag, entry_hash: orNull(hash) })),
  entries: list(openedEntry),
  verification,
  imported,
});

const citationMembers = {
  kind: oneOf(['claim', 'div']),
  id: text,
  /** The claim whole, or the passage of the DIV, in plain words. */
  text,
  /** Of the text as it stands: `hash` of the claim, `vx_hash` of the DIV. */
  hash,
  tier: orNull(text),
  weight: orNull(Type.Number()),
  source_ids: list(sourceId),
  score: Type.Number({ minimum: 0 }),
};
const found = shape(citationMembers);
export type Citation = Of<typeof found>;
export const CitationView = shape({ ...citationMembers, permalink: url });
export type CitationView = Of<typeof CitationView>;
const call = shape({ method: Type.Literal('POST'), url, body: shape({ slug, question: text }) });

export const GraphTopology = read({
  slug,
  ...alteredPart,
  question: text,
  confidence,
  gaps: list(gap),
  claims: list(CitationView),
  divs: list(CitationView),
  sources: list(shape({ id: sourceId, type: text, url, title: text, quote: text })),
  questions: list(node),
  edges: list(edge),
  ask: call,
});

export const Prompt = shape({
  id: text,
  question: text,
  why: text,
  about: list(text),
  ask: call,
  topology: url,
});
export type Prompt = Of<typeof Prompt>;
export const PromptList = read({
  slug,
  ...alteredPart,
  count,
  prompts: list(Prompt),
});

const source = shape({ type: text, url: text, title: text, quote: text, summary: text });
const written = { slug, revision: Type.Integer({ minimum: 1 }), permalink: url };

/** What ARTICLE_ASK answers. */
export const QuestionAnswered = shape({
  ...written,
  question: text,
  answer: text,
  answered_by: shape({ kind: oneOf(['extraction', 'model']), model: orNull(text), note: text }),
  confidence,
  citations: list(CitationView),
  gaps: list(gap),
  ingest_hint: orNull(
    shape({ why: text, method: Type.Literal('POST'), url, body: open, put_in: list(text) }),
  ),
  question_node: node,
});
export type QuestionAnswered = Of<typeof QuestionAnswered>;

/** What ARTICLE_INGEST answers. */
export const EvidenceStored = shape({
  ...written,
  evidence: shape({
    id: Type.String({ pattern: '^ev_[a-z2-7]{16}$' }),
    chars: count,
    covers: list(text),
    url,
  }),
  proposed_sources: list(
    shape({ contribution_id: text, ...source.properties, status: Type.Literal('proposed') }),
  ),
  found_sources: list(source),
  known_source_ids: list(sourceId),
  question_node: orNull(node),
  note: text,
});
