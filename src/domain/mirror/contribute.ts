/**
 * Mirror contributions (spec §2.10, contract §5): typed proposals on a claim, open to anyone, on a chain of
 * their own. Nothing a contributor sends changes a claim before the owner acts; the very same contribution
 * sent again is answered with the first, as long as that is among the article's newest.
 */
import { integer, json, nullable, table, text, type RowOf } from '../../engine/tables.ts';
import type { Event, EventDraft, Projection, View } from '../../engine/act.ts';
import { canonicalJson, type JsonObject } from '../../kernel/json.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { inOnePiece } from '../../kernel/one-piece.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { SizeLimits } from '../../kernel/size-limits.ts';
import { actorRules, intakeRules, seenRules } from '../text-rules.ts';
import { refusalOf, violation, type Fitting, type Violation } from '../violations.ts';
import type { Head } from '../../ledger/entry.ts';
import { articleChain, parseArticleChain } from '../articles/chains.ts';
import type { ArticleState } from '../articles/state.ts';
import { tierWeights } from '../articles/tables.ts';
import type { Context, Outcome } from '../context.ts';
import { links } from '../links.ts';
import { proposedSource } from './proposed-source.ts';

export const contributionKinds = [
  'question',
  'objection',
  'source',
  'repair',
  'compression',
  'contradiction',
  'audit',
] as const;

export interface Contribution extends JsonObject {
  readonly id: string;
  readonly article: string;
  readonly claim_id: string;
  readonly kind: string;
  readonly actor: string;
  readonly body: string;
  readonly ts: string;
  readonly receipt: string;
  /** Hash of the claim that was read or stood; null for the article as a whole. */
  readonly claim_hash: string | null;
  readonly rationale: string | null;
  /** The tier that a repair proposes; absent where the claim keeps its own. */
  readonly tier?: string;
}

/** The mirror chain's newest entry; an aggregate of its own, so that a contribution loads no article text. */
export const mirrorTable = table('mirror', {
  key: { aid: text() },
  columns: { count: integer(), head: nullable(json<Head>()) },
  aggregate: 'mirror',
});

export const contributionTable = table('contribution', {
  key: { aid: text(), n: integer() },
  columns: {
    id: text(),
    claim_id: text(),
    contribution: json<Contribution>(),
    prev: text(),
    hash: text(),
    seq: integer(),
  },
});

/** What finds the first of two equal contributions; a type and not an interface, so that it counts as JSON. */
export type RecentContribution = {
  /** The digest's first 24 hexadecimal digits. */
  readonly digest: string;
  readonly id: string;
  readonly receipt: string;
};

/** How many contributions of an article a new one is compared with. */
const recentMax = 32;

/**
 * An article's newest contributions, oldest first. One row an article, where a key of random digests over all
 * contributions ever made dirtied a page of its own with every call: a tenth of what a call cost.
 */
export const recentContributionTable = table('contribution_recent', {
  key: { aid: text() },
  columns: { newest: json<readonly RecentContribution[]>() },
  aggregate: 'mirror',
  compact: true,
});

export const mirrorTables = [mirrorTable, contributionTable, recentContributionTable];
export type ContributionRow = RowOf<typeof contributionTable>;

export interface ContributeInput {
  readonly slug: string;
  readonly claim_id: string;
  readonly kind: string;
  readonly actor: string;
  readonly body: string;
  readonly claim_hash?: string | undefined;
  readonly rationale?: string | undefined;
  readonly tier?: string | undefined;
}

export interface MirrorState {
  readonly mirror: RowOf<typeof mirrorTable> | undefined;
  /** Of what is contributed now. */
  readonly digest: string;
  /** The same contribution, made before. */
  readonly first: RecentContribution | undefined;
  /** What was decided on the first, where there is one. */
  readonly decided?: string | undefined;
}

