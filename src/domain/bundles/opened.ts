/**
 * A bundle as it is read (spec §4.3): entries with what opens their contents, in plain JSON that anybody may have
 * written. Types and the small readers of untrusted values that everything about bundles shares.
 */
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import type { Entry } from '../../ledger/entry.ts';
import type { ArticleState } from '../articles/state.ts';
import { violation as breach, type Violation } from '../violations.ts';

export interface Bundle {
  readonly slug: string;
  /** The article as its own chains give it: nothing else in the bundle is believed. */
  readonly state: ArticleState;
  readonly content_hash: string;
  readonly origin: JsonObject;
  readonly chains: OpenChains;
  readonly entries: number;
}

export interface OpenContent {
  readonly salt: string | null;
  readonly value: JsonValue;
  /** What stands in for scrubbed content, as the scrub entry that names it has it. */
  readonly replacement?: JsonValue;
  readonly scrubbed_by?: string | null;
}

export interface OpenEntry {
  /** Its place among the entries of all chains. */
  readonly at: number;
  readonly entry: Entry;
  readonly hash: string;
  /** By commitment field; those that whoever exported it was not shown are missing. */
  readonly contents: Readonly<Record<string, OpenContent>>;
}

export type OpenChains = Readonly<Record<string, readonly OpenEntry[]>>;

/** What an entry's content says now: itself, or what replaced it. */
export function standing(content: OpenContent | undefined): JsonValue {
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
export function violation(
  at: string,
  message: string,
  fix = 'Export the bundle again from where it came from.',
): Violation {
  return breach('bundle', `/bundle${at}`, message, fix);
}
