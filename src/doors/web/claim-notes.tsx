/**
 * Claims as margin notes (contract §8): tier, weight, assertion and sources, after the heading of the section that they
 * name. Wide pages float them into the margin; on narrow ones each group is folded and opens in its place.
 */
import { renderToString } from 'preact-render-to-string';
import type { ShownContribution } from '../../app/reads/article-view.ts';
import { contestingKinds } from '../../domain/discourse/contested.ts';
import { contestedText } from '../../represent/article-markdown.ts';
import type { TocEntry } from '../../represent/article-html.ts';
import { type ArticleContests, sectionName } from '../../domain/discourse/contested.ts';
import { Chip } from './components/chip.tsx';
import { countText } from './format-text.ts';
import { type Site, takesAnswers } from './site.ts';
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

/** Claims by the DIV that they stand after; '' for the head of the text. */
export function groupClaims(placed: readonly PlacedClaim[]): ReadonlyMap<string, readonly Claim[]> {
  return new Map(
    [...Map.groupBy(placed, ({ at }) => at?.div_id ?? '')].map(([divId, group]) => [
      divId,
      group.map(({ claim }) => claim),
    ]),
  );
}

interface NotesProps {
  readonly site: Site;
  readonly slug: string;
  /** On the whole article. */
  readonly contributions: readonly ShownContribution[];
  readonly contests: ArticleContests;
}

/** The HTML of one group. */
export function notesMarkup(claims: readonly Claim[], { contributions, ...props }: NotesProps): string {
  return renderToString(
    <div class="notes" dir="ltr">
      <details>
        <summary>{countText(claims.length, 'claim')}</summary>
        <ol class="note-list">
          {claims.map((claim) => (
            <Note
              key={claim.id}
              {...props}
              claim={claim}
              contributions={contributions.filter(({ claim_id: id }) => id === claim.id)}
            />
          ))}
        </ol>
      </details>
    </div>,
  );
}

/** Kinds whose acceptance does not change the claim, so that it is shown beside it (contract §5). */
const shownOnClaim: ReadonlySet<string> = new Set(['objection', 'contradiction', 'audit']);

function Note({ site, slug, claim, contributions, contests }: NotesProps & { readonly claim: Claim }) {
  const proposals = contributions.filter(
    // Those that contest the claim are counted in what stands against it.
    ({ status, contribution: { kind } }) => status === 'proposed' && !contestingKinds.has(kind),
  ).length;
  const accepted = contributions.filter(
    ({ status, contribution }) => status === 'accepted' && shownOnClaim.has(contribution.kind),
  );
  const against = contestedText(contests.claim(claim.id));
  const foot = [
    claim.source_ids.length === 0 ? (
      'no source'
    ) : (
      <>
        rests on{' '}
        {claim.source_ids.map((id, i) => [
          i === 0 ? '' : ', ',
          <a key={id} href={`#${id}`}>
            {id}
          </a>,
        ])}
      </>
    ),
    claim.extra.violations === undefined ? null : 'breaks rules here',
    against === undefined ? null : (
      <a class="against" href={`${site.to.claim(slug, claim.id)}#contributions`}>
        {against}
      </a>
    ),
    ...accepted.map(({ id, contribution }) => (
      <a key={id} href={`#${id}`}>
        {contribution.kind} accepted
      </a>
    )),
    proposals === 0 ? null : <a href="#contributions">{proposals} proposed</a>,
  ].filter((part) => part !== null);
  return (
    <li class="note" id={claim.id}>
      <ClaimHead claim={claim} href={site.to.claim(slug, claim.id)} contested={against !== undefined} />
      <p class="claim-text" dir="auto">
        {claim.status === 'retracted' ? <s>{claim.text}</s> : claim.text}
      </p>
      <p class="note-foot">
        {foot.map((part, i) => [i === 0 ? null : ' · ', part])}
        <ClaimActions site={site} slug={slug} claimId={claim.id} />
      </p>
    </li>
  );
}

/** `c3 human 0.8`, and what state it is in unless it merely stands. */
export function ClaimHead({
  claim,
  href,
  contested = false,
}: Readonly<{ claim: Claim; href: string; contested?: boolean }>) {
  return (
    <p class="note-head">
      <a href={href}>{claim.id}</a>
      <span class="tier">{claim.tier}</span>
      <span class="weight">weight {claim.weight}</span>
      {claim.status === 'retracted' ? (
        <Chip state="retracted" />
      ) : contested ? (
        <Chip state="contested" />
      ) : null}
    </p>
  );
}

/** Links to the forms, shown where the claim is pointed at; pages of an earlier moment have none. */
export function ClaimActions({
  site,
  slug,
  claimId,
}: Readonly<{ site: Site; slug: string; claimId: string }>) {
  if (!takesAnswers(site)) return null;
  return (
    <span class="respond">
      {' '}
      ·{' '}
      <a
        href={site.to.discuss(slug, { on: claimId, as: 'objection' })}
        rel="nofollow"
        aria-label={`Object to ${claimId}`}
      >
        object
      </a>{' '}
      ·{' '}
      <a
        href={site.to.discuss(slug, { on: claimId, as: 'repair' })}
        rel="nofollow"
        aria-label={`Propose wording of ${claimId}`}
      >
        propose
      </a>
    </span>
  );
}