/** The chain's head, and the same contribution where it was made lately. */
export function mirrorState(tx: View, aid: string, input: ContributeInput): MirrorState {
  const newest = tx.row(recentContributionTable, aid)?.newest ?? [];
  const digest = contributionDigest(aid, input);
  const short = shortened(digest);
  return { mirror: tx.row(mirrorTable, aid), digest, first: newest.find((each) => each.digest === short) };
}

function shortened(digest: string): string {
  return inOnePiece(digest.slice(0, 24));
}

/** Names a contribution by everything its sender wrote. */
export function contributionDigest(aid: string, input: ContributeInput): string {
  const said = [aid, input.claim_id, input.kind, input.actor, input.body];
  if (input.tier !== undefined) said.push(input.rationale ?? '', input.tier);
  else if (input.rationale !== undefined) said.push(input.rationale);
  return sha256Hex(canonicalJson(said));
}

export function contribute(
  article: ArticleState,
  state: MirrorState,
  input: ContributeInput,
  context: Context,
): Outcome<ArticleState> | Fault {
  const refused = checkContribution(article, input, context);
  if (refused !== undefined) return refused;
  const { slug, aid } = article.row;
  const permalink = inOnePiece(contributionPermalink(context.base, slug, input));
  if (state.first !== undefined) {
    const { id, receipt } = state.first;
    return {
      events: [],
      conclude: () => ({
        result: {
          slug,
          contribution: {
            id,
            article: slug,
            claim_id: input.claim_id,
            kind: input.kind,
            actor: input.actor,
            body: input.body,
            status: state.decided ?? 'proposed',
            receipt,
          },
          repeated: true,
          revision: article.row.version,
          permalink,
        },
        text: `${id} already says exactly this; nothing new was recorded.`,
        material: [],
      }),
    };
  }
  const contribution: Contribution = {
    id: context.id('mc_'),
    article: slug,
    claim_id: input.claim_id,
    kind: input.kind,
    actor: input.actor,
    body: input.body,
    ts: context.now,
    receipt: context.inv,
    claim_hash: article.claims.get(input.claim_id)?.claim.hash ?? null,
    rationale: input.rationale ?? null,
    ...(input.tier === undefined ? {} : { tier: input.tier }),
  };
  const event: EventDraft = {
    draft: {
      chain: articleChain(aid, 'mirror'),
      ts: context.now,
      actor: context.actor,
      action: 'contribute',
      inv: context.inv,
    },
    head: state.mirror?.head ?? null,
    contents: [
      {
        field: 'content_sha',
        value: contentOf(contribution, state.digest),
      },
    ],
  };
  return {
    events: [event],
    conclude: ([appended]) => ({
      result: {
        slug,
        contribution: {
          ...contribution,
          status: 'proposed',
          prev: appended?.sealed.entry.prev ?? '',
          hash: appended?.sealed.hash ?? '',
        },
        repeated: false,
        revision: article.row.version,
        permalink,
      },
      text: `Proposed ${contribution.id} (${input.kind}) on ${slug}${input.claim_id === '' ? '' : ` ${input.claim_id}`}: ${permalink}`,
      material: [{ kind: 'contribution', id: contribution.id, url: permalink }],
    }),
  };
}

/** What is committed of it. In the order of its canonical text, so that neither that nor the row's is put in order. */
function contentOf(contribution: Contribution, digest: string): JsonObject {
  const { actor, article, body, claim_hash, claim_id, id, kind, rationale, receipt, tier, ts } = contribution;
  return {
    actor,
    article,
    body,
    claim_hash,
    claim_id,
    digest,
    id,
    kind,
    rationale,
    receipt,
    ...(tier === undefined ? {} : { tier }),
    ts,
  };
}

/** The claim that it is about, or the article. */
export function contributionPermalink(
  base: string,
  slug: string,
  { claim_id: claimId }: { readonly claim_id: string },
): string {
  return claimId === '' ? links.article(base, slug) : links.claim(base, slug, claimId);
}

/**
 * What is asked of a contribution. A source's body may hold an exact quote, with whatever that holds. Where the article
 * is known, a claim that it has not is told beside what else is wrong.
 */
