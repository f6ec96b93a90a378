/** What accepting a contribution does to the article (contract §5), by its kind: a claim version, a source, a question, or a mark on the claim. */
import type { EventDraft } from '../../engine/act.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { repairedClaim } from '../articles/amend-claim.ts';
import { sourceEntry, type Change } from '../articles/events.ts';
import { lintSource, sourceFrom } from '../articles/append-sources.ts';
import { sameSource } from '../articles/same-source.ts';
import type { ArticleState } from '../articles/state.ts';
import type { ClaimRow } from '../articles/tables.ts';
import type { Context, Material } from '../context.ts';
import { links } from '../links.ts';
import { acceptQuestion } from '../questions/ask.ts';
import type { QuestionsState } from '../questions/state.ts';
import { plainWording } from '../similarity/normalise.ts';
import type { ContributionRow } from '../mirror/tables.ts';
import { changesWording } from '../mirror/contribution-rules.ts';
import { refusalOf, violation, type Violation } from '../violations.ts';
import { proposedSource } from '../mirror/proposed-source.ts';
import { isProposedOn } from '../mirror/resolution.ts';
import type { Claim } from '../../model/claim.ts';
import type { ContributionEffect, ResolutionInput } from '../../model/contribution.ts';

/** What an accepted contribution does to its article. */
export interface AcceptedChange {
  readonly change: Change;
  readonly effect: ContributionEffect;
  readonly revises: boolean;
  readonly more: readonly EventDraft[];
  readonly material: readonly Material[];
}

export const noChange: AcceptedChange = { change: {}, effect: {}, revises: false, more: [], material: [] };

export function accept(
  article: ArticleState,
  row: ContributionRow,
  questions: QuestionsState,
  input: ResolutionInput,
  context: Context,
): AcceptedChange | Fault {
  const { kind } = row.contribution;
  const unfit = refusalOf(mendedRules(row, input));
  if (unfit !== undefined) return unfit;
  if (kind === 'source') return acceptSource(article, row, context);
  if (kind === 'question') return acceptAsked(article, row, questions, context);
  if (changesWording({ kind, claim_id: row.claim_id })) return acceptWording(article, row, input, context);
  return noChange;
}

/** Another wording can stand only in place of a proposed one. */
function mendedRules({ contribution, claim_id }: ContributionRow, { text }: ResolutionInput): Violation[] {
  if (text === undefined || changesWording({ kind: contribution.kind, claim_id })) return [];
  return [
    violation(
      'not_carried',
      '/text',
      `"text" belongs to a repair or compression of a claim, and ${contribution.id} is none.`,
      'Leave it out.',
    ),
  ];
}

function acceptAsked(
  article: ArticleState,
  row: ContributionRow,
  questions: QuestionsState,
  context: Context,
): AcceptedChange {
  const acceptance = {
    question: row.contribution.body,
    contribution: row.id,
    claim: row.claim_id === '' ? null : row.claim_id,
  };
  const { event, node } = acceptQuestion(article, questions, acceptance, context);
  const url = links.articlePart(context.base, article.row.slug, 'question-graph');
  return {
    change: { of: [node.id] },
    effect: { question_id: node.id },
    revises: false,
    more: [event],
    material: [{ kind: 'question', id: node.id, url }],
  };
}

function acceptWording(
  article: ArticleState,
  row: ContributionRow,
  input: ResolutionInput,
  context: Context,
): AcceptedChange | Fault {
  const before = article.claims.get(row.claim_id);
  const text = input.text ?? row.contribution.body;
  const stale = staleWording(row, before?.claim, input);
  if (stale !== undefined) return stale;
  const repaired = repairedClaim(
    article,
    {
      claim_id: row.claim_id,
      text,
      rationale: row.contribution.rationale ?? input.note ?? `${row.contribution.kind} ${row.id}`,
      expected_hash: before?.claim.hash ?? '',
      tier: row.contribution.tier,
    },
    context,
  );
  if (isFault(repaired)) return repaired;
  const claim = named(repaired.claim, row.id);
  const { claim_hash: proposedOn, claim_version: proposedOnVersion } = row.contribution;
  return {
    change: { claims: [{ n: repaired.row.n, plain: plainWording(claim.text), claim }] },
    effect: {
      claim_id: claim.id,
      version: claim.version,
      hash: claim.hash,
      ...(text.trim() === row.contribution.body.trim() ? {} : { mended: true as const }),
      ...(proposedOn === null || isProposedOn(row.contribution, before?.claim)
        ? {}
        : {
            proposed_on: proposedOn,
            ...(proposedOnVersion === undefined ? {} : { proposed_on_version: proposedOnVersion }),
          }),
    },
    revises: true,
    more: [],
    material: [
      {
        kind: 'claim',
        id: `${article.row.slug}/${claim.id}`,
        url: links.claim(context.base, article.row.slug, claim.id),
      },
    ],
  };
}

