/**
 * Recomputes a whole log page by page: hashes each entry, places it in its chain, hashes each full tile into the one above,
 * and finally computes the root. Each defect is reported once; its consequences are not.
 */
import { equal, fromUtf8, hex, type Bytes } from './bytes.ts';
import { checkPosition, type EntryPlace } from './chain.ts';
import { MerkleEdge, tileWidth } from './merkle-edge.ts';
import { indexPath, readEntries, readTile, type LogFetch } from './files.ts';
import { canonical, isRecord, parse, type JsonRecord } from './json.ts';
import { leafHash, rootOf } from './merkle.ts';
import type { Checkpoint } from './checkpoint.ts';
import { failed, passed, type Check } from './report.ts';

/** Called after each page with the entries done and the entries there are. */
export type Progress = (entries: number, size: number) => void;

/** A checkpoint that the log must continue. */
export interface EarlierCheckpoint {
  /** Of the check. */
  readonly id: 'previous' | 'cosigned';
  /** How its entries are called, such as `signed before`. */
  readonly what: string;
  readonly checkpoint: Checkpoint;
}

/** Further problems of the same log are counted, not listed. */
const problemsMax = 20;

export class LogAudit {
  readonly #read: LogFetch;
  readonly #signed: Checkpoint;
  readonly #earlier: readonly EarlierCheckpoint[];
  readonly #progress: Progress | undefined;
  readonly #found: Check[] = [];
  readonly #problems: Check[] = [];
  #problemCount = 0;
  readonly #chains = new Map<string, EntryPlace & { readonly n: number }>();
  /** Chains whose break has been named; what follows only repeats it. */
  readonly #broken = new Set<string>();
  /** Leaf hashes of entries that could not be read, so that what follows them is not blamed. */
  readonly #unread = new Set<string>();
  /** From the entries' own hashes. */
  readonly #edge = new MerkleEdge();
  /** From the served leaf hashes, kept once they differ from the entries'. */
  #served: MerkleEdge | undefined;

  constructor(
    read: LogFetch,
    signed: Checkpoint,
    earlier: readonly EarlierCheckpoint[],
    progress: Progress | undefined,
  ) {
    this.#read = read;
    this.#signed = signed;
    this.#earlier = earlier;
    this.#progress = progress;
  }

