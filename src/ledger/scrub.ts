/**
 * Checks replacements of scrubbed content (contract §1.4): a replacement cannot be compared with the scrubbed commitment, so
 * an entry of the scrub's chain must commit to it. Pure; the caller brings the entries.
 */
import { sha256Hex } from '../kernel/hash.ts';
import { canonicalJson, type JsonObject, type JsonValue } from '../kernel/json.ts';

/** A removed content: its place, and its replacement in the same form. */
export interface ScrubbedContent {
  readonly chain: string;
  readonly n: number;
  readonly field: string;
  readonly replacement: string | null;
  readonly scrubbedBy: string;
}

interface ScrubEntry {
  readonly text: string;
  readonly contents: readonly {
    readonly field: string;
    readonly body: string | null;
    readonly replacement?: string | null;
  }[];
}

/**
 * The entries of one scrub's chain by what they name. A scrub of a whole article has as many as contents held the
 * secret, and each of those is judged: none of them reads through all the others.
 */
export class ScrubEntries {
  /** Hashes of what may stand where a content was, by its place. */
  readonly #committed = new Map<string, string[]>();

  constructor(entries: readonly ScrubEntry[]) {
    for (const entry of entries) {
      const { place, hashes } = commitmentOf(entry) ?? {};
      if (place !== undefined && hashes !== undefined)
        this.#committed.set(place, [...(this.#committed.get(place) ?? []), ...hashes]);
    }
  }

  /** What is wrong with a scrubbed content; nothing where an entry of the chain commits to what replaces it. */
  check({ chain, n, field, replacement, scrubbedBy }: ScrubbedContent): string | undefined {
    const hashes = this.#committed.get(placeName(chain, n, field)) ?? [];
    return replacement !== null && hashes.includes(sha256Hex(replacement))
      ? undefined
      : `what replaces the content of ${field} is not what a scrub entry of ${scrubbedBy} commits to`;
  }
}

/** Nothing where it is no scrub entry, or not one that can be read. */
function commitmentOf({
  text,
  contents,
}: ScrubEntry): { readonly place: string; readonly hashes: readonly string[] } | undefined {
  const entry = objectIn(text);
  if (entry?.['action'] !== 'scrub') return undefined;
  const own = contents.find((each) => each.field === 'content_sha');
  const replacement = objectIn(own?.body ?? own?.replacement ?? 'null')?.['replacement'];
  if (replacement === undefined) return undefined;
  const place = placeName(entry['of'], entry['of_n'], entry['field']);
  // Plain text is replaced by plain text, everything else by its canonical JSON.
  const plain = typeof replacement === 'string' ? [sha256Hex(replacement)] : [];
  try {
    return { place, hashes: [...plain, sha256Hex(canonicalJson(replacement))] };
  } catch {
    return { place, hashes: plain };
  }
}

function placeName(...parts: readonly (JsonValue | undefined)[]): string {
  return JSON.stringify(parts);
}

/** Altered text may not be JSON. */
function objectIn(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    return typeof value === 'object' && value !== null ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * What is wrong with a content that is gone without being scrubbed: nothing where its entry, or the first one of its
 * chain for an invocation, says that its row keeps commitments only.
 */
export function checkMissingContent(
  field: string,
  text: string,
  first: string | undefined,
): string | undefined {
  const withheld = (entry: string | undefined): boolean =>
    entry !== undefined && objectIn(entry)?.['withheld'] === true;
  return withheld(text) || withheld(first)
    ? undefined
    : `the content of ${field} is gone, and no scrub entry says why`;
}
