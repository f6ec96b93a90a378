/**
 * Every read of the article ledger by its name: where it is, its contents, and the JSON Schema of its answer
 * (spec §4.3). Answers name their schema in `_self.schema`; the test of reads holds each answer to its own.
 */
import type { TSchema } from 'typebox';
import { Article, ArticleList, Backlinks, Health, Masthead, Topology } from './article.ts';
import { Bundle, SlimBundle } from './bundle.ts';
import { DivList } from './div.ts';
import { Ledger, Provenance, Revision, RevisionComparison, RevisionList } from './history.ts';
import { CallList, InvocationList } from './invocation.ts';
import { SourceList } from './source.ts';
import { ContributionList, Mirror } from './contribution.ts';
import { Discourse, Objections, ThreadStateView, VoteList } from './discourse.ts';
import { Recent, SeriesList, TagList, Waiting } from './activity.ts';
import * as graphs from './graph.ts';
import * as landscape from './landscape.ts';
import * as proofs from './proofs.ts';
import { GraphTopology, PromptList, QuestionGraph } from './question.ts';
import * as references from './references.ts';
import { ClaimList } from './standing-claims.ts';

/** A read that a question in plain words can find. */
export interface AskableRead {
  /** Template of the address, with placeholders in braces. */
  readonly path: string;
  readonly what: string;
  /** What callers want when they look for it, in their words. */
  readonly wishes?: readonly string[];
}

export interface ReadSchema extends AskableRead {
  readonly schema: TSchema;
}

const sought = (read: ReadSchema, ...wishes: readonly string[]): ReadSchema => ({ ...read, wishes });

const base = '/api/articles';
const part = (name: string, what: string, schema: TSchema, query = ''): ReadSchema => ({
  path: `${base}/{slug}/${name}${query}`,
  what,
  schema,
});

