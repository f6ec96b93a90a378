/**
 * Compares the hashes and versions that a call read with the current ones (spec §4.5 "compare-and-set"). A refusal lists
 * every stale one with its current value, so that a corrected call does not fail on the next conflict.
 */
import { sha256Hex } from '../../kernel/hash.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import { violation, type Violation } from '../violations.ts';
import { splitAddress } from './slugs.ts';
import { activeDivs, bodyOf, type ArticleState } from './state.ts';

/** Whether anything in the arguments is of one article as it stands, whatever row they are for. */
export function hasReadVersions(given: JsonObject): boolean {
  return readings.some((name) => given[name] !== undefined && given[name] !== null);
}

const readings = [
  'div_id',
  'target_div',
  'div_ids',
  'ids',
  'claim_id',
  'target',
  'expected_hash',
  'expected_hashes',
  'expected_order',
  'expected_version',
  'expected_thread_head',
  'claim_hash',
  'content_hash',
];

/** Fewer characters of a hash name no state: two texts may share them. */
export const hashCharsMin = 12;

/** Whether `given` is the hash, or its beginning: two whole hashes would fill an address (contract §7). */
export function namesHash(hash: string, given: string): boolean {
  return hash === given || (given.length >= hashCharsMin && hash.startsWith(given));
}

/** One item for each that is stale: its place among the arguments, and what to send instead. */
export function staleReads(
  given: JsonObject,
  article: ArticleState,
  threadHead: () => string,
): readonly JsonObject[] {
  const { version } = article.row;
  return [
    ...staleHash(given, article),
    ...staleHashes(given, article),
    ...staleBlocks(given, article),
    ...staleOrder(given, article),
    ...differs(given, 'expected_version', version, { current_version: version }),
    ...(typeof given['content_hash'] === 'string' ? staleBody(given, article) : []),
    // "batch" follows the head that the same batch moves.
    ...(typeof given['expected_thread_head'] === 'string' && given['expected_thread_head'] !== 'batch'
      ? staleHead(given, threadHead())
      : []),
  ];
}

/** Ids that the article lacks, reported beside other violations; alone they are `not_found`. */
export function missingParts(given: JsonObject, article: ArticleState): readonly Violation[] {
  const divs = [
    ...['div_id', 'target_div', 'div_ids', 'ids'].flatMap((name) => placed(given, name)),
    ...blocksIn(given['blocks']).flatMap(({ div_id: id }, i) =>
      typeof id === 'string' ? [{ at: `/blocks/${i}/div_id`, id }] : [],
    ),
  ];
  // A vote is on a DIV, on a claim, or on the article itself; where no slug stands beside it, a target is one.
  const target = typeof given['slug'] === 'string' ? placed(given, 'target') : [];
  const fix = 'Read the DIVs under /voxels and use one of their ids.';
  const slug = article.row.slug;
  return [
    ...[...divs, ...target.filter(({ id }) => /^d\d{1,7}$/.test(id))]
      .filter(({ id }) => !article.divs.has(id))
      .map(({ at, id }) => violation('unknown_div', at, `${slug} has no DIV ${id.slice(0, 40)}.`, fix)),
    ...[...placed(given, 'claim_id'), ...target.filter(({ id }) => /^c\d{1,7}$/.test(id))]
      .filter(({ id }) => !article.claims.has(id))
      .map(({ at, id }) =>
        violation(
          'unknown_claim',
          at,
          `${slug} has no claim ${id.slice(0, 40)}.`,
          'Read the claims under /claims.',
        ),
      ),
  ];
}

function placed(given: JsonObject, name: string): readonly { readonly at: string; readonly id: string }[] {
  const value = given[name];
  if (!Array.isArray(value))
    return typeof value === 'string' && value !== '' ? [{ at: `/${name}`, id: value }] : [];
  return (value as readonly JsonValue[]).flatMap((id, i) =>
    typeof id === 'string' ? [{ at: `/${name}/${i}`, id }] : [],
  );
}

function differs(given: JsonObject, name: string, current: JsonValue, more: JsonObject): JsonObject[] {
  const read = given[name];
  return typeof read !== typeof current || read === current ? [] : [{ at: `/${name}`, ...more }];
}

