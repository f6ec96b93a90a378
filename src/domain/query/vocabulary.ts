/**
 * The fields of the graph query that have a few words to choose from (contract §7). A word that is none of them finds
 * nothing, and is rather a slip than a question: the refusal names the ones that there are.
 */
import { divKinds } from '../articles/blocks.ts';
import type { Post } from '../../model/discourse.ts';
import type { queryFields, QueryKind } from '../../model/query-fields.ts';
import {
  type ArticleStatus,
  type QuestionStatus,
  attestOutcomes,
  contributionKinds,
  invocationStatuses,
  platforms,
  resolutions,
  reviewVerdicts,
  slots,
  softwareClasses,
  stances,
  surfaces,
  tiers,
  voteDecisions,
  voteProposals,
} from '../../model/vocabulary.ts';
import type { Claim } from '../../model/claim.ts';

export type Words = Readonly<Record<string, readonly string[]>>;

const posted = [
  ...stances,
  ...(['objection', 'attestation', 'confirmation', 'review', 'note', 'update'] as const),
] satisfies Post['stance'][];

export const queryWords: {
  readonly [Kind in QueryKind]: Readonly<
    Partial<Record<keyof (typeof queryFields)[Kind], readonly string[]>>
  >;
} = {
  article: { status: ['draft', 'published', 'archived'] satisfies ArticleStatus[] },
  claim: {
    tier: tiers,
    status: ['active', 'retracted'] satisfies Claim['status'][],
    source_status: ['sourced', 'unsourced'] satisfies Claim['source_status'][],
    slot: slots,
  },
  source: { platform: platforms, software_class: softwareClasses },
  div: { kind: divKinds },
  question: { status: ['gap', 'answered', 'enriched'] satisfies QuestionStatus[] },
  contribution: { kind: contributionKinds, status: ['proposed', ...resolutions] },
  discourse: {
    stance: posted,
    status: ['open', 'settled'],
    surface: surfaces,
    outcome: attestOutcomes,
    verdict: reviewVerdicts,
  },
  vote: { proposal: voteProposals, status: ['open', 'decided'], decision: voteDecisions },
  invocation: { status: invocationStatuses },
};
