/**
 * The article as JSON (spec §2.1, contract §5): the spec's fields at top level, every listed object with its
 * `prev`, `hash` and the exact hashed `entry`. Pure functions of state and of the chains as they are stored.
 */
import type { StoredEvent } from '../engine/act.ts';
import type { Sub } from '../engine/tables.ts';
import { sha256Hex } from '../kernel/hash.ts';
import { TimeSlices } from '../kernel/time-slices.ts';
import { leafHash, type Entry } from '../ledger/entry.ts';
import { parseArticleChain } from '../domain/articles/chains.ts';
import { headingPaths } from '../domain/articles/divide.ts';
import type { Change } from '../domain/articles/events.ts';
import type { LinkRow } from '../domain/articles/link-checks.ts';
import { activeDivs, bodyOf, claimsOf, sourcesOf, type ArticleState } from '../domain/articles/state.ts';
import type { DivRow } from '../domain/articles/tables.ts';
import { traversalOf } from '../domain/articles/traversal.ts';
import type { ArticleContests } from '../domain/discourse/contested.ts';
import { links } from '../domain/links.ts';
import { ProvenanceItem, type Spent } from '../model/history.ts';
import { Article, type Conformance } from '../model/article.ts';
import type { ListedContribution } from '../model/contribution.ts';
import type { ReviewView } from '../model/discourse.ts';
import { DivEvidence, DivView, type DivEntries } from '../model/div.ts';
import { ClaimView, type Claim } from '../model/claim.ts';
import { StandingClaim } from '../model/standing-claims.ts';
import { LinkView, SourceView } from '../model/source.ts';
import type { Verifications } from '../model/parts.ts';
import { exactly, type Answer } from '../model/exact.ts';
import { articleObject, machine, representations } from './article-object.ts';
import { contentOf, listed, openEntry, unlisted } from './stored-events.ts';

export interface ArticleParts {
  readonly state: ArticleState;
  readonly base: string;
  readonly provenance: readonly StoredEvent[];
  readonly sources: readonly StoredEvent[];
  /** The newest look at each source; left out where another moment than now is shown. */
  readonly links?: ReadonlyMap<Sub, LinkRow> | undefined;
  readonly contributions: readonly ListedContribution[];
  readonly contests: ArticleContests;
  readonly reviews: readonly ReviewView[];
  /** The chains of its DIVs, by DIV. */
  readonly divs: ReadonlyMap<string, readonly StoredEvent[]>;
  /** What was scrubbed of it, and what commits to the replacements. */
  readonly scrubs: readonly StoredEvent[];
  readonly verification: Verifications;
  /** What invocations on it came to; undefined where another moment than now is shown. */
  readonly conformance: Conformance | undefined;
}

export async function articleJson(parts: ArticleParts): Promise<Answer<typeof Article>> {
  const { state, base } = parts;
  const { row } = state;
  const body = bodyOf(state);
  const traversal = traversalOf(row.meta);
  return {
    slug: row.slug,
    title: row.title,
    version: row.version,
    content_hash: sha256Hex(body),
    body,
    ...row.meta,
    claims: claimsOf(state).map((claim) => standingClaim(state, claim, parts.contests, base)),
    contested: parts.contests.article,
    sources: sourceList(parts),
    reviews: parts.reviews,
    contributions: parts.contributions,
    status: row.status,
    revisions: row.version,
    has_traversal: traversal !== undefined,
    provenance: provenanceList(parts),
    energy: { ...row.energy, head: row.heads.provenance?.hash ?? 'genesis' },
    posted_at: row.posted_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
    ledger: { href: links.articlePart(base, row.slug, 'ledger'), live: true },
    machine: machine(state, base, traversal),
    representations: representations(base, row.slug),
    object: articleObject(state, base, parts.conformance),
    divs: await divEvidence(state, parts.divs),
    scrubs: parts.scrubs.map(openEntry),
    verification: parts.verification,
  };
}

/** Where each DIV stands in the body, in bytes of UTF-8, with the entries that commit to its text. */
async function divEvidence(state: ArticleState, chains: ArticleParts['divs']): Promise<DivEvidence[]> {
  let at = Buffer.byteLength(state.row.lead);
  const offsets = new Map(
    activeDivs(state).map(({ div_id: id, text, sep }) => {
      const start = at;
      const end = start + Buffer.byteLength(text);
      at = end + Buffer.byteLength(sep);
      return [id, { start, end }] as const;
    }),
  );
  // In their order in the body, which is that of the map; those that left it follow by number.
  const left = [...chains.keys()].filter((id) => !offsets.has(id)).sort(byNumber);
  return new TimeSlices().map([...offsets.keys(), ...left], (id) => {
    const chain = chains.get(id) ?? [];
    return exactly(DivEvidence, {
      div_id: id,
      ...(offsets.get(id) ?? { start: null, end: null }),
      ...scrubMark(chain),
      chain: chain.map(hashedEntry),
    });
  });
}

/** `d2` before `d10`. */
function byNumber(a: string, b: string): number {
  return Number(a.slice(1)) - Number(b.slice(1));
}