export function contributionRules(
  input: Fitting<ContributeInput>,
  { intakeCharsMax }: SizeLimits,
  article?: ArticleState,
): Violation[] {
  const isSource = input.kind === 'source';
  const source = isSource && typeof input.body === 'string' ? proposedSource(input.body) : undefined;
  const unread = isFault(source) ? ((source.details?.['violations'] ?? []) as readonly Violation[]) : [];
  const said = intakeRules({ body: input.body }, intakeCharsMax, { verbatim: isSource });
  return [
    ...actorRules(input.actor),
    ...(said.length > 0 ? said : unread),
    ...(input.rationale === undefined ? [] : seenRules({ rationale: input.rationale })),
    ...tierRules(input),
    ...(article === undefined || typeof input.claim_id !== 'string'
      ? []
      : unknownClaim(article, input.claim_id)),
  ];
}

/** Only a repair says what tier its claim should have. */
function tierRules({ kind, tier }: Fitting<ContributeInput>): Violation[] {
  if (typeof tier !== 'string') return [];
  if (typeof kind === 'string' && kind !== 'repair')
    return [
      violation('not_carried', '/tier', `A ${kind} carries no tier.`, 'Leave it out, or send a repair.'),
    ];
  const tiers = Object.keys(tierWeights);
  return tiers.includes(tier)
    ? []
    : [violation('unknown_tier', '/tier', `"${tier}" is no tier.`, `Use one of ${tiers.join(', ')}.`)];
}

function unknownClaim({ row, claims }: ArticleState, claimId: string): Violation[] {
  if (claimId === '' || claims.has(claimId)) return [];
  const fix = 'Read the claims under /claims, or leave claim_id empty for the article as a whole.';
  return [violation('unknown_claim', '/claim_id', `${row.slug} has no claim ${claimId}.`, fix)];
}

function checkContribution(
  article: ArticleState,
  input: ContributeInput,
  { limits }: Context,
): Fault | undefined {
  const [unknown] = unknownClaim(article, input.claim_id);
  const violations = contributionRules(input, limits, article);
  // Alone, it is no breach of a rule: what is meant is not there.
  if (unknown !== undefined && violations.length === 1)
    return fault('not_found', unknown.message, unknown.fix);
  const bad = refusalOf(violations, 'The contribution');
  if (bad !== undefined) return bad;
  const claim = article.claims.get(input.claim_id)?.claim;
  if (input.claim_hash !== undefined && input.claim_hash !== claim?.hash)
    return fault(
      'hash_stale',
      input.claim_id === ''
        ? 'The article as a whole has no claim hash.'
        : `${input.claim_id} no longer reads as that hash says.`,
      'Read current_text and propose again, with current_hash.',
      {
        claim_id: input.claim_id,
        expected_hash: input.claim_hash,
        current_text: claim?.text ?? '',
        current_hash: claim?.hash ?? '',
      },
    );
  return undefined;
}

export function projectMirror(event: Event, to: Projection): void {
  const chain = parseArticleChain(event.sealed.entry.chain);
  if (chain?.of !== 'mirror') return;
  const { entry, hash } = event.sealed;
  to.put(mirrorTable, { aid: chain.aid, count: entry.n + 1, head: { n: entry.n, hash, ts: entry.ts } });
  const content = event.contents['content_sha'] as unknown as
    (Contribution & { readonly digest: string }) | undefined;
  if (content === undefined) return;
  const { digest, ...contribution } = content;
  to.put(contributionTable, {
    aid: chain.aid,
    n: entry.n,
    id: contribution.id,
    claim_id: contribution.claim_id,
    contribution,
    prev: entry.prev,
    hash,
    seq: event.seq,
  });
  const before = to.row(recentContributionTable, chain.aid)?.newest ?? [];
  const { id, receipt } = contribution;
  to.put(recentContributionTable, {
    aid: chain.aid,
    newest: [...before.slice(1 - recentMax), { digest: shortened(digest), id, receipt }],
  });
}
