/** Rows that ask an article and bring evidence to its questions (spec §4.4, contract §5 "Ask"). */
import { ask, questionRules } from '../domain/questions/ask.ts';
import { evidenceRules, ingest } from '../domain/questions/ingest.ts';
import { defineRow, type Row } from '../domain/capabilities/row.ts';
import { EvidenceInput, EvidenceStored, QuestionAnswered, QuestionInput } from '../model/question.ts';

const articleAsk = defineRow({
  key: 'ARTICLE_ASK',
  category: 'questions',
  target: 'article',
  wishes: ['ask what the ledger knows about something', 'get an answer with citations'],
  contract: {
    what: 'Answers a question from the claims and DIVs of an article, cited, with a confidence and what is missing, and keeps the question as a node. A model writes it where one is configured, from those claims and DIVs alone; otherwise they are quoted. The answer says which.',
    when: 'To have a question answered from the claims and DIVs of an article and kept as a node, with what the ledger lacks. Looking something up needs no row.',
    example: 'what-the-ledger-is|Which entries does a checkpoint cover?',
  },
  input: QuestionInput,
  output: QuestionAnswered,
  auth: 'owner',
  risk: 'high',
  safe: false,
  inAct: false,
  rules: ({ question }) => questionRules(question),
  plan: ({ slug: at, question, parent }) => ({
    do: 'inquire',
    slug: at,
    asks: question,
    decide: (article, inquiry, context, written) =>
      ask(article, inquiry, { question, parent }, context, written),
  }),
});

const articleIngest = defineRow({
  key: 'ARTICLE_INGEST',
  category: 'questions',
  target: 'article',
  wishes: ['bring evidence for an open question', 'hand in a text as evidence'],
  contract: {
    what: 'Keeps a text as evidence beside an article, proposes the sources whose addresses stand in it, and adds it to a question where one is named. The article itself does not change.',
    when: 'When a text bears on a question that the ledger does not answer. A source with its exact quote goes in through SOURCE_POST.',
    example:
      '{"slug":"what-the-ledger-is","evidence":"A checkpoint commits to every entry before it (https://www.rfc-editor.org/rfc/rfc6962)."}',
  },
  input: EvidenceInput,
  output: EvidenceStored,
  auth: 'share',
  risk: 'low',
  safe: false,
  inAct: true,
  rules: ({ evidence }) => evidenceRules(evidence),
  plan: ({ slug: at, evidence, question_node_id: question }) => ({
    do: 'inquire',
    slug: at,
    decide: (article, inquiry, context) =>
      ingest(article, inquiry, { evidence, question_node_id: question }, context),
  }),
});

export const questionRows: readonly Row[] = [articleAsk, articleIngest];
