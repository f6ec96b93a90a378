/**
 * Deciding a mirror contribution (spec §2.10, §3; contract §5): the owner's act, once. Accepting writes what
 * the kind asks for, and lineage both ways: the claim names the contribution, the contribution what became of
 * it. A repair or compression makes the claim's next version; a source is appended and linked; a question becomes
 * a node; everything else is shown beside the claim. Rejected ones stay in the feed.
 */
import { integer, json, table, text, type RowOf } from '../../engine/tables.ts';
import type { Event, EventDraft, Projection } from '../../engine/act.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { repairedClaim } from '../articles/amend-claim.ts';
import { parseArticleChain } from '../articles/chains.ts';
import { nextRev, provenance, sourceEntry, type Change } from '../articles/events.ts';
import { lintSource, sourceFrom } from '../articles/append-sources.ts';
import { sameSource } from '../articles/same-source.ts';
import type { ArticleState } from '../articles/state.ts';
import type { Claim, ClaimRow } from '../articles/tables.ts';
import type { Context, Material, Outcome } from '../context.ts';
import { links } from '../links.ts';
import { acceptQuestion } from '../questions/ask.ts';
import type { QuestionsState } from '../questions/state.ts';
import { plainWording } from '../similarity/normalise.ts';
import { contributionPermalink, type ContributionRow } from './contribute.ts';
import { proposedSource } from './proposed-source.ts';

export const resolutions = ['accepted', 'rejected'] as const;

/** What became of a contribution. A type and not an interface, so that it counts as JSON. */
export type Effect = {
  /** The claim that it changed, as it stands since. */
  readonly claim_id?: string;
  readonly version?: number;
  readonly hash?: string;
  /** The version that the proposal was about, where the claim had moved on by the time it was accepted. */
  readonly proposed_on?: string;
  readonly source_id?: string;
  /** The node that an accepted question became. */
  readonly question_id?: string;
  /** The source had been stored before; it is linked, not appended again. */
  readonly known_source?: boolean;
};

/** The decisions on an article's contributions: one row each, by contribution id. */
export const resolutionTable = table('resolution', {
  key: { aid: text(), id: text() },
  columns: {
    status: text(),
    note: text(),
    effect: json<Effect>(),
    decided_at: text(),
    decided_by: text(),
    receipt: text(),
    seq: integer(),
  },
  aggregate: 'resolution',
  compact: true,
});

export type ResolutionRow = RowOf<typeof resolutionTable>;

export interface ResolveInput {
  readonly slug: string;
  readonly contribution_id: string;
  readonly decision: string;
  readonly note?: string | undefined;
}

/** What an accepted contribution does to its article. */
interface Deed {
  readonly change: Change;
  readonly effect: Effect;
  readonly revises: boolean;
  readonly more: readonly EventDraft[];
  readonly material: readonly Material[];
}

const nothing: Deed = { change: {}, effect: {}, revises: false, more: [], material: [] };

/** `decided` is the resolution that stands already, if any. */
export function resolveContribution(
  article: ArticleState,
  row: ContributionRow,
  decided: ResolutionRow | undefined,
  questions: QuestionsState,
  input: ResolveInput,
  context: Context,
): Outcome<ArticleState> | Fault {
  const { decision } = input;
  if (decided !== undefined)
    return fault(
      'already_decided',
      `${row.id} was ${decided.status} at ${decided.decided_at}.`,
      'Nothing is left to decide; a new contribution can be proposed.',
      { decision: decided.status, decided_at: decided.decided_at, receipt: decided.receipt },
    );
  const deed = decision === 'rejected' ? nothing : accept(article, row, questions, input, context);
  if (isFault(deed)) return deed;
  const { slug, aid, heads } = article.row;
  const note = input.note ?? '';
  const event = provenance(
    aid,
    heads.provenance,
    context,
    decision === 'accepted' ? 'mirror_accept' : 'mirror_reject',
    deed.revises ? nextRev(article) : null,
    {
      ...deed.change,
      reason: note,
      of: [row.id, ...(row.claim_id === '' ? [] : [row.claim_id]), ...(deed.change.of ?? [])],
      resolved: { id: row.id, kind: row.contribution.kind, note, effect: deed.effect },
    },
  );
  const permalink = contributionPermalink(context.base, slug, row);
  return {
    events: [{ ...event, draft: { ...event.draft, contribution: row.id, decision } }, ...deed.more],
    conclude: (_, after) => ({
      result: {
        slug,
        contribution: {
          ...row.contribution,
          status: decision,
          note,
          decided_at: context.now,
          decided_by: context.actor,
          resolution: context.inv,
          effect: deed.effect,
          prev: row.prev,
          hash: row.hash,
        },
        decision,
        effect: deed.effect,
        claim: row.claim_id === '' ? null : (after.claims.get(row.claim_id)?.claim ?? null),
        revision: after.row.version,
        permalink,
      },
      text: `${row.id} (${row.contribution.kind}) is ${decision}: ${permalink}`,
      material: deed.material,
    }),
  };
}

