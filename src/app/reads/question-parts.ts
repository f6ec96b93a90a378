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
} from '../../domain/questions/state.ts';
import { postTable } from '../../domain/discourse/thread.ts';
import { scrubText } from '../../guard/secrets.ts';
import { type Fault, invalidParameter } from '../../kernel/fault.ts';
import { GraphTopology, PromptList, QuestionGraph } from '../../model/question.ts';
import { prompts, questionGraph, topologySlice } from '../../represent/question-json.ts';
import { unlimited, loadArticle } from './articles.ts';
import type { ReadContext } from '../read-context.ts';
import { defineRead } from './define-read.ts';
import { readImported } from './imported.ts';
import { publicFromSeq, redactionPolicyOf } from './article-chains.ts';

/** Oldest first. Questions to a draft quote it, and are redacted. */
export async function readQuestions(context: ReadContext, access: ArticleAccess): Promise<QuestionRow[]> {
  const rows = [...(await context.read.rows(questionTable, access.aid)).values()];
  const from = await visibleFromSeq(context, access);
  return rows
    .filter(({ seq }) => seq >= from)
    .sort((a, b) =>
      a.node.asked_at < b.node.asked_at ? -1 : a.node.asked_at > b.node.asked_at ? 1 : a.n - b.n,
    );
}

async function readEvidence(context: ReadContext, access: ArticleAccess): Promise<EvidenceRow[]> {
  const from = await visibleFromSeq(context, access);
  const rows = await context.read.list(evidenceTable, access.aid, { limit: unlimited });
  return rows.filter(({ seq }) => seq >= from);
}

async function visibleFromSeq(context: ReadContext, access: ArticleAccess): Promise<number> {
  return access.seesDrafts ? 0 : publicFromSeq(context, (await loadArticle(context, access.aid)).row);
}

export const readQuestionGraph = defineRead(QuestionGraph, async ({ context, access }) => {
  const { row } = await loadArticle(context, access.aid);
  const chain = await context.read.chain(articleChain(access.aid, 'questions'));
  const graph = questionGraph({
    slug: access.slug,
    base: context.base,
    questions: await readQuestions(context, access),
    evidence: await readEvidence(context, access),
    chain: (await redactionPolicyOf(context, access, row)).redact(chain),
  });
  return { ...graph, ...(await readImported(context, access, 'questions')) };
});

/** The fault of an unusable question. */
export function questionFault(question: string | undefined): Fault | undefined {
  if (question === undefined)
    return invalidParameter(
      'question',
      'question is missing.',
      'Say what the slice is for, such as question=what+is+known.',
    );
  const bad = checkQuestion(question);
  return bad && invalidParameter('question', bad.message, bad.fix);
}

export const readGraphTopology = defineRead(GraphTopology, async ({ context, access, query }) => {
  // The answer repeats the question, without tokens.
  const question =
    query['question'] === undefined ? undefined : scrubText(query['question'], fingerprintOf).value;
  const bad = questionFault(question);
  if (bad !== undefined || question === undefined) return bad as Fault;
  return topologySlice(
    await loadArticle(context, access.aid),
    await readQuestions(context, access),
    question,
    context.base,
  );
});

export const readPrompts = defineRead(PromptList, async ({ context, access }) => {
  const posts = [...(await context.read.rows(postTable, access.aid)).values()].sort((a, b) => a.n - b.n);
  return prompts(
    await loadArticle(context, access.aid),
    await readQuestions(context, access),
    posts,
    context.base,
  );
});
