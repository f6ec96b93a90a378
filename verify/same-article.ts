/**
 * Checks that all entries of a document belong to one article (contract §6). A chain's name is the article's id, a dot and
 * the part. Only `chains` of a bundle are checked against the log, so entries listed elsewhere must also be in `chains`.
 */
import { parseLink, type Link } from './chain.ts';
import { recordsIn } from './history.ts';
import { isRecord, type Json, type JsonRecord } from './json.ts';
import { failed, type Check } from './report.ts';
import type { Place } from './scrubs.ts';

/**
 * `links` are the entries of a document that is about one article, without those that their contents hold. Whatever
 * stands beside a whole article or in `chains` is of the article; a part may list entries of other things with it.
 */
export function checkSameArticle(document: JsonRecord, isArticle: boolean, links: readonly Link[]): Check[] {
  const { chains } = document;
  const names = [
    ...links.map(({ entry }) => String(entry['chain'])),
    ...Object.keys(isRecord(chains) ? chains : {}),
  ];
  const isAll = isArticle || isRecord(chains);
  const ids = new Set(names.filter((name) => !isScrubChain(name)).map(articleOf));
  if (!isAll) ids.delete('');
  const checks =
    ids.size > 1
      ? [failed('chain', `the entries are of ${ids.size} articles, not of one: ${[...ids].join(', ')}`)]
      : [];
  if (!isRecord(chains)) return checks;
  const known = new Set(
    Object.entries(chains).flatMap(([name, items]) =>
      recordsIn(items).flatMap((item) => {
        const link = parseLink(item, '');
        return link?.entry['chain'] === name ? [identity(link)] : [];
      }),
    ),
  );
  const strange = links.filter((link) => !known.has(identity(link)));
  return [
    ...checks,
    ...strange.map(({ entry, at }) =>
      failed(
        'chain',
        `entry ${String(entry['n'])} of chain ${String(entry['chain'])} is not among the chains`,
        at,
      ),
    ),
  ];
}

/**
 * Entries that may vouch for a replacement: in a bundle those of its `chains`, which the log has; elsewhere those that
 * stand in `scrubs`.
 */
export function findScrubs(document: Json, opened: readonly Place[]): Place[] {
  const isBundle = isRecord(document) && isRecord(document['chains']);
  return opened.filter(({ object, at }) => {
    const { chain, n } = object['entry'] as JsonRecord;
    if (!isScrubChain(chain)) return false;
    return isBundle ? at === `chains.${String(chain)}[${String(n)}]` : /^scrubs\[\d+\]$/.test(at);
  });
}

/** A scrub bears an id of its own, since it may be about several articles. */
export function isScrubChain(name: Json | undefined): boolean {
  return typeof name === 'string' && /^scrub_[^.]+$/.test(name);
}

function articleOf(chain: string): string {
  return chain.slice(0, Math.max(chain.lastIndexOf('.'), 0));
}

function identity({ entry, hash }: Link): string {
  return JSON.stringify([entry['chain'], entry['n'], hash]);
}