export const readSchemas: Readonly<Record<string, ReadSchema>> = {
  articles: sought(
    { path: base, what: 'Articles, a page at a time.', schema: ArticleList },
    'list all articles',
    'browse the articles',
    'which articles are there',
  ),
  article: sought(
    { path: `${base}/{slug}`, what: 'An article whole.', schema: Article },
    'read an article',
    'open an article',
  ),
  bundle: part('bundle', 'An article as one portable package.', Bundle),
  'bundle-slim': part('bundle', 'The package with counts of DIVs only.', SlimBundle, '?format=slim'),
  topology: part('topology', 'Claims and sources and how they hang together.', Topology),
  voxels: sought(
    part('voxels', 'DIVs with hashes and chains.', DivList),
    'read the blocks with their hashes',
    'get the hash of a block',
  ),
  claims: sought(
    part('claims', 'Every claim with what stands open against it, retracted ones flagged.', ClaimList),
    'read the claims of an article',
    'which claims are contested',
  ),
  sources: sought(
    part('sources', 'Sources in the order of their chain.', SourceList),
    'which sources does an article cite',
    'read the sources',
  ),
  provenance: sought(
    part('provenance', 'Every write, with what it changed.', Provenance),
    'who wrote this article',
    'who changed what',
  ),
  contributions: part('contributions', 'Mirror contributions in the order of their chain.', ContributionList),
  mirror: sought(
    part('mirror', 'Mirror contributions by claim and status.', Mirror),
    'see what was proposed',
    'read the contributions to an article',
  ),
  health: sought(
    part('health', 'Integrity checks and a score.', Health),
    'check that nothing was altered',
    'is the article intact',
  ),
  discourse: sought(
    part('discourse', 'What was said about the article, open first.', Discourse),
    'read the discussion of an article',
    'what was said about an article',
  ),
  objections: sought(
    part('objections', 'Objections to the article.', Objections),
    'read what others objected',
    'which objections are open',
    'list what is disputed',
    'see the objections to an article',
  ),
  votes: sought(part('votes', 'Votes on the shape of the article.', VoteList), 'see the votes'),
  masthead: sought(
    part('masthead', 'The article in one screen.', Masthead),
    'summary of an article',
    'article in short',
  ),
  ledger: part('ledger', 'Entries of all its chains, in commit order.', Ledger),
  revisions: sought(
    part('revisions', 'Its revisions, newest first.', RevisionList),
    'how did an article change',
    'see old versions of an article',
    'history of an article',
  ),
  revision: part('revisions', 'One revision whole.', Revision, '?rev={rev}'),
  compare: sought(
    part(
      'compare',
      'Two revisions compared: blocks, claims, sources and metadata that differ.',
      RevisionComparison,
      '?from={rev}&to={rev}',
    ),
    'compare two revisions',
    'what changed between two versions',
    'diff of an article',
  ),
  links: sought(
    part('links', 'Other articles that link to it, with the places.', Backlinks),
    'what links to an article',
    'which articles cite this one',
    'backlinks',
  ),
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
  constitution: sought(
    { path: `${base}/constitution`, what: 'Slots and rules.', schema: references.constitution },
    'which rules does a claim have to follow',
    'rules of writing',
  ),
  ontology: { path: `${base}/ontology`, what: 'Words and their values.', schema: references.ontology },
  'system-map': { path: `${base}/system-map`, what: 'Parts of the service.', schema: references.systemMap },
  'llm-manifest': {
    path: `${base}/llm-manifest`,
    what: 'Where a model starts.',
    schema: references.llmManifest,
  },
  protocol: { path: '/api/protocol', what: 'Rows by category.', schema: references.protocol },
  grow: sought(
    { path: '/api/protocol/grow', what: 'What the ledger needs next.', schema: references.Grow },
    'what does the ledger need next',
    'what is missing here',
  ),
  'thread-state': sought(
    {
      path: '/api/protocol/thread-state?target={slug}',
      what: 'Where a thread stands.',
      schema: ThreadStateView,
    },
    'where does the discussion stand',
    'get the thread head',
    'which entries are still open',
  ),
  'obsidian-vault': {
    path: `${base}/obsidian-vault?slugs={slugs}`,
    what: 'Articles as the notes of a vault.',
    schema: graphs.Vault,
  },
  graph: sought(
    { path: '/api/graph?slugs={slugs}', what: 'Articles as nodes and edges.', schema: graphs.Graph },
    'how do articles hang together',
  ),
  query: {
    path: '/api/v1/query?from={slugs}&kind={kind}&where={where}',
    what: 'Objects of one kind, filtered and ordered.',
    schema: graphs.Query,
  },
  search: sought(
    { path: '/api/search?q={words}', what: 'What was found.', schema: graphs.Search },
    'find an article about',
    'search the ledger',
    'look for something',
    'is there anything about',
  ),
  recent: sought(
    { path: '/api/recent', what: 'What happened to articles, newest first.', schema: Recent },
    'what changed lately',
    'what happened recently',
    'who changed what',
  ),
  tags: sought(
    { path: '/api/tags', what: 'Tags with the number of their articles.', schema: TagList },
    'which tags are there',
    'what are the articles about',
  ),
  series: sought(
    { path: '/api/series', what: 'Series with their articles in order.', schema: SeriesList },
    'which series are there',
    'in which order are articles read',
  ),
  waiting: sought(
    {
      path: '/api/waiting',
      what: 'What waits for a decision, for the owner and those invited to the desk.',
      schema: Waiting,
    },
    'what waits for a decision',
    'which contributions are undecided',
    'what must the owner decide',
  ),
  'proven-work': sought(
    {
      path: '/api/proven-work',
      what: 'What can be inspected before it is believed.',
      schema: proofs.ProvenWork,
    },
    'what can be verified',
    'inspect a proof',
  ),
  certificates: {
    path: '/api/proven-work?target={target}',
    what: 'Who inspected a proof, and what it came to.',
    schema: proofs.CertificateList,
  },
  landscape: sought(
    {
      path: '/api/build-landscape',
      what: 'Cohorts and how far they have come.',
      schema: landscape.Landscape,
    },
    'which cohorts are there',
    'what is left to do',
  ),
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
  assignment: sought(
    {
      path: '/api/normandy?assignment={norm}',
      what: 'One assignment, without its share.',
      schema: landscape.Assignment,
    },
    'what became of my assignment',
    'see an assignment',
  ),
};

/** Reads without a schema of their own here that a question can find. */
export const otherReads = {
  questions: {
    path: '/api/v1/query?from=*&kind=question',
    what: 'Questions asked of the articles, with what they lack for an answer; add where=status=gap for the open ones.',
    wishes: ['which questions are open', 'open questions', 'what is not answered yet', 'what was asked'],
  },
  confirm: {
    path: '/api/dispatch?confirm={inv}',
    what: 'Public proof that a call happened: its times, status and hashes.',
    wishes: [
      'prove that my call happened',
      'confirm a call',
      'did my call work',
      'was it recorded',
      'what became of my objection',
      'what became of my receipt',
      'follow what becomes of a receipt',
      'feed of a receipt',
      'what happened to my proposal',
    ],
  },
  workspace: {
    path: '/api/workspace/main',
    what: 'What the workspace is, who may do what in it, and who grants more.',
    wishes: ['who may write here', 'who can give me more rights', 'who grants access', 'what are the roles'],
  },
} as const satisfies Readonly<Record<string, AskableRead>>;
