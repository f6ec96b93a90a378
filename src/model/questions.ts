/** Reads about questions (spec §4.3, contract §5 "Ask"): the graph of those asked, the slice for one, and prompts. */
import Type from 'typebox';
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

export const confidence = Type.Number({ minimum: 0, maximum: 1 });
const status = oneOf(questionStatuses);
const edge = shape({ from: text, rel: text, to: text });
export const gap = shape({
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
  of: list(text),
});

export const nodeMembers = {
  id: questionId,
  slug,
  question: text,
  answer_preview: text,
  confidence,
  status,
  parent: orNull(questionId),
  cited_claim_ids: list(claimId),
  cited_div_ids: list(divId),
  cited_source_ids: list(sourceId),
  gaps: list(gap),
  evidence_ids: list(text),
  contribution: orNull(text),
  claim_id: orNull(claimId),
  asked: count,
  asked_by: actor,
  asked_at: time,
  updated_at: time,
  receipt: inv,
};
const node = shape(nodeMembers);

/** The part that bundle and topology carry. */
export const questionSlice = shape({ questions: list(node), edges: list(edge) });

export const questionGraph = read({
  slug,
  count,
  by_status: shape({ gap: list(questionId), answered: list(questionId), enriched: list(questionId) }),
  questions: list(shape({ ...nodeMembers, entry_hash: orNull(hash) })),
  edges: list(edge),
  evidence: list(
    shape({
      id: Type.String({ pattern: '^ev_[a-z2-7]+$' }),
      slug,
      text,
      question: orNull(questionId),
      covers: list(text),
      proposed: list(text),
      actor,
      ts: time,
      receipt: inv,
      untrusted: flag,
      entry_hash: orNull(hash),
    }),
  ),
  entries: list(openedEntry),
  verification,
  imported,
});

export const citation = shape({
  kind: oneOf(['claim', 'div']),
  id: text,
  text,
  hash,
  tier: orNull(text),
  weight: orNull(Type.Number()),
  source_ids: list(sourceId),
  score: Type.Number({ minimum: 0 }),
  permalink: url,
});
const call = shape({ method: Type.Literal('POST'), url, body: shape({ slug, question: text }) });

export const graphTopology = read({
  slug,
  ...alteredPart,
  question: text,
  confidence,
  gaps: list(gap),
  claims: list(citation),
  divs: list(citation),
  sources: list(shape({ id: sourceId, type: text, url, title: text, quote: text })),
  questions: list(node),
  edges: list(edge),
  ask: call,
});

export const prompts = read({
  slug,
  ...alteredPart,
  count,
  prompts: list(shape({ id: text, question: text, why: text, about: list(text), ask: call, topology: url })),
});
