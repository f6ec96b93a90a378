/**
 * Hash chains. Collects entries from anywhere in a document, sorts them by chain, and recomputes each chain from genesis:
 * position, `prev`, time and hash. Reports the first invalid entry with the reason.
 */
import { hex } from './bytes.ts';
import { canonical, isRecord, type Json, type JsonRecord } from './json.ts';
import { leafHash } from './merkle.ts';
import { failed, passed, type Check } from './report.ts';

/** An entry as served, with the hash claimed for it. */
export interface Link {
  readonly entry: JsonRecord;
  readonly hash: Json | undefined;
  /** `prev` as the listed object shows it beside the entry. */
  readonly shownPrev: Json | undefined;
  readonly at: string;
}

export interface ChainOptions {
  /** A page of a longer list: its first entry need not be the chain's. */
  readonly partial?: boolean;
}

/** Reads a listed object (`{…, prev, hash, entry}`) or an entry that carries its own `hash`; else nothing. */
export function parseLink(value: JsonRecord, at: string): Link | undefined {
  const { entry, hash, prev } = value;
  if (isRecord(entry) && isEntry(entry)) return { entry, hash, shownPrev: prev, at };
  if (hash === undefined || !isEntry(value)) return undefined;
  const { hash: own, ...hashed } = value;
  return { entry: hashed, hash: own, shownPrev: undefined, at };
}

function isEntry(value: JsonRecord): boolean {
  return (
    typeof value['chain'] === 'string' && typeof value['n'] === 'number' && typeof value['prev'] === 'string'
  );
}

/** One check for each chain that occurs. The same entry listed twice counts once. */
export async function checkChains(
  links: readonly Link[],
  { partial = false }: ChainOptions = {},
): Promise<Check[]> {
  const chains = new Map<string, Map<string, Link>>();
  for (const link of links) {
    const id = link.entry['chain'] as string;
    const chain = chains.get(id) ?? new Map<string, Link>();
    chains.set(id, chain.set(identity(link), link));
  }
  return Promise.all([...chains].map(([id, chain]) => checkChain(id, [...chain.values()], partial)));
}

/** The same for one entry wherever it is listed, unless it is shown differently. */
function identity({ entry, hash, shownPrev }: Link): string {
  return JSON.stringify([entry, hash, shownPrev ?? entry['prev']]);
}

async function checkChain(id: string, links: readonly Link[], partial: boolean): Promise<Check> {
  const sorted = links.toSorted((a, b) => Number(a.entry['n']) - Number(b.entry['n']));
  const start = partial ? Number(sorted[0]?.entry['n']) : 0;
  let before: EntryPlace | undefined;
  for (const [i, link] of sorted.entries()) {
    const n = start + i;
    const trouble = await troubleWith(link, n, before, partial && i === 0);
    if (trouble !== undefined) return failed('chain', `entry ${n} of chain ${id}: ${trouble}`, link.at);
    before = { hash: link.hash as string, ts: link.entry['ts'] as string };
  }
  const from = start === 0 ? 'from genesis' : `from entry ${start}`;
  return passed(
    'chain',
    `chain ${id}: ${sorted.length} ${sorted.length === 1 ? 'entry' : 'entries'} ${from}, head ${before?.hash}`,
    sorted[0]?.at,
  );
}

/** What the next entry must continue. */
export interface EntryPlace {
  readonly hash: string;
  readonly ts: string;
}

async function troubleWith(
  link: Link,
  n: number,
  before: EntryPlace | undefined,
  anyPrev: boolean,
): Promise<string | undefined> {
  if (link.entry['n'] !== n)
    return Number(link.entry['n']) < n ? 'there are two different ones' : 'it is missing';
  const misplaced = checkPosition(link.entry, before, anyPrev);
  if (misplaced !== undefined) return misplaced;
  if (link.shownPrev !== undefined && link.shownPrev !== link.entry['prev'])
    return 'the prev shown is not the one in the entry';
  const hash = await hashOf(link.entry);
  return hash === link.hash ? undefined : `hash does not match the entry, which hashes to ${hash}`;
}

/** Why an entry cannot follow the one before it, or nothing. */
export function checkPosition(
  entry: JsonRecord,
  before: EntryPlace | undefined,
  anyPrev = false,
): string | undefined {
  const { prev, ts, actor } = entry;
  if (before === undefined && !anyPrev && prev !== 'genesis') return 'prev of the first entry is not genesis';
  if (before !== undefined && prev !== before.hash) return 'prev does not match the hash before it';
  if (typeof ts !== 'string' || (before !== undefined && ts < before.ts))
    return 'ts is before the entry before it';
  return typeof actor === 'string' ? undefined : 'actor is missing';
}

/** Lowercase hex, or why there is none. */
async function hashOf(entry: JsonRecord): Promise<string> {
  try {
    return hex(await leafHash(canonical(entry)));
  } catch (error) {
    return `nothing: ${(error as Error).message}`;
  }
}