/** A repair or compression of a claim that has changed since takes effect only when the owner names the present hash. */
function staleWording(
  { id, claim_id: claimId, contribution }: ContributionRow,
  claim: Claim | undefined,
  { expected_hash: expected }: ResolutionInput,
): Fault | undefined {
  if (claim === undefined || claim.status === 'retracted') return undefined;
  const isCurrent = expected === undefined ? isProposedOn(contribution, claim) : expected === claim.hash;
  if (isCurrent) return undefined;
  return fault(
    'hash_stale',
    `${id} was written against another version of ${claimId}.`,
    'Compare it with current_text, and accept it with current_hash as expected_hash, or reject it.',
    {
      claim_id: claimId,
      expected_hash: expected ?? contribution.claim_hash,
      current_text: claim.text,
      current_hash: claim.hash,
      version: claim.version,
    },
  );
}

function acceptSource(article: ArticleState, row: ContributionRow, context: Context): AcceptedChange | Fault {
  const input = proposedSource(row.contribution.body);
  if (isFault(input)) return input;
  const { aid, slug, heads } = article.row;
  const same = sameSource(input.url, input.quote);
  const known = [...article.sources.values()].find((each) => each.same_as === same)?.source_id;
  if (known === undefined) {
    const violations = lintSource(input, '/body');
    if (violations.length > 0)
      return fault(
        'content_rule',
        `The proposed source breaks ${violations.length} content rule${violations.length === 1 ? '' : 's'}.`,
        'Reject it with a note, and append the source itself with its address and exact quote.',
        { violations },
      );
  }
  const sourceId = known ?? `s${article.row.sources_made + 1}`;
  const found = { ...context, actorName: row.contribution.actor, actor: 'anonymous' };
  const cites = article.claims.get(row.claim_id);
  const claim = cites === undefined ? undefined : cited(cites, sourceId, row.id);
  return {
    change: {
      ...(known === undefined ? { sources_made: 1 } : {}),
      ...(cites === undefined || claim === undefined
        ? {}
        : { claims: [{ n: cites.n, plain: cites.plain, claim }] }),
      of: [sourceId],
    },
    effect: {
      source_id: sourceId,
      ...(known === undefined ? {} : { known_source: true }),
      ...(claim === undefined ? {} : { claim_id: claim.id, version: claim.version, hash: claim.hash }),
    },
    revises: known === undefined || claim !== undefined,
    more:
      known === undefined
        ? [sourceEntry(aid, heads.sources, context, sourceFrom(input, sourceId, found))]
        : [],
    material: [
      { kind: 'source', id: `${slug}/${sourceId}`, url: `${links.article(context.base, slug)}#${sourceId}` },
    ],
  };
}

/** A retracted claim stays as it was; the source is stored beside it. */
function cited(row: ClaimRow, sourceId: string, contribution: string): Claim | undefined {
  if (row.claim.status === 'retracted') return undefined;
  return named(
    {
      ...row.claim,
      source_ids: [...new Set([...row.claim.source_ids, sourceId])],
      source_status: 'sourced',
    },
    contribution,
  );
}

function named(claim: Claim, contribution: string): Claim {
  const before = claim.extra.contributions ?? [];
  return {
    ...claim,
    extra: { ...claim.extra, contributions: [...before, contribution] },
  };
}