/** The same for a hash that a challenge may cut short. */
function differsShort(given: JsonObject, name: string, current: string, more: JsonObject): JsonObject[] {
  const read = given[name];
  return typeof read !== 'string' || namesHash(current, read) ? [] : [{ at: `/${name}`, ...more }];
}

/** Of a DIV or a claim, whichever the call is about. */
function staleHash(given: JsonObject, article: ArticleState): JsonObject[] {
  const { div_id: id, target_div: challenged, slug } = given;
  // An objection is to a part's address, a vote on a part of its article.
  const address = typeof slug === 'string' ? splitAddress(slug).part : '';
  const target = [challenged, given['target'], address].find(
    (each) => typeof each === 'string' && each !== '',
  );
  const divId = typeof id === 'string' ? id : target;
  const claimId = given['claim_id'] ?? target;
  if (typeof divId === 'string' && !article.claims.has(divId)) {
    const div = currentDiv(article, divId);
    if (div === undefined) return [];
    const more = { div_id: divId, current_hash: div.vx_hash };
    // What names a target is discourse.
    const compare = typeof target === 'string' ? differsShort : differs;
    return compare(given, 'expected_hash', div.vx_hash, more);
  }
  const claim = typeof claimId === 'string' ? article.claims.get(claimId)?.claim : undefined;
  if (claim === undefined) return [];
  const more = { claim_id: claim.id, current_hash: claim.hash };
  return [
    ...(claimId === target ? differsShort : differs)(given, 'expected_hash', claim.hash, more),
    ...differs(given, 'claim_hash', claim.hash, more),
  ];
}

function staleHashes({ div_ids: several, ids, expected_hashes: hashes }: JsonObject, article: ArticleState) {
  const named = several ?? ids;
  if (!Array.isArray(named) || !Array.isArray(hashes)) return [];
  return (named as readonly JsonValue[]).flatMap((divId, i): JsonObject[] => {
    const div = typeof divId === 'string' ? currentDiv(article, divId) : undefined;
    const read = (hashes as readonly JsonValue[])[i];
    if (div === undefined || typeof read !== 'string' || read === div.vx_hash) return [];
    return [{ at: `/expected_hashes/${i}`, div_id: div.div_id, current_hash: div.vx_hash }];
  });
}

/** Of the blocks of a rewrite. */
function staleBlocks({ blocks }: JsonObject, article: ArticleState): JsonObject[] {
  return blocksIn(blocks).flatMap(({ div_id: id, expected_hash: read }, i) => {
    const div = typeof id === 'string' ? currentDiv(article, id) : undefined;
    if (div === undefined || typeof read !== 'string' || read === div.vx_hash) return [];
    return [{ at: `/blocks/${i}/expected_hash`, div_id: div.div_id, current_hash: div.vx_hash }];
  });
}

/** One that cannot be read is an empty object, so that the others keep their places. */
function blocksIn(blocks: JsonValue | undefined): readonly JsonObject[] {
  if (!Array.isArray(blocks)) return [];
  return (blocks as readonly JsonValue[]).map((block) =>
    typeof block === 'object' && block !== null && !Array.isArray(block) ? (block as JsonObject) : {},
  );
}

function staleOrder(given: JsonObject, article: ArticleState): JsonObject[] {
  const order = activeDivs(article).findIndex(({ div_id: id }) => id === given['div_id']) + 1;
  return order === 0
    ? []
    : differs(given, 'expected_order', order, { div_id: given['div_id'], current_order: order });
}

function staleBody(given: JsonObject, article: ArticleState): JsonObject[] {
  const current = sha256Hex(bodyOf(article));
  return differs(given, 'content_hash', current, { current_hash: current });
}

function staleHead(given: JsonObject, head: string): JsonObject[] {
  return differsShort(given, 'expected_thread_head', head, { current_thread_head: head });
}

function currentDiv(article: ArticleState, divId: string) {
  const div = article.divs.get(divId);
  return div?.status === 'current' ? div : undefined;
}
