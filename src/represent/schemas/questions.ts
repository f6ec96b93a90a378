/** Reads of an article's questions (spec §2.11, §4.3; contract §5 "Ask"). */
import Type from 'typebox';
import { questionStatuses } from '../../domain/questions/tables.ts';
import {
  actor,
  claimId,
  count,
  divId,
  inv,
  list,
  listed,
  oneOf,
  open,
  orNull,
  read,
  shape,
  slug,
  sourceId,
  text,
  time,
  url,
  verification,
} from './parts.ts';

const questionId = Type.String({ pattern: '^qn_[a-z2-7]{16}$' });
const gap = shape({
  code: oneOf(['nothing_found', 'words_not_found', 'prose_only', 'unsourced', 'weak_evidence']),
  detail: text,
  of: list(text),
});
const confidence = Type.Number({ minimum: 0, maximum: 1 });

const nodeMembers = {
  id: questionId,
  slug,
  question: text,
  answer_preview: text,
  confidence,
  status: oneOf(questionStatuses),
  parent: orNull(questionId),
  cited_claim_ids: list(claimId),
  cited_div_ids: list(divId),
  cited_source_ids: list(sourceId),
  gaps: list(gap),
  evidence_ids: list(text),
  contribution: orNull(text),
  claim_id: orNull(text),
  asked: count,
  asked_by: actor,
  asked_at: time,
  updated_at: time,
  receipt: inv,
};
const edge = shape({ from: text, rel: text, to: text });

/** The nodes and edges alone, as other reads carry them. */
export const questionSlice = shape({ questions: list(shape(nodeMembers)), edges: list(edge) });

export const questionGraph = read({
  slug,
  count,
  by_status: shape({ gap: list(questionId), answered: list(questionId), enriched: list(questionId) }),
  questions: list(shape({ ...nodeMembers, plain: text, ...listed })),
  edges: list(edge),
  evidence: list(
    shape({
      id: text,
      slug,
      text,
      question: orNull(questionId),
      covers: list(text),
      proposed: list(text),
      actor: text,
      ts: time,
      receipt: inv,
      untrusted: Type.Literal(true),
      ...listed,
    }),
  ),
  verification,
});

/** A claim or DIV that bears on a question; how well it does is the extraction's own. */
const citation = Type.Intersect([
  Type.Object({ kind: oneOf(['claim', 'div']), id: text, permalink: url }),
  open,
]);
const askCall = shape({
  method: Type.Literal('POST'),
  url,
  body: shape({ slug, question: text }),
});

export const graphTopology = read({
  slug,
  question: text,
  confidence,
  gaps: list(gap),
  claims: list(citation),
  divs: list(citation),
  sources: list(shape({ id: sourceId, type: text, url, title: text, quote: text })),
  questions: list(shape(nodeMembers)),
  edges: list(edge),
  ask: askCall,
});

export const prompts = read({
  slug,
  count,
  prompts: list(
    shape({
      id: Type.String({ pattern: '^p\\d+$' }),
      question: text,
      why: text,
      about: list(text),
      ask: askCall,
      topology: url,
    }),
  ),
});
