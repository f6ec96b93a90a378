/** Article parts about questions (spec §4.3): the graph, the slice of a question, prompts. */
import { articleChain } from '../../domain/articles/chains.ts';
import type { ArticleAccess } from './article-access.ts';
import { fingerprintOf } from '../../domain/capabilities/share-codec.ts';
import { checkQuestion } from '../../domain/questions/ask.ts';
import {
  evidenceTable,
  questionTable,
  type EvidenceRow,
  type QuestionRow,
} from '../../domain/questions/tables.ts';
import { postTable } from '../../domain/discourse/tables.ts';
import { scrubText } from '../../guard/secrets.ts';
import { fault, type Fault } from '../../kernel/fault.ts';
import { GraphTopology, PromptList, QuestionGraph } from '../../model/question.ts';
import { prompts, questionGraph, topologySlice } from '../../represent/question-json.ts';
import { unlimited, loadArticle } from './articles.ts';
import type { ReadContext } from '../read-context.ts';
import { defineRead } from './define-read.ts';
import { readImported } from './imported.ts';
import { publicFromSeq, redactionPolicyOf } from './redaction-policy.ts';

/** Oldest first. Questions to a draft quote it, and are redacted. */
export async function readQuestions(context: ReadContext, seen: ArticleAccess): Promise<QuestionRow[]> {
  const rows = [...(await context.read.rows(questionTable, seen.aid)).values()];
  const from = await visibleFromSeq(context, seen);
  return rows
    .filter(({ seq }) => seq >= from)
    .sort((a, b) =>
      a.node.asked_at < b.node.asked_at ? -1 : a.node.asked_at > b.node.asked_at ? 1 : a.n - b.n,
    );
}

async function readEvidence(context: ReadContext, seen: ArticleAccess): Promise<EvidenceRow[]> {
  const from = await visibleFromSeq(context, seen);
  const rows = await context.read.list(evidenceTable, seen.aid, { limit: unlimited });
  return rows.filter(({ seq }) => seq >= from);
}

async function visibleFromSeq(context: ReadContext, seen: ArticleAccess): Promise<number> {
  return seen.seesDrafts ? 0 : publicFromSeq(context, (await loadArticle(context, seen.aid)).row);
}

export const readQuestionGraph = defineRead(QuestionGraph, async ({ context, seen }) => {
  const { row } = await loadArticle(context, seen.aid);
  const chain = await context.read.chain(articleChain(seen.aid, 'questions'));
  const graph = questionGraph({
    slug: seen.slug,
    base: context.base,
    questions: await readQuestions(context, seen),
    evidence: await readEvidence(context, seen),
    chain: (await redactionPolicyOf(context, seen, row)).redact(chain),
  });
  return { ...graph, ...(await readImported(context, seen, 'questions')) };
});

/** The fault of an unusable question. */
export function questionFault(question: string | undefined): Fault | undefined {
  if (question === undefined)
    return fault(
      'invalid_request',
      'question is missing.',
      'Say what the slice is for, such as question=what+is+known.',
      { parameter: 'question' },
    );
  const bad = checkQuestion(question);
  return bad && fault('invalid_request', bad.message, bad.fix, { parameter: 'question' });
}

export const readGraphTopology = defineRead(GraphTopology, async ({ context, seen, query }) => {
  // The answer repeats the question, without tokens.
  const question =
    query['question'] === undefined ? undefined : scrubText(query['question'], fingerprintOf).value;
  const bad = questionFault(question);
  if (bad !== undefined || question === undefined) return bad as Fault;
  return topologySlice(
    await loadArticle(context, seen.aid),
    await readQuestions(context, seen),
    question,
    context.base,
  );
});

export const readPrompts = defineRead(PromptList, async ({ context, seen }) => {
  const posts = [...(await context.read.rows(postTable, seen.aid)).values()].sort((a, b) => a.n - b.n);
  return prompts(
    await loadArticle(context, seen.aid),
    await readQuestions(context, seen),
    posts,
    context.base,
  );
});
