/**
 * What a call says that it has read, against what stands now (spec §4.5 "compare-and-set"). A refusal names all of it
 * that is out of date with what is current, so that whoever mends a rule does not meet a conflict next.
 */
import { sha256Hex } from '../../kernel/hash.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import { activeDivs, bodyOf, type ArticleState } from './state.ts';

/** Arguments by which rows are told what was read, whatever row it is. */
export function namesReads(given: JsonObject): boolean {
  return readings.some((name) => given[name] !== undefined && given[name] !== null);
}

const readings = [
  'expected_hash',
  'expected_hashes',
  'expected_order',
  'expected_version',
  'expected_thread_head',
  'claim_hash',
  'content_hash',
];

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
    ...staleOrder(given, article),
    ...differs(given, 'expected_version', version, { current_version: version }),
    ...(typeof given['content_hash'] === 'string' ? staleBody(given, article) : []),
    // "batch" follows the head that the same batch moves.
    ...(typeof given['expected_thread_head'] === 'string' && given['expected_thread_head'] !== 'batch'
      ? staleHead(given, threadHead())
      : []),
  ];
}

function differs(given: JsonObject, name: string, current: JsonValue, more: JsonObject): JsonObject[] {
  const read = given[name];
  return typeof read !== typeof current || read === current ? [] : [{ at: `/${name}`, ...more }];
}

/** Of a DIV or a claim, whichever the call is about. */
function staleHash(given: JsonObject, article: ArticleState): JsonObject[] {
  const { div_id: id, target_div: target, claim_id: claimId } = given;
  const divId = typeof id === 'string' ? id : target;
  if (typeof divId === 'string') {
    const div = currentDiv(article, divId);
    if (div === undefined) return [];
    return differs(given, 'expected_hash', div.vx_hash, { div_id: divId, current_hash: div.vx_hash });
  }
  const claim = typeof claimId === 'string' ? article.claims.get(claimId)?.claim : undefined;
  if (claim === undefined) return [];
  const more = { claim_id: claim.id, current_hash: claim.hash };
  return [
    ...differs(given, 'expected_hash', claim.hash, more),
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
  return differs(given, 'expected_thread_head', head, { current_thread_head: head });
}

function currentDiv(article: ArticleState, divId: string) {
  const div = article.divs.get(divId);
  return div?.status === 'current' ? div : undefined;
}
