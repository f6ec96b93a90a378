/**
 * Two revisions of an article compared (contract §8): blocks, claims, sources and metadata that differ, each with the
 * revision that changed it last, and what happened in between.
 */
import { headingPaths } from '../../domain/articles/divide.ts';
import { longestIncreasing } from '../../domain/articles/increasing.ts';
import { activeDivs, claimsOf, sourcesOf, type ArticleState } from '../../domain/articles/state.ts';
import { traversalOf } from '../../domain/articles/traversal.ts';
import { links } from '../../domain/links.ts';
import { about, type Fault, fault, invalidParameter, isFault } from '../../kernel/fault.ts';
import { canonicalJson, type JsonValue } from '../../kernel/json.ts';
import type { Claim } from '../../model/claim.ts';
import { RevisionComparison } from '../../model/history.ts';
import type { RevisedSource } from '../../model/source.ts';
import { wordDiff } from '../../represent/word-diff.ts';
import type { ReadContext } from '../read-context.ts';
import type { ArticleAccess } from './article-access.ts';
import { loadArticle } from './articles.ts';
import { defineRead } from './define-read.ts';
import { readAsOf } from './historical-read.ts';
import { findContribution } from './mirror-feed.ts';
import { readSteps, type RevisionStep } from './revision-steps.ts';

