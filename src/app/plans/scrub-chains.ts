/**
 * Scrubbing what one thing's chains hold (contract §1.4, §5 "Secrets"): each content that holds a secret is taken
 * away, and an entry on a chain of the scrub's own names it, says what was found where, and commits to what
 * stands in its place. The secret itself is in no entry and in no content of one.
 */
import type { Scrub, StoredEvent, Tx } from '../../engine/act.ts';
import { contentText, contentValue } from '../../engine/act.ts';
import { Follow, withDigest } from '../../domain/scrub/follow.ts';
import { plainWording } from '../../domain/similarity/normalise.ts';
import { redactionMarker, type PlacedFind } from '../../guard/secrets.ts';
import type { Redactor } from '../../guard/literal-secret.ts';
import { canonicalJson, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import type { Entry } from '../../ledger/entry.ts';

/** One content that holds a secret, or a value that follows from a text which does. */
export interface ScrubPlace {
  readonly event: StoredEvent;
  readonly slot: number;
  readonly field: string;
  readonly finds: readonly PlacedFind[];
  readonly replacement: JsonValue;
}

/** The chains that are replayed together: all of an article's, or the one by itself. */
export function chainsOf(chain: string): string {
  const dot = chain.indexOf('.');
  return dot < 0 ? chain : chain.slice(0, dot + 1);
}

/** Every content of `events` that the scrub would replace; `chains` is their common name. */
export function findPlaceholders(
  events: readonly StoredEvent[],
  chains: string,
  redactor: Redactor,
): readonly ScrubPlace[] {
  const aid = chains.replace(/\.$/, '');
  const clean = new Map<string, { readonly value: JsonValue; readonly finds: readonly PlacedFind[] }>();
  const follow = new Follow();
  for (const event of events) {
    for (const [slot, content] of event.contents.entries()) {
      const text = contentText(content);
      if (text === null || !redactor.suspects(text)) continue;
      const before = contentValue(content) as JsonValue;
      const { value, finds } = redactor.redact(before);
      if (finds.length === 0) continue;
      clean.set(`${event.seq}/${slot}`, { value: renamed(before, value, aid, follow), finds });
      follow.note(before, value);
    }
  }
  if (clean.size === 0) return [];
  const places: ScrubPlace[] = [];
  for (const event of events) {
    for (const [slot, content] of event.contents.entries()) {
      const found = clean.get(`${event.seq}/${slot}`);
      const text = contentText(content);
      if (text === null || (found === undefined && !follow.suspects(text))) continue;
      const before = contentValue(content) as JsonValue;
      const followed = follow.apply(found?.value ?? before);
      if (found === undefined && followed === before) continue;
      const replacement = withDigest(withWordings(followed), aid);
      places.push({ event, slot, field: content.field, finds: found?.finds ?? [], replacement });
    }
  }
  return places;
}

/** A normalised wording that held the secret is that of the redacted text again. */
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

/** A slug cannot hold the marker: an article whose name is secret gets another. */
function renamed(before: JsonValue, value: JsonValue, aid: string, follow: Follow): JsonValue {
  const slug = slugIn(value);
  const old = slugIn(before);
  if (slug === undefined || old === undefined || !slug.includes(redactionMarker)) return value;
  const name = `redacted-${aid.slice(4, 12)}`;
  follow.rename(old, name);
  const content = value as { readonly change: JsonObject };
  const created = content.change['created'] as JsonObject;
  return { ...content, change: { ...content.change, created: { ...created, slug: name } } };
}

function slugIn(value: JsonValue): string | undefined {
  const content = value as { readonly change?: { readonly created?: { readonly slug?: string } } } | null;
  return content?.change?.created?.slug;
}

/** Whose scrub it is, and the fresh chain that its entries go to. */
export interface ScrubOrder {
  readonly chain: string;
  readonly inv: string;
  readonly actor: string;
  readonly ts: string;
}

/** Scrubs what the chains hold by now; answers with what it replaced. */
export function scrubChains(
  tx: Tx,
  chains: string,
  redactor: Redactor,
  order: ScrubOrder,
): readonly ScrubPlace[] {
  const events = chains.endsWith('.') ? tx.chains(chains) : tx.chain(chains);
  const places = findPlaceholders(events, chains, redactor);
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
