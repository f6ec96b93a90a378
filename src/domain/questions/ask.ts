/**
 * Asking an article (spec §4.4, contract §5 "Ask"): the answer is cut from the ledger, or written by a model from what
 * was cut, and the question stays as a node with what answered it and what is missing. The same question asked again is
 * the same node, answered again. What a model took is an entry of the article's provenance.
 */
import { about, fault, type Fault } from '../../kernel/fault.ts';
import { exactly } from '../../model/exact.ts';
import type { ArticleState } from '../articles/state.ts';
import type { Context, Outcome } from '../context.ts';
import { links } from '../links.ts';
import { intakeRules } from '../text-rules.ts';
import { refusalOf, type Violation } from '../violations.ts';
import { plainWording } from '../similarity/normalise.ts';
import type { EventDraft } from '../../engine/act.ts';
import { answeredScoreMin, citedSources, extractAnswer, type Extract } from './extract.ts';
import { questionEvent, type QuestionContext, type QuestionsState } from './state.ts';
import {
  QuestionAnswered,
  type Citation,
  type CitationView,
  type QuestionInput,
  type QuestionNode,
} from '../../model/question.ts';
import { replyOf, modelCallEvent } from './reply.ts';
import type { ModelReply } from './model-answer.ts';
import { excerptOf } from '../../kernel/text.ts';

export const questionCharsMax = 1000;
const previewChars = 280;

export type AskInput = Pick<QuestionInput, 'question' | 'parent'>;

export function ask(
  article: ArticleState,
  { questions }: QuestionContext,
  input: AskInput,
  context: Context,
  written?: ModelReply,
): Outcome<ArticleState> | Fault {
  const bad = checkQuestion(input.question);
  if (bad !== undefined) return bad;
  if (input.parent !== undefined && !questions.questions.has(input.parent))
    return questionNotFound(article, input.parent);
  const slice = extractAnswer(article, input.question);
  const reply = replyOf(slice, written);
  const { extract, by } = reply;
  const node = nodeFor(
    article,
    questions,
    extract,
    { ...input, contribution: null, claim: null, by },
    context,
  );
  const { slug, aid } = article.row;
  const { base } = context;
  return {
    events: [
      questionEvent(aid, questions.head, context, 'ask', { node }),
      ...(written === undefined ? [] : [modelCallEvent(article, node, slice, written, context)]),
    ],
    conclude: () => ({
      result: exactly(QuestionAnswered, {
        slug,
        question: node.question,
        answer: extract.answer,
        answered_by: { kind: by === null ? 'extraction' : 'model', model: by, note: reply.note },
        confidence: node.confidence,
        citations: extract.citations.map((citation) => citationJson(base, slug, citation)),
        gaps: node.gaps,
        ingest_hint: ingestHint(base, node),
        question_node: node,
        revision: article.row.version,
        permalink: graphLink(base, slug),
      }),
      text: `${node.id} (${node.status}, confidence ${node.confidence}), ${by === null ? 'extracted from the ledger, not written by a model' : `written by ${by} from the ledger`}:\n${extract.answer}`,
      material: [{ kind: 'question', id: node.id, url: graphLink(base, slug) }],
      wasted: by === null,
    }),
  };
}

/** A question that came through the mirror and was accepted: it becomes a node, answered as one that is asked. */
export function acceptQuestion(
  article: ArticleState,
  questions: QuestionsState,
  input: { readonly question: string; readonly contribution: string; readonly claim: string | null },
  context: Context,
): { readonly event: EventDraft; readonly node: QuestionNode } {
  const extract = extractAnswer(article, input.question);
  const node = nodeFor(article, questions, extract, input, context);
  return {
    node,
    event: questionEvent(article.row.aid, questions.head, context, 'accept', { node }),
  };
}

/** What an answer makes of a question: a new node, or the one that was asked before. */
function nodeFor(
  article: ArticleState,
  { questions }: QuestionsState,
  extract: Extract,
  input: {
    readonly question: string;
    readonly parent?: string | undefined;
    readonly contribution: string | null;
    readonly claim: string | null;
    /** The model that wrote the answer. */
    readonly by?: string | null;
  },
  context: Context,
): QuestionNode {
  const plain = plainWording(input.question);
  const before = [...questions.values()].find((row) => row.plain === plain)?.node;
  const { written_by: _before, ...fresh } = before ?? {
    id: context.id('qn_'),
    slug: article.row.slug,
    question: input.question.trim(),
    evidence_ids: [],
    asked: 0,
    asked_by: context.actor,
    asked_at: context.now,
    parent: null,
    contribution: null,
    claim_id: null,
  };
  const parent = input.parent === fresh.id ? undefined : input.parent;
  return {
    ...fresh,
    ...nodeMembers(article, extract, fresh.evidence_ids.length > 0),
    ...(input.by == null ? {} : { written_by: input.by }),
    parent: parent ?? fresh.parent,
    contribution: input.contribution ?? fresh.contribution,
    claim_id: input.claim ?? fresh.claim_id,
    asked: fresh.asked + 1,
    updated_at: context.now,
    receipt: context.inv,
  };
}

/** The members of a node that an answer gives. */
export function nodeMembers(
  article: ArticleState,
  { answer, confidence, citations, gaps }: Extract,
  hasEvidence: boolean,
): Pick<
  QuestionNode,
  | 'answer_preview'
  | 'confidence'
  | 'status'
  | 'cited_claim_ids'
  | 'cited_div_ids'
  | 'cited_source_ids'
  | 'gaps'
> {
  const idsOf = (kind: Citation['kind']): string[] =>
    citations.filter((citation) => citation.kind === kind).map(({ id }) => id);
  return {
    answer_preview: excerptOf(answer, previewChars),
    confidence,
    status: confidence >= answeredScoreMin ? 'answered' : hasEvidence ? 'enriched' : 'gap',
    cited_claim_ids: idsOf('claim'),
    cited_div_ids: idsOf('div'),
    cited_source_ids: citedSources(article, citations),
    gaps,
  };
}

/** A question asks one thing, briefly; what it rests on goes to `/api/protocol/ingest` as evidence. */
export function questionRules(question: string | null | undefined): Violation[] {
  return intakeRules({ question }, questionCharsMax);
}

export function checkQuestion(question: string): Fault | undefined {
  return refusalOf(questionRules(question));
}

export function questionNotFound(article: ArticleState, id: string): Fault {
  return about(
    fault(
      'not_found',
      `${article.row.slug} has no question ${id.slice(0, 40)}.`,
      'List its questions under /question-graph.',
    ),
    { kind: 'question', id, slug: article.row.slug },
  );
}

export function citationJson(base: string, slug: string, citation: Citation): CitationView {
  const { kind, id } = citation;
  return {
    ...citation,
    permalink: kind === 'claim' ? links.claim(base, slug, id) : links.div(base, slug, id),
  };
}

export function graphLink(base: string, slug: string): string {
  return links.articlePart(base, slug, 'question-graph');
}

/** Where what is missing goes: a call that needs only the evidence put in. Null where nothing is missing. */
function ingestHint(base: string, node: QuestionNode): QuestionAnswered['ingest_hint'] {
  if (node.gaps.length === 0) return null;
  return {
    why: node.gaps.map(({ detail, of }) => `${detail} (${of.join(', ')})`).join(' '),
    method: 'POST',
    url: `${base}/api/protocol/ingest`,
    body: { slug: node.slug, question_node_id: node.id, evidence: '' },
    put_in: ['evidence'],
  };
}
