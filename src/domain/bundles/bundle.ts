/**
 * A bundle as it is read (spec §4.3): entries with what opens their contents, in plain JSON that anyone may have
 * written. Types and the small readers of untrusted values that everything about bundles shares.
 */
import { type JsonObject, type JsonValue, canonicalJson } from '../../kernel/json.ts';
import { commitment } from '../../ledger/entry.ts';
import type { OpenedEntry } from '../../model/parts.ts';
import type { ArticleState } from '../articles/state.ts';
import { violation as breach, type Violation } from '../violations.ts';
import type { BundleOrigin } from '../../model/article-writes.ts';
import { sha256Hex } from '../../kernel/hash.ts';

export interface Bundle {
  readonly slug: string;
  /** The article as its own chains give it: nothing else in the bundle is believed. */
  readonly state: ArticleState;
  readonly content_hash: string;
  readonly origin: BundleOrigin;
  readonly chains: OpenChains;
  readonly entries: number;
}

export type OpenEntry = OpenedEntry;
export type OpenContent = OpenedEntry['contents'][string];
/** By the names of chains; `at` is an entry's place among those of all chains. */
export type OpenChains = Readonly<Record<string, readonly OpenEntry[]>>;

/** What an entry's content says now: itself, or what replaced it. */
export function currentValue(content: OpenContent | undefined): JsonValue {
  return content?.value ?? content?.replacement ?? null;
}

export function plainObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

export function objectsIn(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value)
    ? (value as readonly JsonValue[]).filter(
        (item): item is JsonObject => typeof item === 'object' && item !== null && !Array.isArray(item),
      )
    : [];
}

export function textOr<D>(value: unknown, otherwise: D): string | D {
  return typeof value === 'string' ? value : otherwise;
}

export function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** One place where a bundle does not hold up. */
export function bundleViolation(
  at: string,
  message: string,
  fix = 'Export the bundle again from where it came from.',
): Violation {
  return breach('bundle', `/bundle${at}`, message, fix);
}

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
    const { replacement } = plainObject(currentValue(contents['content_sha']));
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
