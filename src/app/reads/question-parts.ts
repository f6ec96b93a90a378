/** The parts of an article that are about questions (spec §4.3): the graph of those asked, the slice for one, prompts. */
import { articleChain } from '../../domain/articles/chains.ts';
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
import type { JsonObject } from '../../kernel/json.ts';
import { prompts, questionGraph, topologySlice } from '../../represent/question-json.ts';
import { everything, loadArticle } from './articles.ts';
import type { Seen } from '../seen.ts';
import type { Service } from '../service.ts';
import type { PartRequest } from './part-request.ts';
import { readImported } from './imported.ts';
import { publicFromSeq, veilOf } from './veil.ts';

/** Oldest first. What was asked of a draft quotes it, and stays with whoever saw the draft. */
export async function readQuestions(service: Service, seen: Seen): Promise<QuestionRow[]> {
  const rows = [...(await service.store.read.rows(questionTable, seen.aid)).values()];
  const from = await shownFrom(service, seen);
  return rows
    .filter(({ seq }) => seq >= from)
    .sort((a, b) =>
      a.node.asked_at < b.node.asked_at ? -1 : a.node.asked_at > b.node.asked_at ? 1 : a.n - b.n,
    );
}

async function readEvidence(service: Service, seen: Seen): Promise<EvidenceRow[]> {
  const from = await shownFrom(service, seen);
  const rows = await service.store.read.list(evidenceTable, seen.aid, { limit: everything });
  return rows.filter(({ seq }) => seq >= from);
}

async function shownFrom(service: Service, seen: Seen): Promise<number> {
  return seen.seesDrafts ? 0 : publicFromSeq(service, (await loadArticle(service, seen.aid)).row);
}

export async function readQuestionGraph({ service, seen }: PartRequest): Promise<JsonObject> {
  const { row } = await loadArticle(service, seen.aid);
  const chain = await service.store.read.chain(articleChain(seen.aid, 'questions'));
  const graph = questionGraph({
    slug: seen.slug,
    base: service.base,
    questions: await readQuestions(service, seen),
    evidence: await readEvidence(service, seen),
    chain: (await veilOf(service, seen, row)).over(chain),
  });
  return { ...graph, ...(await readImported(service, seen, 'questions')) };
}

/** Why nothing can be sought for it. */
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

export async function readGraphTopology({ service, seen, query }: PartRequest): Promise<JsonObject | Fault> {
  // It stands in the answer again: a token that slipped in does not.
  const question =
    query['question'] === undefined ? undefined : scrubText(query['question'], fingerprintOf).value;
  const bad = questionFault(question);
  if (bad !== undefined || question === undefined) return bad as Fault;
  return topologySlice(
    await loadArticle(service, seen.aid),
    await readQuestions(service, seen),
    question,
    service.base,
  );
}

export async function readPrompts({ service, seen }: PartRequest): Promise<JsonObject> {
  const posts = [...(await service.store.read.rows(postTable, seen.aid)).values()].sort((a, b) => a.n - b.n);
  return prompts(
    await loadArticle(service, seen.aid),
    await readQuestions(service, seen),
    posts,
    service.base,
  );
}