  checks(): readonly Check[] {
    const more = this.#problemCount - this.#problems.length;
    const rest = more > 0 ? [failed('entry', `${more} further problems are not listed`)] : [];
    return [...this.#found, ...this.#problems, ...rest];
  }

  async run(): Promise<void> {
    const { size } = this.#signed;
    const longer = this.#earlier.find(({ checkpoint }) => checkpoint.size > size);
    if (longer !== undefined) {
      this.#found.push(
        failed(
          longer.id,
          `the log has ${size} entries, ${longer.checkpoint.size} were signed before: it was rolled back`,
        ),
      );
      return;
    }
    await this.#compareEarlier(0);
    let next = this.#page(0);
    for (let n = 0; n * tileWidth < size; n++) {
      const { hashes, entries } = await next;
      // The next page travels while this one is computed; if it fails, it fails when it is awaited.
      next = this.#page(n + 1);
      next.catch(() => undefined);
      const leaves = await Promise.all(entries.map((entry) => leafHash(entry)));
      for (const [i, leaf] of leaves.entries()) {
        const index = n * tileWidth + i;
        this.#entry(index, entries[i] as Bytes, leaf, hashes[i] as Bytes);
        await this.#compareEarlier(index + 1);
      }
      for (const { level, hashes: full } of await this.#edge.carry()) {
        await this.#compareTile(level, Math.floor(n / tileWidth ** level), full);
      }
      await this.#served?.carry();
      this.#progress?.(Math.min(size, (n + 1) * tileWidth), size);
    }
    for (const [level, hashes] of this.#edge.levels.entries()) {
      if (level > 0 && hashes.length > 0)
        await this.#compareTile(level, Math.floor(size / tileWidth ** (level + 1)), hashes);
    }
    this.#found.push(await this.#compareRoot());
    if (this.#problemCount > 0) return;
    this.#found.push(passed('entry', `${size} entries hash to their leaves`));
    this.#found.push(passed('chain', `${this.#chains.size} chains run from genesis without a gap`));
  }

  #problem(id: string, detail: string, at: string): void {
    if (++this.#problemCount <= problemsMax) this.#problems.push(failed(id, detail, at));
  }

  async #page(n: number): Promise<{ hashes: readonly Bytes[]; entries: readonly Bytes[] }> {
    const width = Math.min(tileWidth, this.#signed.size - n * tileWidth);
    if (width <= 0) return { hashes: [], entries: [] };
    const [hashes, entries] = await Promise.all([
      readTile(this.#read, 0, n, width),
      readEntries(this.#read, n, width),
    ]);
    return { hashes, entries };
  }

  /** One entry against its leaf, its text's form, and its place in its chain. */
  #entry(index: number, bytes: Bytes, leaf: Bytes, served: Bytes): void {
    const at = String(index);
    const altered = !equal(leaf, served);
    if (altered) this.#served ??= this.#edge.clone();
    this.#edge.push(leaf);
    this.#served?.push(served);
    const entry = entryIn(bytes);
    if (typeof entry === 'string') {
      this.#problem('entry', `log entry ${at} ${entry}`, at);
      this.#unread.add(hex(served));
      return;
    }
    const chain = String(entry['chain']);
    const name = `log entry ${at}, entry ${String(entry['n'])} of chain ${chain}`;
    if (altered) this.#problem('entry', `${name}: its bytes do not hash to its leaf in the log`, at);
    const before = this.#chains.get(chain);
    const follows = this.#unread.has(String(entry['prev']));
    const n = follows ? Number(entry['n']) : before === undefined ? 0 : before.n + 1;
    const trouble = entry['n'] === n ? checkPosition(entry, before) : `its place in the chain is ${n}`;
    if (trouble !== undefined && !follows && !this.#broken.has(chain)) {
      this.#problem('chain', `${name}: ${trouble}`, at);
      this.#broken.add(chain);
    }
    // The chain goes on from the hash that was logged, so that an altered entry is not blamed on the next.
    this.#chains.set(chain, { n, hash: hex(served), ts: String(entry['ts']) });
  }

  async #compareTile(level: number, n: number, computed: readonly Bytes[]): Promise<void> {
    const served = await readTile(this.#read, level, n, computed.length);
    const wrong = computed.findIndex((hash, i) => !equal(hash, served[i] as Bytes));
    // Above an entry that differs from its leaf every tile differs too.
    if (wrong < 0 || this.#served !== undefined) return;
    const path = `tile/${level}/${indexPath(n)}`;
    this.#problem('tile', `${path}: hash ${wrong} does not follow from the tile below`, path);
  }

  /** Compares the tree so far with what was signed over as many entries. */
  async #compareEarlier(size: number): Promise<void> {
    for (const { id, what, checkpoint } of this.#earlier) {
      if (checkpoint.size !== size) continue;
      const root = size === 0 ? await rootOf([]) : await this.#edge.root();
      this.#found.push(
        equal(root, checkpoint.root)
          ? passed(id, `the log begins with the ${size} entries ${what}`)
          : failed(id, `the log does not begin with the ${size} entries ${what}: it was rewritten`),
      );
    }
  }

  async #compareRoot(): Promise<Check> {
    const root = await this.#edge.root();
    const servedRoot = await this.#served?.root();
    if (equal(root, this.#signed.root)) {
      return servedRoot === undefined
        ? passed('root', 'the entries lead to the signed root')
        : failed(
            'root',
            'the entries lead to the signed root, so the leaf hashes that differ from them are wrong',
          );
    }
    return servedRoot !== undefined && equal(servedRoot, this.#signed.root)
      ? failed(
          'root',
          'the leaf hashes lead to the signed root, so the entries that differ from them were altered',
        )
      : failed('root', `the entries lead to root ${hex(root)}, not to the signed one`);
  }
}

/** The entry in canonical bytes, or what is wrong with them. */
export function entryIn(bytes: Bytes): JsonRecord | string {
  const text = fromUtf8(bytes);
  if (text === undefined) return 'is not UTF-8';
  try {
    const value = parse(text);
    if (!isRecord(value)) return 'is not a JSON object';
    return canonical(value) === text ? value : 'is not in canonical form';
  } catch (error) {
    return `is not JSON: ${(error as Error).message}`;
  }
}
