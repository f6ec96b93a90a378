/**
 * Whether what opens the entries of a bundle is what they commit to (contract §1.4): the content itself, or, where
 * it was scrubbed, a replacement that a scrub entry of the bundle commits to.
 */
import { sha256Hex } from '../../kernel/hash.ts';
import { canonicalJson, type JsonValue } from '../../kernel/json.ts';
import { commitment } from '../../ledger/entry.ts';
import { plainObject, standing, type OpenChains, type OpenEntry } from './opened.ts';

/** What the scrub entries of a bundle say stands in for what, by the place of what was scrubbed. */
export type Scrubs = ReadonlyMap<string, Replaced>;

interface Replaced {
  /** Each content that ever stood in for it, canonical. */
  readonly by: ReadonlySet<string>;
  readonly chains: ReadonlySet<string>;
}

export function scrubsIn(chains: OpenChains): Scrubs {
  const scrubs = new Map<string, { readonly by: Set<string>; readonly chains: Set<string> }>();
  for (const { entry, contents } of Object.values(chains).flat()) {
    if (entry['action'] !== 'scrub') continue;
    const place = `${String(entry['of'])} ${String(entry['of_n'])} ${String(entry['field'])}`;
    const known = scrubs.get(place) ?? { by: new Set(), chains: new Set() };
    scrubs.set(place, known);
    known.chains.add(entry.chain);
    const { replacement } = plainObject(standing(contents['content_sha']));
    if (replacement !== undefined) known.by.add(canonicalJson(replacement));
  }
  return scrubs;
}

/** What is wrong with the contents of one entry, a sentence each. */
export function contentProblems({ entry, contents }: OpenEntry, scrubs: Scrubs): string[] {
  return Object.entries(contents).flatMap(([field, content]) => {
    const { salt, value, replacement, scrubbed_by: by } = content;
    const scrub = scrubs.get(`${entry.chain} ${entry.n} ${field}`);
    if (value === null && salt === null) {
      if (replacement === undefined || typeof by !== 'string') return [`The content of ${field} is missing.`];
      return scrub?.chains.has(by) === true && scrub.by.has(canonicalJson(replacement))
        ? []
        : [`No scrub entry of the bundle commits to what replaces ${field}.`];
    }
    if (replacement !== undefined) return [`The content of ${field} stands beside what replaces it.`];
    return shaOf(salt, value) === entry[field]
      ? []
      : [`The content of ${field} does not match its commitment.`];
  });
}

/** Undefined where the salt is none. */
function shaOf(salt: string | null, value: JsonValue): string | undefined {
  if (salt === null) return typeof value === 'string' ? sha256Hex(value) : undefined;
  return /^[0-9a-f]{64}$/.test(salt) ? commitment(Buffer.from(salt, 'hex'), canonicalJson(value)) : undefined;
}
