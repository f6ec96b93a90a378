/**
 * Claims as margin notes (contract §8): tier, weight, assertion and sources. Wide pages show them beside the
 * sections that they name, narrow ones after the text.
 */
import type { ShownContribution } from '../../app/reads/article-view.ts';
import { contestedText } from '../../represent/article-markdown.ts';
import type { TocEntry } from '../../represent/article-html.ts';
import { type ArticleContests, sectionName } from '../../domain/discourse/contested.ts';
import type { Site } from './site.ts';
import type { Claim } from '../../model/claim.ts';

export interface PlacedClaim {
  readonly claim: Claim;
  /** The heading of the claim's section; undefined for claims on the whole article. */
  readonly at: TocEntry | undefined;
}

/** Claims in reading order: those on the whole article first, then by the section they name. */
export function placeClaims(claims: readonly Claim[], toc: readonly TocEntry[]): readonly PlacedClaim[] {
  const bySection = new Map<string, TocEntry>();
  for (const entry of toc)
    if (!bySection.has(sectionName(entry.title))) bySection.set(sectionName(entry.title), entry);
  const order = new Map(toc.map((entry, i) => [entry, i]));
  const placed = claims.map((claim) => ({
    claim,
    at: claim.section === null ? undefined : bySection.get(sectionName(claim.section)),
  }));
  const place = ({ at }: PlacedClaim): number => (at === undefined ? -1 : (order.get(at) as number));
  return placed.toSorted((a, b) => place(a) - place(b));
}

/** Ids of claims by the DIV of their section. */
export function claimsByDiv(placed: readonly PlacedClaim[]): ReadonlyMap<string, readonly string[]> {
  const byDiv = new Map<string, string[]>();
  for (const { claim, at } of placed) {
    if (at === undefined) continue;
    const ids = byDiv.get(at.div_id);
    if (ids === undefined) byDiv.set(at.div_id, [claim.id]);
    else ids.push(claim.id);
  }
  return byDiv;
}

interface NotesProps {
  readonly site: Site;
  readonly slug: string;
  readonly placed: readonly PlacedClaim[];
  /** On the whole article. */
  readonly contributions: readonly ShownContribution[];
  readonly contests: ArticleContests;
}

export function ClaimNotes({ site, slug, placed, contributions, contests }: NotesProps) {
  if (placed.length === 0) return null;
  return (
    <section class="notes" aria-labelledby="claims">
      <h2 id="claims">Claims</h2>
      <ol class="note-list">
        {placed.map((each) => (
          <Note
            key={each.claim.id}
            site={site}
            slug={slug}
            placed={each}
            contributions={contributions.filter(({ claim_id: id }) => id === each.claim.id)}
            contests={contests}
          />
        ))}
      </ol>
    </section>
  );
}

/** Kinds whose acceptance does not change the claim, so that it is shown beside it (contract §5). */
const shownOnClaim: ReadonlySet<string> = new Set(['objection', 'contradiction', 'audit']);

function Note({
  site,
  slug,
  placed: { claim, at },
  contributions,
  contests,
}: Omit<NotesProps, 'placed'> & { readonly placed: PlacedClaim }) {
  const proposals = contributions.filter(({ status }) => status === 'proposed').length;
  const accepted = contributions.filter(
    ({ status, contribution }) => status === 'accepted' && shownOnClaim.has(contribution.kind),
  );
  const against = contestedText(contests.claim(claim.id));
  return (
    <li class="note" id={claim.id} data-at={at?.div_id}>
      <ClaimHead claim={claim} href={site.to.claim(slug, claim.id)} />
      <p class="claim-text" dir="auto">
        {claim.status === 'retracted' ? <s>{claim.text}</s> : claim.text}
      </p>
      <p class="note-foot">
        {claim.source_ids.length > 0 ? (
          <>
            Rests on{' '}
            {claim.source_ids.map((id) => [
              <a key={id} href={`#${id}`}>
                {id}
              </a>,
              ' ',
            ])}
          </>
        ) : (
          'No source'
        )}
        {at === undefined ? null : (
          <>
            {' '}
            · at <a href={`#${at.div_id}`}>{at.title}</a>
          </>
        )}
        {claim.extra.violations === undefined ? null : ' · breaks rules here'}
        {against === undefined ? null : (
          <>
            {' '}
            · contested: <a href={`${site.to.claim(slug, claim.id)}#contributions`}>{against}</a>
          </>
        )}
        {accepted.map(({ id, contribution }) => (
          <>
            {' '}
            · <a href={`#${id}`}>{contribution.kind} accepted</a>
          </>
        ))}
        {proposals === 0 ? null : (
          <>
            {' '}
            · <a href="#contributions">{proposals} proposed</a>
          </>
        )}
        <Respond site={site} slug={slug} claimId={claim.id} />
      </p>
    </li>
  );
}

/** `c3 · human · weight 0.8`, and the status unless active. */
export function ClaimHead({ claim, href }: { readonly claim: Claim; readonly href: string }) {
  return (
    <p class="note-head">
      <a href={href}>{claim.id}</a>
      <span class="tier">{claim.tier}</span>
      <span class="weight">weight {claim.weight}</span>
      {claim.status === 'active' ? null : <strong class="status">{claim.status}</strong>}
    </p>
  );
}

/** A link to the form; pages of an earlier moment have none. */
function Respond({ site, slug, claimId }: Readonly<{ site: Site; slug: string; claimId: string }>) {
  if (site.asOf !== undefined) return null;
  return (
    <span class="respond">
      {' '}
      ·{' '}
      <a href={site.to.propose(slug, claimId)} rel="nofollow" aria-label={`Respond to ${claimId}`}>
        Respond
      </a>
    </span>
  );
}
