/** Finds a secret in stored contents (ADR 26): a walk over the log, whole or for one article. */
import { articlePrefix } from '../../domain/articles/chains.ts';
import { slugPath, slugTable } from '../../domain/articles/tables.ts';
import { contentText, type StoredEvent } from '../../engine/act.ts';
import { eventFrom } from '../../engine/memory-projection.ts';
import { readIfReadable, readableEntries, type ReadableEntry } from '../../engine/readable-entries.ts';
import { UnreplayableEntry } from '../../engine/store.ts';
import type { Redactor } from '../../guard/redactors.ts';
import { about, fault, type Fault } from '../../kernel/fault.ts';
import type { Entry } from '../../ledger/entry.ts';
import type { Service } from '../service.ts';
import { chainsOf, findReplaceable } from './scrub-chains.ts';

const pageEntries = 500;

/** Which entries are searched: all, or those of one article and of calls on it. */
type Within = ((event: Pick<StoredEvent, 'text'>) => Promise<boolean>) | undefined;

export async function limitOf(
  service: Service,
  tenant: string,
  slug: string | undefined,
): Promise<Within | Fault> {
  if (slug === undefined) return undefined;
  const row = await service.store.read.row(slugTable, slugPath(tenant, slug));
  if (row === undefined)
    return about(
      fault(
        'not_found',
        `There is no article ${slug.slice(0, 80)}.`,
        'Name an article of /api/articles, or leave the slug out.',
      ),
      { kind: 'article', id: slug },
    );
  const prefix = articlePrefix(row.aid);
  const { read } = service.store;
  const calls = new Set<string>();
  for (const { text } of await read.chains(prefix)) {
    const { inv } = JSON.parse(text) as Entry;
    if (typeof inv === 'string') calls.add(inv);
  }
  for (const inv of Array.from(calls)) {
    const root = (await firstOf(service, inv))?.['root'];
    if (typeof root === 'string') calls.add(root);
  }
  return async ({ text }) => {
    const entry = JSON.parse(text) as Entry;
    if (entry.chain.startsWith(prefix)) return true;
    if (typeof entry['of'] === 'string') return entry['of'].startsWith(prefix) || calls.has(entry['of']);
    if (!entry.chain.startsWith('inv_')) return false;
    return calls.has(entry.chain) || (await firstOf(service, entry.chain))?.['article'] === row.aid;
  };
}

async function firstOf(service: Service, inv: string): Promise<Entry | undefined> {
  const [first] = await service.store.read.chain(inv);
  return first === undefined ? undefined : (JSON.parse(first.text) as Entry);
}

/** The result of a walk over the log. */
export interface SecretSearch {
  /** Chains with the secret in their contents. */
  readonly found: ReadonlySet<string>;
  /** Altered chains or entries that can neither be searched nor scrubbed. */
  readonly altered: ReadonlySet<string>;
  /** Index up to which the log was read. */
  readonly size: number;
}

/** Searches the log from an entry on. */
export async function search(
  service: Service,
  redactor: Redactor,
  within: Within,
  from: number,
): Promise<SecretSearch> {
  const found = new Set<string>();
  const altered = new Set<string>();
  let size = from;
  for (;;) {
    const page = await readableEntries(service.store.read, size, pageEntries);
    for (const entry of page) {
      const place = await suspected(entry, redactor, within);
      if (place !== undefined) (place.isAltered ? altered : found).add(place.name);
    }
    size += page.length;
    if (page.length < pageEntries) break;
    // Yields to requests.
    await new Promise((resolve) => setImmediate(resolve));
  }
  for (const chains of found) {
    if (!altered.has(chains) && (await isReadable(service, chains))) continue;
    found.delete(chains);
    altered.add(chains);
  }
  return { found, altered, size };
}

async function suspected(
  entry: ReadableEntry,
  redactor: Redactor,
  within: Within,
): Promise<{ readonly name: string; readonly isAltered: boolean } | undefined> {
  const { text, contents, index } = entry;
  try {
    if (contents !== undefined && !holds({ text, contents, seq: index }, redactor)) return undefined;
    if (within !== undefined && !(await within(entry))) return undefined;
    return { name: chainsOf((JSON.parse(text) as Entry).chain), isAltered: contents === undefined };
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof UnreplayableEntry)) throw error;
    return { name: `entry ${index}`, isAltered: true };
  }
}

/** A scrub replays its chains, which needs every entry and content to be intact. */
async function isReadable(service: Service, chains: string): Promise<boolean> {
  const events = await readIfReadable(eventsOf(service, chains));
  try {
    for (const event of events ?? []) eventFrom(event);
  } catch {
    return false;
  }
  return events !== undefined;
}

function holds(event: StoredEvent, redactor: Redactor): boolean {
  return event.contents.some((content) => {
    const text = contentText(content);
    return (
      text !== null &&
      redactor.mayContain(text) &&
      findReplaceable([{ ...event, contents: [content] }], '', redactor).length > 0
    );
  });
}

export function eventsOf(service: Service, chains: string): Promise<readonly StoredEvent[]> {
  return chains.endsWith('.') ? service.store.read.chains(chains) : service.store.read.chain(chains);
}
