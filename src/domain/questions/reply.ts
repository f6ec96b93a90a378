/**
 * What is said to a question (contract §5 "Ask"): the extracted answer, or what is left of a model's, and in either case
 * who wrote it and why. What a model took is an entry of the article's provenance, from which its energy is counted.
 */
import type { EventDraft } from '../../engine/act.ts';
import { provenance } from '../articles/events.ts';
import type { ArticleState } from '../articles/state.ts';
import type { Context } from '../context.ts';
import type { Extract } from './extract.ts';
import type { QuestionNode } from '../../model/question.ts';
import { checkModelAnswer, type ModelReply } from './model-answer.ts';

export interface Reply {
  /** What was extracted, with the model's words and citations in its place where they stand. */
  readonly extract: Extract;
  /** The model that wrote it; null where none did. */
  readonly by: string | null;
  readonly note: string;
}

const quoted = 'it quotes claims and DIVs of the ledger as they stand.';

/** What is left of a model's answer, or the extracted one and why. */
export function replyOf(extract: Extract, written: ModelReply | undefined): Reply {
  if (written === undefined) return { extract, by: null, note: `No model wrote this answer: ${quoted}` };
  const { model, failed } = written;
  if (failed !== null)
    return { extract, by: null, note: `${model} was asked and did not answer, so ${quoted} ${failed}` };
  const { answer, citations, gaps } = checkModelAnswer(written.text, extract);
  const withGaps = { ...extract, gaps: [...extract.gaps, ...gaps] };
  if (answer === '')
    return {
      extract: withGaps,
      by: null,
      note: `${model} was asked, and nothing it wrote cites what it was given, so ${quoted}`,
    };
  return {
    extract: { ...withGaps, answer, citations },
    by: model,
    note: `${model} wrote this from the passages it cites; what cited none of them was left out. It proves nothing that they do not.`,
  };
}

/** What a model was asked and took, on the article's own chain: no revision, and counted in its energy. */
export function modelCallEvent(
  article: ArticleState,
  node: QuestionNode,
  slice: Extract,
  written: ModelReply,
  context: Context,
): EventDraft {
  const { row } = article;
  return provenance(
    row.aid,
    row.heads.provenance,
    context,
    'ask',
    null,
    { of: [node.id] },
    {
      model: written.model,
      prompt: node.question,
      input: slice.citations.map(({ id }) => id).join(' '),
      response: written.failed ?? written.text,
      tokens_in: written.tokens_in,
      tokens_out: written.tokens_out,
      cost: written.usd ?? 0,
    },
  );
}
