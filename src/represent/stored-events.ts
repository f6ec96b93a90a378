/**
 * Stored entries as answers show them (contract §1): with the links of their chain, the exact hashed object, and what
 * opens the contents that this caller may read.
 */
import { contentText, contentValue, type StoredEvent } from '../engine/act.ts';
import { TimeSlices } from '../kernel/time-slices.ts';
import type { JsonValue } from '../kernel/json.ts';
import type { Listed, OpenedEntry, Verification, Verifications } from '../model/parts.ts';
import { verifyChain } from '../ledger/chain.ts';
import { leafHash, type Entry } from '../ledger/entry.ts';
import type { ProvenanceContent } from '../domain/articles/events.ts';
import { upcastContent } from '../domain/upcast.ts';

/** A stored entry as a listed object shows it: chain links, the hashed object, and the salt that opens its content. */
export function listed(event: StoredEvent, field: string): Listed {
  const entry = JSON.parse(event.text) as Entry;
  const content = event.contents.find((each) => each.field === field);
  return {
    prev: entry.prev,
    hash: Buffer.from(leafHash(event.text)).toString('hex'),
    entry,
    salt: content?.salt == null ? null : Buffer.from(content.salt).toString('hex'),
    // An entry commits to content that this caller is not shown.
    content:
      content === undefined
        ? typeof entry[field] === 'string'
          ? 'withheld'
          : 'none'
        : content.body === null
          ? 'scrubbed'
          : 'present',
  };
}

/** An altered row may name no entry; the `verification` of the answer says so. */
export function unlisted({ prev, hash }: Pick<Listed, 'prev' | 'hash'>): Listed {
  return { prev, hash } as Listed;
}

/** An entry with its hash and what opens its contents; `at` orders the entries of all chains. */
export function openEntry(event: StoredEvent): OpenedEntry {
  const contents: Record<string, OpenedEntry['contents'][string]> = {};
  for (const content of event.contents) {
    const { field, salt, body } = content;
    const value = contentValue(content) ?? null;
    contents[field] = {
      salt: salt === null ? null : Buffer.from(salt).toString('hex'),
      value: body === null ? null : value,
      ...(body === null && value !== null
        ? { replacement: value, scrubbed_by: content.scrubbedBy ?? null }
        : {}),
    };
  }
  return {
    at: event.seq,
    entry: JSON.parse(event.text) as Entry,
    hash: Buffer.from(leafHash(event.text)).toString('hex'),
    contents,
  };
}

/** What an entry commits to in that field; nothing where it is gone, or withheld. */
export function contentOf(event: Pick<StoredEvent, 'contents'>, field: string): JsonValue | undefined {
  const body = contentText(event.contents.find((each) => each.field === field));
  return body === null ? undefined : (JSON.parse(body) as JsonValue);
}

/** Content of a provenance entry with its objects in their present shape; nothing where it is gone, or withheld. */
export function provenanceContent(event: StoredEvent): ProvenanceContent | undefined {
  const content = contentOf(event, 'content_sha');
  if (content === undefined) return undefined;
  return upcastContent(JSON.parse(event.text) as Entry, content) as ProvenanceContent;
}

/** The chain verified over the bytes that are served. */
export function verificationOf(events: readonly StoredEvent[]): Verification {
  return verifyChain(
    events.map((event) => ({ entry: event.text, hash: Buffer.from(leafHash(event.text)).toString('hex') })),
  );
}

/** The same over several chains: where they are sound, how many entries and chains there are. */
export async function verificationOfAll(
  chains: ReadonlyMap<string, readonly StoredEvent[]>,
  slices = new TimeSlices(),
): Promise<Verifications> {
  let entries = 0;
  for (const [chain, own] of chains) {
    const verdict = verificationOf(own);
    if (!verdict.valid) return { chain, ...verdict };
    entries += own.length;
    if (slices.isDue) await slices.yieldTurn();
  }
  return { valid: true, entries, chains: chains.size };
}

/** Events of several chains, each chain by its name. */
export async function byChain(
  events: readonly StoredEvent[],
  slices = new TimeSlices(),
): Promise<Map<string, StoredEvent[]>> {
  const chains = new Map<string, StoredEvent[]>();
  await slices.map(events, (event) => {
    const { chain } = JSON.parse(event.text) as Entry;
    const own = chains.get(chain);
    if (own === undefined) chains.set(chain, [event]);
    else own.push(event);
  });
  return chains;
}
