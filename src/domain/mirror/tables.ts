/**
 * What is stored of an article's mirror (spec §2.10): the head of its chain, every contribution in order, and
 * the newest ones by what finds an equal one. Projected from the mirror chain alone.
 */
import type { Event, Projection } from '../../engine/act.ts';
import { integer, json, nullable, table, text, type RowOf } from '../../engine/tables.ts';
import { headOf, type Head } from '../../ledger/entry.ts';
import type { Contribution } from '../../model/contribution.ts';
import { putActivity } from '../articles/activity.ts';
import { parseArticleChain } from '../articles/chains.ts';

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

/** How many contributions of an article a new one is compared with. */
const recentMax = 32;

export function projectMirror(event: Event, to: Projection): void {
  const chain = parseArticleChain(event.sealed.entry.chain);
  if (chain?.of !== 'mirror') return;
  const { entry, hash } = event.sealed;
  to.put(mirrorTable, { aid: chain.aid, count: entry.n + 1, head: headOf(event.sealed) });
  putActivity(event, chain.aid, 'contributions', to);
  const content = event.contents['content_sha'] as (Contribution & { readonly digest: string }) | undefined;
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
    newest: [...before.slice(1 - recentMax), { digest: digestPrefix(digest), id, receipt }],
  });
}

/** As much of a digest as finds an equal contribution among the newest. */
export function digestPrefix(digest: string): string {
  return digest.slice(0, 24);
}
