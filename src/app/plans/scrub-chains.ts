/**
 * Scrubs the chains of one object (contract §1.4, §5 "Secrets"): each content with the secret is removed, and an
 * entry on the scrub's own chain names it, says what was found where, and commits to the replacement. The secret is
 * in no entry.
 */
import type { Scrub, StoredEvent, Tx } from '../../engine/act.ts';
import { contentText, contentValue } from '../../engine/act.ts';
import { RedactedValues, withDigest } from '../../domain/scrub/redacted-values.ts';
import { plainWording } from '../../domain/similarity/normalise.ts';
import { redactionMarker, type PlacedFind } from '../../guard/secrets.ts';
import type { Redactor } from '../../guard/redactors.ts';
import { canonicalJson, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import type { Entry } from '../../ledger/entry.ts';

/** A content with the secret, or a value derived from such a text. */
export interface ScrubPlace {
  readonly event: StoredEvent;
  readonly slot: number;
  readonly field: string;
  readonly finds: readonly PlacedFind[];
  readonly replacement: JsonValue;
}

/** Chains that are replayed together: all of an article's, or a single one. */
export function chainsOf(chain: string): string {
  const dot = chain.indexOf('.');
  return dot < 0 ? chain : chain.slice(0, dot + 1);
}

/** All contents of `events` that the scrub replaces; `chains` is the chains' common name. */
export function findReplaceable(
  events: readonly StoredEvent[],
  chains: string,
  redactor: Redactor,
): readonly ScrubPlace[] {
  const aid = chains.replace(/\.$/, '');
  const clean = new Map<string, { readonly value: JsonValue; readonly finds: readonly PlacedFind[] }>();
  const redacted = new RedactedValues();
  for (const event of events) {
    for (const [slot, content] of event.contents.entries()) {
      const text = contentText(content);
      if (text === null || !redactor.mayContain(text)) continue;
      const before = contentValue(content) as JsonValue;
      const { value, finds } = redactor.redact(before);
      if (finds.length === 0) continue;
      clean.set(`${event.seq}/${slot}`, { value: renamed(before, value, aid, redacted), finds });
      redacted.note(before, value);
    }
  }
  if (clean.size === 0) return [];
  const places: ScrubPlace[] = [];
  for (const event of events) {
    for (const [slot, content] of event.contents.entries()) {
      const found = clean.get(`${event.seq}/${slot}`);
      const text = contentText(content);
      if (text === null || (found === undefined && !redacted.suspects(text))) continue;
      const before = contentValue(content) as JsonValue;
      const redactedValue = redacted.apply(found?.value ?? before);
      if (found === undefined && redactedValue === before) continue;
      const replacement = withDigest(withWordings(redactedValue), aid);
      places.push({ event, slot, field: content.field, finds: found?.finds ?? [], replacement });
    }
  }
  return places;
}

/** A normalised wording is derived again from the redacted text. */
function withWordings(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(withWordings);
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([name, member]) => [
      name,
      name === 'plain' && typeof member === 'string' && member.includes(redactionMarker)
        ? plainWording(member)
        : withWordings(member as JsonValue),
    ]),
  );
}

/** Slugs cannot contain the marker: an article whose slug has the secret gets another slug. */
function renamed(before: JsonValue, value: JsonValue, aid: string, redacted: RedactedValues): JsonValue {
  const slug = slugIn(value);
  const old = slugIn(before);
  if (slug === undefined || old === undefined || !slug.includes(redactionMarker)) return value;
  const name = `redacted-${aid.slice(4, 12)}`;
  redacted.rename(old, name);
  const content = value as { readonly change: JsonObject };
  const created = content.change['created'] as JsonObject;
  return { ...content, change: { ...content.change, created: { ...created, slug: name } } };
}

function slugIn(value: JsonValue): string | undefined {
  const content = value as { readonly change?: { readonly created?: { readonly slug?: string } } } | null;
  return content?.change?.created?.slug;
}

/** The actor, and the new chain of the scrub's entries. */
export interface ScrubOrder {
  readonly chain: string;
  readonly inv: string;
  readonly actor: string;
  readonly ts: string;
}

/** Scrubs the current contents of the chains; returns what it replaced. */
export function scrubChains(
  tx: Tx,
  chains: string,
  redactor: Redactor,
  order: ScrubOrder,
): readonly ScrubPlace[] {
  const events = chains.endsWith('.') ? tx.chains(chains) : tx.chain(chains);
  const places = findReplaceable(events, chains, redactor);
  const scrubs: Scrub[] = [];
  for (const [i, { event, slot, field, finds, replacement }] of places.entries()) {
    const { chain, n } = JSON.parse(event.text) as Entry;
    tx.append({
      draft: {
        chain: order.chain,
        ts: order.ts,
        actor: order.actor,
        action: 'scrub',
        inv: order.inv,
        of: chain,
        of_n: n,
        field,
        count: finds.reduce((sum, find) => sum + find.count, 0),
      },
      head: i === 0 ? null : 'previous',
      contents: [
        {
          field: 'content_sha',
          value: { found: finds.map(({ path, kind, count }) => ({ path, kind, count })), replacement },
        },
      ],
    });
    scrubs.push({
      seq: event.seq,
      slot,
      replacement:
        typeof replacement === 'string' && field === 'text_sha' ? replacement : canonicalJson(replacement),
      scrubbedBy: order.chain,
    });
  }
  if (scrubs.length > 0) tx.scrub(chains, scrubs);
  return places;
}