/** The chains of DIVs among an article's, by DIV. */
export function divChainsIn(
  chains: ReadonlyMap<string, readonly StoredEvent[]>,
): ReadonlyMap<string, readonly StoredEvent[]> {
  return new Map(
    [...chains].flatMap(([name, own]) => {
      const chain = parseArticleChain(name);
      return chain?.of === 'div' ? [[chain.div, own] as const] : [];
    }),
  );
}

function hashedEntry({ text }: StoredEvent): DivEntries[number] {
  return { ...(JSON.parse(text) as DivEntries[number]), hash: Buffer.from(leafHash(text)).toString('hex') };
}

export function claimView(state: ArticleState, claim: Claim, base: string): ClaimView {
  const { slug } = state.row;
  return exactly(ClaimView, {
    ...claim,
    claim: `claim:${claim.id}`,
    permalink: links.claim(base, slug, claim.id),
  });
}

export function standingClaim(
  state: ArticleState,
  claim: Claim,
  contests: ArticleContests,
  base: string,
): StandingClaim {
  return exactly(StandingClaim, {
    ...claimView(state, claim, base),
    contested: contests.claim(claim.id),
  });
}

/** Sources in chain order, each with the claims that cite it. */
export function sourceList({
  state,
  sources,
  links: looks,
}: Pick<ArticleParts, 'state' | 'sources' | 'links'>): SourceView[] {
  const citing = new Map<string, string[]>();
  for (const claim of claimsOf(state))
    for (const id of claim.source_ids) citing.set(id, [...(citing.get(id) ?? []), claim.id]);
  const bySeq = new Map(sources.map((event) => [event.seq, event]));
  return sourcesOf(state).map((row) => {
    const event = bySeq.get(row.seq);
    const { source } = row;
    return exactly(SourceView, {
      ...source,
      claim_ids: citing.get(source.id) ?? [],
      ...(looks === undefined ? {} : { link: linkView(looks.get(source.id)) }),
      ...(event === undefined ? unlisted(row) : listed(event, 'content_sha')),
    });
  });
}

function linkView(look: LinkRow | undefined): LinkView | null {
  if (look === undefined) return null;
  const { aid: _aid, source_id: _id, quote_found: found, ...shown } = look;
  return exactly(LinkView, { ...shown, quote_found: found === null ? null : found === 1 });
}

export function provenanceList({ provenance }: Pick<ArticleParts, 'provenance'>): ProvenanceItem[] {
  return provenance.map((event) => {
    const content = contentOf(event, 'content_sha') as (Spent & { readonly change: Change }) | undefined;
    const entry = JSON.parse(event.text) as Entry;
    return exactly(ProvenanceItem, {
      ts: entry.ts,
      actor: entry.actor,
      action: entry['action'] as string,
      rev: (entry['rev'] as number | undefined) ?? null,
      model: content?.model ?? null,
      prompt: content?.prompt ?? null,
      input: content?.input ?? null,
      response: content?.response ?? null,
      tokens_in: content?.tokens_in ?? 0,
      tokens_out: content?.tokens_out ?? 0,
      cost: content?.cost ?? 0,
      change: content?.change ?? null,
      receipt: (entry['inv'] as string | undefined) ?? null,
      ...listed(event, 'content_sha'),
    });
  });
}

/** DIVs in reading order, inactive ones after them where asked for. `chains` holds each DIV's own entries. */
export async function divList(
  state: ArticleState,
  base: string,
  chains: ReadonlyMap<string, readonly StoredEvent[]>,
  showsInactive: (div: DivRow, chain: readonly StoredEvent[]) => boolean,
): Promise<DivView[]> {
  const active = activeDivs(state);
  const paths = headingPaths(active.map((div) => ({ ...div, kind: div.kind as never })));
  const inactive = [...state.divs.values()]
    .filter((div) => div.status !== 'current' && showsInactive(div, chains.get(div.div_id) ?? []))
    .sort((a, b) => byNumber(a.div_id, b.div_id));
  const shown: DivRow[] = [...active, ...inactive];
  return new TimeSlices().map(shown, (div, i) =>
    exactly(DivView, {
      div_id: div.div_id,
      kind: div.kind,
      order: i < active.length ? i + 1 : null,
      text: div.text,
      sep: div.sep,
      status: div.status,
      vx_hash: div.vx_hash,
      ...scrubMark(chains.get(div.div_id) ?? []),
      heading_path: paths[i] ?? [],
      permalink: links.div(base, state.row.slug, div.div_id),
      chain: (chains.get(div.div_id) ?? []).map(hashedEntry),
    }),
  );
}

/** Where the text that stands is a replacement: the chain of the scrub entry that commits to it. */
function scrubMark(chain: readonly StoredEvent[]): { readonly scrubbed_by?: string } {
  const newest = chain
    .findLast(({ contents }) => contents.some(({ field }) => field === 'text_sha'))
    ?.contents.find(({ field }) => field === 'text_sha');
  return newest?.body === null && newest.scrubbedBy != null ? { scrubbed_by: newest.scrubbedBy } : {};
}
