/**
 * What follows from a redaction inside the contents of one article (contract §1.3, §5): a hash of a text that was
 * replaced becomes the hash of its replacement, a normalised wording that of the new wording, a digest that of
 * the new body. So a scrubbed claim still hashes to what it says, and an open objection still names its DIV.
 */
import { sha256Hex } from '../../kernel/hash.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import { contributionDigest } from '../mirror/contribute.ts';
import { plainWording } from '../similarity/normalise.ts';
import type { ContributionInput } from '../../model/contribution.ts';

/** Short wordings are ordinary words and match text that does not derive from them. */
const wordingCharsMin = 8;

export class RedactedValues {
  readonly #by = new Map<string, string>();

  /** Takes in what a redaction changed: every text before, and the text in its place. */
  note(before: JsonValue, after: JsonValue): void {
    if (typeof before === 'string' && typeof after === 'string') return this.#text(before, after);
    if (typeof before !== 'object' || before === null || typeof after !== 'object' || after === null) return;
    const places = Object.values(after) as JsonValue[];
    for (const [i, member] of (Object.values(before) as JsonValue[]).entries())
      if (places[i] !== undefined) this.note(member, places[i]);
  }

  #text(before: string, after: string): void {
    if (before === after) return;
    this.#by.set(sha256Hex(before), sha256Hex(after));
    const wording = plainWording(before);
    if (wording.length >= wordingCharsMin) this.#by.set(wording, plainWording(after));
  }

  /** A slug is a name: what holds a secret is renamed wherever it stands alone. */
  rename(before: string, after: string): void {
    this.#by.set(before, after);
  }

  /** Whether a content's text could hold anything that follows. */
  suspects(text: string): boolean {
    for (const before of this.#by.keys()) if (text.includes(before)) return true;
    return false;
  }

  /** The value with everything that follows, and the same value where nothing does. */
  apply(value: JsonValue): JsonValue {
    if (typeof value === 'string') return this.#by.get(value) ?? value;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      const items = value as readonly JsonValue[];
      const out = items.map((item) => this.apply(item));
      return out.some((item, i) => item !== items[i]) ? out : items;
    }
    const object = value as JsonObject;
    const out: Record<string, JsonValue> = {};
    let changed = false;
    for (const [key, member] of Object.entries(object)) {
      if (member === undefined) continue;
      out[key] = this.apply(member);
      changed ||= out[key] !== member;
    }
    return changed ? out : value;
  }
}

/** A contribution's digest finds its repetitions, and would still confirm a guess of the scrubbed text. */
export function withDigest(value: JsonValue, aid: string): JsonValue {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const content = value as JsonObject;
  if (typeof content['digest'] !== 'string' || typeof content['claim_id'] !== 'string') return value;
  const { claim_id, kind, actor, body, rationale } = content;
  const contribution = { slug: '', claim_id, kind, actor, body, ...(rationale == null ? {} : { rationale }) };
  return { ...content, digest: contributionDigest(aid, contribution as ContributionInput) };
}
