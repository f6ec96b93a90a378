/**
 * The audit of a ledger through a store's own reader: for stores that no worker can open as a file, and for a
 * server that goes over its own ledger a page at a time. Slower than the embedded store's and just as strict:
 * bytes, commitments, links, tiles, and every place of the log.
 */
import { LRUCache } from 'lru-cache';
import { auditEntry, type ContentForAudit, type Finding } from '../ledger/audit.ts';
import { leafHash, type Entry } from '../ledger/entry.ts';
import { ScrubEntries, checkMissingContent } from '../ledger/scrub.ts';
import { MerkleLog, type CompletedTile } from '../ledger/log.ts';
import type { StoredContent, StoredEvent } from './act.ts';
import { readIfReadable, readableEntries, type ReadableEntry } from './readable-entries.ts';
import type { LogEntry, Reader } from './store.ts';

const pageSize = 2000;
/** Ends of chains that are remembered, so that a successor's `prev` is judged without reading its chain again. */
const recentMax = 50_000;
/** Chains of scrubs that are remembered: what one of them scrubbed lies together mostly. */
const scrubsMax = 16;
/** Findings that are kept; beyond, the ledger is lost anyway. */
const findingsMax = 1000;

interface ChainEnd {
  readonly n: number;
  readonly hash: string;
}

export class ReaderAudit {
  readonly #read: Reader;
  readonly #sizes: ReadonlySet<number>;
  readonly #findings: Finding[] = [];
  readonly #recent: LRUCache<string, ChainEnd>;
  readonly #gone: ScrubbedContentAudit;
  readonly #log = new MerkleLog();
  readonly #roots = new Map<number, Uint8Array>();
  /** Completed tiles of the log that are not compared yet. */
  readonly #tiles: CompletedTile[] = [];
  #contents = 0;
  #scrubbed = 0;

  /** `sizes` are the log sizes whose roots will be asked for. */
  constructor(read: Reader, sizes: ReadonlySet<number>, recent = recentMax) {
    this.#read = read;
    this.#sizes = sizes;
    this.#recent = new LRUCache({ max: recent });
    this.#gone = new ScrubbedContentAudit(read);
  }

  get entries(): number {
    return this.#log.size;
  }

  get contents(): number {
    return this.#contents;
  }

  get scrubbed(): number {
    return this.#scrubbed;
  }

  get findings(): readonly Finding[] {
    return this.#findings;
  }

  /** Root of the first `size` entries; only for what is judged so far, and for sizes that were asked for beforehand. */
  rootAt(size: number): Uint8Array | undefined {
    return size === this.#log.size ? this.#log.root() : this.#roots.get(size);
  }

  /**
   * Judges the next entries. False where the log had no more. Where a read fails, it rejects and may be called again:
   * what was judged stays judged, and it goes on behind that. `seen` is called with each entry when it is audited.
   */
  async next(limit: number, seen?: (entry: ReadableEntry) => void): Promise<boolean> {
    const page = await readableEntries(this.#read, this.#log.size, limit);
    for (const entry of page) {
      await this.#judge(entry);
      seen?.(entry);
    }
    await this.#judgeTiles();
    return page.length === limit;
  }

  /** Judges entries that are committed and wait for their place in the log; they are no part of its root. */
  async judgePending(entries: readonly LogEntry[]): Promise<void> {
    for (const entry of entries) await this.#judgeEntry(entry, null);
  }

  async #judge(entry: ReadableEntry): Promise<void> {
    const place = this.#log.size;
    if (entry.index !== place) this.#say(place, `the log has no entry ${place}`);
    this.#log.append(await this.#judgeEntry(entry, entry.index));
    if (this.#sizes.has(this.#log.size)) this.#roots.set(this.#log.size, this.#log.root());
  }

  /** Answers with the entry's leaf hash. */
  async #judgeEntry(entry: ReadableEntry, index: number | null): Promise<Uint8Array> {
    const { text, contents = [] } = entry;
    const recent = this.#recent;
    const named = parsePlace(text);
    if (named.n > 0 && recent.get(named.chain)?.n !== named.n - 1)
      await readPredecessor(this.#read, recent, named);
    const leaf = leafHash(text);
    const stored = { seq: entry.index, text, ...named, contents: contents.map(hashedContent) };
    const found = auditEntry(stored, (chain, n) =>
      recent.get(chain)?.n === n ? recent.get(chain)?.hash : undefined,
    );
    const gone = await this.#gone.check(text, contents, named);
    if (entry.contents === undefined)
      this.#find({ seq: index, ...named, reason: 'its contents cannot be distinguished' });
    for (const finding of found) this.#find({ ...finding, seq: index });
    for (const reason of gone) this.#find({ seq: index, ...named, reason });
    this.#contents += contents.length;
    this.#scrubbed += contents.filter(({ body, scrubbedBy }) => body === null && scrubbedBy != null).length;
    recent.set(named.chain, { n: named.n, hash: Buffer.from(leaf).toString('hex') });
    return leaf;
  }

  async #judgeTiles(): Promise<void> {
    this.#tiles.push(...this.#log.takeCompleted());
    for (let tile = this.#tiles[0]; tile !== undefined; tile = this.#tiles[0]) {
      const { level, n, bytes } = tile;
      const stored = await this.#read.tile(level, n, 256);
      this.#tiles.shift();
      if (stored === undefined || !Buffer.from(stored).equals(bytes))
        this.#say(null, `tile ${level}/${n} does not hold the hashes that it should`);
    }
  }

