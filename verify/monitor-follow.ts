/**
 * Follows a log from the kept tree to a larger signed one: each new entry against its leaf, its text's form and its place in
 * its chain, and all of them against the signed root. Nothing is kept unless the root is the signed one.
 */
import { concatAll, equal, hex, type Bytes } from './bytes.ts';
import { checkPosition } from './chain.ts';
import type { Checkpoint } from './checkpoint.ts';
import { readEntries, readTile, type LogFetch } from './files.ts';
import type { JsonRecord } from './json.ts';
import { entryIn, type Progress } from './log-audit.ts';
import { leafHash } from './merkle.ts';
import { tileWidth, type MerkleEdge } from './merkle-edge.ts';
import { keepEdge, keptCheckpoint, keptEdge, keptHash, type KeptLog } from './monitor-kept.ts';
import { newsOf, touches } from './monitor-watch.ts';
import { InvalidEvidence } from './report.ts';

/** Further entries that break a rule are not kept. */
const problemsMax = 20;
/** More new entries than this are not followed at once: a log may sign any size. */
const entriesMax = 10_000_000;
/** Bounds of what is kept of an entry. */
const chainCharsMax = 200;
const tsCharsMax = 40;

export interface FollowRequest {
  readonly read: LogFetch;
  readonly note: string;
  readonly signed: Checkpoint;
  /** Size of the kept tree. */
  readonly from: number;
  /** Ids to report entries about. */
  readonly watched: readonly string[];
  readonly progress?: Progress | undefined;
}

/**
 * Answers whether the kept tree was still the one of `from` entries once the update began: another monitor may have grown it.
 * Throws `InvalidEvidence` where the log's files do not fit the signed root; the kept log is then as it was.
 */
export async function follow(kept: KeptLog, request: FollowRequest): Promise<boolean> {
  const { size } = request.signed;
  if (size - request.from > entriesMax)
    throw new InvalidEvidence(
      'size',
      `the log signed ${size} entries, and no more than ${entriesMax} new ones are followed at once`,
    );
  return kept.update(async () => {
    if ((keptCheckpoint(kept)?.size ?? 0) !== request.from) return false;
    const edge = keptEdge(kept, request.from);
    await new Follower(kept, edge, request).run();
    if (!equal(await edge.root(), request.signed.root))
      throw new InvalidEvidence('root', `the ${size} entries do not lead to the signed root`);
    keepEdge(kept, edge, size);
    kept.putNote(request.note);
    return true;
  });
}

interface Page {
  readonly entries: readonly Bytes[];
  readonly hashes: readonly Bytes[];
}

class Follower {
  readonly #kept: KeptLog;
  readonly #edge: MerkleEdge;
  readonly #request: FollowRequest;
  #problems: number;

  constructor(kept: KeptLog, edge: MerkleEdge, request: FollowRequest) {
    this.#kept = kept;
    this.#edge = edge;
    this.#request = request;
    this.#problems = kept.problems().length;
  }

  async run(): Promise<void> {
    const { from, signed } = this.#request;
    const start = Math.floor(from / tileWidth);
    let next = this.#page(start);
    for (let n = start; n * tileWidth < signed.size; n++) {
      const { entries, hashes } = await next;
      // The next page travels while this one is computed; if it fails, it fails when it is awaited.
      next = this.#page(n + 1);
      next.catch(() => undefined);
      const known = Math.max(0, from - n * tileWidth);
      const leaves = await Promise.all(entries.map((entry) => leafHash(entry)));
      for (let i = known; i < entries.length; i++) {
        const index = n * tileWidth + i;
        const leaf = leaves[i] as Bytes;
        if (!equal(leaf, hashes[i] as Bytes))
          throw new InvalidEvidence(
            'entry',
            `log entry ${index}: its bytes do not hash to its leaf in the log`,
          );
        this.#edge.push(leaf);
        this.#entry(index, entries[i] as Bytes);
      }
      const [lowest = []] = this.#edge.levels;
      if (lowest.length === tileWidth) this.#kept.putTile(0, n, concatAll(lowest));
      for (const { level, hashes: full } of await this.#edge.carry())
        this.#kept.putTile(level, Math.floor(n / tileWidth ** level), concatAll(full));
      this.#request.progress?.(Math.min(signed.size, (n + 1) * tileWidth), signed.size);
    }
  }

  async #page(n: number): Promise<Page> {
    const { read, signed } = this.#request;
    const width = Math.min(tileWidth, signed.size - n * tileWidth);
    if (width <= 0) return { entries: [], hashes: [] };
    const [entries, hashes] = await Promise.all([readEntries(read, n, width), readTile(read, 0, n, width)]);
    return { entries, hashes };
  }

  /** One entry against its text's form and its place in its chain. */
  #entry(index: number, bytes: Bytes): void {
    const entry = entryIn(bytes);
    if (typeof entry === 'string') return this.#problem(`log entry ${index} ${entry}`);
    const unplaced = placeTrouble(entry);
    if (unplaced !== undefined) return this.#problem(`log entry ${index}: ${unplaced}`);
    const { chain, n, ts } = entry as { readonly chain: string; readonly n: number; readonly ts: string };
    const head = this.#kept.head(chain);
    const before = head && { hash: hex(this.#hashBefore(index, head.index)), ts: head.ts };
    const place = head === undefined ? 0 : head.n + 1;
    const trouble = n === place ? checkPosition(entry, before) : `its place in the chain is ${place}`;
    if (trouble !== undefined) this.#problem(`log entry ${index}, entry ${n} of chain ${chain}: ${trouble}`);
    // The chain goes on from here, so that a break is not found again at each later entry.
    this.#kept.putHead(chain, { n, index, ts });
    if (touches(entry, this.#request.watched)) this.#kept.putNews(newsOf(index, entry));
  }

  /** The leaf of an entry before `next`: of the newest tile, which is not kept yet, or of a kept one. */
  #hashBefore(next: number, index: number): Bytes {
    const start = next - (next % tileWidth);
    const [pending = []] = this.#edge.levels;
    return index >= start ? (pending[index - start] as Bytes) : keptHash(this.#kept, index);
  }

  #problem(text: string): void {
    if (++this.#problems <= problemsMax) this.#kept.putProblem(text);
  }
}

/** Why an entry cannot be placed in a chain at all. */
function placeTrouble({ chain, n, ts }: JsonRecord): string | undefined {
  if (typeof chain !== 'string' || chain === '' || chain.length > chainCharsMax)
    return `its chain is not a name of at most ${chainCharsMax} characters`;
  if (!Number.isSafeInteger(n) || Number(n) < 0) return 'its n is not a place in a chain';
  if (typeof ts !== 'string' || ts.length > tsCharsMax)
    return `its ts is not a time of at most ${tsCharsMax} characters`;
  return undefined;
}
