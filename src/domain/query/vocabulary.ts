/**
 * The fields of the graph query that have a few words to choose from (contract §7). A word that is none of them finds
 * nothing, and is rather a slip than a question: the refusal names the ones that there are.
 */
import type { DivKind } from '../articles/divide.ts';
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
  surfaces,
  tiers,
  voteDecisions,
  voteProposals,
} from '../../model/vocabulary.ts';
import type { Claim } from '../../model/claim.ts';

export type Words = Readonly<Record<string, readonly string[]>>;

const divKinds: Readonly<Record<DivKind, true>> = {
  heading: true,
  paragraph: true,
  list: true,
  code: true,
  quote: true,
  table: true,
  html: true,
  rule: true,
  definition: true,
  front_matter: true,
  mixed: true,
};

const stances: Readonly<Record<Post['stance'], true>> = {
  challenge: true,
  support: true,
  upgrade: true,
  objection: true,
  attestation: true,
  confirmation: true,
  review: true,
  note: true,
  update: true,
};

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
  div: { kind: Object.keys(divKinds) },
  question: { status: ['gap', 'answered', 'enriched'] satisfies QuestionStatus[] },
  contribution: { kind: contributionKinds, status: ['proposed', ...resolutions] },
  discourse: {
    stance: Object.keys(stances),
    status: ['open', 'settled'],
    surface: surfaces,
    outcome: attestOutcomes,
    verdict: reviewVerdicts,
  },
  vote: { proposal: voteProposals, status: ['open', 'decided'], decision: voteDecisions },
  invocation: { status: invocationStatuses },
};
