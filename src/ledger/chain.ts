/**
 * A chain checked from genesis over what was served (contract §1.8): every entry's hash is computed again,
 * stands in its successor as `prev`, and positions and times follow one another. The verdict names the
 * first entry that does not fit and says why.
 */
import { canonicalJson, type JsonObject, type JsonValue } from '../kernel/json.ts';
import { genesis, leafHash } from './entry.ts';

/** One entry with the hash that is claimed for it; `entry` as an object, or as its exact text. */
export interface Link {
  readonly entry: JsonObject | string;
  readonly hash: string;
}

export type ChainVerdict =
  | { readonly valid: true; readonly entries: number; readonly head: string }
  | { readonly valid: false; readonly broken_at: number; readonly reason: string };

export interface ChainExpectation {
  /** The id that every entry must carry. */
  readonly chain?: string;
  /** What is known of the chain's newest entry: a list that ends before it, or elsewhere, is broken. */
  readonly head?: { readonly n: number; readonly hash: string };
}

/**
 * `links` in order of `n`, from 0. An entry that carries its own `hash` (as DIV chains list them) may be
 * given in place of a link. `broken_at` is a position in the list; an empty chain's head is `genesis`.
 */
export function verifyChain(
  links: readonly (Link | JsonObject)[],
  { chain, head }: ChainExpectation = {},
): ChainVerdict {
  let prev = genesis;
  let ts = '';
  let id = chain;
  for (const [at, link] of links.entries()) {
    const broken = (reason: string): ChainVerdict => ({ valid: false, broken_at: at, reason });
    const { entry: claimed, hash } = linkOf(link);
    const entry = typeof claimed === 'string' ? parsed(claimed) : claimed;
    if (entry === undefined) return broken('the entry is not a JSON object');
    let text: string;
    try {
      text = canonicalJson(entry);
    } catch (error) {
      return broken(`the entry has no canonical text: ${(error as Error).message}`);
    }
    if (typeof claimed === 'string' && claimed !== text) return broken('the entry is not in canonical form');
    if (Object.hasOwn(entry, 'hash')) return broken('the entry holds a hash of itself');
    if (entry['n'] !== at) return broken(`n is ${JSON.stringify(entry['n'])}, not ${at}`);
    id ??= typeof entry['chain'] === 'string' ? entry['chain'] : undefined;
    if (id === undefined || entry['chain'] !== id)
      return broken(`chain is ${JSON.stringify(entry['chain'])}, not ${id ?? 'an id'}`);
    if (entry['prev'] !== prev) {
      return broken(
        at === 0 ? 'prev of the first entry is not genesis' : 'prev does not match the hash before it',
      );
    }
    if (typeof entry['ts'] !== 'string' || entry['ts'] < ts)
      return broken('ts is before the entry before it');
    if (leafHexOf(text) !== hash) return broken('hash does not match the entry');
    prev = hash;
    ts = entry['ts'];
  }
  if (head !== undefined && prev !== head.hash) {
    const reason =
      links.length <= head.n
        ? `the chain ends before entry ${head.n}`
        : `entry ${head.n} is not the head ${head.hash}`;
    return { valid: false, broken_at: Math.min(links.length, head.n), reason };
  }
  return { valid: true, entries: links.length, head: prev };
}

function leafHexOf(text: string): string {
  return Buffer.from(leafHash(text)).toString('hex');
}

function linkOf(link: Link | JsonObject): { entry: JsonObject | string; hash: JsonValue | undefined } {
  if ('entry' in link) return link as Link;
  const { hash, ...entry } = link;
  return { entry, hash };
}

/** Stored text is trusted to be JSON no more than a stranger's is; duplicate keys show in its canonical form. */
function parsed(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as JsonObject)
      : undefined;
  } catch {
    return undefined;
  }
}
