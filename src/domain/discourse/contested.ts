/**
 * What stands open against an article and each of its claims (contract §5), from its thread and its mirror: open entries
 * of the thread, objections and contradictions that the owner has not rejected, and proposed repairs. A changed target
 * closes nothing; the entry is marked. The only place that decides this.
 */
import type { Sub } from '../../engine/tables.ts';
import type { ContestGroup, Contested, ContestKind, contestStatuses } from '../../model/contested.ts';
import type { Claim } from '../../model/claim.ts';
import type { Contribution } from '../../model/contribution.ts';
import { headingPaths } from '../articles/divide.ts';
import { type ArticleState, activeDivs, claimsOf } from '../articles/state.ts';
import type { DivRow } from '../articles/tables.ts';
import { contributionPermalink } from '../mirror/contribute.ts';
import { isProposedOn, type ResolutionRow } from '../mirror/resolution.ts';
import { postLink } from './posting.ts';
import { type PostRow, isOpen, isTextChanged } from './thread.ts';

export interface Contest {
  readonly id: string;
  readonly kind: ContestKind;
  /** A claim id, a DIV id, or empty for the article as a whole. */
  readonly target: string;
  readonly status: (typeof contestStatuses)[number];
  readonly ts: string;
  readonly textChanged: boolean;
  readonly permalink: string;
}

/** As much of a contribution as decides whether it stands open. */
export interface ContestingRow {
  readonly id: string;
  readonly claim_id: string;
  readonly contribution: Pick<Contribution, 'kind' | 'ts' | 'claim_hash' | 'claim_version'>;
}

interface ContestParts {
  readonly article: ArticleState;
  readonly posts: readonly PostRow[];
  readonly contributions: readonly ContestingRow[];
  readonly resolutions: ReadonlyMap<Sub, Pick<ResolutionRow, 'status'>>;
  readonly base: string;
}

/** Kinds of contributions that contest what they are about, once proposed. */
export const contestingKinds: ReadonlySet<Contribution['kind']> = new Set([
  'objection',
  'contradiction',
  'repair',
]);

export function isContestingKind(kind: Contribution['kind']): boolean {
  return contestingKinds.has(kind);
}

/** Whether a contribution stands open: accepting applies a repair, while an accepted objection stays on its claim. */
function standsOpen(row: ContestingRow, resolution: Pick<ResolutionRow, 'status'> | undefined): boolean {
  if (!isContestingKind(row.contribution.kind) || resolution?.status === 'rejected') return false;
  return resolution === undefined || row.contribution.kind !== 'repair';
}

/** Newest first. */
function contestsOf({ article, posts, contributions, resolutions, base }: ContestParts): Contest[] {
  const contests: Contest[] = [];
  for (const row of posts) {
    if (!isOpen(row)) continue;
    const { id, post } = row;
    contests.push({
      id,
      kind: post.stance,
      target: post.target,
      status: 'open',
      ts: post.ts,
      textChanged: isTextChanged(post, article),
      permalink: postLink(base, article, id),
    });
  }
  for (const row of contributions) {
    const resolution = resolutions.get(row.id);
    if (!standsOpen(row, resolution)) continue;
    const { contribution, claim_id: claimId } = row;
    contests.push({
      id: row.id,
      kind: contribution.kind as ContestKind,
      target: claimId,
      status: resolution === undefined ? 'proposed' : 'accepted',
      ts: contribution.ts,
      textChanged: claimId !== '' && !isProposedOn(contribution, article.claims.get(claimId)?.claim),
      permalink: `${contributionPermalink(base, article.row.slug, row)}#${row.id}`,
    });
  }
  return contests.sort((a, b) => (a.ts === b.ts ? (a.id < b.id ? -1 : 1) : a.ts < b.ts ? 1 : -1));
}

/** What stands open against an article, and against each of its claims. */
export interface ArticleContests {
  /** Newest first. */
  readonly contests: readonly Contest[];
  /** Against the article, its claims and DIVs included. */
  readonly article: Contested;
  readonly claim: (id: string) => Contested;
}

export function articleContests(parts: ContestParts): ArticleContests {
  const contests = contestsOf(parts);
  const byClaim = new Map(
    [...contestsByClaim(parts.article, contests)].map(([id, own]) => [id, contestedJson(own)]),
  );
  return { contests, article: contestedJson(contests), claim: (id) => byClaim.get(id) ?? uncontested };
}

/** The most entries that a group lists; `total` counts all. */
const listedMax = 50;
const nothing: ContestGroup = { count: 0, total: 0, entries: [] };
const uncontested: Contested = {
  objections: nothing,
  contradictions: nothing,
  challenges: nothing,
  repairs: nothing,
};

/** The public shape of some contests. */
function contestedJson(contests: readonly Contest[]): Contested {
  if (contests.length === 0) return uncontested;
  const group = (kind: ContestKind): ContestGroup => {
    const all = contests.filter((each) => each.kind === kind);
    const entries = all.slice(0, listedMax).map(({ id, target, status, textChanged, ts, permalink }) => ({
      id,
      target,
      status,
      ...(textChanged ? { text_changed: true as const } : {}),
      ts,
      permalink,
    }));
    return { count: entries.length, total: all.length, entries };
  };
  return {
    objections: group('objection'),
    contradictions: group('contradiction'),
    challenges: group('challenge'),
    repairs: group('repair'),
  };
}

/** How much stands open. */
export function contestCount(contested: Contested): number {
  return Object.values(contested).reduce((sum, { total }) => sum + total, 0);
}

/**
 * Contests by claim. An entry on a DIV contests the claims of its section and those whose words it holds; one on the
 * article as a whole contests the article, and no claim by itself.
 */
function contestsByClaim(
  article: ArticleState,
  contests: readonly Contest[],
): ReadonlyMap<string, readonly Contest[]> {
  const byClaim = new Map<string, Contest[]>();
  const inDiv = claimsInDivs(article, contests);
  for (const contest of contests)
    for (const id of inDiv.get(contest.target) ?? [contest.target]) {
      if (!article.claims.has(id)) continue;
      const known = byClaim.get(id);
      if (known === undefined) byClaim.set(id, [contest]);
      else known.push(contest);
    }
  return byClaim;
}

/** Ids of the claims of each DIV that a contest is about. */
function claimsInDivs(
  article: ArticleState,
  contests: readonly Contest[],
): ReadonlyMap<string, readonly string[]> {
  const wanted = new Set(contests.map(({ target }) => target).filter((target) => article.divs.has(target)));
  const found = new Map<string, readonly string[]>();
  if (wanted.size === 0) return found;
  const active = activeDivs(article);
  const paths = headingPaths(active.map((div) => ({ ...div, kind: div.kind as never })));
  const claims = claimsOf(article);
  for (const [i, div] of active.entries()) {
    if (!wanted.has(div.div_id)) continue;
    const sections = new Set([...(paths[i] ?? []), div.title].map(sectionName));
    sections.delete('');
    found.set(
      div.div_id,
      claims.filter((claim) => isInDiv(claim, div, sections)).map(({ id }) => id),
    );
  }
  return found;
}

function isInDiv({ section, text }: Claim, div: DivRow, sections: ReadonlySet<string>): boolean {
  return (section !== null && sections.has(sectionName(section))) || div.text.includes(text);
}

/** A section as claims and headings name it, whatever its case and spaces. */
export function sectionName(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();
}