  #say(seq: number | null, reason: string): void {
    this.#find({ seq, chain: null, n: null, reason });
  }

  #find(finding: Finding): void {
    if (this.#findings.length < findingsMax) this.#findings.push(finding);
  }
}

/** Audits removed contents: a scrub entry must commit to their replacement. */
export class ScrubbedContentAudit {
  readonly #read: Pick<Reader, 'chain'>;
  readonly #scrubs = new Map<string, ScrubEntries>();

  constructor(read: Pick<Reader, 'chain'>) {
    this.#read = read;
  }

  async check(
    text: string,
    contents: readonly StoredContent[],
    place: { readonly chain: string; readonly n: number },
  ): Promise<string[]> {
    const troubles: string[] = [];
    for (const { body, field, replacement = null, scrubbedBy = null } of contents) {
      if (body !== null) continue;
      let trouble: string | undefined;
      if (scrubbedBy === null) {
        const [first] = await chainOf(this.#read, place.chain);
        trouble = checkMissingContent(field, text, first?.text);
      } else {
        const scrub = await this.#scrub(scrubbedBy);
        trouble = scrub.check({ ...place, field, replacement, scrubbedBy });
      }
      if (trouble !== undefined) troubles.push(trouble);
    }
    return troubles;
  }

  /** One act creates such a chain; nothing is appended later. */
  async #scrub(chain: string): Promise<ScrubEntries> {
    let scrub = this.#scrubs.get(chain);
    if (scrub === undefined) {
      scrub = new ScrubEntries(await chainOf(this.#read, chain));
      if (this.#scrubs.size === scrubsMax) this.#scrubs.clear();
      this.#scrubs.set(chain, scrub);
    }
    return scrub;
  }
}

/** Without entries where one of them cannot be read: the audit names it in its own place. */
async function chainOf(read: Pick<Reader, 'chain'>, chain: string): Promise<readonly StoredEvent[]> {
  return (await readIfReadable(read.chain(chain))) ?? [];
}

/** The whole ledger at once. */
export async function auditReader(
  read: Reader,
  sizes: ReadonlySet<number>,
  progress: (done: number) => void,
  seen?: (entry: ReadableEntry) => void,
): Promise<ReaderAudit> {
  const audit = new ReaderAudit(read, sizes);
  let more = true;
  while (more) {
    more = await audit.next(pageSize, seen);
    progress(audit.entries);
  }
  return audit;
}

/** A stored content as the bytes that were hashed. */
export function hashedContent({ field, salt, body }: StoredContent): ContentForAudit {
  const hashed = body === null || salt === null ? body : Buffer.concat([salt, Buffer.from(body)]);
  return { field, saltBytes: salt?.length ?? null, hashed };
}

/** Altered text may have any content. */
function parsePlace(text: string): { readonly chain: string; readonly n: number } {
  try {
    const { chain, n } = JSON.parse(text) as Partial<Entry>;
    if (typeof chain === 'string' && typeof n === 'number') return { chain, n };
  } catch {
    // Judged with the entry itself.
  }
  return { chain: '', n: 0 };
}

async function readPredecessor(
  read: Reader,
  recent: LRUCache<string, ChainEnd>,
  { chain, n }: { readonly chain: string; readonly n: number },
): Promise<void> {
  const before = (await chainOf(read, chain))
    .map((event) => event.text)
    .find((text) => parsePlace(text).n === n - 1);
  if (before !== undefined)
    recent.set(chain, { n: n - 1, hash: Buffer.from(leafHash(before)).toString('hex') });
}