/** Revisions to compare, as the URL names them; the newest and the one before it where they are left out. */
export interface ComparedRevisions {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** All faults of the numbers, before any revision is looked up. */
export function comparedFaults({ from, to }: ComparedRevisions): readonly Fault[] {
  return Object.entries({ from, to }).flatMap(([name, value]) =>
    value === undefined || /^[1-9]\d{0,8}$/.test(value)
      ? []
      : [
          invalidParameter(
            name,
            `"${name}" is no number of a revision.`,
            'Send a whole number as /revisions lists them, such as 3.',
          ),
        ],
  );
}

export const compareRevisions = defineRead(
  RevisionComparison,
  async (context: ReadContext, access: ArticleAccess, asked: ComparedRevisions) => {
    const { base } = context;
    const { slug } = access;
    const steps = await readSteps(context, access);
    const found = findPair(access, steps, asked);
    if (isFault(found)) return found;
    const [older, newer] = [
      await readAsOf(context, access, { rev: String(found.from.rev) }),
      await readAsOf(context, access, { rev: String(found.to.rev) }),
    ];
    if (isFault(older)) return older;
    if (isFault(newer)) return newer;
    const [before, after] = await Promise.all([
      loadArticle(older.context, access.aid),
      loadArticle(newer.context, access.aid),
    ]);
    const between = steps.filter(({ rev }) => rev > found.from.rev && rev <= found.to.rev);
    const end = ({ rev, ts, actor }: RevisionStep) => ({
      rev,
      ts,
      actor,
      url: `${links.articleJson(base, slug)}?rev=${rev}`,
    });
    return {
      slug,
      from: end(found.from),
      to: end(found.to),
      steps: await Promise.all(
        between.map(async ({ rev, ts, actor, action, note, receipt, of, contribution }) => ({
          rev,
          ts,
          actor,
          action,
          ...(note === null ? {} : { note }),
          receipt,
          of,
          ...(contribution === null
            ? {}
            : {
                contribution: { ...contribution, actor: await proposerOf(context, access, contribution.id) },
              }),
        })),
      ),
      metadata: compareMetadata(before, after),
      blocks: compareBlocks(before, after, (id) => lastOf(between, 'blocks', id)),
      claims: compareClaims(before, after, (id) => lastOf(between, 'claims', id)),
      sources: compareSources(before, after, (id) => lastOf(between, 'sources', id)),
    };
  },
);

/** The two revisions, the older one first. */
function findPair(
  { slug }: ArticleAccess,
  steps: readonly RevisionStep[],
  asked: ComparedRevisions,
): { readonly from: RevisionStep; readonly to: RevisionStep } | Fault {
  const first = steps[0]?.rev ?? 1;
  const last = steps.at(-1)?.rev ?? 1;
  const to = asked.to === undefined ? last : Number(asked.to);
  const from = asked.from === undefined ? Math.max(first, to - 1) : Number(asked.from);
  const byRev = new Map(steps.map((step) => [step.rev, step]));
  const [one, other] = [byRev.get(from), byRev.get(to)];
  if (one !== undefined && other !== undefined)
    return from <= to ? { from: one, to: other } : { from: other, to: one };
  const missing = one === undefined ? from : to;
  return about(
    fault(
      'not_found',
      `${slug} has no revision ${missing} to show.`,
      `Use whole numbers from ${first} to ${last} for from and to.`,
    ),
    { kind: 'revision', id: String(missing), slug },
  );
}

/** The name that the contributor typed. */
async function proposerOf(context: ReadContext, access: ArticleAccess, id: string): Promise<string> {
  const row = await findContribution(context, access.tenant, access.slug, id);
  return row?.contribution.actor ?? '';
}

type Credit = (id: string) => { readonly rev: number | null; readonly receipt: string | null };

function lastOf(
  steps: readonly RevisionStep[],
  kind: 'blocks' | 'claims' | 'sources',
  id: string,
): ReturnType<Credit> {
  const step =
    steps.findLast((each) => each[kind].includes(id)) ??
    (kind === 'blocks' ? steps.findLast(({ laid }) => laid.includes(id)) : undefined);
  return { rev: step?.rev ?? null, receipt: step?.receipt ?? null };
}

function compareMetadata(before: ArticleState, after: ArticleState) {
  const [was, is] = [metadataOf(before), metadataOf(after)];
  return Object.keys(is).flatMap((name) => {
    const [one, other] = [was[name] ?? null, is[name] ?? null];
    return canonicalJson(one) === canonicalJson(other) ? [] : [{ name, before: one, after: other }];
  });
}

/** What an article says about itself beside its text; its place in a series stands by itself. */
function metadataOf({ row }: ArticleState): Readonly<Record<string, JsonValue>> {
  const { extra, ...meta } = row.meta;
  const { normandy_v1: _place, ...rest } = extra;
  return {
    title: row.title,
    status: row.status,
    ...meta,
    traversal: { ...traversalOf(row.meta) },
    extra: rest,
  };
}

type ComparedBlock = RevisionComparison['blocks'][number];

function compareBlocks(before: ArticleState, after: ArticleState, credit: Credit): ComparedBlock[] {
  const [was, is] = [activeDivs(before), activeDivs(after)];
  const old = new Map(was.map((div, i) => [div.div_id, { text: div.text, i }]));
  const places = new Map(is.map(({ div_id: id }, i) => [id, i]));
  const stays = longestIncreasing(is.map(({ div_id: id }) => old.get(id)?.i));
  const [oldPaths, paths] = [pathsOf(was), pathsOf(is)];
  const found: { readonly at: number; readonly block: ComparedBlock }[] = [];
  for (const [i, { div_id: id, text }] of is.entries()) {
    const former = old.get(id)?.text ?? null;
    const change = former === null ? 'added' : former !== text ? 'changed' : 'moved';
    if (change === 'moved' && stays.has(i)) continue;
    const diff = former === null || change === 'moved' ? [] : wordDiff(former, text);
    const block = {
      id,
      heading_path: paths[i] ?? [],
      change,
      ...credit(id),
      before: former,
      after: text,
      diff,
    } as const;
    found.push({ at: i, block });
  }
  // A block that left stands behind the nearest block before it that kept its place.
  let behind = -1;
  for (const [i, { div_id: id, text }] of was.entries()) {
    const place = places.get(id);
    if (place !== undefined) {
      if (stays.has(place)) behind = place;
      continue;
    }
    const path = oldPaths[i] ?? [];
    const block = {
      id,
      heading_path: path,
      change: 'removed',
      ...credit(id),
      before: text,
      after: null,
      diff: [],
    } as const;
    found.push({ at: behind + 0.5, block });
  }
  return found.sort((a, b) => a.at - b.at).map(({ block }) => block);
}

function pathsOf(divs: ReturnType<typeof activeDivs>): readonly (readonly string[])[] {
  return headingPaths(divs.map((div) => ({ ...div, kind: div.kind as never })));
}

/** Members of a claim that readers see. */
const claimMembers = [
  'text',
  'tier',
  'weight',
  'source_ids',
  'falsifier',
  'who_claims',
  'slot',
  'section',
  'status',
] as const;

function compareClaims(before: ArticleState, after: ArticleState, credit: Credit) {
  const old = new Map(claimsOf(before).map((claim) => [claim.id, claim]));
  return claimsOf(after).flatMap((claim) => {
    const { id } = claim;
    const was = old.get(id) ?? null;
    const members = was === null ? [] : claimMembers.filter((name) => !isSame(was[name], claim[name]));
    if (was !== null && members.length === 0) return [];
    const change = changeOf(was, claim);
    const diff = was === null || was.text === claim.text ? [] : wordDiff(was.text, claim.text);
    return [{ id, change, members, ...credit(id), before: was, after: claim, diff }];
  });
}

function changeOf(was: Claim | null, claim: Claim) {
  if (was === null) return 'added' as const;
  return was.status === 'active' && claim.status === 'retracted'
    ? ('retracted' as const)
    : ('changed' as const);
}

function isSame(one: JsonValue, other: JsonValue): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

function compareSources(before: ArticleState, after: ArticleState, credit: Credit) {
  const seen = (state: ArticleState): ReadonlyMap<string, RevisedSource> =>
    new Map(sourcesOf(state).map(({ source, prev, hash }) => [source.id, { ...source, prev, hash }]));
  const old = seen(before);
  // Sources are appended and never change.
  return [...seen(after)].flatMap(([id, source]) =>
    old.has(id) ? [] : [{ id, change: 'added' as const, ...credit(id), before: null, after: source }],
  );
}
