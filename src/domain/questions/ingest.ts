/**
 * Taking in evidence (spec §4.4, contract §5 "Ingest"): a text is kept as it was sent, the sources that it names
 * are proposed through the mirror, for the owner to accept, and the question that it was brought to says what
 * became of it. Nothing that stands in the article changes.
 */
import type { Fault } from '../../kernel/fault.ts';
import { canonicalJson } from '../../kernel/json.ts';
import type { EventDraft } from '../../engine/act.ts';
import { sameSource } from '../articles/same-source.ts';
import { exactly } from '../../model/exact.ts';
import type { ArticleState } from '../articles/state.ts';
import type { Context, Outcome } from '../context.ts';
import { contribute } from '../mirror/contribute.ts';
import { blankRules } from '../text-rules.ts';
import { refusalOf, type Violation } from '../violations.ts';
import { queryTerms, termList } from '../retrieval/terms.ts';
import { nodeMembers, graphLink, questionNotFound } from './ask.ts';
import { extractAnswer, wordsOf } from './extract.ts';
import { findSources, type FoundSource } from './find-sources.ts';
import { questionEvent, type QuestionContext } from './state.ts';
import { EvidenceStored, type Evidence, type QuestionNode } from '../../model/question.ts';
import type { ContributionInput } from '../../model/contribution.ts';

export interface IngestInput {
  readonly evidence: string;
  readonly question_node_id?: string | undefined;
}

interface Proposal {
  readonly source: FoundSource;
  readonly contribution: string;
}

export function evidenceRules(evidence: string | null | undefined): Violation[] {
  return blankRules('evidence', evidence, 'Send the text that bears on the question.');
}

export function ingest(
  article: ArticleState,
  inquiry: QuestionContext,
  input: IngestInput,
  context: Context,
): Outcome<ArticleState> | Fault {
  const bad = refusalOf(evidenceRules(input.evidence));
  if (bad !== undefined) return bad;
  const { questions } = inquiry;
  const id = input.question_node_id;
  const before = id === undefined ? undefined : questions.questions.get(id)?.node;
  if (id !== undefined && before === undefined) return questionNotFound(article, id);
  const { slug, aid } = article.row;
  const found = findSources(input.evidence);
  const known = new Map([...article.sources.values()].map((row) => [row.same_as, row.source_id]));
  const isKnown = (source: FoundSource): boolean => known.has(sameSource(source.url, source.quote));
  const { proposals, events } = propose(
    article,
    inquiry,
    found.filter((each) => !isKnown(each)),
    context,
  );
  const evidence: Evidence = {
    id: context.id('ev_'),
    slug,
    text: input.evidence,
    question: before?.id ?? null,
    covers: before === undefined ? [] : covered(before, input.evidence),
    proposed: proposals.map(({ contribution }) => contribution),
    actor: context.actor,
    ts: context.now,
    receipt: context.inv,
  };
  const node = before === undefined ? undefined : enriched(article, before, evidence, context);
  return {
    events: [questionEvent(aid, questions.head, context, 'ingest', { node, evidence }), ...events],
    conclude: () => ({
      result: exactly(EvidenceStored, {
        slug,
        evidence: {
          id: evidence.id,
          chars: evidence.text.length,
          covers: evidence.covers,
          url: graphLink(context.base, slug),
        },
        proposed_sources: proposals.map(({ source, contribution }) => ({
          contribution_id: contribution,
          ...source,
          status: 'proposed' as const,
        })),
        found_sources: found,
        known_source_ids: found
          .filter(isKnown)
          .map((each) => known.get(sameSource(each.url, each.quote)) ?? ''),
        question_node: node ?? null,
        revision: article.row.version,
        permalink: graphLink(context.base, slug),
        note: 'No model read the evidence: sources are the addresses that stand in it, each with the sentence around it, to be compared with the page.',
      }),
      text: `Stored ${evidence.id} on ${slug}; proposed ${proposals.length} source${proposals.length === 1 ? '' : 's'}${node === undefined ? '' : `; ${node.id} is ${node.status}`}.`,
      material: [
        { kind: 'evidence', id: evidence.id, url: graphLink(context.base, slug) },
        ...proposals.map(({ contribution }) => ({
          kind: 'contribution',
          id: contribution,
          url: graphLink(context.base, slug),
        })),
      ],
    }),
  };
}

/** Each source as a contribution of its own; a draft takes none, as its mirror is not open either. */
function propose(
  article: ArticleState,
  inquiry: QuestionContext,
  sources: readonly FoundSource[],
  context: Context,
): { readonly proposals: readonly Proposal[]; readonly events: readonly EventDraft[] } {
  const proposals: Proposal[] = [];
  const events: EventDraft[] = [];
  if (article.row.status === 'draft') return { proposals, events };
  for (const source of sources) {
    const input: ContributionInput = {
      slug: article.row.slug,
      claim_id: '',
      kind: 'source',
      actor: context.actorName ?? context.actor,
      body: source.quote === '' ? source.url : canonicalJson({ ...source }),
    };
    const outcome = contribute(article, inquiry.mirror(input), input, context);
    if ('fault' in outcome) continue;
    const [event] = outcome.events;
    // The very same proposal was made before.
    if (event === undefined) continue;
    const content = event.contents?.[0]?.value as { readonly id: string };
    proposals.push({ source, contribution: content.id });
    events.push(events.length === 0 ? event : { ...event, head: 'previous' });
  }
  return { proposals, events };
}

/** The question with its evidence, and answered again from the present ledger: evidence itself is no answer. */
function enriched(
  article: ArticleState,
  before: QuestionNode,
  evidence: Evidence,
  context: Context,
): QuestionNode {
  return {
    ...before,
    ...nodeMembers(article, extractAnswer(article, before.question), true),
    evidence_ids: [...before.evidence_ids, evidence.id],
    updated_at: context.now,
    receipt: context.inv,
  };
}

/** Words of the question, among those that the ledger lacked, that stand in the evidence. */
function covered(node: QuestionNode, evidence: string): string[] {
  const lacking = new Set(
    node.gaps
      .filter(({ code }) => code === 'words_not_found' || code === 'nothing_found')
      .flatMap(({ of }) => of.flatMap((word) => termList(word))),
  );
  const held = new Set(termList(evidence));
  const terms = queryTerms(node.question).filter((term) => lacking.has(term) && held.has(term));
  return wordsOf(node.question, terms);
}
