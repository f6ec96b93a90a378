/**
 * Every read of the article ledger by its name: where it is, its contents, and the JSON Schema of its answer
 * (spec §4.3). Answers name their schema in `_self.schema`; the test of reads holds each answer to its own.
 */
import type { TSchema } from 'typebox';
import { Article, ArticleList, Health, Masthead, Topology } from './article.ts';
import { Bundle, SlimBundle } from './bundle.ts';
import { DivList } from './div.ts';
import { Ledger, Provenance, Revision, RevisionList } from './history.ts';
import { CallList, InvocationList } from './invocation.ts';
import { SourceList } from './source.ts';
import { ContributionList, Mirror } from './contribution.ts';
import { Discourse, Objections, ThreadStateView, VoteList } from './discourse.ts';
import * as graphs from './graph.ts';
import * as landscape from './landscape.ts';
import * as proofs from './proofs.ts';
import { GraphTopology, PromptList, QuestionGraph } from './question.ts';
import * as references from './references.ts';
import { ClaimList } from './standing-claims.ts';

export interface ReadSchema {
  /** Template of the address, with placeholders in braces. */
  readonly path: string;
  readonly what: string;
  readonly schema: TSchema;
}

const base = '/api/articles';
const part = (name: string, what: string, schema: TSchema, query = ''): ReadSchema => ({
  path: `${base}/{slug}/${name}${query}`,
  what,
  schema,
});

export const readSchemas: Readonly<Record<string, ReadSchema>> = {
  articles: { path: base, what: 'Articles, a page at a time.', schema: ArticleList },
  article: { path: `${base}/{slug}`, what: 'An article whole.', schema: Article },
  bundle: part('bundle', 'An article as one portable package.', Bundle),
  'bundle-slim': part('bundle', 'The package with counts of DIVs only.', SlimBundle, '?format=slim'),
  topology: part('topology', 'Claims and sources and how they hang together.', Topology),
  voxels: part('voxels', 'DIVs with hashes and chains.', DivList),
  claims: part('claims', 'Every claim with what stands open against it, retracted ones flagged.', ClaimList),
  sources: part('sources', 'Sources in the order of their chain.', SourceList),
  provenance: part('provenance', 'Every write, with what it changed.', Provenance),
  contributions: part('contributions', 'Mirror contributions in the order of their chain.', ContributionList),
  mirror: part('mirror', 'Mirror contributions by claim and status.', Mirror),
  health: part('health', 'Integrity checks and a score.', Health),
  discourse: part('discourse', 'What was said about the article, open first.', Discourse),
  objections: part('objections', 'Objections to the article.', Objections),
  votes: part('votes', 'Votes on the shape of the article.', VoteList),
  masthead: part('masthead', 'The article in one screen.', Masthead),
  ledger: part('ledger', 'Entries of all its chains, in commit order.', Ledger),
  revisions: part('revisions', 'Its revisions, newest first.', RevisionList),
  revision: part('revisions', 'One revision whole.', Revision, '?rev={rev}'),
  invocations: part('invocations', 'What invocations on it came to.', InvocationList),
  calls: {
    path: '/api/invocations?object_id={key}',
    what: 'Calls of a row, newest first.',
    schema: CallList,
  },
  'question-graph': part('question-graph', 'Questions asked of the article, and evidence.', QuestionGraph),
  'graph-topology': part(
    'graph-topology',
    'The part of an article that a question is about.',
    GraphTopology,
    '?question={question}',
  ),
  prompts: part('prompts', 'Questions worth asking next.', PromptList),
  constitution: { path: `${base}/constitution`, what: 'Slots and rules.', schema: references.constitution },
  ontology: { path: `${base}/ontology`, what: 'Words and their values.', schema: references.ontology },
  'system-map': { path: `${base}/system-map`, what: 'Parts of the service.', schema: references.systemMap },
  'llm-manifest': {
    path: `${base}/llm-manifest`,
    what: 'Where a model starts.',
    schema: references.llmManifest,
  },
  protocol: { path: '/api/protocol', what: 'Rows by category.', schema: references.protocol },
  grow: { path: '/api/protocol/grow', what: 'What the ledger needs next.', schema: references.Grow },
  'thread-state': {
    path: '/api/protocol/thread-state?target={slug}',
    what: 'Where a thread stands.',
    schema: ThreadStateView,
  },
  'obsidian-vault': {
    path: `${base}/obsidian-vault?slugs={slugs}`,
    what: 'Articles as the notes of a vault.',
    schema: graphs.Vault,
  },
  graph: { path: '/api/graph?slugs={slugs}', what: 'Articles as nodes and edges.', schema: graphs.Graph },
  query: {
    path: '/api/v1/query?from={slugs}&kind={kind}&where={where}',
    what: 'Objects of one kind, filtered and ordered.',
    schema: graphs.Query,
  },
  search: { path: '/api/search?q={words}', what: 'What was found.', schema: graphs.Search },
  'proven-work': {
    path: '/api/proven-work',
    what: 'What can be inspected before it is believed.',
    schema: proofs.ProvenWork,
  },
  certificates: {
    path: '/api/proven-work?target={target}',
    what: 'Who inspected a proof, and what it came to.',
    schema: proofs.CertificateList,
  },
  landscape: {
    path: '/api/build-landscape',
    what: 'Cohorts and how far they have come.',
    schema: landscape.Landscape,
  },
  cohort: {
    path: '/api/build-landscape?cohort={cohort}',
    what: 'One cohort and its items.',
    schema: landscape.Cohort,
  },
  comparison: {
    path: '/api/build-landscape?cohort={cohort}&table=1',
    what: 'Targets by axes.',
    schema: landscape.Comparison,
  },
  assignment: {
    path: '/api/normandy?assignment={norm}',
    what: 'One assignment, without its share.',
    schema: landscape.Assignment,
  },
};
