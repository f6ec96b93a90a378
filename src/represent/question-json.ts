/** An article's questions as a graph (contract §5): what was asked, what answers it, what is missing, what was brought to it. */
import { type ArticleState, sourcesOf } from '../domain/articles/state.ts';
import { type PostRow, isOpen } from '../domain/discourse/thread.ts';
import { links } from '../domain/links.ts';
import type {
  GraphTopology,
  Prompt,
  PromptList,
  QuestionEdge,
  QuestionGraph,
  QuestionNode,
  QuestionSlice,
} from '../model/question.ts';
import type { EvidenceRow, QuestionRow } from '../domain/questions/state.ts';
import { citationJson } from '../domain/questions/ask.ts';
import { activeClaims, citedSources, extractAnswer } from '../domain/questions/extract.ts';
import type { StoredEvent } from '../engine/act.ts';
import { trimEndOf } from '../kernel/text.ts';
import { leafHash } from '../ledger/entry.ts';
import { openEntry, verificationOf } from './stored-events.ts';
import type { Answer } from '../model/exact.ts';
import type { QuestionStatus } from '../model/vocabulary.ts';

export interface QuestionParts {
  readonly slug: string;
  readonly base: string;
  readonly questions: readonly QuestionRow[];
  readonly evidence: readonly EvidenceRow[];
  /** The whole chain of questions. */
  readonly chain: readonly StoredEvent[];
}

/** Questions oldest first, every edge between what is named, and the entries that all of it can be checked against. */
export function questionGraph(parts: QuestionParts): Answer<typeof QuestionGraph> {
  const idsOf = (status: QuestionStatus): string[] =>
    parts.questions.filter(({ node }) => node.status === status).map(({ id }) => id);
  const hashes = new Map(parts.chain.map((event) => [event.seq, entryHashOf(event)]));
  return {
    slug: parts.slug,
    count: parts.questions.length,
    by_status: { gap: idsOf('gap'), answered: idsOf('answered'), enriched: idsOf('enriched') },
    questions: parts.questions.map(({ node, seq }) => ({ ...node, entry_hash: hashes.get(seq) ?? null })),
    edges: questionEdges(parts.questions),
    evidence: parts.evidence.map(({ evidence, seq }) => ({
      ...evidence,
      untrusted: true,
      entry_hash: hashes.get(seq) ?? null,
    })),
    entries: parts.chain.map(openEntry),
    verification: verificationOf(parts.chain),
  };
}

function entryHashOf(event: StoredEvent): string {
  return Buffer.from(leafHash(event.text)).toString('hex');
}

/** The nodes and edges alone, for representations that hold the chain elsewhere. */
export function questionSlice(questions: readonly QuestionRow[]): QuestionSlice {
  return { questions: questions.map(({ node }) => node), edges: questionEdges(questions) };
}

function questionEdges(questions: readonly QuestionRow[]): QuestionEdge[] {
  return questions.flatMap(({ node }) => [
    ...(node.parent === null ? [] : [{ from: node.id, rel: 'follows', to: node.parent }]),
    ...(node.claim_id === null ? [] : [{ from: node.id, rel: 'asks_about', to: node.claim_id }]),
    ...(node.contribution === null ? [] : [{ from: node.id, rel: 'accepted_from', to: node.contribution }]),
    ...[...node.cited_claim_ids, ...node.cited_div_ids].map((to) => ({ from: node.id, rel: 'cites', to })),
    ...node.cited_source_ids.map((to) => ({ from: node.id, rel: 'rests_on', to })),
    ...node.evidence_ids.map((from) => ({ from, rel: 'enriches', to: node.id })),
  ]);
}

