/**
 * The laws of a ledger and its log. They are told what became visible and what was answered, and compare it with their own
 * record of everything before. The first law that is broken is kept; the simulation ends with it.
 */
import { MerkleLog } from '../../src/ledger/log.ts';
import { genesis, leafHash, type Entry } from '../../src/ledger/entry.ts';
import { budgetMax, noText } from './acts.ts';

export interface Broken {
  readonly law: string;
  readonly what: string;
}

/** Where the laws of all parts of one simulation report. */
export class Verdict {
  broken: Broken | undefined;

  breaks(law: string, what: string): void {
    this.broken ??= { law, what };
  }
}

export interface SeenEntry {
  readonly seq: number;
  readonly text: string;
}

interface ChainSeen {
  n: number;
  hash: string;
  ts: string;
  textSha: string;
  uses: number;
}

export const lawTexts = {
  acknowledged: 'what was acknowledged is in every later state',
  positions: 'a position of the log never changes',
  extends: 'no two published checkpoints of one key contradict each other',
  line: 'accepted edits form one line',
  budget: 'no budget is exceeded',
  once: 'a request is recorded once',
  chain: 'n and prev of a chain have no gap',
  time: 'an entry is never dated before its predecessor',
  refuses: 'a node that saw what was lost acknowledges nothing',
  cosigned: 'a cosigned checkpoint has a real quorum and is of the log',
  grows: 'the cosigned checkpoint never shrinks',
  witness: 'no witness key cosigns two contradicting checkpoints',
  live: 'what was acknowledged is integrated and cosigned once faults stop',
} as const;

export class LedgerLaws {
  readonly #verdict: Verdict;
  readonly #name: string;
  /** By request: all entries that were acknowledged for it. */
  #acknowledged = new Map<string, readonly SeenEntry[]>();
  #entries = new Map<number, string>();
  #chains = new Map<string, ChainSeen>();
  #requests = new Set<string>();
  #log = new MerkleLog();
  #places: SeenEntry[] = [];
  /** Roots in hex by size, of every state that there was. */
  readonly #published = new Map<number, string>();

  constructor(name: string, verdict: Verdict) {
    this.#name = name;
    this.#verdict = verdict;
  }

  get acknowledgedCount(): number {
    return this.#acknowledged.size;
  }

  get size(): number {
    return this.#log.size;
  }

  #breaks(law: keyof typeof lawTexts, what: string): void {
    this.#verdict.breaks(lawTexts[law], `${this.#name}: ${what}`);
  }

  has({ seq, text }: SeenEntry): boolean {
    return this.#entries.get(seq) === text;
  }

  /** The root in hex that the log had at a size; undefined where it has no such size. */
  rootAt(size: number): string | undefined {
    return size > this.#log.size ? undefined : this.#roots[size];
  }

  #roots: string[] = [hexOf(this.#log.root())];

  /** An act was answered as done. */
  acknowledge(request: string, entries: readonly SeenEntry[]): void {
    for (const entry of entries)
      if (!this.has(entry))
        this.#breaks('acknowledged', `${request} was answered before entry ${entry.seq} was durable`);
    this.#acknowledged.set(request, entries);
  }

  /** Forgets acknowledgements of a state that an operator has discarded. */
  withdraw(requests: Iterable<string>): void {
    for (const request of requests) this.#acknowledged.delete(request);
  }

  /** Entries that can be seen from now on, in the order of their numbers within a batch. */
  visible(entries: readonly SeenEntry[]): void {
    for (const entry of entries) this.#see(entry);
  }

  #see({ seq, text }: SeenEntry): void {
    const entry = JSON.parse(text) as Entry;
    const known = this.#entries.get(seq);
    if (known !== undefined && known !== text) this.#breaks('positions', `entry ${seq} was replaced`);
    this.#entries.set(seq, text);
    const chain = this.#chains.get(entry.chain) ?? { n: -1, hash: genesis, ts: '', textSha: noText, uses: 0 };
    if (entry.n !== chain.n + 1) this.#breaks('chain', `${entry.chain} goes from ${chain.n} to ${entry.n}`);
    if (entry.prev !== chain.hash)
      this.#breaks('chain', `entry ${entry.n} of ${entry.chain} has another prev`);
    if (entry.ts < chain.ts)
      this.#breaks('time', `entry ${entry.n} of ${entry.chain} is of ${entry.ts}, after ${chain.ts}`);
    const request = entry['request'] as string;
    if (this.#requests.has(request)) this.#breaks('once', `${request} is recorded twice`);
    this.#requests.add(request);
    if (entry['action'] === 'edit') {
      if (entry['expected'] !== chain.textSha)
        this.#breaks('line', `edit ${entry.n} of ${entry.chain} was accepted on a text that was replaced`);
      chain.textSha = entry['text_sha'] as string;
    } else if (entry['action'] === 'spend' && ++chain.uses > budgetMax)
      this.#breaks('budget', `${entry.chain} was used ${chain.uses} times`);
    Object.assign(chain, { n: entry.n, hash: hexOf(leafHash(text)), ts: entry.ts });
    this.#chains.set(entry.chain, chain);
  }

  /** Entries that took their place in the log, from position `at` on. */
  integrated(at: number, entries: readonly SeenEntry[]): void {
    entries.forEach((entry, i) => {
      const known = this.#places[at + i];
      if (known !== undefined || at + i !== this.#log.size) {
        this.#breaks(
          'positions',
          `position ${at + i} was given to entry ${entry.seq} in a log of ${this.#log.size}`,
        );
        return;
      }
      this.#places.push(entry);
      this.#log.append(leafHash(entry.text));
      this.#roots.push(hexOf(this.#log.root()));
    });
  }

  /** A signed checkpoint that can be read from now on. */
  publish(size: number, root: Uint8Array): void {
    const hex = hexOf(root);
    const before = this.#published.get(size);
    if (before !== undefined && before !== hex)
      this.#breaks('extends', `two trees of ${size} entries were signed`);
    if (this.rootAt(size) !== hex)
      this.#breaks('extends', `the checkpoint of ${size} entries is not of the log`);
    this.#published.set(size, hex);
  }

  /** Whether a cosigned or served checkpoint is of this log. */
  isPublished(size: number, root: Uint8Array): boolean {
    return size === 0 || this.#published.get(size) === hexOf(root);
  }

  /**
   * Another state took the place of the one before: after a crash, a failover or a restore. `isComplete`: nothing that
   * was acknowledged may be missing.
   */
  replace(chains: Iterable<readonly SeenEntry[]>, log: readonly SeenEntry[], isComplete: boolean): void {
    this.#entries = new Map();
    this.#chains = new Map();
    this.#requests = new Set();
    this.#log = new MerkleLog();
    this.#places = [];
    this.#roots = [hexOf(this.#log.root())];
    for (const entries of chains) this.visible(entries);
    this.integrated(0, log);
    if (!isComplete) return;
    for (const [request, entries] of this.#acknowledged)
      for (const entry of entries)
        if (!this.has(entry)) this.#breaks('acknowledged', `entry ${entry.seq} of ${request} is gone`);
    for (const [size, root] of this.#published)
      if (this.rootAt(size) !== root)
        this.#breaks('extends', `the published checkpoint of ${size} entries is of no later log`);
  }
}

export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