function accept(
  article: ArticleState,
  row: ContributionRow,
  questions: QuestionsState,
  input: ResolveInput,
  context: Context,
): Deed | Fault {
  const { kind } = row.contribution;
  if (kind === 'source') return acceptSource(article, row, context);
  if (kind === 'question') return acceptAsked(article, row, questions, context);
  if ((kind === 'repair' || kind === 'compression') && row.claim_id !== '')
    return acceptWording(article, row, input, context);
  return nothing;
}

function acceptAsked(
  article: ArticleState,
  row: ContributionRow,
  questions: QuestionsState,
  context: Context,
): Deed {
  const said = {
    question: row.contribution.body,
    contribution: row.id,
    claim: row.claim_id === '' ? null : row.claim_id,
  };
  const { event, node } = acceptQuestion(article, questions, said, context);
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
  input: ResolveInput,
  context: Context,
): Deed | Fault {
  const before = article.claims.get(row.claim_id);
  const repaired = repairedClaim(
    article,
    {
      claim_id: row.claim_id,
      text: row.contribution.body,
      rationale: row.contribution.rationale ?? input.note ?? `${row.contribution.kind} ${row.id}`,
      // What is accepted is weighed by the owner against the claim as it stands; lineage tells the difference.
      expected_hash: before?.claim.hash ?? '',
      tier: row.contribution.tier,
    },
    context,
  );
  if (isFault(repaired)) return repaired;
  const claim = named(repaired.claim, row.id);
  const proposedOn = row.contribution.claim_hash;
  return {
    change: { claims: [{ n: repaired.row.n, plain: plainWording(claim.text), claim }] },
    effect: {
      claim_id: claim.id,
      version: claim.version,
      hash: claim.hash,
      ...(proposedOn === null || proposedOn === before?.claim.hash ? {} : { proposed_on: proposedOn }),
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

function acceptSource(article: ArticleState, row: ContributionRow, context: Context): Deed | Fault {
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
  const before = (claim.extra['contributions'] ?? []) as readonly string[];
  return {
    ...claim,
    extra: { ...claim.extra, contributions: [...before, contribution] },
  };
}

/** Resolutions are entries of the provenance chain (contract §1.5) that name a contribution. */
export function projectResolution(event: Event, to: Projection): void {
  const { entry } = event.sealed;
  const id = entry['contribution'];
  if (typeof id !== 'string') return;
  const chain = parseArticleChain(entry.chain);
  if (chain?.of !== 'provenance') return;
  const content = event.contents['content_sha'] as
    | { readonly change?: { readonly resolved?: { readonly note: string; readonly effect: Effect } } }
    | undefined;
  const resolved = content?.change?.resolved;
  to.put(resolutionTable, {
    aid: chain.aid,
    id,
    status: String(entry['decision']),
    note: resolved?.note ?? '',
    effect: resolved?.effect ?? {},
    decided_at: entry.ts,
    decided_by: entry.actor,
    receipt: String(entry['inv'] ?? ''),
    seq: event.seq,
  });
}

/** A contribution as everybody reads it: what was said, and what became of it. */
export function contributionJson(
  base: string,
  slug: string,
  row: ContributionRow,
  resolution: ResolutionRow | undefined,
): JsonObject {
  return {
    ...row.contribution,
    status: resolution?.status ?? 'proposed',
    ...(resolution === undefined
      ? {}
      : {
          note: resolution.note,
          decided_at: resolution.decided_at,
          decided_by: resolution.decided_by,
          resolution: resolution.receipt,
          effect: resolution.effect,
        }),
    prev: row.prev,
    hash: row.hash,
    permalink: contributionPermalink(base, slug, row),
  };
}
