/** Where a secret stands in what is stored (ADR 26): a walk over the log, over all of it or over what belongs to one article. */
import { articlePrefix } from '../../domain/articles/chains.ts';
import { slugPath, slugTable } from '../../domain/articles/tables.ts';
import { textOf, type StoredEvent } from '../../engine/act.ts';
import type { Redactor } from '../../guard/literal-secret.ts';
import { fault, type Fault } from '../../kernel/fault.ts';
import type { Entry } from '../../ledger/entry.ts';
import type { Service } from '../service.ts';
import { chainsOf, placesIn } from './scrub-chains.ts';

const pageEntries = 500;

/** Which entries count: all, or those of one article and of the calls that were made on it. */
type Within = ((event: StoredEvent) => Promise<boolean>) | undefined;

export async function limitOf(
  service: Service,
  tenant: string,
  slug: string | undefined,
): Promise<Within | Fault> {
  if (slug === undefined) return undefined;
  const row = await service.store.read.row(slugTable, slugPath(tenant, slug));
  if (row === undefined)
    return fault(
      'not_found',
      `There is no article ${slug.slice(0, 80)}.`,
      'Name an article of /api/articles, or leave the slug out.',
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

/** The chains, from an entry of the log on, whose contents hold a secret; and how far the log was read. */
export async function search(
  service: Service,
  redactor: Redactor,
  within: Within,
  from: number,
): Promise<{ readonly found: ReadonlySet<string>; readonly size: number }> {
  const found = new Set<string>();
  let size = from;
  for (;;) {
    const page = await service.store.read.entries(size, pageEntries);
    for (const event of page) {
      if (!holds(event, redactor) || (within !== undefined && !(await within(event)))) continue;
      found.add(chainsOf((JSON.parse(event.text) as Entry).chain));
    }
    size += page.length;
    if (page.length < pageEntries) return { found, size };
    // Requests come first.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export function holds(event: StoredEvent, redactor: Redactor): boolean {
  return event.contents.some((content) => {
    const text = textOf(content);
    return (
      text !== null &&
      redactor.suspects(text) &&
      placesIn([{ ...event, contents: [content] }], '', redactor).length > 0
    );
  });
}

export function eventsOf(service: Service, chains: string): Promise<readonly StoredEvent[]> {
  return chains.endsWith('.') ? service.store.read.chains(chains) : service.store.read.chain(chains);
}
