/**
 * The audit of a ledger through a store's own reader, for stores that no worker can open as a file. Slower
 * than the embedded store's and just as strict: bytes, commitments, links, tiles, and every place of the log.
 */
import type { Reader } from '../engine/store.ts';
import type { StoredContent, StoredEvent } from '../engine/act.ts';
import { auditEntry, type ContentForAudit, type Finding } from '../ledger/audit.ts';
import { leafHash, type Entry } from '../ledger/entry.ts';
import { troubleWithGone, troubleWithScrub } from '../ledger/scrub.ts';
import { MerkleLog } from '../ledger/log.ts';

export interface ReaderAudit {
  readonly entries: number;
  readonly contents: number;
  readonly root: Uint8Array;
  readonly findings: readonly Finding[];
  readonly scrubbed: number;
  /** Root of the first `size` entries; only for sizes that were asked for beforehand. */
  rootAt(size: number): Uint8Array | undefined;
}

const pageSize = 2000;
const recentMax = 50_000;

/** `sizes` are the log sizes whose roots will be asked for. */
export async function auditReader(
  read: Reader,
  sizes: ReadonlySet<number>,
  progress: (done: number) => void,
): Promise<ReaderAudit> {
  const findings: Finding[] = [];
  const recent = new Map<string, { readonly n: number; readonly hash: string }>();
  const log = new MerkleLog();
  const roots = new Map<number, Uint8Array>();
  let contents = 0;
  let scrubbed = 0;
  for (;;) {
    const page = await read.entries(log.size, pageSize);
    for (const entry of page) {
      const named = placeOf(entry.text);
      if (named.n > 0 && recent.get(named.chain)?.n !== named.n - 1) await recall(read, recent, named);
      const leaf = leafHash(entry.text);
      const stored = { ...entry, ...named, contents: entry.contents.map(asHashed) };
      const found = auditEntry(stored, (chain, n) =>
        recent.get(chain)?.n === n ? recent.get(chain)?.hash : undefined,
      );
      if (entry.index !== log.size)
        findings.push({ seq: log.size, chain: null, n: null, reason: `the log has no entry ${log.size}` });
      findings.push(...found.map((finding) => ({ ...finding, seq: entry.index })));
      contents += entry.contents.length;
      scrubbed += await judgeGone(read, entry, named, (reason) =>
        findings.push({ seq: entry.index, ...named, reason }),
      );
      recent.delete(named.chain);
      recent.set(named.chain, { n: named.n, hash: Buffer.from(leaf).toString('hex') });
      if (recent.size > recentMax) recent.delete(recent.keys().next().value as string);
      log.append(leaf);
      if (sizes.has(log.size)) roots.set(log.size, log.root());
    }
    for (const { level, n, bytes } of log.takeCompleted()) {
      const stored = await read.tile(level, n, 256);
      if (stored === undefined || !Buffer.from(stored).equals(bytes))
        findings.push({
          seq: null,
          chain: null,
          n: null,
          reason: `tile ${level}/${n} does not hold the hashes that it should`,
        });
    }
    progress(log.size);
    if (page.length < pageSize) break;
  }
  return {
    entries: log.size,
    contents,
    scrubbed,
    root: log.root(),
    findings,
    rootAt: (size) => (size === log.size ? log.root() : roots.get(size)),
  };
}

function asHashed({ field, salt, body }: StoredContent): ContentForAudit {
  const hashed = body === null || salt === null ? body : Buffer.concat([salt, Buffer.from(body)]);
  return { field, saltBytes: salt?.length ?? null, hashed };
}

/** Answers with how many contents of the entry were scrubbed. */
async function judgeGone(
  read: Reader,
  entry: StoredEvent,
  place: { readonly chain: string; readonly n: number },
  say: (reason: string) => void,
): Promise<number> {
  let count = 0;
  for (const content of entry.contents) {
    if (content.body !== null) continue;
    const { field, replacement = null, scrubbedBy = null } = content;
    if (scrubbedBy === null) {
      const [first] = await read.chain(place.chain);
      const trouble = troubleWithGone(field, entry.text, first?.text);
      if (trouble !== undefined) say(trouble);
      continue;
    }
    count++;
    const gone = { ...place, field, replacement, scrubbedBy };
    const trouble = troubleWithScrub(gone, await read.chain(scrubbedBy));
    if (trouble !== undefined) say(trouble);
  }
  return count;
}

function placeOf(text: string): { readonly chain: string; readonly n: number } {
  try {
    const { chain, n } = JSON.parse(text) as Entry;
    return { chain, n };
  } catch {
    return { chain: '', n: 0 };
  }
}

async function recall(
  read: Reader,
  recent: Map<string, { readonly n: number; readonly hash: string }>,
  { chain, n }: { readonly chain: string; readonly n: number },
): Promise<void> {
  const before = (await read.chain(chain))
    .map((event) => event.text)
    .find((text) => placeOf(text).n === n - 1);
  if (before !== undefined)
    recent.set(chain, { n: n - 1, hash: Buffer.from(leafHash(before)).toString('hex') });
}