/** The part of an article that a question is about; nothing is recorded by looking. */
export function topologySlice(
  state: ArticleState,
  questions: readonly QuestionRow[],
  question: string,
  base: string,
): Answer<typeof GraphTopology> {
  const { slug } = state.row;
  const { citations, confidence, gaps } = extractAnswer(state, question);
  const sources = new Set(citedSources(state, citations));
  const cited = new Set(citations.map(({ id }) => id));
  const near = questions.filter(({ node }) =>
    [...node.cited_claim_ids, ...node.cited_div_ids].some((id) => cited.has(id)),
  );
  return {
    slug,
    question,
    confidence,
    gaps,
    claims: citations.filter(({ kind }) => kind === 'claim').map((each) => citationJson(base, slug, each)),
    divs: citations.filter(({ kind }) => kind === 'div').map((each) => citationJson(base, slug, each)),
    sources: sourcesOf(state)
      .filter(({ source_id: id }) => sources.has(id))
      .map(({ source: { id, type, url, title, quote } }) => ({ id, type, url, title, quote })),
    questions: near.map(({ node }) => node),
    edges: [
      ...citations.flatMap(({ id, source_ids: ids }) => ids.map((to) => ({ from: id, rel: 'cites', to }))),
      ...near.flatMap(({ node }) =>
        [...node.cited_claim_ids, ...node.cited_div_ids]
          .filter((id) => cited.has(id))
          .map((to) => ({ from: node.id, rel: 'cites', to })),
      ),
    ],
    ask: askCall(base, slug, question),
  };
}

function askCall(base: string, slug: string, question: string): Prompt['ask'] {
  return { method: 'POST', url: `${base}/api/protocol/ask`, body: { slug, question } };
}

const promptsMax = 24;
const slotQuestions: Readonly<Record<string, (title: string) => string>> = {
  what_it_is: (title) => `What is ${title}?`,
  who_claims_what: (title) => `Who claims what about ${title}?`,
  what_is_known: (title) => `What is known about ${title}?`,
  what_is_unknown: (title) => `What is not known about ${title}?`,
  limitations: (title) => `Where does what is said of ${title} not hold?`,
};

/** Questions worth asking next, each as a ready call: what was asked in vain, what nothing supports, what is disputed. */
export function prompts(
  state: ArticleState,
  questions: readonly QuestionRow[],
  posts: readonly PostRow[],
  base: string,
): Answer<typeof PromptList> {
  const { slug, title } = state.row;
  const claims = activeClaims(state);
  const filled = new Set<string | null>(claims.map(({ slot }) => slot));
  const unanswered = (node: QuestionNode): boolean => node.status !== 'answered';
  const found: Pick<Prompt, 'question' | 'why' | 'about'>[] = [
    ...questions
      .filter(({ node }) => unanswered(node))
      .map(({ node }) => ({
        question: node.question,
        why: `It was asked and is a ${node.status === 'gap' ? 'gap' : 'gap that evidence was brought to'}.`,
        about: [node.id],
      })),
    ...posts
      .filter((row) => isOpen(row))
      .map(({ id, post }) => ({
        question: `What answers this ${post.stance}: ${post.body.slice(0, 300).toWellFormed()}`,
        why: `It is open${post.target === '' ? '' : ` on ${post.target}`}.`,
        about: [id, ...(post.target === '' ? [] : [post.target])],
      })),
    ...claims
      .filter((claim) => claim.source_status === 'unsourced')
      .map(({ id, text }) => ({
        question: `Which source shows that ${lowered(text)}?`,
        why: 'The claim cites no source.',
        about: [id],
      })),
    ...Object.entries(slotQuestions)
      .filter(([slot]) => !filled.has(slot))
      .map(([slot, ask]) => ({
        question: ask(title),
        why: `No standing claim fills the required slot ${slot}.`,
        about: [slot],
      })),
  ];
  const list = found.slice(0, promptsMax).map((each, i) => ({
    id: `p${i + 1}`,
    ...each,
    ask: askCall(base, slug, each.question),
    topology: `${links.articlePart(base, slug, 'graph-topology')}?question=${encodeURIComponent(each.question)}`,
  }));
  return { slug, count: list.length, prompts: list };
}

/** A claim's text inside a question: no full stop, and no capital unless its word is all capitals or a name. */
function lowered(text: string): string {
  const bare = trimEndOf(text.trim(), /[.!?]/);
  return /^(?:A|An|The|Every|Each|All|No|Some|Most|Many|Few|It|In|On|At|For)\b/.test(bare)
    ? bare.charAt(0).toLowerCase() + bare.slice(1)
    : bare;
}
