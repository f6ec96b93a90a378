/**
 * The evidence of an import: the foreign chains, which the entry that takes an article in commits to. What was not
 * public where they come from is committed to apart, so that it stays with the workspace's keys here too while
 * everybody reads the rest. Neither side can be left out unseen: both commitments stand in the entry.
 */
import { unpublishedField, unpublishedContents } from '../articles/unpublished-contents.ts';
import { divChain, parseArticleChain } from '../articles/chains.ts';
import type { DivRow } from '../articles/tables.ts';
import type { Bundle, OpenChains, OpenEntry } from './bundle.ts';

/** Contents by chain, position and commitment field. */
export type UnpublishedContents = Readonly<Record<string, Readonly<Record<string, OpenEntry['contents']>>>>;

export interface Evidence {
  /** The chains with their public contents. */
  readonly chains: OpenChains;
  /** What opens the rest of them; undefined where nothing was withheld. */
  readonly held: UnpublishedContents | undefined;
}

export function evidenceOf({ chains, state }: Bundle): Evidence {
  const entries = Object.values(chains).flat();
  const hidden = hiddenIn(entries, publicFrom(entries, state.row.published_rev));
  const held = new Map<string, (readonly [string, OpenEntry['contents']])[]>();
  const shown = Object.entries(chains).map(([name, own]) => {
    const open = own.map((each) => {
      const isHidden = hidden.has(entryPlace(each.entry)) || replacesHidden(each, hidden);
      const [kept, apart] = split(each, isHidden);
      if (Object.keys(apart).length === 0) return each;
      held.set(name, [...(held.get(name) ?? []), [String(each.entry.n), apart]]);
      return { ...each, contents: kept };
    });
    return [name, open] as const;
  });
  return {
    chains: Object.fromEntries(shown),
    held:
      held.size === 0
        ? undefined
        : Object.fromEntries([...held].map(([name, own]) => [name, Object.fromEntries(own)])),
  };
}

/** The chains with everything that was withheld put back. */
export function withUnpublished(chains: OpenChains, held: UnpublishedContents | undefined): OpenChains {
  if (held === undefined) return chains;
  return Object.fromEntries(
    Object.entries(chains).map(([name, own]) => [
      name,
      own.map((each) => {
        const apart = held[name]?.[String(each.entry.n)];
        return apart === undefined ? each : { ...each, contents: { ...each.contents, ...apart } };
      }),
    ]),
  );
}

/** DIVs that are no longer part of the article. */
export function removedDivs({ state }: Pick<Bundle, 'state'>): DivRow[] {
  return [...state.divs.values()].filter(({ status }) => status !== 'current');
}

/** Those of them that left when the article was public, so that they stay readable for everyone. */
export function removedAfterPublication({ chains, state }: Bundle): DivRow[] {
  const from = publicFrom(Object.values(chains).flat(), state.row.published_rev);
  return removedDivs({ state }).filter(
    ({ aid, div_id: id }) => (chains[divChain(aid, id)]?.at(-1)?.at ?? 0) >= from,
  );
}

/** Where everything became public; in a draft nothing did. */
function publicFrom(entries: readonly OpenEntry[], rev: number | null): number {
  if (rev === null) return Number.POSITIVE_INFINITY;
  const entry = entries.find(
    ({ entry: { chain, rev: of } }) => of === rev && parseArticleChain(chain)?.of === 'provenance',
  );
  return entry?.at ?? Number.POSITIVE_INFINITY;
}

/** The places of entries whose contents were private at the origin. */
function hiddenIn(entries: readonly OpenEntry[], from: number): ReadonlySet<string> {
  const placed = entries.map(({ entry, at, contents }) => ({
    entry,
    at,
    opened: Object.keys(contents).length > 0,
  }));
  const apart = unpublishedContents(from, placed);
  return new Set(entries.filter((_, i) => apart[i] === true).map(({ entry }) => entryPlace(entry)));
}

function entryPlace({ chain, n }: OpenEntry['entry']): string {
  return `${chain} ${n}`;
}

/** Whether a scrub entry shows the replacement of redacted content. */
function replacesHidden({ entry }: OpenEntry, hidden: ReadonlySet<string>): boolean {
  return entry['action'] === 'scrub' && hidden.has(`${String(entry['of'])} ${String(entry['of_n'])}`);
}

/** What stays with the entry, and what is held apart: of a hidden entry all, of others what they held apart before. */
function split({ contents }: OpenEntry, isHidden: boolean): [OpenEntry['contents'], OpenEntry['contents']] {
  const all = Object.entries(contents);
  const isApart = (field: string): boolean => isHidden || field === unpublishedField;
  return [
    Object.fromEntries(all.filter(([field]) => !isApart(field))),
    Object.fromEntries(all.filter(([field]) => isApart(field))),
  ];
}
